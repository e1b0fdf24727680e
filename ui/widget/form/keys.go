package form

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/ui/layer"
	"parley/ui/widget/list"
)

// Key handles a key and reports whether the form used it.
//
//   - tab, shift+tab, up and down move between the fields, up and down also between options
//   - enter chooses the option under the cursor of a FormSelect and moves to the next field; on the last one it sends
//   - space ticks or chooses an option, left and right change the choice of a FormSelect, typing filters its options
//   - pgup and pgdown scroll a field that is higher than the window
//   - ctrl+s sends, esc cancels
//
// A form that was left uses no key.
func (f *Form) Key(k tea.KeyPressMsg) bool {
	if f.choice != FormOpen {
		return false
	}
	name := k.Keystroke()
	ff := f.focused()
	nudge := f.nudge
	f.nudge = 0
	if ff != nil && ff.list != nil && ff.listKey(k, name) {
		if name == "enter" && ff.list == nil {
			f.move(f.focus + 1)
		}
		return true
	}
	switch name {
	case "tab":
		f.move((f.focus + 1) % (len(f.fields) + 1))
	case "shift+tab":
		f.move((f.focus + len(f.fields)) % (len(f.fields) + 1))
	case "ctrl+s":
		f.submit()
	case "esc":
		f.choice = FormCancel
	case "enter":
		f.enter()
	default:
		if ff == nil {
			return f.buttonKey(name)
		}
		if ff.key(k, name) {
			return true
		}
		f.nudge = nudge
		return f.step(name)
	}
	return true
}

// step handles the keys between fields that the focused field has not used.
func (f *Form) step(name string) bool {
	was := f.focus
	switch name {
	case "pgup":
		f.nudge -= max(f.page-1, 1)
		return true
	case "pgdown":
		f.nudge += max(f.page-1, 1)
		return true
	case "up":
		f.move(f.focus - 1)
	case "down":
		f.move(f.focus + 1)
	default:
		return false
	}
	if f.focus == was {
		return true
	}
	f.nudge = 0
	if ff := f.focused(); ff != nil && ff.offers() && (ff.Kind == FormMulti || ff.choice() < 0) {
		ff.cursor = 0
		if name == "up" {
			ff.cursor = max(len(ff.Options)-1, 0)
		}
	}
	return true
}

func (f *Form) enter() {
	ff := f.focused()
	switch {
	case ff != nil && ff.Kind == FormSelect && len(ff.Options) > 0 && !ff.chosen[ff.cursor]:
		ff.choose(ff.cursor)
		f.move(f.focus + 1) // do not send yet: show the choice first
	case f.focus == len(f.fields) && f.button != FormSend:
		f.choice = f.button
	case f.focus >= len(f.fields)-1:
		f.submit()
	default:
		f.move(f.focus + 1)
	}
}

func (f *Form) buttonKey(name string) bool {
	switch name {
	case "left":
		f.button = max(f.button-1, FormSend)
	case "right":
		f.button = min(f.button+1, FormCancel)
	default:
		return f.step(name)
	}
	if f.noDecline && f.button == FormDecline { // skip it
		return f.buttonKey(name)
	}
	return true
}

// key handles a key of the field.
func (ff *formField) key(k tea.KeyPressMsg, name string) bool {
	switch ff.Kind {
	case FormBool:
		if name != "space" {
			return false
		}
		ff.on, ff.err = !ff.on, nil
		return true
	case FormSelect:
		return ff.selectKey(k, name)
	case FormMulti:
		return ff.optionKey(name)
	case FormSecret:
		if name == "up" || name == "down" { // it has one row
			return false
		}
	}
	if ff.oneLine() || ff.Kind == FormSecret {
		switch name {
		case "shift+enter", "alt+enter", "ctrl+j":
			return true
		}
	}
	if !ff.text.Key(k, ff.keys.Of(intent.Draft, k.Keystroke())) {
		return false
	}
	switch name {
	case "left", "right", "up", "down", "home", "end":
	default:
		ff.err = nil
	}
	return true
}

func (ff *formField) selectKey(k tea.KeyPressMsg, name string) bool {
	switch name {
	case "left":
		ff.cycle(-1)
	case "right":
		ff.cycle(1)
	case "space":
		if len(ff.Options) > 0 {
			ff.choose(ff.cursor)
		}
	case "backspace", "delete":
		if ff.Required {
			return false
		}
		ff.choose(-1)
	default:
		if !layer.Printable(k) {
			return ff.optionKey(name)
		}
		ff.open(k.Text)
	}
	return true
}

// choice returns the index of the chosen option, -1 for none.
func (ff *formField) choice() int {
	for i, on := range ff.chosen {
		if on {
			return i
		}
	}
	return -1
}

// cycle chooses the option n after the chosen one. An optional field has "none" between the last and the first.
func (ff *formField) cycle(n int) {
	count, i := len(ff.Options), ff.choice()
	switch {
	case count == 0:
		return
	case !ff.Required:
		i = (i+1+n+count+1)%(count+1) - 1
	case i < 0 && n < 0:
		i = count - 1
	default:
		i = (i + n + count) % count
	}
	ff.choose(i)
}

// open shows the options as a list that typing filters.
func (ff *formField) open(filter string) {
	if len(ff.Options) == 0 {
		return
	}
	items := make([]list.Item, len(ff.Options))
	for i, o := range ff.Options {
		items[i] = list.Item{Title: o.Label, Detail: text.OneLine(o.Help), Value: i}
	}
	ff.list = list.New(items)
	ff.list.Select(ff.choice())
	if filter != "" {
		ff.list.SetFilter(filter)
	}
}

// listKey handles a key of the open list. It does not use the keys that leave the field.
func (ff *formField) listKey(k tea.KeyPressMsg, name string) bool {
	switch name {
	case "tab", "shift+tab", "ctrl+s":
		return false
	case "esc":
		ff.list = nil
	case "enter":
		if it, ok := ff.list.Selected(); ok {
			ff.choose(it.Value.(int))
			ff.list = nil
		}
	default:
		used := ff.list.Key(k)
		if ff.list.Filter() == "" {
			ff.list = nil
		}
		return used
	}
	return true
}

// optionKey moves between the options, and ticks one.
func (ff *formField) optionKey(name string) bool {
	to := ff.cursor
	switch name {
	case "up":
		to--
	case "down":
		to++
	case "pgup":
		to = max(to-maxFieldRows, 0)
	case "pgdown":
		to = min(to+maxFieldRows, len(ff.Options)-1)
	case "home":
		to = 0
	case "end":
		to = len(ff.Options) - 1
	case "space":
		if len(ff.chosen) > 0 {
			ff.chosen[ff.cursor], ff.err = !ff.chosen[ff.cursor], nil
		}
		return true
	}
	if to == ff.cursor || to < 0 || to >= len(ff.Options) {
		return name == "home" || name == "end" || name == "pgup" || name == "pgdown"
	}
	ff.cursor = to
	return true
}
