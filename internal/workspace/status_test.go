package workspace_test

import (
	"slices"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/fakeagent"
	"parley/internal/keeper"
	"parley/internal/workspace"
)

// is compares the status with what is wanted of it.
func (r *rig) is(state keeper.State, waits string) keeper.Status {
	r.Helper()
	r.settle()
	got := r.w.Status()
	if got.State != state || got.Waits != waits {
		r.Errorf("the status is %q, waiting for %q; want %q, %q", got.State, got.Waits, state, waits)
	}
	return got
}

// The status is that of the session that decides it: one that waits for the user, else one that works.
func TestStatus(t *testing.T) {
	each(t, func(r *rig) {
		r.fake().Capabilities(loads)
		r.opts.ResumeArgs = func(s workspace.ResumableSession) []string {
			return []string{s.Agent.Name, "--resume", s.Session}
		}
	}, func(r *rig) {
		r.is(keeper.Idle, "")
		s := r.started(local)
		if got := r.is(keeper.Idle, ""); got.Agent != "fake" || got.Dir != r.Cwd || got.Resume != nil {
			r.Errorf("got %+v", got)
		}
		r.fake().Turn(slow)
		r.prompt(s, "look at\x1b]0;x\a this\nand that")
		began := time.Now()
		if got := r.is(keeper.Running, ""); got.Title != "look at this and that" || !got.Since.Equal(began) || len(got.Resume) != 3 {
			r.Errorf("got %+v", got)
		}
		r.pass(time.Minute)
		if got := r.is(keeper.Running, ""); !got.Since.Equal(began) {
			r.Errorf("since %v, want %v", got.Since, began)
		}
		s.Agent.NewSession()
		r.settle()
		front := r.w.Front()
		if got := r.is(keeper.Running, ""); front == s || got.Title == "" {
			r.Errorf("a session in the background runs: got %+v", got)
		}
		front.Apply(event.ElicitationAsked{For: event.For{Session: front.Thread.Session}, Key: 1, Message: "Which \x1b[2Jone?"})
		if got := r.is(keeper.Waiting, "Which one?"); got.Title != "" || got.Since.Equal(began) {
			r.Errorf("got %+v", got)
		}
		front.Apply(event.ElicitationEnded{For: event.For{Session: front.Thread.Session}, Key: 1})
		r.is(keeper.Running, "")
		s.Stop()
		r.pass(time.Minute)
		r.is(keeper.Idle, "")
		front.Thread.Apply(thread.ShellAsked{Key: 7, Command: "make"})
		r.is(keeper.Running, "")
		front.Thread.Apply(thread.ShellEnded{Key: 7})
		front.Thread.Apply(thread.ShellEnded{Key: 7})
		r.is(keeper.Idle, "")
		r.lose()
		r.is(keeper.Ended, "")
	})
}

func TestNotable(t *testing.T) {
	each(t, nil, func(r *rig) {
		s := r.started(far)
		var told []string
		r.hear = func(n workspace.News) {
			if why, line := workspace.Notable(n); why != "" {
				told = append(told, string(why)+": "+line)
			}
		}
		said := func(want ...string) {
			r.Helper()
			r.pass(time.Minute)
			if !slices.Equal(told, want) {
				r.Errorf("got %q, want %q", told, want)
			}
			told = nil
		}
		r.fake().Turn(func(t *fakeagent.Turn) string {
			t.Ask(`{"toolCallId":"t1","title":"Push","kind":"execute","status":"pending","rawInput":{"command":"git push","cwd":"/x"}}`, `[{"optionId":"no","name":"Reject","kind":"reject_once"}]`)
			t.Say("Not **pushed**.\nWhat next?")
			return "end_turn"
		})
		r.prompt(s, "push")
		const question = "Run outside the project: /x: git push"
		r.pass(time.Second)
		r.is(keeper.Waiting, question)
		said("waits: " + question)
		s.Broker().Reject(1)
		said("done: Not **pushed**.")
		r.is(keeper.Idle, "")
		r.fake().Turn(slow)
		r.prompt(s, "wait")
		s.Stop()
		said()
		r.lose()
		said("lost: no connection to wss://far.example.org/acp: the other side has ended it")
	})
}
