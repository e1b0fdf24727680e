package linear

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/finder"
	"parley/internal/memory"
	"parley/internal/notes"
	"parley/internal/undo"
	"parley/internal/undo/undotest"
)

// lined is a project of text files.
type lined map[string]string

func (l lined) Read(_ context.Context, _ []string, path string, from, to int) (finder.Mentioned, error) {
	text, ok := l[path]
	m := finder.Mentioned{URI: "file:///p/" + path, Name: path}
	lines := strings.SplitAfter(text, "\n")
	switch {
	case !ok:
		return finder.Mentioned{}, finder.ErrNoFile
	case from > len(lines):
		m.NoTextReason = fmt.Sprintf("without a line %d", from)
	case from > 0:
		text = strings.Join(lines[from-1:min(to, len(lines))], "")
		m.Text = &text
	default:
		m.Text = &text
	}
	return m, nil
}

// shelf keeps drafts over several runs.
type shelf struct {
	mu     sync.Mutex
	drafts map[memory.Key]memory.Draft
	err    error
}

func (s *shelf) Load(k memory.Key) (memory.Draft, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drafts[k], s.err
}

func (s *shelf) Save(k memory.Key, d memory.Draft) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.drafts[k] = d
	}
	return s.err
}

// notesOf returns what is said in the notes of a draft.
func (s *shelf) notesOf(k memory.Key) (out []string) {
	for _, n := range s.drafts[k].Notes {
		out = append(out, n.Where()+": "+n.Text)
	}
	return out
}

var project = lined{"a.go": "one\ntwo\nthree\nfour\n", "a b.go": "x\n", "long.txt": strings.Repeat("x", 1<<20)}

// Notes on lines, files and the last message become the prompt that the screen makes of them.
func TestNotes(t *testing.T) {
	talkTo(t, func(r *rig) { r.opts.ReadFile = project.Read }, func(r *rig) {
		r.types("/notes")
		r.sees("No notes yet: /note FILE:LINE TEXT writes one.")
		r.types("hello")
		r.pause()
		r.fresh()
		r.types("/note a.go:2-3 Say why.", "/note . Shorter.", `/note "a b.go" Rename it: @a.go`, "/note a.go:1 First,\\", "then second.")
		r.pause()
		r.sees("1 note; /notes lists them, /notes send sends them as one prompt.", "4 notes;")
		r.types("/note a.go:2-3 And when?")
		r.pause()
		r.types("/notes")
		r.wants("4 notes; /notes lists them, /notes send sends them as one prompt.",
			"Notes:",
			"1. a b.go: Rename it: @a.go",
			"2. a.go:1: First, then second.",
			"3. a.go:2-3: Say why. And when?",
			"4. the agent's message: Shorter.",
			"/notes send sends them as one prompt, /notes drop and a number drops one.")
		r.types("/notes drop 5", "/notes drop 1", "/notes find", "/notes send")
		r.pause()
		r.sees("No note has that number; /notes lists them.", "Dropped: a b.go: Rename it: @a.go", "Usage: /notes, /notes send, or /notes drop and a number.", "You: My notes on your work:")
		prompts, _, _ := r.seen()
		if want := strings.ReplaceAll(`hello|My notes on your work:

@a.go:1

'''
one
'''

First,
then second.

@a.go:2-3

'''
two
three
'''

Say why.

And when?

On your message:

'''
You said: hello
'''

Shorter.`, "'", "`"); prompts != want {
			t.Errorf("the agent got\n%s\nwant\n%s", prompts, want)
		}
		r.types("/notes")
		r.sees("No notes yet")
	})
}

// A note that cannot be written says why, and a line that is too long or absent is not quoted.
func TestNoteOnWhatIsNotThere(t *testing.T) {
	talkTo(t, func(r *rig) { r.opts.ReadFile = project.Read }, func(r *rig) {
		usage := "Usage: /note FILE TEXT, /note FILE:LINE TEXT, /note FILE:LINE-LINE TEXT, or /note . TEXT about the agent's last message."
		for _, line := range []string{"/note", "/note a.go", "/note a.go:3", "/note .", "/note `a.go` x"} {
			r.fresh()
			r.types(line)
			r.sees(usage)
		}
		r.types("/note . Shorter.", "/note b.go Why?")
		r.pause()
		r.sees("Not noted: the agent has said nothing yet.", "Not noted: no such file under the session's directories: b.go.")
		r.types("/note a.go:9 Why?")
		r.pause()
		r.sees("a.go:9 is not quoted: without a line 9.", "1 note;")
		r.types("/note long.txt:1 Too long.", "/notes send")
		r.pause()
		if prompts, _, _ := r.seen(); len(prompts) > 20<<10 || !strings.Contains(prompts, "xxx…\n```\n\nToo long.") {
			t.Errorf("the agent got %d bytes: %.200q", len(prompts), prompts)
		}
	})
}

// An agent that runs elsewhere gets nothing of a file that a note is about.
func TestNoteForARemoteAgent(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.opts.ReadFile = project.Read
		r.opts.Agents[0].Remote = true
	}, func(r *rig) {
		r.types("/note a.go:2 Why?", "/notes send")
		r.pause()
		if prompts, _, _ := r.seen(); prompts != "My notes on your work:\n\n@a.go:2\n\nWhy?" {
			t.Errorf("the agent got %q", prompts)
		}
	})
}

