//go:build unix

package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/alive"
	"parley/internal/must"
)

const patience = 20 * time.Second

type harness struct {
	*Service
	t   *testing.T
	dir string
}

func open(t *testing.T, o Options) harness {
	t.Helper()
	dir := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	s := New(o)
	t.Cleanup(s.Close)
	return harness{s, t, dir}
}

func (h harness) create(c Command) string {
	h.t.Helper()
	if c.Dir == "" {
		c.Dir = h.dir
	}
	id, err := h.Create("s", c)
	if err != nil {
		h.t.Fatalf("create %s: %v", Line(c), err)
	}
	return id
}

// sh creates a terminal that runs a script.
func (h harness) sh(script string) string {
	h.t.Helper()
	return h.create(Command{Command: "sh", Args: []string{"-c", script}})
}

func (h harness) wait(id string) ExitStatus {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	status, err := h.WaitForExit(ctx, "s", id)
	if err != nil {
		h.t.Fatalf("wait for %s: %v", id, err)
	}
	return status
}

func (h harness) output(id string) Output {
	h.t.Helper()
	out, err := h.Output("s", id)
	if err != nil {
		h.t.Fatalf("output of %s: %v", id, err)
	}
	return out
}

// until polls the output until it satisfies ok.
func (h harness) until(id string, what string, ok func(Output) bool) Output {
	h.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		out := h.output(id)
		if ok(out) {
			return out
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("no %s; output %q", what, out.Text)
		}
		time.Sleep(time.Millisecond)
	}
}

func (h harness) pids(id string, n int) []int {
	h.t.Helper()
	out := h.until(id, fmt.Sprintf("%d pids", n), func(o Output) bool { return strings.Count(o.Text, "\n") == n })
	var pids []int
	for word := range strings.FieldsSeq(out.Text) {
		pid, err := strconv.Atoi(word)
		if err != nil || !alive.PID(pid) {
			h.t.Fatalf("process %q does not run: %v", word, err)
		}
		pids = append(pids, pid)
	}
	return pids
}

