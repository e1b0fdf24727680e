//go:build unix

package terminal

import (
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// retained returns how much memory the outputs of the service's terminals use, in bytes.
func (h harness) retained() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, home := range h.sessions {
		for _, p := range home.terminals {
			p.mu.Lock()
			n += cap(p.out.buf)
			p.mu.Unlock()
		}
	}
	return n
}

// Cases 123, 124 and 129: an agent that asks for a gigabyte gets the service's limit.
func TestHugeLimitIsClamped(t *testing.T) {
	h := open(t, Options{})
	gigabyte := uint64(1 << 30)
	id := h.create(Command{Command: "sh", Args: []string{"-c", "head -c 50000000 /dev/zero | tr '\\0' x; printf end"}, OutputLimit: &gigabyte})
	h.wait(id)
	out := h.output(id)
	if len(out.Text) != defaultMaxOutput || !strings.HasSuffix(out.Text, "xend") || !out.Truncated {
		t.Errorf("%d bytes, truncated %v", len(out.Text), out.Truncated)
	}
	if n := h.retained(); n > defaultMaxOutput {
		t.Errorf("%d bytes are retained, want at most %d", n, defaultMaxOutput)
	}
}

// The memory of a session is bounded however many terminals an agent floods and never releases.
func TestFloodsOfASessionAreBounded(t *testing.T) {
	const limit, each = 100_000, 300_000
	h := open(t, Options{MaxOutput: limit})
	for range keepExited + 10 {
		h.wait(h.sh("head -c 300000 /dev/zero"))
	}
	const bound = keepExited*limit + 10*keepOldOutput
	if n := h.retained(); n > bound || n < keepExited*limit-each {
		t.Errorf("%d bytes are retained of %d, want at most %d", n, (keepExited+10)*each, bound)
	}
}

// Unreleased terminals count whether or not their command runs; Room predicts what Create returns.
func TestKeptTerminalsAreBounded(t *testing.T) {
	h := open(t, Options{MaxKept: 2})
	c := Command{Command: "true", Dir: h.dir}
	first := h.sh("exit 0")
	h.wait(first)
	if err := h.CheckLimits("s"); err != nil {
		t.Fatalf("one is kept: %v", err)
	}
	h.sh("exec sleep 1000")
	_, err := h.Create("s", c)
	if !errors.Is(err, ErrTooManyKept) || !strings.Contains(err.Error(), "2 are the most of a session; release some") {
		t.Errorf("a third one: %v", err)
	}
	if room := h.CheckLimits("s"); room == nil || room.Error() != err.Error() {
		t.Errorf("CheckLimits returns %v", room)
	}
	if err := errors.Join(h.CheckLimits("other"), h.Release("s", first), h.CheckLimits("s")); err != nil {
		t.Errorf("after a release: %v", err)
	}
	if _, err := h.Create("s", c); err != nil {
		t.Errorf("after a release: %v", err)
	}
}

func TestDefaultLimits(t *testing.T) {
	h := open(t, Options{})
	for range defaultMaxPerSession {
		h.create(Command{Command: "sleep", Args: []string{"1000"}})
	}
	_, err := h.Create("s", Command{Command: "true", Dir: h.dir})
	if !errors.Is(err, ErrTooMany) || !strings.Contains(err.Error(), "32 at a time are the most of a session") {
		t.Errorf("got %v", err)
	}
}

// Case 130, for a process that left its group and session and whose parents ended before a survey.
func TestDaemonsDie(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what leaves its session is found on Linux only")
	}
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	for name, end := range map[string]func(h harness, id string){
		"kill":          func(h harness, id string) { h.Kill("s", id) },
		"release":       func(h harness, id string) { h.Release("s", id) },
		"close session": func(h harness, id string) { h.CloseSession("s") },
		"close":         func(h harness, id string) { h.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, Options{Grace: 20 * time.Millisecond})
			id := h.sh("(setsid sh -c 'trap \"\" TERM; sleep 1000 >/dev/null 2>&1 & echo $!; echo $$; exec >/dev/null 2>&1; wait; sleep 1000' &); exit 0")
			pids := h.pids(id, 2)
			h.wait(id)
			end(h, id)
			h.wantDead(name, pids...)
		})
	}
}

// A command is confined before it starts, or does not start.
func TestConfine(t *testing.T) {
	h := open(t, Options{Confine: func(session string, cmd *exec.Cmd) error {
		if cmd.Args[0] == "false" {
			return errors.New("not that one")
		}
		cmd.Args = append(cmd.Args, "confined", session)
		return nil
	}})
	id := h.create(Command{Command: "echo", Args: []string{"a"}})
	h.wait(id)
	if out := h.output(id); out.Text != "a confined s\n" {
		t.Errorf("got %q", out.Text)
	}
	if id, err := h.Create("s", Command{Command: "false", Dir: h.dir}); id != "" || err == nil || !strings.Contains(err.Error(), "not that one") {
		t.Errorf("%q, %v", id, err)
	}
}
