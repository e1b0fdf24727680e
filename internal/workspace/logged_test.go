package workspace_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/fakeagent"
	"parley/internal/undo"
	"parley/internal/undo/undotest"
	"parley/internal/workspace"
)

// Sessions of an agent that lists none are found in parley's logs.
func TestKeptFromLogs(t *testing.T) {
	logs := []workspace.Logged{{Agent: "fake", Session: "a", Dir: "/src"}, {Agent: "other", Session: "b"}}
	with(t, func(r *rig) {
		ways["load"](r)
		r.opts.Logs = func() ([]workspace.Logged, error) { return logs, errAway }
	}, func(r *rig) {
		s := r.started(local)
		var kept []event.StoredSession
		var failed error
		s.Agent.ListSessions(false, func(l []event.StoredSession, err error) { kept, failed = l, err })
		r.w.List()
		r.wants("SessionsListed: nobody is there")
		if len(kept) != 1 || kept[0].ID != "a" || kept[0].Cwd != "/src" || failed != errAway || len(r.w.Logs()) != 2 {
			t.Errorf("%v, %v, %v", kept, failed, r.w.Logs())
		}
		if r.w.Opener(logs[0]) != s.Agent || r.w.Opener(logs[1]) != nil {
			t.Error("the wrong agent may open it")
		}
		if got := r.w.WhyReadOnly(logs[1]); got != "other is not running" {
			t.Error(got)
		}
		r.lose()
		var called bool
		s.Agent.ListSessions(false, func(l []event.StoredSession, err error) { called = l == nil && err == nil })
		if !called {
			t.Error("an agent that is gone keeps something")
		}
	})
}

// A log is shown read-only. Reading it can be cancelled, and its page closed.
func TestOpenLogged(t *testing.T) {
	for name, end := range map[string]func(*workspace.Session){
		"read":     nil,
		"given up": func(s *workspace.Session) { s.CancelOpen() },
		"closed":   func(s *workspace.Session) { s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			with(t, nil, func(r *rig) {
				s := r.started(local)
				page := r.w.OpenLogged(workspace.Logged{Agent: "fake", Session: "old", Title: "Parser", Replay: func(ctx context.Context, sink event.Sink) error {
					sink.Post(event.TextArrived{For: event.For{Session: "old"}, Role: event.Agent, Text: "as it was logged"})
					select {
					case <-ctx.Done():
					case <-time.After(time.Second):
					}
					return cmp.Or(ctx.Err(), errAway)
				}}, "to read")
				r.settle()
				if !page.Waiting() {
					t.Error("it is not being read")
				}
				if end != nil {
					end(page)
				}
				r.pass(time.Minute)
				switch {
				case end == nil:
					r.wants("SessionShown old", "Said The log cannot be read: nobody is there")
					if !says(page, "as it was logged") || page.Waiting() || page.Thread.State != thread.Ended {
						t.Errorf("got %v", page.Thread.State)
					}
				case name == "closed":
					r.wants("SessionShown old", "SessionShown s1", "SessionRemoved old")
				default:
					r.wants("SessionShown old", "SessionShown s1", "SessionRemoved old", "SessionNotOpened: reading the log was cancelled")
				}
				if end != nil && (r.w.Front() != s || says(page, "as it was logged")) {
					t.Error("the page is still there")
				}
			})
		})
	}
}

// The log of a session that the agent could not open can be shown instead.
func TestReadLog(t *testing.T) {
	replay := func(_ context.Context, sink event.Sink) error {
		sink.Post(event.TextArrived{For: event.For{Session: "old"}, Role: event.Agent, Text: "as it was logged"})
		return nil
	}
	for _, resume := range []string{"old", "PARSER"} {
		t.Run(resume, func(t *testing.T) {
			with(t, func(r *rig) {
				r.opts.Resume = resume
				r.opts.Logs = func() ([]workspace.Logged, error) {
					return []workspace.Logged{{Agent: "other", Session: "old"}, {Agent: "fake", Session: "old", Title: "Parser", Replay: replay}}, nil
				}
				r.Dial = func(n int, _ workspace.Spec) error {
					if n == 1 {
						return errAway
					}
					return nil
				}
			}, func(r *rig) {
				a := r.w.Start(local)
				a.Front().Prompts.Queue.Add("typed")
				r.wants("AgentStarting", "AgentNotStarted: nobody is there", "FoundLog")
				a.ReadLog()
				r.wants("SessionShown old", "SessionRemoved -")
				page := r.w.Front()
				if len(r.w.Sessions()) != 1 || !page.ReadOnly || !says(page, "as it was logged") || !slices.Equal(r.returned, []string{"typed"}) {
					t.Errorf("%d sessions, came back: %q", len(r.w.Sessions()), r.returned)
				}
				r.w.Start(local)
				r.wants("SessionShown -", "AgentStarting", "AgentStarted s1")
			})
		})
	}
}

