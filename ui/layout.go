package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/thread"
	chatview "parley/ui/chat"
	"parley/ui/widget"
)

// rows draws the page: the transcript on top, below it what never scrolls.
// Whatever opens lies over the transcript and moves nothing.
func (c *chat) rows(width, height int) ([]string, *tea.Cursor) {
	c.composer.SetMaxRows(max(1, height/3))
	c.composer.SetWidth(max(4, widget.InnerWidth(width)))
	th := c.m.th
	input := widget.Box{Body: c.composer.Rows(th), Focused: !c.question.armed(c.m.now()), Foot: c.hint()}.Rows(width, th)
	var below []string
	if line := c.planLine(width); line != "" && height >= 10 {
		below = append(below, line)
	}
	below = append(below, c.queueRows(width, max(0, min(3, height-12)))...)
	inputTop := len(below)
	below = append(below, input...)
	below = append(below, c.status(width))
	if c.question.open() && c.question.full {
		below = below[len(below)-1:]
	}

	top := max(0, height-len(below))
	c.view.SetSize(width, top)
	rows := append(make([]string, 0, height), c.view.Rows()...)
	if len(c.thread.Items) == 0 {
		rows = append(rows, c.welcome(width)...)
	}
	rows = rows[:min(len(rows), top)]
	for len(rows) < top {
		rows = append(rows, "")
	}
	rows = c.over(rows, width, top)
	if c.picker != nil || len(c.elicits) > 0 && !c.question.open() {
		draw := c.elicitRows
		if c.picker != nil {
			draw = func(w, h int) ([]string, *tea.Cursor) { return c.picker.rows(w, h, th) }
		}
		box, cursor := draw(width, max(4, top))
		y := max(0, top-len(box))
		rows = widget.Overlay(rows, box, 0, y)
		if cursor != nil {
			cursor.Y += y
		}
		return fit(append(rows, below...), height), cursor
	}
	x, y := c.composer.Cursor()
	rows = fit(append(rows, below...), height)
	if c.question.open() && c.question.full {
		return rows, nil
	}
	return rows, tea.NewCursor(x+2, top+inputTop+1+y)
}

// fit keeps the lowest rows where there are more than the screen has.
func fit(rows []string, height int) []string {
	if len(rows) > height {
		return rows[len(rows)-height:]
	}
	return rows
}

// over lays what is open over the transcript.
func (c *chat) over(rows []string, width, top int) []string {
	if n := c.view.Below(); !c.view.Following() && top > 2 {
		word := " ↓ end "
		if n > 0 {
			word = fmt.Sprintf(" ↓ %d new · end ", n)
		}
		tag := c.m.th.Selected.Paint(word)
		rows = widget.Overlay(rows, []string{tag}, max(0, width-widget.Width(tag)-1), top-1)
	}
	c.questionTop = -1
	if c.question.open() && c.overlay == noOverlay {
		q := c.question.rows(width, top, c.popup != nil)
		c.questionTop = max(0, top-len(q))
		rows = widget.Overlay(rows, q, 0, c.questionTop)
	}
	if c.popup != nil && c.overlay == noOverlay {
		list := c.popup.list.Rows(max(1, widget.InnerWidth(width)), max(1, min(8, top-2)), c.m.th)
		box := widget.Box{Body: list, Foot: "tab completes"}.Rows(width, c.m.th)
		rows = widget.Overlay(rows, box, 0, max(0, top-len(box)))
	}
	if c.overlay != noOverlay {
		box := c.overlayBox(width, top)
		rows = widget.Overlay(rows, box, 0, max(0, top-len(box)))
	}
	return rows
}

// welcome stands where the transcript will be.
func (c *chat) welcome(width int) []string {
	th := c.m.th
	if c.conn == nil {
		return nil
	}
	info := c.conn.Client.Agent()
	name := info.Title
	if name == "" {
		name = info.Name
	}
	if name == "" {
		name = c.m.agentName()
	}
	rows := []string{"", th.Strong.Paint(name) + " " + th.Dim.Paint(info.Version),
		th.Dim.Paint(c.m.agent.Command), th.Dim.Paint("in " + chatview.Home(c.m.opts.Cwd, c.m.opts.Home))}
	for i := range rows {
		rows[i] = widget.Truncate("  "+rows[i], width, "…")
	}
	return rows
}

