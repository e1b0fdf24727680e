package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/fsops"
	"parley/internal/config"
	"parley/internal/gittest"
	"parley/internal/must"
)

// A turn writes one file written via parley and one on disk. Undo restores both, except what was
// changed since.
func TestJournals(t *testing.T) {
	gittest.Isolate(t)
	t.Setenv("PARLEY_STATE", t.TempDir())
	root := realTemp(t)
	put := func(name, text string) string {
		gittest.Write(t, root, name, text)
		return filepath.Join(root, name)
	}
	a := put("a", "one\n")
	put("b", "one\n")
	gittest.Run(t, root, "init", "-q")

	j := newJournals("ada", false, nil, nil)
	c := &Connection{journals: j}
	defer j.closeAll()
	j.open("s", []string{root}, false)
	c.Journal("s").Turn(true)
	j.waitIdle("s")
	put("a", "two\n")
	j.wrote("s", fsops.Written{Path: a, Old: "one\n", OldKnown: true}, "two\n")
	b := put("b", "two\n")
	n := put("new", "x")
	c.Journal("s").Turn(false)

	changes, together := c.Journal("s").Changes(), c.Journal("s").Since(1)
	if len(changes) != 3 || len(together) != 3 {
		t.Fatalf("changes %+v and %+v, want a, b and new in both", changes, together)
	}
	if before, after, ok := c.Journal("s").Texts(changes[0]); !ok || before != "one\n" || after != "two\n" {
		t.Errorf("texts %q, %q, %v, want one and two", before, after, ok)
	}
	put("b", "mine\n")
	for _, r := range c.Journal("s").Undo(context.Background(), changes) {
		if wrong := (r.Change.Path == b) != (r.Err != nil); wrong {
			t.Errorf("%s: got %v, want an error for b alone", r.Change.Path, r.Err)
		}
	}
	for path, want := range map[string]string{a: "one\n", b: "mine\n"} {
		holds(t, path, want)
	}
	if _, err := os.Stat(n); !os.IsNotExist(err) {
		t.Error("what was made is still there")
	}
	if got := c.Journal("nobody").Changes(); got != nil {
		t.Errorf("a session that does not exist has %+v, want nothing", got)
	}
}

// No copies are left at the end, including those of sessions closed just before, as when the agent
// ends.
func TestJournalsLeaveNothing(t *testing.T) {
	state := t.TempDir()
	t.Setenv("PARLEY_STATE", state)
	root := t.TempDir()
	j := newJournals("ada", false, nil, nil)
	for i := range 20 {
		session := fmt.Sprint(i)
		j.open(session, []string{root}, false)
		j.wrote(session, fsops.Written{Path: filepath.Join(root, "a"), Old: "one\n", OldKnown: true}, "two\n")
		j.turn(session, true)
	}
	for i := range 18 {
		j.close(fmt.Sprint(i))
	}
	j.closeAll()
	left, err := os.ReadDir(filepath.Join(state, "undo"))
	if err != nil || len(left) > 0 {
		t.Errorf("%d directories are left, %v, want none", len(left), err)
	}
}

// What a session has changed is there again when it is resumed, and its turns continue; a new session of
// that name has none of it.
func TestJournalsKeep(t *testing.T) {
	c, dir, put := reviewed(t, true, map[string]string{"f": "1\n"})
	state := c.journals.dir
	begin := func(resumed bool) {
		c.journals.closeAll()
		c.journals = newJournals("ada", true, nil, nil)
		t.Cleanup(c.journals.closeAll)
		c.journals.open("s", []string{dir}, resumed)
	}
	begin(false)
	c.turn(func() { put("f", "2\n") })
	c.Journal("s").Turn(true)
	c.journals.waitIdle("s")
	put("f", "3\n") // parley ends before the turn does
	begin(true)
	if all := c.Journal("s").Changes(); len(all) != 2 || all[1].Turn != 2 {
		t.Fatalf("changes %+v, want one of each of two turns", all)
	}
	if n := c.Journal("s").Turn(true); n != 3 {
		t.Errorf("the next turn is %d, want 3", n)
	}
	for range 3 { // closed and opened at once
		c.journals.close("s")
		c.journals.open("s", []string{dir}, true)
	}
	for _, r := range c.Journal("s").Undo(t.Context(), c.Journal("s").Since(0)) {
		if r.Err != nil {
			t.Error(r.Err)
		}
	}
	holds(t, filepath.Join(dir, "f"), "1\n")
	begin(true)
	if all := c.Journal("s").Since(0); len(all) != 1 || !all[0].Undone {
		t.Errorf("changes %+v, want one, undone", all)
	}
	begin(false)
	if all := c.Journal("s").Changes(); len(all) > 0 || c.Journal("s").Turn(true) != 1 {
		t.Errorf("changes of a new session: %+v, want none, and turn 1 next", all)
	}
	c.journals.closeAll()
	if left, err := os.ReadDir(state); len(left) > 0 {
		t.Errorf("left are %v, %v, want nothing", left, err)
	}
}

