package workspace_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

const keeps = `,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{}}}`

// kept is a session that the agent lists.
var kept = event.StoredSession{ID: "kept", Cwd: os.TempDir(), Title: "Parser"}

// eachKeeping runs a test with agents of both versions that store sessions.
func eachKeeping(t *testing.T, f func(r *rig, s *workspace.Session)) {
	each(t, func(r *rig) {
		if r.fake().Protocol == "1" {
			r.fake().Capabilities(keeps)
		}
		for _, method := range []string{"session/load", "session/resume", "session/close", "session/delete"} {
			r.fake().Answer(method, "{}")
		}
		r.fake().Answer("session/list", `{"sessions":[{"sessionId":"kept","cwd":`+fakeagent.Quote(kept.Cwd)+`,"title":"Parser"}]}`)
	}, func(r *rig) { f(r, r.started(local)) })
}

// Prompts typed while a session opens are sent in it, in order.
func TestNewSession(t *testing.T) {
	each(t, nil, func(r *rig) {
		s := r.started(local)
		r.fake().On("session/new", func(c *fakeagent.Call) (string, error) {
			c.Agent.Update("s2", `{"sessionUpdate":"session_info_update","title":"Told early"}`)
			c.Wait(time.Second)
			return `{"sessionId":"s2"}`, nil
		})
		s.Agent.NewSession()
		s.Agent.NewSession()
		second := r.w.Front()
		r.prompt(second, "first")
		second.Prompts.Queue.Add("second")
		if second == s || !second.Waiting() {
			r.Fatal("none is opened")
		}
		r.pass(2 * time.Second)
		if second.Waiting() || second.Thread.Title != "Told early" || s.Thread.Title != "" {
			r.Errorf("waiting %v, titles %q and %q", second.Waiting(), second.Thread.Title, s.Thread.Title)
		}
		r.wants("SessionShown -", "Said A session is already being opened", "SessionOpened s2", "PromptSent first", "PromptSent second")
		r.got("first", "second")
		if got := s.Agent.Sessions(); !slices.Equal(got, []*workspace.Session{s, second}) || s.HasPrompt() || !second.HasPrompt() {
			r.Errorf("%d sessions", len(got))
		}
	})
}

// A session that is refused or cancelled is removed with the prompts typed for it.
func TestNewSessionFails(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(*fakeagent.Call) (string, error)
		giveUp bool
		says   string
	}{
		"refused":  {func(c *fakeagent.Call) (string, error) { return "", errAway }, false, "SessionNotOpened: open a session: …"},
		"given up": {func(c *fakeagent.Call) (string, error) { c.Wait(time.Hour); return `{"sessionId":"late"}`, nil }, true, "SessionNotOpened: opening the session was cancelled"},
		"silent":   {func(c *fakeagent.Call) (string, error) { c.Wait(time.Hour); return "", errAway }, false, "SessionNotOpened: open a session: no answer within 5 min"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, nil, func(r *rig) {
				s := r.started(local)
				r.fake().On("session/new", c.answer)
				s.Agent.NewSession()
				second := r.w.Front()
				second.Prompts.Queue.Add("typed")
				r.settle()
				if c.giveUp && (!second.CancelOpen() || s.CancelOpen()) {
					r.Error("it cannot be given up")
				}
				r.pass(30 * time.Minute)
				r.wants("SessionShown -", "SessionShown s1", "SessionRemoved -", c.says)
				if r.w.Front() != s || len(r.w.Sessions()) != 1 || !slices.Equal(r.returned, []string{"typed"}) || second.CancelOpen() {
					r.Errorf("%d sessions, came back: %q", len(r.w.Sessions()), r.returned)
				}
				r.fake().On("session/new", nil)
				s.Agent.NewSession()
				r.wants("SessionShown -", "SessionOpened s3")
				if !s.Agent.Live() {
					r.Error("the agent has ended")
				}
			})
		})
	}
}