// planLine is the plan in one line.
func (c *chat) planLine(width int) string {
	plan := c.thread.Plan
	if len(plan) == 0 {
		return ""
	}
	done, current := 0, ""
	for _, p := range plan {
		switch {
		case p.Status == "completed":
			done++
		case p.Status == "in_progress" || current == "":
			current = p.Content
		}
	}
	line := " " + c.m.th.Strong.Paint(fmt.Sprintf("Plan %d/%d", done, len(plan)))
	if current != "" {
		line += " ▸ " + current
	}
	return widget.Truncate(line, width, "…")
}

// queueRows are the prompts that wait, newest last.
func (c *chat) queueRows(width, most int) []string {
	th := c.m.th
	if len(c.queued)+len(c.thread.Held) == 0 || most == 0 {
		return nil
	}
	var rows []string
	for _, h := range c.thread.Held[max(0, len(c.thread.Held)-most):] {
		line := " " + th.Dim.Paint("held by the agent  ") + th.Faint.Paint("\""+strings.Join(strings.Fields(h.Text), " ")+"\"")
		rows = append(rows, widget.Truncate(line, width, "…"))
	}
	from := max(0, len(c.queued)-most)
	for i := from; i < len(c.queued); i++ {
		line := " " + th.Dim.Paint(fmt.Sprintf("queued %d  ", i+1)) + "\"" + strings.Join(strings.Fields(c.queued[i]), " ") + "\""
		right := ""
		if i == len(c.queued)-1 {
			right = th.Dim.Paint("  ↑ edit  ⌫ drop")
			if c.thread.State == thread.Idle {
				right = th.Dim.Paint("  enter sends  ↑ edit  ⌫ drop")
			}
		}
		rows = append(rows, widget.Truncate(line, max(10, width-widget.Width(right)-1), "…")+right)
	}
	return rows
}

// overlayBox draws help, log or plan.
func (c *chat) overlayBox(width, height int) []string {
	inner := widget.InnerWidth(width)
	title, body := "", []string(nil)
	switch c.overlay {
	case helpOverlay:
		title, body = "keys", c.helpRows(inner)
	case logOverlay:
		title, body = "log", c.logRows(inner)
	case planOverlay:
		title, body = "plan", c.planRows(inner)
	}
	page := max(1, height-2)
	last := max(0, len(body)-page)
	if c.overlay == logOverlay { // the newest are at the bottom
		c.scroll = max(-last, min(0, c.scroll))
		body = body[max(0, last+c.scroll):]
	} else {
		c.scroll = max(0, min(c.scroll, last))
		body = body[c.scroll:]
	}
	body = body[:min(len(body), page)]
	return widget.Box{Title: title, Foot: "esc closes · pgup pgdn", Body: body, Focused: true}.Rows(width, c.m.th)
}

var planSigns = map[string]string{"completed": "✓", "in_progress": "▸", "pending": "○"}

func (c *chat) planRows(width int) []string {
	if len(c.thread.Plan) == 0 {
		return []string{c.m.th.Dim.Paint("the agent has made no plan")}
	}
	var rows []string
	for _, p := range c.thread.Plan {
		sign := planSigns[p.Status]
		if sign == "" {
			sign = "·"
		}
		for i, r := range widget.Wrap(p.Content, max(1, width-2)) {
			if i > 0 {
				sign = " "
			}
			if p.Status == "completed" {
				r = c.m.th.Dim.Paint(r)
			}
			rows = append(rows, sign+" "+r)
		}
	}
	return rows
}

func (c *chat) logRows(width int) []string {
	th := c.m.th
	lines, total := c.m.log.Lines()
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
		if l.Source == acpclient.LogProtocol {
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
