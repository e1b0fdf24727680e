package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/intent"
	"parley/internal/words"
	"parley/ui/layer"
	"parley/ui/mouse"
	"parley/ui/panel"
)

// panels holds the panels that are open over a page. A list or a menu is drawn over a text being
// read.
type panels struct {
	env     *layer.Env
	out     *layer.Effects
	inFront func() bool
	areas   *areas
	open    panel.Panel // a list or a menu; nil: none
	reading *panel.Reading
	from    map[panel.Panel]*panel.List // the lists that panels were opened from
}

// Show opens a list or a menu and closes the one that was open. It opens nothing if the user has left the
// page meanwhile.
func (p *panels) Show(what panel.Panel) {
	if p.inFront() {
		p.opens(what, p.List())
		what.Open(p.env, p.out, p)
		p.open = what
	}
}

// opens notes that a panel is opened from a list, which esc in it returns to; nil: from none.
func (p *panels) opens(what panel.Panel, from *panel.List) {
	switch {
	case from == nil || panel.Panel(from) == what:
	case p.from == nil:
		p.from = map[panel.Panel]*panel.List{what: from}
	default:
		p.from[what] = from
	}
}

// Read opens a text and closes the one that was open.
func (p *panels) Read(r *panel.Reading) {
	r.Open(p.env, p.out, p)
	p.reading = r
}

// toggle opens a text, or closes it if it is open.
func (p *panels) toggle(r *panel.Reading) tea.Cmd {
	if p.reads(r.OpenedBy) {
		p.reading = nil
		return nil
	}
	p.Read(r)
	return nil
}

// reads reports whether the text that an action opens is open.
func (p *panels) reads(of intent.Intent) bool { return p.reading != nil && p.reading.OpenedBy == of }

// List returns the open list, or nil.
func (p *panels) List() *panel.List {
	l, _ := p.open.(*panel.List)
	return l
}

// ListOf returns the list that an action opens, or nil if it is not open.
func (p *panels) ListOf(of intent.Intent) *panel.List {
	if l := p.List(); l != nil && l.OpenedBy == of {
		return l
	}
	return nil
}

// Refresh updates the items of the open list.
func (p *panels) Refresh() {
	if l := p.List(); l != nil {
		l.Refresh()
	}
}

// Close implements panel.Host.
func (p *panels) Close(what panel.Panel) {
	switch what {
	case p.open:
		p.open = nil
	case panel.Panel(p.reading):
		p.reading = nil
	}
}

// Back implements panel.Host.
func (p *panels) Back(what panel.Panel) {
	l := p.from[what]
	p.Close(what)
	if l != nil {
		delete(p.from, what)
		p.Show(l)
		l.Refresh()
	}
}

// Covered implements panel.Host.
func (p *panels) Covered(y int) bool { return y >= p.areas.overlayTop }

// areas are the places of things on the screen, as last drawn.
type areas struct {
	transcript, asked, composer, end mouse.Area
	overlayTop                       int // the first row that a panel covers
}

// uncovered reports whether a cell shows the transcript with no panel over it.
func (a areas) uncovered(x, y int) bool { return a.transcript.Has(x, y) && y < a.overlayTop }

// verbed returns what a call did on one line: "Run  make all".
func verbed(t *thread.Tool) string { return describe.Verbed(t, words.OneLine(doing(t)), "  ") }

// doing describes a tool call: its command if it runs one, else its title.
func doing(t *thread.Tool) string {
	if cmd := describe.Command(t.RawInput); cmd != "" && t.Kind == "execute" {
		return cmd
	}
	return t.Title
}
