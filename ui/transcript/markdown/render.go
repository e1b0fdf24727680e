package markdown

import (
	"slices"
	"strings"

	"parley/internal/safetext"
	"parley/internal/text"
	"parley/ui/theme"
)

// Renderer turns blocks into rows for one width and one theme. It is cheap to
// create: glamour, chroma and the parser are made when a block first needs them. It
// is not safe for concurrent use.
type Renderer struct {
	width int
	theme palette

	parser *proseParser
	tables map[int]*glamourRenderer // by width
	grown  grownTable               // that was drawn last

	tail    codeTail
	later   bool       // code is drawn without colours until it was analysed
	atOnce  int        // bytes of code that may be analysed while drawing
	found   []*Listing // analysed code of the block that is being drawn
	missing []*Listing // code of that block that was drawn without colours

	row text.RowWriter // reused, so that a row takes no more memory than its text
}

// NewRenderer returns a renderer for rows of at most width cells, at least 4.
func NewRenderer(width int, th *theme.Theme) *Renderer {
	return &Renderer{width: max(width, 4), theme: paletteOf(th)}
}

// Rows returns the rows of a block. None is wider than the width, and none at the
// ends is empty. They hold no escape sequences but SGR and, if the theme has links,
// OSC 8; each resets both at its end. A block without text, such as a piece of a
// fence that holds the closing marker alone, has no rows.
//
// A kilobyte of prose costs about 0.1 ms, of code or a table some milliseconds, so
// render a closed block once.
func (r *Renderer) Rows(b Block) []string {
	r.later = false
	return r.rows(b)
}

// Draw returns the rows of a block as Rows does, but analyses hardly any code: code
// that is neither in found nor short is drawn without colours and returned as
// missing. Colours do not change the number of rows.
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
		rows = indented(r.lines(b, width), indent)
	}
	for len(rows) > 0 && rows[0] == "" {
		rows = rows[1:]
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

func (r *Renderer) lines(b Block, width int) []string {
	switch b.Kind {
	case 0:
		return nil
	case HTML, Reference:
		return r.plain(safetext.Clean(b.Source), r.theme.dim, width)
	case Rule:
		return []string{r.rule(width)}
	}
	return r.document(b, width)
}

// document renders a block that can contain Markdown.
func (r *Renderer) document(b Block, width int) []string {
	source := safetext.Clean(b.Source)
	switch {
	case isBlank(source):
		return nil
	case tooDeep(source):
		return r.plain(source, text.Pen{}, width)
	case b.Kind == Table && b.Open:
		return r.growing(b, width)
	}
	if b.indent > 0 {
		source = unindent(source, b.indent)
	}
	headless := b.Kind == Table && b.Continued && b.head != ""
	if headless {
		source = safetext.Clean(b.head) + source
	}
	doc := &document{r: r, open: b.Open, headless: headless}
	doc.parse(source)
	return doc.blocks(doc.root, width)
}

// grownTable is a table that may still grow, as far as its rows are whole.
type grownTable struct {
	source, head string
	width        int
	lines        []string
}

// growing draws the whole rows of a table to which more may come, as they will be drawn at the end. It draws
// again only after a row.
func (r *Renderer) growing(b Block, width int) []string {
	b.Source, b.Open = b.Source[:strings.LastIndexByte(b.Source, '\n')+1], false
	if t := &r.grown; t.source != b.Source || t.head != b.head || t.width != width {
		*t = grownTable{b.Source, b.head, width, r.document(b, width)}
	}
	return slices.Clone(r.grown.lines)
}

// inner returns the width beside an indent, and how wide the indent may be: on a
// narrow terminal the text needs the room.
func (r *Renderer) inner(width, indent int) (left, used int) {
	if least := min(10, r.width); width-indent < least {
		indent = max(width-least, 0)
	}
	return width - indent, indent
}

// plain wraps text as it is, with its own line breaks.
func (r *Renderer) plain(source string, p text.Pen, width int) []string {
	var rows []string
	for l := range strings.SplitSeq(strings.TrimRight(source, "\n"), "\n") {
		wrapped, _ := text.HardWrap(expandTabs(l, 0), width, 0)
		for _, row := range wrapped {
			rows = append(rows, r.paint(strings.TrimRight(row, " "), p))
		}
	}
	return rows
}

// paint returns text in a style.
func (r *Renderer) paint(s string, p text.Pen) string {
	r.row.Add(s, p)
	return r.row.Finish()
}

func (r *Renderer) rule(width int) string { return r.paint(strings.Repeat("─", width), r.theme.dim) }

// prefixed puts one plain text before the first row and another before the others.
func prefixed(rows []string, first, rest string) []string {
	for i, row := range rows {
		p := rest
		if i == 0 {
			p = first
		}
		rows[i] = strings.TrimRight(p+row, " ")
	}
	return rows
}

func indented(rows []string, n int) []string {
	blank := strings.Repeat(" ", n)
	return prefixed(rows, blank, blank)
}

// unindent removes up to columns of white space from the start of each line.
func unindent(code string, columns int) string {
	lines := strings.Split(code, "\n")
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
