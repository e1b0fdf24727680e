package plain

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"parley/internal/safetext"
	"parley/internal/words"
)

// inlineParser parses inline markup only and treats any text as one paragraph. The Writer
// recognises blocks.
var inlineParser = parser.NewParser(
	parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1000)),
	parser.WithInlineParsers(append(parser.DefaultInlineParsers(), util.Prioritized(extension.NewStrikethroughParser(), 500))...),
)

// Inline turns the Markdown of one paragraph, heading or cell into plain words on one line. A
// link becomes its text, then its address in parentheses. Characters written as entities are
// made safe like all others.
func Inline(markdown string) string {
	markdown = words.OneLine(markdown)
	if !strings.ContainsAny(markdown, "*_`[]<>&~\\") {
		return markdown
	}
	source := []byte(markdown)
	w := inlineWords{source: source}
	w.children(inlineParser.Parse(text.NewReader(source)))
	return words.OneLine(safetext.Clean(w.out.String()))
}

type inlineWords struct {
	source []byte
	out    strings.Builder
	depth  int
}

// maxNesting bounds the depth of nested markup.
const maxNesting = 100

func (w *inlineWords) children(n ast.Node) {
	if w.depth++; w.depth < maxNesting {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			w.node(c)
		}
	}
	w.depth--
}

func (w *inlineWords) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		value := n.Segment.Value(w.source)
		if !n.IsRaw() {
			value = spelledOut(value)
		}
		w.out.Write(value)
	case *ast.String:
		w.out.Write(n.Value)
	case *ast.CodeSpan:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				w.out.Write(t.Segment.Value(w.source))
			}
		}
	case *ast.Link:
		w.link("", n, n.Destination)
	case *ast.Image:
		w.link("Image: ", n, n.Destination)
	case *ast.AutoLink:
		w.out.Write(n.URL(w.source))
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			w.out.Write(s.Value(w.source))
		}
	case *extast.Strikethrough:
		w.out.WriteString("(struck out: ")
		w.children(n)
		w.out.WriteString(")")
	default:
		w.children(n)
	}
}

// link writes a link's text and its address, or only one if they are the same.
func (w *inlineWords) link(before string, n ast.Node, destination []byte) {
	w.out.WriteString(before)
	from := w.out.Len()
	w.children(n)
	said, to := w.out.String()[from:], string(spelledOut(destination))
	switch {
	case to == "" || said == to:
	case said == "":
		w.out.WriteString(to)
	default:
		w.out.WriteString(" (" + to + ")")
	}
}

// spelledOut resolves escapes and entities.
func spelledOut(b []byte) []byte {
	if bytes.ContainsAny(b, `\&`) {
		return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(b)))
	}
	return b
}

// settled reports whether the start of a paragraph will read the same whatever follows:
// nothing in it can still turn out to be markup.
func settled(words string) bool {
	for i, r := range words {
		switch {
		case strings.ContainsRune("*`[]<~\\|&", r):
			return false
		case r == '_' && (i == 0 || words[i-1] == ' ' || i+1 == len(words) || words[i+1] == ' '):
			return false
		}
	}
	return true
}