// A session that opens just before the user cancels it, which parley has not noticed yet, is
// closed.
func TestCancelTooLate(t *testing.T) {
	each(t, nil, func(r *rig) {
		s := r.started(local)
		s.Agent.NewSession()
		second := r.w.Front()
		r.run()
		if !second.Opening() || !second.CancelOpen() {
			t.Error("it cannot be cancelled")
		}
		r.wants("SessionShown -", "SessionShown s1", "SessionRemoved -", "SessionNotOpened: opening the session was cancelled")
		if second.Opening() || r.w.Front() != s || len(r.w.Sessions()) != 1 {
			t.Errorf("%d sessions are open", len(r.w.Sessions()))
		}
	})
}

// A session that is closed while it opens is also closed at the agent. Its late events go to
// no other session.
func TestCloseWhileOpening(t *testing.T) {
	for name, open := range map[string]func(*workspace.Agent){
		"new":    func(a *workspace.Agent) { a.NewSession() },
		"listed": func(a *workspace.Agent) { a.OpenStored(kept, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			eachKeeping(t, func(r *rig, s *workspace.Session) {
				stubborn := func(c *fakeagent.Call) (string, error) { // it ignores the cancellation
					time.Sleep(time.Second)
					return `{"sessionId":"kept"}`, nil
				}
				for _, method := range []string{"session/new", "session/load", "session/resume"} {
					r.fake().On(method, stubborn)
				}
				open(s.Agent)
				second := r.w.Front()
				second.Prompts.Queue.Add("typed")
				second.Close()
				r.settle()
				r.Agent().Say("kept", "agent", "too early")
				r.pass(2 * time.Second)
				r.fake().On("session/new", func(c *fakeagent.Call) (string, error) {
					c.Agent.Say("kept", "agent", "too late")
					return `{"sessionId":"third"}`, nil
				})
				s.Agent.NewSession()
				r.pass(time.Second)
				if third := r.w.Front(); third.Thread.Session != "third" || says(third, "too") || says(second, "too") || says(s, "too") {
					r.Errorf("%q has got what was for another one", third.Thread.Session)
				}
				if len(r.w.Sessions()) != 2 || !slices.Equal(r.returned, []string{"typed"}) || second.IsOpen() {
					r.Errorf("%d sessions, came back: %q", len(r.w.Sessions()), r.returned)
				}
				for _, line := range r.all {
					if strings.HasPrefix(line, "PromptSent") || strings.HasPrefix(line, "SessionOpened kept") {
						r.Error(line)
					}
				}
			})
		})
	}
}

// A session that has opened but is closed before that is handled receives no event.
func TestCloseBeforeOpened(t *testing.T) {
	each(t, nil, func(r *rig) {
		s := r.started(local)
		r.fake().On("session/new", func(c *fakeagent.Call) (string, error) {
			c.Agent.Update("s2", `{"sessionUpdate":"session_info_update","title":"Told early"}`)
			return `{"sessionId":"s2"}`, nil
		})
		s.Agent.NewSession()
		second := r.w.Front()
		r.hear = func(n workspace.News) {
			if n, ok := n.(workspace.EventApplied); ok && n.Session == second {
				r.Errorf("applied: %#v", n.Event)
			}
		}
		r.run()
		second.Close()
		r.pass(time.Second)
		if second.Thread.Title != "" || second.IsOpen() {
			r.Error("it has opened")
		}
		r.wants("SessionShown -", "SessionShown s1", "SessionRemoved -")
		s.Agent.NewSession()
		r.pass(time.Second)
		if r.w.Front() == s || !r.w.Front().IsOpen() {
			r.Error("no other session opens")
		}
	})
}

