//go:build unix

package keeper

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/filelock"
	"parley/internal/localsock"
	"parley/internal/must"
)

// send sends a signal.
func send(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	must.Do(t, syscall.Kill(pid, s))
}

// gone waits until a kept session is listed no longer, or has ended.
func (k *kept) gone() (left Session, listed bool) {
	k.t.Helper()
	until(k.t, "its end", func() bool {
		var err error
		left, err = Find(k.name)
		listed = err == nil
		return !listed || !left.Live
	})
	return left, listed
}

// A terminal that is killed, or hangs up, leaves the program running; the next one attaches.
func TestTerminalDies(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "")
	for _, die := range []func(y *tty, cmd *exec.Cmd){
		func(_ *tty, cmd *exec.Cmd) { send(t, cmd.Process.Pid, syscall.SIGKILL) },
		func(_ *tty, cmd *exec.Cmd) { send(t, cmd.Process.Pid, syscall.SIGTERM) },
		func(y *tty, _ *exec.Cmd) { y.theirs.Close(); y.ours.Close() },
	} {
		y := newTTY(t, 80, 24)
		cmd := y.run(k.name)
		k.attached()
		die(y, cmd)
		_ = cmd.Wait()
		k.left()
		until(t, "its record", func() bool { return !k.session().Attached })
	}
	y := k.attach()
	k.tell(task{Write: "alive"})
	y.sees("alive")
}

// The context ends, as with a signal: the terminal is left as it was, whatever the program has done to it.
func TestHangup(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "")
	ctx, hangUp := context.WithCancel(forever)
	y := newTTY(t, 80, 24).attach(ctx, k.name)
	k.attached()
	k.tell(task{Write: "\x1b[?1049h\x1b[?25lhello"})
	y.sees("hello")
	hangUp()
	y.leaves(Hangup)
	y.sees("\x1b[?25h\x1b[?1049l")
	k.left()
}

// A terminal that reads nothing stops nobody for long: another one attaches, and the program continues.
func TestReadsNothing(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "restore=200ms")
	y := newTTY(t, 80, 24)
	y.pause.Lock()
	cmd := y.run(k.name)
	defer func() { y.pause.Unlock(); _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	k.attached()
	k.order(task{Write: strings.Repeat("x", 1<<20)}) // more than all buffers on the way have
	begun := time.Now()
	other := k.attach()
	k.wait("the end of an order", func(e event) bool { return e.Done })
	k.tell(task{Write: "alive"})
	other.sees("alive")
	if d := time.Since(begun); d > 5*time.Second {
		t.Errorf("it took %v", d)
	}
}

// So does one that attaches to nothing but an open connection: nothing but a slow program stalls the program.
func TestStalls(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "restore=100ms stall=100ms")
	y := newTTY(t, 80, 24)
	y.pause.Lock()
	cmd := y.run(k.name)
	defer func() { y.pause.Unlock(); _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	k.attached()
	k.tell(task{Write: strings.Repeat("x", 1<<20)}) // with nobody else there
	until(t, "it to be let go", func() bool { return !k.session().Attached })
}

// A program that hangs keeps no terminal: one leaves within bounds and is restored; another attaches.
func TestHangs(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "restore=200ms end=200ms")
	y := k.attach()
	k.tell(task{Write: "\x1b[?1049h\x1b[?1000hhello"})
	y.sees("hello")
	send(t, k.first.PID, syscall.SIGSTOP)
	other := newTTY(t, 80, 24).attach(forever, k.name)
	y.leaves(Taken)
	y.sees("\x1b[?1000l\x1b[?1049l")
	other.sees("\x1b[?1049h\x1b[?1000h") // the program still thinks that it has them
	other.types(strings.Repeat("y", 100_000))
	must.Do(t, Stop(forever, k.name))
	other.leaves(EndedThere)
	if other.code != 128+9 {
		t.Errorf("code %d", other.code)
	}
}

