package ui

import (
	"slices"
	"strings"

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

// columns returns the pages on the screen, from the left: the one in front or, of the pages that are
// compared with it, as many as there is room for, that one among them.
func (m *Model) columns() []column {
	all := m.compared()
	n := min(len(all), m.width/leastColumn)
	if n < 2 || m.Choosing || m.inline.On() {
		return []column{{m.Front, 0, m.width - m.sideWidth()}}
	}
	first := max(0, slices.Index(all, m.Front)-n+1)
	return m.divide(all[first : first+n])
}

// divide gives each of the pages a part of the screen's width, with a border between each two.
func (m *Model) divide(pages []*page.Page) (out []column) {
	n := len(pages)
	room, x := max(n, m.width-(n-1)), 0
	for i, c := range pages {
		width := room / n
		if i < room%n {
			width++
		}
		out = append(out, column{c, x, width})
		x += width + 1
	}
	return out
}

// compared returns the pages that are compared with the one in front, itself included; nil if there
// is no other.
func (m *Model) compared() (all []*page.Page) {
	for _, s := range m.Front.Compared() {
		all = append(all, m.pageOf(s))
	}
	return all
}

// pageHeight returns the height of the pages on the screen.
func (m *Model) pageHeight() int {
	if m.tabs() != nil {
		return m.height - 1
	}
	return m.height
}

// around returns what pages show of the rest of the screen.
func (m *Model) around() page.Around {
	return page.Around{Others: len(m.waiting()), Leaving: m.leavingHint(), Plan: m.sideWidth() > 0}
}

// pageRows draws the pages on the screen.
func (m *Model) pageRows() (rows []string, cursor *tea.Cursor, on []page.Shown) {
	cols := m.columns()
	heads, around := m.heads(), m.around()
	rows = make([]string, m.pageHeight())
	for i, col := range cols {
		part, at, shown := col.Rows(col.width, len(rows), around)
		for y := range rows {
			if i > 0 {
				rows[y] += strings.Repeat(" ", max(0, col.x-1-text.Width(rows[y]))) + m.Theme.Border.Paint("│")
			}
			if y < len(part) {
				rows[y] += part[y]
			}
		}
		if i == 0 && len(cols) > 1 {
			for y := range rows {
				rows[y] += strings.Repeat(" ", max(0, col.width-text.Width(rows[y]))) + paint.Beside
			}
		}
		if on = append(on, shown); col.Page == m.Front && at != nil {
			at.X, at.Y = at.X+col.x, at.Y+len(heads)
			cursor = at
		}
	}
	return append(heads, rows...), cursor, on
}

// heads returns the row above pages that are compared: each above its column if there is room for all.
func (m *Model) heads() []string {
	tabs := m.tabs()
	if tabs == nil {
		return nil
	}
	row := ""
	for _, tab := range tabs {
		row += strings.Repeat(" ", max(0, tab.x-text.Width(row)))
		row += status.Head{Session: tab.Session, Env: &m.Env, Front: tab.Page == m.Front, Waits: tab.Waits()}.Row(tab.width)
	}
	return []string{text.Truncate(row, m.width, "…")}
}

// tabs returns where the heads of the pages that are compared are; nil if there are none.
func (m *Model) tabs() []column {
	if m.Choosing || m.inline.On() {
		return nil
	}
	return m.divide(m.compared())
}

// pageAt returns the page that has a column of the screen; nil for a border.
func pageAt(columns []column, x int) *page.Page {
	for _, col := range columns {
		if x >= col.x && x < col.x+col.width {
			return col.Page
		}
	}
	return nil
}

// inPage returns a place on the screen as one on the page in front.
func (m *Model) inPage(at tea.Mouse) tea.Mouse {
	for _, col := range m.columns() {
		if col.Page == m.Front {
			at.X -= col.x
		}
	}
	at.Y -= m.height - m.pageHeight()
	return at
}

// press handles a button going down: a click on another page than the one in front, or on its head,
// brings that to the front.
func (m *Model) press(click tea.Mouse) {
	all := m.columns()
	if click.Y < m.height-m.pageHeight() {
		all = m.tabs()
	}
	c := pageAt(all, click.X)
	if c == m.Front || m.Mouse.Off() || click.Button != tea.MouseLeft || click.Mod.Contains(tea.ModShift) {
		m.Mouse.Down(m.inPage(click))
		return
	}
	if c != nil {
		m.Workspace.Show(c.Session)
	}
}

// wheel scrolls the page under the pointer.
func (m *Model) wheel(turn tea.Mouse) {
	layers := m.layers()
	if c := pageAt(m.columns(), turn.X); c != nil && c != m.Front {
		layers = c.Layers()
	}
	layer.Wheel(layers, turn.Button)
}
