// Package panel has what is opened over the transcript: lists to choose from, texts to
// read, and the panels that are made of them. A panel is made from values. What choosing
// does is up to the functions that it is given; it knows neither the page nor the
// workspace.
package panel

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/layer"
)

// Host is the page that a panel is opened over.
type Host interface {
	// Close takes the panel off the screen, if it is still there.
	Close(Panel)
	// Covered tells whether something lies over the page in this row of the screen.
	Covered(y int) bool
	// Do carries out an action of the page.
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
	// Open is called before anything else, by the page that it is opened over.
	Open(env *layer.Env, on Host)
}

// base is what every panel keeps of the screen.
type base struct {
	env           *layer.Env
	host          Host
	width, height int // the room that it had last
}

// Open implements Panel.
func (b *base) Open(env *layer.Env, on Host) { b.env, b.host = env, on }

// Saw implements layer.Viewer.
func (b *base) Saw(width, height int) { b.width, b.height = width, height }

// Click implements layer.Clicker.
func (b *base) Click(_, y int, _ bool) bool { return b.host.Covered(y) }
