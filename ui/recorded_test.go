package ui

import (
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/undo"
	"parley/internal/undo/undotest"
)

// An edit of which the agent only says that it was done, and that nobody was asked about, has its diff and its
// counts from the record of the turn. A file that two calls name has none: nobody knows which of them changed what.
func TestEditShownFromTheRecord(t *testing.T) {
	dir := "/home/ada/src/parser/"
	j := &undotest.Journal{
		Files: []undo.Change{
			{Path: dir + "notes.txt", Kind: undo.Changed, By: undo.OnDisk, Turn: 2},
			{Path: dir + "twice.txt", Kind: undo.Changed, By: undo.OnDisk, Turn: 2},
		},
		Text:   func(undo.Change) (string, string, bool) { return "same\nold line\n", "same\nnew line\nmore\n", true },
		Number: 1,
	}
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(turn *fakeagent.Turn) string {
			for id, file := range map[string]string{"a": "notes.txt", "b": "twice.txt", "c": "twice.txt"} {
				turn.Agent.Update(turn.Session, `{"sessionUpdate":"tool_call","toolCallId":"`+id+`","title":"write","kind":"edit","status":"completed","locations":[{"path":"`+dir+file+`"}],`+
					`"content":[{"type":"content","content":{"type":"text","text":"Wrote file successfully."}}]}`)
			}
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		conn := d.m.Front.Agent.ConnForTest()
		conn.Machine = recorded{conn.Machine, j}
		d.types("go\n")
		d.wait(time.Second)
		d.sees("Edit   notes.txt  +2 −1  diff from disk  ran without asking", "- old line", "+ new line", "+ more")
		if rows := d.screen(); strings.Count(rows, "Wrote file successfully.") != 2 || strings.Count(rows, "diff from disk") != 1 {
			t.Errorf("%s", rows)
		}
	})
}
