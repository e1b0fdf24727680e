package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/internal/text"
	"parley/internal/words"
	"parley/permissions"
	"parley/ui/layer"
	"parley/ui/mouse"
	"parley/ui/panel"
	"parley/ui/start"
	"parley/ui/transcript"
	"parley/ui/widget/box"
)

// frame is a drawing of a page.
type frame struct {
	*Page
	around Around
	width  int
	on     Shown // what the page is told of it
}

// Rows draws the page.
func (c *Page) Rows(width, height int, around Around) ([]string, *tea.Cursor, Shown) {
	f := &frame{Page: c, around: around, width: width, on: Shown{page: c}}
	draw := f.rows
	if c.Agent.Opening() {
		draw = f.startRows
	}
	rows, cursor := draw(height)
	return rows, cursor, f.on
}

// rows draws the page: the transcript, and below it the question and the parts that never
// scroll. Panels are laid over these and move nothing.
func (c *frame) rows(height int) ([]string, *tea.Cursor) {
	width, th := c.width, c.screen.Theme
	view := c.View.Frame()
	c.on.pane, c.on.view = c.transcriptPane, view
	foot := c.foot()
	input, border := c.Composer.Draw(), 0
	if height >= leastFramed || c.whoAsks() == "" {
		input, border = box.Box{Body: input, Focused: c.whoAsks() != "" && c.typing() && c.InFront(), Foot: cmp.Or(c.Composer.Mode(), foot)}.Rows(width, th), 1
	} else {
		for i, row := range input {
			input[i] = "  " + row
		}
	}
	below := c.gapRows(height)
	below = append(below, pendingRows(c.Session, c.Composer.DisplayText, !c.around.Plan, width, height, &c.screen.Env)...)
	inputTop := len(below)
	below = append(below, input...)
	below = append(below, c.Status(c.around).Row(width))
	room := height - len(below)
	full := c.Review.Open() || c.Question.Full() || c.Elicits.OnScreen() != nil && room < leastBox || c.login.Asks() && c.Panels.List() == nil && room < leastLogin
	if full {
		below = below[len(below)-1:]
		if toast := c.gapRows(0); toast != nil { // instead of the status: the frame does not move
			below = toast
		}
	}

	top := max(0, height-len(below))
	find := 0
	if c.find.Open() && top >= 3 {
		find = 1
	}
	room = top - find // of the transcript and what is asked
	if w, ok := c.Panels.open.(*panel.Writing); ok && w.Beneath {
		written, _ := w.Rows(width, room)
		room -= len(written)
	}
	asked, cursor := c.askedRows(room)
	said := room - len(asked) // rows of the transcript
	c.on.areas.overlayTop = height
	if !full {
		c.on.areas.composer = mouse.Area{X: 2, Y: top + inputTop + border, Width: max(0, width-4), Height: len(input) - 2*border}
	}
	rows := make([]string, 0, height)
	if c.sub != nil && said >= 3 {
		rows = append(rows, c.subagentHead())
	}
	head := len(rows)
	view.SetSize(width, said-head)
	rows = append(rows, view.Rows()...)
	if len(c.Thread.Items) == 0 {
		rows = append(rows, welcome(c.Agent, c.screen.Options.Place(c.cwd), width, th)...)
	}
	rows = rows[:min(len(rows), said)]
	start := said
	if len(asked) > 0 { // what is asked is read with the agent's last words
		start = min(len(rows)+1, said)
	}
	rows = padded(rows, start)
	if cursor != nil {
		cursor.Y += len(rows)
	}
	c.on.areas.transcript, c.on.areas.asked = mouse.Area{Y: head, Width: width, Height: len(rows) - head}, mouse.Area{Y: len(rows), Width: width, Height: len(asked)}
	rows = padded(append(rows, asked...), top-find)
	if find > 0 {
		row, x := c.find.Row(width)
		if rows = append(rows, row); c.find.Typing() && cursor == nil {
			cursor = tea.NewCursor(x, top-1)
		}
	}
	rows, over := c.drawOverlays(rows, top-find)
	if over != nil {
		cursor = over
	}
	if !full && c.on.areas.overlayTop == height {
		c.tagEnd(below, inputTop, top)
	}
	rows = fit(append(rows, below...), height)
	if cursor != nil || full {
		return rows, cursor
	}
	x, y := c.Composer.Cursor()
	return rows, c.cursor(x+2, top+inputTop+border+y)
}

// padded returns rows with blank ones after them, height in all.
func padded(rows []string, height int) []string {
	for len(rows) < height {
		rows = append(rows, "")
	}
	return rows
}

// leastFramed is the lowest screen with a blank row above the composer, and on which the composer
// keeps its frame below a question. On a lower one the question gets those rows.
const leastFramed = 16

