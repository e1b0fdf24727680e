package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/safetext"
	"parley/internal/text"
	"parley/internal/words"
	"parley/ui/paint"
	"parley/ui/panel"
	"parley/ui/status"
)

// The screens, in columns, that have room for the side panel: if the user asked for it, and
// otherwise.
const (
	leastSide = status.SideWidth + 60
	autoSide  = 160
)

// sideWidth returns the width of the side panel; 0 if it is not shown. What fills the screen,
// such as a diff, has all of it.
func (m *Model) sideWidth() int {
	least := autoSide
	switch m.opts.SidePanel {
	case "off":
		return 0
	case "on":
		least = leastSide
	}
	if !m.conversing() || m.compared() != nil || m.width < least || m.inlined() || m.chat.question.Full() || m.chat.panels.reading != nil || m.chat.review.Open() {
		return 0
	}
	return status.SideWidth
}

// toggleSide shows or hides the side panel.
func (m *Model) toggleSide() tea.Cmd {
	if m.sideWidth() > 0 {
		m.opts.SidePanel = "off"
		return nil
	}
	if m.opts.SidePanel = "on"; m.sideWidth() == 0 {
		return m.chat.say(fmt.Sprintf("The side panel needs the full screen and %d columns", leastSide))
	}
	return nil
}

// beside puts the side panel beside the rows of the page.
func (m *Model) beside(rows []string, width int) []string {
	out := slices.Clone(rows)
	for i, row := range m.side().Rows(len(rows), m.Theme) {
		out[i] += strings.Repeat(" ", max(0, width-text.Width(out[i]))) + paint.Beside + row
	}
	return out
}

// side collects what the side panel shows.
func (m *Model) side() status.Side {
	c := m.chat
	var s status.Side
	for _, one := range m.chats() {
		s.Sessions = append(s.Sessions, status.SideSession{Title: cmp.Or(one.Title(), firstPrompt(one.Thread)), State: one.Thread.State.String(),
			Here: one == c, Waits: one.waits(), Unread: one.unread})
	}
	for _, p := range c.Thread.Plan {
		p.Content = panel.StripMarkdown(p.Content)
		s.Plan = append(s.Plan, p)
	}
	s.Files, s.Running = c.ChangedFiles(), c.running()
	s.Name = func(path string) string { return safetext.Line(words.RelativePath(path, c.cwd), 200) }
	return s
}

// maxRecent is how many entries at the end of a conversation are looked at for what runs.
const maxRecent = 200

// recent returns the entries at the end of the conversation.
func (c *chat) recent() []*thread.Item {
	return c.Thread.Items[max(0, len(c.Thread.Items)-maxRecent):]
}

// runs reports whether a call has begun and not ended.
func runs(call *thread.Tool) bool { return call.Live() && call.State() != thread.ToolPending }

// running returns what runs in the session, the newest last.
func (c *chat) running() (all []status.SideRun) {
	for _, it := range c.recent() {
		call := it.Tool
		if call == nil || !runs(call) {
			continue
		}
		run := status.SideRun{Title: words.OneLine(verbed(call))}
		if paths := call.Paths(); len(paths) > 0 && call.Command() == "" {
			run = status.SideRun{Title: describe.Verb(call), Path: paths[0]}
		}
		all = append(all, run)
	}
	for _, run := range c.shells.All() {
		all = append(all, status.SideRun{Title: "! " + run.Line})
	}
	return all
}
