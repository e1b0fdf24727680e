package ui

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/elicit"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/widget"
)

// picker is a list to choose from, over the transcript. It has the keys while
// it is open.
type picker struct {
	title, foot string
	note        string      // what went wrong, or what to confirm
	said        []string    // what a program wrote last that went wrong
	link        elicit.Link // the address that the agent named when it refused a login, or wanted one
	details     bool        // the detail of the selected item is shown whole, below the list
	empty       string      // what to say while there is nothing to choose from
	list        *widget.List
	choose      func(widget.Item) tea.Cmd                   // enter; closes the picker first
	keys        map[intent.Intent]func(widget.Item) tea.Cmd // by intents of lists; the picker stays
	unasked     time.Time                                   // when it opened by itself; zero when it has the keys
	confirm     sure                                        // what the same key, once more, would do
	step        *loginStep                                  // shown in the place of the list
	leaves      bool                                        // esc closes it, whatever was typed
}

// armed tells whether a key is for the picker: one that opened by itself leaves
// them to whoever is typing, until nothing was typed for a while.
func (p *picker) Armed(now, lastKey time.Time) bool {
	if p.unasked.IsZero() {
		return true
	}
	if now.Sub(p.unasked) < layer.Quiet || now.Sub(lastKey) < layer.Quiet {
		return false
	}
	p.unasked = time.Time{}
	return true
}

// list is a picker as a layer. It is kept at place while it is open.
type list struct {
	c     *chat
	place **picker
}

// shown tells whether it can be seen: that of the ways to log in makes room for the
// log.
func (l list) shown() bool { return !((*l.place).details && l.c.overlay == logOverlay) }

// hasKeys tells whether a key is for it. While an agent starts, one that opened by itself
// waits for an empty composer too; alt+a gives it the keys there.
func (l list) hasKeys() bool {
	p, c := *l.place, l.c
	return p.unasked.IsZero() || (c.m.page != connectingPage || c.composer.Empty()) && p.Armed(c.m.Now(), c.m.input.Last())
}

// key takes all keys while it is armed, and esc before that.
func (l list) Key(p layer.Press) (tea.Cmd, bool) {
	c, open := l.c, *l.place
	switch {
	case !l.shown(), !l.hasKeys() && p.Want != intent.Stop:
		return nil, false
	case open.details && p.Want == intent.ToggleLog:
		c.toggle(logOverlay)
		return nil, true
	}
	if cmd, ok := c.addressKey(p, open.addressed()); ok {
		return cmd, true
	}
	cmd, done := open.Key(c.m.Keys, p.KeyPressMsg)
	if done && *l.place == open {
		*l.place = nil
	}
	return cmd, true
}

// paste leaves what is pasted for the composer while the list has opened by itself.
func (l list) Paste(text string) (tea.Cmd, bool) {
	if !(*l.place).unasked.IsZero() {
		return nil, false
	}
	(*l.place).Paste(text)
	return nil, true
}

func (l list) Click(_, y int, _ bool) bool { return y >= l.c.areas.lid }

func (l list) WaitsSince() (time.Time, bool) { return (*l.place).unasked, !(*l.place).unasked.IsZero() }

func (l list) Rows(width, height int) ([]string, *tea.Cursor) {
	if !l.shown() {
		return nil, nil
	}
	return (*l.place).rows(width, max(4, height), l.c.m.Theme)
}

// key handles a key; close says that the picker is done.
func (p *picker) Key(keys *intent.Keymap, msg tea.KeyPressMsg) (cmd tea.Cmd, close bool) {
	if p.step != nil {
		return p.step.Key(p, msg)
	}
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
	if p.step != nil {
		p.step.Paste(text)
		return
	}
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
	if p.step != nil {
		return p.step.rows(width, height, th)
	}
	inner := widget.InnerWidth(width)
	body := []string{p.list.FilterRow(inner, "type to filter", th)}
	room := max(1, height-3)
	var above []string
	if p.note != "" {
		above = wrapInk(th.Warn.Paint, p.note, "", inner)
	}
	for _, line := range p.said {
		above = append(above, wrapInk(th.Dim.Paint, line, "│ ", inner)...)
	}
	link := p.linkRows(inner, th)
	above = append(above[:min(len(above), max(0, room-leastChoice-len(link)))], link...)
	about := p.about(inner, max(0, room-len(above)-leastChoice), th)
	body = append(body, above...)
	room -= len(above) + len(about)
	if p.list.Len() == 0 && p.list.Filter() == "" && p.empty != "" {
		for _, r := range wrapped(p.empty, inner, room) {
			body = append(body, th.Dim.Paint(r))
		}
	} else {
		body = append(body, p.list.Rows(inner, max(1, room), th)...)
	}
	box := widget.Box{Title: p.title, Foot: p.foot, Body: append(body, about...), Focused: true}.Rows(width, th)
	return box, tea.NewCursor(2+p.list.FilterCursor(inner), 1)
}

// linkRows are the keys of the address, and what is odd about it.
func (p *picker) linkRows(width int, th *theme.Theme) []string {
	link := p.addressed()
	var rows []string
	for _, w := range link.Warnings {
		rows = append(rows, wrapInk(th.Bad.Paint, "! "+w, "", width)...)
	}
	if link.OK {
		rows = append(rows, wrapInk(nil, strings.Join(addressKeys(link, th), "   "), "", width)...)
	}
	return rows
}

// leastChoice is how many rows of a list stay whatever is to be said around it.
const leastChoice = 3

// about is the whole detail of the selected item, where its row has no room for it.
func (p *picker) about(width, most int, th *theme.Theme) []string {
	it, ok := p.list.Selected()
	if !p.details || !ok || 2+widget.Width(it.Title)+2+widget.Width(it.Detail)+2+widget.Width(it.Hint) <= width {
		return nil
	}
	rows := append([]string{""}, wrapInk(th.Dim.Paint, strings.Join(strings.Fields(it.Detail+" · "+it.Hint), " "), "  ", width)...)
	return rows[:min(len(rows), most)]
}

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
