package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/fakeagent"
	"parley/internal/seeds"
	"parley/permissions"
	"parley/ui/composer"
)

// numbered returns a text of n lines.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// three changes three places of numbered(12).
var three = strings.NewReplacer("line 2\n", "zwei\n", "line 5\n", "", "line 9\n", "line 9\n\tnine and a half \n")

// withWrite opens the chat, has the agent write a file unasked, and waits for the
// question. The agent's answer holds what it was told.
func withWrite(t *testing.T, old, text string, change func(*driver, *Options), f func(d *driver, path string)) {
	t.Helper()
	drive(t, func(d *driver, o *Options) {
		path := filepath.Join(d.Cwd, "notes.txt")
		if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		d.fake.Turn(writing(path, text))
		if change != nil {
			change(d, o)
		}
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.wait(100 * time.Millisecond)
		d.sees("parley asks")
		f(d, filepath.Join(d.Cwd, "notes.txt"))
	})
}

// grabs gives the question the keys and waits until it takes them.
func (d *driver) grabs() {
	d.t.Helper()
	d.press("alt+a")
	d.wait(100 * time.Millisecond)
}

func (d *driver) onDisk(path, want string) {
	d.t.Helper()
	d.wait(100 * time.Millisecond)
	if got, _ := os.ReadFile(path); string(got) != want {
		d.t.Fatalf("%s holds %q, want %q\n%s", path, got, want, d.screen())
	}
}

// all reads the question to its end.
func (d *driver) all() {
	d.t.Helper()
	for i := 0; i < 60 && !d.m.Front.Question.Read(); i++ {
		d.press("pgdown")
	}
}

// One hunk of three is rejected: the others are written, and the agent is told.
func TestRefuseAHunk(t *testing.T) {
	old := numbered(12)
	withWrite(t, old, three.Replace(old), nil, func(d *driver, path string) {
		d.grabs()
		d.press("h")
		d.sees("▸ ✓ hunk 1 of 3", "space reject")
		d.press("f")
		d.all()
		d.sees("▸ ✓ hunk 1 of 3", "✓ hunk 2 of 3", "✓ hunk 3 of 3", "y Allow once   a Allow for this session")
		d.press("right", "space")
		d.sees("  ✓ hunk 1 of 3", "▸ ✗ hunk 2 of 3: rejected", "y Allow once: 2 of 3 hunks   a Allow for this session (off)", "space keep")
		d.press("a")
		d.sees("A changed write can only be allowed once")
		d.press("esc") // not an answer
		d.sees("  ✗ hunk 2 of 3: rejected", "Allow once: 2 of 3 hunks", "f or esc back")
		d.press("y")
		d.onDisk(path, strings.Replace(three.Replace(old), "line 4\n", "line 4\nline 5\n", 1))
		d.sees("✓ Allowed by you (Allow once, with changes)", "told: ", "The user changed this", "+line 5")
	})
}

func TestHunkKeys(t *testing.T) {
	old := numbered(12)
	for name, c := range map[string]struct {
		keys string
		want string
	}{
		"none refused":       {"h enter", three.Replace(old)},
		"as without hunks":   {"y", three.Replace(old)},
		"refused and not":    {"h ] space space enter", three.Replace(old)},
		"the last":           {"h ] ] ] space enter", strings.NewReplacer("line 2\n", "zwei\n", "line 5\n", "").Replace(old)},
		"back to the first":  {"h right right left left left space enter", strings.NewReplacer("line 5\n", "", "line 9\n", "line 9\n\tnine and a half \n").Replace(old)},
		"all of them":        {"h space ] space ] space enter", old},
		"after all":          {"h space ] space u enter", three.Replace(old)},
		"rejected":           {"h space n", old},
		"left, then esc":     {"h space esc f esc", old},
		"a session's yes":    {"h a", three.Replace(old)},
		"left by h, and yes": {"h space h y", strings.NewReplacer("line 5\n", "", "line 9\n", "line 9\n\tnine and a half \n").Replace(old)},
	} {
		t.Run(name, func(t *testing.T) {
			withWrite(t, old, three.Replace(old), nil, func(d *driver, path string) {
				d.grabs()
				d.press("f")
				d.all()
				d.press(strings.Fields(c.keys)...)
				d.onDisk(path, c.want)
				if d.open() != 0 {
					t.Errorf("the question is still open\n%s", d.screen())
				}
				d.sees("by you")
				if said := strings.Contains(d.screen(), "told: "); said != (c.want != three.Replace(old)) {
					t.Errorf("the agent got %v\n%s", said, d.screen())
				}
			})
		})
	}
}

