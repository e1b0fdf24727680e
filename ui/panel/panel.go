// Package panel has what opens over the transcript: lists to choose from and texts to
// read. A panel is made from values and calls the functions that it was given. It knows
// neither the page nor the workspace.
package panel

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/layer"
)

// Host is the page below a panel.
type Host interface {
	// Close closes the panel if it is still open.
	Close(Panel)
	// Covered reports whether a panel covers this row of the screen.
	Covered(y int) bool
	// Do does an action of the page.
	Do(intent.Intent) tea.Cmd
	// Copy copies a text.
	Copy(text func() string) tea.Cmd
}

// Panel is a list, a text to read, or a menu.
type Panel interface {
	layer.Layer
	layer.Overlayer
	layer.Viewer
	layer.Clicker
	// Open is called once by the page, before anything else.
	Open(env *layer.Env, on Host)
}

// base is common to all panels.
type base struct {
	env           *layer.Env
	host          Host
	width, height int // of the last frame
}

// Open implements Panel.
func (b *base) Open(env *layer.Env, on Host) { b.env, b.host = env, on }

// Saw implements layer.Viewer.
func (b *base) Saw(width, height int) { b.width, b.height = width, height }

// Click implements layer.Clicker.
func (b *base) Click(_, y int, _ bool) bool { return b.host.Covered(y) }
