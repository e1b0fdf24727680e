package composer

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/widget/box"
	"parley/ui/widget/list"
)

// Popup lists completions of the word before the cursor. It is a layer that uses the keys
// that move, complete and close. The editor gets the others.
type Popup struct {
	env   *layer.Env
	list  *list.List
	foot  string
	moved bool // the user has moved the selection
	// onEnd handles esc, enter and the key that completes, which is "tab" here.
	onEnd func(key string) tea.Cmd
}

// Key implements layer.Layer.
func (p *Popup) Key(k layer.Press) (tea.Cmd, bool) {
	switch k.Name {
	case "up", "down":
		if p.list.Len() == 0 {
			return nil, false
		}
		p.list.Move(map[string]int{"up": -1, "down": 1}[k.Name])
		p.moved = true
		return nil, true
	case "esc", "enter":
		return p.onEnd(k.Name), true
	}
	if k.Want == intent.Complete {
		return p.onEnd("tab"), true
	}
	return nil, false
}

// completes names the key that completes.
func completes(env *layer.Env) string {
	return env.Keys.Hints(intent.Chat, intent.Hint{Key: intent.Complete, Action: "complete"})
}

// Rows implements layer.Overlayer.
func (p *Popup) Rows(width, height int) ([]string, *tea.Cursor) {
	th := p.env.Theme
	return box.Box{Right: p.list.More(popupRows(height - 2)), Body: p.Lines(max(1, box.InnerWidth(width)), height-2, th), Foot: p.foot}.Rows(width, th), nil
}

// Lines draws the list without its box, in at most height rows but at least one.
func (p *Popup) Lines(width, height int, th *theme.Theme) []string {
	return p.list.Draw(width, popupRows(height), th)
}

// Saw implements layer.Viewer. height includes the box.
func (p *Popup) Saw(_, height int) { p.list.Shown(popupRows(height - 2)) }

// popupRows is a third of the rows above the composer, but at least eight if there is room.
func popupRows(height int) int { return max(1, min(max(8, height/3), height)) }

// Foot names the keys.
func (p *Popup) Foot() string { return p.foot }
