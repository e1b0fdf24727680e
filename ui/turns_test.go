package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/fakeagent"
	"parley/internal/undo/undotest"
)

// The list of prompts restores files to before a turn, after it has shown which, and names those that
// stay as they are.
func TestRestoreToBeforeAPrompt(t *testing.T) {
	withChanges(t, func(d *driver, j *undotest.Journal) {
		d.wait(10 * time.Second) // until the toast is gone
		d.types("/turns\n")
		d.sees("╭ Prompts", "ctrl+e edit, files stay", "ctrl+o restore files")
		d.press("ctrl+o")
		d.soon()
		d.sees("Restore files to before: go", "Restore 2 files", "Would be restored", "changed  lex.go", "created  new.go",
			"Cannot be restored", "changed  mine.go  it was changed since", "deleted  big.bin  it is larger than what is kept")
		d.press("enter")
		d.sees("Too soon after another key: press enter again")
		if undone := j.Undone(); len(undone) != 0 {
			t.Fatalf("restored without a confirmation: %q", undone)
		}
		d.golden("restore files to before a prompt")
		d.wait(time.Second)
		d.press("enter")
		d.soon()
		if undone := j.Undone(); len(undone) != 2 || !strings.Contains(undone[0], "lex.go") || !strings.Contains(undone[1], "new.go") {
			t.Fatalf("restored %q", undone)
		}
		d.misses("Restore files to before: go")
		d.sees("Restored 2 of 4 files: mine.go: it was changed since; big.bin: it is larger", "than what is kept", "· Restored 2 of 4 files to before “go”: mine.go: it was changed since;")
	})
}

// The changes that would be restored can be read first, and esc changes nothing.
func TestReviewBeforeRestoring(t *testing.T) {
	withChanges(t, func(d *driver, j *undotest.Journal) {
		d.types("/turns\n")
		d.press("ctrl+o")
		d.rest()
		d.press("down", "enter")
		d.soon()
		d.sees("Review: turn 2", "file 1 of 4")
		if asked := j.Asked(); asked[len(asked)-1] != 2 {
			t.Errorf("the review begins with turn %d", asked[len(asked)-1])
		}
		d.press("esc")
		d.types("/turns\n")
		d.press("ctrl+o")
		d.rest()
		d.press("esc")
		d.misses("Restore files to before")
		if undone := j.Undone(); len(undone) != 0 {
			t.Errorf("restored %q", undone)
		}
	})
}

// What cannot be restored now, or at all, says so in one line in the list.
func TestNothingToRestore(t *testing.T) {
	withChanges(t, func(d *driver, j *undotest.Journal) {
		conn := d.m.Front.Agent.ConnForTest()
		opened := func(why string) {
			t.Helper()
			d.press("ctrl+o")
			d.soon()
			d.sees(why, "╭ Prompts")
			d.press("esc")
		}
		refuses := func(why string) {
			t.Helper()
			d.types("/turns\n")
			opened(why)
		}
		machine := conn.Machine
		conn.Machine = recorded{machine, &undotest.Journal{}}
		refuses("Nothing to restore: no files have changed since this prompt")
		conn.Machine = recorded{machine, nil}
		refuses("Not restored: changes are not recorded here")
		conn.Machine = machine
		d.fake.Turn(asking(push, usual))
		d.types("push it\n")
		d.rest()
		refuses("Not restored: a question is open: answer it first")
		d.press("alt+a")
		d.rest()
		d.press("n")
		d.rest()
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
		d.types("work\n")
		d.soon()
		refuses("Not restored: a turn is running: wait for its end, or stop it")
		d.Agent().Close()
		d.soon()
		d.press("esc", "esc")
		opened("Not restored: the agent has ended")
		if undone := j.Undone(); len(undone) != 0 {
			t.Errorf("restored %q", undone)
		}
	})
}

// A turn that begins while the list is open keeps the files as they are.
func TestRestoreAfterATurnHasBegun(t *testing.T) {
	withChanges(t, func(d *driver, j *undotest.Journal) {
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
		d.types("/turns\n")
		d.press("ctrl+o")
		d.rest()
		if err := d.m.Front.Prompts.Send("work"); err != nil {
			t.Fatal(err)
		}
		d.soon()
		d.press("enter")
		d.soon()
		d.sees("Not restored: a turn is running")
		if undone := j.Undone(); len(undone) != 0 {
			t.Errorf("restored %q", undone)
		}
	})
}

// ctrl+f in the list of prompts continues from there in another session. After the last turn the agent
// copies the session, if it can, and a line says so.
func TestForkFromTheList(t *testing.T) {
	withTranscript(t, func(d *driver, _ *Options) {
		d.fake.Capabilities(`,"agentCapabilities":{"sessionCapabilities":{"fork":{}}}`)
		d.fake.Answer("session/fork", `{"sessionId":"copy"}`)
	}, func(d *driver) {
		d.types("/turns\n")
		d.sees("ctrl+f fork")
		d.press("ctrl+f", "enter")
		d.soon()
		d.misses("╭ Prompts")
		d.sees("▌ one", "▌ two", "· A fork: the agent has copied the session above; both work on the same files")
		if got := d.called("session/fork", 1); !strings.Contains(got[0], `"sessionId":"s1"`) {
			t.Errorf("the agent got %s", got[0])
		}
		d.golden("fork")
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.types("three\n")
		d.soon()
		d.sees("▌ three")
		d.press("ctrl+s")
		d.soon()
		d.sees("2/2", "1 one", "2 three")
		d.press("esc")
		d.types("/fork\n") // after the last turn
		d.soon()
		if got := d.Agent().Calls("session/fork"); len(got) != 2 || !strings.Contains(got[1], `"sessionId":"copy"`) {
			t.Errorf("the agent got %q", got)
		}
	})
}

