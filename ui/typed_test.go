package ui

import (
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/memory"
	"parley/ui/composer"
)

// disk fakes the files of a project: it outlives the screens of a test.
type disk struct {
	mu      sync.Mutex
	history []string
	drafts  map[memory.Key]memory.Draft
	err     error // of every call
	slow    time.Duration
	slower  time.Duration // added to slow for the project's draft, once
	saves   int
}

func newDisk() *disk { return &disk{drafts: map[memory.Key]memory.Draft{}} }

func (d *disk) Load() ([]string, error) {
	time.Sleep(d.slow)
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.history), d.err
}

func (d *disk) Add(text string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.history = append(d.history, text)
	}
	return d.err
}

// draftDisk stores drafts on the disk.
type draftDisk struct{ *disk }

func (d draftDisk) Load(k memory.Key) (memory.Draft, error) {
	time.Sleep(d.slow)
	if k.Session == "" {
		d.mu.Lock()
		slower := d.slower
		d.slower = 0
		d.mu.Unlock()
		time.Sleep(slower)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.drafts[k], d.err
}

func (d draftDisk) Save(k memory.Key, draft memory.Draft) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.saves++
	switch {
	case d.err != nil:
	case strings.TrimSpace(draft.Text()) == "" && len(draft.Notes) == 0:
		delete(d.drafts, k)
	default:
		d.drafts[k] = draft
	}
	return d.err
}

func (d *disk) draft(k memory.Key) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.drafts[k].Text()
}

// keepingTyped saves history and drafts on a disk.
func keepingTyped(k *disk) func(*driver, *Options) {
	return func(_ *driver, o *Options) { o.History, o.Drafts, o.RestoreDraft = k, draftDisk{k}, true }
}

// ends ends the screen as Run does.
func (d *driver) ends() {
	d.m.Store.FlushDrafts()
	d.m.Store.FlushHistory()
}

func TestHistoryOverRuns(t *testing.T) {
	k := newDisk()
	drive(t, keepingTyped(k), func(d *driver) {
		d.connected()
		d.types("first\nsecond\n/help\n")
		d.press("esc")
		d.soon()
		d.types("not sent")
		d.press("ctrl+c")
		d.soon()
	})
	k.history = append(k.history, "from another parley")
	if got := strings.Join(k.history, "|"); got != "first|second|not sent|from another parley" {
		t.Fatalf("the history is %q", got)
	}
	drive(t, keepingTyped(k), func(d *driver) {
		d.connected()
		d.types("third\n")
		d.soon()
		d.types("a draft")
		for _, want := range []string{"third", "from another parley", "not sent", "second", "first", "first"} {
			d.press("up")
			d.draft(want)
		}
		d.press("down", "down", "down", "down", "down")
		d.draft("a draft")
	})
}

// A history that is slow or cannot be saved blocks nothing; the latter is said once.
func TestHistoryFails(t *testing.T) {
	k := newDisk()
	k.history, k.slow = []string{"old"}, 3*time.Second
	drive(t, keepingTyped(k), func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.wait(100 * time.Millisecond)
		d.sees("You said: hello")
		d.wait(10 * time.Second)
		d.press("up", "up")
		d.draft("old")
	})
	k = newDisk()
	k.err = errors.New("read-only file system")
	drive(t, func(d *driver, o *Options) { o.History = k }, func(d *driver) {
		d.connected()
		d.sees("History is not saved: read-only file system")
		d.wait(6 * time.Second)
		d.types("hello\n")
		d.soon()
		d.misses("read-only")
		d.sees("You said: hello")
		d.press("up")
		d.draft("hello")
	})
}

func TestSearchHistory(t *testing.T) {
	k := newDisk()
	k.history = []string{"fix the lexer", "run the tests\nand tell", "why does it fail"}
	drive(t, keepingTyped(k), func(d *driver) {
		d.connected()
		d.types("my draft")
		d.press("ctrl+r")
		d.sees("history", "› why does it fail", "run the tests and tell", "2 lines", "fix the lexer", "3/3")
		d.types("tst")
		d.sees("1/3", "› run the tests and tell")
		d.press("esc")
		d.draft("my draft")
		d.misses("1/3", "3/3")
		d.press("ctrl+r")
		d.types("lex")
		d.press("enter")
		d.draft("fix the lexer")
		d.press("ctrl+r")
		d.sees("› my draft") // it is not lost
		d.mtyped(k, "sent elsewhere")
		d.press("esc", "ctrl+r")
		d.soon()
		d.sees("sent elsewhere", "5/5")
	})
}

// mtyped adds what another parley has typed.
func (d *driver) mtyped(k *disk, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.history = append(k.history, text)
}

// editorOf edits in place of an editor; the terminal is not touched.
type editorOf struct {
	text string
	do   func(string) (string, error)
	gone bool
}

