//go:build unix

package keeper

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"

	"parley/internal/must"
	"parley/terminal"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if run := roles[os.Args[1]]; run != nil {
			os.Exit(run())
		}
	}
	os.Exit(m.Run())
}

func contextOfSignals() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	return ctx
}

// patience bounds every wait. Only a failing test waits that long.
const patience = 20 * time.Second

// home gives the test directories of its own, and returns that of the records.
func home(t *testing.T) string {
	t.Helper()
	runtime := must.Get(os.MkdirTemp("", "k"))(t) // short enough for a socket
	t.Cleanup(func() { os.RemoveAll(runtime) })
	state := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	t.Setenv("PARLEY_STATE", state)
	return filepath.Join(state, "kept")
}

// kept is a program that is kept, and does what the test says.
type kept struct {
	t     *testing.T
	name  string
	conn  net.Conn
	first event

	mu     sync.Mutex
	events []event // not taken yet
	closed bool    // the program has ended
	more   *sync.Cond
}

// keep keeps a program in dir, without a terminal. graces are times of its keeper.
func keep(t *testing.T, dir string, o Options, times string) *kept {
	t.Helper()
	o.Headless = true
	k := start(t, dir, o, times)
	k.begun()
	return k
}

// start starts a keeper.
func start(t *testing.T, dir string, o Options, times string) *kept {
	t.Helper()
	path := filepath.Join(must.Get(os.MkdirTemp("", "o"))(t), "s")
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(path)) })
	ln := must.Get(net.Listen("unix", path))(t)
	t.Setenv(orders, path)
	t.Setenv(graces, times)
	o.Dir, o.Args = dir, append([]string{"kept"}, o.Args...)
	k := &kept{t: t}
	k.more = sync.NewCond(&k.mu)
	k.name = must.Get(Start(o))(t)
	t.Cleanup(k.end)
	go func() {
		defer ln.Close()
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		k.mu.Lock()
		k.conn = conn
		k.mu.Unlock()
		for messages := json.NewDecoder(bufio.NewReader(conn)); ; {
			var e event
			err := messages.Decode(&e)
			k.mu.Lock()
			if k.closed = err != nil; !k.closed {
				k.events = append(k.events, e)
			}
			k.more.Broadcast()
			k.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return k
}

// begun waits until the program runs.
func (k *kept) begun() { k.first = k.wait("its start", func(e event) bool { return e.Name != "" }) }

// end ends what still lives.
func (k *kept) end() {
	if s, err := Find(k.name); err == nil && s.Live {
		_ = syscall.Kill(s.PID, syscall.SIGKILL)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn != nil {
		k.conn.Close() // so that the program ends
	}
}

// wait takes the first event for which f is true.
func (k *kept) wait(what string, f func(event) bool) event {
	k.t.Helper()
	defer time.AfterFunc(patience, k.more.Broadcast).Stop()
	k.mu.Lock()
	defer k.mu.Unlock()
	for begun := time.Now(); ; k.more.Wait() {
		for i, e := range k.events {
			if f(e) {
				k.events = append(k.events[:i:i], k.events[i+1:]...)
				return e
			}
		}
		if k.closed || time.Since(begun) > patience {
			k.t.Fatalf("waited in vain for %s (ended: %v); seen: %s", what, k.closed, must.Get(json.Marshal(k.events))(k.t))
		}
	}
}

// tell gives an order, and waits until it is done.
func (k *kept) tell(o task) {
	k.t.Helper()
	k.order(o)
	k.wait("the end of an order", func(e event) bool { return e.Done })
}

func (k *kept) order(o task) {
	k.t.Helper()
	must.Get(k.conn.Write(append(must.Get(json.Marshal(o))(k.t), '\n')))(k.t)
}

// attached waits until the program knows that a terminal has come.
func (k *kept) attached() Change {
	k.t.Helper()
	return *k.wait("a terminal", func(e event) bool { return e.Change != nil && e.Change.Attached }).Change
}

// attach attaches a terminal.
func (k *kept) attach() *tty {
	k.t.Helper()
	y := newTTY(k.t, 80, 24).attach(forever, k.name)
	k.attached()
	return y
}

// left waits until the program knows that its terminal leaves.
func (k *kept) left() {
	k.t.Helper()
	k.wait("that the terminal leaves", func(e event) bool { return e.Change != nil && !e.Change.Attached })
}

// session returns what is recorded.
func (k *kept) session() Session {
	k.t.Helper()
	return must.Get(Find(k.name))(k.t)
}

// until waits until something is true that nothing tells of.
func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// tty is a terminal of the test, with what was written to it.
type tty struct {
	t            *testing.T
	ours, theirs *os.File
	before       *term.State

	mu    sync.Mutex
	text  []byte
	more  *sync.Cond
	pause sync.Mutex // held while it reads nothing

	done chan struct{} // closed when what is attached has left: the fields below are valid
	how  Outcome
	last string
	code int
	err  error
}

func newTTY(t *testing.T, cols, rows int) *tty {
	t.Helper()
	y := &tty{t: t, done: make(chan struct{})}
	y.more = sync.NewCond(&y.mu)
	var err error
	if y.ours, y.theirs, err = terminal.OpenPTY(); err != nil {
		t.Fatal(err)
	}
	y.resize(cols, rows)
	y.before = must.Get(term.GetState(y.theirs.Fd()))(t)
	go func() {
		b := make([]byte, 1<<16)
		for {
			y.pause.Lock()
			y.pause.Unlock() //lint:ignore SA2001 it only waits
			n, err := y.ours.Read(b)
			y.mu.Lock()
			y.text = append(y.text, b[:n]...)
			y.more.Broadcast()
			y.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { y.ours.Close(); y.theirs.Close() })
	return y
}

func (y *tty) resize(cols, rows int) { must.Do(y.t, terminal.SetSize(y.ours, cols, rows)) }

// attach attaches it in this process.
func (y *tty) attach(ctx context.Context, name string) *tty {
	ctx, hangUp := context.WithCancel(ctx)
	y.t.Cleanup(func() { hangUp(); <-y.done })
	go func() {
		defer close(y.done)
		y.how, y.last, y.code, y.err = Attach(ctx, name, y.theirs, y.theirs)
	}()
	return y
}

// run attaches it in a process of its own.
func (y *tty) run(name string) *exec.Cmd {
	cmd := exec.Command(must.Get(os.Executable())(y.t), "attach", name)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = y.theirs, y.theirs, y.theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must.Do(y.t, cmd.Start())
	return cmd
}

// types types keys.
func (y *tty) types(keys string) { must.Get(y.ours.WriteString(keys))(y.t) }

// sees waits for a text in what was written, and returns all of it.
func (y *tty) sees(text string) string {
	y.t.Helper()
	defer time.AfterFunc(patience, y.more.Broadcast).Stop()
	y.mu.Lock()
	defer y.mu.Unlock()
	for begun := time.Now(); !bytes.Contains(y.text, []byte(text)); y.more.Wait() {
		if time.Since(begun) > patience {
			y.t.Fatalf("waited in vain for %q; written: %q", text, clip(y.text))
		}
	}
	return string(y.text)
}

func clip(b []byte) []byte { return b[max(0, len(b)-2000):] }

// leaves waits until what is attached has left the terminal as it was, for this reason.
func (y *tty) leaves(how Outcome) {
	y.t.Helper()
	select {
	case <-y.done:
	case <-time.After(patience):
		y.t.Fatalf("the terminal is still attached; written: %q", clip(y.text))
	}
	if y.how != how || y.err != nil && how != EndedThere {
		y.t.Errorf("it has left for %d (%v), want %d", y.how, y.err, how)
	}
	if now := must.Get(term.GetState(y.theirs.Fd()))(y.t); fmt.Sprint(now) != fmt.Sprint(y.before) {
		y.t.Error("the terminal is not as it was")
	}
}

// environ is what a terminal says of itself.
func environOf(c Change, name string) string {
	for _, v := range c.Environ {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
