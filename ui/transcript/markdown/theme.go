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
	heading, third := text.PenOf(th.Heading.Paint), text.PenOf(th.Accent.Paint)
	if th.NoColor { // an accent would be bold, as the second level is
		third = text.Pen{Attrs: text.AttrItalic}
	}
	p := palette{
		headings: [3]text.Pen{text.Pen{Attrs: text.AttrUnderline}.Over(heading), heading, third},
		code:     text.PenOf(th.Code.Paint), link: text.PenOf(th.Link.Paint), dim: text.PenOf(th.Dim.Paint), links: th.Links,
		tokens: [syntax.Classes]text.Pen{
			syntax.Keyword: text.PenOf(th.Keyword.Paint), syntax.Function: text.PenOf(th.Function.Paint), syntax.String: text.PenOf(th.String.Paint), syntax.Number: text.PenOf(th.Number.Paint),
			syntax.Comment: text.PenOf(th.Comment.Paint), syntax.Inserted: text.PenOf(th.DiffAdd.Paint), syntax.Deleted: text.PenOf(th.DiffDel.Paint),
		},
	}
	if th.CodeBlock.Spec().Bg != nil {
		p.block = text.PenOf(th.CodeBlock.Paint)
	}
	return p
}
