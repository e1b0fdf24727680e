package paint

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/glyphs"
)

// modes is the state of the terminal besides its rows.
type modes struct {
	on, alt, focus bool
	hidden         bool // the cursor is not shown
	mouse          tea.MouseMode
	title          string
	bar            tea.ProgressBar
	shape          int // of the cursor; 0 is the terminal's default
}

const (
	keyboard   = ansi.SetModifyOtherKeys2 + "\x1b[>1u" // kitty's protocol: unambiguous keys
	keyboardUp = ansi.ResetModifyOtherKeys + "\x1b[<1u"
	noMouse    = ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr
)

// set appends the modes of a view. Entering or leaving the alternate screen forgets what is
// on the screen.
func (p *painter) set(b []byte, v *tea.View, cols int) []byte {
	m := &p.modes
	if !m.on {
		b = append(b, ansi.SetModeBracketedPaste+ansi.SetModeLightDark+ansi.ResetModeAutoWrap+ansi.SetModeTextCursorEnable...)
		if glyphs.ByClusters() {
			b = append(b, ansi.SetModeUnicodeCore...)
		}
	}
	if m.alt != v.AltScreen {
		if m.on {
			b = append(b, keyboardUp...) // each screen has its own stack
		}
		if v.AltScreen {
			b = append(p.erase(b, cols), ansi.SetModeAltScreenSaveCursor...)
		} else {
			b = append(b, ansi.ResetModeAltScreenSaveCursor...)
		}
		p.live, p.x, p.y = nil, 0, 0
		if v.AltScreen { // the cursor may be anywhere
			p.x, p.y = -1, -1
		}
	}
	if !m.on || m.alt != v.AltScreen {
		b = append(b, keyboard...)
	}
	m.on, m.alt = true, v.AltScreen
	if m.focus != v.ReportFocus {
		m.focus = v.ReportFocus
		b = append(b, choose(m.focus, ansi.SetModeFocusEvent, ansi.ResetModeFocusEvent)...)
	}
	if m.mouse != v.MouseMode {
		if m.mouse != tea.MouseModeNone {
			b = append(b, noMouse...)
		}
		if m.mouse = v.MouseMode; m.mouse != tea.MouseModeNone {
			b = append(b, choose(m.mouse == tea.MouseModeAllMotion, ansi.SetModeMouseAnyEvent, ansi.SetModeMouseButtonEvent)...)
			b = append(b, ansi.SetModeMouseExtSgr...)
		}
	}
	if m.title != v.WindowTitle {
		m.title = v.WindowTitle
		b = append(b, ansi.SetWindowTitle(m.title)...)
	}
	var bar tea.ProgressBar
	if v.ProgressBar != nil {
		bar = *v.ProgressBar
	}
	if m.bar != bar {
		m.bar = bar
		b = append(b, progress(bar)...)
	}
	if c := v.Cursor; !v.AltScreen && m.shape != 0 {
		m.shape = 0
		b = append(b, ansi.SetCursorStyle(0)...)
	} else if c != nil && v.AltScreen {
		shape := int(c.Shape)*2 + 1
		if !c.Blink {
			shape++
		}
		if m.shape != shape {
			m.shape = shape
			b = append(b, ansi.SetCursorStyle(shape)...)
		}
	}
	return b
}

// reset appends what undoes the modes.
func (p *painter) reset(b []byte) []byte {
	m := p.modes
	if !m.on {
		return b
	}
	p.modes = modes{}
	b = append(b, keyboardUp...)
	if m.alt {
		b = append(b, ansi.ResetModeAltScreenSaveCursor...)
	}
	if m.focus {
		b = append(b, ansi.ResetModeFocusEvent...)
	}
	if m.mouse != tea.MouseModeNone {
		b = append(b, noMouse...)
	}
	if m.title != "" {
		b = append(b, ansi.SetWindowTitle("")...)
	}
	if m.bar.State != tea.ProgressBarNone {
		b = append(b, progress(tea.ProgressBar{})...)
	}
	if m.shape != 0 {
		b = append(b, ansi.SetCursorStyle(0)...)
	}
	if glyphs.ByClusters() {
		b = append(b, ansi.ResetModeUnicodeCore...)
	}
	if m.hidden {
		b = append(b, ansi.SetModeTextCursorEnable...)
	}
	return append(b, ansi.ResetModeLightDark+ansi.ResetModeBracketedPaste+ansi.SetModeAutoWrap...)
}

func choose(yes bool, then, otherwise string) string {
	if yes {
		return then
	}
	return otherwise
}

// progress returns the sequence of a progress bar, which some terminals only know if ST ends it. The
// states of Bubble Tea are those of the sequence.
func progress(bar tea.ProgressBar) string {
	return fmt.Sprintf("\x1b]9;4;%d;%d\x1b\\", bar.State, bar.Value)
}
