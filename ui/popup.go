package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/widget"
)

// popup offers slash commands while one is being typed.
type popup struct {
	c      *chat
	prefix string
	moved  bool // the user has chosen another than the first
	files  bool // it offers files for a mention
	foot   string
	list   *widget.List
}

// commands are the agent's and then parley's.
func (c *chat) commands() (agent []event.Command, own []intent.Offer) {
	for _, o := range intent.Offers(c.agentHas) {
		if !c.useless(o.Intent) {
			own = append(own, o)
		}
	}
	return c.Thread.Commands, own
}

// agentHas tells whether a slash command is the agent's.
func (c *chat) agentHas(name string) bool {
	return !c.ReadOnly && slices.ContainsFunc(c.Thread.Commands, func(cmd event.Command) bool { return cmd.Name == name })
}

// own carries out a command of parley's.
func (c *chat) own(text string) (tea.Cmd, bool) {
	name, slash := strings.CutPrefix(strings.TrimSpace(text), "/")
	a, ok := intent.Named(name, c.agentHas)
	if !slash || !ok || c.useless(a.Intent) {
		return nil, false
	}
	return c.do(a.Intent)
}

// refreshPopup opens, narrows or closes the popup after the draft has changed.
func (c *chat) refreshPopup() {
	text := ""
	if !c.composer.Empty() && strings.HasPrefix(c.composer.BeforeCursor(), "/") {
		text = c.composer.Value()
	}
	if !strings.HasPrefix(text, "/") || strings.ContainsAny(text, " \n") {
		if c.dropped = ""; c.popup != nil && !c.popup.files {
			c.popup = nil
		}
		return
	}
	if c.dropped != "" && strings.HasPrefix(text, c.dropped) {
		c.popup = nil
		return
	}
	var items []widget.Item
	agent, own := c.commands()
	for _, cmd := range agent {
		items = append(items, widget.Item{Title: "/" + cmd.Name, Detail: cmd.Description, Hint: cmd.Hint})
	}
	for _, a := range own {
		items = append(items, widget.Item{Title: "/" + a.Slash, Detail: a.Help, Hint: "parley"})
	}
	p := &popup{c: c, prefix: text, foot: "tab completes", list: widget.NewList(items)}
	p.list.SetFilter(strings.TrimPrefix(text, "/"))
	if p.list.Len() == 0 {
		p = nil
	}
	c.popup = p
}

// key handles the keys that move, complete and close; the composer gets the others.
func (p *popup) Key(k layer.Press) (tea.Cmd, bool) {
	c := p.c
	if p.files {
		return c.mentionKey(k)
	}
	it, ok := p.list.Selected()
	switch k.Name {
	case "up":
		p.list.Move(-1)
		p.moved = true
		return nil, true
	case "down":
		p.list.Move(1)
		p.moved = true
		return nil, true
	case "esc":
		p.close()
		return nil, true
	case "tab":
		if ok {
			c.complete(it)
		}
		return nil, true
	case "enter":
		// What only resembles a command is not what was meant.
		if text := c.composer.Value(); ok && it.Title != text && (p.moved || strings.HasPrefix(it.Title, text)) {
			c.complete(it)
			return nil, true
		}
		return c.submit(), true
	}
	return nil, false
}

// rows draws the popup where nothing else lies over the transcript to be read.
func (p *popup) Rows(width, height int) ([]string, *tea.Cursor) {
	th := p.c.m.Theme
	if p.c.panels.reading != nil {
		return nil, nil
	}
	rows := p.list.Rows(max(1, widget.InnerWidth(width)), max(1, min(8, height-2)), th)
	return widget.Box{Body: rows, Foot: p.foot}.Rows(width, th), nil
}

// close closes the popup for what is typed.
func (p *popup) close() { p.c.dropped, p.c.popup = p.prefix, nil }

// complete puts the chosen command into the composer.
func (c *chat) complete(it widget.Item) {
	c.popup = nil
	text := it.Title
	c.dropped = text
	if it.Hint != "" && it.Hint != "parley" {
		text += " "
	}
	c.composer.SetValue(text)
}

// hint is what the command in the composer wants behind its name.
func (c *chat) hint() string {
	name, rest, _ := strings.Cut(c.composer.BeforeCursor(), " ")
	if !strings.HasPrefix(name, "/") || strings.TrimSpace(rest) != "" {
		return ""
	}
	for _, cmd := range c.Thread.Commands {
		if "/"+cmd.Name == name {
			return cmd.Hint
		}
	}
	return ""
}