func (h harness) wantDead(when string, pids ...int) {
	h.t.Helper()
	for _, pid := range pids {
		dead := time.Now().Add(patience) // one that was killed ends when it is next scheduled
		for alive.PID(pid) && time.Now().Before(dead) {
			time.Sleep(time.Millisecond)
		}
		if alive.PID(pid) {
			h.t.Errorf("%s: process %d still runs", when, pid)
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func sameExit(a, b ExitStatus) bool {
	return a.Signal == b.Signal && (a.Code == nil) == (b.Code == nil) && (a.Code == nil || *a.Code == *b.Code)
}

// Case 122.
func TestCreateOutputWait(t *testing.T) {
	h := open(t, Options{})
	id := h.sh("echo out; while [ ! -e go ]; do sleep 0.01; done; echo err >&2; exit 3")
	out := h.until(id, "first line", func(o Output) bool { return o.Text != "" })
	if out.Text != "out\n" || out.Exit != nil || out.Truncated {
		t.Fatalf("while it runs: %+v", out)
	}
	must.Do(t, os.WriteFile(filepath.Join(h.dir, "go"), nil, 0o600))
	for range 2 { // pending, then at once
		if status := h.wait(id); !sameExit(status, ExitStatus{Code: new(3)}) {
			t.Fatalf("got %+v", status)
		}
	}
	out = h.output(id)
	if !strings.HasSuffix(out.Text, "err\n") || out.Exit == nil || !sameExit(*out.Exit, ExitStatus{Code: new(3)}) {
		t.Fatalf("at the end: %+v", out)
	}
}

func TestSignalDeath(t *testing.T) {
	h := open(t, Options{})
	for _, name := range []string{"SIGKILL", "SIGTERM", "SIGSEGV"} {
		status := h.wait(h.sh("kill -" + strings.TrimPrefix(name, "SIG") + " $$"))
		if !sameExit(status, ExitStatus{Signal: name}) {
			t.Errorf("%s: code %v, signal %q", name, status.Code, status.Signal)
		}
	}
}

func TestStreamsInOrderAndNoInput(t *testing.T) {
	h := open(t, Options{})
	id := h.sh("echo 1; echo 2 >&2; echo 3; cat; echo 4 >&2")
	h.wait(id)
	if out := h.output(id); out.Text != "1\n2\n3\n4\n" {
		t.Fatalf("got %q", out.Text)
	}
}

// Cases 123 and 124.
func TestOutputLimit(t *testing.T) {
	h := open(t, Options{MaxOutput: 100})
	limit := func(n uint64) *uint64 { return &n }
	for _, tc := range []struct {
		limit     *uint64
		script    string
		want      string
		truncated bool
	}{
		{limit(10), "printf ααααααααα", "ααααα", true},
		{limit(9), "printf ααααααααα", "αααα", true},
		{limit(0), "printf x", "", true},
		{limit(1 << 63), "printf x", "x", false},
		{nil, "printf %0200d 7", strings.Repeat("0", 99) + "7", true},
	} {
		id := h.create(Command{Command: "sh", Args: []string{"-c", tc.script}, OutputLimit: tc.limit})
		h.wait(id)
		if out := h.output(id); out.Text != tc.want || out.Truncated != tc.truncated {
			t.Errorf("%s: %q, truncated %v", tc.script, out.Text, out.Truncated)
		}
	}
}

// Case 125.
func TestKillAndRelease(t *testing.T) {
	h := open(t, Options{})
	id := h.sh("echo begun; exec sleep 1000")
	h.until(id, "start", func(o Output) bool { return o.Text == "begun\n" })
	must.Do(t, errors.Join(h.Kill("s", id), h.Kill("s", id)))
	out := h.output(id)
	if out.Text != "begun\n" || out.Exit == nil || out.Exit.Signal != "SIGTERM" || out.Exit.Code != nil {
		t.Fatalf("after kill: %+v", out)
	}
	h.wait(id)

	running := h.sh("exec sleep 1000")
	pending := make(chan error, 3)
	for range cap(pending) {
		go func() { _, err := h.WaitForExit(context.Background(), "s", running); pending <- err }()
	}
	for _, id := range []string{id, running} {
		must.Do(t, h.Release("s", id))
		_, errOut := h.Output("s", id)
		_, errWait := h.WaitForExit(context.Background(), "s", id)
		for _, err := range []error{errOut, errWait, h.Kill("s", id), h.Release("s", id)} {
			if !errors.Is(err, ErrUnknown) {
				t.Errorf("after release: %v", err)
			}
		}
	}
	for range cap(pending) {
		select {
		case err := <-pending: // ErrUnknown when the release came first
			if !errors.Is(err, ErrReleased) && !errors.Is(err, ErrUnknown) {
				t.Errorf("pending wait: %v", err)
			}
		case <-time.After(patience):
			t.Fatal("a wait is left pending")
		}
	}
}

func TestPendingWaitEndsWithRelease(t *testing.T) {
	h := open(t, Options{})
	p := must.Get(h.find("s", h.sh("exec sleep 1000")))(t)
	must.Do(t, h.Release("s", p.id.ID))
	if _, err := p.wait(context.Background()); !errors.Is(err, ErrReleased) { // like a caller that found it before the release
		t.Fatalf("got %v", err)
	}
}

func TestKillIsPoliteFirst(t *testing.T) {
	for grace, want := range map[time.Duration]ExitStatus{
		10 * time.Second: {Code: new(7)},
		-1:               {Signal: "SIGKILL"},
	} {
		h := open(t, Options{Grace: grace})
		id := h.sh("trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done")
		h.until(id, "start", func(o Output) bool { return o.Text != "" })
		h.Kill("s", id)
		if status := h.wait(id); !sameExit(status, want) {
			t.Errorf("grace %v: %+v", grace, status)
		}
	}
}

// Case 48, the service's part: cancelling a wait leaves the command running.
func TestWaitCancelled(t *testing.T) {
	h := open(t, Options{})
	id := h.sh("exec sleep 1000")
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("withdrawn")
	cancel(why)
	if _, err := h.WaitForExit(ctx, "s", id); !errors.Is(err, why) {
		t.Fatalf("got %v", err)
	}
	if out := h.output(id); out.Exit != nil {
		t.Fatalf("it ended: %+v", out.Exit)
	}
}

// Case 129.
func TestHugeOutputIsBounded(t *testing.T) {
	const limit = 1 << 20
	var seen, peak uint64
	h := open(t, Options{MaxOutput: limit, Notify: func(c Change) {
		before := seen
		if seen += uint64(len(c.Data)); before>>23 != seen>>23 { // every 8 MiB
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	}})
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	id := h.sh("head -c 100000000 /dev/zero | tr '\\0' x; printf end")
	h.wait(id)
	out := h.output(id)
	h.Close() // nothing is notified after it
	if len(out.Text) != limit || !strings.HasSuffix(out.Text, "xend") || !out.Truncated {
		t.Errorf("%d bytes kept, truncated %v", len(out.Text), out.Truncated)
	}
	if seen != 100_000_003 {
		t.Errorf("%d bytes notified", seen)
	}
	if peak > m.HeapAlloc+8*limit {
		t.Errorf("heap grew from %d to %d bytes", m.HeapAlloc, peak)
	}
}

// Case 130.
func TestGrandchildrenDie(t *testing.T) {
	const tree = "sh -c 'trap \"\" TERM; sleep 1000 & echo $!; echo $$; wait; sleep 1000' & echo $!; wait"
	for name, end := range map[string]func(h harness, id string){
		"kill":          func(h harness, id string) { h.Kill("s", id) },
		"release":       func(h harness, id string) { h.Release("s", id) },
		"close session": func(h harness, id string) { h.CloseSession("s") },
		"close":         func(h harness, id string) { h.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, Options{Grace: 20 * time.Millisecond})
			id := h.sh(tree)
			pids := h.pids(id, 3)
			end(h, id)
			h.wantDead(name, pids...)
		})
	}
}

// A command that leaves a child with its output open soon counts as ended, and the child ends with the
// terminal.
func TestBackgroundChild(t *testing.T) {
	h := open(t, Options{})
	id := h.sh("sleep 1000 & echo $!")
	if status := h.wait(id); status.Code == nil || *status.Code != 0 {
		t.Fatalf("got %+v", status)
	}
	pids := h.pids(id, 1)
	h.Release("s", id)
	h.wantDead("release", pids...)
}

// Cases 131 and 132.
func TestUnknownTerminals(t *testing.T) {
	h := open(t, Options{})
	id := h.sh("exec sleep 1000")
	for _, who := range [][2]string{{"other", id}, {"", id}, {"s", ""}, {"s", "term-999"}, {"s", id + "\x00"}} {
		_, errOut := h.Output(who[0], who[1])
		_, errWait := h.WaitForExit(context.Background(), who[0], who[1])
		for _, err := range []error{errOut, errWait, h.Kill(who[0], who[1]), h.Release(who[0], who[1])} {
			if !errors.Is(err, ErrUnknown) {
				t.Errorf("%q: got %v", who, err)
			}
		}
	}
	h.CloseSession("other")
	if out := h.output(id); out.Exit != nil {
		t.Errorf("ended by another session: %+v", out.Exit)
	}
}

// Case 133.
func TestHalfACharacterIsHeldBack(t *testing.T) {
	h := open(t, Options{})
	id := h.sh(`printf 'ab\346\227'; while [ ! -e go ]; do sleep 0.01; done; printf '\245\346'`)
	out := h.until(id, "output", func(o Output) bool { return o.Text != "" })
	if out.Text != "ab" {
		t.Fatalf("while it runs: %q", out.Text)
	}
	must.Do(t, os.WriteFile(filepath.Join(h.dir, "go"), nil, 0o600))
	h.wait(id)
	if out := h.output(id); out.Text != "ab日\uFFFD" {
		t.Fatalf("at the end: %q", out.Text)
	}
}

func BenchmarkOutput(b *testing.B) {
	for name, notify := range map[string]func(Change){"silent": nil, "notified": func(Change) {}} {
		b.Run(name, func(b *testing.B) {
			s := New(Options{Notify: notify})
			defer s.Close()
			const size = 64 << 20
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				id := must.Get(s.Create("s", Command{Command: "head", Args: []string{"-c", strconv.Itoa(size), "/dev/zero"}, Dir: "/"}))(b)
				s.WaitForExit(context.Background(), "s", id)
				s.Release("s", id)
			}
		})
	}
}
