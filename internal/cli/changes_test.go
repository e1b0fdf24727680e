package cli

import (
	"errors"
	"os"
	"os/exec"
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
	c.Journal("s").Turn(true)
	c.journals.waitIdle("s")
	do()
	c.Journal("s").Turn(false)
}

// A hunk of what an agent wrote itself is undone and another one is staged; /undo then restores the rest.
func TestReviewHunks(t *testing.T) {
	far := strings.Repeat("same\r\n", 10)
	c, dir, put := reviewed(t, true, map[string]string{"f": "a\r\n" + far + "b", "bin": "\x00"})
	c.turn(func() { put("f", "A\r\n"+far+"B"); put("bin", "\x01\x00") })

	all := c.Journal("s").Since(0)
	if len(all) != 2 || filepath.Base(all[0].Path) != "bin" {
		t.Fatalf("changes %+v, want bin and f", all)
	}
	if err := c.Journal("s").Stage(t.Context(), all[0], nil); !errors.Is(err, stage.ErrNoText) {
		t.Errorf("a binary file is staged: got %v, want %v", err, stage.ErrNoText)
	}
	first := "A\r\n" + far + "b"
	if err := c.Journal("s").Stage(t.Context(), all[1], &first); err != nil {
		t.Error(err)
	}
	if got := gittest.Run(t, dir, "cat-file", "blob", ":f"); got != first {
		t.Errorf("staged %q, want %q", got, first)
	}
	if err := c.Journal("s").Rewrite(t.Context(), all[1], "a\r\n"+far+"B"); err != nil {
		t.Error(err)
	}
	if err := c.Journal("s").Rewrite(t.Context(), all[1], first); !errors.Is(err, undo.ErrChangedSince) {
		t.Errorf("a change that is another by now: got %v, want %v", err, undo.ErrChangedSince)
	}
	holds(t, filepath.Join(dir, "f"), "a\r\n"+far+"B")
	for _, r := range c.Journal("s").Undo(t.Context(), c.Journal("s").Since(0)) {
		if r.Err != nil {
			t.Errorf("%s is not undone: %v", r.Change.Path, r.Err)
		}
	}
	holds(t, filepath.Join(dir, "f"), "a\r\n"+far+"b")
}

// Without a repository, and without git, what parley wrote can be undone in parts, but not staged.
func TestReviewWithoutGit(t *testing.T) {
	c, dir, put := reviewed(t, false, map[string]string{"f": "a\nb\n"})
	c.turn(func() {
		put("f", "A\nB\n")
		c.journals.wrote("s", fsops.Written{Path: filepath.Join(dir, "f"), Old: "a\nb\n", OldKnown: true}, "A\nB\n")
	})
	all := c.Journal("s").Since(0)
	if len(all) != 1 {
		t.Fatalf("changes %+v, want f", all)
	}
	if _, err := exec.LookPath("git"); err == nil {
		if err := c.Journal("s").Stage(t.Context(), all[0], nil); !errors.Is(err, stage.ErrNoRepository) {
			t.Errorf("staged without a repository: got %v, want %v", err, stage.ErrNoRepository)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if err := c.Journal("s").Stage(t.Context(), all[0], nil); !errors.Is(err, exec.ErrNotFound) || !strings.HasPrefix(err.Error(), "staging needs git: ") {
		t.Errorf("staged without git: got %v", err)
	}
	if err := c.Journal("s").Rewrite(t.Context(), all[0], "a\nB\n"); err != nil {
		t.Error(err)
	}
	holds(t, filepath.Join(dir, "f"), "a\nB\n")
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
		t.Fatal("the merge has no conflict, want one")
	}
	conflict, _ := os.ReadFile(filepath.Join(dir, "f"))
	c.turn(func() { put("f", "solved\n"); put("g", "2\n") })
	before := gittest.Run(t, dir, "ls-files", "--stage")
	all := c.Journal("s").Since(0)
	if len(all) != 2 {
		t.Fatalf("changes %+v, want f and g", all)
	}
	for _, change := range all {
		if err := c.Journal("s").Stage(t.Context(), change, nil); !errors.Is(err, stage.ErrInProgress) {
			t.Errorf("%s is staged: got %v, want %v", change.Path, err, stage.ErrInProgress)
		}
	}
	for _, r := range c.Journal("s").Undo(t.Context(), all) {
		if r.Err != nil {
			t.Errorf("%s is not undone: %v", r.Change.Path, r.Err)
		}
	}
	holds(t, filepath.Join(dir, "f"), string(conflict))
	if after := gittest.Run(t, dir, "ls-files", "--stage"); after != before {
		t.Errorf("the index is\n%swant\n%s", after, before)
	}
}

func TestReviewOfAClosedSession(t *testing.T) {
	c, _, put := reviewed(t, true, map[string]string{"f": "1\n"})
	c.turn(func() { put("f", "2\n") })
	all := c.Journal("s").Since(0)
	c.journals.close("s")
	if err := c.Journal("s").Rewrite(t.Context(), all[0], "3\n"); !errors.Is(err, undo.ErrClosed) {
		t.Errorf("got %v, want %v", err, undo.ErrClosed)
	}
	if err := c.Journal("s").Stage(t.Context(), all[0], nil); !errors.Is(err, undo.ErrClosed) {
		t.Errorf("got %v, want %v", err, undo.ErrClosed)
	}
	if got := c.Journal("s").Since(0); got != nil {
		t.Errorf("changes %+v, want none", got)
	}
}
