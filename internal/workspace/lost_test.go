package workspace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

const (
	loads   = `,"agentCapabilities":{"loadSession":true}`
	resumes = `,"agentCapabilities":{"sessionCapabilities":{"resume":{}}}`
)

const lostLine = "AgentGone: no connection to wss://far.example.org/acp: the other side has ended it"

// ways are agents that reopen a session, by method.
var ways = map[string]func(*rig){
	"load":   func(r *rig) { r.fake().Capabilities(loads); r.fake().Answer("session/load", "{}") },
	"resume": func(r *rig) { r.fake().Capabilities(resumes); r.fake().Answer("session/resume", "{}") },
	"v2":     func(r *rig) { r.fake().Protocol = "2"; r.fake().Answer("session/resume", "{}") },
}

// eachWay runs a test with a remote agent for each method of reopening sessions.
func eachWay(t *testing.T, f func(r *rig, way string)) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			with(t, way, func(r *rig) { f(r, name) })
		})
	}
}

// slow is a turn that lasts an hour unless it is stopped.
func slow(t *fakeagent.Turn) string {
	t.Say("working on " + t.Text)
	if t.Wait(time.Hour) {
		return "cancelled"
	}
	return "end_turn"
}

// A connection that is lost between turns is restored automatically, and prompts typed in the
// meantime are sent.
func TestReconnects(t *testing.T) {
	eachWay(t, func(r *rig, way string) {
		s := r.started(far)
		r.prompt(s, "first")
		r.pass(time.Second)
		r.wants("PromptSent first")
		r.lose()
		r.wants(lostLine, "ConnectionLost, first, longer")
		if at, retrying := s.Agent.Retrying(); !retrying || at.IsZero() || s.Agent.Live() {
			t := s.Thread.State
			r.Errorf("retrying %v at %v, %v", retrying, at, t)
		}
		r.prompt(s, "second", "third")
		r.waits(s, "second", "third")
		r.pass(3 * time.Second)
		replaced := ""
		if way != "resume" {
			replaced = ", replaced"
		}
		r.wants("Redialing", "Redialed", "Reconnecting s1", "Reconnected s1"+replaced, "PromptSent second", "PromptSent third")
		r.got("first", "second", "third")
		r.offers(s)
		r.connections(1, 2)
		if _, retrying := s.Agent.Retrying(); retrying || !s.Agent.Live() {
			r.Error("still retrying")
		}
	})
}

// After an interrupted turn no prompt is sent again, and the queue waits for the user. A
// prompt that may not have arrived is offered.
func TestLostInTurn(t *testing.T) {
	for _, begun := range []bool{true, false} {
		name := "silent"
		if begun {
			name = "begun"
		}
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(r *rig, way string) {
				r.fake().Turn(func(t *fakeagent.Turn) string {
					if begun {
						t.Say("working")
					}
					t.WaitThroughStop(time.Hour)
					return "end_turn"
				})
				if !begun {
					r.fake().OnPrompt(func(t *fakeagent.Turn) (string, error) { t.WaitThroughStop(time.Hour); return "", errAway })
				}
				s := r.started(far)
				r.prompt(s, "first")
				r.pass(time.Second)
				s.Prompts.Queue.Add("second")
				r.lose()
				r.wants("PromptSent first", "QueuePaused", lostLine, "ConnectionLost, first, longer")
				if begun {
					r.offers(s)
				} else {
					r.offers(s, "first")
				}
				r.pass(time.Hour)
				r.got("first")
				r.waits(s, "second")
				switch {
				case begun && way == "resume":
					r.offers(s)
				default: // the agent replays a history without the prompt
					r.offers(s, "first")
				}
				r.fake().Turn(nil)
				r.fake().OnPrompt(nil)
				s.Prompts.Resume()
				r.pass(time.Second)
				r.got("first", "second")
			})
		})
	}
}

