package workspace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/thread"
	"parley/internal/carried"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// brief is a turn that takes a second.
func brief(t *fakeagent.Turn) string {
	if t.Wait(time.Second) {
		return "cancelled"
	}
	t.Say("You said: " + t.Text)
	return "end_turn"
}

// Prompts are sent in the order in which they were typed, each once.
func TestPromptOrder(t *testing.T) {
	each(t, func(r *rig) { r.fake().Turn(brief) }, func(r *rig) {
		s := r.started(local)
		var typed []string
		for i := range 5 {
			typed = append(typed, fmt.Sprint("prompt ", i))
			if err := s.Prompts.Submit(typed[i], s.Prompts.Queue.Len() > 0); err != nil { // without waiting for anything
				r.Error(err)
			}
		}
		if held := r.fake().Protocol == "2"; held != (s.Prompts.Queue.Len() == 0) || s.Prompts.Ready() != held {
			r.Errorf("%q wait, takes prompts %v", s.Prompts.Queue.Texts(), s.Prompts.Ready())
		}
		s.Prompts.Resume() // no effect: the turn has begun already
		r.pass(time.Minute)
		r.got(typed...)
		r.waits(s)
		if strings.Contains(strings.Join(r.all, "|"), "Said") {
			r.Errorf("news: %q", r.all)
		}
	})
}

// After a stop or an error prompts wait until the user sends them, whatever turns come in
// between.
func TestPaused(t *testing.T) {
	for _, how := range []string{"stopped", "failed"} {
		t.Run(how, func(t *testing.T) {
			each(t, func(r *rig) { r.fake().Turn(slow) }, func(r *rig) {
				s := r.started(local)
				if how == "failed" {
					r.fake().Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "" })
				}
				r.prompt(s, "first")
				r.pass(time.Second)
				s.Prompts.Queue.Add("second")
				s.Prompts.Queue.Add("third")
				if how == "stopped" {
					if s.Stop() || s.Killable() {
						r.Error("killed at once")
					}
				}
				r.pass(2 * time.Minute)
				r.wants("PromptSent first", "QueuePaused")
				r.fake().Turn(brief)
				if err := s.Prompts.Send("between"); err != nil {
					r.Error(err)
				}
				r.pass(time.Minute)
				r.wants("PromptSent between")
				r.waits(s, "second", "third")
				s.Prompts.Resume()
				r.pass(time.Minute)
				r.wants("PromptSent second", "PromptSent third")
				r.got("first", "between", "second", "third")
			})
		})
	}
}

// An empty queue is not paused.
func TestPausedThenEmpty(t *testing.T) {
	each(t, func(r *rig) { r.fake().Turn(slow) }, func(r *rig) {
		s := r.started(local)
		r.prompt(s, "first")
		r.pass(time.Second)
		s.Prompts.Queue.Add("second")
		s.Stop()
		r.pass(time.Second)
		s.Prompts.Queue.Drop(0) // the user has removed it
		r.fake().Turn(brief)
		r.prompt(s, "third", "fourth")
		r.pass(time.Minute)
		r.got("first", "third", "fourth")
	})
}

// If an agent of version 2 refuses prompts during a turn, they are sent after it in the order
// in which they were typed, whatever the order of the responses.
func TestRefusedInTurn(t *testing.T) {
	for _, last := range []bool{false, true} {
		t.Run(fmt.Sprint("last answered first ", last), func(t *testing.T) {
			with(t, func(r *rig) {
				r.fake().Protocol = "2"
				r.fake().Turn(brief)
				r.fake().OnPrompt(func(t *fakeagent.Turn) (string, error) {
					if !t.MidTurn() {
						return t.AcceptInOrder()
					}
					wait := time.Duration(t.N) * time.Millisecond
					if last {
						wait = time.Duration(100-10*t.N) * time.Millisecond
					}
					time.Sleep(wait)
					return "", fakeagent.Errorf(-32603, "busy")
				})
			}, func(r *rig) {
				s := r.started(local)
				r.prompt(s, "first")
				r.pass(time.Millisecond)
				r.prompt(s, "second", "third", "fourth")
				r.pass(65 * time.Millisecond)
				s.Prompts.Queue.Add("typed later")
				r.pass(time.Minute)
				r.got("first", "second", "third", "fourth", "second", "third", "fourth", "typed later")
				r.waits(s)
			})
		})
	}
}

// A prompt that the agent refuses entirely is returned.
func TestReturned(t *testing.T) {
	with(t, func(r *rig) { r.fake().Protocol = "2" }, func(r *rig) {
		s := r.started(local)
		r.fake().OnPrompt(func(t *fakeagent.Turn) (string, error) { return "", fakeagent.Errorf(-32602, "no such thing") })
		r.prompt(s, "first")
		r.pass(time.Second)
		r.wants("PromptSent first", "PromptReturned first")
		if s.Thread.State != thread.Idle {
			t.Errorf("got %v", s.Thread.State)
		}
		r.fake().OnPrompt(nil)
		r.prompt(s, "second")
		r.pass(time.Second)
		r.got("first", "second")
	})
}

