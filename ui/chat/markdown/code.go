package markdown

import (
	"strings"

	"parley/internal/safetext"
	"parley/ui/widget/syntax"
)

// codeIndent is the room before a line of code.
const codeIndent = 2

// maxAtOnce bounds the bytes of a growing fence that are looked at while its rows
// are drawn: as much as comes between two frames from an agent that speaks as
// models do. More of it gets its colours from elsewhere.
const maxAtOnce = 256

// codeTail remembers the lines of the fence that is growing, as far as they have
// their colours.
type codeTail struct {
	lang  string
	code  string // whole lines
	lines []line
	width int
}

// fence renders a fence or a piece of one.
func (r *Renderer) fence(b Block, width int) []line {
	code := safetext.Clean(b.code())
	if b.strip > 0 {
		code = unindent(code, b.strip)
	}
	if b.Open {
		return r.openFence(code, b.Lang, width)
	}
	lines, all := r.tryCode(code, b.Lang, width)
	t := &r.tail
	if rest, ok := strings.CutPrefix(code, t.code); !all && ok && t.code != "" && t.lang == b.Lang && t.width == width {
		// It has just closed: what had colours keeps them until all of it has.
		lines = t.lines[:len(t.lines):len(t.lines)]
		if rest != "" {
			lines = append(lines, r.code(rest, "", width)...)
		}
	}
	return lines
}

// openFence colours each line once, when it is complete.
func (r *Renderer) openFence(code, lang string, width int) []line {
	t := &r.tail
	if t.lang != lang || t.width != width || !strings.HasPrefix(code, t.code) {
		*t = codeTail{lang: lang, width: width}
	}
	whole := strings.LastIndexByte(code, '\n') + 1
	at, lines := len(t.code), t.lines[:len(t.lines):len(t.lines)]
	for at < whole {
		n := at + strings.IndexByte(code[at:], '\n') + 1
		more, coloured := r.tryCode(code[at:n], lang, width)
		if coloured && at == len(t.code) {
			t.lines, t.code = append(t.lines, more...), code[:n]
		}
		lines, at = append(lines, more...), n
	}
	if whole < len(code) {
		lines = append(lines, r.code(code[whole:], "", width)...)
	}
	return lines
}

// tryCode renders lines of code; without colours, and false, where somebody has to
// look at them first.
func (r *Renderer) tryCode(code, lang string, width int) (lines []line, coloured bool) {
	missing := len(r.missing)
	lines = r.code(code, lang, width)
	return lines, len(r.missing) == missing
}

// code renders lines of code: highlighted, indented, broken where the row ends.
func (r *Renderer) code(code, lang string, width int) []line {
	code = strings.TrimSuffix(code, "\n")
	inner, used := r.inner(width, codeIndent)
	var lines []line
	indent := piece{text: "  "[:used]}
	for _, l := range splitPieces(r.highlight(code, lang)) {
		rows := wrapHard(expandPieces(l), inner)
		if used > 0 {
			rows = prefixed(rows, indent, indent)
		}
		lines = append(lines, rows...)
	}
	return lines
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

// highlight colours code in a language, if there is such a one and it is known
// what the code is.
func (r *Renderer) highlight(code, lang string) []piece {
	if lang == "" || isBlank(code) || r.theme.keyword == (style{}) {
		return []piece{{text: code}}
	}
	spans := r.spansOf(Listing{lang: lang, text: code})
	pieces, at := []piece(nil), 0
	for _, s := range spans {
		pieces = appendPiece(pieces, code[at:s.To], r.theme.token(s.Class))
		at = s.To
	}
	return appendPiece(pieces, code[at:], style{})
}

// spansOf tells what the parts of code are. Where somebody has to look at it first
// it is said to be missing.
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
