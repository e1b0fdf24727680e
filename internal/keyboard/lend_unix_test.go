//go:build unix

package keyboard

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

const patience = 20 * time.Second

// command is a fake that the terminal is lent to.
type command struct {
	before string
	out    chan string // its output; closed when it ends
	closed chan struct{}
	once   sync.Once
	keys   chan string
	sizes  chan [2]int
	bad    error // returned by Write
	panics bool  // on Read
}

func newCommand() *command {
	return &command{out: make(chan string), closed: make(chan struct{}), keys: make(chan string, 100), sizes: make(chan [2]int, 100)}
}

func (c *command) Read(p []byte) (int, error) {
	if c.panics {
		panic("a mistake")
	}
	select {
	case text, ok := <-c.out:
		if !ok {
			return 0, io.EOF
		}
		return copy(p, text), nil
	case <-c.closed:
		return 0, io.ErrClosedPipe
	}
}

func (c *command) Write(p []byte) (int, error) {
	if c.bad != nil {
		return 0, c.bad
	}
	if len(p) > 0 {
		c.keys <- string(p)
	}
	return len(p), nil
}

func (c *command) Resize(cols, rows int) error { c.sizes <- [2]int{cols, rows}; return nil }
func (c *command) EarlierOutput() []byte       { return []byte(c.before) }
func (c *command) Close() error                { c.once.Do(func() { close(c.closed) }); return nil }

// desk is the user's terminal.
type desk struct {
	*testing.T
	master, tty *os.File
	was         *term.State
	done        chan error

	mu   sync.Mutex
	seen strings.Builder
}

func lend(t *testing.T, ctx context.Context, c *command) *desk {
	t.Helper()
	d := newDesk(t)
	go func() { d.done <- Lend(ctx, d.tty, d.tty, c, "make install", AgentSeesHint) }()
	return d
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{T: t, done: make(chan error, 1)}
	var err error
	if d.master, d.tty, err = pty.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.tty.Close(); d.master.Close() })
	pty.Setsize(d.tty, &pty.Winsize{Cols: 90, Rows: 20})
	if d.was, err = term.GetState(d.tty.Fd()); err != nil {
		t.Fatal(err)
	}
	go func() {
		buf := make([]byte, 1024)
		for {
			n, err := d.master.Read(buf)
			d.mu.Lock()
			d.seen.Write(buf[:n])
			d.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return d
}

func (d *desk) text() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seen.String()
}

func (d *desk) sees(text string) {
	d.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(d.text(), text); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			d.Fatalf("%q is not to be seen: %q", text, d.text())
		}
	}
}

func (d *desk) ends() error {
	d.Helper()
	var err error
	select {
	case err = <-d.done:
	case <-time.After(patience):
		d.Fatal("still lent")
	}
	now, _ := term.GetState(d.tty.Fd())
	if *now != *d.was {
		d.Errorf("the terminal is not what it was: %+v, %+v", now, d.was)
	}
	return err
}

func take[T any](t *testing.T, from chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(patience):
		t.Fatal("nothing came")
	}
	return v
}

func TestLendUntilTheEnd(t *testing.T) {
	c := newCommand()
	c.before = "one\nPassword: "
	d := lend(t, t.Context(), c)
	d.sees("parley: make install · the agent sees its output · ctrl+] lets go\r\none\r\nPassword: ")
	if got := take(t, c.sizes); got != [2]int{90, 20} {
		t.Errorf("size %v", got)
	}
	io.WriteString(d.master, "hush\r\x03")
	for got := ""; got != "hush\r\x03"; {
		got += take(t, c.keys)
	}
	pty.Setsize(d.tty, &pty.Winsize{Cols: 70, Rows: 30})
	syscall.Kill(os.Getpid(), syscall.SIGWINCH) // the desk is not a controlling terminal, so the kernel sends no signal
	for got := [2]int{}; got != [2]int{70, 30}; {
		got = take(t, c.sizes)
	}
	c.out <- "\x1b[?1049h\x1b[?2004h\x1b[31mred"
	d.sees("\x1b[31mred")
	c.out <- "the last word"
	close(c.out)
	if err := d.ends(); err != nil {
		t.Error(err)
	}
	d.sees("the last word\x18\x1b\\\x1b[?1049l")
	d.sees("\x1b[?2004l")
	if strings.Contains(d.text(), "hush") {
		t.Errorf("what was typed is on the screen: %q", d.text())
	}
}

// ctrl+] takes the keyboard back, and what was typed after it is dropped.
func TestTakenBack(t *testing.T) {
	c := newCommand()
	d := lend(t, t.Context(), c)
	take(t, c.sizes)
	io.WriteString(d.master, "yes\x1dbehind\r")
	if err := d.ends(); !errors.Is(err, ErrTakenBack) {
		t.Errorf("it ended with %v", err)
	}
	if got := take(t, c.keys); got != "yes" || len(c.keys) != 0 {
		t.Errorf("typed %q and %d more", got, len(c.keys))
	}
	fd := int(d.tty.Fd())
	unix.SetNonblock(fd, true)
	if n, _ := unix.Read(fd, make([]byte, 10)); n > 0 {
		t.Error("keys typed after it were not dropped")
	}
	<-c.closed
}

func TestLendEndsOtherwise(t *testing.T) {
	life, end := context.WithCancelCause(t.Context())
	c := newCommand()
	d := lend(t, life, c)
	take(t, c.sizes)
	why := errors.New("a signal")
	end(why)
	if err := d.ends(); !errors.Is(err, why) {
		t.Errorf("it ended with %v", err)
	}
	d.sees("\x1b[?2004l") // the terminal is restored even so

	c = newCommand()
	c.panics = true
	d = lend(t, t.Context(), c)
	if err := d.ends(); err == nil || !strings.Contains(err.Error(), "a mistake") {
		t.Errorf("it ended with %v", err)
	}
	d.sees("\x1b[?2004l")

	c = newCommand()
	c.bad = errors.New("full")
	d = lend(t, t.Context(), c)
	take(t, c.sizes)
	io.WriteString(d.master, "x")
	d.sees("\a")
	close(c.out)
	if err := d.ends(); err != nil {
		t.Error(err)
	}

	c = newCommand()
	if err := Lend(t.Context(), strings.NewReader("x"), io.Discard, c, "x", ""); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("it ended with %v", err)
	}
	<-c.closed
}

// Another terminal in the place of the one before sees the command: its output again or, on the alternate screen, what the
// program draws after a change of its size.
func TestRedraw(t *testing.T) {
	Redraw() // nothing is lent
	c := newCommand()
	c.before = "earlier\n"
	d := lend(t, t.Context(), c)
	c.out <- "Password:"
	d.sees("earlier\r\nPassword:")
	take(t, c.sizes)
	Redraw()
	d.sees("Password:\r\nparley: make install")
	if text := d.text(); !strings.HasSuffix(text, "\r\nearlier\r\nPassword:") {
		t.Errorf("%q", text)
	}
	c.out <- "\x1b[?1049hfull"
	d.sees("full")
	Redraw()
	if a, b := take(t, c.sizes), take(t, c.sizes); a != [2]int{90, 19} || b != [2]int{90, 20} {
		t.Errorf("sizes %v, %v", a, b)
	}
	close(c.out)
	if err := d.ends(); err != nil {
		t.Error(err)
	}
}
