package plain

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// notes records what a Writer says.
type notes struct {
	lines  []string
	open   bool
	pieces int
}

func (n *notes) Say(words string) {
	n.pieces++
	if n.open {
		n.lines[len(n.lines)-1] += " " + words
		return
	}
	n.lines, n.open = append(n.lines, words), true
}

func (n *notes) Verbatim(line string) {
	n.End()
	n.lines = append(n.lines, "|"+line)
}

func (n *notes) End() { n.open = false }

// speech returns what is said of a message written in pieces of size bytes.
func speech(text string, size int) *notes {
	n := &notes{}
	s := &Writer{to: n}
	for len(text) > size {
		s.Write(text[:size])
		text = text[size:]
	}
	s.Write(text)
	s.End()
	return n
}

func TestWriter(t *testing.T) {
	for _, test := range []struct {
		name, markdown string
		want           []string
	}{
		{"paragraphs", "One line\nand another.\n\nTwo.", []string{"One line and another.", "Two."}},
		{"inline", "**bold** _it_ `code *x*` snake_case 2 * 3 ~~no~~ \\*x\\* &amp; <https://a.b>", []string{"bold it code *x* snake_case 2 * 3 (struck out: no) *x* & https://a.b"}},
		{"links", "See [the docs](https://a.b/c) and [https://a.b](https://a.b), ![a cat](cat.png).", []string{"See the docs (https://a.b/c) and https://a.b, Image: a cat (cat.png)."}},
		{"headings", "# One\n## Two ##\nText\nSetext\n===\n#hash", []string{"Heading 1: One", "Heading 2: Two", "Heading 1: Text Setext", "#hash"}},
		{"items", "- a\n  goes on\n- b\n  - c\n    1. d\n- [ ] e\n- [x] f\n1) g\n\nEnd.", []string{"Item: a goes on", "Item: b", "Item, level 2: c", "Level 3, 1. d", "Item, open: e", "Item, done: f", "1. g", "End."}},
		{"code", "```go\nfunc x() {\n\n\t# not a heading\n}\n```\nand\n\n    indented\n\ttab\nafter", []string{"Code, Go:", "|func x() {", "|", "|\t# not a heading", "|}", "End of code.", "and", "Code:", "|indented", "|tab", "End of code.", "after"}},
		{"code in an item", "- a\n  ```\n  x\n    y\n  ```\n- b", []string{"Item: a", "Code:", "|x", "|  y", "End of code.", "Item: b"}},
		{"open code", "~~~~ {.python}\nx\n~~~\ny", []string{"Code, Python:", "|x", "|~~~", "|y", "End of code."}},
		{"table", "| Name | Size |\n|:--|--:|\n| `x|y` \\| z | 3 |\n| only |\n\nafter", []string{"Table, 2 columns.", "Name: `x, Size: y` | z", "Name: only", "End of table.", "after"}},
		{"no table", "a | b\nc | d", []string{"a | b c | d"}},
		{"quotes", "> one\n> two\n>\n> > deep\n\nout", []string{"Quote: one two", "Quote: Quote: deep", "out"}},
		{"rule", "a\n\n---\nb", []string{"a", "Divider.", "b"}},
		{"sentences with markup", "A **b. c** d. E `f. g` h. **open. i", []string{"A b. c d. E f. g h. **open. i"}},
		{"entities are no way around", "&#27;[2J &#10;You: x &#x202e;", []string{"You: x"}},
	} {
		for _, size := range []int{1, 2, 3, 7, 1 << 20} {
			if diff := cmp.Diff(test.want, speech(test.markdown, size).lines); diff != "" {
				t.Errorf("%s, in pieces of %d: %s", test.name, size, diff)
			}
		}
	}
}

// Each sentence is said separately, as soon as it is complete.
func TestWriterSaysSentences(t *testing.T) {
	n := &notes{}
	s := &Writer{to: n}
	s.Write("- One. Two (really!) three? Four is")
	if n.pieces != 3 || n.lines[0] != "Item: One. Two (really!) three?" {
		t.Errorf("%d pieces: %q", n.pieces, n.lines)
	}
	s.Write(" here.\n- Next")
	if n.lines[0] != "Item: One. Two (really!) three?" { // the item may continue in the next line
		s.Write(" item.\n\n")
	}
	s.End()
	if len(n.lines) != 2 {
		t.Errorf("got %q", n.lines)
	}
}

// A paragraph that does not end is said in pieces of bounded size.
func TestWriterHoldsBackLittle(t *testing.T) {
	n := &notes{}
	s := &Writer{to: n}
	word := strings.Repeat("ä", 100) + "*"
	for range 1000 {
		s.Write(word)
		if held := len(s.line) + len(s.block); held > 2*maxHeld {
			t.Fatalf("%d bytes are held back", held)
		}
	}
	s.End()
	if got := strings.ReplaceAll(strings.Join(n.lines, ""), " ", ""); strings.Count(got, "ä") != 100_000 || !utf8.ValidString(got) {
		t.Errorf("%d of it were said", strings.Count(got, "ä"))
	}
}

func FuzzWriter(f *testing.F) {
	for _, seed := range []string{"# a\n\n- b. c\n  - d\n> e\n```go\nx\n```\n|a|b|\n|-|-|\n|1|2|\n", "**a. b** [c](d \"e\") <f> &#27; \\\n\tg", "1. a\n\n   b. c. d\n===\n", "> ```\n> a\n\nb", "&#10;\x1b[31m\u202e"} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		whole := speech(text, 1<<30)
		if size = max(1, size%64); size > 0 {
			if diff := cmp.Diff(whole.lines, speech(text, size).lines); diff != "" {
				t.Errorf("in pieces of %d: %s", size, diff)
			}
		}
		for _, l := range whole.lines {
			if strings.Contains(l, "\n") {
				t.Errorf("a line of two: %q", l)
			}
		}
	})
}
