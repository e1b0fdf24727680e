package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/intent"
	"parley/ui/clipboard"
	"parley/ui/panel"
	"parley/ui/theme"
	"parley/ui/transcript"
)

// panels opens the panels of a page and holds those that are open. A list or a menu is
// drawn over a text being read.
type panels struct {
	c       *chat
	open    panel.Panel // a list or a menu; nil: none
	reading *panel.Reading
}

// show opens a list or a menu and closes the one that was open. It opens nothing if the user has left the
// page meanwhile.
func (p *panels) show(what panel.Panel) {
	if p.c.m.chat == p.c {
		what.Open(&p.c.m.Env, &p.c.out, p)
		p.open = what
	}
}

// read opens a text and closes the one that was open.
func (p *panels) read(r *panel.Reading) {
	r.Open(&p.c.m.Env, &p.c.out, p)
	p.reading = r
}

// toggle opens a text, or closes it if it is open.
func (p *panels) toggle(r *panel.Reading) tea.Cmd {
	if p.reads(r.OpenedBy) {
		p.reading = nil
		return nil
	}
	p.read(r)
	return nil
}

// reads reports whether the text that an action opens is open.
func (p *panels) reads(of intent.Intent) bool { return p.reading != nil && p.reading.OpenedBy == of }

// list returns the open list, or nil.
func (p *panels) list() *panel.List {
	l, _ := p.open.(*panel.List)
	return l
}

// listOf returns the list that an action opens, or nil if it is not open.
func (p *panels) listOf(of intent.Intent) *panel.List {
	if l := p.list(); l != nil && l.OpenedBy == of {
		return l
	}
	return nil
}

// refresh updates the items of the open list.
func (p *panels) refresh() {
	if l := p.list(); l != nil {
		l.Refresh()
	}
}

// Close implements panel.Host.
func (p *panels) Close(what panel.Panel) {
	switch what {
	case p.open:
		p.open = nil
	case panel.Panel(p.reading):
		p.reading = nil
	}
}

// Covered implements panel.Host.
func (p *panels) Covered(y int) bool { return y >= p.c.areas.overlayTop }

// Do does an action that a component wants. While an agent starts there is no session for an action to
// apply to.
func (p *panels) Do(i intent.Intent) tea.Cmd {
	if p.c.Agent.Opening() {
		return nil
	}
	cmd, _ := p.c.do(i, "")
	return cmd
}

// copyText copies a text and shows the outcome.
func (c *chat) copyText(text func() string) tea.Cmd {
	to := clipboard.Clipboard{Program: c.m.opts.Copy, Multiplexer: c.m.opts.Multiplexer}
	return to.Copy(c.m.w.Context(), text, c.say)
}

func (p *panels) toggleHelp() tea.Cmd {
	first := intent.Chat
	if p.c.review.Open() {
		first = intent.Review
	}
	return p.toggle(&panel.Reading{OpenedBy: intent.ToggleHelp, Title: "Keys", Body: func(width int, th *theme.Theme) []string {
		var all []panel.Command
		for _, cmd := range p.c.commands() {
			all = append(all, panel.Command{Slash: cmd.Name, Help: cmd.Help})
		}
		return panel.HelpRows(p.c.m.Keys, first, all, width, th)
	}})
}

func (p *panels) toggleLog() tea.Cmd {
	return p.toggle(&panel.Reading{OpenedBy: intent.ToggleLog, Title: "Log", Tail: true, Body: func(width int, th *theme.Theme) []string {
		lines, total := p.c.Agent.Log.Lines()
		return panel.LogRows(lines, total, width, th)
	}})
}

func (p *panels) togglePlan() tea.Cmd {
	return p.toggle(&panel.Reading{OpenedBy: intent.TogglePlan, Title: "Plan", Body: func(width int, th *theme.Theme) []string {
		return panel.PlanRows(p.c.Thread.Plans, transcript.Markdown, width, th)
	}})
}

func (p *panels) showPalette() tea.Cmd {
	c := p.c
	var agent []panel.Command
	for _, cmd := range c.agentCommands() {
		agent = append(agent, panel.Command{Slash: cmd.Name, Help: cmd.Help})
	}
	p.show(panel.Palette(c.m.Keys, agent, c.Agent.Name(), c.useless, p.Do, c.composer.SetValue))
	return nil
}

// showThemes lists the themes. The one under the cursor is applied at once; enter keeps it
// until parley ends, esc restores the previous one.
func (p *panels) showThemes() tea.Cmd {
	m := p.c.m
	p.show(panel.Themes(m.opts.Theme, func(name string) tea.Cmd {
		m.opts.Theme = name
		return p.c.say(fmt.Sprintf("Set theme = %q in config.toml to keep it", name))
	}))
	if !m.requested {
		m.requested = true
		return tea.Raw(ansi.RequestBackgroundColor)
	}
	return nil
}

// goTo gives the keys to the transcript and selects one of its items.
func (p *panels) goTo(item int) tea.Cmd {
	c := p.c
	c.focus(true)
	c.view.SelectItem(item)
	c.view.Step(transcript.ToTop)
	return nil
}

// showItem selects the first item that matches.
func (p *panels) showItem(is func(*thread.Item) bool) tea.Cmd {
	if i := slices.IndexFunc(p.c.Thread.Items, is); i >= 0 {
		p.c.focus(true)
		p.c.view.SelectItem(i)
	}
	return nil
}

// showCopy lists the parts of the selected entry that can be copied.
func (p *panels) showCopy() tea.Cmd {
	it := p.c.view.Selected()
	if it == nil {
		return nil
	}
	of := p.c.view.Copyable(it)
	menu := &panel.CopyMenu{All: of.All, Patch: of.Patch, Command: of.Command}
	for _, code := range of.Codes {
		menu.Codes = append(menu.Codes, panel.Code(code))
	}
	p.show(menu)
	return nil
}

// doing describes a tool call: its command if it runs one, else its title.
func doing(t *thread.Tool) string {
	if cmd := describe.Command(t.RawInput); cmd != "" && t.Kind == "execute" {
		return cmd
	}
	return t.Title
}
