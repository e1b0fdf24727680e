package linear

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/undo"
	"parley/internal/undo/undotest"
)

// /fork continues in a copy of the session, where the agent can make one.
func TestFork(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Capabilities(`,"agentCapabilities":{"sessionCapabilities":{"fork":{}}}`)
		r.fake.Answer("session/fork", `{"sessionId":"copy"}`)
	}, func(r *rig) {
		r.types("/fork", "one")
		r.pause()
		r.sees("Not forked: no prompts yet.")
		r.types("/fork")
		r.pause()
		r.sees("Opening another session.", "Now in session: one (fork).", "You: one", "Notice: A fork: the agent has copied the session above; both work on the same files.")
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
		r.sees("Now in session: one (fork).", "You: one", "Notice: Forked by copying: your next prompt includes the conversation so far. Both sessions share these files.")
		r.types("two")
		r.pause()
		r.fresh()
		blocks := r.Agent().Blocks()
		if last := blocks[len(blocks)-1]; !strings.Contains(last, "You said: one") || !strings.Contains(last, `"two"`) {
			t.Errorf("the agent got %s", last)
		}
		r.types("/fork 3", "/fork x")
		r.sees("Not forked: no prompt has that number; /turns lists them.")
		r.types("/transcript")
		time.Sleep(time.Second)
		r.sees("(with the conversation so far (1 prompt,")
	})
}

// ctrl+c or /stop gives up a session that the agent does not open.
func TestGiveUpOpening(t *testing.T) {
	for _, stop := range []func(*rig){func(r *rig) { r.interrupt() }, func(r *rig) { r.types("/stop") }} {
		talkTo(t, func(r *rig) {
			r.fake.Capabilities(`,"agentCapabilities":{"sessionCapabilities":{"fork":{}}}`)
			r.fake.On("session/fork", func(c *fakeagent.Call) (string, error) { c.Wait(time.Hour); return `{"sessionId":"copy"}`, nil })
		}, func(r *rig) {
			r.types("one")
			r.pause()
			r.types("/fork")
			r.pause()
			r.fresh()
			stop(r)
			r.pause()
			r.sees("Cannot open the session: opening the session was cancelled.")
			r.types("two")
			r.pause()
			r.sees("You said: two")
		})
	}
}

// /undo and a number restores files to before that prompt, after a question.
func TestUndoToBeforeAPrompt(t *testing.T) {
	j := &undotest.Journal{
		Files: []undo.Change{{Path: "/x/old.go", Kind: undo.Changed, Turn: 1}, {Path: "/x/a.go", Kind: undo.Created, Turn: 2}, {Path: "/x/b.go", Kind: undo.Changed, Turn: 3}},
		Refuse: func(c undo.Change) error {
			if c.Path == "/x/b.go" {
				return undo.ErrChangedSince
			}
			return nil
		},
	}
	talkTo(t, func(r *rig) {
		r.Change = recording(j)
	}, func(r *rig) {
		r.types("one", "two", "three", "/turns")
		r.pause()
		r.sees("2. two", "/undo and a number restores files to before that prompt")
		r.types("/undo 4")
		r.sees("Not restored: no prompt has that number; /turns lists them.")
		r.types("/undo 2")
		r.pause()
		r.sees("Cannot be restored: changed /x/b.go via parley: it was changed since.", "Can be restored: created /x/a.go via parley.", "Restore files to before prompt 2, 1 file?")
		r.types("0", "/undo 2")
		r.pause()
		if undone := j.Undone(); len(undone) > 0 {
			t.Fatalf("undone without a yes: %q", undone)
		}
		r.types("1")
		r.pause()
		r.sees("Removed /x/a.go (the agent was not told).")
		if undone := j.Undone(); !slices.Equal(undone, []string{"/x/a.go of turn 2"}) {
			t.Errorf("undone %q", undone)
		}
	})
}