// From an earlier prompt, or with an agent that cannot fork, the conversation up to there goes with the
// next prompt of a new session. A line says so, and the text can be read and dropped.
func TestForkWithTheConversation(t *testing.T) {
	withTranscript(t, nil, func(d *driver) {
		d.press("esc", "esc", "up", "ctrl+f", "enter")
		d.soon()
		d.sees("· Forked by copying: your next prompt includes the conversation so far.",
			"Attached: the conversation so far (1 prompt,", "⌫ drop")
		d.sees("▌ one")
		d.misses("▌ two")
		if dim := strings.TrimSuffix(d.m.Theme.Dim.Paint(" one"), "\x1b[m"); !strings.Contains(strings.Join(d.m.Front.View.Rows(), "\n"), dim) {
			t.Errorf("the old prompt is not dim: %q", d.m.Front.View.Rows())
		}
		d.golden("fork, with the conversation")
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Say("done"); return "end_turn" })
		d.types("continue\n")
		d.soon()
		d.sees("▌ continue", "▌ with the conversation so far (1 prompt,")
		d.misses("Goes with your next prompt")
		blocks := d.Agent().Blocks()[len(d.Agent().Blocks())-1]
		if !strings.Contains(blocks, `**User:**\n\none\n`) || strings.Contains(blocks, "two") || !strings.HasSuffix(blocks, `{"type":"text","text":"continue"}]`) {
			t.Errorf("sent %s", blocks)
		}
		d.called("session/new", 2)
		d.types("/fork\n") // a fork of the fork
		d.soon()
		d.sees("▌ one", "▌ continue", "Attached: the conversation so far (2 prompts,")
		d.types("more\n")
		d.soon()
		if blocks = d.Agent().Blocks()[len(d.Agent().Blocks())-1]; strings.Count(blocks, `**User:**\n\none\n`) != 1 || !strings.Contains(blocks, `**User:**\n\ncontinue\n`) {
			t.Errorf("sent %s", blocks)
		}
	})
}

// esc gives up a session that the agent does not open, and shows the one before. What was typed for it is
// not lost.
func TestGiveUpOpening(t *testing.T) {
	for _, key := range []string{"esc", "ctrl+c"} {
		withTranscript(t, func(d *driver, _ *Options) {
			d.fake.Capabilities(`,"agentCapabilities":{"sessionCapabilities":{"fork":{}}}`)
			d.fake.On("session/fork", func(*fakeagent.Call) (string, error) { time.Sleep(time.Hour); return `{"sessionId":"copy"}`, nil })
		}, func(d *driver) {
			d.types("/fork\n")
			d.soon()
			d.sees("fake · opening", "esc cancel", "▌ two")
			d.misses("has copied") // not yet
			d.types("later\n")
			d.press(key)
			d.soon()
			d.sees("Opening the session was cancelled", map[string]string{"esc": "? help", "ctrl+c": "ctrl+c again to quit"}[key])
			d.misses("· A fork", "fake · opening")
			d.draft("later")
			d.wait(2 * time.Hour)
			if n := len(d.m.Workspace.Sessions()); n != 1 {
				t.Errorf("%d sessions", n)
			}
		})
	}
}

// A session that cannot be forked now says why.
func TestNotForked(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
	}, func(d *driver) {
		d.connected()
		d.types("/fork\n")
		d.sees("No prompts yet")
		d.types("work\n")
		d.soon()
		d.types("/turns\n")
		d.press("ctrl+f")
		d.sees("Not forked: a turn is running: wait for its end, or stop it", "╭ Prompts")
		d.press("esc")
		d.called("session/new", 1)
	})
}

// In a log the prompts can be read and copied, and nothing else.
func TestPromptsOfALog(t *testing.T) {
	drive(t, loggedTwo, func(d *driver) {
		d.connected()
		d.switchToLogged("lexer")
		for _, key := range []string{"ctrl+e", "ctrl+o", "ctrl+f"} {
			d.press("esc", "esc", key)
			d.sees("╭ Prompts", "ead-only log")
			d.press("esc")
			d.draft("")
			d.wait(time.Second)
		}
	})
}

// Editing a prompt again changes no file and no queued prompt: one that is being edited returns to its
// place.
func TestEditAgainKeepsTheQueue(t *testing.T) {
	withChanges(t, func(d *driver, j *undotest.Journal) {
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
		d.types("work\n")
		d.types("second\n")
		d.types("third\n")
		d.press("up", "up") // to the second
		d.draft("second")
		d.types(" and a half")
		d.press("ctrl+p")
		d.types("jump to a prompt\n")
		d.press("up", "ctrl+e")
		d.draft("go")
		d.sees(`queued 1  "second and a half"`, `queued 2  "third"`)
		d.press("enter")
		d.sees(`queued 3  "go"`)
		d.misses("Restored", "Removed")
		if undone := j.Undone(); len(undone) != 0 {
			t.Errorf("restored %q", undone)
		}
	})
}
