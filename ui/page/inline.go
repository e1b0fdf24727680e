package page

import (
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

// NeedsScreen reports whether something is open that needs the full screen.
func (c *Page) NeedsScreen(height int) bool {
	return c.Panels.reading != nil || c.Review.Open() || c.Panels.open != nil || c.login.Open() || !c.atRest() || c.Elicits.OnScreen() != nil ||
		c.Question.Open() && (c.Question.Full() || height < 10)
}

// InScrollback returns the page as the scrollback shows it.
func (c *Page) InScrollback(width int) inline.Page {
	about := c.Title()
	if about == "" {
		about = "in " + safetext.Line(words.ShortenHome(c.cwd, c.screen.Options.Home), 200)
	}
	return inline.Page{Key: c, Name: c.Agent.Name(), About: about, Width: max(1, width-1), Conversation: c.toScrollback(c.Thread, width)}
}

// FitInline is Fit for a terminal of which the page has the end.
func (c *Page) FitInline(width, height int) {
	c.height = height
	c.View.SetSize(width, max(1, height-5)) // so that a page knows how far to scroll
	c.Composer.Fit(liveCells(width), height)
}

// Live draws the unfinished part: the end of the transcript, the question, the plan, the
// queue, the composer and the status line.
func (c *Page) Live(width, height int, around Around) ([]string, *tea.Cursor, Shown) {
	on := Shown{page: c}
	c.toScrollback(c.Thread, width)
	cells := liveCells(width)
	below, y := c.inlineBelow(cells, height, around, &on)
	room := max(0, height-2-len(below))
	var rows []string
	if c.Question.Open() {
		talk := len(c.written.Live(leastTranscript(room)))
		rows, on.question = c.Question.Rows(min(cells, maxAsked), max(4, room-talk), c.Composer.Popup() != nil)
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
	x, dy := c.Composer.Cursor()
	y += max(0, min(len(rows), height-2-len(below))) + dy
	return fit(append(rows, below...), max(1, height-2)), tea.NewCursor(x, y), on
}

// liveCells returns the width of the rows of the live part.
func liveCells(width int) int { return min(width-1, maxLive) }

// inlineBelow returns the rows under the transcript, and the first row of the composer in
// them. Completions are drawn below the composer, so that it does not move.
func (c *Page) inlineBelow(cells, height int, around Around, on *Shown) (below []string, y int) {
	th := c.screen.Theme
	foot := c.Composer.Hint()
	if c.shelling() {
		foot = "shell · " + c.screen.Keys.ChatKey(intent.Send) + " run in " + words.ShortenHome(c.shells.Dir(c.LocalDir()), c.screen.Options.Home)
	}
	below = pendingRows(c.Session, c.Composer.DisplayText, true, cells, height, &c.screen.Env)
	y = len(below)
	below = append(below, c.Composer.Draw()...)
	if popup := c.Composer.Popup(); popup != nil {
		room := height - 4 - len(below)
		below = append(below, popup.Lines(cells, room, th)...)
		on.Saw(popup, cells, room+2)
		foot = popup.Foot()
	}
	if foot != "" {
		below = append(below, text.Truncate(th.Dim.Paint("  "+foot), cells, "…"))
	}
	return append(below, c.Status(around).Short(cells)), y
}
