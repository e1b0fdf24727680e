package markdown

import (
	"bytes"
	"slices"
	"strings"

	"parley/internal/safetext"
	"parley/ui/theme"
)

// Renderer turns blocks into rows for one width and one theme. It is cheap to
// create: glamour, chroma and the parser come to life when a block first needs
// them. Not safe for concurrent use.
type Renderer struct {
	width int
	theme palette

	parser *proseParser
	tables map[int]*glamourRenderer // by width

	tail    codeTail
	later   bool       // code is drawn without colours until it was looked at
	atOnce  int        // bytes of code that may be looked at all the same
	found   []*Listing // code that was looked at, of the block that is being drawn
	missing []*Listing // code that was not

	row bytes.Buffer // reused, so that a row takes no more memory than its text
}

// NewRenderer returns a renderer for rows of at most width cells. Less than 4
// is taken as 4.
func NewRenderer(width int, th *theme.Theme) *Renderer {
	return &Renderer{width: max(width, 4), theme: paletteOf(th)}
}

// Rows returns the rows of a block: none wider than the width, no blank ones at
// the ends, no escape sequence in them but SGR, and the style reset at the end
// of each. A block without ink, such as a piece of a fence that holds the
// closing marker alone, has no rows: the caller shows nothing for it, no blank
// row either.
//
// A kilobyte of prose costs about 0.1 ms, of code or a table some milliseconds: a
// closed block should be rendered once.
func (r *Renderer) Rows(b Block) []string {
	r.later = false
	return r.rows(b)
}

// Draw returns the rows of a block as Rows does, but looks at hardly any code:
// what of it is neither among found nor short is drawn without colours and
// returned. The block has as many rows with them.
func (r *Renderer) Draw(b Block, found []*Listing) (rows []string, missing []*Listing) {
	r.later, r.found, r.missing, r.atOnce = true, found, nil, 0
	if b.Open {
		r.atOnce = maxAtOnce
	}
	rows, missing = r.rows(b), r.missing
	r.found, r.missing = nil, nil
	return rows, missing
}

func (r *Renderer) rows(b Block) []string {
	var rows []string
	if b.Kind == Fence {
		rows = r.fence(b)
	} else {
		width, indent := r.inner(r.width, b.indent)
		rows = r.encode(nil, r.lines(b, width), indent)
	}
	for len(rows) > 0 && rows[0] == "" {
		rows = rows[1:]
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// encode appends lines as rows that are indented by so many cells.
func (r *Renderer) encode(rows []string, lines []line, indent int) []string {
	if indent > 0 {
		blank := piece{text: strings.Repeat(" ", indent)}
		lines = prefixed(lines, blank, blank)
	}
	rows = slices.Grow(rows, len(lines))
	for _, l := range lines {
		rows = append(rows, l.encode(&r.row))
	}
	return rows
}

func (r *Renderer) lines(b Block, width int) []line {
	switch b.Kind {
	case 0:
		return nil
	case HTML, Reference:
		return r.plain(safetext.Clean(b.Source), r.theme.dim, width)
	case Rule:
		return []line{r.rule(width)}
	}
	return r.document(b, width)
}

// document renders what can hold markdown.
func (r *Renderer) document(b Block, width int) []line {
	source := safetext.Clean(b.Source)
	switch {
	case isBlank(source):
		return nil
	case tooDeep(source), b.Kind == Table && b.Open:
		return r.plain(source, style{}, width)
	}
	if b.indent > 0 {
		source = unindent(source, b.indent)
	}
	skip := 0
	if b.Kind == Table && b.Continued && b.head != "" {
		source, skip = safetext.Clean(b.head)+source, 2
	}
	doc := &document{r: r, open: b.Open, skip: skip}
	doc.parse(source)
	return doc.blocks(doc.root, width)
}

// inner returns the width left beside indent cells, and how many of them there
// is room for: a narrow terminal keeps the text and loses the indent.
func (r *Renderer) inner(width, indent int) (left, used int) {
	if least := min(10, r.width); width-indent < least {
		indent = max(width-least, 0)
	}
	return width - indent, indent
}

// plain wraps text as it is, with its own line breaks.
func (r *Renderer) plain(text string, st style, width int) []line {
	var lines []line
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		lines = append(lines, wrapHard([]piece{{expandTabs(l, 0), st}}, width)...)
	}
	return lines
}

func (r *Renderer) rule(width int) line {
	return line{{strings.Repeat("─", width), r.theme.dim}}
}

// prefixed puts a piece before the first row and another before the others.
func prefixed(lines []line, first, rest piece) []line {
	for i, l := range lines {
		p := rest
		if i == 0 {
			p = first
		}
		lines[i] = append(line{p}, l...)
	}
	return lines
}

// unindent takes up to columns of blank off each line.
func unindent(text string, columns int) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = dedent(l, columns)
	}
	return strings.Join(lines, "\n")
}

func dedent(l string, columns int) string {
	column := 0
	for i := 0; i < len(l); i++ {
		if column >= columns {
			return strings.Repeat(" ", column-columns) + l[i:]
		}
		switch l[i] {
		case ' ':
			column++
		case '\t':
			column += 4 - column%4
		default:
			return l[i:]
		}
	}
	return ""
}
