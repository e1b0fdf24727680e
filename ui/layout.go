package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/permissions"
	"parley/ui/layer"
	"parley/ui/panel"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// rows draws the page: the transcript on top, below it what is asked and what
// never scrolls. Whatever opens lies over that and moves nothing.
func (c *chat) rows(width, height int) ([]string, *tea.Cursor) {
	c.composer.SetMaxRows(max(1, height/3))
	c.composer.SetWidth(max(4, widget.InnerWidth(width)))
	c.composer.SetPlaceholder("ask the agent, / for commands, ? for help")
	if c.ReadOnly {
		c.composer.SetPlaceholder(c.nobody())
	}
	th := c.m.Theme
	foot := c.hint()
	c.composer.SetPrompt("› ")
	if c.shelling() {
		c.composer.SetPrompt("$ ")
		foot = c.shellFoot()
	}
	if c.panels.reading == nil {
		c.question.appears(c.m.Now()) // whether it has the keys shows in the composer too
	}
	input, frame := c.composer.Rows(th), 0
	if height >= leastFramed || c.asks() == "" {
		input, frame = widget.Box{Body: input, Focused: c.typing(), Foot: cmp.Or(c.composer.Mode(), foot)}.Rows(width, th), 1
	} else {
		for i, row := range input {
			input[i] = "  " + row
		}
	}
	var below []string
	if line := c.planLine(width); line != "" && height >= 10 {
		below = append(below, line)
	}
	below = append(below, c.queueRows(width, max(0, min(3, height-12)))...)
	if len(c.Carried) > 0 {
		drop := th.Dim.Paint("  ⌫ drop")
		below = append(below, widget.Truncate(" "+th.Dim.Paint(c.carriedRow()), max(10, width-widget.Width(drop)-1), "…")+drop)
	}
	inputTop := len(below)
	below = append(below, input...)
	below = append(below, c.status(width))
	room := height - len(below)
	list := c.panels.list()
	full := c.question.open() && c.question.full || c.elicitShown() && room < leastBox || list != nil && list.Step != nil && room < leastLogin
	if full {
		below = below[len(below)-1:]
	}

	top := max(0, height-len(below))
	find := c.findRows(top)
	asked, cursor := c.askedRows(width, top-find)
	talk := top - find - len(asked)
	if cursor != nil {
		cursor.Y += talk
	}
	c.areas = areas{transcript: area{0, 0, width, talk}, asked: area{0, talk, width, len(asked)}, lid: height}
	if !full {
		c.areas.composer = area{2, top + inputTop + frame, max(0, width-4), len(input) - 2*frame}
	}
	c.view.SetSize(width, talk)
	rows := append(make([]string, 0, height), c.view.Rows()...)
	if len(c.Thread.Items) == 0 {
		rows = append(rows, c.welcome(width)...)
	}
	rows = rows[:min(len(rows), talk)]
	for len(rows) < talk {
		rows = append(rows, "")
	}
	rows = append(rows, asked...)
	if find > 0 {
		row, x := c.findRow(width)
		if rows = append(rows, row); c.finding.typing && cursor == nil {
			cursor = tea.NewCursor(x, top-1)
		}
	}
	rows, lid := c.over(rows, width, top-find)
	if lid != nil {
		cursor = lid
	}
	if !full && c.areas.lid == height {
		c.tagEnd(below, inputTop, width, top)
	}
	rows = fit(append(rows, below...), height)
	if cursor != nil || full {
		return rows, cursor
	}
	x, y := c.composer.Cursor()
	return rows, c.cursor(x+2, top+inputTop+frame+y)
}

