package ui

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/layer"
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
	choose      func(widget.Item) tea.Cmd                   // enter; closes the picker first
	keys        map[intent.Intent]func(widget.Item) tea.Cmd // by intents of lists; the picker stays
	confirm     sure                                        // what the same key, once more, would do
	leaves      bool                                        // esc closes it, whatever was typed
}

// list is a picker as a layer. It is kept at place while it is open.
type list struct {
	c     *chat
	place **picker
}

// key takes all keys.
func (l list) Key(p layer.Press) (tea.Cmd, bool) {
	open := *l.place
	cmd, done := open.Key(l.c.m.Keys, p.KeyPressMsg)
	if done && *l.place == open {
		*l.place = nil
	}
	return cmd, true
}

func (l list) Paste(text string) (tea.Cmd, bool) {
	(*l.place).Paste(text)
	return nil, true
}

func (l list) Click(_, y int, _ bool) bool { return y >= l.c.areas.lid }

func (l list) Rows(width, height int) ([]string, *tea.Cursor) {
	return (*l.place).rows(width, max(4, height), l.c.m.Theme)
}

// key handles a key; close says that the picker is done.
func (p *picker) Key(keys *intent.Keymap, msg tea.KeyPressMsg) (cmd tea.Cmd, close bool) {
	name := msg.String()
	confirm := p.confirm
	p.note, p.confirm = "", sure{}
	it, ok := p.list.Selected()
	switch name {
	case "esc", "ctrl+c":
		if p.list.Filter() != "" && name == "esc" && !p.leaves {
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
	want := keys.Of(intent.List, name)
	if f := p.keys[want]; f != nil {
		if confirm.what == want {
			p.confirm = confirm
		}
		return f(it), false
	}
	p.list.Key(msg)
	return nil, false
}

// paste puts pasted text where typed text goes.
func (p *picker) Paste(text string) {
	p.list.SetFilter(p.list.Filter() + text)
}

// sure is something that a key would do to a thing.
type sure struct {
	what  intent.Intent
	thing string
}

// sure asks for the same key once more, for the same thing: the selection may
// have moved in between. True when it has come.
func (p *picker) sure(what intent.Intent, thing, question string) bool {
	again := sure{what, thing}
	if p.confirm == again {
		p.confirm = sure{}
		return true
	}
	p.confirm, p.note = again, question
	return false
}

// refresh replaces the items; the one with the cursor keeps it.
func (p *picker) refresh(items []widget.Item, same func(a, b any) bool) {
	old, had := p.list.Selected()
	p.list.SetItems(items)
	for i := 0; had && i < p.list.Len(); i++ {
		p.list.Select(i)
		if it, ok := p.list.Selected(); ok && same(it.Value, old.Value) {
			return
		}
	}
	p.list.Select(0)
}

// rows draws the picker as a box of at most height rows, and tells where in it
// the cursor stands.
func (p *picker) rows(width, height int, th *theme.Theme) ([]string, *tea.Cursor) {
	inner := widget.InnerWidth(width)
	body := []string{p.list.FilterRow(inner, "type to filter", th)}
	room := max(1, height-3)
	if p.note != "" {
		note := wrapInk(th.Warn.Paint, p.note, "", inner)
		note = note[:min(len(note), max(0, room-leastChoice))]
		body = append(body, note...)
		room -= len(note)
	}
	if p.list.Len() == 0 && p.list.Filter() == "" && p.empty != "" {
		for _, r := range wrapped(p.empty, inner, room) {
			body = append(body, th.Dim.Paint(r))
		}
	} else {
		body = append(body, p.list.Rows(inner, max(1, room), th)...)
	}
	box := widget.Box{Title: p.title, Foot: p.foot, Body: body, Focused: true}.Rows(width, th)
	return box, tea.NewCursor(2+p.list.FilterCursor(inner), 1)
}

// leastChoice is how many rows of a list stay whatever is to be said around it.
const leastChoice = 3

// wrapped is text in at most so many rows.
func wrapped(text string, width, most int) []string {
	rows := widget.Wrap(text, max(1, width))
	return rows[:max(0, min(len(rows), most))]
}

// hint is a key of a list and what it does there; without a key it is the words
// alone.
type hint struct {
	key  intent.Intent
	does string
}

// foot is the line below a list about its keys.
func (m *Model) foot(hints ...hint) string {
	out := ""
	for _, h := range hints {
		if h.key == intent.None {
			out += h.does + " · "
		} else if key := m.Keys.Label(intent.List, h.key); key != "" {
			out += key + " " + h.does + " · "
		}
	}
	return out + "esc"
}

// listKey is the key of an action in a list.
func (m *Model) listKey(i intent.Intent) string {
	return cmp.Or(m.Keys.Label(intent.List, i), "no key")
}
