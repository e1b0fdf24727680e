package ui

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/memory"
	"parley/internal/notes"
	"parley/internal/undo/undotest"
	"parley/ui/uitest"
)

// inDir leaves out the directory of the files of withChanges.
func inDir(s string) string { return strings.ReplaceAll(s, uitest.Dir+"/", "") }

// fenced writes backticks for the single quotes of a text.
func fenced(s string) string { return strings.ReplaceAll(s, "'", "`") }

// Notes of the review are listed, edited and dropped, and become one prompt, with what was undone if
// the user wants that.
func TestNotesOfTheReview(t *testing.T) {
	withChanges(t, func(d *driver, _ *undotest.Journal) {
		d.types("/notes\n")
		d.sees("No notes yet: c writes one in the review")
		d.press("f5")
		d.wait(100 * time.Millisecond)
		d.press("}", "c")
		d.wait(100 * time.Millisecond)
		d.sees(uitest.Dir+"/lex.go:1", "-old line", "+new line", "What should the agent know or do here?")
		d.types("say why\n")
		d.sees("1 note · C lists and sends them", "Review: turn 2", "lex.go", "· 1 note")
		d.press("}", "c")
		d.wait(100 * time.Millisecond)
		d.types("drop me\n")
		d.press("{", "c")
		d.sees(uitest.Dir+"/lex.go:1", "say why")
		d.types(", please\n")
		d.press("C")
		d.sees("╭ Notes", "Put 2 notes into the prompt", "/lex.go:1", "say why, please", "/mine.go:1", "drop me")
		d.misses("undone")
		d.press("down", "down", "ctrl+x")
		d.misses("/mine.go:1")
		d.sees("Put 1 note into the prompt", "ctrl+x drop")
		d.press("up", "enter") // the note
		d.sees(uitest.Dir + "/lex.go:1")
		d.press("ctrl+u")
		d.types("rename it\n")
		d.press("u") // undoes the change that the note is about
		d.wait(100 * time.Millisecond)
		d.press("C")
		d.sees("Put 1 note and 1 undone change into the prompt", "Undone", "rename it")
		d.press("down", "enter")
		d.misses("Review:", "╭ Notes")
		d.sees("Notes added to the prompt · enter sends")
		d.press("enter")
		d.wait(100 * time.Millisecond)
		if got, _, _ := seen(d.Agent()); !strings.HasSuffix(inDir(got), fenced(`My notes on your work:

'lex.go', line 1 (I have undone this)

'''diff
-old line
+new line
'''

rename it

I have undone these changes of yours. Do not make them again unless I ask for them:

'lex.go'

'''diff
@@ -1,1 +1,1 @@
-old line
+new line
'''`)) {
			t.Errorf("the agent got\n%s", got)
		}
		d.types("/notes\n")
		d.sees("No notes yet")
		d.press("ctrl+r")
		d.sees("drop me") // it is not lost
	})
}

// Whoever leaves the review with notes is told where they are.
func TestNotesAfterTheReview(t *testing.T) {
	withChanges(t, func(d *driver, _ *undotest.Journal) {
		d.press("f5")
		d.rest()
		d.press("esc")
		d.misses("/notes")
		d.press("f5")
		d.rest()
		d.press("c")
		d.types("why?\n")
		d.sees("1 note · C lists and sends them")
		d.press("esc")
		d.sees("1 note · /notes lists and sends them")
		d.misses("Review:")
	})
}

// Notes and what was undone are separate: a prompt needs neither of them.
func TestPromptWithoutWhatWasUndone(t *testing.T) {
	withChanges(t, func(d *driver, _ *undotest.Journal) {
		d.types("see also")
		d.press("f5")
		d.wait(100 * time.Millisecond)
		d.press("}", "u")
		d.wait(100 * time.Millisecond)
		d.press("c")
		d.types("too early\n")
		d.press("C", "enter")
		if got, want := inDir(d.m.Front.Composer.Value()), "see also\n\nMy notes on your work:\n\n@lex.go\n\ntoo early"; got != want {
			t.Errorf("the draft is %q, want %q", got, want)
		}
	})
	withChanges(t, func(d *driver, _ *undotest.Journal) {
		d.press("f5")
		d.wait(100 * time.Millisecond)
		d.press("}", "u")
		d.wait(100 * time.Millisecond)
		d.press("C")
		d.sees("Put 1 undone change into the prompt")
		d.misses("0 notes")
		d.press("esc", "r")
		d.wait(100 * time.Millisecond)
		d.press("C")
		d.sees("No notes yet")
	})
}

// What /undo restores can be told, as long as it is not redone.
func TestTellWhatUndoRestored(t *testing.T) {
	withChanges(t, func(d *driver, _ *undotest.Journal) {
		d.types("/undo\n")
		d.wait(100 * time.Millisecond)
		d.press("enter")
		d.wait(100 * time.Millisecond)
		d.types("/notes\n")
		d.sees("Put 1 undone change into the prompt", "/new.go")
		d.press("esc")
		d.types("/undo\n")
		d.wait(100 * time.Millisecond)
		d.press("up", "enter") // redoes it
		d.wait(100 * time.Millisecond)
		d.types("/notes\n")
		d.sees("No notes yet")
	})
}

