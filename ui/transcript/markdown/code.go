package markdown

import (
	"strings"

	"parley/internal/safetext"
	"parley/internal/text"
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
			t.rows = indented(r.tag(b, width), indent)
		}
		return r.openFence(code, b.Lang, width, indent)
	}
	lines, all := r.tryCode(code, b.Lang, width)
	if all || !known || t.code == "" {
		return indented(append(r.tag(b, width), lines...), indent)
	}
	// It was just closed: rows with colours keep them until all of it is analysed.
	rows := t.rows[:len(t.rows):len(t.rows)]
	if rest := code[len(t.code):]; rest != "" {
		rows = append(rows, indented(r.code(rest, "", width), indent)...)
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
		rows = append(rows, indented(lines, indent)...)
		if coloured && at == len(t.code) {
			t.rows, t.code = append(t.rows, rows[before:]...), code[:n]
		}
		at = n
	}
	if whole < len(code) {
		rows = append(rows, indented(r.code(code[whole:], "", width), indent)...)
	}
	return rows
}

// tryCode renders lines of code. coloured is false if they must be analysed first.
func (r *Renderer) tryCode(code, lang string, width int) (lines []string, coloured bool) {
	missing := len(r.missing)
	lines = r.code(code, lang, width)
	return lines, len(r.missing) == missing
}

// code renders lines of code: highlighted, indented, on the ground of a code block,
// broken where the row ends.
func (r *Renderer) code(code, lang string, width int) []string {
	inner, _ := r.inner(width, codeIndent)
	var rows []string
	for l := range strings.SplitSeq(r.highlight(strings.TrimSuffix(code, "\n"), lang), "\n") {
		wrapped, _ := text.HardWrap(l, inner, 0)
		for _, row := range wrapped {
			rows = append(rows, r.codeRow(row, width))
		}
	}
	return rows
}

// codeRow indents a row of a code block and lays it on the ground.
func (r *Renderer) codeRow(row string, width int) string {
	inner, used := r.inner(width, codeIndent)
	r.row.Spaces(used, r.theme.block)
	if r.theme.block.Bg == "" {
		r.row.AddRow(row)
		return text.Wrap(r.row.Finish(), width)[0] // without spaces at its end
	}
	r.row.AddRun(strings.Repeat(" ", max(0, inner-r.row.AddRow(row))), r.theme.block)
	return r.row.Finish()
}

// tag returns the row above a fence that names its language; none for a piece that
// is not its first. Code inside another block has none: copying could not tell it
// from a line of the code there.
func (r *Renderer) tag(b Block, width int) []string {
	lang := oneLine(b.Lang)
	if b.Continued || isBlank(lang) {
		return nil
	}
	inner, _ := r.inner(width, codeIndent)
	rows, _ := text.HardWrap(r.paint(lang, r.theme.dim.Over(r.theme.block)), inner, 1)
	return []string{r.codeRow(rows[0], width)}
}

// highlight colours code, if its language is known and the code was analysed. No
// style extends over the end of a line, and tabs are expanded.
func (r *Renderer) highlight(code, lang string) string {
	var spans []syntax.Span
	if lang != "" && !isBlank(code) && r.theme.tokens[syntax.Keyword] != (text.Pen{}) {
		spans = r.spansOf(Listing{lang: lang, text: code})
	}
	at, column := 0, 0
	add := func(to int, p text.Pen) {
		for i, part := range strings.Split(code[at:to], "\n") {
			if i > 0 {
				r.row.Add("\n", text.Pen{})
				column = 0
			}
			part = expandTabs(part, column)
			r.row.AddRun(part, p)
			column += text.Width(part)
		}
		at = to
	}
	for _, s := range spans {
		add(syntax.Whole(code, at, s.To), r.theme.tokens[s.Class].Over(r.theme.block))
	}
	add(len(code), r.theme.block)
	return r.row.Finish()
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

// expandTabs replaces tabs by spaces to the next multiple of four columns.
func expandTabs(s string, column int) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '\t')
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		column += text.Width(s[:i])
		n := 4 - column%4
		b.WriteString("    "[:n])
		column += n
		s = s[i+1:]
	}
	return b.String()
}
