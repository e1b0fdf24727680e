package markdown

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"parley/internal/text"
)

// proseParser parses the markdown of one block. It knows no HTML and resolves
// no references: both are shown as they are written.
type proseParser struct {
	p parser.Parser
}

func newProseParser() *proseParser {
	return &proseParser{parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
			util.Prioritized(extension.NewLinkifyParser(), 999),
		),
		parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)}
}

// document lays out one parsed block.
type document struct {
	r      *Renderer
	source []byte
	root   ast.Node
	open   bool
	// headless says that the head of a table was shown before.
	headless bool
}

func (d *document) parse(source string) {
	if d.r.parser == nil {
		d.r.parser = newProseParser()
	}
	d.source = []byte(source)
	d.root = d.r.parser.p.Parse(gmtext.NewReader(d.source))
}

// blocks lays out the children of a container, with a blank row where the
// source has one and between blocks that need it.
func (d *document) blocks(parent ast.Node, width int) []string {
	var lines []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		rows := d.block(n, width)
		if len(rows) == 0 {
			continue
		}
		if len(lines) > 0 && apart(parent, n) {
			lines = append(lines, "")
		}
		lines = append(lines, rows...)
	}
	return lines
}

// apart reports whether a blank row goes before n. A list inside an item stays
// close to the words that lead to it.
func apart(parent, n ast.Node) bool {
	switch parent.Kind() {
	case ast.KindDocument:
		return true
	case ast.KindListItem:
		return n.HasBlankPreviousLines() && n.Kind() != ast.KindList
	}
	return n.HasBlankPreviousLines()
}

func (d *document) block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.List:
		return d.list(n, width)
	case *ast.Blockquote:
		inner, used := d.r.inner(width, 2)
		lines := d.blocks(n, inner)
		if used == 2 {
			bar := d.r.paint("│ ", d.r.theme.dim)
			for i, row := range lines {
				lines[i] = text.WrapLinked(bar+row, text.MaxCells)[0] // one bar after the other is one run
			}
		}
		return lines
	case *ast.FencedCodeBlock:
		lang := ""
		if n.Info != nil {
			lang = language(string(n.Info.Segment.Value(d.source)))
		}
		if d.open {
			lang = ""
		}
		return d.r.code(d.code(n), lang, width)
	case *ast.CodeBlock:
		return d.r.code(d.code(n), "", width)
	case *ast.ThematicBreak:
		return []string{d.r.rule(width)}
	case *extast.Table:
		return d.table(n, width)
	case *ast.Heading:
		return d.prose(n, n.Level, width)
	}
	return d.prose(n, 0, width)
}

// prose lays out a paragraph (level 0) or a heading.
func (d *document) prose(n ast.Node, level, width int) []string {
	var base text.Pen
	if level > 0 {
		base = d.r.theme.headings[min(level, len(d.r.theme.headings))-1]
	}
	rows := text.WrapLinked(d.r.styled(inline(nil, n, d.source, 0), base), width)
	if len(rows) == 1 && rows[0] == "" {
		return nil
	}
	return rows
}

// list lays out a list with hanging indents. In a loose list an item of several
// paragraphs is kept apart from the next one.
func (d *document) list(list *ast.List, width int) []string {
	marker, number := "• ", list.Start
	room := 2
	if list.IsOrdered() {
		room = len(strconv.Itoa(number+list.ChildCount()-1)) + 2
	}
	inner, used := d.r.inner(width, room)
	var lines []string
	apart := false
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		if list.IsOrdered() {
			marker = strconv.Itoa(number) + string(list.Marker) + " "
			marker = strings.Repeat(" ", max(room-len(marker), 0)) + marker
			number++
		}
		rows := d.blocks(item, inner)
		if len(rows) == 0 {
			rows = []string{""}
		}
		if used < room { // no room beside the text: the marker before it
			rows = append(d.r.plain(strings.TrimSpace(marker), text.Pen{}, width), rows...)
		} else {
			first := marker
			if !list.IsOrdered() && isTask(item) {
				first = "" // the box is the marker
			}
			rows = prefixed(rows, first, strings.Repeat(" ", room))
		}
		if apart {
			lines = append(lines, "")
		}
		apart = !list.IsTight && hasBlank(rows)
		lines = append(lines, rows...)
	}
	return lines
}

