package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// Prompts typed while the agent starts are sent when it is ready, in order.
func TestStart(t *testing.T) {
	each(t, func(r *rig) {
		r.fake().On("initialize", nil)
		r.fake().On("session/new", func(c *fakeagent.Call) (string, error) { c.Wait(time.Second); return `{"sessionId":"s1"}`, nil })
	}, func(r *rig) {
		a := r.w.Start(local)
		r.wants("AgentStarting")
		if _, dialing := a.Dialing(); !dialing || !a.Opening() || a.Live() || a.Info() != nil {
			t.Error("it is not being started")
		}
		s := a.Front()
		if err := s.Prompts.Submit("first", false); err != nil || s.Prompts.Queue.Len() != 1 {
			t.Errorf("%q wait, %v", s.Prompts.Queue.Texts(), err)
		}
		if err := s.Prompts.Send("second"); err != workspace.ErrNotOpen {
			t.Errorf("sent without an agent: got %v", err)
		}
		s.Prompts.Queue.Add("second")
		r.pass(2 * time.Second)
		r.wants("AgentStarted s1", "PromptSent first", "PromptSent second")
		if _, dialing := a.Dialing(); dialing || a.Opening() || !a.Live() || a.Info() == nil || a.Err() != nil {
			t.Error("it has not started")
		}
		r.got("first", "second")
		r.connections(1, 1)
	})
}

// An agent that does not start can be started again. Queued prompts stay.
func TestStartFails(t *testing.T) {
	with(t, func(r *rig) {
		r.Dial = func(n int, _ workspace.Spec) error {
			if n == 1 {
				return errAway
			}
			return nil
		}
	}, func(r *rig) {
		a := r.w.Start(local)
		a.Front().Prompts.Queue.Add("first")
		r.wants("AgentStarting", "AgentNotStarted: nobody is there")
		if !errors.Is(a.Err(), errAway) || !a.Opening() || a.Live() {
			t.Errorf("%v, opening %v", a.Err(), a.Opening())
		}
		r.waits(a.Front(), "first")
		a.Restart()
		r.pass(time.Second)
		r.wants("AgentStarting", "AgentStarted s1", "PromptSent first")
		r.got("first")
		r.connections(1, 1)
	})
}

// An agent that refuses the session that the user asked for can be started with a new one. What was
// queued for the other session waits for the user.
func TestStartNew(t *testing.T) {
	with(t, func(r *rig) {
		r.opts.Resume = "gone"
		connect := r.opts.Connect
		r.opts.Connect = func(ctx context.Context, s workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
			if !s.NewSession {
				return nil, fmt.Errorf("%w: never heard of it", event.ErrNoSession)
			}
			return connect(ctx, s, sink, log)
		}
	}, func(r *rig) {
		a := r.w.Start(local)
		s := a.Front()
		s.Prompts.Queue.Add("first")
		r.wants("AgentStarting", "AgentNotStarted: no such session: never heard of it")
		if !a.NoSession() || s.Resumable() {
			r.Error("the session is not refused")
		}
		a.StartNew()
		r.wants("AgentStarting", "AgentStarted s1")
		r.waits(s, "first")
		if a.NoSession() || s.Resumable() {
			r.Error("the new session is refused, or has a conversation")
		}
		s.Prompts.Resume()
		r.settle()
		r.got("first")
	})
}

// A session that replaces another one is worth resuming only once it has a prompt of its own.
func TestResumable(t *testing.T) {
	with(t, func(r *rig) { r.fake().Capabilities(keeps) }, func(r *rig) {
		s := r.started(local)
		r.turns(s, "one")
		if !s.Resumable() {
			r.Error("not resumable")
		}
		s.Agent.Restart()
		r.settle()
		if s.Resumable() || !says(s, "one") {
			r.Error("the new session is resumable without a prompt")
		}
		r.turns(s, "two")
		if !s.Resumable() {
			r.Error("a prompt does not make it resumable")
		}
	})
}