// Two parleys that have the same session open do not share its changes.
func TestJournalsInUse(t *testing.T) {
	c, dir, put := reviewed(t, true, map[string]string{"f": "1\n"})
	log := event.NewLog()
	c.journals.closeAll()
	c.journals = newJournals("ada", true, nil, nil)
	t.Cleanup(c.journals.closeAll)
	c.journals.open("s", []string{dir}, true)
	c.turn(func() { put("f", "2\n") })
	c.journals.waitIdle("s")
	other := newJournals("ada", true, log, nil)
	defer other.closeAll()
	other.open("s", []string{dir}, true)
	if all := (&Connection{journals: other}).Journal("s").Changes(); len(all) > 0 {
		t.Errorf("the other parley has %+v, want nothing", all)
	}
	lines, _ := log.Lines()
	if said := fmt.Sprint(lines); !strings.Contains(said, "earlier changes of session s are not shown, and later ones not kept: another parley has the session open") {
		t.Errorf("the log has %s, want why nothing is shown and kept", said)
	}
	if all := c.Journal("s").Changes(); len(all) != 1 {
		t.Errorf("changes %+v, want one", all)
	}
}

// Changes are not kept where logs are not, or where the configuration says so.
func TestKeepsChanges(t *testing.T) {
	for text, want := range map[string]bool{"": true, "record = true\n": true, "record = false\n": false, "keep_changes = false\n": false, "record = false\nkeep_changes = true\n": false} {
		c := must.Get(config.Parse("config.toml", []byte(text)))(t)
		if got := (&Setup{Config: c}).keepsChanges(); got != want {
			t.Errorf("%q: changes are kept: %v, want %v", text, got, want)
		}
	}
}

// A file that is named is looked at before what was asked about it is answered; what is not recorded is
// told, and why.
func TestNamedFiles(t *testing.T) {
	c, dir, put := reviewed(t, false, map[string]string{"a": "one\n"})
	if got := c.Journal("s").NotRecorded(); got != nil {
		t.Errorf("before a turn: %q", got)
	}
	time.Sleep(150 * time.Millisecond) // a younger file could have been written in the turn
	c.turn(func() {
		<-c.journals.named("s", func() []string { return []string{filepath.Join(dir, "a")} })
		put("a", "two\n")
		put("b", "")
	})
	if got := c.Journal("s").Changes(); len(got) != 1 || got[0].NoUndoReason != "" {
		t.Errorf("got %+v", got)
	}
	if got, want := c.Journal("s").NotRecorded(), "Unreported files are not recorded: "; len(got) != 1 || !strings.HasPrefix(got[0], want) {
		t.Errorf("got %q, want %q", got, want)
	}
	c.journals.close("s")
	<-c.journals.named("s", func() []string { t.Error("a closed session"); return nil })
}

// Nothing is recorded where no copies can be kept, and the reason is told.
func TestNowhereToKeepCopies(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	must.Do(t, os.WriteFile(state, nil, 0o600))
	t.Setenv("PARLEY_STATE", state)
	c := &Connection{journals: newJournals("ada", false, nil, nil)}
	defer c.journals.closeAll()
	c.journals.open("s", []string{t.TempDir()}, false)
	<-c.journals.named("s", func() []string { t.Error("looked at"); return nil })
	if got := c.Journal("s").NotRecorded(); len(got) != 1 || !strings.HasPrefix(got[0], "Changes are not recorded: mkdir "+state) {
		t.Errorf("got %q", got)
	}
	if got := (&Connection{}).Journal("s").NotRecorded(); len(got) != 1 {
		t.Errorf("got %q", got)
	}
}

// A turn that begins with a prompt has one number, and its files are looked at before the prompt is sent.
func TestPrompted(t *testing.T) {
	c, _, put := reviewed(t, true, map[string]string{"a": "1\n"})
	for turn := 1; turn <= 2; turn++ {
		<-c.journals.prompted("s")
		put("a", fmt.Sprint(turn, "\n", "x"))
		if got := c.Journal("s").Turn(true); got != turn {
			t.Errorf("it has the number %d, want %d", got, turn)
		}
		if c.journals.prompted("s") != nil {
			t.Error("a prompt during a turn has begun another")
		}
		c.Journal("s").Turn(false)
		if got := c.Journal("s").Changes(); len(got) != turn || got[turn-1].Turn != turn || got[turn-1].NoUndoReason != "" {
			t.Errorf("changes %+v", got)
		}
	}
	if got := c.Journal("s").Turn(true); got != 3 { // that the agent began by itself
		t.Errorf("it has the number %d", got)
	}
	if (&journals{}).prompted("unknown") != nil {
		t.Error("an unknown session lets the prompt wait")
	}
}

// If parley ends before it has looked at all files, it says so.
func TestEndedEarly(t *testing.T) {
	t.Setenv("PARLEY_STATE", t.TempDir())
	var warned []string
	j := newJournals("ada", true, nil, func(_ *event.Log, line string) { warned = append(warned, line) })
	j.last = time.Millisecond
	j.open("s", []string{t.TempDir()}, false)
	j.mu.Lock()
	j.queue(j.of["s"], func() { <-j.scanCtx.Done() })
	j.mu.Unlock()
	j.turn("s", true)
	j.closeAll()
	if len(warned) != 1 || !strings.HasSuffix(warned[0], ": parley ended before it had looked at all files") {
		t.Errorf("warned %q", warned)
	}
}

// If the files cannot be looked at before the prompt must be sent, the review says since when it knows.
func TestPromptedLate(t *testing.T) {
	c, _, _ := reviewed(t, true, map[string]string{"a": "1\n"})
	c.journals.mu.Lock()
	c.journals.queue(c.journals.of["s"], func() { time.Sleep(acpclient.PromptDelay) }) // a slow disk
	c.journals.mu.Unlock()
	<-c.journals.prompted("s")
	if got := c.Journal("s").NotRecorded(); len(got) != 1 || !strings.HasPrefix(got[0], "What changed in the first 0.") || !strings.HasSuffix(got[0], " s of turn 1 is not fully known") {
		t.Errorf("got %q", got)
	}
}