// Nothing is allowed before all was read, and moving from hunk to hunk skips nothing.
func TestHunksAreRead(t *testing.T) {
	old := numbered(400)
	text := strings.NewReplacer("line 2\n", "zwei\n", "line 200\n", strings.Repeat("much\n", 60), "line 380\n", "end\n").Replace(old)
	withWrite(t, old, text, nil, func(d *driver, path string) {
		d.grabs()
		d.press("h")
		seen := 0
		for i := 0; i < 30 && !d.m.Front.Question.Read(); i++ {
			q := d.m.Front.Question
			from, to := q.OnScreen()
			if from > seen {
				t.Fatalf("rows %d to %d were never on the screen", seen, from)
			}
			seen = max(seen, to)
			d.press("enter")
			d.sees("Read to the end first")
			d.press("right")
		}
		d.sees("hunk 3 of 3")
		d.press("enter")
		d.onDisk(path, text)
	})
	// Leaving the hunks, or another width, moves rows: unread rows stay below.
	withWrite(t, old, text, nil, func(d *driver, _ string) {
		q := d.m.Front.Question
		d.grabs()
		for _, keys := range []string{"h", "esc", "h h"} {
			d.press("pgdown", "pgdown")
			d.press(strings.Fields(keys)...)
			if from, _ := q.OnScreen(); from != 0 || q.Read() {
				t.Errorf("after %s: row %d, read %v", keys, from, q.Read())
			}
		}
	})
}

// editsFiles gives the screen an editor of files.
func editsFiles(last **editorOf, do func(string) (string, error)) func(*driver, *Options) {
	return func(_ *driver, o *Options) {
		o.FileEditor = func(text, path string) (composer.Editing, error) {
			if filepath.Base(path) != "notes.txt" {
				return composer.Editing{}, errors.New("what is " + path)
			}
			e := &editorOf{text: text, do: do}
			*last = e
			return composer.Editing{Command: e, Done: func() (string, error) { e.gone = true; return e.text, nil }}, nil
		}
	}
}

// Editing the text makes a new diff, which must be read; keys meant for the editor answer
// nothing.
func TestEditBeforeAllowing(t *testing.T) {
	old := numbered(12)
	var last *editorOf
	var saw string
	edited := strings.Replace(old, "line 3\n", "\tthree\n"+strings.Repeat("more\n", 40), 1)
	withWrite(t, old, three.Replace(old), editsFiles(&last, func(text string) (string, error) { saw = text; return edited, nil }), func(d *driver, path string) {
		d.grabs()
		d.all()
		d.press("h", "space") // the editor gets what is left
		d.press("e")
		if want := strings.Replace(three.Replace(old), "zwei\n", "line 2\n", 1); saw != want || !last.gone {
			t.Errorf("the editor saw %q; its file is gone: %v", saw, last.gone)
		}
		d.press("y", "enter", "y", "1") // too close to the editor
		d.wait(100 * time.Millisecond)
		d.press("y")
		d.onDisk(path, old)
		d.sees("Edited by you", "hunk 1 of 1", "y Allow once, as edited (off)")
		d.misses("zwei")
		d.rest()
		d.press("y")
		d.onDisk(path, old)
		d.sees("Read to the end first")
		d.all()
		d.sees("y Allow once, as edited  ")
		d.press("y")
		d.onDisk(path, edited)
		d.sees("told: ")
		d.draft("")
	})
}