// isTask reports whether a list item begins with a check box.
func isTask(item ast.Node) bool {
	first := item.FirstChild()
	if first == nil || first.FirstChild() == nil {
		return false
	}
	return first.FirstChild().Kind() == extast.KindTaskCheckBox
}

// hasBlank reports whether one of the rows is blank.
func hasBlank(rows []string) bool {
	return slices.ContainsFunc(rows, func(row string) bool { return strings.TrimSpace(ansi.Strip(row)) == "" })
}

// code returns the text of a code block inside another block.
func (d *document) code(n ast.Node) string {
	var b strings.Builder
	segments := n.Lines()
	for i := range segments.Len() {
		segment := segments.At(i)
		b.Write(segment.Value(d.source))
	}
	return b.String()
}

// table lays out a table as a grid; one that is open, or has no room, as it is
// written.
func (d *document) table(table *extast.Table, width int) []string {
	var rows [][][]inlineRun
	var written strings.Builder
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		var cells [][]inlineRun
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			runs := inline(nil, cell, d.source, 0)
			written.WriteString("| ")
			for _, r := range runs {
				written.WriteString(r.text)
			}
			written.WriteString(" ")
			cells = append(cells, runs)
		}
		written.WriteString("|\n")
		rows = append(rows, cells)
	}
	if columns := len(table.Alignments); !d.open && columns > 0 && width/columns >= 6 {
		room, natural := width, naturalWidth(rows)
		if natural > width { // glamour forgets the lines between columns when it makes them narrower
			room, natural = width-columns+1, width
		}
		head, body, err := d.r.glamourTable(rows, table.Alignments, min(room, natural))
		switch {
		case err != nil || !fits(head, width) || !fits(body, width):
		case d.headless:
			return body
		default:
			return append(head, body...)
		}
	}
	lines := strings.SplitAfterN(written.String(), "\n", 2)
	if d.headless && len(lines) == 2 {
		return d.r.plain(lines[1], text.Pen{}, width)
	}
	return d.r.plain(written.String(), text.Pen{}, width)
}

// naturalWidth returns the cells a table needs if nothing is wrapped. Glamour
// would stretch a narrower one.
func naturalWidth(rows [][][]inlineRun) int {
	var columns []int
	for _, cells := range rows {
		for i, runs := range cells {
			n := 2 // a space on either side
			for _, r := range runs {
				n += text.Width(r.text)
			}
			if i == len(columns) {
				columns = append(columns, 0)
			}
			columns[i] = max(columns[i], n)
		}
	}
	total := len(columns) - 1
	for _, n := range columns {
		total += n
	}
	return total
}

func fits(rows []string, width int) bool {
	return !slices.ContainsFunc(rows, func(row string) bool { return text.Width(row) > width })
}

// tooDeep reports markdown that is nested far beyond what a reader follows and
// that a parser may need long for: it is shown as it is written.
func tooDeep(source string) bool {
	if strings.Count(source, "[") > 256 || strings.Count(source, "*")+strings.Count(source, "_")+strings.Count(source, "~") > 1024 {
		return true
	}
	for l := range strings.SplitSeq(source, "\n") {
		depth := 0
		for i := 0; i < len(l) && strings.IndexByte(" \t>-+*0123456789.)", l[i]) >= 0; i++ {
			if l[i] == '>' || (l[i] == ' ' || l[i] == '\t') && i > 0 && l[i-1] > ' ' && l[i-1] != '>' {
				depth++
			}
		}
		if indent, _ := indentOf(l); depth > 16 || indent > 64 {
			return true
		}
	}
	return false
}
