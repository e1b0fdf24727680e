//go:build unix

package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/internal/alive"
	"parley/internal/must"
)

// attended starts an attended command.
func (h harness) attended(script string) string {
	h.t.Helper()
	return h.create(Command{Command: "sh", Args: []string{"-c", script}, Attended: true})
}

// user is an attached front end, read on its own goroutine.
type user struct {
	*Attachment
	t    *testing.T
	over chan struct{}

	mu   sync.Mutex
	seen bytes.Buffer
	err  error
}

func (h harness) attach(id string) *user {
	h.t.Helper()
	a, err := h.Attach("s", id)
	if err != nil {
		h.t.Fatalf("attach to %s: %v", id, err)
	}
	u := &user{Attachment: a, t: h.t, over: make(chan struct{})}
	u.seen.Write(a.EarlierOutput())
	go u.read()
	h.t.Cleanup(func() { a.Close() })
	return u
}

func (u *user) read() {
	defer close(u.over)
	buf := make([]byte, 1024)
	for {
		n, err := u.Read(buf)
		u.mu.Lock()
		u.seen.Write(buf[:n])
		u.err = err
		u.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (u *user) text() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.seen.String()
}

// sees waits until the user's terminal shows a text.
func (u *user) sees(text string) {
	u.t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(u.text(), text); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			u.t.Fatalf("%q is not to be seen: %q", text, u.text())
		}
	}
}

func (u *user) types(keys string) {
	u.t.Helper()
	if _, err := io.WriteString(u, keys); err != nil {
		u.t.Fatalf("type %q: %v", keys, err)
	}
}

// ends waits for the end of the output.
func (u *user) ends() error {
	u.t.Helper()
	select {
	case <-u.over:
	case <-time.After(patience):
		u.t.Fatal("still attached")
	}
	return u.err
}

// A typed password goes to the command only. The agent gets the rest, with line breaks converted.
func TestAttendedPassword(t *testing.T) {
	var told story
	h := open(t, Options{Notify: told.notify})
	id := h.attended(`stty -echo </dev/tty; printf 'Password: ' >/dev/tty; read -r x </dev/tty; stty echo </dev/tty; echo; echo "got ${#x}"; [ "$x" = hush ] && exit 5`)
	u := h.attach(id)
	u.sees("Password: ")
	u.types("hush\r")
	if err := u.ends(); err != io.EOF {
		t.Errorf("it ended with %v", err)
	}
	if got := h.wait(id); got.Code == nil || *got.Code != 5 {
		t.Errorf("exit %+v", got)
	}
	const want = "Password: \ngot 4\n"
	if out := h.output(id); out.Text != want {
		t.Errorf("the agent got %q, want %q", out.Text, want)
	}
	if _, data := told.of(id); data != want {
		t.Errorf("reported %q, want %q", data, want)
	}
	if got := u.text(); strings.Contains(got, "hush") || !strings.HasSuffix(got, "Password: \r\ngot 4\r\n") {
		t.Errorf("the user saw %q", got)
	}
	u.Close()
	if _, err := h.Attach("s", id); !errors.Is(err, ErrExited) {
		t.Errorf("attached to what has ended: %v", err)
	}
	if err := h.TakeOver("s", id); !errors.Is(err, ErrExited) {
		t.Errorf("taken over what has ended: %v", err)
	}
	h.Release("s", id)
	if err := errors.Join(h.TakeOver("s", id)); !errors.Is(err, ErrUnknown) {
		t.Errorf("taken over what was released: %v", err)
	}
}

// The command has its own controlling terminal, with the size that the front end sets.
func TestAttendedTerminal(t *testing.T) {
	h := open(t, Options{})
	id := h.attended(`tty; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo all; stty size; trap 'stty size' WINCH; echo ready; while :; do if read -r x; then echo "line $x"; [ "$x" = bye ] && break; fi; done; echo end`)
	u := h.attach(id)
	u.sees("ready\r\n")
	if got := u.text(); !strings.HasPrefix(got, "/dev/") || !strings.Contains(strings.ReplaceAll(got, "\r", ""), "\nall\n24 80\nready\n") {
		t.Errorf("it says %q", got)
	}
	must.Do(t, u.Resize(131, 43))
	u.sees("43 131\r\n")
	u.types("one\r")
	u.sees("line one\r\n")
	for _, size := range [][2]int{{0, 5}, {5, -1}, {1 << 20, 5}} {
		if err := u.Resize(size[0], size[1]); err != nil {
			t.Errorf("%v: got %v", size, err)
		}
	}
	u.types("bye\r")
	u.sees("end\r\n")
	h.wait(id)
}