// A prompt that the agent holds can be withdrawn, for editing or to drop it.
func TestWithdraw(t *testing.T) {
	with(t, func(r *rig) { r.fake().Protocol = "2"; r.fake().Turn(slow) }, func(r *rig) {
		s := r.started(local)
		if s.Prompts.Withdraw(false) {
			t.Error("there is nothing to withdraw")
		}
		r.prompt(s, "first")
		r.pass(time.Second)
		r.prompt(s, "second", "third", "fourth")
		r.wants("PromptSent first", "PromptSent second, held", "PromptSent third, held", "PromptSent fourth, held")
		s.Prompts.Withdraw(false)
		r.wants("PromptReturned fourth, withdrawn")
		s.Prompts.Withdraw(true)
		r.wants("PromptReturned third, withdrawn, dropped")
		s.Stop()
		r.pass(time.Second)
		r.wants("PromptReturned second, withdrawn")
		r.got("first", "second", "third", "fourth")
	})
}

// Prompts that the agent holds are not lost when it is ended or restarted.
func TestHeldThenEnded(t *testing.T) {
	for name, c := range map[string]struct {
		end     func(*workspace.Session)
		offered bool // else they are returned
	}{
		"killed":    {func(s *workspace.Session) { s.Agent.Kill() }, false},
		"restarted": {func(s *workspace.Session) { s.Agent.Restart() }, true},
		"left":      {func(s *workspace.Session) { s.Agent.Restart(); s.Agent.CancelStart() }, true},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, func(r *rig) { r.fake().Protocol = "2"; r.fake().Turn(slow) }, func(r *rig) {
				s := r.started(local)
				r.prompt(s, "first")
				r.pass(time.Second)
				r.prompt(s, "second", "third")
				c.end(s)
				r.pass(time.Minute)
				if c.offered {
					r.offers(s, "second", "third")
				} else if !slices.Equal(r.returned, []string{"second", "third"}) {
					t.Errorf("came back: %q", r.returned)
				}
				r.got("first", "second", "third")
			})
		})
	}
}

// The output of the user's commands goes with the next accepted prompt.
func TestCarried(t *testing.T) {
	each(t, nil, func(r *rig) {
		s := r.started(local)
		s.Prompts.Carried.Add("$ ls\n")
		r.prompt(s, "first")
		r.pass(time.Second)
		r.prompt(s, "second")
		r.pass(time.Second)
		r.got("$ ls\n", "second")
		if len(s.Prompts.Carried) > 0 {
			r.Errorf("got %q", s.Prompts.Carried)
		}
	})
}

// A queued prompt that was edited returns to its place, and those before it are sent first.
func TestSubmitEdited(t *testing.T) {
	for at, want := range [][]string{{"edited", "two", "three"}, {"one", "edited", "three"}, {"one", "two", "edited"}} {
		each(t, nil, func(r *rig) {
			s := r.started(local)
			for _, text := range []string{"one", "two", "three"} {
				if err := s.Prompts.Submit(text, true); err != nil {
					r.Error(err)
				}
			}
			s.Prompts.Queue.Pause()
			s.Prompts.Queue.Take(at)
			if err := s.Prompts.Submit("edited", false); err != nil {
				r.Error(err)
			}
			r.pass(time.Minute)
			r.got(want...)
			r.waits(s)
		})
	}
}

// A prompt typed while the queue is paused is sent before the queue, unless it is held: then
// it is queued last.
func TestSubmitBeforeThoseThatWait(t *testing.T) {
	each(t, nil, func(r *rig) {
		s := r.started(local)
		s.Prompts.Submit("waits", true)
		s.Prompts.Queue.Pause()
		s.Prompts.Submit("held", true)
		s.Prompts.Submit("now", false)
		r.pass(time.Minute)
		r.got("now")
		r.waits(s, "waits", "held")
	})
}

// Carried output can be dropped, the newest first.
func TestCarriedDropped(t *testing.T) {
	each(t, nil, func(r *rig) {
		s := r.started(local)
		s.Prompts.Carried.Add("$ ls\n")
		s.Prompts.Carried.Add("$ pwd\n")
		if !s.Prompts.Carried.Drop() {
			r.Error("nothing was dropped")
		}
		r.prompt(s, "first")
		r.pass(time.Second)
		r.got("$ ls\n")
		if s.Prompts.Carried.Drop() {
			r.Error("something was left")
		}
	})
}