// A cancelled start reports nothing later, and its connection is closed.
func TestStartGivenUp(t *testing.T) {
	for name, slow := range map[string]func(*rig){
		"while it is reached": func(r *rig) {
			r.Dial = func(int, workspace.Spec) error { time.Sleep(time.Minute); return nil }
		},
		"while it says hello": func(r *rig) {
			r.fake().On("initialize", func(c *fakeagent.Call) (string, error) { c.Wait(time.Minute); return "", errAway })
		},
		"while it opens a session": func(r *rig) {
			r.fake().On("session/new", func(c *fakeagent.Call) (string, error) { c.Wait(time.Minute); return `{"sessionId":"s1"}`, nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, slow, func(r *rig) {
				a := r.w.Start(local)
				a.Front().Prompts.Queue.Add("first")
				r.pass(time.Second)
				r.wants("AgentStarting")
				a.CancelStart()
				r.pass(time.Hour)
				r.wants()
				if _, dialing := a.Dialing(); dialing || a.Opening() || a.Live() || a.Err() != nil {
					t.Error("it is still being started")
				}
				r.waits(a.Front(), "first")
				r.connections(0, len(r.Agents()))
				r.Dial = nil
				r.script["fake"] = &fakeagent.Script{}
				r.w.Start(local)
				r.pass(time.Second)
				r.wants("AgentStarting", "AgentStarted s1", "PromptSent first")
				r.got("first")
			})
		})
	}
}

// A start that was replaced by another one has no effect, however late it ends.
func TestStartTwice(t *testing.T) {
	with(t, func(r *rig) {
		r.Dial = func(n int, _ workspace.Spec) error {
			if n == 1 {
				time.Sleep(time.Minute)
			}
			return nil
		}
	}, func(r *rig) {
		r.w.Start(local)
		r.pass(time.Second)
		a := r.w.Start(other)
		r.wants("AgentStarting", "AgentStarting", "AgentStarted s1")
		if a.Spec.Name != "other" || len(r.w.Sessions()) != 1 {
			t.Errorf("%s, %d sessions", a.Spec.Name, len(r.w.Sessions()))
		}
		r.pass(time.Hour)
		r.wants()
		r.prompt(a.Front(), "first")
		if got := r.Agents()[0].Prompts(); len(got) != 1 || r.Agents()[0].Name != "other" {
			t.Errorf("%s has got %q", r.Agents()[0].Name, got)
		}
		r.connections(1, len(r.Agents()))
	})
}

// Restarting an agent keeps the transcript and queue of the front session. Its other sessions
// are removed with their queues.
func TestRestart(t *testing.T) {
	each(t, nil, func(r *rig) {
		s := r.started(local)
		r.prompt(s, "first")
		r.pass(time.Second)
		r.wants("PromptSent first")
		s.Agent.NewSession()
		r.settle()
		second := r.w.Front()
		r.fake().Turn(func(t *fakeagent.Turn) string { t.Wait(time.Hour); return "end_turn" })
		r.prompt(second, "busy")
		second.Prompts.Queue.Add("lost?")
		r.w.Show(s)
		s.Prompts.Queue.Add("second")
		s.Prompts.Queue.Pause()
		r.wants("SessionShown -", "SessionOpened s2", "PromptSent busy", "SessionShown s1")
		r.fake().Turn(nil)
		s.Agent.Restart()
		r.pass(time.Second)
		r.wants("SessionRemoved s2", "AgentStarting", "AgentStarted s1")
		r.connections(1, 2)
		if !says(s, "You said: first") || !says(s, "started again") || len(r.returned) != 1 {
			t.Errorf("came back: %q; %v", r.returned, s.Thread.Items)
		}
		r.waits(s, "second")
		s.Prompts.Resume()
		r.pass(time.Second)
		r.got("first", "busy", "second")
	})
}

// Two agents run side by side. The end of one does not affect the other.
func TestTwoAgents(t *testing.T) {
	with(t, nil, func(r *rig) {
		first := r.started(local)
		r.prompt(first, "to the first")
		second := r.w.Start(other).Front()
		r.wants("PromptSent to the first", "SessionShown -", "AgentStarting", "AgentStarted s1")
		if first.Agent == second.Agent || len(r.w.Agents()) != 2 || r.w.Front() != second {
			t.Fatal("not two agents")
		}
		r.prompt(second, "to the second")
		r.got("to the first", "to the second")
		r.Agents()[0].Close()
		r.wants("PromptSent to the second", "AgentGone: connection closed")
		if first.Agent.Live() || !second.Agent.Live() || first.Thread.State != thread.Ended {
			t.Error("the wrong one is gone")
		}
		r.prompt(second, "more")
		r.pass(time.Second)
		r.got("to the first", "to the second", "more")
		r.news = nil
		second.Close()
		r.wants("SessionShown s1", "SessionRemoved s1")
		r.connections(1, 2) // an ended connection is closed with the workspace or by a restart
		first.Continue()
		r.wants("AgentStarting", "AgentStarted s1")
		r.connections(1, 3)
	})
}

