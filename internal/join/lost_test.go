package join

import (
	"slices"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/hello"
	"parley/internal/workspace"
)

// After a lost connection the agent replays the conversation. Clients have it already, and get what is new.
func TestAReplayedConversation(t *testing.T) {
	for _, version := range []int{1, 2} {
		with(t, "1", Options{}, func(r *rig) {
			r.script.Capabilities(`,"agentCapabilities":{"loadSession":true}`)
			r.script.On("session/load", func(c *fakeagent.Call) (string, error) {
				for _, said := range [][2]string{{"user", "hello"}, {"agent", "You said: hello"}, {"user", "elsewhere"}, {"agent", "yes"}} {
					c.Agent.Say(c.ID, said[0], said[1])
				}
				return "{}", nil
			})
			r.on(func() {
				r.w.Start(workspace.Spec{Name: "fake", Command: "wss://far.example.org/acp", Remote: true})
			})
			r.settle()
			g := r.join("phone", hello.Talk, version)
			id := r.id()
			g.load(id)
			g.must("session/prompt", `{"sessionId":"`+id+`","prompt":[{"type":"text","text":"hello"}]}`)
			waits := g.begin("session/list", `{}`)
			r.settle()
			outcome(waits)
			r.Agent().Close()
			time.Sleep(time.Minute)
			r.settle()
			want := []string{"user_message: hello", "agent_message: You said: hello", "user_message: elsewhere", "agent_message: yes"}
			if version == 1 {
				want = want[1:]
			}
			g.wants(want...)
			late := r.join("late", hello.Watch, version)
			late.load(id)
			r.settle()
			if got := late.said(); len(got) < 4 || !slices.Contains(got, "agent_message: yes") {
				t.Errorf("the late one has %q", got)
			}
			g.valid()
		})
	}
}

func TestALostPrompt(t *testing.T) {
	each(t, func(r *rig, version int) {
		r.script.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Hour); return "end_turn" })
		phone := r.follow("phone", hello.Talk, version)
		call := phone.prompt("hello")
		r.settle()
		r.Agent().Close()
		r.settle()
		if outcome(call) == "" {
			t.Error("the prompt has no answer")
		}
		r.on(func() { r.session().Agent.Restart() })
		r.settle()
		phone.must("session/list", `{}`)
		phone.prompt("again")
		r.settle()
		if got := r.Agent().Prompts(); !slices.Equal(got, []string{"again"}) {
			t.Errorf("the agent got %q", got)
		}
	})
}

func TestARemovedSession(t *testing.T) {
	each(t, func(r *rig, version int) {
		r.script.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Hour); return "end_turn" })
		phone := r.follow("phone", hello.Talk, version)
		first, second := phone.prompt("hello"), phone.prompt("more")
		r.on(func() { r.session().Agent.NewSession() })
		r.settle()
		r.on(func() { r.w.Sessions()[0].Close() })
		r.settle()
		if version == 1 && outcome(first) == "" || outcome(second) == "" {
			t.Errorf("the prompts ended with %q, %q", outcome(first), outcome(second))
		}
		phone.fails(-32002, "session/status", `{"sessionId":"s1"}`)
	})
}
