package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	chatview "parley/ui/chat"
	"parley/ui/widget"
)

// start is the first screen: which agent, and what it will get.
type start struct {
	list *widget.List
	note string
}

func newStart(opts Options) *start {
	items := make([]widget.Item, 0, len(opts.Agents))
	chosen := 0
	for i, a := range opts.Agents {
		items = append(items, widget.Item{Title: fmt.Sprintf("%-10s", a.Name), Detail: a.Command, Hint: a.Where, Section: a.Section, Value: a})
		if a.Name == opts.Choice {
			chosen = i
		}
	}
	s := &start{list: widget.NewList(items)}
	s.list.Select(chosen)
	return s
}

// startKey handles a key of the start screen.
func (m *Model) startKey(msg tea.KeyPressMsg) tea.Cmd {
	s := m.start
	s.note = ""
	switch msg.String() {
	case "enter":
		it, ok := s.list.Selected()
		if !ok {
			s.note = "no agent of that name; `parley -- COMMAND ARG…` starts any command"
			return nil
		}
		a := it.Value.(Agent)
		if a.Missing != "" {
			s.note = a.Name + " is not installed: " + a.Missing
			return nil
		}
		return m.choose(a.Name)
	case "esc":
		if s.list.Filter() != "" {
			s.list.SetFilter("")
			return nil
		}
		fallthrough
	case "ctrl+c", "ctrl+d":
		if m.back() {
			return nil
		}
		return m.quit()
	}
	s.list.Key(msg)
	return nil
}

// rows draws the start screen.
func (s *start) rows(m *Model) ([]string, *tea.Cursor) {
	th, width := m.th, m.width
	rows := []string{
		widget.Truncate(" "+th.Title.Paint("parley")+th.Dim.Paint("  chat with a coding agent in "+chatview.Home(m.opts.Cwd, m.opts.Home)), width, "…"),
		"",
		" " + s.list.FilterRow(width-2, "type to filter", th),
	}
	cursor := tea.NewCursor(1+s.list.FilterCursor(width-2), 2)
	foot := s.foot(m)
	for _, r := range s.list.Rows(width-2, max(1, m.height-len(rows)-len(foot)), th) {
		rows = append(rows, " "+r)
	}
	for len(rows) < m.height-len(foot) {
		rows = append(rows, "")
	}
	return append(rows, foot...), cursor
}

// foot says what will run and what the agent gets.
func (s *start) foot(m *Model) []string {
	th := m.th
	var lines []string
	it, ok := s.list.Selected()
	switch {
	case s.note != "":
		lines = append(lines, th.Warn.Paint(s.note))
	case ok && it.Value.(Agent).Missing != "":
		lines = append(lines, th.Warn.Paint("not installed: ")+it.Value.(Agent).Missing)
	case ok:
		lines = append(lines, th.Dim.Paint("runs  ")+it.Value.(Agent).Command)
	}
	esc := " quit"
	if m.canGoBack() {
		esc = " back"
	}
	lines = append(lines, th.Dim.Paint("gets  this directory: reads files in it; asks before it writes, runs commands or leaves it"),
		th.Key.Paint("enter")+th.Dim.Paint(" start   ")+th.Key.Paint("esc")+th.Dim.Paint(esc))
	out := []string{""}
	for _, l := range lines {
		for _, r := range widget.Wrap(l, max(1, m.width-2)) {
			out = append(out, " "+r)
		}
	}
	return out
}

// connectingKey handles a key while an agent starts, or after it could not.
func (m *Model) connectingKey(msg tea.KeyPressMsg) tea.Cmd {
	l := m.starting
	if p := l.login; p != nil && msg.String() != "ctrl+c" {
		cmd, done := p.key(msg)
		if done && l.login == p {
			l.login = nil
		}
		return cmd
	}
	if c := l.front(); c.elicitShown() && msg.String() != "ctrl+c" {
		return c.onlyElicitKey(msg)
	}
	if l.loggingIn != "" && msg.String() == "esc" {
		l.cancelLogin()
		return nil
	}
	switch msg.String() {
	case "ctrl+c", "ctrl+d":
		if len(m.chats) == 1 {
			return m.quit()
		}
		return m.leave()
	case "esc":
		return m.leave()
	case "enter":
		if l.connectErr != nil {
			return l.restart()
		}
	}
	return nil
}