// A program that ignores SIGTERM is ended anyway.
func TestIgnoresTerm(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "end=100ms")
	k.tell(task{Deaf: true, Report: &Status{State: Running, Resume: []string{"x"}}})
	must.Do(t, Stop(forever, k.name))
	if all := must.Get(List())(t); len(all) > 0 {
		t.Errorf("what the user has stopped is listed: %+v", all)
	}
	if err := Stop(forever, k.name); err == nil || !strings.Contains(err.Error(), "nothing is kept as") {
		t.Errorf("got %v", err)
	}
}

// Stopped before any terminal has come, it never starts.
func TestStopsBeforeStart(t *testing.T) {
	home(t)
	for _, stop := range []func(k *kept) error{
		func(k *kept) error { return Stop(forever, k.name) },
		func(k *kept) error { return syscall.Kill(k.session().PID, syscall.SIGTERM) },
	} {
		k := start(t, t.TempDir(), Options{}, "start=1h")
		must.Do(t, stop(k))
		if left, listed := k.gone(); listed {
			t.Errorf("left: %+v", left)
		}
	}
}

// Without a first terminal it starts alone, after a time.
func TestStartsAlone(t *testing.T) {
	home(t)
	k := start(t, t.TempDir(), Options{}, "start=1ms")
	k.begun()
	if s := k.first.Size; s[0] != 80 || s[1] != 24 {
		t.Errorf("its size is %v", s)
	}
}

// The keeper is killed: the terminal is restored, the program ends, and its record stays with what resumes it.
func TestKeeperKilled(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "")
	y := k.attach()
	k.tell(task{Write: "\x1b[?2004h\x1b[?25hhello", Report: &Status{State: Running, Resume: []string{"demo", "--resume", "it's"}}})
	y.sees("hello")
	until(t, "its record", func() bool { return k.session().State == Running })
	send(t, k.session().PID, syscall.SIGKILL)
	y.leaves(Lost)
	y.sees("\x1b[?2004l")
	k.wait("SIGHUP", func(e event) bool { return e.Signal == "hangup" })
	left, listed := k.gone()
	if !listed || left.Attached || left.Why == "" || left.Ended.IsZero() || left.ResumeCommand() != `parley demo --resume 'it'\''s'` {
		t.Errorf("left: %v %+v, %s", listed, left, left.ResumeCommand())
	}
	y = newTTY(t, 80, 24).attach(forever, k.name)
	<-y.done
	var ended *EndedError
	if !errors.As(y.err, &ended) || !strings.Contains(y.err.Error(), "resume it: parley demo --resume") {
		t.Errorf("got %v", y.err)
	}
	again := keep(t, k.first.Dir, Options{}, "") // the name is taken by what is listed
	if again.name == k.name {
		t.Error("the record of another session is replaced")
	}
	must.Do(t, Forget(k.name))
	if _, err := Find(k.name); err == nil {
		t.Error("it is still listed")
	}
	if _, err := os.Stat(left.Socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its socket is still there: %v", err)
	}
	if err := Forget(again.name); err == nil || !strings.Contains(err.Error(), "is running") {
		t.Errorf("got %v", err)
	}
}

// The program is killed while a terminal is attached, which shows nothing that resumes it: it is listed.
func TestKilledWhileAttached(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "")
	y := k.attach()
	k.tell(task{Write: "working", Report: &Status{State: Running, Resume: []string{"demo", "--resume", "s1"}}})
	y.sees("working")
	until(t, "its record", func() bool { return k.session().State == Running })
	send(t, k.first.PID, syscall.SIGKILL)
	y.leaves(EndedThere)
	if left, listed := k.gone(); !listed || left.ResumeCommand() != "parley demo --resume s1" || !strings.Contains(left.Why, "killed") {
		t.Errorf("left: %v %+v", listed, left)
	}
}

