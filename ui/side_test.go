package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/undo/undotest"
	"parley/ui/page"
)

func TestSidePanel(t *testing.T) {
	withChanges(t, func(d *driver, _ *undotest.Journal) {
		size := func(width int) { d.send(tea.WindowSizeMsg{Width: width, Height: 30}) }
		size(159)
		d.misses("│ Sessions")
		size(160)
		d.sees("│ Sessions", "▸ ", "│ Changed files 3", "lex.go")
		d.m.Front.Apply(event.PlanChanged{Entries: []event.PlanEntry{{Content: "Write **tests**", Status: "in_progress"}}})
		d.send(page.Refresh{})
		d.sees("│ Plan 0/1", "▸ Write tests")
		for _, status := range []string{"in_progress", "pending"} {
			d.m.Front.Apply(event.ToolChanged{ID: status, Title: new("Write it"), Kind: new("edit"), Status: new(status),
				Locations: &[]event.Location{{Path: "/some/where/" + status + "/parser.go"}}})
		}
		d.send(page.Refresh{})
		d.sees("│ Running", "│ Edit …here/in_progress/parser.go")
		if rows := d.screen(); strings.Count(rows, "│ Edit …") != 1 {
			t.Errorf("what has not begun is said to run:\n%s", rows)
		}
		d.types("/side\n")
		d.misses("│ Sessions")
		size(100)
		d.types("/side\n")
		d.sees("│ Sessions", "│ Changed files 3")
		d.press("f1") // the help has all of the screen
		d.misses("│ Sessions")
		d.press("esc")
		d.sees("│ Sessions")
		size(80)
		d.misses("│ Sessions")
		d.types("/side\n")
		d.sees("The side panel needs the full screen and 96 columns")
		d.golden("side")
	})
}