// A file that the agent has deleted can have a note, and what /undo restored is told with the notes.
func TestNotesOnChanges(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.opts.ReadFile = project.Read
		r.Change = recording(&undotest.Journal{Files: []undo.Change{{Path: r.opts.Cwd + "/gone.go", Kind: undo.Deleted, By: undo.OnDisk, Turn: 1}}})
	}, func(r *rig) {
		r.types("go", "/note gone.go Why?", "/undo")
		r.pause()
		r.types("1")
		r.pause()
		r.fresh()
		r.types("/notes", "/notes send")
		r.pause()
		r.sees("1. gone.go: Why?", "2. Undone: gone.go")
		if prompts, _, _ := r.seen(); !strings.HasSuffix(prompts, "@gone.go\n\nWhy?\n\nI have undone these changes of yours. Do not make them again unless I ask for them:\n\n`gone.go`") {
			t.Errorf("the agent got %q", prompts)
		}
	})
}

// Notes are sent after the turn like other prompts, and those sent while the agent is gone wait.
func TestNotesDuringATurn(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.opts.ReadFile = project.Read
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			tn.Wait(5 * time.Second)
			return "end_turn"
		})
	}, func(r *rig) {
		r.types("go", "/note a.go Why?", "/notes send")
		r.sees("Queued as prompt 1.")
		time.Sleep(10 * time.Second)
		if prompts, _, _ := r.seen(); prompts != "go|My notes on your work:\n\n@a.go\n\nWhy?" {
			t.Errorf("the agent got %q", prompts)
		}
	})
}

// Notes survive a restart: in their session, and in the next one of the project. The draft that the
// screen keeps beside them stays.
func TestNotesSurvive(t *testing.T) {
	s := &shelf{drafts: map[memory.Key]memory.Draft{}}
	first, next, left := memory.Key{Agent: "fake", Session: "s1"}, memory.Key{Agent: "fake", Session: "s2"}, memory.Key{Agent: "fake"}
	s.drafts[first] = memory.Draft{Queued: []string{"later"}, Notes: []notes.Note{{Path: "b.go", Text: "old"}}}
	keeps := func(r *rig) { r.opts.ReadFile, r.opts.Drafts, r.opts.RestoreDraft = project.Read, s, true }
	talkTo(t, keeps, func(r *rig) {
		r.sees("Restored your notes; /notes lists them.")
		r.types("/note a.go:1 Why?")
		r.pause()
		if got := fmt.Sprint(s.notesOf(first)); got != "[b.go: old a.go:1: Why?]" || len(s.drafts[first].Queued) != 1 {
			t.Errorf("kept %s in %+v", got, s.drafts[first])
		}
	})
	if got := fmt.Sprint(s.notesOf(left)); got != "[b.go: old a.go:1: Why?]" || s.drafts[left].Session != "s1" {
		t.Errorf("left %s in %+v", got, s.drafts[left])
	}
	talkTo(t, func(r *rig) {
		keeps(r)
		r.fake.Answer("session/new", `{"sessionId":"s2"}`)
	}, func(r *rig) {
		r.sees("Restored your notes; /notes lists them.")
		r.pause()
		if got := fmt.Sprint(s.notesOf(first), s.notesOf(next), s.notesOf(left)); got != "[] [b.go: old a.go:1: Why?] []" || len(s.drafts[first].Queued) != 1 {
			t.Errorf("kept %s", got)
		}
		r.types("/notes drop 1", "/notes send")
		r.pause()
		r.sees("You: My notes on your work:")
	})
	if got := fmt.Sprint(s.notesOf(first), s.notesOf(next), s.notesOf(left)); got != "[] [] []" {
		t.Errorf("notes that were sent are kept: %s", got)
	}
}

// A note that is written while the agent is gone is saved, too.
func TestNoteWithoutTheAgent(t *testing.T) {
	s := &shelf{drafts: map[memory.Key]memory.Draft{}}
	talkTo(t, func(r *rig) { r.opts.ReadFile, r.opts.Drafts = project.Read, s }, func(r *rig) {
		r.types("hello")
		r.pause()
		r.Agent().Close()
		r.pause()
		r.types("/note . Shorter.")
		r.pause()
		if got := fmt.Sprint(s.notesOf(memory.Key{Agent: "fake", Session: "s1"})); got != "[the agent's message: Shorter.]" {
			t.Errorf("kept %s", got)
		}
	})
}

// Notes that are saved nowhere move to the session that takes the place of theirs, as queued prompts do.
func TestNotesMoveToTheNextSession(t *testing.T) {
	for _, drafts := range []memory.DraftStore{nil, &shelf{drafts: map[memory.Key]memory.Draft{}}} {
		talkTo(t, func(r *rig) { r.opts.ReadFile, r.opts.Drafts = project.Read, drafts }, func(r *rig) {
			r.types("/note a.go Why?")
			r.pause()
			r.Agent().Close()
			r.pause()
			r.fake.Answer("session/new", `{"sessionId":"s2"}`)
			r.types("/agent", "1")
			r.pause()
			r.fresh()
			r.types("/notes")
			if drafts == nil {
				r.sees("1. a.go: Why?")
			} else {
				r.sees("No notes yet") // resuming their session restores them
			}
		})
	}
}

// Notes that cannot be saved are said to be lost once, and printed at the end.
func TestNotesThatCannotBeSaved(t *testing.T) {
	for _, drafts := range []memory.DraftStore{nil, &shelf{err: errors.New("the disk is gone")}} {
		talkTo(t, func(r *rig) { r.opts.ReadFile, r.opts.Drafts = project.Read, drafts }, func(r *rig) {
			r.types("/note a.go:2 Why?", "/note a.go Also.")
			r.pause()
			if got := strings.Count(r.fresh(), "the disk is gone"); drafts != nil && got != 1 {
				t.Errorf("said %d times", got)
			}
			r.types("/quit")
			r.pause()
			r.sees("Not sent:", "  My notes on your work:", "  Why?")
		})
	}
}
