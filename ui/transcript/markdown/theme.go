package markdown

import (
	"fmt"
	"image/color"
	"strconv"

	"charm.land/glamour/v2/ansi"
	xansi "github.com/charmbracelet/x/ansi"

	"parley/ui/theme"
)

// palette holds the styles of a theme in the form that rows use.
type palette struct {
	headings        [3]style // of levels 1, 2, and 3 or deeper
	code, link, dim style
	block           style // of a code block: its ground, and the text that has no other colour
	links           bool  // text can link to an address

	keyword, name, text, number, comment, added, deleted style
}

// paletteOf returns the styles of a theme that a message uses.
func paletteOf(th *theme.Theme) palette {
	heading, third := styleOf(th.Heading), styleOf(th.Accent)
	if th.NoColor { // an accent would be bold, as the second level is
		third = style{attr: italic}
	}
	return palette{
		headings: [3]style{heading.over(style{attr: underline}), heading, third}, code: styleOf(th.Code), link: styleOf(th.Link), dim: styleOf(th.Dim),
		block: blockStyle(th), links: th.Links,
		keyword: styleOf(th.Keyword), name: styleOf(th.Function), text: styleOf(th.String), number: styleOf(th.Number),
		comment: styleOf(th.Comment), added: styleOf(th.DiffAdd), deleted: styleOf(th.DiffDel),
	}
}

// blockStyle is the look of a code block; without a ground it has none.
func blockStyle(th *theme.Theme) style {
	s := th.CodeBlock.Spec()
	if s.Bg == nil {
		return style{}
	}
	return style{fg: colourOf(s.Fg), bg: colourOf(s.Bg)}
}

// styleOf returns the style of an ink without its background.
func styleOf(ink theme.Ink) style {
	s := ink.Spec()
	st := style{fg: colourOf(s.Fg)}
	if s.Faint {
		st.fg = faint
	}
	for attr, on := range map[uint8]bool{bold: s.Bold, italic: s.Italic, underline: s.Underline} {
		if on {
			st.attr |= attr
		}
	}
	return st
}

func colourOf(c color.Color) colour {
	switch c := c.(type) {
	case nil:
		return 0
	case xansi.BasicColor:
		if c < 8 {
			return 30 + colour(c)
		}
		return 90 + colour(c) - 8
	}
	r, g, b, _ := c.RGBA()
	return full | colour(r>>8)<<16 | colour(g>>8)<<8 | colour(b>>8)
}

// glamourStyle returns the palette as a configuration of glamour, without margins,
// prefixes and suffixes.
func (t palette) glamourStyle() ansi.StyleConfig {
	yes := true
	return ansi.StyleConfig{
		Emph:          ansi.StylePrimitive{Italic: &yes},
		Strong:        ansi.StylePrimitive{Bold: &yes},
		Strikethrough: ansi.StylePrimitive{CrossedOut: &yes},
		Code:          ansi.StyleBlock{StylePrimitive: primitive(t.code)},
		LinkText:      primitive(t.link),
		ImageText:     primitive(t.dim), // used for the address in brackets after a link
	}
}

func primitive(st style) ansi.StylePrimitive {
	var p ansi.StylePrimitive
	yes := true
	name := ""
	switch {
	case st.fg&full != 0:
		name = fmt.Sprintf("#%06x", uint32(st.fg&^full))
	case st.fg >= 90:
		name = strconv.Itoa(int(st.fg) - 82)
	case st.fg > 0:
		name = strconv.Itoa(int(st.fg) - 30)
	}
	if name != "" {
		p.Color = &name
	}
	if st.attr&bold != 0 {
		p.Bold = &yes
	}
	if st.attr&italic != 0 {
		p.Italic = &yes
	}
	if st.attr&underline != 0 {
		p.Underline = &yes
	}
	return p
}
