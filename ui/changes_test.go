package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/workspace"
)

// withChanges is a chat after a turn in which three files changed.
func withChanges(t *testing.T, f func(d *driver, put *[]workspace.FileChange)) {
	t.Helper()
	changes := []workspace.FileChange{
		{Path: "/home/ada/src/parser/lex.go", Kind: "changed", By: "through parley", Turn: 1, Handle: 1},
		{Path: "/home/ada/src/parser/new.go", Kind: "created", By: "on the disk", Disk: true, Turn: 2, Handle: 2},
		{Path: "/home/ada/src/parser/mine.go", Kind: "changed", By: "on the disk", Disk: true, Turn: 2, Handle: 3},
		{Path: "/home/ada/src/parser/big.bin", Kind: "deleted", By: "on the disk", Disk: true, Turn: 2, NoUndoReason: "it is larger than what is kept", Handle: 4},
	}
	drive(t, func(d *driver, _ *Options) {
		d.turn = func(turn *turn) string {
			turn.a.updateIn(turn.session, `{"sessionUpdate":"tool_call","toolCallId":"c","title":"Edit","kind":"read","status":"completed","locations":[{"path":"/home/ada/src/parser/lex.go"}]}`)
			return "end_turn"
		}
	}, func(d *driver) {
		d.connected()
		conn := d.m.chat.Agent.Conn()
		var put []workspace.FileChange
		turns := ""
		conn.Turn = func(_ string, begins bool) int {
			if turns += "-"; begins {
				turns += "+"
			}
			return 2
		}
		conn.Changes = func(string) []workspace.FileChange { return slices.Clone(changes) }
		conn.Since = func(string, int) []workspace.FileChange { return slices.Clone(changes) }
		conn.Texts = func(_ string, f workspace.FileChange) (string, string, bool) {
			return "old line\n", "new line\n", f.Handle != 4
		}
		conn.Redo = func(_ context.Context, _ string, some []workspace.FileChange) []workspace.UndoResult {
			for i := range changes {
				if changes[i].Handle == some[0].Handle {
					changes[i].Undone = false
				}
			}
			return []workspace.UndoResult{{Change: some[0]}}
		}
		conn.Undo = func(_ context.Context, _ string, some []workspace.FileChange, try bool) []workspace.UndoResult {
			var out []workspace.UndoResult
			for _, c := range some {
				var err error
				if c.Handle == 3 {
					err = errors.New("it was changed since")
				}
				out = append(out, workspace.UndoResult{Change: c, Err: err})
				for i := range changes {
					changes[i].Undone = changes[i].Undone || !try && err == nil && changes[i].Handle == c.Handle
				}
				if !try {
					put = append(put, c)
				}
			}
			return out
		}
		conn.Rewrite = func(context.Context, string, workspace.FileChange, string) error {
			return errors.New("it was changed since")
		}
		conn.Stage = func(context.Context, string, workspace.FileChange, *string) error {
			return errors.New("it is in no git worktree")
		}
		d.types("go\n")
		d.wait(time.Second)
		if turns != "-+-" {
			t.Errorf("turns reported: %q", turns)
		}
		f(d, &put)
	})
}

