package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/theme"
	"parley/ui/widget"
)

// picker is a list to choose from, over the transcript. It has the keys while
// it is open.
type picker struct {
	title, foot string
	note        string // what went wrong, or what to confirm
	empty       string // what to say while there is nothing to choose from
	list        *widget.List
	choose      func(widget.Item) tea.Cmd            // enter; closes the picker first
	keys        map[string]func(widget.Item) tea.Cmd // other keys; the picker stays
	confirm     string                               // the key that has to come once more
}

// key handles a key; close says that the picker is done.
func (p *picker) key(msg tea.KeyPressMsg) (cmd tea.Cmd, close bool) {
	name := msg.String()
	confirm := p.confirm
	p.note, p.confirm = "", ""
	it, ok := p.list.Selected()
	switch name {
	case "esc", "ctrl+c":
		if p.list.Filter() != "" && name == "esc" {
			p.list.SetFilter("")
			return nil, false
		}
		return nil, true
	case "enter":
		if !ok {
			return nil, false
		}
		return p.choose(it), true
	}
	if f := p.keys[name]; f != nil {
		p.confirm = confirm
		return f(it), false
	}
	p.list.Key(msg)
	return nil, false
}

// sure asks for the same key once more; true when it has come.
func (p *picker) sure(key, question string) bool {
	if p.confirm == key {
		p.confirm = ""
		return true
	}
	p.confirm, p.note = key, question
	return false
}

// rows draws the picker as a box of at most height rows, and tells where in it
// the cursor stands.
func (p *picker) rows(width, height int, th *theme.Theme) ([]string, *tea.Cursor) {
	inner := widget.InnerWidth(width)
	body := []string{p.list.FilterRow(inner, "type to filter", th)}
	room := max(1, height-3)
	if p.note != "" {
		body = append(body, th.Warn.Paint(widget.Truncate(p.note, inner, "…")))
		room = max(1, room-1)
	}
	if p.list.Len() == 0 && p.list.Filter() == "" && p.empty != "" {
		body = append(body, th.Dim.Paint(widget.Truncate(p.empty, inner, "…")))
	} else {
		body = append(body, p.list.Rows(inner, room, th)...)
	}
	box := widget.Box{Title: p.title, Foot: p.foot, Body: body, Focused: true}.Rows(width, th)
	return box, tea.NewCursor(2+p.list.FilterCursor(inner), 1)
}
