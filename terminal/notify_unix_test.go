//go:build unix

package terminal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/must"
)

// story records, in short form, the changes of each terminal.
type story struct {
	mu   sync.Mutex
	told map[string][]string
	data map[string]string
}

func (s *story) notify(c Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told == nil {
		s.told, s.data = map[string][]string{}, map[string]string{}
	}
	key, what := c.Session+"/"+c.ID, ""
	switch {
	case c.Started != nil:
		what = "started " + Line(*c.Started)
	case c.Data != nil:
		what = "data"
		s.data[key] += string(c.Data)
		clear(c.Data) // owned by the receiver
	case c.Exit != nil && c.Exit.Code != nil:
		what = fmt.Sprintf("exit %d", *c.Exit.Code)
	case c.Exit != nil:
		what = "exit " + c.Exit.Signal
	case c.Released:
		what = "released"
	}
	if told := s.told[key]; what != "data" || len(told) == 0 || told[len(told)-1] != "data" {
		s.told[key] = append(told, what)
	}
}

func (s *story) of(id string) ([]string, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.told["s/"+id]), s.data["s/"+id]
}

func TestNotifyTellsTheStoryInOrder(t *testing.T) {
	var told story
	h := open(t, Options{Notify: told.notify, Shell: "sh"})
	const n = 20
	ids := make([]string, n)
	for i := range ids {
		ids[i] = h.create(Command{Command: fmt.Sprintf("echo %d; exit %d", i, i)})
	}
	silent := h.create(Command{Command: "true"})
	running := h.create(Command{Command: "sleep", Args: []string{"1000"}})
	for i, id := range ids {
		h.wait(id)
		if out := h.output(id); out.Text != fmt.Sprintf("%d\n", i) {
			t.Errorf("output %q: what was notified must not be what is kept", out.Text)
		}
	}
	h.wait(silent)
	h.Close()
	for i, id := range ids {
		story, data := told.of(id)
		want := []string{fmt.Sprintf("started echo %d; exit %d", i, i), "data", fmt.Sprintf("exit %d", i), "released"}
		if !slices.Equal(story, want) || data != fmt.Sprintf("%d\n", i) {
			t.Errorf("terminal %d: %q, %q", i, story, data)
		}
	}
	if story, _ := told.of(silent); !slices.Equal(story, []string{"started true", "exit 0", "released"}) {
		t.Errorf("silent: %q", story)
	}
	if story, _ := told.of(running); !slices.Equal(story, []string{"started sleep 1000", "exit SIGTERM", "released"}) {
		t.Errorf("running: %q", story)
	}
	if _, err := h.Create("s", Command{Command: "true", Dir: h.dir}); !errors.Is(err, ErrClosed) {
		t.Errorf("Create after Close: %v", err)
	}
}

// All output is notified even if Notify is slower than the command.
func TestSlowListenerLosesNothing(t *testing.T) {
	var told story
	gate := make(chan struct{})
	h := open(t, Options{Notify: func(c Change) {
		if c.Data != nil {
			<-gate
		}
		told.notify(c)
	}})
	id := h.sh("head -c 100000 /dev/zero; printf end")
	p := must.Get(h.find("s", id))(t)
	time.AfterFunc(drainWait+drainWait/2, func() { close(gate) }) // longer than drainWait
	h.wait(id)
	<-p.cur.group.Done()
	if _, data := told.of(id); len(data) != 100_003 || !strings.HasSuffix(data, "end") {
		t.Errorf("%d bytes reported", len(data))
	}
}

func TestRunningCommandsAreBounded(t *testing.T) {
	h := open(t, Options{MaxPerSession: 2})
	first := h.sh("exec sleep 1000")
	h.sh("exec sleep 1000")
	c := Command{Command: "true", Dir: h.dir}
	if _, err := h.Create("s", c); !errors.Is(err, ErrTooMany) {
		t.Fatalf("got %v", err)
	}
	if _, err := h.Create("other", c); err != nil {
		t.Fatalf("another session: %v", err)
	}
	h.Kill("s", first)
	deadline := time.Now().Add(patience)
	for { // the counts are updated just after the status is known
		if _, err := h.Create("s", c); err == nil {
			break
		} else if !errors.Is(err, ErrTooMany) || time.Now().After(deadline) {
			t.Fatalf("after a kill: %v", err)
		}
	}
}

func TestUnreleasedOutputIsBounded(t *testing.T) {
	h := open(t, Options{})
	var ids []string
	for range keepExited + 3 {
		id := h.sh("head -c 10000 /dev/zero")
		h.wait(id)
		ids = append(ids, id)
	}
	h.until(ids[2], "cut", func(o Output) bool { return o.Truncated && len(o.Text) == keepOldOutput })
	if out := h.output(ids[3]); out.Truncated || len(out.Text) != 10_000 {
		t.Errorf("a newer one was cut to %d bytes", len(out.Text))
	}
}

func TestIDsAreNeverUsedAgain(t *testing.T) {
	h := open(t, Options{})
	seen := map[string]bool{}
	for i := range 30 {
		id := h.sh("exit 0")
		if seen[id] {
			t.Fatalf("%s came again", id)
		}
		seen[id] = true
		if i%3 == 0 {
			h.CloseSession("s")
		} else {
			h.Release("s", id)
		}
	}
}

// Every terminal is released after concurrent calls of Create and CloseSession.
func TestCreateBesideCloseSession(t *testing.T) {
	var told story
	h := open(t, Options{Notify: told.notify})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				_, err := h.Create("s", Command{Command: "sleep", Args: []string{"1000"}, Dir: h.dir})
				if err != nil && !errors.Is(err, ErrReleased) && !errors.Is(err, ErrTooMany) {
					t.Error(err)
				}
			}
		})
		wg.Go(func() { h.CloseSession("s") })
	}
	wg.Wait()
	h.Close()
	told.mu.Lock()
	defer told.mu.Unlock()
	for id, story := range told.told {
		if story[len(story)-1] != "released" {
			t.Errorf("%s: got %q", id, story)
		}
	}
}