// A front end can detach and attach again while the command continues. Only one can be attached.
func TestDetachAndReattach(t *testing.T) {
	h := open(t, Options{})
	gate := filepath.Join(h.dir, "gate")
	id := h.attended(fmt.Sprintf(`echo first; until [ -e %s ]; do sleep 0.01; done; yes word | head -c 300000; echo; echo second; read -r x; echo "got $x"`, gate))
	u := h.attach(id)
	u.sees("first")
	if _, err := h.Attach("s", id); !errors.Is(err, ErrAttached) {
		t.Errorf("attached twice: %v", err)
	}
	u.Close()
	u.Close()
	if err := u.ends(); err != io.ErrClosedPipe {
		t.Errorf("it ended with %v", err)
	}
	if _, err := io.WriteString(u, "lost\r"); err != io.ErrClosedPipe {
		t.Errorf("keys were accepted anyway: got %v", err)
	}
	must.Do(t, os.WriteFile(gate, nil, 0o600))
	h.until(id, "output without anybody attached", func(o Output) bool { return strings.HasSuffix(o.Text, "second\n") })
	back := h.attach(id)
	if n := len(back.EarlierOutput()); n != attachedBefore || !strings.HasSuffix(string(back.EarlierOutput()), "word\n\nsecond\n") {
		t.Errorf("%d bytes from before, the last %q", n, back.EarlierOutput()[max(0, n-20):])
	}
	back.types("it\r")
	if err := back.ends(); err != io.EOF {
		t.Errorf("it ended with %v", err)
	}
	if got := back.text(); strings.Contains(got, "lost") || !strings.HasSuffix(got, "got it\r\n") {
		t.Errorf("the user saw %q", got[max(0, len(got)-40):])
	}
}

// A front end that does not read blocks a command until it detaches. The command can still be killed.
func TestFrontEndDoesNotRead(t *testing.T) {
	h := open(t, Options{MaxOutput: 1000})
	id := h.attended(`head -c 3000000 /dev/zero | tr '\0' x; echo end`)
	a := must.Get(h.Attach("s", id))(t)
	p, _ := h.find("s", id)
	h.until(id, "output", func(o Output) bool { return o.Truncated })
	p.mu.Lock()
	if most := uint64(readBuffer * (attachedChunks + 4)); p.out.total > most {
		t.Errorf("%d bytes were read, more than %d wait in memory", p.out.total, most)
	}
	p.mu.Unlock()
	a.Close()
	h.wait(id)
	if out := h.output(id); len(out.Text) > 1000 || !strings.HasSuffix(out.Text, "xx\nend\n") && !strings.HasSuffix(out.Text, "xend\n") {
		t.Errorf("%d bytes, the last %q", len(out.Text), out.Text[max(0, len(out.Text)-10):])
	}

	id = h.attended(`tr '\0' y </dev/zero`) // in large pieces, however quickly it is read
	a = must.Get(h.Attach("s", id))(t)
	h.until(id, "output", func(o Output) bool { return o.Truncated })
	must.Do(t, h.Kill("s", id))
	h.wait(id)
	a.Close()
}

// Keys that a command does not read are bounded, and Write does not block.
func TestUnreadKeys(t *testing.T) {
	h := open(t, Options{})
	id := h.attended(`stty raw -echo; echo ready; exec sleep 1000`)
	u := h.attach(id)
	u.sees("ready")
	var err error
	for n := 0; err == nil && n < 10_000; n++ {
		_, err = u.Write(bytes.Repeat([]byte("k"), 1000))
	}
	if !errors.Is(err, ErrInputFull) {
		t.Errorf("got %v", err)
	}
	u.Close()
	h.attach(id)
	if err := h.Release("s", id); err != nil {
		t.Error(err)
	}
}

// Killing an attended command ends its process group and the attachment.
func TestKillOfAttended(t *testing.T) {
	h := open(t, Options{})
	for _, end := range []func(id string) error{func(id string) error { return h.Kill("s", id) }, func(id string) error { return h.Release("s", id) }} {
		id := h.attended("trap '' HUP; sh -c 'trap \"\" HUP; echo $$; exec sleep 1000' & echo $$; wait")
		u := h.attach(id)
		pids := h.pids(id, 2)
		must.Do(t, end(id))
		h.wantDead("ended", pids...)
		if err := u.ends(); err != io.EOF {
			t.Errorf("it ended with %v", err)
		}
		u.Close()
	}
}

