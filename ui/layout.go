package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/permissions"
	"parley/ui/layer"
	"parley/ui/mouse"
	"parley/ui/transcript"
	"parley/ui/widget/box"
	"parley/ui/widget/text"
)

// rows draws the page: the transcript on top, below it what is asked and what
// never scrolls. Whatever opens lies over that and moves nothing.
func (c *chat) rows(width, height int) ([]string, *tea.Cursor, onScreen) {
	view := c.view.Frame()
	on := onScreen{page: c, view: view}
	th := c.m.Theme
	foot := c.composer.Hint()
	if c.shelling() {
		foot = "shell · enter runs it in " + transcript.Home(c.LocalDir(), c.m.opts.Home)
	}
	input, frame := c.composer.Draw(), 0
	if height >= leastFramed || c.asks() == "" {
		input, frame = box.Box{Body: input, Focused: c.asks() != "" && c.typing(), Foot: cmp.Or(c.composer.Mode(), foot)}.Rows(width, th), 1
	} else {
		for i, row := range input {
			input[i] = "  " + row
		}
	}
	below := c.gapRows(width, height)
	below = append(below, pendingRows(c.Session, c.composer.Words, width, height, th)...)
	inputTop := len(below)
	below = append(below, input...)
	below = append(below, c.status().Row(width))
	room := height - len(below)
	full := c.question.Full() || c.elicits.OnScreen() != nil && room < leastBox || c.login.Asks() && c.panels.list() == nil && room < leastLogin
	if full {
		below = append(c.gapRows(width, 0), below[len(below)-1])
	}

	top := max(0, height-len(below))
	find := 0
	if c.find.Open() && top >= 3 {
		find = 1
	}
	asked, cursor := c.askedRows(width, top-find, &on)
	talk := top - find - len(asked)
	if cursor != nil {
		cursor.Y += talk
	}
	on.areas = areas{transcript: mouse.Area{Width: width, Height: talk}, asked: mouse.Area{Y: talk, Width: width, Height: len(asked)}, lid: height}
	if !full {
		on.areas.composer = mouse.Area{X: 2, Y: top + inputTop + frame, Width: max(0, width-4), Height: len(input) - 2*frame}
	}
	view.SetSize(width, talk)
	rows := append(make([]string, 0, height), view.Rows()...)
	if len(c.Thread.Items) == 0 {
		rows = append(rows, welcome(c.Agent, transcript.Home(c.m.opts.Cwd, c.m.opts.Home), width, th)...)
	}
	rows = rows[:min(len(rows), talk)]
	for len(rows) < talk {
		rows = append(rows, "")
	}
	rows = append(rows, asked...)
	if find > 0 {
		row, x := c.find.Row(width)
		if rows = append(rows, row); c.find.Typing() && cursor == nil {
			cursor = tea.NewCursor(x, top-1)
		}
	}
	rows, lid := c.over(rows, width, top-find, &on)
	if lid != nil {
		cursor = lid
	}
	if !full && on.areas.lid == height {
		c.tagEnd(below, inputTop, width, top, &on)
	}
	rows = fit(append(rows, below...), height)
	if cursor != nil || full {
		return rows, cursor, on
	}
	x, y := c.composer.Cursor()
	return rows, c.cursor(x+2, top+inputTop+frame+y), on
}

// leastFramed is the lowest screen with a blank row above the composer, and with the
// composer's frame while something is asked. A lower one gives these rows to the question.
const leastFramed = 16

// gapRows is the row above the composer and what waits to be sent: a toast, else blank.
// Where height leaves no room for a blank row there is none.
func (c *chat) gapRows(width, height int) []string {
	toast := c.toast.At(c.m.Now())
	switch {
	case toast == "" && height < leastFramed:
		return nil
	case toast == "":
		return []string{""}
	}
	return []string{text.Truncate(" "+c.m.Theme.Accent.Paint(strings.Join(strings.Fields(toast), " ")), width, "…")}
}

