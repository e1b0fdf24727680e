package markdown

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"parley/ui/theme"
)

// split returns the closed blocks of a message that comes in pieces.
func split(pieces ...string) []Block {
	var s Stream
	for _, p := range pieces {
		s.Append([]byte(p))
	}
	s.Finish()
	return blocksOf(&s, strings.Join(pieces, ""))
}

// blocksOf returns the closed blocks of a message.
func blocksOf(s *Stream, message string) []Block {
	blocks := make([]Block, s.Len())
	for i := range blocks {
		blocks[i] = s.Block(i, []byte(message))
	}
	return blocks
}

// outline writes blocks as "Kind:lang+ source", + for Continued.
func outline(blocks []Block) []string {
	var out []string
	for _, b := range blocks {
		name := b.Kind.String()
		if b.Lang != "" {
			name += ":" + b.Lang
		}
		if b.Continued {
			name += "+"
		}
		out = append(out, fmt.Sprintf("%s %q", name, b.Source))
	}
	return out
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"empty", "", nil},
		{"blank", "\n \n", []string{`Paragraph+ "\n \n"`}},
		{"paragraphs", "a\nb\n\n\nc", []string{`Paragraph "a\nb\n\n"`, `Paragraph "\nc"`}},
		{"trailing blank lines", "a\n\n\n\n", []string{`Paragraph "a\n\n\n\n"`}},
		{"headings", "# a\n## b\ntext\n#no", []string{`Heading "# a\n"`, `Heading "## b\n"`, `Paragraph "text\n#no"`}},
		{"setext", "a\nb\n===\nc\n---\n", []string{`Heading "a\nb\n===\n"`, `Heading "c\n---\n"`}},
		{"rules", "---\n***\n- - -\n", []string{`Rule "---\n"`, `Rule "***\n"`, `Rule "- - -\n"`}},
		{"fence", "a\n```go\nx\n\n# y\n```\nb", []string{`Paragraph "a\n"`, `Fence:go "` + "```go\\nx\\n\\n# y\\n```\\n" + `"`, `Paragraph "b"`}},
		{"long fence", "````md\n```\n````\n", []string{`Fence:md "` + "````md\\n```\\n````\\n" + `"`}},
		{"tilde fence", "~~~\n```\n~~~\nb", []string{`Fence "` + "~~~\\n```\\n~~~\\n" + `"`, `Paragraph "b"`}},
		{"no fence: backtick in the info", "``` a`b\nc", []string{`Paragraph "` + "``` a`b\\nc" + `"`}},
		{"unfinished fence", "```sh\nls", []string{`Fence:sh "` + "```sh\\nls" + `"`}},
		{"list", "- a\n  b\n  - c\n\n- d\n\n  e\n\nf", []string{`List "- a\n  b\n  - c\n\n- d\n\n  e\n\n"`, `Paragraph "f"`}},
		{"list after text", "a:\n- b\n- c\n", []string{`Paragraph "a:\n"`, `List "- b\n- c\n"`}},
		{"lazy line of an item", "- a\nb\n", []string{`List "- a\nb\n"`}},
		{"heading after list", "- a\n# b\n", []string{`List "- a\n"`, `Heading "# b\n"`}},
		{"fence in an item", "1. a\n   ```\n   - x\n\n   y\n   ```\n2. b\n", []string{"List \"1. a\\n   ```\\n   - x\\n\\n   y\\n   ```\\n2. b\\n\""}},
		{"number does not interrupt", "in\n1987. was\n", []string{`Paragraph "in\n1987. was\n"`}},
		{"quote", "> a\nlazy\n> b\n\nc", []string{`Quote "> a\nlazy\n> b\n\n"`, `Paragraph "c"`}},
		{"table", "| a | b |\n|---|:-:|\n| 1 | 2 |\n\nc", []string{`Table "| a | b |\n|---|:-:|\n| 1 | 2 |\n\n"`, `Paragraph "c"`}},
		{"table after text", "text\na|b\n-|-\n1|2\n", []string{`Paragraph "text\n"`, `Table "a|b\n-|-\n1|2\n"`}},
		{"no table: columns differ", "a|b\n-|-|-\n", []string{`Paragraph "a|b\n-|-|-\n"`}},
		{"html", "<details>\n<b>x</b>\n\ny", []string{`HTML "<details>\n<b>x</b>\n\n"`, `Paragraph "y"`}},
		{"comment", "<!-- a\n\nb -->\nc", []string{`HTML "<!-- a\n\nb -->\n"`, `Paragraph "c"`}},
		{"no html: unknown tag", "<thinking>\n", []string{`Paragraph "<thinking>\n"`}},
		{"reference", "[a]: http://x\n[b]: y\ntext", []string{`Reference "[a]: http://x\n[b]: y\n"`, `Paragraph "text"`}},
		{"indented code", "    a\n    b\nc", []string{`Code "    a\n    b\n"`, `Paragraph "c"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, outline(split(tt.in))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// checkBlocks asserts what holds for any message.
func checkBlocks(t *testing.T, text string, blocks []Block) {
	t.Helper()
	var all strings.Builder
	for _, b := range blocks {
		all.WriteString(b.Source)
		if len(b.Source) > maxBlock || b.Kind == 0 || b.Open {
			t.Fatalf("block of %d bytes, %v, open %v", len(b.Source), b.Kind, b.Open)
		}
		if b.Kind == Fence && strings.Count(b.code(), "\n") > maxLines {
			t.Fatalf("%d lines of code in a piece", strings.Count(b.code(), "\n"))
		}
	}
	if all.String() != text {
		t.Fatalf("the blocks do not make the text: %q, want %q", all.String(), text)
	}
}

func TestLongBlocksAreCut(t *testing.T) {
	row := "| cell one | cell two |\n"
	for _, tt := range []struct {
		name, text string
		kind       Kind
	}{
		{"one line of words", strings.Repeat("words and more of them ", 900), Paragraph},
		{"lines of words", strings.Repeat("words and more of them\n", 900), Paragraph},
		{"no blank at all", strings.Repeat("你", 9000), Paragraph},
		{"list", strings.Repeat("1. an item of some length\n", 900), List},
		{"quote", strings.Repeat("> quoted words\n", 900), Quote},
		{"table", row + "|---|---|\n" + strings.Repeat(row, 900), Table},
		{"fence", "```go\n" + strings.Repeat("\tx := 1 // a comment\n", 2000) + "```\n", Fence},
		{"fence with a long line", "```go\n" + strings.Repeat("x", 20_000) + "\n```\n", Fence},
		{"code", strings.Repeat("    code\n", 1800), Code},
		{"html", "<div>\n" + strings.Repeat("text in it\n", 900), HTML},
		{"blank lines", strings.Repeat("\n", 9000), Paragraph},
	} {
		t.Run(tt.name, func(t *testing.T) {
			blocks := split(tt.text)
			checkBlocks(t, tt.text, blocks)
			if len(blocks) < 3 {
				t.Errorf("%d blocks", len(blocks))
			}
			for i, b := range blocks {
				if b.Kind != tt.kind {
					t.Errorf("block %d is a %v", i, b.Kind)
				}
				if i > 0 && !b.Continued {
					t.Errorf("block %d of %d does not continue the one before", i, len(blocks))
				}
				if !utf8.ValidString(b.Source) {
					t.Errorf("block %d is cut inside a rune", i)
				}
			}
		})
	}
}

