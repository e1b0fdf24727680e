package markdown

import (
	"strings"

	"parley/internal/safetext"
	"parley/ui/widget/syntax"
)

// codeIndent is the indent of a line of code, in cells.
const codeIndent = 2

// maxAtOnce bounds the bytes of a growing fence that are analysed while its rows are
// drawn: about as much as a model writes between two frames. The rest is analysed on
// another goroutine.
const maxAtOnce = 256

// codeTail holds the rows of the growing fence that already have their colours.
type codeTail struct {
	lang          string
	width, indent int
	tagged        bool   // the first row names the language, if there is one
	code          string // whole lines
	rows          []string
}

// fence returns the rows of a fence or a piece of one.
func (r *Renderer) fence(b Block) []string {
	width, indent := r.inner(r.width, b.indent)
	code := safetext.Clean(b.code())
	if b.strip > 0 {
		code = unindent(code, b.strip)
	}
	if isBlank(code) {
		return nil
	}
	t := &r.tail
	known := t.lang == b.Lang && t.width == width && t.indent == indent && strings.HasPrefix(code, t.code)
	if b.Open {
		if !known || t.tagged != !b.Continued {
			*t = codeTail{lang: b.Lang, width: width, indent: indent, tagged: !b.Continued}
			t.rows = r.encode(nil, r.tag(b, width), indent)
		}
		return r.openFence(code, b.Lang, width, indent)
	}
	lines, all := r.tryCode(code, b.Lang, width)
	if all || !known || t.code == "" {
		return r.encode(nil, append(r.tag(b, width), lines...), indent)
	}
	// It was just closed: rows with colours keep them until all of it is analysed.
	rows := t.rows[:len(t.rows):len(t.rows)]
	if rest := code[len(t.code):]; rest != "" {
		rows = r.encode(rows, r.code(rest, "", width), indent)
	}
	return rows
}

// openFence makes the rows of a complete line with colours once.
func (r *Renderer) openFence(code, lang string, width, indent int) []string {
	t := &r.tail
	whole := strings.LastIndexByte(code, '\n') + 1
	at, rows := len(t.code), t.rows[:len(t.rows):len(t.rows)]
	for at < whole {
		n := at + strings.IndexByte(code[at:], '\n') + 1
		lines, coloured := r.tryCode(code[at:n], lang, width)
		before := len(rows)
		rows = r.encode(rows, lines, indent)
		if coloured && at == len(t.code) {
			t.rows, t.code = append(t.rows, rows[before:]...), code[:n]
		}
		at = n
	}
	if whole < len(code) {
		rows = r.encode(rows, r.code(code[whole:], "", width), indent)
	}
	return rows
}

// tryCode renders lines of code. coloured is false if they must be analysed first.
func (r *Renderer) tryCode(code, lang string, width int) (lines []line, coloured bool) {
	missing := len(r.missing)
	lines = r.code(code, lang, width)
	return lines, len(r.missing) == missing
}

// code renders lines of code: highlighted, indented, on the ground of a code block,
// broken where the row ends.
func (r *Renderer) code(code, lang string, width int) []line {
	code = strings.TrimSuffix(code, "\n")
	inner, _ := r.inner(width, codeIndent)
	var lines []line
	for _, l := range splitPieces(r.highlight(code, lang)) {
		for _, row := range wrapHard(expandPieces(l), inner) {
			lines = append(lines, r.codeRow(row, width))
		}
	}
	return lines
}

// codeRow indents a row of a code block and lays it on the ground.
func (r *Renderer) codeRow(row line, width int) line {
	inner, used := r.inner(width, codeIndent)
	out := make(line, 0, len(row)+2)
	if used > 0 {
		out = append(out, piece{"  "[:used], r.theme.block})
	}
	for _, p := range row {
		out = append(out, piece{p.text, r.theme.block.over(p.style)})
	}
	if blank := inner - row.width(); blank > 0 && r.theme.block.bg != 0 {
		out = append(out, piece{strings.Repeat(" ", blank), r.theme.block})
	}
	return out
}

// tag returns the row above a fence that names its language; none for a piece that
// is not its first. Code inside another block has none: copying could not tell it
// from a line of the code there.
func (r *Renderer) tag(b Block, width int) []line {
	lang := oneLine(b.Lang)
	if b.Continued || isBlank(lang) {
		return nil
	}
	inner, _ := r.inner(width, codeIndent)
	return []line{r.codeRow(wrapHard([]piece{{text: lang, style: r.theme.dim}}, inner)[0], width)}
}

// expandPieces expands tabs across pieces.
func expandPieces(pieces []piece) []piece {
	column := 0
	for i, p := range pieces {
		pieces[i].text = expandTabs(p.text, column)
		column += textWidth(pieces[i].text)
	}
	return pieces
}

// highlight colours code, if its language is known and the code was analysed.
func (r *Renderer) highlight(code, lang string) []piece {
	if lang == "" || isBlank(code) || r.theme.keyword == (style{}) {
		return []piece{{text: code}}
	}
	spans := r.spansOf(Listing{lang: lang, text: code})
	pieces, at := []piece(nil), 0
	for _, s := range spans {
		to := syntax.Whole(code, at, s.To)
		pieces = appendPiece(pieces, code[at:to], r.theme.token(s.Class))
		at = to
	}
	return appendPiece(pieces, code[at:], style{})
}

// spansOf returns the classes of the parts of code. Code that must be analysed first
// is added to missing.
func (r *Renderer) spansOf(c Listing) []syntax.Span {
	if !r.later {
		c.Run()
		return c.spans
	}
	for _, f := range r.found {
		if f.lang == c.lang && f.text == c.text {
			return f.spans
		}
	}
	if len(c.text) <= r.atOnce && languages.ready(c.lang) {
		r.atOnce -= len(c.text)
		c.Run()
		return c.spans
	}
	r.missing = append(r.missing, &c)
	return nil
}

// token returns the style of a part of code.
func (t palette) token(c syntax.Class) style {
	switch c {
	case syntax.Inserted:
		return t.added
	case syntax.Deleted:
		return t.deleted
	case syntax.Comment:
		return t.comment
	case syntax.Number:
		return t.number
	case syntax.Keyword:
		return t.keyword
	case syntax.String:
		return t.text
	case syntax.Function:
		return t.name
	}
	return style{}
}