// Listed sessions are opened by loading, with the conversation as the agent replays it.
func TestOpenListed(t *testing.T) {
	eachKeeping(t, func(r *rig, s *workspace.Session) {
		told := func(c *fakeagent.Call) (string, error) {
			c.Agent.Say("kept", "user", "long ago")
			c.Agent.Say("kept", "agent", "done")
			return "{}", nil
		}
		r.fake().On("session/load", told)
		r.fake().On("session/resume", told)
		r.w.List()
		r.wants("SessionsListed")
		if l := s.Agent.StoredSessions(); len(l) != 1 || l[0].ID != "kept" || l[0].Title != "Parser" {
			r.Errorf("listed: %v", l)
		}
		s.Agent.OpenStored(s.Agent.StoredSessions()[0], nil)
		second := r.w.Front()
		if second.Thread.Title != "Parser" || second.Dir != kept.Cwd || !second.Waiting() {
			r.Errorf("%q in %q", second.Thread.Title, second.Dir)
		}
		r.prompt(second, "more")
		r.pass(5 * time.Second)
		r.wants("SessionShown kept", "SessionOpened kept", "PromptSent more")
		if !says(second, "long ago") || !says(second, "You said: more") || says(s, "long ago") || !second.Resumable() {
			r.Error("the history is not there")
		}
		s.Agent.OpenStored(kept, nil)
		r.wants("SessionShown kept")
		r.prompt(second, "and more")
		r.pass(time.Second)
		if r.w.Front() != second || !says(second, "You said: and more") {
			r.Error("the open session is not there any longer")
		}
	})
}

// A session that its agent refuses is shown from its log, if there is one.
func TestOpenListedRefused(t *testing.T) {
	logged := workspace.Logged{Agent: "fake", Session: "kept", Title: "Parser", Replay: func(_ context.Context, sink event.Sink) error {
		sink.Post(event.TextArrived{For: event.For{Session: "kept"}, Role: event.Agent, Text: "as it was logged"})
		return nil
	}}
	for name, c := range map[string]struct {
		logged *workspace.Logged
		code   int
		news   []string
	}{
		"no log": {nil, -32002, []string{"SessionShown kept", "SessionShown s1", "SessionRemoved kept", "SessionNotOpened: …"}},
		"a log":  {&logged, -32002, []string{"SessionShown kept", "SessionShown s1", "SessionRemoved kept", "SessionShown kept", "SessionNotOpened: …"}},
		"login":  {&logged, -32000, []string{"SessionShown kept", "SessionShown s1", "SessionRemoved kept", "SessionNotOpened: …"}},
	} {
		t.Run(name, func(t *testing.T) {
			eachKeeping(t, func(r *rig, s *workspace.Session) {
				r.fake().Fail("session/load", c.code, "never heard of it")
				r.fake().Fail("session/resume", c.code, "never heard of it")
				s.Agent.OpenStored(kept, c.logged)
				r.wants(c.news...)
				front := r.w.Front()
				if shown := len(c.news) > 4; front.ReadOnly != shown || says(front, "as it was logged") != shown {
					r.Errorf("read only %v: %v", front.ReadOnly, front.Thread.Items)
				}
				if front.ReadOnly {
					if front.ReadOnlyReason != "fake refused it: never heard of it (-32002)" || front.Thread.State != thread.Ended || front.Agent.Live() {
						r.Errorf("%q, %v", front.ReadOnlyReason, front.Thread.State)
					}
					front.Close()
					r.wants("SessionShown s1", "SessionRemoved kept")
				}
				if !s.Agent.Live() {
					r.Error("the agent has ended")
				}
			})
		})
	}
}

// An agent that cannot reopen sessions is not asked to.
func TestOpenListedNever(t *testing.T) {
	with(t, nil, func(r *rig) {
		s := r.started(local)
		s.Agent.OpenStored(kept, nil)
		r.wants("Said The agent cannot reopen sessions")
		r.lose()
		r.news = nil
		s.Agent.OpenStored(kept, nil)
		s.Agent.NewSession()
		r.wants("Said The agent has ended", "Said The agent has ended")
	})
}

// An agent opens no other session before its first one is open.
func TestOpenListedTooSoon(t *testing.T) {
	with(t, func(r *rig) {
		(&guard{sessions: true}).set(r)
		r.fake().Capabilities(keeps + logins)
		r.fake().Answer("session/load", "{}")
	}, func(r *rig) {
		a := r.w.Start(local)
		r.wants("AgentStarting", wantedFirst)
		a.OpenStored(kept, nil)
		a.NewSession()
		r.wants("Said A session is already being opened", "Said A session is already being opened")
	})
}