func TestEditingThatComesToNothing(t *testing.T) {
	old := numbered(12)
	var last *editorOf
	var gives string
	var fails error
	withWrite(t, old, three.Replace(old), editsFiles(&last, func(text string) (string, error) {
		if gives == "same" {
			return text + "", nil
		}
		return gives, fails
	}), func(d *driver, path string) {
		d.send(tea.WindowSizeMsg{Width: 80, Height: 22}) // so that not all of it fits
		d.grabs()
		d.press("f")
		d.all()
		for _, c := range []struct {
			gives string
			fails error
			says  string
		}{{"same", nil, "The text is unchanged"}, {"x\n", errors.New("exit status 1"), "The editor failed; the text is unchanged: exit status 1"}} {
			gives, fails = c.gives, c.fails
			d.press("e")
			d.sees(c.says, "y Allow once   a Allow for this session")
			d.misses("Edited by you")
			d.rest()
		}
		gives, fails = old, nil
		d.press("e")
		d.sees("Edited by you", "no changes", "y Write nothing")
		d.rest()
		gives = three.Replace(old)
		d.press("e") // what the agent wants after all
		d.misses("Edited by you")
		d.rest()
		gives = "mine\n"
		d.press("e")
		d.rest()
		d.sees("Edited by you")
		d.press("u")
		d.misses("Edited by you")
		d.sees("hunk 1 of 3", "(off)")
		d.all()
		d.press("y")
		d.onDisk(path, three.Replace(old))
		d.sees("written")
	})
	// A file without a final newline does not get one because an editor adds it.
	withWrite(t, "a", "b", editsFiles(&last, func(text string) (string, error) { return text + "\n", nil }), func(d *driver, path string) {
		d.grabs()
		d.press("e")
		d.sees("The text is unchanged")
		d.rest()
		d.press("y")
		d.onDisk(path, "b")
		d.sees("written")
	})
}

// The question is answered elsewhere while the editor is open: nothing is written.
func TestEditingTooLate(t *testing.T) {
	var last *editorOf
	var d *driver
	withWrite(t, "a\n", "b\n", editsFiles(&last, func(string) (string, error) {
		d.m.Front.Agent.ConnForTest().Broker.CancelSession("s1")
		time.Sleep(time.Second)
		return "c\n", nil
	}), func(now *driver, path string) {
		d = now
		d.grabs()
		d.press("e")
		d.wait(2 * time.Second)
		d.sees("The question was answered meanwhile; your edit is not written")
		if !last.gone {
			t.Error("the file of the editor is left")
		}
		d.onDisk(path, "a\n")
	})
}

// Chosen hunks stay while another question is on the screen, and must be read again.
func TestHunksAmongQuestions(t *testing.T) {
	old := numbered(12)
	withWrite(t, old, three.Replace(old), nil, func(d *driver, path string) {
		go d.Agent().Ask(context.Background(), "s1", push, usual)
		d.wait(100 * time.Millisecond)
		d.grabs()
		d.press("f")
		d.all()
		d.press("h", "space", "ctrl+n")
		d.sees("fake asks")
		d.misses("hunk")
		d.wait(100 * time.Millisecond)
		d.press("h")
		d.sees("This question has no hunks")
		d.press("e")
		d.sees("This question has no text to edit")
		d.press("ctrl+n")
		d.wait(100 * time.Millisecond)
		d.press("f")
		d.all()
		d.sees("hunk 1 of 3: rejected")
		d.press("enter")
		d.onDisk(path, strings.NewReplacer("line 5\n", "", "line 9\n", "line 9\n\tnine and a half \n").Replace(old))
		d.sees("fake asks")
		d.press("y", "enter") // the keys were not given to it
		d.outcomes("")
	})
}

// The letters of a word neither open the editor nor write anything.
func TestHunksWhileTyping(t *testing.T) {
	var last *editorOf
	withWrite(t, "a\n", "b\n", editsFiles(&last, func(string) (string, error) { t.Error("the editor was opened"); return "", nil }), func(d *driver, path string) {
		d.rest()
		for _, key := range []string{"h", "e", "space", "enter", "y"} {
			d.press(key)
			d.wait(50 * time.Millisecond)
		}
		if d.open() != 1 {
			t.Errorf("something was answered\n%s", d.screen())
		}
		d.onDisk(path, "a\n")
	})
}

