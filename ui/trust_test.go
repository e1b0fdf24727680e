package ui

import (
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/undo/undotest"
)

// A call that ran without asking has a badge, is counted, and comes first in /trust.
func TestUnaskedIsShown(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(turn *fakeagent.Turn) string {
			turn.Ask(push, usual)
			turn.Agent.Update(turn.Session, strings.Replace(push, `{"toolCallId":"t1",`, `{"sessionUpdate":"tool_call","toolCallId":"t1",`, 1))
			turn.Agent.Update(turn.Session, `{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`)
			turn.Agent.Update(turn.Session, `{"sessionUpdate":"tool_call","toolCallId":"t2","title":"Clean up","kind":"delete","status":"completed","locations":[{"path":"/home/ada/src/parser/old.go"}]}`)
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.rest()
		d.press("y")
		d.wait(3 * time.Second)
		d.sees("⚠ Delete", "ran without asking", "1 unasked", "✓ Run    git add -A && git push origin HEAD · allowed 00:00")
		d.types("/trust\n")
		d.sees("Trust: what the agent did", "Ran without asking", "Delete  Clean up", "Allowed by you", "Run  git add -A && git push origin HEAD")
		d.press("enter")
		d.misses("Trust: what the agent did")
	})
}

// A call that ran although it was rejected is named as such, counted separately from those that
// ran without asking, and comes first in /trust.
func TestRejectedAndDone(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(turn *fakeagent.Turn) string {
			turn.Agent.Update(turn.Session, `{"sessionUpdate":"tool_call","toolCallId":"t2","title":"Clean up","kind":"delete","status":"completed","locations":[{"path":"/home/ada/src/parser/old.go"}]}`)
			turn.Ask(push, usual)
			turn.Agent.Update(turn.Session, `{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`)
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.rest()
		d.press("n")
		d.wait(3 * time.Second)
		d.sees("⚠ Run", "ran although you rejected it", "1 unasked", "1 ran although rejected")
		d.types("/trust\n")
		list := d.screen()
		if !d.inTheme("ran although you rejected it", d.m.Theme.Bad) {
			t.Error("it is not in the colour of what went wrong")
		}
		against, unasked := strings.Index(list, "Run  git add"), strings.Index(list, "Delete  Clean up")
		if against < 0 || unasked < against {
			t.Errorf("what was rejected is not first:\n%s", list)
		}
	})
}

// Changes on disk that the agent did not report are mentioned at the end of the turn, and come
// first in /trust.
func TestUnsaidChanges(t *testing.T) {
	withChanges(t, func(d *driver, _ *undotest.Journal) {
		d.sees("⚠ 3 files changed, but the agent reported no change; see /review")
		d.types("/trust\n")
		d.wait(100 * time.Millisecond)
		d.sees("Changed on disk, not reported by the agent", "deleted  big.bin", "changed  mine.go", "created  new.go", "turn 2")
		d.misses("changed  lex.go")
		d.press("down", "enter")
		d.wait(100 * time.Millisecond)
		d.sees("changed mine.go", "- old line", "+ new line")
	})
}

// An action that a user's rule denies and that the agent takes anyway is shown in red. It is
// listed with the rejected ones, above those for which the agent did not ask, even if the rule
// has answered the agent's question.
func TestForbiddenAndDone(t *testing.T) {
	for name, asks := range map[string]bool{"unasked": false, "asked": true} {
		t.Run(name, func(t *testing.T) {
			drive(t, func(d *driver, _ *Options) {
				d.fake.Turn(func(turn *fakeagent.Turn) string {
					turn.Agent.Update(turn.Session, `{"sessionUpdate":"tool_call","toolCallId":"t2","title":"Clean up","kind":"delete","status":"completed","locations":[{"path":"/home/ada/src/parser/old.go"}]}`)
					if asks {
						turn.Ask(push, usual)
					} else {
						turn.Agent.Update(turn.Session, strings.Replace(push, `{"toolCallId":"t1",`, `{"sessionUpdate":"tool_call","toolCallId":"t1",`, 1))
					}
					turn.Agent.Update(turn.Session, `{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`)
					return "end_turn"
				})
			}, func(d *driver) {
				d.connected()
				d.m.Front.Agent.ConnForTest().Broker.SetRules("s1", bookOf(t, "[[deny]]\ncommand = \"git push *\"\n"))
				d.types("go\n")
				d.wait(3 * time.Second)
				d.sees("⚠ Run", "ran although your rule forbids it", "1 ran although rejected", "1 unasked")
				d.types("/trust\n")
				if list := d.screen(); !d.inTheme("Ran although your rule forbids it", d.m.Theme.Bad) || strings.Index(list, "Run  git add") > strings.Index(list, "Delete  Clean up") {
					t.Errorf("not in red, or not first:\n%s", list)
				}
			})
		})
	}
}
