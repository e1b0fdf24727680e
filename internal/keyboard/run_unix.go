//go:build unix

package keyboard

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"

	"parley/terminal"
)

const (
	// keptEnd is how much of what a program wrote last is kept, in bytes; of that
	// lastLines are shown.
	keptEnd, lastLines = 16 << 10, 8
	// drained is how long what a program has left running may go on writing after its end.
	drained = 100 * time.Millisecond
)

func run(ctx context.Context, cmd *exec.Cmd, line string) error {
	tty, ok := cmd.Stdin.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(tty.Fd()) {
		return plain(ctx, cmd)
	}
	in, out := cmd.Stdin, cmd.Stdout
	p, err := startProgram(cmd, int(tty.Fd()))
	if err != nil {
		return err
	}
	err = Lend(ctx, in, out, p, line, "ctrl+] ends it")
	if errors.Is(err, ErrTakenBack) {
		err = errEnded
	}
	if ended := p.end(); err == nil {
		err = ended
	}
	if lines := p.lastLines(); err != nil && len(lines) > 0 {
		return &FailedError{err, lines}
	}
	return err
}

// program is one at a terminal of its own; it implements Command.
type program struct {
	cmd   *exec.Cmd
	ours  *os.File
	ended chan struct{} // closed when it has, with err
	err   error

	mu   sync.Mutex
	kept []byte // the end of what it wrote
}

// startProgram starts a program as the leader of a session that has a terminal of the
// size of another one. When it ends the system hangs up on what it has left running, a
// browser for example, which must not end for that.
func startProgram(cmd *exec.Cmd, like int) (*program, error) {
	ours, theirs, err := terminal.OpenPTY()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	if size, err := unix.IoctlGetWinsize(like, unix.TIOCGWINSZ); err == nil {
		terminal.SetSize(ours, int(size.Col), int(size.Row))
	}
	const ignoring = `trap "" HUP; exec "$@"`
	cmd.Args = append([]string{"sh", "-c", ignoring, "sh", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	terminal.Control(cmd)
	if err := cmd.Start(); err != nil {
		ours.Close()
		return nil, err
	}
	p := &program{cmd: cmd, ours: ours, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		p.err = cmd.Wait()
		ours.SetReadDeadline(time.Now().Add(drained))
	}()
	return p, nil
}

// Read implements Command.
func (p *program) Read(b []byte) (int, error) {
	n, err := p.ours.Read(b)
	p.mu.Lock()
	p.kept = append(p.kept, b[:n]...)
	p.kept = slices.Delete(p.kept, 0, max(0, len(p.kept)-keptEnd))
	p.mu.Unlock()
	if err != nil {
		err = io.EOF
	}
	return n, err
}

// Write implements Command. A program that does not read its keys loses them.
func (p *program) Write(b []byte) (int, error) {
	p.ours.SetWriteDeadline(time.Now().Add(drained))
	return p.ours.Write(b)
}

// Resize implements Command.
func (p *program) Resize(cols, rows int) error { return terminal.SetSize(p.ours, cols, rows) }

// Before implements Command.
func (p *program) Before() []byte { return nil }

// Close implements Command: nobody reads any more.
func (p *program) Close() error { return p.ours.SetReadDeadline(time.Now()) }

// end ends it, with its group, and tells how it has ended.
func (p *program) end() error {
	defer p.ours.Close()
	for _, sig := range []unix.Signal{0, unix.SIGTERM, unix.SIGKILL} {
		if sig != 0 {
			unix.Kill(-p.cmd.Process.Pid, sig)
		}
		patience := endPatience
		if sig == 0 { // nothing more is read: either it has ended, or it is to
			patience = drained
		}
		select {
		case <-p.ended:
			return p.err
		case <-time.After(patience):
		}
	}
	return errEnded
}

// lastLines are those with something in them.
func (p *program) lastLines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := slices.DeleteFunc(strings.Split(before(p.kept, keptEnd), "\r\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	return lines[max(0, len(lines)-lastLines):]
}
