package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/internal/safetext"
	"parley/internal/text"
	"parley/internal/words"
	"parley/ui/inline"
)

// Widths of the live part.
const (
	maxAsked = 76  // cells of a question
	maxLive  = 100 // cells of a row: short rows survive a terminal that gets narrower
)

// unwritten returns the rows to write to the scrollback after the screen has ended.
func (m *Model) unwritten() []string {
	if c := m.chat; m.inline.On() && m.conversing() && m.width > 0 && c.Thread.State != thread.Loading {
		return m.inline.Last(c.inScrollback())
	}
	return nil
}

// inlined reports whether the conversation is in the terminal's own screen now.
func (m *Model) inlined() bool {
	return m.inline.Writes() && m.conversing() && m.width >= 20 && m.height >= 6 && !m.chat.needsPage()
}

// needsPage reports whether something is open that needs the full screen.
func (c *chat) needsPage() bool {
	return c.panels.reading != nil || c.review.Open() || c.panels.open != nil || c.login.Open() || !c.atRest() || c.elicits.OnScreen() != nil ||
		c.question.Open() && (c.question.Full() || c.m.height < 10)
}

// write writes the finished part of the conversation to the scrollback.
func (m *Model) write() tea.Cmd {
	if !m.inlined() {
		return nil
	}
	if m.chat.Thread.State == thread.Loading {
		m.inline.Hold()
		return nil
	}
	wrote, more := m.inline.Write(m.chat.inScrollback())
	m.dirty = m.dirty || wrote
	if more {
		return func() tea.Msg { return refreshMsg{} }
	}
	return nil
}

// inScrollback returns the page as the scrollback shows it.
func (c *chat) inScrollback() inline.Page {
	m := c.m
	about := c.Title()
	if about == "" {
		about = "in " + safetext.Line(words.ShortenHome(c.cwd, m.opts.Home), 200)
	}
	return inline.Page{Key: c, Name: c.Agent.Name(), About: about, Width: max(1, m.width-1), Conversation: c.toScrollback(c.Thread, m.width)}
}

// inlineDrawing draws the live part.
func (m *Model) inlineDrawing() drawing {
	var on []onScreen
	v := tea.View{ReportFocus: true}
	v.WindowTitle, v.ProgressBar = m.outside()
	rows := []string{m.Theme.Dim.Paint("Ending " + strings.Join(m.w.Names(), ", ") + "…")}
	if !m.quitting {
		live, cursor, shown := m.chat.live(m.width, m.height)
		rows, v.Cursor, on = live, cursor, []onScreen{shown}
	}
	v.Content = strings.Join(rows, "\n")
	return drawing{view: v, on: on}
}

// live draws the unfinished part: the end of the transcript, the question, the plan, the
// queue, the composer and the status line.
func (c *chat) live(width, height int) ([]string, *tea.Cursor, onScreen) {
	on := onScreen{page: c}
	c.toScrollback(c.Thread, width)
	cells := liveCells(width)
	below, y := c.inlineBelow(cells, height, &on)
	room := max(0, height-2-len(below))
	var rows []string
	if c.question.Open() {
		talk := len(c.written.Live(leastTranscript(room)))
		rows, on.question = c.question.Rows(min(cells, maxAsked), max(4, room-talk), c.composer.Popup() != nil)
	}
	// A terminal that gets narrower wraps the rows. Rows that scroll off its top cannot be
	// removed then.
	if most := min(room-len(rows), max(4, min(height/4, 12))); most > 0 && c.Thread.State != thread.Loading {
		if talk := c.written.Live(most); len(talk) > 0 {
			rows = append(talk, rows...)
		}
	}
	if gap := c.gapRows(cells, 0); len(gap) > 0 {
		rows = append(rows, gap...)
	} else if len(rows) > 0 && len(rows) < room || len(rows) == 0 && c.written.Begun() {
		rows = append(rows, "")
	}
	x, dy := c.composer.Cursor()
	y += max(0, min(len(rows), height-2-len(below))) + dy
	return fit(append(rows, below...), max(1, height-2)), tea.NewCursor(x, y), on
}

// liveCells returns the width of the rows of the live part.
func liveCells(width int) int { return min(width-1, maxLive) }

// inlineBelow returns the rows under the transcript, and the first row of the composer in
// them. Completions are drawn below the composer, so that it does not move.
func (c *chat) inlineBelow(cells, height int, on *onScreen) (below []string, y int) {
	th := c.m.Theme
	foot := c.composer.Hint()
	if c.shelling() {
		foot = "shell · " + c.m.Keys.ChatKey(intent.Send) + " run in " + words.ShortenHome(c.shells.Dir(c.LocalDir()), c.m.opts.Home)
	}
	below = pendingRows(c.Session, c.composer.DisplayText, true, cells, height, &c.m.Env)
	y = len(below)
	below = append(below, c.composer.Draw()...)
	if popup := c.composer.Popup(); popup != nil {
		room := height - 4 - len(below)
		below = append(below, popup.Lines(cells, room, th)...)
		on.saw(popup, cells, room+2)
		foot = popup.Foot()
	}
	if foot != "" {
		below = append(below, text.Truncate(th.Dim.Paint("  "+foot), cells, "…"))
	}
	return append(below, c.status().Short(cells)), y
}
