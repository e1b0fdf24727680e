package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/permissions"
	"parley/ui/layer"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// rows draws the page: the transcript on top, below it what is asked and what
// never scrolls. Whatever opens lies over that and moves nothing.
func (c *chat) rows(width, height int) ([]string, *tea.Cursor, onScreen) {
	view := c.view.Frame()
	on := onScreen{page: c, view: view}
	th := c.m.Theme
	foot := c.hint()
	if c.shelling() {
		foot = c.shellFoot()
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
	full := c.question.Full() || c.elicits.InSight() != nil && room < leastBox || c.picker != nil && c.picker.step != nil && room < leastLogin
	if full {
		below = below[len(below)-1:]
	}

	top := max(0, height-len(below))
	find := c.findRows(top)
	asked, cursor := c.askedRows(width, top-find, &on)
	talk := top - find - len(asked)
	if cursor != nil {
		cursor.Y += talk
	}
	on.areas = areas{transcript: area{0, 0, width, talk}, asked: area{0, talk, width, len(asked)}, lid: height}
	if !full {
		on.areas.composer = area{2, top + inputTop + frame, max(0, width-4), len(input) - 2*frame}
	}
	view.SetSize(width, talk)
	rows := append(make([]string, 0, height), view.Rows()...)
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
	rows, lid := c.over(rows, width, top-find, &on.areas)
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
func (c *chat) askedRows(width, height int, on *onScreen) (rows []string, cursor *tea.Cursor) {
	form := c.elicits.InSight()
	if c.overlay != noOverlay || !c.question.Open() && form == nil {
		return nil, nil
	}
	room, covered := height, c.popup != nil
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
func (c *chat) over(rows []string, width, top int, on *areas) ([]string, *tea.Cursor) {
	var cursor *tea.Cursor
	for _, l := range slices.Backward(c.layers()) {
		o, ok := l.(layer.Overlayer)
		if !ok {
			continue
		}
		box, at := o.Rows(width, top)
		if len(box) == 0 {
			continue
		}
		y := max(0, top-len(box))
		on.lid = min(on.lid, y)
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
func (c *chat) tagEnd(below []string, border, width, top int, on *onScreen) {
	n := on.view.Below()
	asks := c.asks()
	height := on.areas.transcript.height
	if on.view.Following() || height <= 2 && asks == "" || width < leastTag || n == 0 && c.focused && c.endInSight(on.view, height) {
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
	on.areas.end = area{width - 2 - widget.Width(tag), top + border, widget.Width(tag), 1}
	below[border] = widget.Overlay(below[border:border+1], []string{tag}, on.areas.end.x, 0)[0]
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

// endInSight tells whether the last entry can be seen in the topmost rows. The
// end of a turn mostly has no row of its own.
func (c *chat) endInSight(view *transcript.View, height int) bool {
	for row := height - 1; row >= 0; row-- {
		if i, ok := view.ItemAt(row); ok {
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
		return widget.Truncate(" "+c.m.Theme.Strong.Paint("Plan")+" ▸ "+unmarked(heading), width, "…")
	}
	if len(plan) == 0 {
		return ""
	}
	line := " " + c.m.Theme.Strong.Paint(fmt.Sprintf("Plan %d/%d", done, len(plan)))
	if n := len(c.Thread.Plans); n > 1 {
		line += c.m.Theme.Dim.Paint(fmt.Sprintf(" of %d plans", n))
	}
	if current != "" {
		line += " ▸ " + unmarked(current)
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

var planSigns = map[string]string{"completed": "✓", "in_progress": "▸", "pending": "○"}

// planRows lists the plans, each with its steps.
func (c *chat) planRows(width int) []string {
	plans, th := c.Thread.Plans, c.m.Theme
	if len(plans) == 0 {
		return []string{th.Dim.Paint("the agent has made no plan")}
	}
	var rows []string
	for i, plan := range plans {
		if len(plans) > 1 {
			if i > 0 {
				rows = append(rows, "")
			}
			rows = append(rows, th.Strong.Paint(widget.Truncate(fmt.Sprintf("plan %d of %d", i+1, len(plans)), width, "…"))+" "+th.Dim.Paint(safetext.Line(plan.ID, 40)))
		}
		if plan.Markdown != "" {
			rows = append(rows, transcript.Markdown(plan.Markdown, width, th)...)
		}
		for _, step := range plan.Entries {
			rows = append(rows, c.stepRows(step, width)...)
		}
	}
	return rows
}

// unmarked is a step of a plan without the asterisks and backticks of Markdown.
func unmarked(step string) string { return strings.NewReplacer("**", "", "`", "").Replace(step) }

// stepRows is one step of a plan.
func (c *chat) stepRows(p event.PlanEntry, width int) []string {
	sign := planSigns[p.Status]
	if sign == "" {
		sign = "·"
	}
	var rows []string
	for i, r := range widget.Wrap(unmarked(p.Content), max(1, width-2)) {
		if i > 0 {
			sign = " "
		}
		if p.Status == "completed" {
			r = c.m.Theme.Dim.Paint(r)
		}
		rows = append(rows, sign+" "+r)
	}
	return rows
}

func (c *chat) logRows(width int) []string {
	th := c.m.Theme
	lines, total := c.Agent.Log.Lines()
	if total == 0 {
		return []string{th.Dim.Paint("nothing so far")}
	}
	var rows []string
	if total > len(lines) {
		rows = append(rows, th.Dim.Paint(fmt.Sprintf("… %d older lines", total-len(lines))))
	}
	for _, l := range lines {
		before := th.Dim.Paint(l.At.Format("15:04:05 ")) + th.Faint.Paint(fmt.Sprintf("%-8s ", l.Source))
		ink := th.Text
		if l.Source == event.LogProtocol {
			ink = th.Warn
		}
		for i, r := range widget.Wrap(l.Text, max(1, width-18)) {
			if i > 0 {
				before = strings.Repeat(" ", 18)
			}
			rows = append(rows, before+ink.Paint(r))
		}
	}
	return rows
}
