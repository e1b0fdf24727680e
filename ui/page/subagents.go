package page

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/intent"
	"parley/internal/text"
	"parley/internal/words"
	"parley/ui/layer"
	"parley/ui/panel"
	"parley/ui/theme"
	"parley/ui/transcript/find"
	"parley/ui/widget/list"
)

// panes are the transcripts of a page: the session's own, and those of the sub-agents that were opened, one from
// the other. The last is on the screen.
type panes []*transcriptPane

// own returns the session's own transcript.
func (p panes) own() *transcriptPane { return p[0] }

// Applied updates the rows of the items that a portion of events changed.
func (p panes) Applied() {
	if last := p[len(p)-1]; last != p.own() && len(p.own().changed) > 0 { // any event may be about it
		last.changed = append(last.changed, 0)
	}
	for _, pane := range p {
		pane.applied()
	}
}

// Tick advances the clocks and spinners.
func (p panes) Tick(now time.Time) {
	for _, pane := range p {
		pane.tick(now)
	}
}

// SetTheme changes the colours.
func (p panes) SetTheme(th *theme.Theme) {
	for _, pane := range p {
		pane.View.SetTheme(th)
	}
}

// openSubagent shows the conversation of a sub-agent.
func openSubagent(c *Page, s *thread.Subagent) tea.Cmd {
	focused := c.focused
	p := &transcriptPane{env: c.env, cwd: c.cwd, sub: s}
	p.load(s.Thread, s.Name)
	p.View.SetDensity(c.View.Density())
	p.View.SetSize(c.View.Size())
	p.find = find.New(c.env, &c.out, p.View)
	c.panes = append(c.panes, p)
	c.transcriptPane = p
	if focused {
		c.focus(true)
	}
	return nil
}

// leaveSubagent shows the conversation again that the sub-agent's was opened from.
func leaveSubagent(c *Page) {
	c.panes = c.panes[:len(c.panes)-1]
	c.transcriptPane = c.panes[len(c.panes)-1]
}

// goHome shows the session's own conversation.
func goHome(c *Page) {
	for c.sub != nil {
		leaveSubagent(c)
	}
}

// inSubagent is the conversation of a sub-agent without the keys: esc goes back.
type inSubagent struct{ c *Page }

func (l inSubagent) Key(p layer.Press) (tea.Cmd, bool) {
	if p.Want != intent.Stop {
		return nil, false
	}
	leaveSubagent(l.c)
	return nil, true
}

// subagentHead is the row above the conversation of a sub-agent: whose it is, what it does, and how to go back.
func (c *frame) subagentHead() string {
	th := c.screen.Theme
	names := []string{c.Agent.Name()}
	for _, p := range c.panes[1:] {
		names = append(names, words.OneLine(p.sub.Label()))
	}
	left := th.Accent.Paint(" ‹ ") + th.Strong.Paint(strings.Join(names, " › "))
	if state := c.sub.State(); state != "" {
		left += th.Dim.Paint(" · " + state)
	}
	right := ""
	if c.focused || !c.Question.Open() && c.Elicits.Current() == nil { // else the key rejects
		right = th.Dim.Paint(c.screen.Keys.ChatKey(intent.Stop) + " back ")
	}
	if room := c.width - text.Width(right) - 2; room >= 20 {
		left = text.Truncate(left, room, "…")
		return left + strings.Repeat(" ", c.width-text.Width(left)-text.Width(right)) + right
	}
	return text.Truncate(left, c.width, "…")
}

// showSubagents lists the sub-agents of the session.
func showSubagents(c *Page) tea.Cmd {
	if len(c.Thread.Subagents()) == 0 {
		return c.say("No sub-agents in this session")
	}
	l := &panel.List{OpenedBy: intent.Subagents, Title: "Sub-agents", List: list.New(nil)}
	l.Foot = panel.Foot(c.screen.Keys, intent.Hint{Action: "enter show"}, intent.Hint{Key: intent.CloseEntry, Action: "stop"})
	l.Items = func() (items []list.Item) {
		for _, s := range c.Thread.Subagents() {
			items = append(items, list.Item{Title: strings.Repeat("  ", s.Depth()) + words.OneLine(s.Label()), Hint: describe.Subagent(s, c.cwd), Value: s})
		}
		return items
	}
	l.Same = func(a, b any) bool { return a == b }
	l.List.SetItems(l.Items())
	l.Choose = panel.With(with(c, openSubagent))
	l.Keys = map[intent.Intent]func(list.Item) tea.Cmd{intent.CloseEntry: panel.With(func(s *thread.Subagent) tea.Cmd {
		l.Note = stopSubagent(c, s)
		return nil
	})}
	c.Panels.Show(l)
	return nil
}

// notAlone says that something is stopped only with its turn.
func notAlone(c *Page) string {
	return "This agent cannot stop it alone; " + c.screen.Keys.ChatKey(intent.Stop) + " stops the turn"
}

// stopSubagent asks the agent to stop a sub-agent, and returns what to say.
func stopSubagent(c *Page, s *thread.Subagent) string {
	switch {
	case !s.Runs():
		return "It has ended"
	case !s.Cancelable || !c.IsOpen():
		return notAlone(c)
	}
	c.Commands().StopSubagent(s.ID, c.reportOutcome(""))
	return "Asked the agent to stop it"
}
