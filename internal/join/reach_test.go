package join

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/hello"
	"parley/internal/must"
)

// An @ of the user's reads a file. A client gets no files, also when its prompt was queued and it has left.
func TestPromptsReadNoFile(t *testing.T) {
	each(t, func(r *rig, version int) {
		must.Do(r.T, os.WriteFile(filepath.Join(r.Cwd, ".env"), []byte("KEY=hunter2"), 0o600))
		r.script.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
		phone := r.follow("phone", hello.Talk, version)
		for _, text := range []string{"first @.env", "second @.env", "/agent:review @.env"} {
			phone.prompt(text)
		}
		phone.begin("session/prompt", `{"sessionId":"s1","prompt":[{"type":"resource_link","name":".env x","uri":"x"}]}`)
		r.settle()
		phone.peer.Close(nil)
		time.Sleep(10 * time.Minute)
		got := r.Agent().Blocks()
		if all := strings.Join(got, "\n"); len(got) != 4 || strings.Contains(all, "resource") || strings.Contains(all, "file:") {
			t.Errorf("the agent got %q", got)
		}
		r.on(func() { must.Do(r.T, r.session().Prompts.Submit("second @.env", false)) })
		time.Sleep(10 * time.Minute)
		if got := r.Agent().Blocks(); len(got) != 5 || !strings.Contains(got[4], "file:") {
			t.Errorf("of the user the agent got %q", got)
		}
	})
}

// Nor do prompts that took a detour: refused in a turn with output of the user's command in front, and taken up by
// the user who looks through the queue. One that the user has changed is the user's.
func TestPromptsReadNoFileAfterADetour(t *testing.T) {
	with(t, "2", Options{}, func(r *rig) {
		must.Do(r.T, os.WriteFile(filepath.Join(r.Cwd, ".env"), []byte("KEY=hunter2"), 0o600))
		r.script.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
		r.script.OnPrompt(func(t *fakeagent.Turn) (string, error) {
			if !t.MidTurn() {
				return t.AcceptInOrder()
			}
			return "", fakeagent.Errorf(-32603, "busy")
		})
		phone := r.follow("phone", hello.Talk, 2)
		phone.prompt("first")
		r.settle()
		r.on(func() { r.session().Prompts.Carried.Add("output\n") })
		phone.prompt("refused @.env")
		r.settle()
		refused := len(r.Agent().Blocks())
		r.on(func() {
			r.session().Prompts.Queue.Pause()
			if n := len(r.session().Prompts.Queue.Texts()); n != 1 {
				t.Errorf("%d prompts wait", n)
			}
		})
		looked, changed := phone.prompt("looked at @.env"), phone.prompt("changed @.env")
		r.settle()
		r.on(func() {
			q := &r.session().Prompts.Queue
			q.Return(q.Take(1))
			q.Return(q.Take(2) + "!")
		})
		r.settle()
		if got := outcome(looked) + outcome(changed); !strings.Contains(got, "ancel") || outcome(looked) != "" {
			t.Errorf("the prompts were answered with %q, %q", outcome(looked), outcome(changed))
		}
		r.on(func() { r.session().Prompts.Resume() })
		time.Sleep(10 * time.Minute)
		got := r.Agent().Blocks()[refused:]
		if all := strings.Join(got, "\n"); len(got) != 3 || strings.Count(all, "file:") != 1 || !strings.Contains(got[2], "file:") {
			t.Errorf("the agent got %q", got)
		}
	})
}

// Nor is a prompt a line for the user's shell, should it come into the draft.
func TestPromptsAreNoShellLines(t *testing.T) {
	with(t, "1", Options{}, func(r *rig) {
		r.script.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
		phone := r.follow("phone", hello.Talk, 1)
		call := phone.prompt("!first")
		phone.prompt("!touch x")
		r.settle()
		r.on(func() {
			if got := r.session().Prompts.Queue.Texts(); len(got) != 1 || got[0] != " !touch x" {
				t.Errorf("%q wait", got)
			}
		})
		time.Sleep(10 * time.Minute)
		if outcome(call) != ended(1) {
			t.Errorf("answered %q", outcome(call))
		}
	})
}