func TestFencePiecesHoldTheCodeOnly(t *testing.T) {
	var code strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&code, "line %d\n", i)
	}
	var got strings.Builder
	for _, b := range split("```text\n" + code.String() + "```\n") {
		got.WriteString(b.code())
		if b.Lang != "text" {
			t.Errorf("piece with language %q", b.Lang)
		}
	}
	if got.String() != code.String() {
		t.Error("the pieces do not make the code")
	}
}

func TestListPiecesKeepTheirNumbers(t *testing.T) {
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintf(&text, "%d. item with `code` and some words\n", i+1)
	}
	r := NewRenderer(60, theme.Plain())
	n := 0
	for _, b := range split(text.String()) {
		for _, row := range r.Rows(b) {
			n++
			if want := fmt.Sprintf("%d. item", n); !strings.HasPrefix(strings.TrimLeft(row, " "), want) {
				t.Fatalf("row %d is %q", n, row)
			}
		}
	}
	if n != 500 {
		t.Errorf("%d items", n)
	}
}

func TestFenceInsideALongItem(t *testing.T) {
	text := "1. Run:\n\n   ```sh\n" + strings.Repeat("   # echo hello\n", 600) + "   ```\n\n   then\n2. Done\n"
	blocks := split(text)
	checkBlocks(t, text, blocks)
	r := NewRenderer(60, theme.Plain())
	echo := 0
	var rows []string
	for _, b := range blocks {
		rows = append(rows, r.Rows(b)...)
	}
	for _, row := range rows {
		if strings.Contains(row, "# echo hello") {
			echo++
		}
		if strings.Contains(row, "```") {
			t.Errorf("a marker is shown: %q", row)
		}
	}
	if echo != 600 {
		t.Errorf("%d rows of code", echo)
	}
	if got := rows[max(len(rows)-1, 0):]; len(got) != 1 || got[0] != "2. Done" {
		t.Errorf("last row %q", got)
	}
}