// Counting lines and looking for unannounced changes run concurrently with turns.
func TestChanges(t *testing.T) {
	with(t, func(r *rig) {
		r.change = recording(&undotest.Journal{Files: []undo.Change{{Path: "/a", Turn: 1, By: undo.OnDisk}, {Path: "/c", Turn: 2, By: undo.OnDisk}}, Text: func(c undo.Change) (string, string, bool) {
			return "a\n", "b\nc\nd\n", c.Path == "/a"
		}})
	}, func(r *rig) {
		s := r.started(local)
		r.prompt(s, "first")
		r.pass(time.Second)
		slices.Sort(r.news) // two tasks ran concurrently
		r.wants("LinesCounted", "PromptSent first", "UnreportedFiles 1")
		if added, removed := s.Changes.Lines(); added != 3 || removed != 1 {
			t.Errorf("+%d -%d", added, removed)
		}
		s.Apply(event.FileWritten{Path: "/b", Added: 5})
		s.Apply(event.FileWritten{Path: "/a", Removed: 2})
		if got, want := s.Changes.Files(), []workspace.ChangedFile{{Path: "/a", Added: 3, Removed: 3}, {Path: "/b", Added: 5}}; !slices.Equal(got, want) {
			t.Errorf("changed files: %v, want %v", got, want)
		}
		var list []undo.Change
		s.Changes.List(func(l []undo.Change, _ []string) { list = l })
		r.settle()
		if len(list) != 2 {
			t.Errorf("changes: %v", list)
		}
	})
}

// After a turn only the texts of what it has changed are read; after an undo all are read again.
func TestChangesAreCountedOnce(t *testing.T) {
	same := undo.Change{Path: "/a", Turn: 1, Version: "0"}
	var read []string
	with(t, func(r *rig) {
		j := &undotest.Journal{Files: []undo.Change{same}, Text: func(c undo.Change) (string, string, bool) {
			read = append(read, c.Path)
			return "a\n", strings.Repeat("b\n", 1+c.Turn), true
		}}
		j.OnTurn = func(turn int, begins bool) {
			if begins {
				j.Files = []undo.Change{same, {Path: "/b", Turn: turn, Version: fmt.Sprint(turn)}}
			}
		}
		r.change = recording(j)
	}, func(r *rig) {
		s := r.started(local)
		r.settle()
		counted := func(do func(), added int, texts ...string) {
			t.Helper()
			read = nil
			do()
			r.pass(time.Second)
			if got, _ := s.Changes.Lines(); got != added || !slices.Equal(read, texts) || len(s.Changes.Files()) != 2 {
				t.Errorf("+%d in %v, read %q; want +%d, %q", got, s.Changes.Files(), read, added, texts)
			}
		}
		counted(func() { r.prompt(s, "first") }, 4, "/b")
		counted(func() { r.prompt(s, "second") }, 5, "/b")
		counted(func() { s.Changes.Count(0) }, 5, "/a", "/b")
		counted(func() { r.prompt(s, "third") }, 6, "/b")
	})
}

// What was recorded of a session before it was opened is counted when it is. Its prompts are not those of
// recorded turns: parley does not know which are.
func TestChangesOfResumedSession(t *testing.T) {
	j := &undotest.Journal{Files: []undo.Change{{Path: "/a", Turn: 1}, {Path: "/b", Turn: 2, Undone: true}}, Text: func(undo.Change) (string, string, bool) { return "a\n", "b\nc\nd\n", true }}
	with(t, func(r *rig) {
		r.change = func(c *workspace.Connection) {
			recording(j)(c)
			j.Number = 2
		}
		r.fake().Capabilities(keeps)
		r.fake().On("session/load", func(c *fakeagent.Call) (string, error) {
			c.Agent.Say("kept", "user", "one")
			c.Agent.Say("kept", "agent", "You said: one")
			return "{}", nil
		})
	}, func(r *rig) {
		a := r.started(local).Agent
		a.OpenStored(kept, nil)
		r.pass(time.Second)
		s := r.w.Front()
		if added, removed := s.Changes.Lines(); added != 3 || removed != 1 {
			t.Errorf("+%d -%d", added, removed)
		}
		if got, want := s.Changes.Files(), []workspace.ChangedFile{{Path: "/a", Added: 3, Removed: 1}}; !slices.Equal(got, want) {
			t.Errorf("changed files: %v, want %v", got, want)
		}
		if err := s.Changes.CanRestore(prompts(s)[0], func(workspace.Restorable) { t.Error("to an unknown turn") }); err == nil || !strings.Contains(err.Error(), "/review") {
			t.Errorf("got %v", err)
		}
		r.turns(s, "two")
		var got workspace.Restorable
		if err := s.Changes.CanRestore(prompts(s)[1], func(w workspace.Restorable) { got = w }); err != nil {
			t.Fatal(err)
		}
		r.settle()
		if got.Turn != 3 {
			t.Errorf("turn %d", got.Turn)
		}
	})
}

// killing is a machine that ends commands.
type killing struct {
	workspace.Machine
	kill func() error
}

func (m killing) KillTerminal(string, string) error { return m.kill() }

// Requests of a session report their outcome, unless their connection was replaced.
func TestRequest(t *testing.T) {
	with(t, nil, func(r *rig) {
		s := r.started(local)
		var outcomes []string
		ask := func(d time.Duration, err error) {
			conn := s.Agent.ConnForTest()
			conn.Machine = killing{conn.Machine, func() error { time.Sleep(d); return err }}
			s.Commands().Kill("t1", func(err error) { outcomes = append(outcomes, fmt.Sprint(err)) })
			r.settle()
		}
		ask(0, nil)
		ask(time.Second, errAway)
		r.pass(2 * time.Minute)
		if want := []string{"<nil>", errAway.Error()}; !slices.Equal(outcomes, want) {
			t.Errorf("got %q", outcomes)
		}
		ask(time.Second, nil)
		s.Agent.Restart()
		r.pass(time.Minute)
		if len(outcomes) != 2 {
			t.Errorf("of the connection before: %q", outcomes)
		}
	})
}
