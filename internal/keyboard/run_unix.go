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
	// maxTail is how many bytes of a program's last output are kept, lastLines how many lines of it
	// are shown.
	maxTail, lastLines = 16 << 10, 8
	// drained is how long processes that the program left running may still write after its end.
	drained = 100 * time.Millisecond
)

func run(ctx context.Context, cmd *exec.Cmd, line string) ([]string, error) {
	tty, ok := cmd.Stdin.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(tty.Fd()) {
		return nil, runPlain(ctx, cmd)
	}
	in, out := cmd.Stdin, cmd.Stdout
	p, err := startProgram(cmd, int(tty.Fd()))
	if err != nil {
		return nil, err
	}
	err = Lend(ctx, in, out, p, line, "ctrl+] ends it")
	if errors.Is(err, ErrTakenBack) {
		err = errEnded
	}
	if ended := p.terminate(); err == nil {
		err = ended
	}
	return p.lastLines(), err
}

// program runs in a separate terminal. It implements Command.
type program struct {
	cmd   *exec.Cmd
	ours  *os.File
	ended chan struct{} // closed when the program has ended and err is set
	err   error

	mu   sync.Mutex
	tail []byte // the end of its output
}

// startProgram starts a program as the leader of a new session, in a new terminal of the same size
// as another one. The program runs with SIGHUP ignored: when it ends, the kernel hangs up on what it
// left running, such as a browser, and that must survive.
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
	p.tail = append(p.tail, b[:n]...)
	p.tail = slices.Delete(p.tail, 0, max(0, len(p.tail)-maxTail))
	p.mu.Unlock()
	if err != nil {
		err = io.EOF
	}
	return n, err
}

// Write implements Command. Keys that the program does not read in time are lost.
func (p *program) Write(b []byte) (int, error) {
	p.ours.SetWriteDeadline(time.Now().Add(drained))
	return p.ours.Write(b)
}

// Resize implements Command.
func (p *program) Resize(cols, rows int) error { return terminal.SetSize(p.ours, cols, rows) }

// EarlierOutput implements Command.
func (p *program) EarlierOutput() []byte { return nil }

// Close implements Command. It ends Read and leaves the program running.
func (p *program) Close() error { return p.ours.SetReadDeadline(time.Now()) }

// terminate ends the program and its group, and returns how it ended.
func (p *program) terminate() error {
	defer p.ours.Close()
	for _, sig := range []unix.Signal{0, unix.SIGTERM, unix.SIGKILL} {
		if sig != 0 {
			unix.Kill(-p.cmd.Process.Pid, sig)
		}
		patience := endPatience
		if sig == 0 { // Lend no longer reads: the program has ended or must be ended
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

// lastLines returns the last lines that are not empty.
func (p *program) lastLines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := slices.DeleteFunc(strings.Split(plainTail(p.tail, maxTail), "\r\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	return lines[max(0, len(lines)-lastLines):]
}
