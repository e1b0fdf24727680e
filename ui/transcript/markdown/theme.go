package markdown

import (
	"parley/internal/text"
	"parley/ui/theme"
	"parley/ui/widget/syntax"
)

// palette holds the styles of a theme in the form that rows use.
type palette struct {
	headings        [3]text.Pen // of levels 1, 2, and 3 or deeper
	code, link, dim text.Pen
	block           text.Pen // of a code block: its ground, and the text that has no other colour
	links           bool     // text can link to an address
	tokens          [syntax.Classes]text.Pen
}

// paletteOf returns the styles of a theme that a message uses.
func paletteOf(th *theme.Theme) palette {
	heading, third := penOf(th.Heading), penOf(th.Accent)
	if th.NoColor { // an accent would be bold, as the second level is
		third = text.Pen{Attrs: text.AttrItalic}
	}
	p := palette{
		headings: [3]text.Pen{text.Pen{Attrs: text.AttrUnderline}.Over(heading), heading, third},
		code:     penOf(th.Code), link: penOf(th.Link), dim: penOf(th.Dim), links: th.Links,
		tokens: [syntax.Classes]text.Pen{
			syntax.Keyword: penOf(th.Keyword), syntax.Function: penOf(th.Function), syntax.String: penOf(th.String), syntax.Number: penOf(th.Number),
			syntax.Comment: penOf(th.Comment), syntax.Inserted: penOf(th.DiffAdd), syntax.Deleted: penOf(th.DiffDel),
		},
	}
	if th.CodeBlock.Spec().Bg != nil {
		p.block = penOf(th.CodeBlock)
	}
	return p
}

// penOf returns the pen of an ink.
func penOf(ink theme.Ink) text.Pen {
	sc := text.Scanner{S: ink.Paint("x")}
	sc.Next()
	return sc.Pen
}