// Replace ends all running agents.
func TestReplace(t *testing.T) {
	with(t, nil, func(r *rig) {
		s := r.started(local)
		s.Agent.NewSession()
		r.settle()
		r.w.Front().Prompts.Queue.Add("waits")
		r.w.Front().Prompts.Queue.Pause()
		r.Dial = func(int, workspace.Spec) error { time.Sleep(time.Minute); return nil }
		r.w.Start(other)
		r.pass(time.Second)
		r.news, r.Dial = nil, nil
		r.w.Replace(other)
		r.wants("SessionShown -", "SessionRemoved s1", "SessionRemoved s2", "SessionRemoved -", "AgentStarting", "AgentStarted s1")
		r.pass(time.Hour)
		r.wants()
		r.connections(1, len(r.Agents()))
		if len(r.w.Agents()) != 1 || len(r.returned) != 1 || r.returned[0] != "waits" {
			t.Errorf("%d agents, came back: %q", len(r.w.Agents()), r.returned)
		}
	})
}

// An agent started by a typed command is called by the name that it reports.
func TestCustomName(t *testing.T) {
	with(t, nil, func(r *rig) {
		spec := workspace.Spec{Name: "fake", Command: "./fake", Custom: true}
		if s := r.started(spec); s.Agent.Name() != "Fake agent" {
			t.Errorf("called %q", s.Agent.Name())
		}
	})
}

// The workspace can be closed at any time.
func TestCloseMidway(t *testing.T) {
	slow := func(c *fakeagent.Call) (string, error) { c.Wait(time.Hour); return "{}", nil }
	for name, midway := range map[string]func(*rig){
		"nothing started": func(r *rig) {},
		"connecting": func(r *rig) {
			r.Dial = func(int, workspace.Spec) error { time.Sleep(time.Minute); return nil }
			r.w.Start(local)
		},
		"initializing": func(r *rig) { r.fake().On("initialize", slow); r.w.Start(local) },
		"opening":      func(r *rig) { r.fake().On("session/new", slow); r.w.Start(local) },
		"in a turn": func(r *rig) {
			r.fake().Turn(func(t *fakeagent.Turn) string { t.WaitThroughStop(time.Hour); return "end_turn" })
			r.prompt(r.started(local), "first")
		},
		"opening another session": func(r *rig) {
			s := r.started(local)
			r.fake().On("session/new", slow)
			s.Agent.NewSession()
		},
		"waiting to redial": func(r *rig) {
			r.started(far)
			r.Dial = func(int, workspace.Spec) error { return errAway }
			r.Agent().Close()
		},
		"redialing": func(r *rig) {
			r.started(far)
			r.Dial = func(int, workspace.Spec) error { time.Sleep(time.Minute); return nil }
			r.Agent().Close()
			r.pass(time.Second)
		},
		"logging in": func(r *rig) {
			r.fake().Capabilities(logins)
			s := r.started(local)
			r.fake().On("authenticate", slow)
			s.Agent.Login.Authenticate(s.Agent.Login.Methods()[0], "")
		},
		"ended already": func(r *rig) { r.started(local); r.Agent().Close() },
		"stopping": func(r *rig) {
			r.fake().Turn(func(t *fakeagent.Turn) string { t.WaitThroughStop(time.Hour); return "end_turn" })
			s := r.started(local)
			r.prompt(s, "first")
			s.Stop()
		},
		"closing another connection": func(r *rig) {
			s := r.started(local)
			s.Agent.Restart()
		},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, nil, func(r *rig) {
				midway(r)
				r.settle()
			})
		})
	}
}