// Closing a session ends it at the agent. Its late events are ignored.
func TestCloseSession(t *testing.T) {
	eachKeeping(t, func(r *rig, s *workspace.Session) {
		s.Agent.NewSession()
		r.settle()
		second := r.w.Front()
		r.fake().Turn(func(t *fakeagent.Turn) string { t.WaitThroughStop(time.Second); t.Say("too late"); return "end_turn" })
		r.prompt(second, "first")
		r.news = nil
		second.Prompts.Queue.Add("second")
		items := len(second.Thread.Items)
		second.Close()
		r.pass(time.Minute)
		r.wants("SessionShown s1", "SessionRemoved s2", "Said Closed", "SessionsListed")
		if got := r.Agent().Calls("session/close"); len(got) != 1 || !strings.Contains(got[0], `"s2"`) {
			r.Errorf("closed: %q", got)
		}
		if len(second.Thread.Items) != items || says(s, "too late") || !slices.Equal(r.returned, []string{"second"}) {
			r.Errorf("came back: %q", r.returned)
		}
		r.got("first")
		r.connections(1, 1)
	})
}

// An agent ends with its last session, however that one ends.
func TestAgentEndsWithSessions(t *testing.T) {
	for name, end := range map[string]func(r *rig, s *workspace.Session){
		"closed": func(r *rig, s *workspace.Session) { s.Close() },
		"lost while it opens": func(r *rig, s *workspace.Session) {
			r.fake().Fail("session/new", -32603, "no more")
			s.Agent.NewSession()
			s.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, nil, func(r *rig) {
				first := r.started(other)
				s := r.w.Start(local).Front()
				r.settle()
				r.connections(2, 2)
				end(r, s)
				r.pass(time.Second)
				r.connections(1, 2)
				if r.w.Front() != first || len(r.w.Agents()) != 1 {
					t.Errorf("%d agents", len(r.w.Agents()))
				}
			})
		})
	}
}

// Delete reports the outcome and lists the remaining sessions.
func TestDelete(t *testing.T) {
	eachKeeping(t, func(r *rig, s *workspace.Session) {
		s.Agent.Delete("kept")
		r.wants("Said Deleted", "SessionsListed")
		r.fake().Fail("session/delete", -32603, "not now")
		s.Agent.Delete("kept")
		r.wants("Said Delete the session: the agent answered: not now (-32603)", "SessionsListed")
	})
}

// A conversation whose agent has ended stays until another agent replaces it.
func TestLeaveConversation(t *testing.T) {
	with(t, nil, func(r *rig) {
		s := r.started(local)
		r.prompt(s, "first")
		r.Dial = func(int, workspace.Spec) error { time.Sleep(time.Minute); return errors.New("late") }
		s.Agent.Restart()
		r.pass(time.Second)
		s.Agent.CancelStart()
		r.pass(time.Hour)
		r.wants("PromptSent first", "AgentStarting")
		if s.Thread.State != thread.Ended || !says(s, "You said: first") || !s.Continue() {
			t.Errorf("got %v", s.Thread.State)
		}
		r.connections(0, 1)
	})
}

// Names and Records list each agent once.
func TestNamesAndRecords(t *testing.T) {
	each(t, nil, func(r *rig) {
		if names := r.w.Names(); len(names) > 0 {
			r.Errorf("%q before anything was started", names)
		}
		s := r.started(local)
		closed := r.w.Add(s.Agent)
		s.Agent.ConnForTest().Record = "/logs/one.jsonl"
		if names, records := r.w.Names(), r.w.Records(); !slices.Equal(names, []string{s.Agent.Name()}) || !slices.Equal(records, []string{"/logs/one.jsonl"}) {
			r.Errorf("%q, %q", names, records)
		}
		if dir := s.LocalDir(); dir != s.Cwd() {
			r.Errorf("commands run in %q", dir)
		}
		s.Agent.Spec.Remote = true
		if dir := s.LocalDir(); dir != closed.LocalDir() || dir == "" {
			r.Errorf("commands of a remote agent's user run in %q", dir)
		}
		s.Dir = "/here" // the agent works elsewhere
		if roots := s.Roots(); !slices.Equal(roots, []string{"/here"}) {
			r.Errorf("files for a remote agent are looked up in %q", roots)
		}
	})
}
