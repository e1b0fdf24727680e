// Package layer decides what has the keys. Each key, paste and click goes down a stack of
// layers to the topmost that takes it. A layer knows whether it has the keys, and nothing of
// the layers around it.
//
// All of it runs on the goroutine of the screen.
package layer

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/theme"
)

// Layer is whatever can have the keys.
type Layer interface {
	// Key handles a key press; taken is false if the layer has no use for it.
	Key(p Press) (cmd tea.Cmd, taken bool)
}

// Interfaces that only some layers implement.
type (
	// Holder takes the keys from the composer while it is armed.
	Holder interface{ Armed() bool }
	// Waiter takes the keys when it has been quiet long enough since a time; false if it does
	// not wait for that.
	Waiter interface{ WaitsSince() (time.Time, bool) }
	// Paster takes pasted text; false leaves it to the layer below.
	Paster interface {
		Paste(text string) (cmd tea.Cmd, taken bool)
	}
	// Overlayer is drawn over the transcript, in at most so many rows.
	Overlayer interface {
		Rows(width, height int) ([]string, *tea.Cursor)
	}
	// Viewer is told after a frame how much room it had, as it matters what the user has seen.
	Viewer interface{ Saw(width, height int) }
	// Wheeler is scrolled by the wheel.
	Wheeler interface{ Wheel(rows int) }
	// Clicker takes a button that goes down at a cell, or comes up where it went down;
	// false leaves it to the layer below.
	Clicker interface{ Click(x, y int, up bool) bool }
)

// Quiet is how long nothing must have been typed, and how long a layer must have been on the
// screen, before it takes the keys unasked.
const Quiet = 600 * time.Millisecond

// Press is a key press, its name, and its meaning on the chat page.
type Press struct {
	tea.KeyPressMsg
	Name string
	Want intent.Intent
}

// Printable reports whether a key is text rather than a command. AltGr may report ctrl and alt together.
func Printable(k tea.KeyPressMsg) bool {
	if k.Text == "" {
		return false
	}
	mod := k.Mod & (tea.ModCtrl | tea.ModAlt | tea.ModMeta | tea.ModSuper | tea.ModHyper)
	return mod == 0 || mod == tea.ModCtrl|tea.ModAlt
}

// Reach calls try for the layers that implement T, from the top down, until one has done it.
func Reach[T any](layers []Layer, try func(T) (done bool)) {
	for _, l := range layers {
		if t, ok := l.(T); ok && try(t) {
			return
		}
	}
}

// Env is what every component needs to know about the screen. The root model owns the only
// one; components keep a pointer to it and only read it.
type Env struct {
	Now   func() time.Time
	Keys  *intent.Keymap
	Theme *theme.Theme // changes with the user's choice or the terminal
	// Exec lends the terminal to a command, as tea.Exec does.
	Exec func(tea.ExecCommand, tea.ExecCallback) tea.Cmd
}

// Message is the result of a component's command. It holds what it belongs to, and Handle
// applies it.
type Message interface{ Handle() tea.Cmd }
