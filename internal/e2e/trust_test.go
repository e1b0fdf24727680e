//go:build unix

package e2e

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// A question becomes a rule, which answers the next one. What was written is listed and restored.
func TestRuleAndUndo(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	notes := filepath.Join(dir, "notes.txt")
	write(t, notes, "one\n")
	s := Start(t, 100, 40, dir, "demo")
	s.WaitFor(placeholder)
	s.Prompt("edit notes.txt")
	s.WaitFor(armed)
	s.Press("r")
	s.WaitFor("New rule", "› allow path ", "notes.txt, kind edit")
	s.Press("enter")
	s.WaitFor("llowed by your rule: allow path ", "That is all.")
	s.WaitIdle()

	rules := ""
	filepath.WalkDir(filepath.Dir(dir), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "rules.toml" {
			rules = path
		}
		return nil
	})
	if got := read(t, rules); got != fmt.Sprintf("[[allow]]\nkind = \"edit\"\npath = %q\n", notes) {
		t.Errorf("%s holds %q", rules, got)
	}

	s.Prompt("edit notes.txt")
	s.WaitFor("demo agent was here (2)")
	s.WaitIdle()
	if got := read(t, notes); !strings.HasSuffix(got, "was here (2)\n") {
		t.Errorf("the file holds %q", got)
	}

	s.Prompt("/review")
	s.WaitFor("Review: turn 2", "M notes.txt", "written via parley", "+ demo agent was here (2)")
	s.Press("t")
	s.WaitFor("Review: all turns", "+ demo agent was here (1)")
	s.Press("a")
	s.WaitFor("✓ kept")
	s.Press("esc")
	s.WaitGone("Review:")

	s.Prompt("/undo")
	s.WaitFor("Restore the last turn: 1 file")
	if got := read(t, notes); !strings.HasSuffix(got, "was here (2)\n") {
		t.Errorf("put back before it was asked: %q", got)
	}
	s.Press("enter")
	s.WaitFor("Restored notes.txt")
	if got := read(t, notes); got != "one\ndemo agent was here (1)\n" {
		t.Errorf("the file holds %q after the last turn was put back", got)
	}
	s.WaitGone("Restored notes.txt")
	s.Prompt("/undo")
	s.WaitFor("Restore the last turn: 1 file", "Turn 1")
	s.Press("enter")
	s.WaitFunc("all put back", func([]string) bool { return read(t, notes) == "one\n" })
	s.WaitFor("Restored notes.txt") // until then the list is the old one

	s.Prompt("/undo")
	s.WaitFor("Redo all 2 changes", "written via parley, turn 1", "written via parley, turn 2", "enter redo")
	s.Press("down", "enter")
	s.WaitFor("Redid notes.txt")
	if got := read(t, notes); got != "one\ndemo agent was here (1)\n" {
		t.Errorf("the file holds %q after it was done again", got)
	}

	s.Prompt("/trust")
	s.WaitFor("Trust: what the agent did", "Allowed by a rule", "Edit notes.txt")
}
