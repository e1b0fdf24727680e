package panel

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/ui/layer"
	"parley/ui/widget/box"
	"parley/ui/widget/list"
)

// List is a list to choose from. Typing filters it.
type List struct {
	base
	OpenedBy    intent.Intent // the action that opens it, if other code looks for the list
	Title, Foot string
	Note        string // what went wrong, or what to confirm; until the next key
	Lasting     string // shown while there is no Note
	Empty       string // shown while there is nothing to choose from
	EscCloses   bool   // esc closes it even if there is a filter
	// NeedsConfirmation says that the list asks for something that typing ahead must never cause. It
	// has no filter, and enter works only after a pause with no other keys than arrows.
	NeedsConfirmation bool
	// Yes says that y is enter on the first item of such a list.
	Yes bool

	List   *list.List
	Choose func(list.Item) tea.Cmd                   // enter; it closes the list, unless Choose opened another
	Refuse func(list.Item) string                    // why enter does nothing, "" if it does; it may be nil
	Keys   map[intent.Intent]func(list.Item) tea.Cmd // other keys; the list stays open

	// Items returns the current items. It is nil if they never change. Same reports whether
	// two values mean the same thing.
	Items func() []list.Item
	Same  func(a, b any) bool

	// Edited is called when the user leaves the row that is edited, which closes the list; nil: it stays.
	Edited func(saved bool)

	confirm confirmation
	renames *rename   // the title that is being edited; nil: none
	typed   time.Time // the last key that was not an arrow, or when it was opened
}

// Open implements Panel.
func (l *List) Open(env *layer.Env, out *layer.Effects, on Host) {
	l.base.Open(env, out, on)
	l.typed = env.Now()
}

// Key takes all keys.
func (l *List) Key(p layer.Press) (tea.Cmd, bool) {
	l.List.Shown(l.room(l.note(box.InnerWidth(l.width), l.height), l.height))
	if r := l.renaming(); r != nil {
		note := l.Note
		cmd, done := r.press(p, l.env.Keys)
		if done {
			l.renames, l.typed = nil, l.env.Now()
		}
		if done && l.Edited != nil && l.Note == note { // nothing failed
			l.Edited(p.Name == "enter")
			l.host.Back(l)
		}
		return cmd, true
	}
	l.renames = nil
	cmd, done := l.press(p.KeyPressMsg)
	if done {
		l.host.Close(l)
	}
	return cmd, true
}

// press handles a key; done says to close the list.
func (l *List) press(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	name, confirm := msg.String(), l.confirm
	l.Note, l.confirm = "", confirmation{}
	if l.Yes && name == "y" {
		l.List.Select(0)
		name = "enter"
	}
	it, ok := l.List.Selected()
	if l.NeedsConfirmation && !l.deliberate(name) {
		return nil, false
	}
	switch name {
	case "esc", "ctrl+c":
		if l.List.Filter() != "" && name == "esc" && !l.EscCloses {
			l.List.SetFilter("")
			return nil, false
		}
		l.host.Back(l)
		return nil, false
	case "enter":
		if !ok {
			return nil, false
		}
		if l.Refuse != nil {
			if l.Note = l.Refuse(it); l.Note != "" {
				return nil, false
			}
		}
		cmd = l.Choose(it)
		return cmd, l.renames == nil
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

// deliberate reports whether a key counts in a list that confirms something.
func (l *List) deliberate(name string) bool {
	paused := l.env.Now().Sub(l.typed) >= layer.Quiet
	switch name {
	case "up", "down", "esc", "ctrl+c":
		return true
	case "enter":
		if paused {
			return true
		}
		l.Note = "Too soon after another key: press enter again"
	}
	l.typed = l.env.Now()
	return false
}

// Paste implements layer.Paster.
func (l *List) Paste(text string) (tea.Cmd, bool) {
	if r := l.renaming(); r != nil {
		r.text.Insert(strings.ReplaceAll(text, "\n", " "))
		return nil, true
	}
	if l.NeedsConfirmation {
		l.typed = l.env.Now()
		return nil, true
	}
	l.List.SetFilter(l.List.Filter() + text)
	return nil, true
}

// confirmation is an action that waits for the same key again.
type confirmation struct {
	what  intent.Intent
	thing string
}

// Confirmed reports whether the action's key was pressed twice in a row for the same
// thing. The first time it shows question.
func (l *List) Confirmed(what intent.Intent, thing, question string) bool {
	again := confirmation{what, thing}
	if l.confirm == again {
		l.confirm = confirmation{}
		return true
	}
	l.confirm, l.Note = again, question
	return false
}

// Refresh updates the items.
func (l *List) Refresh() {
	if l.Items != nil {
		l.SetItems(l.Items())
	}
}

// SetItems replaces the items and keeps the selected one selected.
func (l *List) SetItems(items []list.Item) {
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

// Rows draws the list as a box of at most height rows, with the position of the cursor in
// it.
func (l *List) Rows(width, height int) ([]string, *tea.Cursor) {
	th, inner := l.env.Theme, box.InnerWidth(width)
	note := l.note(inner, height)
	room := l.room(note, height)
	body := note
	if !l.NeedsConfirmation {
		body = append([]string{l.List.FilterRow(inner, "Type to filter", th)}, note...)
	}
	at := len(body) + l.List.Row(room)
	if l.List.Len() == 0 && l.List.Filter() == "" && l.Empty != "" {
		rows := text.WrapInk(th.Dim.Paint, l.Empty, "", inner)
		body = append(body, rows[:min(len(rows), room)]...)
	} else {
		body = append(body, l.List.Draw(inner, room, th)...)
	}
	var cursor *tea.Cursor
	foot := l.Foot
	if r := l.renaming(); r != nil {
		cursor, foot = tea.NewCursor(2+r.draw(body, at, inner, th), 1+at), r.foot
	} else if !l.NeedsConfirmation {
		cursor = tea.NewCursor(2+l.List.FilterCursor(inner), 1)
	}
	box := box.Box{Title: l.Title, Right: l.List.More(room), Foot: foot, Body: body, Focused: true}.Rows(width, th)
	return box, cursor
}

// leastChoice is how many rows a note leaves to the items.
const leastChoice = 3

// note returns the rows above the items, in a box of at most height rows.
func (l *List) note(width, height int) []string {
	words := cmp.Or(l.Note, l.Lasting)
	if words == "" {
		return nil
	}
	rows := text.WrapInk(l.env.Theme.Warn.Paint, words, "", width)
	return rows[:min(len(rows), max(0, height-3-leastChoice))]
}

// room returns how many rows the items have.
func (l *List) room(note []string, height int) int { return max(1, height-3-len(note)) }

// With calls do with the value of an item, if it is a T.
func With[T any](do func(T) tea.Cmd) func(list.Item) tea.Cmd {
	return func(it list.Item) tea.Cmd {
		if v, ok := it.Value.(T); ok {
			return do(v)
		}
		return nil
	}
}

// Foot joins hints to the text of a list's bottom border.
func Foot(keys *intent.Keymap, hints ...intent.Hint) string {
	return keys.Hints(intent.List, append(hints, intent.Hint{Action: "esc close"})...)
}
