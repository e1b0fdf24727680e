package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/fakeagent"
	"parley/internal/undo"
	"parley/internal/undo/undotest"
	"parley/internal/workspace"
)

// recorded is a machine with another journal; nil: it records no changes.
type recorded struct {
	workspace.Machine
	journal workspace.Journal
}

func (m recorded) Journal(string) workspace.Journal { return m.journal }

// everything is a record that combines the changes of all turns, whatever the first is.
type everything struct{ *undotest.Journal }

func (j everything) Since(first int) []undo.Change {
	j.Journal.Since(first)
	return j.Changes()
}

// withChanges is a chat after a turn in which three files changed.
func withChanges(t *testing.T, f func(d *driver, j *undotest.Journal)) {
	t.Helper()
	dir := "/home/ada/src/parser/"
	turns := ""
	j := &undotest.Journal{
		Files: []undo.Change{
			{Path: dir + "lex.go", Kind: undo.Changed, Turn: 1},
			{Path: dir + "new.go", Kind: undo.Created, By: undo.OnDisk, Turn: 2},
			{Path: dir + "mine.go", Kind: undo.Changed, By: undo.OnDisk, Turn: 2},
			{Path: dir + "big.bin", Kind: undo.Deleted, By: undo.OnDisk, Turn: 2, NoUndoReason: "it is larger than what is kept"},
		},
		Text: func(c undo.Change) (string, string, bool) { return "old line\n", "new line\n", c.Path != dir+"big.bin" },
		Refuse: func(c undo.Change) error {
			if c.Path == dir+"mine.go" {
				return undo.ErrChangedSince
			}
			return nil
		},
		Rewrote: func(undo.Change, string) error { return undo.ErrChangedSince },
		Staged:  func(undo.Change, *string) error { return errors.New("not a git repository") },
		Number:  1,
		OnTurn: func(_ int, begins bool) {
			if turns += "-"; begins {
				turns += "+"
			}
		},
	}
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(turn *fakeagent.Turn) string {
			turn.Agent.Update(turn.Session, `{"sessionUpdate":"tool_call","toolCallId":"c","title":"Edit","kind":"read","status":"completed","locations":[{"path":"/home/ada/src/parser/lex.go"}]}`)
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		conn := d.m.Front.Agent.ConnForTest()
		conn.Machine = recorded{conn.Machine, everything{j}}
		d.types("go\n")
		d.wait(time.Second)
		if turns != "-+-" {
			t.Errorf("turns reported: %q", turns)
		}
		f(d, j)
	})
}

// A turn that has changed files offers the review, which shows the files of that turn and of all turns.
func TestReviewOffered(t *testing.T) {
	withChanges(t, func(d *driver, j *undotest.Journal) {
		d.sees("3 files changed · f5 reviews")
		d.press("f5")
		d.wait(100 * time.Millisecond)
		d.sees("Review: turn 2", "deleted", "big.bin", "Cannot be undone: it is larger than what is kept", "not reported by the agent", "file 1 of 4")
		d.misses("f5 reviews")
		d.press("}")
		d.wait(100 * time.Millisecond)
		d.sees("M lex.go", "turn 1 · written via parley", "▌ hunk 1 of 1", "- old line", "+ new line")
		d.misses("not reported by the agent")
		d.press("u")
		d.wait(100 * time.Millisecond)
		if undone := j.Undone(); len(undone) != 1 || undone[0] != "/home/ada/src/parser/lex.go of turn 1" {
			t.Errorf("undone %q", undone)
		}
		d.sees("Restored lex.go", "r redoes its change")
		bottom := func() int { // of the frame
			return slices.IndexFunc(strings.Split(d.screen(), "\n"), func(row string) bool { return strings.HasPrefix(row, "╰") })
		}
		with := bottom()
		d.wait(time.Minute)
		d.misses("Restored lex.go")
		if without := bottom(); with != without {
			t.Errorf("the frame ends at row %d with a message, else at %d", with, without)
		}
		d.press("r")
		d.wait(100 * time.Millisecond)
		d.sees("Redid lex.go", "▌ hunk 1 of 1")
		d.press("}", "u")
		d.wait(100 * time.Millisecond)
		d.sees("Not undone: mine.go: it was changed since")
		d.press("?")
		d.sees("╭ Keys")
		d.press("esc", "esc")
		d.misses("Review:", "╭ Keys")
		d.types("/changes\n") // its old name
		d.wait(100 * time.Millisecond)
		d.sees("Review: turn 2")
		d.press("tab")
		d.sees("▾ ./", "M lex.go")
	})
}

// A question waits while the review is open, and gets the keys when it is closed.
func TestQuestionDuringAReview(t *testing.T) {
	withChanges(t, func(d *driver, _ *undotest.Journal) {
		d.fake.Turn(asking(push, usual))
		d.types("push it\n")
		d.press("f5")
		d.rest()
		d.sees("Review:", "waiting for you")
		d.press("y")
		d.sees("Review:")
		d.press("alt+a")
		d.misses("Review:")
		d.sees("Allow once")
		d.rest()
		d.press("y")
		d.rest()
		d.misses("waiting for you")
	})
}

// Where nothing is tracked there is nothing to review.
func TestNothingToReview(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.press("f5")
		d.sees("Changes are not recorded here")
		conn := d.m.Front.Agent.ConnForTest()
		conn.Machine = recorded{conn.Machine, &undotest.Journal{}}
		d.press("f5")
		d.wait(100 * time.Millisecond)
		d.sees("No changes recorded in this session")
		d.misses("Review:")
	})
}