func (e *editorOf) Run() (err error)    { e.text, err = e.do(e.text); return err }
func (e *editorOf) SetStdin(io.Reader)  {}
func (e *editorOf) SetStdout(io.Writer) {}
func (e *editorOf) SetStderr(io.Writer) {}

// editing gives the screen an editor.
func editing(last **editorOf, do func(string) (string, error)) func(*driver, *Options) {
	return func(_ *driver, o *Options) {
		o.Editor = func(text string) (composer.Editing, error) {
			e := &editorOf{text: text, do: do}
			*last = e
			return composer.Editing{Command: e, Done: func() (string, error) { e.gone = true; return e.text, nil }}, nil
		}
	}
}

func TestEditor(t *testing.T) {
	var last *editorOf
	var saw string
	var fails error
	edit := func(text string) (string, error) {
		saw = text
		return strings.Replace(text, "fix", "please fix", 1) + "\n", fails
	}
	pasted := strings.Repeat("\tline\n", 40)
	drive(t, editing(&last, edit), func(d *driver) {
		d.connected()
		d.types("fix this: ")
		d.send(tea.PasteMsg{Content: pasted})
		d.sees("[pasted 40 lines]")
		d.press("ctrl+g")
		if saw != "fix this: "+pasted || !last.gone {
			t.Errorf("the editor saw %q; its file is gone: %v", saw, last.gone)
		}
		d.sees("please fix this: [pasted 40 lines]")
		d.draft("please fix this: " + pasted)
		fails = errors.New("exit status 1")
		d.press("ctrl+g")
		d.sees("The editor failed; the draft is unchanged: exit status 1")
		d.draft("please fix this: " + pasted)
		if !last.gone {
			t.Error("the file of an editor that failed is left")
		}
		fails = nil
		d.press("enter")
		d.soon()
		d.prompts("please fix this: " + pasted)
	})
	drive(t, func(_ *driver, o *Options) {
		o.Editor = func(string) (composer.Editing, error) {
			return composer.Editing{}, errors.New("no editor: set $VISUAL or $EDITOR to one, for instance EDITOR=vi")
		}
	}, func(d *driver) {
		d.connected()
		d.types("text")
		d.press("ctrl+g")
		d.sees("No editor: set $VISUAL or $EDITOR to one")
		d.draft("text")
	})
}

// An unsent draft is restored, in its session or in the next chat of the project.
func TestDrafts(t *testing.T) {
	k := newDisk()
	s1 := memory.Key{Agent: "fake", Session: "s1"}
	drive(t, func(d *driver, o *Options) { keepingTyped(k)(d, o); d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("one\ntwo\nthree\nhalf a thou")
		d.wait(900 * time.Millisecond)
		d.types("ght")
		d.wait(900 * time.Millisecond)
		if got := k.draft(s1); strings.Contains(got, "half") {
			t.Errorf("kept while it was being typed: %q", got)
		}
		d.wait(200 * time.Millisecond)
		if got := k.draft(s1); got != "two\n\nthree\n\nhalf a thought" {
			t.Errorf("kept %q", got)
		}
		saves := k.saves
		d.wait(700 * time.Millisecond) // the turn continues: nothing was typed
		if k.saves != saves {
			t.Error("written without a reason")
		}
		d.wait(3 * time.Second)
		if got := k.draft(s1); got != "three\n\nhalf a thought" { // two was sent
			t.Errorf("kept %q", got)
		}
		d.types(" and more")
		d.ends() // within the second
	})
	if got := k.draft(s1); got != "three\n\nhalf a thought and more" {
		t.Fatalf("left %q", got)
	}
	drive(t, func(d *driver, o *Options) {
		keepingTyped(k)(d, o)
		d.fake.Answer("session/new", `{"sessionId":"s9"}`)
	}, func(d *driver) { // another session, of the same project
		d.connected()
		d.sees("Restored your earlier draft")
		d.draft("three\n\nhalf a thought and more")
		d.prompts("")
		d.wait(2 * time.Second)
		if got := k.draft(memory.Key{Agent: "fake", Session: "s9"}); got != "three\n\nhalf a thought and more" || len(k.drafts) != 1 {
			t.Errorf("it did not move: %v", k.drafts)
		}
		d.press("enter")
		d.soon()
		d.prompts("three\n\nhalf a thought and more")
		if len(k.drafts) != 0 {
			t.Errorf("a draft that was sent is kept: %v", k.drafts)
		}
		d.types("next")
		d.ends()
	})
	drive(t, func(d *driver, o *Options) {
		keepingTyped(k)(d, o)
		o.RestoreDraft = false
		d.fake.Answer("session/new", `{"sessionId":"s9"}`)
	}, func(d *driver) {
		d.connected() // the same session id, as if it was resumed
		d.draft("next")
		d.press("ctrl+c")
		d.soon()
		d.ends()
		if len(k.drafts) != 0 {
			t.Errorf("left: %v", k.drafts)
		}
	})
}

