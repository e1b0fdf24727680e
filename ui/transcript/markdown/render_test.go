package markdown

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	extast "github.com/yuin/goldmark/extension/ast"

	"parley/internal/glyphs"
	"parley/internal/text"
	"parley/internal/tty"
	"parley/ui/theme"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// render shows blocks as the transcript does.
func render(r *Renderer, blocks []Block) []string {
	var rows []string
	for _, b := range blocks {
		more := r.Rows(b)
		if len(rows) > 0 && len(more) > 0 && !b.Continued {
			rows = append(rows, "")
		}
		rows = append(rows, more...)
	}
	return rows
}

func readRich(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/rich.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var looks = map[string]*theme.Theme{"dark": theme.Dark(), "ansi": theme.ANSI(), "plain": theme.Plain()}

func TestGolden(t *testing.T) {
	blocks := split(readRich(t))
	for width, look := range map[int]string{40: "plain", 80: "dark", 100: "plain"} {
		name := fmt.Sprintf("%s-%d", look, width)
		t.Run(name, func(t *testing.T) {
			rows := render(NewRenderer(width, looks[look]), blocks)
			checkRows(t, rows, width)
			got := strings.ReplaceAll(strings.Join(rows, "\n")+"\n", "\x1b", "␛")
			path := filepath.Join("testdata", "rich-"+name+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// checkRows asserts what holds for the rows of anything.
func checkRows(t *testing.T, rows []string, width int) {
	t.Helper()
	for i, row := range rows {
		if w := glyphs.Width(row); w > width {
			t.Fatalf("row %d takes %d of %d cells: %q", i, w, width, row)
		}
		text := sgr.ReplaceAllString(row, "")
		if j := strings.IndexFunc(text, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e }); j >= 0 {
			t.Fatalf("row %d holds a control character: %q", i, row)
		}
		if text != strings.TrimRight(text, " ") && !strings.Contains(row, ";48;2;") { // the ground of code is as wide as the block
			t.Fatalf("row %d ends in blanks: %q", i, row)
		}
		if n := strings.LastIndex(row, "\x1b["); n >= 0 && !strings.HasPrefix(row[n:], "\x1b[m") {
			t.Fatalf("row %d does not end in the terminal's style: %q", i, row)
		}
	}
}

// TestOpenLooksLikeClosed keeps text from jumping when a block closes: the words and
// their places are the same.
func TestOpenLooksLikeClosed(t *testing.T) {
	for name, look := range looks {
		for _, width := range []int{20, 40, 100} {
			r := NewRenderer(width, look)
			for _, b := range split(readRich(t)) {
				open := b
				open.Open = true
				closed, tail := r.Rows(b), r.Rows(open)
				if b.Kind == Fence || b.Kind == List {
					for i := range closed { // colours in code come late
						closed[i] = ansi.Strip(closed[i])
					}
					for i := range tail {
						tail[i] = ansi.Strip(tail[i])
					}
				}
				if diff := cmp.Diff(closed, tail); diff != "" {
					t.Errorf("%s %d %v: %s", name, width, b.Kind, diff)
				}
			}
		}
	}
}

// A table grows row by row while it arrives, with wider columns where a row needs them, and does not change
// at its end.
func TestTableGrows(t *testing.T) {
	const table = "| name | what it is |\n|---|--:|\n| a | b |\n| lex.go | decides **which** errors there are |\n| 漢字 | wide |\n"
	r := NewRenderer(60, theme.Plain())
	var s Stream
	heights := []int{}
	for i := range len(table) {
		s.Append([]byte(table[i : i+1]))
		b := s.Tail()
		rows := r.Rows(b)
		if strings.Contains(strings.Join(rows, ""), "--") {
			t.Fatalf("the second row as it is written: %q", rows)
		}
		if b.Kind == Table {
			checkRows(t, rows, 60)
			heights = append(heights, len(rows))
			if strings.Contains(strings.Join(rows, ""), "|") {
				t.Fatalf("not a grid: %q", rows)
			}
		}
	}
	if !slices.IsSorted(heights) || heights[0] != 2 || heights[len(heights)-1] != 5 {
		t.Errorf("rows: %v", heights)
	}
	open := s.Tail()
	closed := open
	closed.Open = false
	if diff := cmp.Diff(r.Rows(closed), r.Rows(open)); diff != "" {
		t.Errorf("at its end: %s", diff)
	}
}

func TestRows(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"paragraph", "a **b** c", []string{"a \x1b[1mb\x1b[m c"}},
		{"code in bold", "**`x`**", []string{"\x1b[36mx\x1b[m"}},
		{"neighbours share a sequence", "*a **b***", []string{"\x1b[3ma \x1b[1mb\x1b[m"}},
		{"heading 1", "# Hi `x`", []string{"\x1b[1;4;94mHi \x1b[36mx\x1b[m"}},
		{"heading 1, underlined", "Hi\n==", []string{"\x1b[1;4;94mHi\x1b[m"}},
		{"heading 2", "## Hi `x`", []string{"\x1b[1;94mHi \x1b[36mx\x1b[m"}},
		{"heading 3", "### Hi", []string{"\x1b[36mHi\x1b[m"}},
		{"heading 6", "###### Hi", []string{"\x1b[36mHi\x1b[m"}},
		{"tasks", "- [x] a b c d e f g h i j\n- [ ] b\n  - [x] c\n- d", []string{"☑ a b c d e f g", "  h i j", "☐ b", "  ☑ c", "• d"}},
		{"numbered tasks", "1. [ ] a\n2. [x] b", []string{"1. ☐ a", "2. ☑ b"}},
		{"link", "[a](b)", []string{"\x1b[4;36ma\x1b[m\x1b[2m (b)\x1b[m"}},
		{"bare address", "https://x.org/a_b", []string{"\x1b[4;36mhttps://x.org/a_b\x1b[m"}},
		{"html stays", "Vec<T> <b>x</b>", []string{"Vec<T> <b>x</b>"}},
		{"escapes once", `\* \\* C:\x \"q\"`, []string{`* \* C:\x "q"`}},
		{"code has no escapes", "`\\* &lt; \\\\`", []string{"\x1b[36m\\* &lt; \\\\\x1b[m"}},
		{"code in a table", "|a|\n|-|\n|`\\.`|\n", []string{" \x1b[1ma\x1b[m", "\x1b[2m────\x1b[m", " \x1b[36m\\.\x1b[m"}},
		{"reference to the mark of a rule", "|a&#xfffe0;|\n|-|\n|b|\n", []string{" \x1b[1ma\ufffd\x1b[m", "\x1b[2m────\x1b[m", " b"}},
		{"reference to a control", "&#27;[2Jx&#x202e;y", []string{"[2Jxy"}},
		{"control characters", "a\x1b[31mb\x1b]0;t\x07c", []string{"abc"}},
		{"list numbers", "7. a\n8. b\n", []string{"7. a", "8. b"}},
		{"aligned numbers", "9. a\n10. b\n", []string{" 9. a", "10. b"}},
		{"hanging indent", "- aaaa bbbb cccc dddd\n", []string{"• aaaa bbbb cccc", "  dddd"}},
		{"hard break", "a  \nb", []string{"a", "b"}},
		{"soft break", "a\nb", []string{"a b"}},
		{"long word", "abcdefghijklmnopqrstuvwxyz", []string{"abcdefghijklmnopqr", "stuvwxyz"}},
		{"wide runes", "你好世界你好世界你好世界", []string{"你好世界你好世界你", "好世界"}},
		{"mark on a space", "a \u0301b **\u0302c**", []string{"a \u0301b \x1b[1m\u0302c\x1b[m"}},
		{"unclosed marks", "**a `b", []string{"**a `b"}},
		{"fence", "```\na  b\n\n\tc\n```\n", []string{"  a  b", "", "      c"}},
		{"fence wraps hard", "```\n0123456789abcdefghij\n```\n", []string{"  0123456789abcdef", "  ghij"}},
		{"fence without code", "```go\n```\n", nil},
		{"blank", "\n\n", nil},
		{"entity in code of a link", "[`&amp;`](x)", []string{"\x1b[4;36m&amp;\x1b[m\x1b[2m (x)\x1b[m"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := NewRenderer(18, theme.ANSI())
			got := render(r, split(tt.in))
			checkRows(t, got, 18)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFenceColours(t *testing.T) {
	rows := func(lang string, look *theme.Theme) []string {
		return NewRenderer(60, look).Rows(split("```" + lang + "\nreturn 1 // x\n```\n")[0])
	}
	if got := rows("go", theme.ANSI()); len(got) != 2 || !strings.Contains(got[1], "\x1b[35mreturn") {
		t.Errorf("ansi: %q", got)
	}
	if got := NewRenderer(60, theme.ANSI()).Rows(split("```go\nreturn // x\n```\n")[0]); got[1] != "  \x1b[35mreturn \x1b[m\x1b[2m// x\x1b[m" {
		t.Errorf("quiet text has the colour of the word before: %q", got)
	}
	for _, plain := range [][]string{rows("", theme.ANSI()), rows("nosuch", theme.ANSI()), rows("go", theme.Plain())} {
		if last := plain[len(plain)-1]; last != "  return 1 // x" {
			t.Errorf("without colours: %q", plain)
		}
	}
	for lang, want := range map[string]string{"go": "  go", "": "  return 1 // x", "{.sh}": "  sh", "x\u202ey": "  xy"} {
		if got := ansi.Strip(rows(lang, theme.ANSI())[0]); got != want {
			t.Errorf("%q: the first row is %q, want %q", lang, got, want)
		}
	}
}

// The ground of a code block is a rectangle, blank lines and broken ones included,
// whether or not the block is complete.
func TestCodeHasAGround(t *testing.T) {
	const ground = "48;2;22;27;34"                  // of the theme
	const text = "```go\n\nfunc f() {\n\n\treturn " // 40 cells do not hold the next line
	for _, end := range []string{"", strings.Repeat("wide ", 20), strings.Repeat("wide ", 20) + "\n}\n```\n"} {
		r := NewRenderer(40, theme.Dark())
		var s Stream
		s.Append([]byte(text + end))
		blocks := append(blocksOf(&s, text+end), s.Tail())
		rows := r.Rows(blocks[0])
		checkRows(t, rows, 40)
		if len(rows) < 5 {
			t.Fatalf("%d rows: %q", len(rows), rows)
		}
		for _, row := range rows {
			if ansi.StringWidth(row) != 40 || !strings.Contains(row, ground) {
				t.Errorf("no ground: %q", row)
			}
		}
	}
	list := NewRenderer(40, theme.Dark()).Rows(split("- one\n  ```\n  code\n  ```\n")[0])
	if last := list[len(list)-1]; !strings.HasPrefix(last, "  \x1b[") || ansi.StringWidth(last) != 40 {
		t.Errorf("in a list: %q", list)
	}
}

// Where the terminal takes links, an address of the web is one, in printable ASCII.
func TestLinks(t *testing.T) {
	const start, end = "\x1b]8;;", "\x07"
	th := *theme.Plain()
	th.Links = true
	for in, want := range map[string][]string{
		"[a](https://x.org/a)":                {"https://x.org/a"},
		"https://x.org/a_b":                   {"https://x.org/a_b"},
		"<https://x.org/a>":                   {"https://x.org/a"},
		"[a **b** `c`](http://x.org)":         {"http://x.org"},
		"![a](HTTPS://x.org/p.png)":           {"HTTPS://x.org/p.png"},
		"[a](<https://x.org/ä b>)":            {"https://x.org/%C3%A4%20b"},
		"[a](https://x.org/&#27;&#7;&#133;b)": {"https://x.org/%E2%80%A6b"},
		"[a](file:///etc/passwd)":             nil,
		"[a](javascript://x)":                 nil,
		"[a](b.md)":                           nil,
		"me@x.org":                            nil,
		"[a](https://x.org/" + strings.Repeat("x", maxTarget) + ")": nil,
	} {
		rows := NewRenderer(4000, &th).Rows(split(in)[0])
		var got []string
		open := 0
		for _, part := range strings.Split(rows[0], start)[1:] {
			address, _, ok := strings.Cut(part, end)
			if !ok {
				t.Fatalf("%q: got %q", in, rows)
			}
			if address == "" {
				open--
				continue
			}
			if open++; !slices.Contains(got, address) {
				got = append(got, address)
			}
		}
		if !slices.Equal(got, want) || open > 0 {
			t.Errorf("%q: %q in %q, want %q", in, got, rows, want)
		}
	}
	rows := NewRenderer(10, &th).Rows(split("[many words of it](https://x.org)")[0])
	for _, row := range rows {
		if strings.Count(row, start) != 2 || !strings.HasSuffix(row, start+end) && !strings.HasSuffix(row, "\x1b[m") {
			t.Errorf("a row of a link: %q", row)
		}
	}
	if row := NewRenderer(40, theme.Dark()).Rows(split("[a](https://x.org)")[0])[0]; strings.Contains(row, start) {
		t.Errorf("a link where the terminal takes none: %q", row)
	}
}

func TestOpenFenceHighlightsWholeLines(t *testing.T) {
	var s Stream
	r := NewRenderer(60, theme.ANSI())
	s.Append([]byte("```go\nreturn 1\nretu"))
	rows := r.Rows(s.Tail())
	if len(rows) != 3 || !strings.Contains(rows[1], "\x1b[35mreturn") || rows[2] != "  retu" {
		t.Errorf("got %q", rows)
	}
	s.Append([]byte("rn 2\n``"))
	rows = r.Rows(s.Tail())
	if len(rows) != 3 || !strings.Contains(rows[2], "\x1b[35mreturn") {
		t.Errorf("got %q", rows)
	}
	s.Append([]byte("`\n\n```go\nx := 3\n")) // another fence: nothing of the first one stays
	if rows = r.Rows(s.Tail()); len(rows) != 2 || ansi.Strip(rows[1]) != "  x := 3" {
		t.Errorf("got %q", rows)
	}
}

// hostile markdown, each made to fill blocks.
var hostile = map[string]string{
	"quotes":        strings.Repeat(">", 4000),
	"spaced quotes": strings.Repeat("> ", 2000) + "a",
	"brackets":      strings.Repeat("[", 4000),
	"links":         strings.Repeat("[a](", 1000),
	"images":        strings.Repeat("![", 2000),
	"stars":         strings.Repeat("*", 4000) + "a",
	"open strong":   strings.Repeat("**a ", 1000),
	"open emphasis": strings.Repeat("*a _", 1000),
	"nested emph":   strings.Repeat("*a **b ", 500) + strings.Repeat("** *", 500),
	"backticks":     strings.Repeat("` `` ``` ", 440),
	"items":         strings.Repeat("- ", 2000) + "a",
	"deep list":     deepList(60),
	"tables":        strings.Repeat("|", 1000) + "\n" + strings.Repeat("|-", 1000) + "\n" + strings.Repeat("|a", 1000),
	"references":    strings.Repeat("&#0;&amp;", 440),
	"tildes":        strings.Repeat("~~a ", 1000),
	"angles":        strings.Repeat("<a ", 1300),
	"marks":         strings.Repeat("e\u0301\u200d", 600),
	"go comment":    "```go\n" + strings.Repeat("/*", 2000),
	"quoted code":   "```js\n" + strings.Repeat("`${", 1300),
	"markup":        "```html\n" + strings.Repeat("<a<!--", 660),
	"markdown":      "```markdown\n" + strings.Repeat("[*`", 1300),
}

func deepList(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

func TestHostileMarkdown(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			for _, width := range []int{10, 80} {
				r := NewRenderer(width, theme.ANSI())
				start := time.Now()
				blocks := split(text)
				checkRows(t, render(r, blocks), width)
				for _, b := range blocks {
					b.Open = true
					checkRows(t, r.Rows(b), width)
				}
				t.Logf("%d bytes at %d: %v", len(text), width, time.Since(start))
			}
		})
	}
}

func TestUnknownLanguagesAreBounded(t *testing.T) {
	for i := range 2 * maxLexers {
		languages.of(fmt.Sprintf("lang%d", i))
	}
	if n := len(languages.lexers); n > maxLexers {
		t.Errorf("%d languages remembered", n)
	}
}

func FuzzRows(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, uint16(0), uint8(30), uint8(1))
		f.Add(s, uint16(50), uint8(10), uint8(0))
	}
	for _, s := range hostile {
		f.Add(s[:min(len(s), 200)], uint16(0), uint8(17), uint8(2))
	}
	f.Fuzz(func(t *testing.T, text string, times uint16, width, look uint8) {
		text = long(text, times%200)
		w := max(int(width), 10)
		r := NewRenderer(w, theme.For("auto", tty.Colours{Dark: look&1 != 0, NoColor: look&2 != 0}))
		var s Stream
		half := len(text) / 2
		s.Append([]byte(text[:half]))
		checkRows(t, r.Rows(s.Tail()), w)
		s.Append([]byte(text[half:]))
		checkRows(t, r.Rows(s.Tail()), w)
		s.Finish()
		for _, b := range blocksOf(&s, text) {
			rows := r.Rows(b)
			checkRows(t, rows, w)
			if n := len(rows); n > 0 && (rows[0] == "" || rows[n-1] == "") {
				t.Fatalf("blank rows at the ends: %q", rows)
			}
		}
	})
}

// The words of a table's cell, which glamour draws, look as they do in a paragraph.
func TestCellsLookAsProse(t *testing.T) {
	r := NewRenderer(60, theme.ANSI())
	runs := []inlineRun{{text: `a & \* &amp; `}, {`b\.`, roleStrong | roleEmph | roleStrike, ""}, {`c &lt; \\`, roleCode, ""}, {`d\_`, roleLink, ""}, {` (e\f)`, roleDim, ""}, {`g\.`, roleLink | roleCode, ""}}
	_, lines, err := r.glamourTable([][][]inlineRun{{{{text: "head"}}}, {runs}}, []extast.Alignment{extast.AlignLeft}, 200)
	if err != nil {
		t.Fatal(err)
	}
	want := r.styled(runs, text.Pen{})
	if got := strings.TrimSpace(lines[len(lines)-1]); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if _, lines, err := r.glamourTable([][][]inlineRun{{runs}, {runs}}, nil, 200); err == nil {
		t.Errorf("a table without columns: %v", lines)
	}
}

// TestTableCells checks that no escape is resolved twice in a table.
func TestTableCells(t *testing.T) {
	r := NewRenderer(80, theme.ANSI())
	rows := r.Rows(split("| a\\*b | `c\\.d &lt;` | [e\\_f](g\\h) | **i\\\\\\*j** |\n|-|-|-|-|\n| 1 | 2 | 3 | 4 |\n")[0])
	got := strings.Join(strings.Fields(ansi.Strip(rows[0])), " ")
	if want := `a*b │ c\.d &lt; │ e_f (g\h) │ i\*j`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// All of a table is readable, however little room there is for it: words continue in the next row, also those of the
// head. A table that has to be only a cell or two narrower is no exception.
func TestNarrowTablesKeepTheirText(t *testing.T) {
	source := "| A rather long header | What happens when it does | Size |\n|---|:-:|--:|\n| a | b | 1 |\n| alpha beta | something longer | 22 |\n" +
		"| x | y | 333333 |\n| a much longer name than before | short | 4 |\n"
	letters := func(s string) string {
		return strings.Join(slices.Sorted(strings.SplitSeq(strings.Map(func(r rune) rune {
			if strings.ContainsRune("|│─┼- :\n", r) {
				return -1
			}
			return r
		}, s), "")), "")
	}
	for width := 18; width < 80; width++ {
		rows := NewRenderer(width, theme.Plain()).Rows(split(source)[0])
		checkRows(t, rows, width)
		text := ansi.Strip(strings.Join(rows, "\n"))
		if got, want := letters(text), letters(source); got != want {
			t.Errorf("%d cells:\n%s", width, text)
		}
		for i, row := range rows {
			if got := strings.Count(ansi.Strip(row), "│") + strings.Count(ansi.Strip(row), "┼"); got != 2 {
				t.Errorf("%d cells, row %d: %q", width, i, row)
			}
		}
	}
}

// A long table is drawn in pieces. Its head is there once.
func TestLongTableHasOneHead(t *testing.T) {
	source := "| number | word |\n|---|---|\n"
	for i := range 300 {
		source += fmt.Sprintf("| %d | word |\n", i)
	}
	blocks := split(source)
	text := ansi.Strip(strings.Join(render(NewRenderer(60, theme.Plain()), blocks), "\n"))
	if len(blocks) < 2 || strings.Count(text, "┼") != 1 || strings.Count(text, "number") != 1 || strings.Count(text, "word") != 301 {
		t.Errorf("%d blocks:\n%s", len(blocks), text)
	}
}
