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
		m.begin(a.Name)
		return m.connect()
	case "esc":
		if s.list.Filter() != "" {
			s.list.SetFilter("")
			return nil
		}
		return m.quit()
	case "ctrl+c", "ctrl+d":
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
	lines = append(lines, th.Dim.Paint("gets  this directory: reads files in it; asks before it writes, runs commands or leaves it"),
		th.Key.Paint("enter")+th.Dim.Paint(" start   ")+th.Key.Paint("esc")+th.Dim.Paint(" quit"))
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
	if p := m.login; p != nil && msg.String() != "ctrl+c" {
		cmd, done := p.key(msg)
		if done && m.login == p {
			m.login = nil
		}
		return cmd
	}
	if m.loggingIn != "" && msg.String() == "esc" {
		m.cancelLogin()
		return nil
	}
	switch msg.String() {
	case "ctrl+c", "ctrl+d":
		return m.quit()
	case "esc":
		if m.cancelConnect != nil {
			m.cancelConnect()
		}
		m.page, m.connectErr = startPage, nil
		old := m.conn
		m.conn = nil
		return m.end(old)
	case "enter":
		if m.connectErr != nil {
			return m.restart()
		}
	}
	return nil
}

// connecting draws the wait for an agent, or why it did not start, or the ways
// to log in to it.
func (m *Model) connecting() ([]string, *tea.Cursor) {
	th := m.th
	rows := []string{" " + th.Title.Paint("parley"), ""}
	switch {
	case m.loggingIn != "":
		rows = append(rows, widget.Truncate("  logging in: "+th.Strong.Paint(m.loggingIn), m.width, "…"),
			"  "+th.Dim.Paint("the agent may have opened a browser"), "")
		rows = append(rows, m.lastWords()...)
		rows = append(rows, "", "  "+th.Key.Paint("esc")+th.Dim.Paint(" give up"))
	case m.login != nil:
		rows = append(rows, chatview.Failure(m.connectErr, m.width-1, th)...)
		rows = append(rows, "")
		rows = rows[:min(len(rows), max(2, m.height-8))]
		box, cursor := m.login.rows(m.width, max(5, m.height-len(rows)), th)
		cursor.Y += len(rows)
		return fit(append(rows, box...), m.height), cursor
	case m.connectErr != nil:
		rows = append(rows, m.whyNot()...)
	default:
		rows = append(rows, widget.Truncate("  starting "+th.Strong.Paint(m.agent.Name)+"  "+th.Dim.Paint(chatview.Seconds(m.now().Sub(m.connectedAt))), m.width, "…"),
			widget.Truncate("  "+th.Dim.Paint(m.agent.Command), m.width, "…"), "")
		rows = append(rows, m.lastWords()...)
		if strings.HasPrefix(m.agent.Where, "through npx") {
			rows = append(rows, widget.Truncate("  "+th.Dim.Paint("npx fetches the package first; that can take a minute"), m.width, "…"))
		}
		rows = append(rows, "", "  "+th.Key.Paint("esc")+th.Dim.Paint(" give up"))
	}
	return rows[:min(len(rows), m.height)], nil
}

// whyNot says why the agent did not start, and what to do.
func (m *Model) whyNot() []string {
	th := m.th
	rows := chatview.Failure(m.connectErr, m.width-1, th)
	for _, l := range advice(m.connectErr, m.agent) {
		rows = append(rows, "")
		for _, r := range widget.Wrap(l, max(1, m.width-4)) {
			rows = append(rows, "  "+r)
		}
	}
	rows = append(rows, "")
	keys := th.Key.Paint("enter") + th.Dim.Paint(" try again   ") + th.Key.Paint("esc") + th.Dim.Paint(" another agent   ") + th.Key.Paint("ctrl+c") + th.Dim.Paint(" quit")
	for _, r := range widget.Wrap(keys, max(1, m.width-4)) {
		rows = append(rows, "  "+r)
	}
	return rows
}

// lastWords are the newest lines of the log.
func (m *Model) lastWords() []string {
	lines, _ := m.log.Lines()
	var rows []string
	for _, l := range lines[max(0, len(lines)-8):] {
		rows = append(rows, widget.Truncate("  "+m.th.Faint.Paint(l.Text), m.width, "…"))
	}
	return rows
}