func TestTail(t *testing.T) {
	for _, tt := range []struct {
		in         string
		kind       Kind
		source     string
		lang, code string
	}{
		{"", 0, "", "", ""},
		{"a\n\n", 0, "", "", ""},
		{"a\nb", Paragraph, "a\nb", "", ""},
		{"# a", Heading, "# a", "", ""},
		{"# a\nb", Paragraph, "b", "", ""},
		{"```g", Fence, "```g", "g", ""},
		{"```go\nx", Fence, "```go\nx", "go", "x"},
		{"```go\nx\n``", Fence, "```go\nx\n``", "go", "x\n"},
		{"- a\n- ", List, "- a\n- ", "", ""},
	} {
		var s Stream
		s.Append([]byte(tt.in))
		b := s.Tail()
		if b.Kind != tt.kind || b.Source != tt.source || b.Lang != tt.lang || b.Open != (tt.kind != 0) {
			t.Errorf("tail of %q: %+v", tt.in, b)
		}
		if b.Kind == Fence && b.code() != tt.code {
			t.Errorf("code of %q: got %q, want %q", tt.in, b.code(), tt.code)
		}
	}
}

func TestStreamReset(t *testing.T) {
	var s Stream
	s.Append([]byte("```go\nx\n"))
	s.Reset()
	const message = "a\n\nb"
	s.Append([]byte(message))
	s.Finish()
	if diff := cmp.Diff([]string{`Paragraph "a\n\n"`, `Paragraph "b"`}, outline(blocksOf(&s, message))); diff != "" {
		t.Error(diff)
	}
}

var seeds = []string{
	"# h\n\ntext **bold** `code`\n- a\n  - b\n1. x\n\n> q\n> - l\n\n|a|b|\n|-|-|\n|1|2|\n\n```go\nfunc f() {}\n```\n---\n",
	"- a\n\n  ```\n  x\n\n  y\n  ```\nb\n\nc", "<div>\n\n<!-- a\n\n-->", "[a]: b\n[c](d) ![e](f) <http://g>",
	"````\n```\n````", "~~~\n\x1b[31m", "a\n===\nb\n---\n", "    code\n\n\n\ttab", "1. a\n2. b\n\n10) c", "* * *\n***a***", ">>>>> a\n>b\nc",
	"你好 **世界** 🎉 e\u0301", "- [x] done\n- [ ] open\n- ```sh\n  ls\n  ```", "&#27;[2J &amp; \\* `&lt;`", "|a\n|-\n|b|c|d",
}

// long makes fuzz inputs reach the limits without being long themselves.
func long(text string, times uint16) string {
	if n := len(text); n > 0 {
		return strings.Repeat(text, min(int(times), 20_000/n)+1)
	}
	return text
}

func FuzzChunking(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, uint16(0), uint64(i)*0x9e3779b97f4a7c15+1)
		f.Add(s, uint16(2000), uint64(i)*0xbf58476d1ce4e5b9+1)
		f.Add(strings.ReplaceAll(s, "\n", " "), uint16(2000), uint64(3))
		f.Add("- "+strings.ReplaceAll(s, "\n", "\n  "), uint16(900), uint64(7))
	}
	f.Fuzz(func(t *testing.T, text string, times uint16, cuts uint64) {
		text = long(text, times)
		whole := split(text)
		checkBlocks(t, text, whole)
		var s Stream
		start := 0
		for i := 1; i < len(text); i++ {
			if cuts>>(i%61)&1 == 1 {
				s.Append([]byte(text[start:i]))
				s.Tail()
				if start = i; cuts>>(i%59)&1 == 1 {
					s.forget() // what is forgotten must not matter
				}
			}
		}
		s.Append([]byte(text[start:]))
		s.Finish()
		got := blocksOf(&s, text)
		if diff := cmp.Diff(outline(whole), outline(got)); diff != "" {
			t.Fatalf("cut by %#x: %s", cuts, diff)
		}
		for i, b := range got {
			if b != whole[i] {
				t.Fatalf("cut by %#x: block %d: %+v, want %+v", cuts, i, b, whole[i])
			}
		}
	})
}
