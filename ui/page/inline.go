package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/text"
)

// Widths of the live part.
const (
	maxAsked = 76  // cells of a question
	maxLive  = 100 // cells of a row: short rows survive a terminal that gets narrower
)

// Live draws the unfinished part: the end of the transcript, the question, the plan, the
// queue, the composer and the status line.
func (c *Page) Live(width, height int, around Around) ([]string, *tea.Cursor, Shown) {
	f := &frame{Page: c, around: around, width: liveCells(width), on: Shown{page: c}}
	rows, cursor := f.live(width, height)
	return rows, cursor, f.on
}

func (c *frame) live(width, height int) ([]string, *tea.Cursor) {
	c.toScrollback(c.Thread, width)
	cells := c.width
	below, y := c.inlineBelow(height)
	room := max(0, height-2-len(below))
	var rows []string
	if c.Question.Open() {
		said := len(c.written.Live(leastTranscript(room)))
		rows, c.on.question = c.Question.Rows(min(cells, maxAsked), max(4, room-said), c.Composer.Popup() != nil)
	}
	// A terminal that gets narrower wraps the rows. Rows that scroll off its top cannot be
	// removed then.
	if most := min(room-len(rows), max(4, min(height/4, 12))); most > 0 && c.Thread.State != thread.Loading {
		if said := c.written.Live(most); len(said) > 0 {
			rows = append(said, rows...)
		}
	}
	if gap := c.gapRows(0); len(gap) > 0 {
		rows = append(rows, gap...)
	} else if len(rows) > 0 && len(rows) < room || len(rows) == 0 && c.written.Begun() {
		rows = append(rows, "")
	}
	x, dy := c.Composer.Cursor()
	y += max(0, min(len(rows), height-2-len(below))) + dy
	return fit(append(rows, below...), max(1, height-2)), tea.NewCursor(x, y)
}

// liveCells returns the width of the rows of the live part.
func liveCells(width int) int { return min(width-1, maxLive) }

// inlineBelow returns the rows under the transcript, and the first row of the composer in
// them. Completions are drawn below the composer, so that it does not move.
func (c *frame) inlineBelow(height int) (below []string, y int) {
	cells := c.width
	th := c.screen.Theme
	foot := c.foot()
	below = pendingRows(c.Session, c.Composer.DisplayText, true, cells, height, &c.screen.Env)
	y = len(below)
	below = append(below, c.Composer.Draw()...)
	if popup := c.Composer.Popup(); popup != nil {
		room := height - 4 - len(below)
		below = append(below, popup.Lines(cells, room, th)...)
		c.on.Saw(popup, cells, room+2)
		foot = popup.Foot()
	}
	if foot != "" {
		below = append(below, text.Truncate(th.Dim.Paint("  "+foot), cells, "…"))
	}
	return append(below, c.Status(c.around).Short(cells)), y
}
