// Package layer says what has the keys: a stack of layers, of which each key, paste and
// click goes to the topmost that takes it. A layer knows by itself whether it has the
// keys, and nothing of the layers around it.
//
// All of it runs on the goroutine of the screen.
package layer

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/theme"
)

// Layer is whatever can have the keys.
type Layer interface {
	// Key handles a key press; taken is false where the layer has no use for it.
	Key(p Press) (cmd tea.Cmd, taken bool)
}

// What only some layers do.
type (
	// Holder takes the keys from the composer while it is armed.
	Holder interface{ Armed() bool }
	// Waiter takes keys by itself when it has been quiet since then; false where it does
	// not wait for that.
	Waiter interface{ WaitsSince() (time.Time, bool) }
	// Paster takes pasted text; false leaves it to the layer below.
	Paster interface {
		Paste(text string) (cmd tea.Cmd, taken bool)
	}
	// Overlayer lies over the transcript, in at most so many rows.
	Overlayer interface {
		Rows(width, height int) ([]string, *tea.Cursor)
	}
	// Viewer is told after a frame how much room it had, where it matters what the user
	// has seen.
	Viewer interface{ Saw(width, height int) }
	// Wheeler is scrolled by the wheel.
	Wheeler interface{ Wheel(rows int) }
	// Clicker takes a button that goes down at a cell, or comes up where it went down;
	// false leaves it to the layer below.
	Clicker interface{ Click(x, y int, up bool) bool }
)

// Quiet is how long nothing must have been typed before a layer takes keys by itself,
// and how long it must have been on the screen.
const Quiet = 600 * time.Millisecond

// Press is a key press, with its name and what it means on the chat page.
type Press struct {
	tea.KeyPressMsg
	Name string
	Want intent.Intent
}

// Reach tries the layers that can do something, from the top down, until one has done it.
func Reach[T any](layers []Layer, try func(T) (done bool)) {
	for _, l := range layers {
		if t, ok := l.(T); ok && try(t) {
			return
		}
	}
}

// Env is what every component needs to know of the screen. There is one, which the root
// model owns; components keep a pointer to it and only read it.
type Env struct {
	Now   func() time.Time
	Keys  *intent.Keymap
	Theme *theme.Theme // another one when the user or the terminal changes it
	// Exec lends the terminal to a command, as tea.Exec does.
	Exec func(tea.ExecCommand, tea.ExecCallback) tea.Cmd
}

// Message is what a command of a component has brought. It holds what it belongs to, and
// Handle applies it.
type Message interface{ Handle() tea.Cmd }
