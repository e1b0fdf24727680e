package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// start is the first screen: which agent, and what it will get.
type start struct {
	m    *Model
	list *widget.List
	note string
}

func newStart(m *Model, opts Options) *start {
	items := make([]widget.Item, 0, len(opts.Agents))
	chosen := 0
	for i, a := range opts.Agents {
		items = append(items, widget.Item{Title: fmt.Sprintf("%-10s", a.Name), Detail: a.Command, Hint: a.Where, Section: a.Section, Value: a})
		if a.Name == opts.Choice {
			chosen = i
		}
	}
	if opts.Typed != nil {
		for _, way := range []typedWay{"a command", "a URL"} {
			items = append(items, widget.Item{Title: string(way), Detail: way.how(), Section: "anything else", Value: way})
		}
	}
	s := &start{m: m, list: widget.NewList(items)}
	s.list.Select(chosen)
	return s
}

// typedWay is a row that stands for what the user may type instead of a name.
type typedWay string

func (w typedWay) how() string {
	if w == "a URL" {
		return "type https://host/acp, or with http, ws, wss"
	}
	return "type it, with its arguments"
}

// typed is the command or the URL that stands in the filter; "" where it is only
// a part of a name.
func (s *start) typed(m *Model) string {
	text := strings.TrimSpace(s.list.Filter())
	if m.opts.Typed == nil || text == "" || s.list.Len() > 0 && !strings.ContainsAny(text, " /") {
		return ""
	}
	if it, ok := s.list.Selected(); ok && strings.EqualFold(strings.TrimSpace(it.Title), text) {
		return "" // a row's own name
	}
	return text
}

// startTyped starts what was typed.
func (m *Model) startTyped(line string) tea.Cmd {
	a, err := m.opts.Typed(line)
	if err != nil {
		m.start.note = err.Error()
		return nil
	}
	if !slices.ContainsFunc(m.opts.Agents, func(b workspace.Spec) bool { return b.Name == a.Name }) {
		m.opts.Agents = append(slices.Clone(m.opts.Agents), a)
	}
	m.w.Start(a)
	return nil
}

// key takes all keys of the start screen.
func (s *start) Key(p layer.Press) (tea.Cmd, bool) { return s.press(p), true }

func (s *start) press(p layer.Press) tea.Cmd {
	m := s.m
	s.note = ""
	switch p.Name {
	case "enter":
		if line := s.typed(m); line != "" {
			return m.startTyped(line)
		}
		it, ok := s.list.Selected()
		if !ok {
			s.note = "no agent of that name; `parley -- COMMAND ARG…` starts any command"
			return nil
		}
		if way, ok := it.Value.(typedWay); ok {
			s.note = way.how() + ", then enter"
			return nil
		}
		a := it.Value.(workspace.Spec)
		if a.Missing != "" {
			s.note = a.Name + " is not installed: " + a.Missing
			return nil
		}
		m.w.Start(a)
		return nil
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
	s.list.Key(p.KeyPressMsg)
	return nil
}

// rows draws the start screen.
func (s *start) rows(m *Model) ([]string, *tea.Cursor) {
	th, width := m.Theme, m.width
	rows := []string{
		widget.Truncate(" "+th.Title.Paint("parley")+th.Dim.Paint("  chat with a coding agent in "+transcript.Home(m.opts.Cwd, m.opts.Home)), width, "…"),
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
	th := m.Theme
	var lines []string
	it, _ := s.list.Selected()
	chosen, ok := it.Value.(workspace.Spec)
	gets := "this directory: reads files in it; asks before it writes, runs commands or leaves it"
	typed := s.typed(m)
	switch {
	case s.note != "":
		lines = append(lines, th.Warn.Paint(s.note))
	case strings.Contains(typed, "://"):
		lines, gets = append(lines, th.Dim.Paint("connects to  ")+typed), "nothing of this machine, unless you share it (--share-files, --share-terminal)"
	case typed != "":
		lines = append(lines, th.Dim.Paint("runs  ")+typed)
	case ok && chosen.Missing != "":
		lines = append(lines, th.Warn.Paint("not installed: ")+chosen.Missing)
	case ok && chosen.Remote:
		lines, gets = append(lines, th.Dim.Paint("connects to  ")+chosen.Command), cmp.Or(chosen.Gets, gets)
	case ok:
		lines = append(lines, th.Dim.Paint("runs  ")+chosen.Command)
	}
	esc := " quit"
	if m.canGoBack() {
		esc = " back"
	}
	lines = append(lines, th.Dim.Paint("gets  "+gets),
		th.Key.Paint("enter")+th.Dim.Paint(" start   ")+th.Key.Paint("esc")+th.Dim.Paint(esc))
	out := []string{""}
	for _, l := range lines {
		for _, r := range widget.Wrap(l, max(1, m.width-2)) {
			out = append(out, " "+r)
		}
	}
	return out
}
