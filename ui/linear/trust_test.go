package linear

import (
	"testing"

	"parley/internal/fakeagent"
	"parley/internal/must"
	"parley/internal/undo"
	"parley/internal/undo/undotest"
	"parley/internal/workspace"
	"parley/permissions"
)

// Modes are chosen by number. Allowing everything needs a second yes.
func TestApproval(t *testing.T) {
	talkTo(t, asks, func(r *rig) {
		r.fresh()
		r.types("/approval")
		r.sees("Approval mode:", "1. ask: Ask about everything that no rule covers (now)", "4. all: Allow everything in this session, until parley ends")
		r.types("4")
		r.sees("Allow everything in this session, commands and files, without a question?", "0. No, keep the mode")
		r.types("0", "push it")
		r.sees("Question 1 of 1: fake asks.")
		r.pause()
		r.types("3")
		r.sees("Turn ended.")
		r.fresh()
		r.types("/approval", "4", "1", "push it")
		r.sees("Approval mode: all,", "Allowed by mode: all: git push origin HEAD.", "Turn ended.")
		r.types("/trust")
		r.sees("The agent reported no changes and no commands.")
	})
}

func TestUndo(t *testing.T) {
	j := &undotest.Journal{
		Files: []undo.Change{{Path: "/x/old.go", Kind: undo.Changed, Turn: 1}, {Path: "/x/a.go", Kind: undo.Created, By: undo.OnDisk, Turn: 2}, {Path: "/x/b.go", Kind: undo.Changed, By: undo.OnDisk, Turn: 2}},
		Text:  func(c undo.Change) (string, string, bool) { return "a\nb\nc\n", "a\n\x1bB\n", c.Path == "/x/old.go" },
		Refuse: func(c undo.Change) error {
			if c.Path == "/x/b.go" {
				return undo.ErrChangedSince
			}
			return nil
		},
	}
	talkTo(t, nil, func(r *rig) {
		r.fresh()
		r.types("/undo")
		r.sees("Changes are not tracked in this session.")
	})
	talkTo(t, func(r *rig) {
		r.Change = recording(j)
	}, func(r *rig) {
		r.fresh()
		r.types("/review")
		r.sees("Turn 1: changed /x/old.go via parley, 1 line added, 2 removed.", "Turn 2: created /x/a.go on disk, its content is no text or was not kept.", "/review FILE shows the changed lines")
		r.types("/changes old.go")
		r.sees("Change of /x/old.go:", "Line 2, removed: b", "Line 2, added: <\\x1b>B", "End of the change.")
		r.types("/review nothing")
		r.sees("No changed file is named nothing; /review lists them.")
		r.types("/undo")
		r.sees("Can be restored: created /x/a.go on disk.", "Cannot be restored: changed /x/b.go on disk: it was changed since.", "Restore what the last turn changed, 1 file?")
		r.types("0")
		if undone := j.Undone(); len(undone) > 0 {
			t.Fatal("put back after a no")
		}
		r.types("/undo")
		r.sees("changed, 1 file?")
		r.types("1")
		r.sees("Removed /x/a.go (the agent was not told).")
		if undone := j.Undone(); len(undone) != 1 || undone[0] != "/x/a.go of turn 2" {
			t.Errorf("got %q", undone)
		}
	})
}

// Files that changed on disk without a report from the agent are mentioned at the end of
// the turn, and first in /trust.
func TestUnsaidChanges(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.Change = recording(&undotest.Journal{Files: []undo.Change{{Path: "/x/a.go", Kind: undo.Created, By: undo.OnDisk, Turn: 1}, {Path: "/x/old.go", Kind: undo.Changed, Turn: 1}}})
	}, func(r *rig) {
		r.fresh()
		r.types("hello")
		r.sees("Turn ended.", "Warning: 1 file changed, but the agent reported no change; see /review.")
		r.types("/trust")
		r.sees("Changed on disk, not reported by the agent: turn 1, created /x/a.go on disk.")
	})
}

// A call that ran although it was rejected is reported at its end, and first in /trust. So is
// a call for which the agent did not ask.
func TestRejectedAndDone(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			tn.Update(`{"sessionUpdate":"tool_call","toolCallId":"t2","title":"Clean up","kind":"delete","status":"completed","locations":[{"path":"/x/old.go"}]}`)
			tn.Ask(push, usual)
			tn.Update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`)
			return "end_turn"
		})
	}, func(r *rig) {
		r.fresh()
		r.types("push it")
		r.sees("Tool 1: Delete /x/old.go, done, ran without asking.")
		r.pause()
		r.types("3")
		r.sees("Run 2: git push origin HEAD, done, ran although you rejected it.", "Turn ended.")
		r.types("/trust")
		r.wants("Ran although you rejected it: Run 2, git push origin HEAD.", "Ran without asking: Tool 1, /x/old.go.")
	})
}

// An action that a rule denies and that the agent takes without asking is reported as
// forbidden, even a read.
func TestForbiddenAndDone(t *testing.T) {
	rules := must.Get(permissions.ParseRules("rules.toml", []byte("[[deny]]\ncommand = \"git push *\"\n[[deny]]\npath = \"/x/private\"\n"), false))(t)
	book := must.Get(permissions.NewRulebook(rules))(t)
	talkTo(t, func(r *rig) {
		r.Change = func(c *workspace.Connection) { c.Broker.SetRules("s1", book) }
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			tn.Update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Push","kind":"execute","status":"in_progress","rawInput":{"command":"git push origin HEAD"}}`)
			tn.Update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`)
			tn.Update(`{"sessionUpdate":"tool_call","toolCallId":"t2","title":"Look","kind":"read","status":"completed","locations":[{"path":"/x/private/key"}]}`)
			tn.Update(`{"sessionUpdate":"tool_call","toolCallId":"t3","title":"Look","kind":"read","status":"completed","locations":[{"path":"/x/public"}]}`)
			return "end_turn"
		})
	}, func(r *rig) {
		r.fresh()
		r.types("push it")
		r.sees("Run 1: git push origin HEAD, done, ran although your rule forbids it.", "Tool 2: Read /x/private/key, done, ran although your rule forbids it.", "Tool 3: Read /x/public, done.", "Turn ended.")
		r.types("/trust")
		r.wants("Ran although your rule forbids it: Run 1, git push origin HEAD.", "Ran although your rule forbids it: Tool 2, /x/private/key.")
	})
}

// When everything is undone, it can be redone.
func TestUndoTakenBack(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.Change = recording(&undotest.Journal{Files: []undo.Change{{Path: "/x/a.go", Kind: undo.Created, By: undo.OnDisk, Turn: 1, Undone: true}}})
	}, func(r *rig) {
		r.fresh()
		r.types("/undo")
		r.sees("Undone: created /x/a.go on disk, removed.", "All changes were undone. Redo them, 1 file?")
		r.types("1")
		r.sees("Redid /x/a.go (the agent was not told).")
		r.fresh()
		r.types("/undo")
		r.sees("Can be restored: created /x/a.go on disk.")
		r.types("0")
	})
}

// recorded is a machine with another journal.
type recorded struct {
	workspace.Machine
	journal workspace.Journal
}

func (m recorded) Journal(string) workspace.Journal { return m.journal }

// recording returns what makes a connection record changes in j.
func recording(j *undotest.Journal) func(*workspace.Connection) {
	return func(c *workspace.Connection) { c.Machine = recorded{c.Machine, j} }
}