// A turn that has changed files offers the review, which shows the files of that turn and of all turns.
func TestReviewOffered(t *testing.T) {
	withChanges(t, func(d *driver, put *[]workspace.FileChange) {
		d.sees("3 files changed · f5 reviews")
		d.press("f5")
		d.wait(100 * time.Millisecond)
		d.sees("Review: turn 2", "deleted", "big.bin", "Cannot be undone: it is larger than what is kept", "not reported by the agent", "file 1 of 4")
		d.misses("f5 reviews")
		d.press("}")
		d.wait(100 * time.Millisecond)
		d.sees("M lex.go", "turn 1 · through parley", "▌ hunk 1 of 1", "- old line", "+ new line")
		d.misses("not reported by the agent")
		d.press("u")
		d.wait(100 * time.Millisecond)
		if len(*put) != 1 || (*put)[0].Handle != 1 {
			t.Errorf("%+v", *put)
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
		d.sees("Redone: lex.go", "▌ hunk 1 of 1")
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
	withChanges(t, func(d *driver, _ *[]workspace.FileChange) {
		d.turn = asking(push, usual)
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
		conn := d.m.chat.Agent.Conn()
		conn.Changes = func(string) []workspace.FileChange { return nil }
		conn.Since = func(string, int) []workspace.FileChange { return nil }
		d.press("f5")
		d.wait(100 * time.Millisecond)
		d.sees("No changes recorded in this session")
		d.misses("Review:")
	})
}

// /undo lists the changes; one that cannot be restored says why.
func TestUndoOffered(t *testing.T) {
	withChanges(t, func(d *driver, put *[]workspace.FileChange) {
		d.types("/undo\n")
		d.wait(100 * time.Millisecond)
		d.sees("Restore the last turn: 1 file", "Restore everything: 2 files", "mine.go", "it was changed since", "it is larger than what is kept")
		d.press("down", "down", "enter") // big.bin
		d.sees("Not restored: it is larger than what is kept")
		if len(*put) != 0 {
			t.Fatalf("put back without a word: %+v", *put)
		}
		d.types("/undo\n")
		d.wait(100 * time.Millisecond)
		d.press("enter")
		d.wait(100 * time.Millisecond)
		if len(*put) != 1 || (*put)[0].Handle != 2 {
			t.Errorf("got %+v", *put)
		}
		d.sees("Restored 1 file (the agent was not told)")
		d.types("/undo\n")
		d.wait(100 * time.Millisecond)
		d.press("esc")
		if len(*put) != 1 {
			t.Errorf("got %+v", *put)
		}
	})
}

// What was put back can be done again, from the same list.
func TestRedo(t *testing.T) {
	withChanges(t, func(d *driver, _ *[]workspace.FileChange) {
		d.types("/undo\n")
		d.wait(100 * time.Millisecond)
		d.press("enter")
		d.wait(100 * time.Millisecond)
		d.types("/undo\n")
		d.wait(100 * time.Millisecond)
		d.sees("created  new.go", "enter redoes it")
		d.press("up", "enter") // the last row
		d.wait(100 * time.Millisecond)
		d.sees("Redid the changes to 1 file (the agent was not told)")
		d.types("/undo\n")
		d.wait(100 * time.Millisecond)
		d.sees("Restore the last turn: 1 file")
		d.misses("enter redoes it")
	})
}

// The status line counts what /changes knows, also what parley did not write, and counts
// again when something was put back.
func TestChangedLinesAreCounted(t *testing.T) {
	withChanges(t, func(d *driver, _ *[]workspace.FileChange) {
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
	withChanges(t, func(d *driver, _ *[]workspace.FileChange) {
		conn := d.m.chat.Agent.Conn()
		same := strings.Repeat("\t// the same\n", 12)
		conn.Texts = func(_ string, f workspace.FileChange) (string, string, bool) {
			return "package parser\n\nfunc Lex(s string) int {\n" + same + "\treturn len(s)\n}\n",
				"package parser\n\n// Lex counts.\nfunc Lex(s string) int64 {\n" + same + "\treturn int64(len(s)) // \u202e\n}\n", f.Handle != 4
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
	withChanges(t, func(d *driver, _ *[]workspace.FileChange) {
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
	withChanges(t, func(d *driver, _ *[]workspace.FileChange) {
		conn := d.m.chat.Agent.Conn()
		const evil = "\x1b]0;x\x07\x1b[2J\u202e\r\n\x9b31m\x00"
		conn.Since = func(string, int) (all []workspace.FileChange) {
			for _, name := range []string{evil, "a/" + evil + "/b", strings.Repeat("x", 5000), "日本語\u200b", "\n", "..", ""} {
				all = append(all, workspace.FileChange{Path: "/home/ada/src/parser/" + name, From: evil, Kind: "changed", By: evil, NoUndoReason: evil, Modes: "644 → 755", Turn: 2, Handle: 1})
			}
			return all
		}
		conn.Texts = func(string, workspace.FileChange) (string, string, bool) {
			return evil, evil + "\n" + strings.Repeat(evil, 3000), true
		}
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