// SIGTERM to the keeper, as before the machine stops, ends the program politely. What nobody has seen is listed.
func TestKeeperTerminated(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "")
	k.tell(task{Report: &Status{State: Idle, Resume: []string{"demo", "--resume", "s1"}}})
	send(t, k.session().PID, syscall.SIGTERM)
	k.wait("SIGTERM", func(e event) bool { return e.Signal == "terminated" })
	if left, listed := k.gone(); !listed || left.Why != "ended by a signal (terminated)" || left.ResumeCommand() != "parley demo --resume s1" {
		t.Errorf("left: %v %+v", listed, left)
	}
}

// The other signals of a terminal do not concern the keeper.
func TestKeeperSignals(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "")
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE} {
		send(t, k.session().PID, s)
	}
	y := k.attach()
	k.tell(task{Write: "alive"})
	y.sees("alive")
}

// What the program writes last arrives, however much it is and however slow the terminal.
func TestLastOutput(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "restore=50ms")
	y := newTTY(t, 80, 24)
	y.pause.Lock()
	y.attach(forever, k.name)
	k.attached()
	text := strings.Repeat("0123456789", 60_000) + "the end"
	k.order(task{Write: text, Exit: ptr(3)})
	time.AfterFunc(300*time.Millisecond, y.pause.Unlock) // slower than all that is not for slow terminals
	y.leaves(EndedThere)
	if got := y.sees("the end"); got != text || y.code != 3 {
		t.Errorf("%d bytes of %d, code %d", len(got), len(text), y.code)
	}
}

// A program whose child keeps the terminal open ends anyway.
func TestTerminalStaysOpen(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "restore=50ms stall=100ms")
	y := k.attach()
	k.order(task{Leave: true, Exit: ptr(0)})
	y.leaves(EndedThere)
}

// --keep-for ends what is idle. What runs, waits or is attached is not.
func TestKeepFor(t *testing.T) {
	home(t)
	const idle = 200 * time.Millisecond
	k := keep(t, t.TempDir(), Options{Idle: idle}, "")
	y := k.attach()
	for _, s := range []State{Idle, Running, Waiting} {
		k.tell(task{Report: &Status{State: s, Since: time.Now(), Resume: []string{"demo"}}})
		if s != Idle {
			k.tell(task{Detach: true})
			y.leaves(Detached)
		}
		elapse(t, 2*idle)
		if s := k.session(); !s.Live {
			t.Fatalf("it ended: %+v", s)
		}
		y = k.attach()
	}
	k.tell(task{Detach: true})
	y.leaves(Detached)
	begun := time.Now()
	k.tell(task{Report: &Status{State: Idle, Since: begun, Resume: []string{"demo"}}})
	left, listed := k.gone()
	if !listed || left.Why != "idle for 200ms" || time.Since(begun) < idle {
		t.Errorf("left after %v: %v %+v", time.Since(begun), listed, left)
	}
}

// elapse lets time pass in which nothing may happen.
func elapse(t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-time.After(d):
	case <-t.Context().Done():
	}
}

