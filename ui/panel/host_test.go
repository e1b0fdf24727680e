package panel

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/tty"
	"parley/ui/layer"
	"parley/ui/theme"
)

// page is a fake Host.
type page struct {
	now           time.Time
	width, height int
	open          Panel // nil after it was closed
	done          []intent.Intent
	copied        string
	out           layer.Effects
}

func (p *page) Close(what Panel) {
	if p.open == what {
		p.open = nil
	}
}
func (p *page) Back(what Panel)    { p.Close(what) }
func (p *page) Covered(y int) bool { return y >= 5 }

// opened returns a page with an open panel.
func opened(what Panel) *page {
	p := &page{now: time.Unix(1000, 0), width: 40, height: 12, open: what}
	what.Open(&layer.Env{Now: func() time.Time { return p.now }, Keys: intent.Default, Theme: theme.For("dark", tty.Colours{Dark: true})}, &p.out, p)
	what.Saw(p.width, p.height)
	return p
}

var codes = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace, "up": tea.KeyUp, "down": tea.KeyDown, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "f1": tea.KeyF1}

// press presses keys; handled reports whether the panel handled the last one.
func (p *page) press(keys ...string) (handled bool) {
	for _, name := range keys {
		rest, ctrl := strings.CutPrefix(name, "ctrl+")
		k := tea.Key{Code: []rune(rest)[0]}
		if code, ok := codes[rest]; ok {
			k.Code = code
		} else if !ctrl {
			k.Text = rest
		}
		if ctrl {
			k.Mod = tea.ModCtrl
		}
		msg := tea.KeyPressMsg(k)
		_, handled = p.open.Key(layer.Press{KeyPressMsg: msg, Name: msg.String(), Want: intent.Default.Of(intent.Chat, msg.String())})
		for _, e := range p.out.Take() {
			switch e := e.(type) {
			case layer.Do:
				p.done = append(p.done, intent.Intent(e))
			case layer.Copy:
				p.copied = e()
			}
		}
	}
	return handled
}
