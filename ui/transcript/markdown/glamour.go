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
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"parley/internal/glyphs"
	"parley/internal/text"
)

// glamourRenderer is glamour's renderer without its parser. It gets trees without
// escapes, references and HTML, so it cannot drop text that looks like HTML, resolve
// escapes twice or change addresses.
type glamourRenderer struct {
	r renderer.Renderer
}

// newGlamour returns a renderer for this width.
func newGlamour(width int) *glamourRenderer {
	wrap := true
	ar := ansi.NewRenderer(ansi.Options{
		WordWrap: width, TableWrap: &wrap, InlineTableLinks: true, PreserveNewLines: true,
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

// escapes undoes that glamour resolves escapes and references.
var escapes = strings.NewReplacer(`\`, `\\`, "&", "&amp;")

// text returns a node with a text that already has its styles.
func (t *tree) text(s string) *ast.Text {
	s = escapes.Replace(t.wide.Replace(s))
	start := len(t.source)
	t.source = append(t.source, s...)
	return ast.NewTextSegment(gmtext.NewSegment(start, len(t.source)))
}

// rulePlace fills a row of a table in whose place the rule below the head is drawn. The letter is a
// private one, which no text has.
const rulePlace = "\U000fffe0"

// glamourTable renders a table, as wide as it needs to be and at most width. Glamour cuts long heads, so it
// gets an empty one, and the real one as the first row, which it wraps.
func (r *Renderer) glamourTable(rows [][][]inlineRun, align []extast.Alignment, width int) (head, body []string, err error) {
	t := &tree{}
	table := extast.NewTable()
	table.Alignments = align
	add := func(row ast.Node, cells []string) {
		for _, cell := range cells {
			c := extast.NewTableCell()
			c.AppendChild(c, t.text(cell))
			row.AppendChild(row, c)
		}
		table.AppendChild(table, row)
	}
	add(extast.NewTableHeader(extast.NewTableRow(align)), make([]string, len(align)))
	for n, cells := range rows {
		styled := make([]string, len(cells))
		for i, runs := range cells {
			for k := range runs {
				if n == 0 {
					runs[k].role |= roleStrong
				}
			}
			styled[i] = r.styled(runs, text.Pen{})
		}
		add(extast.NewTableRow(align), styled)
		if n == 0 {
			add(extast.NewTableRow(align), slices.Repeat([]string{rulePlace}, len(align)))
		}
	}
	if r.tables == nil || len(r.tables) > 16 {
		r.tables = make(map[int]*glamourRenderer)
	}
	g := r.tables[width]
	if g == nil {
		g = newGlamour(width)
		r.tables[width] = g
	}
	out, err := g.render(t, table)
	if err != nil {
		delete(r.tables, width)
		return nil, nil, err
	}
	drawn := text.Wrap(t.wide.Restore(strings.Trim(out, "\n")), text.MaxCells)
	at := slices.IndexFunc(drawn, func(row string) bool { return strings.HasPrefix(row, "─") })
	below := slices.IndexFunc(drawn, func(row string) bool { return strings.Contains(row, rulePlace) })
	if at < 0 || below < at {
		return nil, nil, errors.New("glamour: a table without a head")
	}
	drawn[below] = r.paint(drawn[at], r.theme.dim)
	return drawn[at+1 : below+1], drawn[below+1:], nil
}
