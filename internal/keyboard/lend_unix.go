//go:build unix

package keyboard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"parley/internal/termmodes"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// drainPatience is how long the terminal may take to accept the command's last output.
const drainPatience = time.Second

// loan is a terminal while it is lent.
type loan struct {
	in         int // descriptor of the terminal
	out        io.Writer
	cmd        Command
	line, hint string

	mu    sync.Mutex // of writing to out
	modes termmodes.Modes
	tail  []byte // the end of the output, to show it again

	wakes, wake *os.File // a byte written to wake ends the wait for keys
	written     chan struct{}
	failed      error // why writing stopped; nil if the command ended. Set before written is closed
}

// Lend gives the terminal to a command, below a heading of line and a hint that names the key. It
// returns nil when the command ends, ErrTakenBack when the user takes the keyboard back, the cause
// of ctx when ctx ends, and otherwise an error of the terminal. in and out are the terminal;
// nothing else may read or write it meanwhile. Lend always closes the command's side.
func Lend(ctx context.Context, in io.Reader, out io.Writer, cmd Command, line, hint string) (err error) {
	defer cmd.Close()
	tty, ok := in.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(tty.Fd()) {
		return ErrNoTerminal
	}
	l := &loan{in: int(tty.Fd()), out: out, cmd: cmd, line: line, hint: hint, tail: cmd.EarlierOutput(), written: make(chan struct{})}
	if l.wakes, l.wake, err = os.Pipe(); err != nil {
		return fmt.Errorf("lend the keyboard: %w", err)
	}
	defer l.wakes.Close()
	defer l.wake.Close()
	if max(l.in, int(l.wakes.Fd())) >= unix.FD_SETSIZE {
		return errors.New("lend the keyboard: too many files are open")
	}
	was, err := term.MakeRaw(tty.Fd())
	if err != nil {
		return fmt.Errorf("lend the keyboard: %w", err)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("lend the keyboard: a mistake of parley's: %v", r)
		}
		l.restore()
		if restored := term.Restore(tty.Fd(), was); err == nil {
			err = restored
		}
	}()
	return l.run(ctx)
}

// run copies in both directions until one of them ends.
func (l *loan) run(ctx context.Context) error {
	defer context.AfterFunc(ctx, l.interrupt)()
	if err := l.introduce(saveTitle); err != nil {
		close(l.written)
		return fmt.Errorf("write to the terminal: %w", err)
	}
	lent.Store(l)
	defer lent.Store(nil)
	go l.write()
	defer l.followSize()()
	if err := l.keys(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	<-l.written
	return l.failed
}

// lent is the terminal while it is lent.
var lent atomic.Pointer[loan]

// Redraw shows what has the terminal again, if it is lent: another terminal has taken the place of the one before.
func Redraw() {
	l := lent.Load()
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.modes.Alternate() {
		_ = l.introduce("") // if it fails, so does the next write
		return
	}
	cols, rows := l.size()
	l.cmd.Resize(cols, max(1, rows-1)) // its program draws again if the size changes
	l.cmd.Resize(cols, rows)
}

// introduce writes the heading and what the command has written so far.
func (l *loan) introduce(before string) error {
	cols, rows := l.size()
	_, err := io.WriteString(l.out, before+"\r\n"+heading(l.line, l.hint, cols)+"\r\n"+plainTail(l.tail, rows-2))
	return err
}

// interrupt ends the wait for keys.
func (l *loan) interrupt() { l.wake.Write([]byte{0}) }

// write copies the command's output to the terminal.
func (l *loan) write() {
	defer l.interrupt()
	defer close(l.written)
	defer func() {
		if r := recover(); r != nil {
			l.failed = fmt.Errorf("lend the keyboard: a mistake of parley's: %v", r)
		}
	}()
	buf := make([]byte, 32<<10)
	for {
		n, err := l.cmd.Read(buf)
		if bad := l.show(buf[:n]); bad != nil {
			l.failed = fmt.Errorf("write to the terminal: %w", bad)
			return
		}
		if err != nil {
			return
		}
	}
}

func (l *loan) show(p []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.modes.Learn(p)
	l.tail = append(l.tail, p...)
	l.tail = slices.Delete(l.tail, 0, max(0, len(l.tail)-maxTail))
	_, err := l.out.Write(p)
	return err
}

// keys copies what the user types to the command. It returns nil when the wait is interrupted and
// ErrTakenBack when the user takes the keyboard back.
func (l *loan) keys() error {
	buf := make([]byte, 4<<10)
	defer clear(buf)
	for {
		ready, err := l.wait(nil)
		switch {
		case err != nil:
			return err
		case !ready:
			return nil
		}
		n, err := unix.Read(l.in, buf)
		switch {
		case err == unix.EINTR || err == unix.EAGAIN:
			continue
		case err != nil:
			return fmt.Errorf("read the terminal: %w", err)
		case n == 0:
			return fmt.Errorf("read the terminal: %w", io.ErrUnexpectedEOF)
		}
		mine, found := splitAtCtrlBracket(buf[:n])
		if _, err := l.cmd.Write(mine); err != nil && !found {
			io.WriteString(l.out, "\a") // the command does not read its keys
		}
		clear(buf[:n])
		if found {
			return ErrTakenBack
		}
	}
}

// wait reports whether keys are ready. false without an error means that the wait was interrupted
// or timed out. A nil timeout waits forever.
func (l *loan) wait(most *unix.Timeval) (bool, error) {
	for {
		var set unix.FdSet
		set.Zero()
		set.Set(l.in)
		set.Set(int(l.wakes.Fd()))
		n, err := unix.Select(max(l.in, int(l.wakes.Fd()))+1, &set, nil, nil, most)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return false, fmt.Errorf("wait for the terminal: %w", err)
		case most == nil && set.IsSet(int(l.wakes.Fd())):
			return false, nil
		default:
			return n > 0 && set.IsSet(l.in), nil
		}
	}
}

// followSize tells the command the size of the terminal, now and after every change.
func (l *loan) followSize() (stop func()) {
	sizes, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(sizes, syscall.SIGWINCH)
	go func() {
		for {
			l.cmd.Resize(l.size())
			select {
			case <-sizes:
			case <-over:
				return
			}
		}
	}()
	return func() {
		signal.Stop(sizes)
		close(over)
	}
}

// restore resets the terminal and discards unread keys. If the terminal accepts no output, it skips
// the reset.
func (l *loan) restore() {
	l.cmd.Close()
	select {
	case <-l.written:
		io.WriteString(l.out, reset(l.modes.Alternate()))
	case <-time.After(drainPatience):
	}
	buf := make([]byte, 4<<10)
	for range 256 { // discard unread keys: they were meant for the command
		if ready, err := l.wait(&unix.Timeval{}); err != nil || !ready {
			break
		}
		if n, err := unix.Read(l.in, buf); err != nil || n == 0 {
			break
		}
	}
	clear(buf)
}

func (l *loan) size() (cols, rows int) {
	size, err := unix.IoctlGetWinsize(l.in, unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 {
		return 80, 24
	}
	return int(size.Col), int(size.Row)
}