// A command that is taken over restarts under the same id; waiters get the second exit.
func TestTakeOver(t *testing.T) {
	var told story
	h := open(t, Options{Notify: told.notify, Environ: append(os.Environ(), "ASKS=no"), Attended: append(os.Environ(), "ASKS=yes")})
	id := h.create(Command{Command: "sh", Args: []string{"-c", `echo "run $$ asks $ASKS $MINE"; sleep 1000 & echo "child $!"; if [ -t 0 ]; then read -r x; echo "got $x"; exit 7; fi; printf 'Password: '; wait`},
		Env: []EnvVar{{Name: "MINE", Value: "set"}}})
	if h.Attended("s", id) {
		t.Error("attended from the start")
	}
	if _, err := h.Attach("s", id); !errors.Is(err, ErrNotAttended) {
		t.Errorf("attached: %v", err)
	}
	first := h.until(id, "question", func(o Output) bool { return strings.HasSuffix(o.Text, "Password: ") }).Text
	var leader, child int
	if _, err := fmt.Sscanf(first, "run %d asks no set\nchild %d\n", &leader, &child); err != nil {
		t.Fatalf("%q: got %v", first, err)
	}
	status := make(chan ExitStatus)
	go func() { status <- h.wait(id) }()
	must.Do(t, h.TakeOver("s", id))
	h.wantDead("taken over", leader, child)
	if !h.Attended("s", id) {
		t.Error("not attended")
	}
	if err := h.TakeOver("s", id); err != nil {
		t.Errorf("once more: %v", err)
	}
	u := h.attach(id)
	u.sees("child")
	u.types("it\r")
	u.ends()
	if got := <-status; got.Code == nil || *got.Code != 7 {
		t.Errorf("exit %+v", got)
	}
	out := h.output(id).Text
	rest, ok := strings.CutPrefix(out, first+"\n"+again+"run ")
	if !ok || !strings.HasSuffix(rest, "\nit\ngot it\n") || !strings.Contains(rest, "asks yes set\n") {
		t.Errorf("the agent got %q", out)
	}
	if strings.Contains(u.text(), "asks no") {
		t.Errorf("the user saw what was before: %q", u.text())
	}
	if p, _ := h.find("s", id); p.home.running != 0 {
		t.Errorf("%d are said to run", p.home.running)
	}
	h.Close() // all changes have been notified
	changes, data := told.of(id)
	if data != out {
		t.Errorf("reported %q, want %q", data, out)
	}
	if n := len(changes); n != 4 || !strings.HasPrefix(changes[0], "started ") || changes[1] != "data" || changes[2] != "exit 7" || changes[3] != "released" {
		t.Errorf("reported %q", changes)
	}
}

// A command that is killed while it is taken over does not restart.
func TestEndedWhileTakenOver(t *testing.T) {
	for _, end := range []string{"kill", "release"} {
		h := open(t, Options{Grace: 300 * time.Millisecond})
		count := filepath.Join(h.dir, "count")
		id := h.sh("trap '' TERM; echo x >>" + count + "; echo ready; while :; do sleep 0.01; done")
		h.until(id, "ready", func(o Output) bool { return o.Text == "ready\n" })
		taken := make(chan error)
		go func() { taken <- h.TakeOver("s", id) }()
		p, _ := h.find("s", id)
		for begun := false; !begun; time.Sleep(time.Millisecond) {
			p.mu.Lock()
			begun = p.restarted != nil
			p.mu.Unlock()
		}
		if err := h.TakeOver("s", id); !errors.Is(err, ErrAttached) {
			t.Errorf("taken over twice at once: %v", err)
		}
		if end == "kill" {
			h.Kill("s", id)
			if got := h.wait(id); got.Signal != "SIGKILL" {
				t.Errorf("exit %+v", got)
			}
		} else {
			h.Release("s", id)
		}
		if err := <-taken; !errors.Is(err, ErrExited) {
			t.Errorf("%s: taken over: %v", end, err)
		}
		if text, _ := os.ReadFile(count); string(text) != "x\n" {
			t.Errorf("%s: it was started %d times", end, len(text)/2)
		}
	}
}

// A command that cannot be restarted keeps running.
func TestTakeOverFails(t *testing.T) {
	h := open(t, Options{})
	dir := filepath.Join(h.dir, "sub")
	must.Do(t, os.Mkdir(dir, 0o700))
	id := h.create(Command{Command: "sleep", Args: []string{"1000"}, Dir: dir})
	p, _ := h.find("s", id)
	must.Do(t, os.Remove(dir))
	if err := h.TakeOver("s", id); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if !alive.PID(p.cur.group.Pid()) || h.output(id).Exit != nil {
		t.Error("it has ended")
	}
	h.Kill("s", id)
	if got := h.wait(id); got.Signal != syscall.SIGTERM.String() && got.Signal != "SIGTERM" {
		t.Errorf("exit %+v", got)
	}
}

func TestUnbreak(t *testing.T) {
	const text = "a\r\nb\r\r\nc\rd\n\r\n\r"
	const want = "a\nb\r\nc\rd\n\n\r"
	for size := 1; size <= len(text); size++ {
		var u unbreak
		var got []byte
		for at := 0; at < len(text); at += size {
			got = append(got, u.add([]byte(text[at:min(len(text), at+size)]))...)
		}
		if got = append(got, u.rest()...); string(got) != want {
			t.Errorf("in pieces of %d: got %q, want %q", size, got, want)
		}
	}
}
