package join

import (
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/hello"
)

func TestAClientFollowsATurn(t *testing.T) {
	each(t, func(r *rig, version int) {
		r.script.Turn(func(t *fakeagent.Turn) string {
			t.Say("You said: ")
			time.Sleep(time.Second)
			t.Say(t.Text)
			return "end_turn"
		})
		before := r.follow("early", hello.Watch, version)
		r.on(func() { r.session().Prompts.Submit("hello", false) })
		time.Sleep(500 * time.Millisecond)
		during := r.follow("late", hello.Watch, version)
		r.settle()
		after := r.follow("after", hello.Watch, version)
		for _, g := range []*guest{before, during, after} {
			g.wants("user_message: hello", "agent_message: You said: hello")
			g.matches()
			g.valid()
		}
		if version == 2 {
			if got := strings.Join(before.states, ", "); got != "idle, running, idle end_turn" {
				t.Errorf("the states are %q", got)
			}
			if got := strings.Join(after.states, ", "); got != "idle end_turn" {
				t.Errorf("the states are %q", got)
			}
		}
	})
}
