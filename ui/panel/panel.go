// Package panel has what opens over the transcript: lists to choose from and texts to
// read. A panel is made from values and calls the functions that it was given. It knows
// neither the page nor the workspace.
package panel

import (
	"parley/ui/layer"
)

// Host is the page below a panel.
type Host interface {
	// Close closes the panel if it is still open.
	Close(Panel)
	// Back closes the panel and returns to the list that it was opened from, if any.
	Back(Panel)
	// Covered reports whether a panel covers this row of the screen.
	Covered(y int) bool
}

// Panel is a list, a text to read, or a menu.
type Panel interface {
	layer.Layer
	layer.Overlayer
	layer.Viewer
	layer.Clicker
	// Open is called once by the page, before anything else.
	Open(env *layer.Env, out *layer.Effects, on Host)
}

// base is common to all panels.
type base struct {
	env           *layer.Env
	out           *layer.Effects
	host          Host
	width, height int // of the last frame
}

// Open implements Panel.
func (b *base) Open(env *layer.Env, out *layer.Effects, on Host) { b.env, b.out, b.host = env, out, on }

// Saw implements layer.Viewer.
func (b *base) Saw(width, height int) { b.width, b.height = width, height }

// Click implements layer.Clicker.
func (b *base) Click(_, y int, _ bool) bool { return b.host.Covered(y) }