// leastFramed is the lowest screen on which the composer keeps its frame while something
// is asked; on a lower one the question has those rows.
const leastFramed = 16

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
func (c *chat) askedRows(width, height int) (rows []string, cursor *tea.Cursor) {
	if c.panels.reading != nil || !c.question.open() && !c.elicitShown() {
		return nil, nil
	}
	room, covered := height, c.popup != nil
	if !c.question.full {
		room -= c.view.Tall(width, leastTalk(height))
	}
	if c.question.open() {
		rows = c.question.rows(width, room, covered)
	} else {
		rows, cursor = c.elicitRows(width, room, covered)
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
func (c *chat) over(rows []string, width, top int) ([]string, *tea.Cursor) {
	var cursor *tea.Cursor
	for _, l := range slices.Backward(c.layers()) {
		o, ok := l.(layer.Overlayer)
		if !ok {
			continue
		}
		box, at := o.Rows(width, top)
		if l, ok := l.(layer.Viewer); ok {
			l.Saw(width, top)
		}
		if len(box) == 0 {
			continue
		}
		y := max(0, top-len(box))
		c.areas.lid = min(c.areas.lid, y)
		rows = widget.Overlay(rows, box, 0, y)
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
func (c *chat) tagEnd(below []string, border, width, top int) {
	n := c.view.Below()
	asks := c.asks()
	if c.view.Following() || c.areas.transcript.height <= 2 && asks == "" || width < leastTag || n == 0 && c.focused && c.endInSight(c.areas.transcript.height) {
		return
	}
	word := " ↓ end "
	switch {
	case asks != "":
		word = " ↓ " + asks + " · end "
	case n > 0:
		word = fmt.Sprintf(" ↓ %d new · end ", n)
	}
	tag := c.m.Theme.Selected.Paint(widget.Truncate(word, width-4, "…"))
	c.areas.end = area{width - 2 - widget.Width(tag), top + border, widget.Width(tag), 1}
	below[border] = widget.Overlay(below[border:border+1], []string{tag}, c.areas.end.x, 0)[0]
}

// asks says who waits for the user's answer; "" where nobody does.
func (c *chat) asks() string {
	switch {
	case c.question.open() && c.question.waiting[c.question.current].Origin == permissions.FromParley:
		return "parley asks"
	case c.question.open() || c.eliciting() && !c.elicits[0].open:
		return c.Agent.Name() + " asks"
	}
	return ""
}

// leastTag is the narrowest screen on which there is a border to say that on.
const leastTag = 8

// endInSight tells whether the last entry can be seen in the topmost rows. The
// end of a turn mostly has no row of its own.
func (c *chat) endInSight(height int) bool {
	for row := height - 1; row >= 0; row-- {
		if i, ok := c.view.ItemAt(row); ok {
			return !slices.ContainsFunc(c.Thread.Items[i+1:], func(it *thread.Item) bool { return it.Kind != thread.TurnEnd && !it.Blank() })
		}
	}
	return false
}

// welcome stands where the transcript will be.
func (c *chat) welcome(width int) []string {
	th := c.m.Theme
	if c.Agent.Conn() == nil {
		return nil
	}
	info := c.Agent.Conn().Client.Agent()
	name := info.Title
	if name == "" {
		name = info.Name
	}
	if name == "" {
		name = c.Agent.Name()
	}
	rows := []string{"", th.Strong.Paint(name) + " " + th.Dim.Paint(info.Version),
		th.Dim.Paint(c.Agent.Spec.Command), th.Dim.Paint("in " + transcript.Home(c.m.opts.Cwd, c.m.opts.Home))}
	for i := range rows {
		rows[i] = widget.Truncate("  "+rows[i], width, "…")
	}
	return rows
}

// planLine is the plan in one line: of several the one that changed last.
func (c *chat) planLine(width int) string {
	plan := c.Thread.Plan
	done, current := 0, ""
	for _, p := range plan {
		switch {
		case p.Status == "completed":
			done++
		case p.Status == "in_progress" || current == "":
			current = p.Content
		}
	}
	if !c.Busy() { // what is left of it after the turn is in the list of its steps
		return ""
	}
	if heading := c.Thread.Heading(); heading != "" {
		return widget.Truncate(" "+c.m.Theme.Strong.Paint("Plan")+" ▸ "+panel.Unmarked(heading), width, "…")
	}
	if len(plan) == 0 {
		return ""
	}
	line := " " + c.m.Theme.Strong.Paint(fmt.Sprintf("Plan %d/%d", done, len(plan)))
	if n := len(c.Thread.Plans); n > 1 {
		line += c.m.Theme.Dim.Paint(fmt.Sprintf(" of %d plans", n))
	}
	if current != "" {
		line += " ▸ " + panel.Unmarked(current)
	}
	return widget.Truncate(line, width, "…")
}

// queueRows are the prompts that wait, newest last: those that the agent holds
// come before those that are still here, and after these those that may not have
// arrived.
func (c *chat) queueRows(width, most int) []string {
	type waiting struct{ label, text string }
	var all []waiting
	for _, h := range c.Thread.Held {
		all = append(all, waiting{"held by the agent  ", h.Text})
	}
	if text, reading := c.Reading(); reading {
		all = append(all, waiting{"reading its files  ", text})
	}
	for i, text := range c.Queued {
		all = append(all, waiting{fmt.Sprintf("queued %d  ", i+1), text})
	}
	for _, p := range c.Offers {
		_, own := transcript.SplitCarried(p.Draft)
		all = append(all, waiting{p.Why() + "  ", own})
	}
	th := c.m.Theme
	var rows []string
	for i := max(0, len(all)-most); i < len(all); i++ {
		right := ""
		if i == len(all)-1 {
			drop := "  ⌫ drop"
			if len(c.Carried) > 0 { // the key is for that first
				drop = ""
			}
			right = th.Dim.Paint("  ↑ edit" + drop)
			switch {
			case len(c.Queued) == 0 || len(c.Offers) > 0 || c.ACP == nil:
			case c.Thread.State == thread.Idle:
				right = th.Dim.Paint("  enter sends  ↑ edit" + drop)
			case c.Paused:
				right = th.Dim.Paint("  enter sends after this turn  ↑ edit" + drop)
			}
		}
		line := " " + th.Dim.Paint(all[i].label) + "\"" + strings.Join(strings.Fields(c.m.pictures.words(all[i].text)), " ") + "\""
		line = widget.Truncate(line, max(10, width-widget.Width(right)-1), "…") + right
		rows = append(rows, widget.Truncate(line, width, "…"))
	}
	return rows
}
