package panel

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/widget"
)

// List is a list to choose from. Letters narrow it.
type List struct {
	base
	Of          intent.Intent // the action that opens it, where others have to know it again
	Title, Foot string
	Note        string   // what went wrong, or what to confirm
	Said        []string // what a program wrote last that went wrong
	Empty       string   // shown while there is nothing to choose from
	Details     bool     // the detail of the selected item is shown whole, below the list
	Leaves      bool     // esc closes it, whatever was typed

	List   *widget.List
	Choose func(widget.Item) tea.Cmd                   // enter; the list closes then, unless another one was opened
	Keys   map[intent.Intent]func(widget.Item) tea.Cmd // by intents of lists; the list stays
	First  func(layer.Press) (tea.Cmd, bool)           // asked before the list itself; may be nil
	Above  func(width int) []string                    // rows that stay above the items; may be nil

	// Items are what there is to choose from now; nil where that does not change while
	// the list is open. Same tells whether two values are of the same thing.
	Items func() []widget.Item
	Same  func(a, b any) bool

	Unasked time.Time // when it opened by itself; zero when it has the keys
	Step    Step      // shown in the place of the items
	confirm confirmation
}

// Step is what choosing an item asks for first. It has the keys.
type Step interface {
	Key(tea.KeyPressMsg) (tea.Cmd, After)
	Paste(text string)
	Rows(width, height int) ([]string, *tea.Cursor)
}

// After is what is on the screen after a key of a Step.
type After int

// The step itself, the list again, or neither.
const (
	Stay After = iota
	Back
	Close
)

// Ready tells whether a key is for the list. One that opened by itself leaves them to
// whoever is typing, until nothing was typed for a while.
func (l *List) Ready() bool {
	now := l.env.Now()
	return l.Unasked.IsZero() || now.Sub(l.Unasked) >= layer.Quiet && now.Sub(l.host.Typed()) >= layer.Quiet
}

// WaitsSince implements layer.Waiter.
func (l *List) WaitsSince() (time.Time, bool) { return l.Unasked, !l.Unasked.IsZero() }

// Key takes all keys while the list is armed, and esc before that.
func (l *List) Key(p layer.Press) (tea.Cmd, bool) {
	switch {
	case l.Ready():
		l.Unasked = time.Time{}
	case p.Want != intent.Stop:
		return nil, false
	}
	if l.First != nil {
		if cmd, ok := l.First(p); ok {
			return cmd, true
		}
	}
	_, _, room := l.around(widget.InnerWidth(l.width), l.height)
	l.List.Shown(room)
	cmd, done := l.press(p.KeyPressMsg)
	if done {
		l.host.Close(l)
	}
	return cmd, true
}

// press handles a key; done says that the list is to be closed.
func (l *List) press(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	if l.Step != nil {
		cmd, after := l.Step.Key(msg)
		if after == Back {
			l.Step = nil
		}
		return cmd, after == Close
	}
	name, confirm := msg.String(), l.confirm
	l.Note, l.confirm = "", confirmation{}
	it, ok := l.List.Selected()
	switch name {
	case "esc", "ctrl+c":
		if l.List.Filter() != "" && name == "esc" && !l.Leaves {
			l.List.SetFilter("")
			return nil, false
		}
		return nil, true
	case "enter":
		if !ok {
			return nil, false
		}
		return l.Choose(it), true
	}
	want := l.env.Keys.Of(intent.List, name)
	if f := l.Keys[want]; f != nil {
		if confirm.what == want {
			l.confirm = confirm
		}
		return f(it), false
	}
	l.List.Key(msg)
	return nil, false
}

// Paste leaves what is pasted for the composer while the list has opened by itself.
func (l *List) Paste(text string) (tea.Cmd, bool) {
	switch {
	case !l.Unasked.IsZero():
		return nil, false
	case l.Step != nil:
		l.Step.Paste(text)
	default:
		l.List.SetFilter(l.List.Filter() + text)
	}
	return nil, true
}

// confirmation is what the same key, once more, would do to a thing.
type confirmation struct {
	what  intent.Intent
	thing string
}

