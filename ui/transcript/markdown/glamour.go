package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"parley/internal/glyphs"
)

// glamourRenderer is glamour's renderer without its parser. It gets trees without
// escapes, references and HTML, so it cannot drop text that looks like HTML, resolve
// escapes twice or change addresses.
type glamourRenderer struct {
	r renderer.Renderer
}

// newGlamour returns a renderer for this width; 0 does not wrap.
func newGlamour(t palette, width int) *glamourRenderer {
	wrap := true
	ar := ansi.NewRenderer(ansi.Options{
		WordWrap: width, TableWrap: &wrap, InlineTableLinks: true, PreserveNewLines: true, Styles: t.glamourStyle(),
	})
	return &glamourRenderer{renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(ar, 1)))}
}

// render renders one block. A panic of glamour becomes an error, after which the
// renderer must not be used again.
func (g *glamourRenderer) render(t *tree, block ast.Node) (out string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("glamour: %v", p)
		}
	}()
	doc := ast.NewDocument()
	doc.AppendChild(doc, block)
	var b bytes.Buffer
	if err := g.r.Render(&b, t.source, doc); err != nil {
		return "", fmt.Errorf("glamour: %w", err)
	}
	return b.String(), nil
}

// tree builds nodes for glamour; their texts lie in source.
type tree struct {
	source []byte
	wide   glyphs.StandIns // glamour measures the columns
}

// fill adds runs to a block.
func (t *tree) fill(block ast.Node, runs []inlineRun) {
	for _, r := range runs {
		block.AppendChild(block, t.node(r))
	}
}

func (t *tree) node(r inlineRun) ast.Node {
	var n ast.Node
	switch {
	case r.role&roleDim != 0:
		n = ast.NewImage(ast.NewLink())
		n.AppendChild(n, t.text(r.text, 2, false))
		return n
	case r.role&roleCode != 0:
		n = ast.NewCodeSpan()
		n.AppendChild(n, t.text(r.text, 1+links(r), true))
	default:
		n = t.emphasis(r, 1+links(r))
	}
	if r.role&roleLink != 0 {
		link := ast.NewLink()
		link.Destination = []byte("#") // glamour then adds no address
		link.AppendChild(link, n)
		n = link
	}
	return n
}

// links returns 1 for a run inside a link: glamour resolves its escapes once more.
func links(r inlineRun) int {
	if r.role&roleLink != 0 {
		return 1
	}
	return 0
}

// emphasis returns the text inside the nodes of its emphasis.
func (t *tree) emphasis(r inlineRun, passes int) ast.Node {
	var n ast.Node = t.text(r.text, passes, true)
	if r.role&roleStrike != 0 {
		n = wrapNode(extast.NewStrikethrough(), n)
	}
	if r.role&roleEmph != 0 {
		n = wrapNode(ast.NewEmphasis(1), n)
	}
	if r.role&roleStrong != 0 {
		n = wrapNode(ast.NewEmphasis(2), n)
	}
	return n
}

func wrapNode(outer, inner ast.Node) ast.Node {
	outer.AppendChild(outer, inner)
	return outer
}

// text returns a text node. passes is how often glamour resolves backslash escapes
// in it; references reports whether it resolves character references.
func (t *tree) text(s string, passes int, references bool) *ast.Text {
	s = t.wide.Replace(s)
	if strings.IndexByte(s, '\\') >= 0 {
		for range passes {
			s = strings.ReplaceAll(s, `\`, `\\`)
		}
	}
	if references {
		s = strings.ReplaceAll(s, "&", "&amp;")
	}
	start := len(t.source)
	t.source = append(t.source, s...)
	return ast.NewTextSegment(text.NewSegment(start, len(t.source)))
}

// rulePlace fills a row of a table in whose place the rule below the head is drawn. The letter is a
// private one, which no text has.
const rulePlace = "\U000fffe0"

// glamourTable renders a table, as wide as it needs to be and at most width. Glamour cuts long heads, so it
// gets an empty one, and the real one as the first row, which it wraps.
func (r *Renderer) glamourTable(rows [][][]inlineRun, align []extast.Alignment, width int) (head, body []line, err error) {
	t := &tree{}
	table := extast.NewTable()
	table.Alignments = align
	add := func(row ast.Node, cells [][]inlineRun) {
		for _, runs := range cells {
			cell := extast.NewTableCell()
			t.fill(cell, runs)
			row.AppendChild(row, cell)
		}
		table.AppendChild(table, row)
	}
	add(extast.NewTableHeader(extast.NewTableRow(align)), make([][]inlineRun, len(align)))
	for i, cells := range rows {
		if i == 0 {
			cells = slices.Clone(cells)
			for k := range cells {
				cells[k] = strong(cells[k])
			}
		}
		add(extast.NewTableRow(align), cells)
		if i == 0 {
			add(extast.NewTableRow(align), slices.Repeat([][]inlineRun{{{text: rulePlace}}}, len(align)))
		}
	}
	if r.tables == nil || len(r.tables) > 16 {
		r.tables = make(map[int]*glamourRenderer)
	}
	g := r.tables[width]
	if g == nil {
		g = newGlamour(r.theme, width)
		r.tables[width] = g
	}
	out, err := g.render(t, table)
	if err != nil {
		delete(r.tables, width)
		return nil, nil, err
	}
	var lines []line
	for _, l := range splitPieces(decode(strings.Trim(out, "\n"))) {
		for i := range l {
			l[i].text = t.wide.Restore(l[i].text)
		}
		lines = append(lines, line(l))
	}
	at := slices.IndexFunc(lines, func(l line) bool { return strings.HasPrefix(l.text(), "─") })
	below := slices.IndexFunc(lines, func(l line) bool { return strings.Contains(l.text(), rulePlace) })
	if at < 0 || below < at {
		return nil, nil, errors.New("glamour: a table without a head")
	}
	lines[below] = line{{lines[at].text(), r.theme.dim}}
	return lines[at+1 : below+1], lines[below+1:], nil
}

// strong returns a copy of runs in bold.
func strong(runs []inlineRun) []inlineRun {
	runs = slices.Clone(runs)
	for i := range runs {
		runs[i].role |= roleStrong
	}
	return runs
}

// splitPieces cuts pieces into lines.
func splitPieces(pieces []piece) [][]piece {
	lines := [][]piece{nil}
	for _, p := range pieces {
		for i, text := range strings.Split(p.text, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			last := &lines[len(lines)-1]
			*last = appendPiece(*last, text, p.style)
		}
	}
	return lines
}