// A hostile peer, or one of another version, gets nothing, and nobody is the worse for it.
func TestHostile(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "")
	y := k.attach()
	greeting := func(h hello) []byte {
		var b bytes.Buffer
		must.Do(t, writeJSON(&b, helloFrame, h))
		return b.Bytes()
	}
	frame := func(kind byte, content []byte) []byte {
		var b bytes.Buffer
		must.Do(t, writeFrame(&b, kind, content))
		return b.Bytes()
	}
	for name, c := range map[string]struct {
		send []byte
		want string
	}{
		"nothing":         {nil, ""},
		"half a header":   {[]byte("H\x00\x00"), ""},
		"too long":        {[]byte("H\xff\xff\xff\xff"), ""},
		"longest":         {append([]byte("H\x00\x01\x00\x01"), make([]byte, maxFrame+1)...), ""},
		"keys first":      {frame(inputFrame, []byte("rm -rf\r")), ""},
		"a size first":    {frame(sizeFrame, sizeContent(1, 1)), ""},
		"not JSON":        {frame(helloFrame, []byte("hello")), ""},
		"unknown":         {frame('?', nil), ""},
		"another version": {greeting(hello{Version: version + 1, Cols: 1, Rows: 1}), "parley stop " + k.name},
		"older":           {greeting(hello{Version: 0}), "another version"},
	} {
		conn := must.Get(net.Dial("unix", k.session().Socket))(t)
		_, _ = conn.Write(c.send) // it may be closed already
		_ = conn.(*net.UnixConn).CloseWrite()
		var got bytes.Buffer
		_, _ = got.ReadFrom(conn)
		conn.Close()
		if !strings.Contains(got.String(), c.want) || c.want == "" && got.Len() > 0 {
			t.Errorf("%s: got %q", name, got.String())
		}
	}
	k.tell(task{Write: "alive"})
	y.sees("alive")

	// One that is attached and then sends nonsense leaves.
	for _, size := range [][2]int{{0, 0}, {-1, -1}, {1, 1}, {1 << 30, 1 << 30}} {
		conn := must.Get(net.Dial("unix", k.session().Socket))(t)
		must.Get(conn.Write(greeting(hello{Version: version, Cols: size[0], Rows: size[1]})))(t)
		k.attached()
		if want := map[int]string{1: "[1 1]", 1 << 30: "[2000 2000]"}[size[0]]; want != "" { // others change nothing
			if got := k.wait("its size", func(e event) bool { return e.Size != nil }).Size; fmt.Sprint(got) != want {
				t.Errorf("its size is %v, want %s", got, want)
			}
		}
		must.Get(conn.Write(frame(sizeFrame, []byte("x"))))(t)
		must.Get(conn.Write(frame(sizeFrame, sizeContent(0, 0))))(t)
		must.Get(conn.Write(frame('?', make([]byte, maxFrame))))(t)
		must.Get(conn.Write([]byte("I\xff\xff\xff\xff")))(t)
		k.left()
		conn.Close()
	}
}

// Reports of any length fit into the record.
func TestLongReports(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "")
	k.tell(task{Report: &Status{State: Waiting, Title: strings.Repeat("é", 2<<20), Waits: strings.Repeat("\x01", 1<<20)}})
	until(t, "its record", func() bool { return k.session().State == Waiting })
	if s := k.session(); len(s.Title) > 1100 || !strings.HasSuffix(s.Title, "é…") || !json.Valid([]byte(`"`+s.Title+`"`)) {
		t.Errorf("%d bytes: %q", len(s.Title), s.Title)
	}
}

// The record of a keeper that was killed may have the number of another process by now, and somebody who can read its file
// may have locked it: that process gets no signal.
func TestAnotherProcessGetsNoSignal(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells what a process is")
	}
	dir := home(t)
	must.Do(t, os.MkdirAll(dir, 0o700))
	other := exec.Command("sleep", "60")
	must.Do(t, other.Start())
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	host := must.Get(os.Hostname())(t)
	s := Session{Name: "old", PID: other.Process.Pid, Host: host, Socket: must.Get(localsock.Path("none", "sock"))(t)}
	must.Do(t, os.WriteFile(filepath.Join(dir, "old"+recordEnd), must.Get(json.Marshal(s))(t), 0o600))
	must.Do(t, os.WriteFile(filepath.Join(dir, "old"+lockEnd), nil, 0o600))
	lock := must.Get(os.Open(filepath.Join(dir, "old"+lockEnd)))(t)
	defer lock.Close()
	if !filelock.Lock(lock) {
		t.Fatal("not locked")
	}
	if err := Stop(t.Context(), "old"); err == nil {
		t.Error("stopped")
	}
	must.Do(t, other.Process.Signal(syscall.SIGCONT))
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", other.Process.Pid))
	if err != nil || !strings.Contains(string(state), " S ") {
		t.Errorf("it has ended: %s, %v", state, err)
	}
}