// Whatever keys are pressed, a file is written only if all of the written text was on the
// screen, and the written text is what the screen shows.
func TestRandomHunkKeys(t *testing.T) {
	t.Parallel()
	keys := strings.Fields("h h ] [ left right space space space e u enter y esc f pgdown pgdown pgdown down j k pgup d tab alt+a alt+a x")
	r := rand.New(rand.NewPCG(3, 4))
	written, other := 0, 0
	rounds := seeds.Of(300)
	for range rounds {
		old := numbered(30 + r.IntN(60))
		text := old
		for range 1 + r.IntN(6) {
			text = strings.Replace(text, fmt.Sprintf("line %d\n", r.IntN(60)), fmt.Sprintf("new %d\n", r.IntN(100)), 1)
		}
		if text == old {
			continue
		}
		var last *editorOf
		now := text // what the editor has made of it
		withWrite(t, old, text, editsFiles(&last, func(saw string) (string, error) {
			now = strings.Replace(saw, fmt.Sprintf("line %d\n", r.IntN(60)), fmt.Sprintf("own %d\n", r.IntN(100)), 1)
			return now, nil
		}), func(d *driver, path string) {
			q := d.m.Front.Question
			d.press("alt+a")
			d.wait(100 * time.Millisecond)
			seen, of := map[string]bool{}, ""
			for range 80 {
				if !q.Open() {
					break
				}
				whole, left := q.Writes()
				if of != whole {
					seen, of = map[string]bool{}, whole
				}
				for row := range strings.Lines(d.screen()) {
					row = strings.Trim(strings.TrimSpace(row), "│ ")
					if len(row) > 0 {
						seen[row[max(0, strings.LastIndexAny(row, "+-")):]] = true
					}
				}
				var unseen []string
				for line := range strings.Lines(whole) {
					if line = strings.TrimSuffix(line, "\n"); !strings.Contains(old, line+"\n") && !seen["+ "+line] {
						unseen = append(unseen, line)
					}
				}
				key := keys[r.IntN(len(keys))]
				d.press(key)
				d.wait(time.Duration(r.IntN(900)) * time.Millisecond)
				got, _ := os.ReadFile(path)
				if string(got) == old {
					continue
				}
				written++
				if left != text {
					other++
				}
				if key != "y" && key != "enter" || string(got) != left || len(unseen) > 0 {
					t.Fatalf("%s wrote %q, want %q; not read: %q\n%s", key, got, left, unseen, d.screen())
				}
				break // what was typed into the composer may have begun another turn
			}
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("%d were written, %d of them changed", written, other)
	if written < rounds/15 || other < rounds/30 {
		t.Errorf("%d were written, %d of them changed: this proves nothing", written, other)
	}
}

// What a question about a write looks like; it shows the path once.
func TestGoldenHunks(t *testing.T) {
	t.Parallel()
	old := numbered(12)
	text := three.Replace(old)
	var last *editorOf
	drive(t, editsFiles(&last, func(text string) (string, error) { return strings.Replace(text, "zwei", "two", 1), nil }), func(d *driver) {
		d.connected()
		const path = "/home/ada/src/parser/notes.txt"
		d.m.Front.Agent.ConnForTest().Broker.Ask(permissions.Question{Session: "s1", Origin: permissions.FromParley, Kind: "edit", Heading: "Write a file",
			Change: &permissions.Change{Path: path, Old: old, New: text}, Body: []permissions.Part{{Kind: permissions.Diff, Path: path, Old: old, Text: text}},
			Options: []permissions.Option{{ID: "once", Name: "Allow once", Kind: permissions.AllowOnce}, {ID: "session", Name: "Allow for this session", Kind: permissions.AllowAlways}, {ID: "reject", Name: "Reject", Kind: permissions.RejectOnce}}})
		d.wait(100 * time.Millisecond)
		d.grabs()
		d.press("f")
		d.all()
		if n := strings.Count(d.screen(), path); n != 1 {
			t.Errorf("the path is shown %d times:\n%s", n, d.screen())
		}
		d.golden("hunks, the question")
		d.press("h")
		d.all()
		d.press("right", "space")
		d.golden("hunks, one refused")
		d.press("left", "e")
		d.rest()
		d.golden("hunks, edited")
	})
}

// writing is a turn that writes a file and says how that ended.
func writing(path, text string) func(*fakeagent.Turn) string {
	return func(turn *fakeagent.Turn) string {
		params, _ := json.Marshal(map[string]string{"sessionId": turn.Session, "path": path, "content": text})
		said := "written"
		if err := turn.Agent.Call(turn.Ctx, "fs/write_text_file", string(params), &struct{}{}); err != nil {
			said = "told: " + err.Error()
		}
		turn.Say(said)
		return "end_turn"
	}
}