// Prompts in the history that the agent replays are removed from the offers.
func TestLostPromptArrived(t *testing.T) {
	with(t, ways["load"], func(r *rig) {
		s := r.started(far)
		r.fake().Turn(func(t *fakeagent.Turn) string { t.WaitThroughStop(time.Hour); return "" })
		r.prompt(s, "first")
		r.fake().On("session/load", func(c *fakeagent.Call) (string, error) {
			c.Agent.Say("s1", "user", "first")
			c.Agent.Say("s1", "agent", "done long ago")
			return "{}", nil
		})
		r.lose()
		r.offers(s, "first")
		r.pass(5 * time.Second)
		r.offers(s)
		if !says(s, "done long ago") {
			t.Error("the history was not taken")
		}
	})
}

// Prompts that an agent of version 2 held are offered when the connection is lost, each once,
// however often that happens.
func TestLostHeld(t *testing.T) {
	with(t, ways["v2"], func(r *rig) {
		s := r.started(far)
		r.fake().Turn(slow)
		r.prompt(s, "first")
		r.pass(time.Second)
		r.prompt(s, "second", "third")
		r.wants("PromptSent first", "PromptSent second, held", "PromptSent third, held")
		r.fake().On("session/resume", func(c *fakeagent.Call) (string, error) {
			c.Agent.Say("s1", "user", "first")
			return "{}", nil
		})
		for range 3 {
			r.lose()
			r.pass(time.Minute)
			r.offers(s, "second", "third")
		}
		r.got("first", "second", "third")
	})
}

// Only the prompt of the interrupted turn is offered. Prompts that are still queued, or whose
// files were being read, are not.
func TestLostWithOthers(t *testing.T) {
	with(t, func(r *rig) {
		ways["v2"](r)
		reads(r)
		r.fake().Turn(func(t *fakeagent.Turn) string { t.WaitThroughStop(time.Hour); return "" })
		r.fake().OnPrompt(func(t *fakeagent.Turn) (string, error) {
			if t.MidTurn() {
				return "", fakeagent.Errorf(-32603, "busy")
			}
			return t.AcceptInOrder()
		})
	}, func(r *rig) {
		s := r.started(shared)
		r.prompt(s, "first")
		r.pass(time.Millisecond)
		r.prompt(s, "second")
		r.waits(s, "second")
		r.lose()
		r.pass(10 * time.Second)
		r.offers(s, "first")
		r.waits(s, "second")
		s.Prompts.Unconfirmed.Remove(false)
		s.Prompts.Queue.Drop(0)
		r.prompt(s, "third")
		r.pass(10 * time.Millisecond)
		r.prompt(s, "@fourth")
		r.lose()
		r.pass(10 * time.Second)
		r.offers(s, "third")
		r.waits(s)
		if !slices.Equal(r.returned, []string{"@fourth"}) {
			t.Errorf("came back: %q", r.returned)
		}
	})
}

// If no connection succeeds, attempts become less frequent. The user can try at once.
func TestBackoff(t *testing.T) {
	eachWay(t, func(r *rig, way string) {
		var tries []time.Time
		away := true
		r.Dial = func(n int, _ workspace.Spec) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			tries = append(tries, time.Now())
			if n > 1 && away {
				return &event.LostError{URL: "far", Cause: errAway}
			}
			return nil
		}
		s := r.started(far)
		r.lose()
		r.pass(3 * time.Minute)
		var lost []string
		for _, line := range r.all {
			if strings.HasPrefix(line, "ConnectionLost") {
				lost = append(lost, line)
			}
		}
		want := []string{"ConnectionLost, first, longer", "ConnectionLost, longer", "ConnectionLost, longer", "ConnectionLost, longer", "ConnectionLost, longer", "ConnectionLost, longer", "ConnectionLost, longer", "ConnectionLost"}
		if len(lost) < len(want) || !slices.Equal(lost[:len(want)], want) {
			r.Errorf("news: %q", lost)
		}
		for i := 2; i < len(tries); i++ {
			if wait := tries[i].Sub(tries[i-1]); wait > 30*time.Second || i > 8 && wait < 15*time.Second {
				r.Errorf("try %d after %v", i, wait)
			}
		}
		r.mu.Lock()
		away = false
		r.mu.Unlock()
		n := len(tries)
		if !s.Continue() {
			r.Error("nothing to try")
		}
		r.settle()
		if len(tries) != n+1 || r.Agent().Closed() {
			r.Errorf("%d tries, want one more than %d", len(tries), n)
		}
		r.pass(time.Hour)
		if len(tries) != n+1 || s.Thread.State != thread.Idle {
			r.Errorf("%d tries, %v", len(tries), s.Thread.State)
		}
	})
}

