package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/text"
	"parley/ui/layer"
	"parley/ui/page"
	"parley/ui/paint"
	"parley/ui/status"
)

// column is a part of the screen that shows a page.
type column struct {
	*page.Page
	x, width int
}

// leastColumn is the width of the narrowest column, with the border beside it.
const leastColumn = 60

// division is how the screen is divided among pages.
type division struct {
	columns     []column // the pages on the screen, from the left
	tabs        []column // where the heads of pages that are compared are, above the pages; nil: there are none
	top, height int      // of the pages
	side        int      // the width of the side panel; 0: it is not shown
	covered     bool     // by the list of agents
}

// divided divides the screen: the page in front, and as many of those compared with it beside it as fit.
func (m *Model) divided() division {
	d := division{height: m.height, covered: m.Choosing}
	all := m.compared(m.Front)
	if alone := m.Choosing || m.inline.On(); !alone && all != nil {
		d.top, d.height, d.tabs = 1, m.height-1, divide(all, m.width)
		if n := min(len(all), m.width/leastColumn); n > 1 {
			first := max(0, slices.Index(all, m.Front)-n+1)
			d.columns = divide(all[first:first+n], m.width)
			return d
		}
	}
	d.side = m.sideWidth()
	d.columns = []column{{m.Front, 0, m.width - d.side}}
	return d
}

// divide gives each of the pages a part of a width, with a border between each two.
func divide(pages []*page.Page, width int) (out []column) {
	n := len(pages)
	room, x := max(n, width-(n-1)), 0
	for i, c := range pages {
		part := room / n
		if i < room%n {
			part++
		}
		out = append(out, column{c, x, part})
		x += part + 1
	}
	return out
}

// at returns the page at a cell, or the one whose head is there; nil for a border.
func (d division) at(x, y int) *page.Page {
	all := d.columns
	if y < d.top {
		all = d.tabs
	}
	for _, col := range all {
		if x >= col.x && x < col.x+col.width {
			return col.Page
		}
	}
	return nil
}

// in returns a place on the screen as one on a page.
func (d division) in(c *page.Page, at tea.Mouse) tea.Mouse {
	for _, col := range d.columns {
		if col.Page == c {
			at.X -= col.x
		}
	}
	at.Y -= d.top
	return at
}

// around returns what pages show of the rest of the screen.
func (m *Model) around(d division) page.Around {
	around := page.Around{Others: len(m.waiting(m.Front)), Leaving: m.leavingHint(), Plan: d.side > 0}
	if d.side == 0 {
		around.Clients = len(m.Workspace.Clients())
	}
	return around
}

// pageRows draws the pages on the screen, and what is beside and above them.
func (m *Model) pageRows() (rows []string, cursor *tea.Cursor, on []page.Shown) {
	d := m.divided()
	around := m.around(d)
	if len(d.columns) > 1 { // what is compared does not fit into the width of one of them
		around.Lists = m.width
	}
	rows = make([]string, d.height)
	var list []string
	listTop := 0
	for i, col := range d.columns {
		part, at, shown := col.Rows(col.width, d.height, around)
		for y := range rows {
			if i > 0 {
				rows[y] = text.Pad(rows[y], col.x-1) + m.Theme.Border.Paint("│")
			}
			if y < len(part) {
				rows[y] += part[y]
			}
		}
		if i == 0 && len(d.columns) > 1 {
			for y := range rows {
				rows[y] = text.Pad(rows[y], col.width) + paint.Beside
			}
		}
		if on = append(on, shown); col.Page != m.Front {
			continue
		}
		if list, listTop = shown.List(); at != nil {
			if at.Y += d.top; list == nil {
				at.X += col.x
			}
			cursor = at
		}
	}
	copy(rows[min(listTop, len(rows)):], list)
	if d.side > 0 {
		rows = m.beside(rows, m.width-d.side)
	}
	return append(m.heads(d), rows...), cursor, on
}

// heads returns the row above pages that are compared: each above its column if there is room for all.
func (m *Model) heads(d division) []string {
	if d.tabs == nil {
		return nil
	}
	row := ""
	for _, tab := range d.tabs {
		row = text.Pad(row, tab.x) + status.Head{Session: tab.Session, Env: &m.Env, Front: tab.Page == m.Front, Waits: tab.Waits()}.Row(tab.width)
	}
	return []string{text.Truncate(row, m.width, "…")}
}

// onList reports whether a place is on a list of the page in front, which is drawn over all columns.
func (m *Model) onList(d division, at tea.Mouse) bool {
	return m.Front.Panels.List() != nil && m.Front.Panels.Covered(at.Y-d.top)
}

// press handles a button going down: a click on another page than the one in front, or on its head,
// brings that to the front.
func (m *Model) press(click tea.Mouse) {
	d := m.divided()
	switch c := d.at(click.X, click.Y); {
	case c == m.Front || m.onList(d, click) || m.Mouse.Off() || click.Button != tea.MouseLeft || click.Mod.Contains(tea.ModShift):
		m.Mouse.Down(d.in(m.Front, click))
	case c != nil:
		m.Workspace.Show(c.Session)
	}
}

// wheel scrolls the page under the pointer.
func (m *Model) wheel(turn tea.Mouse) {
	d, layers := m.divided(), m.layers()
	if c := d.at(turn.X, d.top); c != nil && c != m.Front && !m.onList(d, turn) {
		layers = c.Layers()
	}
	layer.Wheel(layers, turn.Button)
}
