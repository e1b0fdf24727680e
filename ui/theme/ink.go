package theme

import (
	"image/color"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Spec says what an Ink looks like. A nil colour is the terminal's own.
type Spec struct {
	Fg, Bg                                  color.Color
	Bold, Faint, Italic, Underline, Reverse bool
}

// Ink paints text in one fixed style by putting two precomputed strings around it. It is a value that may be copied and
// shared between goroutines. The zero Ink leaves text unchanged.
type Ink struct {
	on, off string
	spec    Spec
}

// NewInk returns the Ink of a Spec.
func NewInk(s Spec) Ink {
	var st ansi.Style
	if s.Bold {
		st = st.Bold()
	}
	if s.Faint {
		st = st.Faint()
	}
	if s.Italic {
		st = st.Italic(true)
	}
	if s.Underline {
		st = st.Underline(true)
	}
	if s.Reverse {
		st = st.Reverse(true)
	}
	if s.Fg != nil {
		st = st.ForegroundColor(s.Fg)
	}
	if s.Bg != nil {
		st = st.BackgroundColor(s.Bg)
	}
	ink := Ink{spec: s}
	if len(st) > 0 {
		ink.on, ink.off = st.String(), ansi.ResetStyle
	}
	return ink
}

// Paint returns s in this ink, reset at its end. Text after a reset inside s is not painted; see [Ink.Repaint].
func (i Ink) Paint(s string) string {
	if i.on == "" || s == "" {
		return s
	}
	return i.on + s + i.off
}

// Append appends s in this ink to dst.
func (i Ink) Append(dst []byte, s string) []byte {
	if i.on == "" || s == "" {
		return append(dst, s...)
	}
	dst = append(dst, i.on...)
	dst = append(dst, s...)
	return append(dst, i.off...)
}

// Repaint paints text that holds other inks: this ink resumes after each reset inside it, as for a background under styled
// text.
func (i Ink) Repaint(s string) string {
	if i.on == "" || s == "" {
		return s
	}
	if !strings.Contains(s, "\x1b[") {
		return i.on + s + i.off
	}
	s = strings.ReplaceAll(s, "\x1b[0m", ansi.ResetStyle)
	s = strings.TrimSuffix(s, ansi.ResetStyle)
	return i.on + strings.ReplaceAll(s, ansi.ResetStyle, ansi.ResetStyle+i.on) + i.off
}

// On returns the sequence that starts the ink, empty for the zero Ink.
func (i Ink) On() string { return i.on }

// Off returns the sequence that ends the ink, empty for the zero Ink.
func (i Ink) Off() string { return i.off }

// Spec returns the Spec of the ink.
func (i Ink) Spec() Spec { return i.spec }