// Redial does not start a second attempt while one is running.
func TestRedialOnce(t *testing.T) {
	with(t, ways["load"], func(r *rig) {
		s := r.started(far)
		r.Dial = func(int, workspace.Spec) error { time.Sleep(time.Minute); return nil }
		r.lose()
		r.settle()
		for range 3 {
			s.Continue()
			r.settle()
		}
		r.wants(lostLine, "ConnectionLost, first, longer", "Redialing")
		if at, retrying := s.Agent.Retrying(); !retrying || !at.IsZero() {
			t.Errorf("%v %v", at, retrying)
		}
		r.pass(2 * time.Minute)
		r.wants("Redialed", "Reconnecting s1", "Reconnected s1, replaced")
		r.connections(1, 2)
	})
}

// Redial does not replace a working connection.
func TestRedialLive(t *testing.T) {
	with(t, ways["load"], func(r *rig) {
		a := r.w.Start(far)
		a.Redial()
		r.wants("AgentStarting", "AgentStarted s1")
		a.Redial()
		r.pass(time.Minute)
		r.wants()
		r.connections(1, 1)
	})
}

// A connection may be lost several times, even while a session is being reopened.
func TestLostWhileReopening(t *testing.T) {
	eachWay(t, func(r *rig, way string) {
		s := r.started(far)
		r.prompt(s, "first")
		r.pass(time.Second)
		before := len(s.Thread.Items)
		for _, method := range []string{"session/load", "session/resume"} {
			r.fake().On(method, func(c *fakeagent.Call) (string, error) {
				c.Agent.Say("s1", "user", "first")
				c.Agent.Say("s1", "agent", "half of")
				c.Wait(time.Second)
				c.Agent.Close()
				return "", errAway
			})
		}
		r.lose()
		r.prompt(s, "second")
		r.pass(time.Minute)
		if n := len(r.Agents()); n < 4 || n > 20 {
			r.Errorf("%d connections", n)
		}
		if way != "resume" && (len(s.Thread.Items) > before+1 || says(s, "half of")) {
			r.Errorf("half a history is shown: %v", s.Thread.Items)
		}
		r.fake().Answer("session/load", "{}")
		r.fake().Answer("session/resume", "{}")
		r.pass(2 * time.Minute)
		r.got("first", "second")
		if s.Lost.State != workspace.StateLive || s.Thread.State != thread.Idle {
			r.Errorf("%v, %v", s.Lost.State, s.Thread.State)
		}
		r.connections(1, len(r.Agents()))
	})
}

// An agent may respond to the request that reopens a session, and the connection be lost
// before the response is handled.
func TestLostOnceReopened(t *testing.T) {
	for name, answered := range map[string]error{"opened": nil, "refused": fakeagent.Errorf(-32002, "never heard of it"), "login": errWho} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(r *rig, way string) {
				s := r.started(far)
				r.prompt(s, "first")
				r.pass(time.Second)
				for _, method := range []string{"session/load", "session/resume"} {
					r.fake().On(method, func(c *fakeagent.Call) (string, error) { c.Wait(time.Second); return "{}", answered })
				}
				r.lose()
				r.prompt(s, "second")
				for range 3 {
					for n := 0; n < 600 && !slices.Contains(r.news, "Reconnecting s1"); n++ {
						r.pass(100 * time.Millisecond)
					}
					r.news = nil
					time.Sleep(2 * time.Second) // it has responded
					r.Agent().Close()
					r.run() // the loss comes first, then the response
					r.pass(100 * time.Millisecond)
				}
				r.fake().Answer("session/load", "{}")
				r.fake().Answer("session/resume", "{}")
				r.pass(2 * time.Minute)
				r.got("first", "second")
				if !s.Agent.Live() || !s.IsOpen() {
					r.Errorf("live %v, open %v", s.Agent.Live(), s.IsOpen())
				}
			})
		})
	}
}

