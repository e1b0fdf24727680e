package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/fsops"
	"parley/internal/gittest"
	"parley/internal/stage"
	"parley/internal/undo"
)

// reviewed is a session in a directory, with or without git, whose changes can be reviewed.
func reviewed(t *testing.T, git bool, files map[string]string) (c *Connection, dir string, put func(name, text string)) {
	t.Helper()
	t.Setenv("PARLEY_STATE", t.TempDir())
	gittest.Isolate(t)
	dir = realTemp(t)
	put = func(name, text string) { t.Helper(); gittest.Write(t, dir, name, text) }
	for name, text := range files {
		put(name, text)
	}
	if git {
		gittest.Init(t, dir)
	}
	j := newJournals("ada", false, nil, nil)
	t.Cleanup(j.closeAll)
	j.open("s", []string{dir}, false)
	return &Connection{journals: j}, dir, put
}

func (c *Connection) turn(do func()) {
	c.Turn("s", true)
	c.journals.waitIdle("s")
	do()
	c.Turn("s", false)
}

// A hunk of what an agent wrote itself is undone and another one is staged; /undo then restores the rest.
func TestReviewHunks(t *testing.T) {
	far := strings.Repeat("same\r\n", 10)
	c, dir, put := reviewed(t, true, map[string]string{"f": "a\r\n" + far + "b", "bin": "\x00"})
	c.turn(func() { put("f", "A\r\n"+far+"B"); put("bin", "\x01\x00") })

	all := c.ChangesSince("s", 0)
	if len(all) != 2 || filepath.Base(all[0].Path) != "bin" {
		t.Fatalf("%+v", all)
	}
	if err := c.StageChange(t.Context(), "s", all[:1], nil); !errors.Is(err, stage.ErrNoText) {
		t.Errorf("binary: %v", err)
	}
	first := "A\r\n" + far + "b"
	if err := c.StageChange(t.Context(), "s", all[1:], &first); err != nil {
		t.Error(err)
	}
	if got := gittest.Run(t, dir, "cat-file", "blob", ":f"); got != first {
		t.Errorf("staged %q", got)
	}
	if err := c.RewriteChange(t.Context(), "s", all[1], "a\r\n"+far+"B"); err != nil {
		t.Error(err)
	}
	if err := c.RewriteChange(t.Context(), "s", all[1], first); !errors.Is(err, undo.ErrChangedSince) {
		t.Errorf("of a change that is another by now: %v", err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "f")); string(got) != "a\r\n"+far+"B" {
		t.Errorf("the file holds %q", got)
	}
	for _, r := range c.Undo(t.Context(), "s", c.ChangesSince("s", 0), false) {
		if r.Err != nil {
			t.Errorf("%s: %v", r.Change.Path, r.Err)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "f")); string(got) != "a\r\n"+far+"b" {
		t.Errorf("the file holds %q", got)
	}
}

// Without git what parley wrote can be undone in parts, but not staged.
func TestReviewWithoutGit(t *testing.T) {
	c, dir, put := reviewed(t, false, map[string]string{"f": "a\nb\n"})
	c.turn(func() {
		put("f", "A\nB\n")
		c.journals.wrote("s", fsops.Written{Path: filepath.Join(dir, "f"), Old: "a\nb\n", OldKnown: true}, "A\nB\n")
	})
	all := c.ChangesSince("s", 0)
	if len(all) != 1 {
		t.Fatalf("%+v", all)
	}
	if err := c.StageChange(t.Context(), "s", all, nil); !errors.Is(err, stage.ErrNoRepository) {
		t.Errorf("staged: %v", err)
	}
	if err := c.RewriteChange(t.Context(), "s", all[0], "a\nB\n"); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "f")); string(got) != "a\nB\n" {
		t.Errorf("the file holds %q", got)
	}
}

// In mid-merge changes are listed and undone, but nothing is staged.
func TestReviewInAMerge(t *testing.T) {
	c, dir, put := reviewed(t, true, map[string]string{"f": "1\n", "g": "1\n"})
	gittest.Run(t, dir, "checkout", "-q", "-b", "other")
	put("f", "other\n")
	gittest.Run(t, dir, "commit", "-qam", "x")
	gittest.Run(t, dir, "checkout", "-q", "-")
	put("f", "mine\n")
	gittest.Run(t, dir, "commit", "-qam", "x")
	if gittest.Command(t, dir, "merge", "-q", "other").Run() == nil {
		t.Fatal("no conflict")
	}
	conflict, _ := os.ReadFile(filepath.Join(dir, "f"))
	c.turn(func() { put("f", "solved\n"); put("g", "2\n") })
	before := gittest.Run(t, dir, "ls-files", "--stage")
	all := c.ChangesSince("s", 0)
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}
	for _, change := range all {
		if err := c.StageChange(t.Context(), "s", []undo.Change{change}, nil); !errors.Is(err, stage.ErrInProgress) {
			t.Errorf("%s: %v", change.Path, err)
		}
	}
	for _, r := range c.Undo(t.Context(), "s", all, false) {
		if r.Err != nil {
			t.Errorf("%s: %v", r.Change.Path, r.Err)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "f")); string(got) != string(conflict) {
		t.Errorf("the file holds %q", got)
	}
	if after := gittest.Run(t, dir, "ls-files", "--stage"); after != before {
		t.Errorf("the index is %s", after)
	}
}

func TestReviewOfAClosedSession(t *testing.T) {
	c, _, put := reviewed(t, true, map[string]string{"f": "1\n"})
	c.turn(func() { put("f", "2\n") })
	all := c.ChangesSince("s", 0)
	c.journals.close("s")
	if err := c.RewriteChange(t.Context(), "s", all[0], "3\n"); !errors.Is(err, undo.ErrClosed) {
		t.Error(err)
	}
	if err := c.StageChange(t.Context(), "s", all, nil); !errors.Is(err, undo.ErrClosed) {
		t.Error(err)
	}
	if got := c.ChangesSince("s", 0); got != nil {
		t.Errorf("%+v", got)
	}
}
