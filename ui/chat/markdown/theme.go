package markdown

import (
	"strconv"

	"charm.land/glamour/v2/ansi"
)

// theme holds the styles, all of the 16 colours: the terminal knows what they
// look like on its background.
type theme struct {
	heading, code, link, dim style

	keyword, name, text, number, comment, added, deleted style
}

func themeOf(look Look) theme {
	t := theme{heading: style{attr: bold}, link: style{attr: underline}}
	if look.NoColor {
		return t
	}
	t.dim, t.comment = style{fg: 90}, style{fg: 90}
	t.added, t.deleted = style{fg: 32}, style{fg: 31}
	if look.Dark {
		t.heading.fg, t.code.fg, t.link.fg = 96, 93, 94
		t.keyword.fg, t.name.fg, t.text.fg, t.number.fg = 95, 96, 92, 93
	} else {
		t.heading.fg, t.code.fg, t.link.fg = 34, 35, 34
		t.keyword.fg, t.name.fg, t.text.fg, t.number.fg = 35, 34, 32, 36
	}
	return t
}

// glamourStyle returns the theme in glamour's words: no margins, nothing before
// or behind anything.
func (t theme) glamourStyle() ansi.StyleConfig {
	yes := true
	return ansi.StyleConfig{
		Heading:       ansi.StyleBlock{StylePrimitive: primitive(t.heading)},
		Emph:          ansi.StylePrimitive{Italic: &yes},
		Strong:        ansi.StylePrimitive{Bold: &yes},
		Strikethrough: ansi.StylePrimitive{CrossedOut: &yes},
		Code:          ansi.StyleBlock{StylePrimitive: primitive(t.code)},
		LinkText:      primitive(t.link),
		ImageText:     primitive(t.dim), // carries what stands in brackets behind a link
	}
}

func primitive(st style) ansi.StylePrimitive {
	var p ansi.StylePrimitive
	yes := true
	if st.fg >= 90 {
		color := strconv.Itoa(int(st.fg) - 82)
		p.Color = &color
	} else if st.fg > 0 {
		color := strconv.Itoa(int(st.fg) - 30)
		p.Color = &color
	}
	if st.attr&bold != 0 {
		p.Bold = &yes
	}
	if st.attr&underline != 0 {
		p.Underline = &yes
	}
	return p
}