// A session that was being opened when the connection was lost is not opened. The others are
// reopened.
func TestLostWhileOpening(t *testing.T) {
	for _, hand := range []bool{false, true} {
		for name, open := range map[string]func(*workspace.Agent){
			"new":    func(a *workspace.Agent) { a.NewSession() },
			"listed": func(a *workspace.Agent) { a.OpenStored(event.StoredSession{ID: "kept"}, nil) },
		} {
			t.Run(fmt.Sprintf("%s, by hand %v", name, hand), func(t *testing.T) {
				with(t, ways["load"], func(r *rig) {
					s := r.started(far)
					slow := func(c *fakeagent.Call) (string, error) { c.Wait(time.Hour); return "", errAway }
					r.fake().On("session/new", slow)
					r.fake().On("session/load", slow)
					open(s.Agent)
					r.settle()
					second := r.w.Front()
					second.Prompts.Queue.Add("typed early")
					r.fake().Answer("session/load", "{}")
					if r.Agent().Close(); hand {
						r.redialNow(s.Agent)
					}
					r.pass(time.Minute)
					if len(r.w.Sessions()) != 1 || r.w.Front() != s || !s.Agent.Live() {
						t.Errorf("%d sessions, live %v\n%s", len(r.w.Sessions()), s.Agent.Live(), strings.Join(r.all, "\n"))
					}
					if !slices.Equal(r.returned, []string{"typed early"}) {
						t.Errorf("came back: %q", r.returned)
					}
					r.fake().On("session/new", nil)
					s.Agent.NewSession()
					r.pass(time.Second)
					if !r.w.Front().IsOpen() {
						t.Error("no other session can be opened")
					}
				})
			})
		}
	}
}

// A session can be closed while there is no connection.
func TestCloseWhileLost(t *testing.T) {
	for _, slow := range []bool{false, true} {
		t.Run(fmt.Sprint("redialing ", slow), func(t *testing.T) {
			with(t, ways["load"], func(r *rig) {
				first := r.started(far)
				first.Agent.NewSession()
				r.settle()
				r.Dial = func(int, workspace.Spec) error { time.Sleep(time.Minute); return nil }
				r.lose()
				if slow {
					r.pass(time.Second)
				}
				r.w.Front().Close()
				r.pass(time.Hour)
				if len(r.w.Sessions()) != 1 || !first.Agent.Live() || !first.IsOpen() {
					t.Errorf("%d sessions, live %v", len(r.w.Sessions()), first.Agent.Live())
				}
			})
		})
	}
}

// Each session of an agent is reopened automatically. One that was closed in the meantime
// stays closed.
func TestLostSessions(t *testing.T) {
	eachWay(t, func(r *rig, way string) {
		first := r.started(far)
		first.Agent.NewSession()
		r.settle()
		second := r.w.Front()
		for _, method := range []string{"session/load", "session/resume"} {
			r.fake().On(method, func(c *fakeagent.Call) (string, error) { c.Wait(time.Minute); return "{}", nil })
		}
		r.lose()
		r.prompt(first, "to the first")
		r.prompt(second, "to the second")
		r.pass(5 * time.Second)
		r.news = nil
		second.Close()
		r.wants("SessionShown s1", "SessionRemoved s2")
		r.pass(5 * time.Minute)
		r.got("to the first")
		if !slices.Equal(r.returned, []string{"to the second"}) {
			r.Errorf("came back: %q", r.returned)
		}
		for _, line := range r.news {
			if strings.Contains(line, "s2") || strings.Contains(line, "to the second") {
				r.Errorf("of a session that was closed: %s", line)
			}
		}
	})
}
