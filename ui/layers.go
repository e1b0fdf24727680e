package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/layer"
	"parley/ui/paint"
)

// layers returns the layers of the page on the screen, the topmost first. Some may be nil.
func (m *Model) layers() []layer.Layer {
	if m.Choosing {
		return []layer.Layer{always{m}, m.start}
	}
	return m.Front.Layers()
}

// restack finds out which layers the pages on the screen have.
func (m *Model) restack() {
	for _, col := range m.divided().columns {
		col.Restack(always{m})
	}
}

// conversing reports whether the page of an open session is on the screen.
func (m *Model) conversing() bool { return !m.Choosing && !m.Front.Agent.Opening() }

// always handles the keys that work on every page.
type always struct{ m *Model }

func (l always) Key(p layer.Press) (tea.Cmd, bool) {
	if cmd, quits := l.m.interrupted(p); quits {
		return cmd, true
	}
	switch l.m.Keys.Of(intent.Always, p.Name) {
	case intent.Suspend:
		return departure(l).suspend(), true
	case intent.Redraw:
		return paint.Redraw, true
	}
	return nil, false
}
