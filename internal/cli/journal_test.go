package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"parley/fsops"
)

// A turn writes one file through parley and one on disk. Undo restores both, except what was
// changed since.
func TestJournals(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	t.Setenv("PARLEY_STATE", t.TempDir())
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) string {
		path := filepath.Join(root, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := put("a", "one\n")
	put("b", "one\n")
	if out, err := exec.Command(git, "-C", root, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%s: got %v", out, err)
	}

	j := newJournals(nil, nil)
	c := &Connection{journals: j}
	defer j.closeAll()
	j.open("s", []string{root})
	c.Turn("s", true)
	j.waitIdle("s")
	put("a", "two\n")
	j.wrote("s", fsops.Written{Path: a, Old: "one\n", OldKnown: true}, "two\n")
	b := put("b", "two\n")
	n := put("new", "x")
	c.Turn("s", false)

	changes, together := c.Changes("s"), c.ChangesSince("s", 1)
	if len(changes) != 3 || len(together) != 3 {
		t.Fatalf("%+v, %+v", changes, together)
	}
	if before, after, ok := c.ChangeTexts("s", changes[0]); !ok || before != "one\n" || after != "two\n" {
		t.Errorf("%q, %q, %v", before, after, ok)
	}
	put("b", "mine\n")
	for _, r := range c.Undo(context.Background(), "s", changes, false) {
		if wrong := (r.Change.Path == b) != (r.Err != nil); wrong {
			t.Errorf("%s: got %v", r.Change.Path, r.Err)
		}
	}
	for path, want := range map[string]string{a: "one\n", b: "mine\n"} {
		if got, _ := os.ReadFile(path); string(got) != want {
			t.Errorf("%s holds %q", path, got)
		}
	}
	if _, err := os.Stat(n); !os.IsNotExist(err) {
		t.Error("what was made is still there")
	}
	if got := c.Changes("nobody"); got != nil {
		t.Errorf("%+v", got)
	}
}

// No copies are left at the end, including those of sessions closed just before, as when the agent
// ends.
func TestJournalsLeaveNothing(t *testing.T) {
	state := t.TempDir()
	t.Setenv("PARLEY_STATE", state)
	root := t.TempDir()
	j := newJournals(nil, nil)
	for i := range 20 {
		session := fmt.Sprint(i)
		j.open(session, []string{root})
		j.wrote(session, fsops.Written{Path: filepath.Join(root, "a"), Old: "one\n", OldKnown: true}, "two\n")
		j.turn(session, true)
	}
	for i := range 18 {
		j.close(fmt.Sprint(i))
	}
	j.closeAll()
	left, err := os.ReadDir(filepath.Join(state, "undo"))
	if err != nil || len(left) > 0 {
		t.Errorf("%d directories are left, %v", len(left), err)
	}
}
