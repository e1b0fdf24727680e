package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/clipboard"
	"parley/ui/intent"
	"parley/ui/panel"
	"parley/ui/theme"
	"parley/ui/transcript"
)

// panels are what is open over a page, and open it. A list or a menu lies over what is
// read.
type panels struct {
	c       *chat
	open    panel.Panel // a list or a menu; nil: none
	reading *panel.Reading
}

// show opens a list or a menu in the place of the one that is open.
func (p *panels) show(what panel.Panel) {
	what.Open(&p.c.m.Env, p)
	p.open = what
}

// read opens something to read, in the place of what is read.
func (p *panels) read(r *panel.Reading) {
	r.Open(&p.c.m.Env, p)
	p.reading = r
}

// toggle opens something to read, or closes it.
func (p *panels) toggle(r *panel.Reading) {
	if p.reads(r.Of) {
		p.reading = nil
		return
	}
	p.read(r)
}

// reads tells whether what an action opens is what is read.
func (p *panels) reads(of intent.Intent) bool { return p.reading != nil && p.reading.Of == of }

// list is the list that is open; nil where none is.
func (p *panels) list() *panel.List {
	l, _ := p.open.(*panel.List)
	return l
}

// listOf is the list that an action opens, while it is open.
func (p *panels) listOf(of intent.Intent) *panel.List {
	if l := p.list(); l != nil && l.Of == of {
		return l
	}
	return nil
}

// refresh shows what is to be chosen from as it is now.
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
func (p *panels) Covered(y int) bool { return y >= p.c.areas.lid }

// Do implements panel.Host. While an agent starts there is no session that it could be
// about.
func (p *panels) Do(i intent.Intent) tea.Cmd {
	if p.c.m.page == connectingPage {
		return nil
	}
	cmd, _ := p.c.do(i)
	return cmd
}

// Copy implements panel.Host.
func (p *panels) Copy(text func() string) tea.Cmd { return p.c.copyText(text) }

// copyText copies a text, and says how that went.
func (c *chat) copyText(text func() string) tea.Cmd {
	to := clipboard.Clipboard{Program: c.m.opts.Copy, Multiplexer: c.m.opts.Multiplexer}
	return to.Copy(c.m.w.Context(), text, c.say)
}

func (p *panels) toggleHelp() {
	p.toggle(&panel.Reading{Of: intent.ToggleHelp, Title: "keys", Body: func(width int, th *theme.Theme) []string {
		var all []panel.Command
		agent, own := p.c.commands()
		for _, cmd := range agent {
			all = append(all, panel.Command{Slash: cmd.Name, Help: cmd.Description})
		}
		for _, a := range own {
			all = append(all, panel.Command{Slash: a.Slash, Help: a.Help})
		}
		return panel.HelpRows(p.c.m.Keys, all, width, th)
	}})
}

func (p *panels) toggleLog() {
	p.toggle(&panel.Reading{Of: intent.ToggleLog, Title: "log", Tail: true, Body: func(width int, th *theme.Theme) []string {
		lines, total := p.c.Agent.Log.Lines()
		return panel.LogRows(lines, total, width, th)
	}})
}

func (p *panels) togglePlan() {
	p.toggle(&panel.Reading{Of: intent.TogglePlan, Title: "plan", Body: func(width int, th *theme.Theme) []string {
		return panel.PlanRows(p.c.Thread.Plans, transcript.Markdown, width, th)
	}})
}

func (p *panels) showPalette() tea.Cmd {
	c := p.c
	var agent []event.Command
	if !c.ReadOnly {
		agent = c.Thread.Commands
	}
	slash := func(a intent.Action) string { return commandWord(a, c.agentHas) }
	p.show(panel.Palette(c.m.Keys, agent, c.useless, slash, p.Do, c.composer.SetValue))
	return nil
}

// commandWord is what to type for an action, where the agent has some of the names; ""
// where nothing is.
func commandWord(a intent.Action, agentHas func(string) bool) string {
	switch {
	case a.Command == "":
		return ""
	case agentHas(a.Command):
		return "/" + intent.Own + a.Command
	}
	return "/" + a.Command
}

// showThemes lists the themes. The one under the cursor is on the screen at once;
// enter keeps it until parley ends, esc goes back to the one before.
func (p *panels) showThemes() tea.Cmd {
	m := p.c.m
	p.show(panel.Themes(m.opts.Theme, func(name string) tea.Cmd {
		m.opts.Theme = name
		return p.c.say(fmt.Sprintf("theme = %q in config.toml keeps it", name))
	}))
	if !m.asked {
		m.asked = true
		return tea.Raw(ansi.RequestBackgroundColor)
	}
	return nil
}

// showTurns lists the prompts of the session.
func (p *panels) showTurns() tea.Cmd {
	c := p.c
	var prompts []panel.Prompt
	for _, it := range c.Thread.Items {
		if it.Kind == thread.UserMessage && !it.Blank() {
			_, text := transcript.SplitCarried(string(it.Text))
			prompts = append(prompts, panel.Prompt{Text: text, At: it.At, Item: it.Index})
		}
	}
	if len(prompts) == 0 {
		return c.say("there are no prompts yet")
	}
	copied := func(item int) tea.Cmd {
		text := string(c.Thread.Items[item].Text)
		return c.copyText(func() string { return text })
	}
	p.show(panel.Turns(c.m.Keys, prompts, c.m.Now(), p.goTo, copied, p.editAgain))
	return nil
}

// editAgain puts a prompt into the composer. A draft that is there goes into the history.
func (p *panels) editAgain(item int) tea.Cmd {
	c := p.c
	_, text := transcript.SplitCarried(string(c.Thread.Items[item].Text))
	if !c.composer.Empty() {
		c.composer.Keep(c.composer.Value())
	}
	p.open = nil
	c.composer.ClosePopup()
	c.focus(false)
	c.composer.SetValue(text)
	return nil
}

// goTo gives the keys to the transcript and goes to one of its items.
func (p *panels) goTo(item int) tea.Cmd {
	c := p.c
	c.focus(true)
	c.view.SelectItem(item)
	c.view.Step(transcript.ToTop)
	return nil
}

// showItem selects the item that is meant.
func (p *panels) showItem(is func(*thread.Item) bool) tea.Cmd {
	if i := slices.IndexFunc(p.c.Thread.Items, is); i >= 0 {
		p.c.focus(true)
		p.c.view.SelectItem(i)
	}
	return nil
}

// showCopy offers what can be copied of the selected entry.
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

// doing is what a tool call does: the command where it runs one.
func doing(t *thread.Tool) string {
	if cmd := transcript.Command(t.RawInput); cmd != "" && t.Kind == "execute" {
		return cmd
	}
	return t.Title
}
