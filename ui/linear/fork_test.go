package linear

import (
	"strings"
	"testing"
	"time"
)

// /fork continues in a copy of the session, where the agent can make one.
func TestFork(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Capabilities(`,"agentCapabilities":{"sessionCapabilities":{"fork":{}}}`)
		r.fake.Answer("session/fork", `{"sessionId":"copy"}`)
	}, func(r *rig) {
		r.types("/fork", "one")
		r.pause()
		r.sees("No prompts yet.")
		r.types("/fork")
		r.pause()
		r.sees("A fork: the agent has copied the session above; both work on the same files.", "Now in session:", "You: one")
		r.types("two")
		r.pause()
		r.sees("You said: two")
		if calls := r.Agent().Calls("session/prompt"); len(r.Agent().Calls("session/fork")) != 1 {
			t.Errorf("the agent got %q", calls)
		}
	})
}

// With an agent that cannot, the conversation goes with the next prompt.
func TestForkWithTheConversation(t *testing.T) {
	talkTo(t, nil, func(r *rig) {
		r.types("one")
		r.pause()
		r.fresh()
		r.types("/fork")
		r.pause()
		r.sees("A new session: fake cannot fork sessions, so the conversation so far goes with your next prompt; both work on the same files.")
		r.types("two")
		r.pause()
		r.fresh()
		blocks := r.Agent().Blocks()
		if last := blocks[len(blocks)-1]; !strings.Contains(last, "You said: one") || !strings.Contains(last, `"two"`) {
			t.Errorf("the agent got %s", last)
		}
		r.types("/transcript")
		time.Sleep(time.Second)
		r.sees("(with the conversation so far (1 prompt,")
	})
}