// gapRows returns the rows above the composer: a toast, else a blank row if there is room for one.
func (c *frame) gapRows(height int) []string {
	width := c.width
	toast := c.toast.At(c.screen.Now())
	switch {
	case toast == "" && height < leastFramed:
		return nil
	case toast == "":
		return []string{""}
	}
	lines, most := text.Wrap(words.OneLine(toast), width-1), 1
	if height >= leastFramed {
		most = maxToast
	}
	if len(lines) > most {
		lines = append(lines[:most-1], strings.Join(lines[most-1:], " "))
	}
	for i, line := range lines {
		lines[i] = text.Truncate(" "+c.screen.Theme.Accent.Paint(line), width, "…")
	}
	return lines
}

// maxToast is how many rows a toast may have.
const maxToast = 3

// The rows that a form needs, and a login with its explanation. With fewer, the composer is
// hidden.
const (
	leastBox   = 6
	leastLogin = 10
)

// cursor returns the terminal's cursor in the composer. Its shape shows the mode of vi.
func (c *frame) cursor(x, y int) *tea.Cursor {
	at := tea.NewCursor(x, y)
	if c.screen.Keys.Vim() && c.Composer.Mode() == "" {
		at.Shape = tea.CursorBar
	}
	return at
}

// fit drops the top rows that do not fit on the screen.
func fit(rows []string, height int) []string {
	if len(rows) > height {
		return rows[len(rows)-height:]
	}
	return rows
}

// askedRows draws the question, form or page in at most height rows. Some of these are left
// to the transcript.
func (c *frame) askedRows(height int) (rows []string, cursor *tea.Cursor) {
	form := c.Elicits.OnScreen()
	if c.Panels.reading != nil || c.Review.Open() || !c.Question.Open() && form == nil {
		return nil, nil
	}
	room, covered := height, c.Composer.Popup() != nil
	if !c.Question.Full() {
		room -= c.on.view.CountRows(c.width, leastTranscript(height))
	}
	if c.Question.Open() {
		rows, c.on.question = c.Question.Rows(c.width, room, covered)
	} else {
		rows, cursor, c.on.form = form.Rows(c.width, room, covered)
	}
	return rows[:min(len(rows), max(0, height))], cursor
}

// leastTranscript returns how many of height rows the transcript keeps above a question of any
// length: a quarter, if the rest is enough to answer.
func leastTranscript(height int) int {
	const enough = 9
	return max(0, min(height/4, height-enough))
}

// drawOverlays lays the open panels over the rows, but leaves a list to the screen if that draws it over all
// columns. The cursor is nil unless it is in one of them.
func (c *frame) drawOverlays(rows []string, top int) ([]string, *tea.Cursor) {
	var cursor *tea.Cursor
	for _, l := range slices.Backward(c.stack) {
		o, ok := l.(layer.Overlayer)
		if !ok {
			continue
		}
		width := c.width
		_, spans := l.(*panel.List)
		if spans = spans && c.around.Lists > 0 && c.InFront(); spans {
			width = c.around.Lists
		}
		box, at := o.Rows(width, top)
		if l, ok := l.(layer.Viewer); ok {
			c.on.Saw(l, width, top)
		}
		if len(box) == 0 {
			continue
		}
		y := max(0, top-len(box))
		if w, ok := l.(*panel.Writing); ok && w.At > 0 {
			y = min(y, w.At)
		}
		c.on.areas.overlayTop = min(c.on.areas.overlayTop, y)
		if spans {
			c.on.list, c.on.listTop = box, y
		} else {
			rows = text.Overlay(rows, box, 0, y)
		}
		if at != nil {
			at.Y += y
			cursor = at
		}
	}
	return rows, cursor
}

// tagEnd writes on the composer's upper border that the transcript continues below, and who
// asks something there or how much is new. On the border it does not move when the rows
// above are scrolled; on one of these it would be written again each time.
func (c *frame) tagEnd(below []string, border, top int) {
	width := c.width
	n := c.on.view.NewItems()
	asks := c.whoAsks()
	height := c.on.areas.transcript.Height
	if c.on.view.Following() || height <= 2 && asks == "" || width < leastTag || n == 0 && c.focused && c.on.view.EndInSight() {
		return
	}
	word := " ↓ end "
	switch {
	case asks != "":
		word = " ↓ " + asks + " · end "
	case n > 0:
		word = fmt.Sprintf(" ↓ %d new · end ", n)
	}
	tag := c.screen.Theme.Selected.Paint(text.Truncate(word, width-4, "…"))
	c.on.areas.end = mouse.Area{X: width - 2 - text.Width(tag), Y: top + border, Width: text.Width(tag), Height: 1}
	below[border] = text.Overlay(below[border:border+1], []string{tag}, c.on.areas.end.X, 0)[0]
}

// whoAsks says who is waiting for the user's answer; "" if nobody is.
func (c *frame) whoAsks() string {
	if cur, ok := c.Question.Current(); ok && cur.Origin == permissions.FromParley {
		return "parley asks"
	}
	if form := c.Elicits.Current(); c.Question.Open() || form != nil && form.Asks() {
		return c.Agent.Name() + " asks"
	}
	return ""
}