// Sure asks for the same key once more, for the same thing: the selection may
// have moved in between. True when it has come.
func (l *List) Sure(what intent.Intent, thing, question string) bool {
	again := confirmation{what, thing}
	if l.confirm == again {
		l.confirm = confirmation{}
		return true
	}
	l.confirm, l.Note = again, question
	return false
}

// Refresh asks for the items again, where they change.
func (l *List) Refresh() {
	if l.Items != nil {
		l.SetItems(l.Items())
	}
}

// SetItems replaces the items; the one with the cursor keeps it.
func (l *List) SetItems(items []widget.Item) {
	old, had := l.List.Selected()
	l.List.SetItems(items)
	for i := 0; had && i < l.List.Len(); i++ {
		l.List.Select(i)
		if it, ok := l.List.Selected(); ok && l.Same(it.Value, old.Value) {
			return
		}
	}
	l.List.Select(0)
}

// Rows draws the list as a box of at most height rows, and tells where in it the
// cursor is.
func (l *List) Rows(width, height int) ([]string, *tea.Cursor) {
	if l.Step != nil {
		return l.Step.Rows(width, max(4, height))
	}
	th, inner := l.env.Theme, widget.InnerWidth(width)
	above, about, room := l.around(inner, height)
	body := append([]string{l.List.FilterRow(inner, "type to filter", th)}, above...)
	if l.List.Len() == 0 && l.List.Filter() == "" && l.Empty != "" {
		rows := widget.WrapInk(th.Dim.Paint, l.Empty, "", inner)
		body = append(body, rows[:min(len(rows), room)]...)
	} else {
		body = append(body, l.List.Draw(inner, room, th)...)
	}
	box := widget.Box{Title: l.Title, Foot: l.Foot, Body: append(body, about...), Focused: true}.Rows(width, th)
	return box, tea.NewCursor(2+l.List.FilterCursor(inner), 1)
}

// around is what lies above and below the items in a box of at most height rows, and the
// room that it leaves to them.
func (l *List) around(width, height int) (above, about []string, room int) {
	th := l.env.Theme
	room = max(1, height-3)
	if l.Note != "" {
		above = widget.WrapInk(th.Warn.Paint, l.Note, "", width)
	}
	for _, line := range l.Said {
		above = append(above, widget.WrapInk(th.Dim.Paint, line, "│ ", width)...)
	}
	var stays []string
	if l.Above != nil {
		stays = l.Above(width)
	}
	above = append(above[:min(len(above), max(0, room-leastChoice-len(stays)))], stays...)
	about = l.about(width, max(0, room-len(above)-leastChoice))
	return above, about, max(1, room-len(above)-len(about))
}

// leastChoice is how many rows of a list stay whatever is to be said around it.
const leastChoice = 3

// about is the whole detail of the selected item, where its row has no room for it.
func (l *List) about(width, most int) []string {
	it, ok := l.List.Selected()
	if !l.Details || !ok || 2+widget.Width(it.Title)+2+widget.Width(it.Detail)+2+widget.Width(it.Hint) <= width {
		return nil
	}
	rows := append([]string{""}, widget.WrapInk(l.env.Theme.Dim.Paint, strings.Join(strings.Fields(it.Detail+" · "+it.Hint), " "), "  ", width)...)
	return rows[:min(len(rows), most)]
}

// With hands what an item stands for to a function; an item of anything else is nothing
// to it.
func With[T any](do func(T) tea.Cmd) func(widget.Item) tea.Cmd {
	return func(it widget.Item) tea.Cmd {
		if v, ok := it.Value.(T); ok {
			return do(v)
		}
		return nil
	}
}

// Hint is a key of a list and what it does there; without a key it is the words
// alone.
type Hint struct {
	Key  intent.Intent
	Does string
}

// Foot is the line below a list about its keys.
func Foot(keys *intent.Keymap, hints ...Hint) string {
	out := ""
	for _, h := range hints {
		if h.Key == intent.None {
			out += h.Does + " · "
		} else if key := keys.Label(intent.List, h.Key); key != "" {
			out += key + " " + h.Does + " · "
		}
	}
	return out + "esc"
}

// KeyOf is the key of an action in a list.
func KeyOf(keys *intent.Keymap, i intent.Intent) string {
	return cmp.Or(keys.Label(intent.List, i), "no key")
}
