package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/undo"
	"parley/internal/undo/undotest"
)

// esc goes back to the list in which something was chosen, not past it.
func TestBackToTheList(t *testing.T) {
	t.Run("a choice", func(t *testing.T) {
		drive(t, withOptions, func(d *driver) {
			d.connected()
			d.types("/options\n")
			d.sees("╭ Options")
			d.press("enter", "esc")
			d.sees("╭ Options")
			d.press("esc")
			d.misses("╭ Options")
			d.press("ctrl+p")
			d.types("options\n")
			d.sees("╭ Options")
			d.press("esc") // what the palette did is not a step below it
			d.misses("╭ Options", "╭ Actions")
		})
	})
	t.Run("a confirmation", func(t *testing.T) {
		drive(t, nil, func(d *driver) {
			d.connected()
			d.types("/approval\n")
			d.press("end", "enter")
			d.sees("Allow everything in this session?")
			d.press("esc")
			d.sees("╭ Approval mode")
			d.press("esc")
			d.misses("╭ Approval mode")
		})
	})
	t.Run("a note", func(t *testing.T) {
		withChanges(t, func(d *driver, _ *undotest.Journal) {
			d.press("f5")
			d.soon()
			d.press("}", "c")
			d.types("say why\n")
			d.press("C", "down", "enter")
			d.sees("╭ Note on")
			d.press("esc")
			d.sees("╭ Notes", "say why")
			d.press("esc", "esc")
			d.misses("╭ Notes", "Review:")
		})
	})
	t.Run("files to restore", func(t *testing.T) {
		withChanges(t, func(d *driver, _ *undotest.Journal) {
			d.types("/turns\n")
			d.press("ctrl+o")
			d.soon()
			d.sees("Restore")
			d.press("esc")
			d.sees("╭ Prompts")
			d.press("ctrl+o")
			d.rest()
			d.press("down", "enter") // review them first
			d.soon()
			d.sees("╭ Review:")
			d.press("esc")
			d.soon()
			d.misses("╭ Review:")
			d.sees("Review the changes")
			d.press("esc")
			d.sees("╭ Prompts")
		})
	})
	t.Run("a change", func(t *testing.T) {
		withChanges(t, func(d *driver, _ *undotest.Journal) {
			d.types("/trust\n")
			d.soon()
			d.sees("╭ Trust")
			d.press("end", "enter")
			d.soon()
			d.misses("╭ Trust")
			d.press("esc")
			d.sees("╭ Trust")
		})
	})
	t.Run("a merge", func(t *testing.T) {
		inTree(t, func(d *driver, _ *forest) {
			j := &undotest.Journal{Files: []undo.Change{{Path: "/x/a.go", Kind: undo.Changed, Turn: 1}}, Text: func(undo.Change) (string, string, bool) { return "old\n", "new\n", true }}
			conn := d.m.Front.Agent.ConnForTest()
			conn.Machine = recorded{conn.Machine, j}
			d.types("/merge\n")
			d.rest()
			d.press("down", "down", "enter")
			d.soon()
			d.sees("╭ Review")
			d.press("esc")
			d.soon()
			d.sees("╭ Merge")
		})
	})
	t.Run("a file of several agents", func(t *testing.T) {
		comparing(t, changing(map[string][]string{"fake": {"a.go"}, "other": {"a.go", "b.go"}}), func(d *driver) {
			d.wait(time.Minute)
			d.send(tea.WindowSizeMsg{Width: 140, Height: 40})
			d.types("/compare\n")
			d.soon()
			d.press("down", "down", "down", "enter")
			d.soon()
			d.press("f6", "esc")
			d.soon()
			d.misses("Review:")
			d.sees("╭ Comparison", "› b.go")
			d.press("esc")
			d.misses("╭ Comparison")
		})
	})
}