// How many rows a form or a page needs, and what a login asks with words about
// it above; where there are fewer the composer makes room.
const (
	leastBox   = 6
	leastLogin = 10
)

// cursor is the terminal's in the composer. With the modes of vi its shape says
// which one it is.
func (c *chat) cursor(x, y int) *tea.Cursor {
	at := tea.NewCursor(x, y)
	if c.m.Keys.Vim() && c.composer.Mode() == "" {
		at.Shape = tea.CursorBar
	}
	return at
}

// fit keeps the lowest rows where there are more than the screen has.
func fit(rows []string, height int) []string {
	if len(rows) > height {
		return rows[len(rows)-height:]
	}
	return rows
}

// askedRows draws what is asked, a question, a form or a page, in at most height
// rows. What was said last keeps some of them.
func (c *chat) askedRows(width, height int, on *onScreen) (rows []string, cursor *tea.Cursor) {
	form := c.elicits.OnScreen()
	if c.panels.reading != nil || !c.question.Open() && form == nil {
		return nil, nil
	}
	room, covered := height, c.composer.Popup() != nil
	if !c.question.Full() {
		room -= on.view.Tall(width, leastTalk(height))
	}
	if c.question.Open() {
		rows, on.question = c.question.Rows(width, room, covered)
	} else {
		rows, cursor, on.form = form.Rows(width, room, covered)
	}
	return rows[:min(len(rows), max(0, height))], cursor
}

// leastTalk is how many of so many rows the transcript keeps while something is
// asked, however long that is: a quarter, where the rest is enough to answer.
func leastTalk(height int) int {
	const enough = 9
	return max(0, min(height/4, height-enough))
}

// over lays what is open over the transcript and what is asked. The cursor is nil
// unless it belongs there.
func (c *chat) over(rows []string, width, top int, on *onScreen) ([]string, *tea.Cursor) {
	var cursor *tea.Cursor
	for _, l := range slices.Backward(c.layers()) {
		o, ok := l.(layer.Overlayer)
		if !ok {
			continue
		}
		box, at := o.Rows(width, top)
		if l, ok := l.(layer.Viewer); ok {
			on.saw(l, width, top)
		}
		if len(box) == 0 {
			continue
		}
		y := max(0, top-len(box))
		on.areas.lid = min(on.areas.lid, y)
		rows = text.Overlay(rows, box, 0, y)
		if at != nil {
			at.Y += y
			cursor = at
		}
	}
	return rows, cursor
}

// tagEnd says on the composer's upper border that the transcript goes on, and who
// asks for something there or how much is new. There it stays where it is when the
// rows above are scrolled: on one of those it would have to be written again each
// time.
func (c *chat) tagEnd(below []string, border, width, top int, on *onScreen) {
	n := on.view.Below()
	asks := c.asks()
	height := on.areas.transcript.Height
	if on.view.Following() || height <= 2 && asks == "" || width < leastTag || n == 0 && c.focused && on.view.EndInSight() {
		return
	}
	word := " ↓ end "
	switch {
	case asks != "":
		word = " ↓ " + asks + " · end "
	case n > 0:
		word = fmt.Sprintf(" ↓ %d new · end ", n)
	}
	tag := c.m.Theme.Selected.Paint(text.Truncate(word, width-4, "…"))
	on.areas.end = mouse.Area{X: width - 2 - text.Width(tag), Y: top + border, Width: text.Width(tag), Height: 1}
	below[border] = text.Overlay(below[border:border+1], []string{tag}, on.areas.end.X, 0)[0]
}

// asks says who waits for the user's answer; "" where nobody does.
func (c *chat) asks() string {
	if cur, ok := c.question.Current(); ok && cur.Origin == permissions.FromParley {
		return "parley asks"
	}
	if form := c.elicits.Current(); c.question.Open() || form != nil && form.Asks() {
		return c.Agent.Name() + " asks"
	}
	return ""
}

// leastTag is the narrowest screen on which there is a border to say that on.
const leastTag = 8