// leastTag is the narrowest screen whose border has room for the tag.
const leastTag = 8

// foot returns the hint below the composer.
func (c *frame) foot() string {
	if c.shelling() {
		return "shell · " + c.screen.Keys.ChatKey(intent.Send) + " run in " + words.ShortenHome(c.ShellDir(), c.screen.Options.Home)
	}
	return c.Composer.Hint()
}

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
	own := c.own()
	own.toScrollback(c.Thread, width)
	cells := c.width
	below, y := c.inlineBelow(height)
	room := max(0, height-2-len(below))
	var rows []string
	if c.Question.Open() {
		said := len(own.written.Live(leastTranscript(room)))
		rows, c.on.question = c.Question.Rows(min(cells, maxAsked), max(4, room-said), c.Composer.Popup() != nil)
	}
	// A terminal that gets narrower wraps the rows. Rows that scroll off its top cannot be
	// removed then.
	if most := min(room-len(rows), max(4, min(height/4, 12))); most > 0 && c.Thread.State != thread.Loading {
		if said := own.written.Live(most); len(said) > 0 {
			rows = append(said, rows...)
		}
	}
	if gap := c.gapRows(0); len(gap) > 0 {
		rows = append(rows, gap...)
	} else if len(rows) > 0 && len(rows) < room || len(rows) == 0 && own.written.Begun() {
		rows = append(rows, "")
	}
	x, dy := c.Composer.Cursor()
	y += max(0, min(len(rows), height-2-len(below))) + dy
	return fit(append(rows, below...), max(1, height-2)), tea.NewCursor(x, y)
}

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

// startRows draws the wait for an agent, why it did not start, or its login methods, and the
// composer below.
func (c *frame) startRows(height int) ([]string, *tea.Cursor) {
	width, a := c.width, c.Agent
	below, cursor := c.aheadRows(height)
	leave := "another agent"
	if c.Compared() != nil {
		leave = "close"
	}
	wait := start.Wait{Env: &c.screen.Env, Agent: a, Alone: c.alone(), Leave: leave, Login: c.login.Open(), Toast: c.toast.At(c.screen.Now()), Failure: transcript.Failure}
	rows := wait.Rows(width, height-len(below))
	if len(rows)+len(below) > height && c.Composer.Empty() { // what to do next comes first
		below, cursor = nil, nil
	}
	if c.login.Asks() && height-len(below) < leastLogin+4 {
		below, cursor = nil, nil
	}
	top := height - len(below)
	rows = rows[:min(len(rows), top)]
	lay := func(box []string, at *tea.Cursor) {
		rows = append(rows[:min(len(rows), max(0, top-len(box)))], box...)
		if at != nil {
			at.Y += len(rows) - len(box)
			cursor = at
		}
	}
	switch {
	case c.Panels.open != nil:
		box, at := c.Panels.open.Rows(width, max(4, top))
		lay(box, at)
		c.on.Saw(c.Panels.open, width, max(4, top))
	case c.Panels.reading != nil:
		rows = nil
		lay(c.Panels.reading.Rows(width, max(4, top)))
		c.on.Saw(c.Panels.reading, width, max(4, top))
	case c.login.Open():
		room := max(5, top-len(rows))
		if c.login.Asks() { // more important than the reason above it
			room = max(room, min(top, leastLogin))
		}
		lay(c.login.Rows(width, room))
		c.on.Saw(c.login, width, room)
	case c.Question.Open(): // of a session that is being loaded
		room := max(leastBox, top-min(len(rows), 4))
		if c.Question.Full() {
			room = top
		}
		var box []string
		box, c.on.question = c.Question.Rows(width, room, false)
		lay(box, nil)
	case c.Elicits.OnScreen() != nil:
		var box []string
		var at *tea.Cursor
		box, at, c.on.form = c.Elicits.Current().Rows(width, max(leastBox, top-min(len(rows), 4)), false)
		lay(box, at)
	}
	for len(rows) < top {
		rows = append(rows, "")
	}
	if cursor != nil && len(below) > 0 && cursor.Y < 0 { // the composer's
		cursor.Y += height
	}
	return fit(append(rows, below...), height), cursor
}

// leastAhead is the lowest screen that shows the composer while the agent starts.
const leastAhead = 12

// aheadRows returns the composer with the prompts to be sent; nil if there is no room. The row
// of the cursor counts from the bottom of the screen.
func (c *frame) aheadRows(height int) ([]string, *tea.Cursor) {
	width := c.width
	if height < leastAhead {
		return nil, nil
	}
	below := queueRows(c.Session, c.Composer.DisplayText, width, 3, &c.screen.Env)
	above := len(below)
	below = append(below, box.Box{Body: c.Composer.Draw()}.Rows(width, c.screen.Theme)...)
	x, y := c.Composer.Cursor()
	return below, c.cursor(x+2, above+1+y-len(below))
}