// connecting draws the wait for an agent, or why it did not start, or the ways
// to log in to it.
func (m *Model) connecting() ([]string, *tea.Cursor) {
	th, l := m.th, m.starting
	rows := []string{" " + th.Title.Paint("parley"), ""}
	switch {
	case l.loggingIn != "":
		rows = append(rows, widget.Truncate("  logging in: "+th.Strong.Paint(l.loggingIn), m.width, "…"),
			"  "+th.Dim.Paint("the agent may have opened a browser"), "")
		rows = append(rows, l.lastWords()...)
		rows = append(rows, "", "  "+th.Key.Paint("esc")+th.Dim.Paint(" give up"))
	case l.login != nil:
		rows = append(rows, chatview.Failure(l.connectErr, m.width-1, th)...)
		rows = append(rows, "")
		rows = rows[:min(len(rows), max(2, m.height-8))]
		box, cursor := l.login.rows(m.width, max(5, m.height-len(rows)), th)
		cursor.Y += len(rows)
		return fit(append(rows, box...), m.height), cursor
	case l.connectErr != nil:
		rows = append(rows, l.whyNot()...)
	default:
		rows = append(rows, widget.Truncate("  starting "+th.Strong.Paint(l.agent.Name)+"  "+th.Dim.Paint(chatview.Seconds(m.now().Sub(l.connectedAt))), m.width, "…"),
			widget.Truncate("  "+th.Dim.Paint(l.agent.Command), m.width, "…"), "")
		rows = append(rows, l.lastWords()...)
		if strings.HasPrefix(l.agent.Where, "through npx") {
			rows = append(rows, widget.Truncate("  "+th.Dim.Paint("npx fetches the package first; that can take a minute"), m.width, "…"))
		}
		rows = append(rows, "", "  "+th.Key.Paint("esc")+th.Dim.Paint(" give up"))
	}
	if c := l.front(); c.elicitShown() {
		rows = rows[:min(len(rows), 4, max(1, m.height-leastBox))]
		box, cursor := c.elicitRows(m.width, m.height-len(rows), false)
		if cursor != nil {
			cursor.Y += len(rows)
		}
		return append(rows, box...), cursor
	}
	return rows[:min(len(rows), m.height)], nil
}

// whyNot says why the agent did not start, and what to do.
func (l *link) whyNot() []string {
	th, m := l.m.th, l.m
	rows := chatview.Failure(l.connectErr, m.width-1, th)
	for _, text := range advice(l.connectErr, l.agent) {
		rows = append(rows, "")
		for _, r := range widget.Wrap(text, max(1, m.width-4)) {
			rows = append(rows, "  "+r)
		}
	}
	rows = append(rows, "")
	keys := th.Key.Paint("enter") + th.Dim.Paint(" try again   ") + th.Key.Paint("esc") + th.Dim.Paint(" another agent   ")
	if len(m.chats) == 1 {
		keys += th.Key.Paint("ctrl+c") + th.Dim.Paint(" quit")
	}
	for _, r := range widget.Wrap(keys, max(1, m.width-4)) {
		rows = append(rows, "  "+r)
	}
	return rows
}

// lastWords are the newest lines of the log.
func (l *link) lastWords() []string {
	lines, _ := l.log.Lines()
	var rows []string
	for _, line := range lines[max(0, len(lines)-8):] {
		rows = append(rows, widget.Truncate("  "+l.m.th.Faint.Paint(line.Text), l.m.width, "…"))
	}
	return rows
}
