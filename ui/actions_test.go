package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/fakeagent"
	"parley/internal/intent"
)

// The palette has every action, finds it by its words, and does it.
func TestPalette(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.Agent().Update("s1", commands)
		d.send(tea.WindowSizeMsg{Width: 120, Height: 60})
		d.types("half a draft")
		d.press("ctrl+p")
		listed := map[intent.Intent]bool{}
		for _, g := range intent.Groups {
			for _, i := range g.Intents {
				listed[i] = true
			}
		}
		for _, a := range intent.Of(intent.Chat) {
			if listed[a.Intent] {
				title, about := a.Parts()
				d.sees(title, about)
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

// Each action of the palette and each command does something.
func TestActionsAreDone(t *testing.T) {
	var listed []intent.Intent
	for _, g := range intent.Groups {
		listed = append(listed, g.Intents...)
	}
	m := New(Options{})
	for _, a := range intent.Of(intent.Chat) {
		if a.Intent != intent.Send && m.Handlers[a.Intent] == nil && (slices.Contains(listed, a.Intent) || a.Command != "") {
			t.Errorf("nothing does %s", a.Name)
		}
	}
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

// What the screen says of keys follows the configuration, and the keys do what it says.
func TestHintsNameChangedKeys(t *testing.T) {
	keys, err := intent.NewKeymap("", intent.Changes{"chat": {"question": {"alt+q"}, "stop": {"ctrl+x"}, "complete": {"ctrl+y"}, "send": {"alt+s"}},
		"question": {"reject": {"x"}, "details": {"D"}, "reject-why": {"w"}, "down": {"J"}, "page-down": {"S"}}, "reading": {"close": {"Q"}}})
	if err != nil {
		t.Fatal(err)
	}
	changed := func(turn func(*fakeagent.Turn) string) func(d *driver, o *Options) {
		return func(d *driver, o *Options) { o.Keys = keys; d.fake.Turn(turn) }
	}
	start := func(d *driver) {
		d.connected()
		d.types("go")
		d.press("alt+s")
		d.wait(100 * time.Millisecond)
	}
	drive(t, changed(asking(push, usual)), func(d *driver) {
		start(d)
		d.sees("alt+q to answer · ctrl+x reject")
		d.rest()
		d.sees("x reject · D details · w reject with a reason")
		d.press("x")
		d.wait(100 * time.Millisecond)
		d.sees("answered: no")
		d.types("/revi")
		d.sees("ctrl+y complete")
		d.press("tab")
		d.draft("/revi")
		d.press("ctrl+y")
		d.draft("/review")
		d.press("ctrl+c", "f1")
		d.sees("Q close · pgup and pgdn scroll")
	})
	drive(t, changed(eliciting(oneField)), func(d *driver) {
		start(d)
		d.types("draft")
		d.sees("You are typing · alt+q to answer · ctrl+x cancel")
		d.press("ctrl+x")
		d.soon()
		d.answered(`{"action":"cancel"}`)
		d.draft("draft")
	})
}