// A note that was begun and left is in the history, and esc closes nothing else.
func TestNoteLeft(t *testing.T) {
	withChanges(t, func(d *driver, _ *undotest.Journal) {
		d.press("f5")
		d.wait(100 * time.Millisecond)
		d.press("}", "c")
		d.types("half a thought")
		d.press("esc")
		d.sees("Review: turn 2", "Not kept; what you wrote is in the history: up")
		d.press("esc", "up")
		d.draft("half a thought")
	})
}

// Notes survive a restart: in their session, or in the next one of the project.
func TestNotesSurvive(t *testing.T) {
	k := newDisk()
	drive(t, keepingTyped(k), func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.wait(100 * time.Millisecond)
		d.press("tab", ".")
		d.sees("Note on the agent's message")
		d.types("shorter\n")
		d.wait(2 * time.Second)
		if got := k.drafts[memory.Key{Agent: "fake", Session: "s1"}].Notes; len(got) != 1 || got[0].Text != "shorter" || got[0].Quote != "You said: hello" {
			t.Errorf("kept %+v", got)
		}
		d.ends()
	})
	drive(t, func(d *driver, o *Options) {
		keepingTyped(k)(d, o)
		d.fake.Answer("session/new", `{"sessionId":"s9"}`)
	}, func(d *driver) {
		d.connected()
		d.sees("Restored your notes: /notes lists them")
		d.draft("")
		d.types("/notes\n")
		d.sees("the agent's message", "shorter")
		d.press("enter")
		d.press("enter")
		d.wait(2 * time.Second)
		d.prompts(fenced("My notes on your work:\n\nOn your message:\n\n'''\nYou said: hello\n'''\n\nshorter"))
		if len(k.drafts) != 0 {
			t.Errorf("notes that were sent are kept: %+v", k.drafts)
		}
		d.ends()
	})
}

// Notes that are saved nowhere move to the page that is shown next when theirs is closed; those that are
// saved stay with their session.
func TestNotesOfAClosedSession(t *testing.T) {
	for _, saved := range []bool{false, true} {
		drive(t, func(d *driver, o *Options) {
			if saved {
				keepingTyped(newDisk())(d, o)
			}
		}, func(d *driver) {
			d.connected()
			d.types("hello\n")
			d.soon()
			d.types("/new\n")
			d.soon()
			d.types("hi\n")
			d.soon()
			d.press("tab", ".")
			d.types("shorter\n")
			d.soon()
			d.press("esc", "ctrl+s", "down", "ctrl+x", "esc")
			d.soon()
			d.sees("You said: hello")
			d.types("/notes\n")
			if saved {
				d.sees("No notes yet")
			} else {
				d.sees("the agent's message  shorter")
			}
		})
	}
}

// Every message and tool call can be quoted; its words mention no file.
func TestNotesOnEntries(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(turn *fakeagent.Turn) string {
			turn.Agent.Update(turn.Session, `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm."}}`)
			turn.Agent.Update(turn.Session, `{"sessionUpdate":"tool_call","toolCallId":"c","title":"make @.env","kind":"execute","status":"completed","rawInput":{"command":"make @.env"}}`)
			turn.Say("Done: @.env")
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.wait(100 * time.Millisecond)
		d.press("tab", ".")
		d.types("one\n")
		d.wait(100 * time.Millisecond)
		d.sees("1 note · /notes lists and sends them")
		d.press("c") // again, on the same entry
		d.types("one more\n")
		d.wait(100 * time.Millisecond)
		d.press("k", "c")
		d.sees("Note on the agent's tool call: Run  make @.env")
		d.types("two\n")
		d.wait(100 * time.Millisecond)
		d.press("g", "c")
		d.types("three\n")
		d.wait(100 * time.Millisecond)
		d.press("esc")
		d.types("/notes\n")
		d.press("enter")
		d.draft(fenced(`My notes on your work:

On your message:

'''
Done: @.env
'''

one

one more

On your tool call 'Run  make @.env':

'''
$ make @.env
'''

two

On my message:

'''
go
'''

three`))
	})
}

// A note being written and the list of notes, over the review, in every theme and size.
func TestGoldenNotes(t *testing.T) {
	withChanges(t, func(d *driver, _ *undotest.Journal) {
		d.wait(10 * time.Second) // until the toast is gone
		d.press("f5", "t")
		d.rest()
		d.press("}", "J", "J", "c")
		d.rest()
		d.golden("review, note")
		d.types("a name that says what it counts\n")
		d.press("u")
		d.rest()
		d.press("C")
		d.wait(10 * time.Second)
		d.golden("review, notes")
	})
}

// The lines of a note become a resource if the agent accepts one. What looks like a mention in the
// quoted code does not.
func TestNotesBecomeResources(t *testing.T) {
	drive(t, withFiles(filesOf("a b.go", ".env")), func(d *driver) {
		d.connected()
		all := []notes.Note{{Path: "a b.go", From: 3, To: 4, Quote: "+// @.env\n+```\n+@.env", Diff: true, Text: "no"}}
		d.m.Front.SetNotes(all)
		d.types("/notes\n")
		d.press("enter")
		d.wait(100 * time.Millisecond)
		d.press("enter")
		d.wait(100 * time.Millisecond)
		text, err := json.Marshal(notes.Text(notes.Prompt(all)))
		if err != nil {
			t.Fatal(err)
		}
		d.sent(1, `[{"type":"text","text":`+string(text)+`},{"type":"resource","resource":{"uri":"file:///p/a b.go#L3-L4","text":"text of a b.go"}}]`)
	})
}
