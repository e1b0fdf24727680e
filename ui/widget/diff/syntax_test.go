package diff

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/linediff"
	"parley/internal/text"
	"parley/ui/theme"
	"parley/ui/widget/syntax"
)

// classed lists the words of a drawn row that are in the pen of a class.
func classed(row string, pen text.Pen) []string {
	var out []string
	word := ""
	for sc := (text.Scanner{S: row}); ; {
		cluster, _, _ := sc.Next()
		if cluster != "" && sc.Pen == pen {
			word += cluster
			continue
		}
		if word = strings.TrimSpace(word); word != "" {
			out = append(out, word)
		}
		if word = ""; cluster == "" {
			return out
		}
	}
}

func TestHighlight(t *testing.T) {
	th := theme.Dark()
	c := linediff.Compare(linediff.Texts{Path: "x.go", Old: "package x\n\nfunc f() {\n\treturn 1 // old\n}\n", New: "package x\n\nfunc f() {\n\t/* a\n\tb */ return 2\n}\n"})
	rows, _ := Draw(c, Look{Width: 80, Theme: th, Syntax: Highlight(c, 100)})
	added, deleted := inksOf(th).added, inksOf(th).deleted
	find := func(sign, text string) string {
		for _, r := range rows {
			if s := stripped([]string{r}); strings.Contains(s, sign) && strings.Contains(s, text) {
				return r
			}
		}
		t.Fatalf("no row %s %s", sign, text)
		return ""
	}
	for _, w := range []struct {
		row, want string
		pen       text.Pen
	}{
		{find(" ", "package"), "package", text.PenOf(th.Keyword.Paint)},
		{find("-", "old"), "return", deleted.code[syntax.Keyword]},
		{find("-", "old"), "// old", deleted.code[syntax.Comment]},
		{find("+", "/* a"), "/* a", added.code[syntax.Comment]},
		{find("+", "b */"), "b */", added.code[syntax.Comment]}, // it continues from the line before
		{find("+", "b */"), "2", added.code[syntax.Number]},
	} {
		if got := classed(w.row, w.pen); len(got) == 0 || got[0] != w.want {
			t.Errorf("%q is not coloured in %q: %q", w.want, stripped([]string{w.row}), got)
		}
	}
}

// What is not known, not looked at or has no ground is drawn as it is.
func TestWithoutHighlight(t *testing.T) {
	d := linediff.Texts{Path: "x.go", Old: "var a = 1\n", New: "var a = 2\n"}
	draw := func(path string, n int, th *theme.Theme) string {
		d.Path = path
		c := linediff.Compare(d)
		rows, _ := Draw(c, Look{Width: 80, Theme: th, Syntax: Highlight(c, n)})
		bare, _ := Draw(c, Look{Width: 80, Theme: th})
		if strings.Join(rows, "\n") == strings.Join(bare, "\n") {
			return "bare"
		}
		return "coloured"
	}
	for _, c := range []struct {
		path string
		n    int
		th   *theme.Theme
		want string
	}{
		{"x.go", 10, theme.Dark(), "coloured"}, {"x.go", 0, theme.Dark(), "bare"}, {"x", 10, theme.Dark(), "bare"}, {"", 10, theme.Light(), "bare"},
		{"x.go", 10, theme.ANSI(), "bare"}, {"x.go", 10, theme.Plain(), "bare"}, {"x.go", 10, theme.ContrastLight(), "coloured"},
	} {
		if got := draw(c.path, c.n, c.th); got != c.want {
			t.Errorf("%s, %d lines, %s: %s", c.path, c.n, c.th.Name, got)
		}
	}
}

// Only as many lines are looked at as were asked for, and what is long is left
// out.
func TestHighlightIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "var x%d = %d\n", i, i)
	}
	c := linediff.Compare(linediff.Texts{Path: "x.go", New: b.String()})
	s := Highlight(c, 50)
	if s.Covers(51) || !s.Covers(50) || len(s.line(49)) == 0 || s.line(50) != nil {
		t.Error("more or less than 50 lines")
	}
	if s := Highlight(c, 1<<30); !s.Covers(1 << 40) {
		t.Error("all lines are not all")
	}
	if s := Highlight(linediff.Compare(linediff.Texts{Path: "x", New: "a\n"}), 1); !s.Covers(1 << 40) {
		t.Error("a file of no language is looked at again")
	}
	long := linediff.Compare(linediff.Texts{Path: "x.go", New: "var a = 1\nvar b = \"" + strings.Repeat("x", maxSyntaxBytes) + "\"\nvar c = 3\n"})
	if s := Highlight(long, 3); len(s.line(0)) == 0 || s.line(1) != nil || len(s.line(2)) == 0 {
		t.Errorf("got %v", s.lines)
	}
	if (*Syntax)(nil).Covers(0) {
		t.Error("nothing covers something")
	}
}

// Carriage returns before newlines are no part of the code.
func TestHighlightCRLF(t *testing.T) {
	c := linediff.Compare(linediff.Texts{Path: "x.go", Old: "var a = 1\r\n", New: "var a = 2\r\n"})
	for i := range 2 {
		if len(Highlight(c, 2).line(i)) == 0 {
			t.Errorf("line %d has no colours", i)
		}
	}
}