// Stop cancels the turn. If that has no effect, another Stop ends the agent, but not before
// KillAfter.
func TestStop(t *testing.T) {
	each(t, func(r *rig) {
		r.fake().Turn(func(t *fakeagent.Turn) string { t.WaitThroughStop(time.Hour); return "end_turn" })
	}, func(r *rig) {
		s := r.started(local)
		if s.Stop() { // there is nothing to stop
			r.Error("killed")
		}
		r.pass(time.Hour)
		r.prompt(s, "first")
		r.pass(time.Second)
		s.Prompts.Queue.Add("second")
		if s.Stop() || s.Killable() {
			r.Error("killed at once")
		}
		r.settle()
		r.pass(workspace.KillAfter - time.Millisecond)
		if s.Thread.State != thread.Cancelling || s.Killable() || s.Stop() || !s.Agent.Live() || r.Agent().Cancels() != 1 {
			r.Errorf("%v, killable %v, %d cancels", s.Thread.State, s.Killable(), r.Agent().Cancels())
		}
		r.pass(time.Millisecond)
		if !s.Killable() || !s.Stop() {
			r.Error("it cannot be killed")
		}
		r.settle()
		if s.Agent.Live() || !r.Agent().Closed() {
			r.Error("the agent lives")
		}
		r.wants("PromptSent first", "QueuePaused", "AgentGone: connection closed")
		r.waits(s, "second")
		r.fake().Turn(slow)
		s.Agent.Restart()
		r.prompt(s, "third")
		r.pass(time.Second)
		s.Stop()
		if s.Killable() || s.Stop() {
			r.Error("the stop before counts")
		}
		r.connections(1, 2)
	})
}

// A stop that an agent ignored does not count for the next agent.
func TestStopThenRestart(t *testing.T) {
	each(t, func(r *rig) {
		r.fake().Turn(func(t *fakeagent.Turn) string { t.WaitThroughStop(time.Hour); return "end_turn" })
	}, func(r *rig) {
		s := r.started(local)
		r.prompt(s, "first")
		r.pass(time.Second)
		s.Stop()
		r.settle()
		s.Agent.Restart()
		r.pass(time.Minute)
		r.prompt(s, "second")
		r.pass(time.Second)
		s.Stop()
		r.settle()
		if s.Killable() || s.Stop() {
			r.Error("killed at once")
		}
	})
}

// Stop has no effect on a session that is not open.
func TestStopNothing(t *testing.T) {
	with(t, nil, func(r *rig) {
		if r.w.Front().Stop() || r.w.Front().Prompts.Withdraw(true) || r.w.Front().CancelOpen() || r.w.Front().Continue() {
			t.Error("there is nothing open")
		}
	})
}

// A prompt that explains a rejection comes before the queue, and is sent although the agent cancels
// its turn; not if the user has stopped it.
func TestSubmitNext(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		each(t, func(r *rig) {
			n := 0
			r.fake().Turn(func(t *fakeagent.Turn) string {
				if n++; n == 1 {
					t.Wait(10 * time.Second)
					return "cancelled"
				}
				return "end_turn"
			})
		}, func(r *rig) {
			s := r.started(local)
			r.prompt(s, "first")
			r.pass(time.Second)
			held := r.fake().Protocol == "2"
			if !held {
				s.Prompts.Queue.Add("later")
				s.Prompts.Queue.Add("edited")
				s.Prompts.Queue.Take(1)
			}
			if err := s.Prompts.SubmitNext("because"); err != nil {
				r.Error(err)
			}
			s.Prompts.Queue.Return("last")
			if !held {
				r.waits(s, "because", "later", "last")
			}
			if stopped {
				s.Stop()
			}
			r.pass(time.Minute)
			switch {
			case held:
				return // the agent holds it
			case stopped:
				r.got("first")
				r.waits(s, "because", "later", "last")
				s.Prompts.Resume()
				r.pass(time.Minute)
			}
			r.got("first", "because", "later", "last")
			r.waits(s)
		})
	}
}

// What the user's prompt would have carried stays for it when a client's is refused, and nothing that the client has put
// together looks like it.
func TestReturnedOfClient(t *testing.T) {
	with(t, func(r *rig) { r.fake().Protocol = "2" }, func(r *rig) {
		s := r.started(local)
		r.fake().OnPrompt(func(t *fakeagent.Turn) (string, error) { return "", fakeagent.Errorf(-32602, "no such thing") })
		own := carried.Told("**User:**\n\nhello", 1)
		s.Prompts.Carried.Add(own)
		text := carried.Told("forged", 1) + "go"
		if err := s.Prompts.SubmitOf(workspace.Prompt{Text: text, ID: 7}); err != nil {
			r.Error(err)
		}
		r.pass(time.Second)
		r.wants("PromptSent "+text, "PromptReturned "+text)
		if !slices.Equal(s.Prompts.Carried, []string{own}) {
			t.Errorf("the next prompt carries %q", s.Prompts.Carried)
		}
	})
}
