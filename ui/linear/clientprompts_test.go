package linear

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/must"
	"parley/internal/workspace"
)

// A prompt of a client that may not have arrived reads no file when the user sends it again, and is not in the history.
func TestResendOfClient(t *testing.T) {
	var submit chan struct{} // closed when the client sends its prompt
	talkTo(t, func(r *rig) {
		remote(r)
		r.opts.Agents[0].Shared = true // it has the files of this machine
		ways["resume"](r)
		r.opts.ReadFile = onlyFile
		r.opts.Begun = func(w *workspace.Workspace) {
			submit = make(chan struct{})
			w.Run(func(context.Context) func() {
				<-submit
				return func() { must.Do(t, w.Front().Prompts.SubmitOf(workspace.Prompt{Text: "look at @a.txt", ID: 7})) }
			})
		}
		r.fake.On("session/resume", func(*fakeagent.Call) (string, error) { return "{}", nil })
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			if len(r.Agents()) == 1 {
				tn.Wait(time.Hour)
			}
			return "end_turn"
		})
	}, func(r *rig) {
		r.fresh()
		close(submit)
		r.pause()
		r.Agent().Close()
		time.Sleep(10 * time.Second)
		r.sees("may not have arrived; /resend sends it again: look at @a.txt")
		r.types("/resend")
		time.Sleep(time.Minute)
		if got := r.Agent().Blocks(); len(got) != 1 || !strings.Contains(got[0], "look at @a.txt") || strings.Contains(got[0], "file:") {
			t.Errorf("the agent got %q", got)
		}
	})
}

// A prompt that the agent has returned is no command of parley's when it is sent again.
func TestReturnedIsNoCommand(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Protocol = "2"
		r.fake.OnPrompt(func(tn *fakeagent.Turn) (string, error) {
			if len(r.Agent().Prompts()) > 1 {
				return tn.AcceptInOrder()
			}
			return "", fakeagent.Errorf(-32602, "not that")
		})
	}, func(r *rig) {
		r.fresh()
		r.types("/agent:quit", "")
		time.Sleep(time.Minute)
		if got := r.Agent().Prompts(); strings.Join(got, "|") != "/quit|/quit" {
			t.Errorf("the agent got %q", got)
		}
	})
}
