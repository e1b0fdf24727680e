package workspace_test

import (
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/acpclient/transport"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// A session that the agent no longer has stays on the screen. Another one replaces it when the
// user asks for that, and no prompt is sent automatically.
func TestSessionGone(t *testing.T) {
	gone := map[string]func(*rig){
		"refused":       func(r *rig) { ways["load"](r); r.fake().Fail("session/load", -32002, "never heard of it") },
		"refused in v2": func(r *rig) { ways["v2"](r); r.fake().Fail("session/resume", -32602, "never heard of it") },
		"never":         func(r *rig) { r.fake().Capabilities("") },
	}
	for name, way := range gone {
		t.Run(name, func(t *testing.T) {
			with(t, way, func(r *rig) {
				s := r.started(far)
				r.prompt(s, "first")
				r.pass(time.Second)
				r.lose()
				r.prompt(s, "second")
				r.pass(time.Minute)
				r.news = nil
				if s.Lost.State != workspace.StateGone || !s.Prompts.Queue.Paused() || s.Agent.StoredSessions() != nil {
					t.Errorf("%v, paused %v", s.Lost.State, s.Prompts.Queue.Paused())
				}
				for range 2 { // it stays gone however often the connection is lost
					r.lose()
					r.pass(time.Minute)
				}
				r.news = nil
				r.fake().Fail("session/new", -32603, "not now")
				if !s.Continue() {
					t.Error("nothing to continue with")
				}
				r.wants("StartedOver -: open a session: the agent answered: not now (-32603)")
				r.fake().On("session/new", func(c *fakeagent.Call) (string, error) { return `{"sessionId":"another"}`, nil })
				s.Continue()
				r.pass(time.Hour)
				r.wants("StartedOver another")
				r.got("first")
				r.waits(s, "second")
				s.Prompts.Resume()
				r.pass(time.Second)
				r.got("first", "second")
				if !says(s, "You said: first") || s.Continue() {
					t.Error("the conversation is gone, or there is more to continue")
				}
				r.connections(1, 4)
			})
		})
	}
}

// An agent that restarts its session numbers on each connection may give another session the
// id of one that is gone.
func TestSessionGoneSameID(t *testing.T) {
	with(t, nil, func(r *rig) {
		s := r.started(far)
		r.prompt(s, "first")
		r.pass(time.Second)
		r.lose()
		r.pass(time.Minute)
		s.Agent.NewSession()
		r.settle()
		second := r.w.Front()
		r.prompt(second, "second")
		r.pass(time.Second)
		if !says(second, "You said: second") || says(s, "second") || second.Thread.Session != "s1" {
			t.Errorf("got %v", second.Thread.Items)
		}
		r.prompt(second, "third")
		r.got("first", "second", "third")
	})
}

// Starting over can be cancelled, and survives the loss of the connection.
func TestStartingOver(t *testing.T) {
	with(t, nil, func(r *rig) {
		s := r.started(far)
		r.prompt(s, "first")
		r.fake().On("session/new", func(c *fakeagent.Call) (string, error) { c.Wait(time.Hour); return "", errAway })
		r.lose()
		r.pass(time.Minute)
		r.news = nil
		s.Continue()
		s.Agent.NewSession()
		r.wants("Said A session is already being opened")
		if !s.Waiting() || !s.CancelOpen() {
			t.Error("it cannot be given up")
		}
		r.wants("StartedOver -: open a session: context canceled")
		if s.Waiting() || s.CancelOpen() {
			t.Error("CancelOpen found a second session to cancel")
		}
		for _, hand := range []bool{false, true} {
			s.Continue()
			r.settle()
			if r.Agent().Close(); hand {
				r.redialNow(s.Agent)
			}
			r.pass(time.Minute)
			if s.Lost.State != workspace.StateGone || s.Waiting() || s.CancelOpen() || s.Thread.State != thread.Idle {
				t.Errorf("%v, waiting %v, %v", s.Lost.State, s.Waiting(), s.Thread.State)
			}
		}
		r.fake().On("session/new", nil)
		s.Continue()
		r.pass(time.Second)
		r.prompt(s, "second")
		r.got("first", "second")
	})
}

// A session that does not open in time can be tried again.
func TestNotReopened(t *testing.T) {
	eachWay(t, func(r *rig, way string) {
		s := r.started(far)
		r.prompt(s, "first")
		r.pass(time.Second)
		for _, method := range []string{"session/load", "session/resume"} {
			r.fake().On(method, func(c *fakeagent.Call) (string, error) { c.Wait(time.Hour); return "", errAway })
		}
		r.lose()
		r.prompt(s, "second")
		r.pass(time.Minute)
		if s.Continue() {
			r.Error("it is opened twice")
		}
		r.pass((5 * time.Minute))
		r.wants("PromptSent first", lostLine, "ConnectionLost, first, longer", "Redialing", "Redialed", "Reconnecting s1", "NotReopened: …")
		if !s.Agent.Live() || s.IsOpen() {
			r.Error("the agent is not there")
		}
		r.fake().Answer("session/load", "{}")
		r.fake().Answer("session/resume", "{}")
		r.waits(s, "second")
		if !s.Continue() {
			r.Error("it is not tried again")
		}
		r.pass(5 * time.Second)
		r.got("first", "second")
		r.connections(1, 2)
	})
}

// If an agent requires a login after a reconnect, the session is reopened after the login.
func TestReopenWantsLogin(t *testing.T) {
	for _, way := range []string{"load", "resume", "v2"} {
		t.Run(way, func(t *testing.T) {
			with(t, func(r *rig) {
				ways[way](r)
				switch way {
				case "load":
					r.fake().Capabilities(loads + logins)
				case "resume":
					r.fake().Capabilities(resumes + logins)
				case "v2":
					r.fake().Capabilities(logins2)
				}
				r.fake().Answer("authenticate", "{}")
				r.fake().Answer("auth/login", "{}")
			}, func(r *rig) {
				s := r.started(far)
				r.prompt(s, "first")
				r.pass(time.Second)
				for _, method := range []string{"session/load", "session/resume"} {
					r.fake().Fail(method, -32000, "who are you?")
				}
				r.lose()
				r.prompt(s, "second")
				r.news = nil
				r.pass(time.Minute)
				r.wants("Redialing", "Redialed", "Reconnecting s1", "NotReopened: …", "LoginWanted s1: …")
				r.fake().Answer("session/load", "{}")
				r.fake().Answer("session/resume", "{}")
				s.Agent.Login.Authenticate(s.Agent.Login.Methods()[0], "")
				r.pass(5 * time.Second)
				r.got("first", "second")
				r.waits(s)
			})
		})
	}
}

// Automatic attempts end when they are useless. The user may still try.
func TestLostPermanently(t *testing.T) {
	with(t, ways["load"], func(r *rig) {
		s := r.started(far)
		r.prompt(s, "first")
		r.pass(time.Second)
		refused := &event.LostError{URL: "far", Cause: &transport.StatusError{Status: 401}}
		r.Dial = func(int, workspace.Spec) error { return refused }
		r.lose()
		r.pass(time.Hour)
		r.wants("PromptSent first", lostLine, "ConnectionLost, first, longer", "Redialing", "Redialed: "+refused.Error())
		if _, retrying := s.Agent.Retrying(); retrying || r.Dials() != 2 {
			t.Errorf("retrying %v, %d tries", retrying, r.Dials())
		}
		r.Dial = nil
		if !s.Continue() {
			t.Error("nothing to try")
		}
		r.pass(5 * time.Second)
		r.wants("Redialing", "Redialed", "Reconnecting s1", "Reconnected s1, replaced")
	})
}

// parley does not restart a local agent automatically.
func TestLocalAgentIsNotRestarted(t *testing.T) {
	each(t, nil, func(r *rig) {
		s := r.started(local)
		r.fake().Turn(slow)
		r.prompt(s, "first")
		r.pass(time.Second)
		s.Prompts.Queue.Add("second")
		r.lose()
		r.pass(time.Hour)
		r.wants("PromptSent first", "QueuePaused", "AgentGone: connection closed")
		r.fake().Turn(nil)
		if !s.Continue() {
			r.Error("it cannot be started again")
		}
		r.pass(time.Second)
		r.wants("AgentStarting", "AgentStarted s1")
		r.waits(s, "second")
		s.Prompts.Resume()
		r.pass(time.Second)
		r.got("first", "second")
	})
}
