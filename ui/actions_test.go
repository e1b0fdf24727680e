package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/ui/intent"
)

// The palette has every action, finds it by its words, and does it.
func TestPalette(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.Agent().Update("s1", commands)
		d.send(tea.WindowSizeMsg{Width: 120, Height: 60})
		d.types("half a draft")
		d.press("ctrl+p")
		for _, a := range intent.Of(intent.Chat) {
			if !a.Quiet {
				d.sees(strings.Split(a.Help, ": ")...)
			}
		}
		d.sees("ctrl+s", "/sessions", "/test", "Suspend parley")
		d.types("plan")
		d.misses("/sessions")
		d.press("enter")
		d.sees("╭ Plan", "No plan yet")
		d.press("esc")
		d.draft("half a draft")
	})
}

// At 80 columns, too, the list of all actions has a column for the commands.
func TestPaletteColumns(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.send(tea.WindowSizeMsg{Width: 80, Height: 60})
		d.press("ctrl+p")
		columns := map[int]int{}
		for _, row := range strings.Split(strings.ReplaceAll(ansi.Strip(d.m.View().Content), "›", " "), "\n") {
			if at := strings.Index(row, "  /"); at >= 0 {
				columns[at]++
			}
		}
		if len(columns) != 1 {
			t.Errorf("commands begin in these columns: %v\n%s", columns, ansi.Strip(d.m.View().Content))
		}
	})
}

// Keys of the configuration count everywhere, and the help tells them.
func TestChangedKeys(t *testing.T) {
	keys, err := intent.NewKeymap("", intent.Changes{"chat": {"palette": {"ctrl+k"}}, "draft": {"kill-to-end": {"alt+k"}}, "transcript": {"next": {"w"}}})
	if err != nil {
		t.Fatal(err)
	}
	drive(t, func(_ *driver, o *Options) { o.Keys = keys }, func(d *driver) {
		d.connected()
		d.press("ctrl+p")
		d.misses("╭ Actions")
		d.press("ctrl+k")
		d.sees("╭ Actions")
		d.press("esc")
		d.types("one two")
		d.press("ctrl+a", "alt+k")
		d.draft("")
		d.send(tea.WindowSizeMsg{Width: 120, Height: 180})
		d.press("?")
		d.sees("ctrl+k", "alt+k")
	})
}