// /undo lists the changes; one that cannot be restored says why.
func TestUndoOffered(t *testing.T) {
	withChanges(t, func(d *driver, j *undotest.Journal) {
		d.types("/undo\n")
		d.wait(100 * time.Millisecond)
		d.sees("Restore the last turn: 1 file", "Restore everything: 2 files", "mine.go", "it was changed since", "it is larger than what is kept")
		d.press("down", "down", "enter") // big.bin
		d.sees("Not restored: it is larger than what is kept")
		if undone := j.Undone(); len(undone) != 0 {
			t.Fatalf("put back without a word: %q", undone)
		}
		d.types("/undo\n")
		d.wait(100 * time.Millisecond)
		d.press("enter")
		d.wait(100 * time.Millisecond)
		if undone := j.Undone(); len(undone) != 1 || undone[0] != "/home/ada/src/parser/new.go of turn 2" {
			t.Errorf("undone %q", undone)
		}
		d.sees("Removed new.go (the agent was not told)")
		d.types("/undo\n")
		d.wait(100 * time.Millisecond)
		d.press("esc")
		if undone := j.Undone(); len(undone) > 0 {
			t.Errorf("undone %q", undone)
		}
	})
}

// What was put back can be done again, from the same list.
func TestRedo(t *testing.T) {
	withChanges(t, func(d *driver, _ *undotest.Journal) {
		d.types("/undo\n")
		d.wait(100 * time.Millisecond)
		d.press("enter")
		d.wait(100 * time.Millisecond)
		d.types("/undo\n")
		d.wait(100 * time.Millisecond)
		d.sees("created  new.go", "enter redo")
		d.press("up", "enter") // the last row
		d.wait(100 * time.Millisecond)
		d.sees("Redid new.go (the agent was not told)")
		d.types("/undo\n")
		d.wait(100 * time.Millisecond)
		d.sees("Restore the last turn: 1 file")
		d.misses("enter redo")
	})
}

// The status line counts what /changes knows, also what parley did not write, and counts
// again when something was put back.
func TestChangedLinesAreCounted(t *testing.T) {
	withChanges(t, func(d *driver, _ *undotest.Journal) {
		d.sees("+3 −3") // nothing is known of the text of the fourth
		d.types("/undo\n")
		d.wait(100 * time.Millisecond)
		d.types("lex")
		d.press("enter")
		d.wait(6 * time.Second)
		d.sees("+2 −2")
	})
}

// The review, in every theme and size, and side by side where there is room.
func TestGoldenReview(t *testing.T) {
	withChanges(t, func(d *driver, j *undotest.Journal) {
		same := strings.Repeat("\t// the same\n", 12)
		j.Text = func(c undo.Change) (string, string, bool) {
			return "package parser\n\nfunc Lex(s string) int {\n" + same + "\treturn len(s)\n}\n",
				"package parser\n\n// Lex counts.\nfunc Lex(s string) int64 {\n" + same + "\treturn int64(len(s)) // \u202e\n}\n", c.NoUndoReason == ""
		}
		d.wait(10 * time.Second) // until the toast is gone
		d.press("f5", "t")
		d.rest()
		d.press("}", "a")
		d.rest()
		d.golden("review")
		d.press("tab", "up")
		d.rest()
		d.golden("review, list")
	})
}

// Help begins with the keys of what it was opened from.
func TestHelpInTheReview(t *testing.T) {
	withChanges(t, func(d *driver, _ *undotest.Journal) {
		d.press("f5")
		d.rest()
		d.press("?")
		d.sees("Undo the hunk")
		d.misses("Send the prompt")
		d.press("pgdown", "pgdown", "up", "up")
		d.sees("In a session", "Send the prompt")
		d.press("esc")
		d.sees("Review: turn 2")
		d.press("esc", "?")
		d.sees("Send the prompt")
		d.misses("Undo the hunk")
	})
}

// Names and contents of files cannot draw on the screen.
func TestReviewOfHostileFiles(t *testing.T) {
	withChanges(t, func(d *driver, j *undotest.Journal) {
		const evil = "\x1b]0;x\x07\x1b[2J\u202e\r\n\x9b31m\x00"
		j.Files = nil
		for _, name := range []string{evil, "a/" + evil + "/b", strings.Repeat("x", 5000), "日本語\u200b", "\n", "..", ""} {
			j.Files = append(j.Files, undo.Change{Path: "/home/ada/src/parser/" + name, From: evil, Kind: undo.Changed, Modes: "644 → 755", Turn: 2})
		}
		j.Text = func(undo.Change) (string, string, bool) { return evil, evil + "\n" + strings.Repeat(evil, 3000), true }
		d.press("f5")
		d.wait(100 * time.Millisecond)
		d.sees("Review:")
		for _, width := range []int{20, 40, 80, 130, 200} {
			d.send(tea.WindowSizeMsg{Width: width, Height: 24})
			for _, k := range []string{"}", "]", "v", "w", "G", "tab", "down", "tab", "a", "u", "s", "{", "/", "x", "enter"} {
				d.press(k)
				d.clean()
			}
			d.wait(50 * time.Millisecond)
			d.clean()
		}
	})
}