// The queue of one agent does not become the draft of another: each gets its own back.
func TestDraftsOfAgents(t *testing.T) {
	k := newDisk()
	run := func(name string, user func(*driver)) {
		drive(t, func(d *driver, o *Options) {
			keepingTyped(k)(d, o)
			d.fake.Turn(slow)
			o.Start, _, _ = strings.Cut(name, " ")
			o.Agents[0].Name = o.Start
			if o.Start != name { // a command that the user typed, known by its program
				o.Agents[0].Command, o.Agents[0].Custom = name, true
			}
		}, user)
	}
	run("one", func(d *driver) {
		d.soon()
		d.types("begin\nfor one\n")
		d.ends()
	})
	run("two", func(d *driver) {
		d.soon()
		d.misses("Restored your earlier draft")
		d.draft("")
		d.types("begin\nfor two\n")
		d.ends()
	})
	run("one first.js", func(d *driver) {
		d.soon()
		d.draft("")
		d.types("begin\nfor one first.js\n")
		d.ends()
	})
	run("one second.js", func(d *driver) {
		d.soon()
		d.draft("")
		d.ends()
	})
	for _, name := range []string{"one", "two", "one first.js"} {
		run(name, func(d *driver) {
			d.soon()
			d.draft("for " + name)
		})
	}
}

// A draft that is loaded too late does not replace what was typed.
func TestDraftComesLate(t *testing.T) {
	k := newDisk()
	k.drafts[memory.Key{Agent: "fake"}] = memory.Draft{Queued: []string{"left"}}
	k.slow, k.slower = time.Second, 3*time.Second
	drive(t, keepingTyped(k), func(d *driver) {
		d.connected()
		d.types("typed")
		d.wait(5 * time.Second)
		d.draft("typed")
		d.press("ctrl+c", "up", "up")
		d.draft("left")
	})
	k.err = errors.New("disk full")
	drive(t, func(d *driver, o *Options) { o.Drafts = draftDisk{k} }, func(d *driver) {
		d.connected()
		d.wait(2 * time.Second)
		d.sees("Drafts are not saved: disk full")
		d.wait(6 * time.Second)
		d.types("typed on")
		d.wait(2 * time.Second)
		d.misses("disk full")
		d.draft("typed on")
	})
}

// Nothing ticks while nobody types, whatever the draft.
func TestDraftsAtRest(t *testing.T) {
	k := newDisk()
	drive(t, keepingTyped(k), func(d *driver) {
		d.connected()
		for _, text := range []string{"", "  ", "text"} {
			d.types(text)
			d.wait(3 * time.Second)
			draws := d.m.draws
			d.wait(10 * time.Second)
			if d.m.draws != draws {
				t.Errorf("after %q the ticks did not stop", text)
			}
		}
	})
}

// Opened sessions have their own drafts; a closed page saves its draft.
func TestDraftsOfSessions(t *testing.T) {
	k := newDisk()
	var lexer memory.Key
	drive(t, func(d *driver, o *Options) {
		keepingTyped(k)(d, o)
		keeping(oneKept)(d, o)
		lexer = memory.Key{Dir: d.Cwd + "/lexer", Agent: "fake", Session: "k1"}
		k.drafts[lexer] = memory.Draft{Queued: []string{"about the lexer"}}
		k.drafts[memory.Key{Agent: "fake", Session: "k1"}] = memory.Draft{Queued: []string{"of another project"}}
	}, func(d *driver) {
		d.connected()
		d.types("mine")
		d.switchTo("lexer")
		d.wait(200 * time.Millisecond)
		d.draft("about the lexer")
		d.types(" again")
		d.press("ctrl+s", "down", "ctrl+x") // closes the one on the screen
		d.press("esc")
		d.soon()
		d.draft("mine")
		if got := k.draft(lexer); got != "about the lexer again" {
			t.Errorf("the closed session has %q", got)
		}
	})
}

// Case 100, with several: up moves through the queued prompts, and each keeps its place.
func TestEditQueue(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("one\ntwo\nthree\nfour\n")
		d.press("up")
		d.draft("four")
		d.press("up")
		d.draft("three")
		d.types("!!")
		d.press("up")
		d.draft("two")
		d.press("up")
		d.draft("two")
		d.sees("This is the first queued prompt")
		d.press("down", "down")
		d.draft("four")
		d.press("down")
		d.draft("")
		d.sees(`queued 1  "two"`, `queued 2  "three!!"`, `queued 3  "four"`)
		d.press("up", "up")
		d.draft("three!!")
		d.wait(3500 * time.Millisecond) // two is sent meanwhile
		d.prompts("one|two")
		d.press("backspace", "backspace", "enter")
		d.sees(`queued 1  "three"`, `queued 2  "four"`)
		d.wait(7 * time.Second)
		d.prompts("one|two|three|four")
	})
}
