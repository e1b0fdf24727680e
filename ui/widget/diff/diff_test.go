package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/ui/theme"
	"parley/ui/uitest"
)

const oldCode = `package parser

import "fmt"

// Parse reads one expression.
func Parse(in string) (Node, error) {
	l := newLexer(in)
	n, err := l.expr()
	if err != nil {
		return nil, fmt.Errorf("parse: %v", err)
	}
	return n, nil
}

func one() {}

func two() {}

func three() {}

func four() {}
`

var newCode = strings.NewReplacer(
	`fmt.Errorf("parse: %v", err)`, `&Error{Op: "parse", Pos: l.pos, Err: err} // keeps the position, the operation and the cause for callers`,
	"func three() {}\n\nfunc four() {}\n", "func four(ctx context.Context) {}\n",
).Replace(oldCode)

func TestDiffGolden(t *testing.T) {
	diffs := []struct {
		name string
		d    Diff
	}{
		{"edit", Diff{Old: oldCode, New: newCode}},
		{"words", Diff{Old: "\tn, err := l.expr(depth)\n", New: "\tnode, err := l.expr(depth + 1)\n"}},
		{"new file", Diff{New: "a\n\tb\n日本語\n", OldMissing: true}},
		{"deleted", Diff{Old: "a\nb\n"}},
		{"equal", Diff{Old: "a\n", New: "a\n"}},
		{"final newline", Diff{Old: "a\nb\n", New: "a\nb"}},
		{"line ends", Diff{Old: "a\r\nb\r\nc\r\n", New: "a\r\nb\nc\r\n"}},
		{"control characters", Diff{Old: "a\n", New: "a\x1b[31m\x07\u009b\n"}},
		{"empty file", Diff{OldMissing: true}},
	}
	for name, th := range map[string]*theme.Theme{"plain": theme.Plain(), "dark": theme.Dark()} {
		var b strings.Builder
		for _, d := range diffs {
			for _, w := range []int{40, 80, 120} {
				rows, more := RenderDiff(d.d, w, 0, th)
				uitest.CheckStyled(t, rows, w)
				if more != 0 {
					t.Errorf("%s: %d more of an unlimited diff", d.name, more)
				}
				fmt.Fprintf(&b, "== %s, %d wide\n", d.name, w)
				for _, row := range rows {
					if name == "plain" {
						row = ansi.Strip(row)
					} else {
						row = strings.ReplaceAll(row, "\x1b", "^")
					}
					b.WriteString(row + "\n")
				}
			}
		}
		uitest.GoldenText(t, "diff_"+name+".txt", b.String())
	}
}

func TestDiffCounts(t *testing.T) {
	added, removed := Summarise(Diff{Old: oldCode, New: newCode})
	if added != 2 || removed != 4 {
		t.Errorf("+%d −%d, want +2 −4", added, removed)
	}
	if a, r := Summarise(Diff{Old: "x", New: "x"}); a+r != 0 {
		t.Errorf("equal texts: +%d −%d", a, r)
	}
}

func TestDiffLimit(t *testing.T) {
	var d Diff
	for i := range 100 {
		d.New += fmt.Sprintf("line %d\n", i)
	}
	c := Compute(d)
	rows, more := c.Rows(80, 20, theme.Plain())
	if len(rows) != 20 || more != 80 {
		t.Errorf("%d rows, %d more", len(rows), more)
	}
	if rows, more := c.Rows(80, 100, theme.Plain()); len(rows) != 100 || more != 0 {
		t.Errorf("%d rows, %d more", len(rows), more)
	}
	// A line that does not fit as a whole counts as not shown.
	long := Compute(Diff{New: strings.Repeat("x", 1000) + "\nshort\n"})
	if rows, more := long.Rows(82, 3, theme.Plain()); len(rows) != 3 || more != 2 {
		t.Errorf("%d rows, %d more", len(rows), more)
	}
}

// Nothing is cut: what the rows show is the text, whatever the width.
func TestDiffWrapsAll(t *testing.T) {
	long := strings.Repeat("日本 wide and narrow ", 30)
	d := Diff{Old: long + "old tail", New: long + "new tail"}
	for _, w := range []int{10, 40, 60, 100} {
		rows, _ := RenderDiff(d, w, 0, theme.ANSI()) // no row ends in the blanks of a ground
		uitest.CheckStyled(t, rows, w)
		var text strings.Builder
		gutter := Compute(d).Gutter(w)
		for _, row := range rows {
			if s := ansi.Strip(row); !strings.Contains(s, `\ no`) {
				text.WriteString(s[gutter+2:])
			}
		}
		if got, want := text.String(), d.Old+d.New; got != want {
			t.Errorf("%d wide: %q", w, got)
		}
	}
}

func TestWordMarks(t *testing.T) {
	marked := func(s string, spans []span) []string {
		var out []string
		for _, sp := range spans {
			out = append(out, s[sp.from:sp.to])
		}
		return out
	}
	for _, c := range []struct {
		a, b   string
		ma, mb []string
	}{
		{"return nil, err", "return node, err", []string{"nil"}, []string{"node"}},
		{"f(a, b)\n", "f(a, b, c)\n", nil, []string{", c"}},
		{"completely different", "nothing shared here", nil, nil},
		{"日本語です", "日本人です", []string{"語"}, []string{"人"}},
		{"x", "", nil, nil},
	} {
		ia, ib := wordMarks(c.a, c.b)
		if !slices.Equal(marked(c.a, ia), c.ma) || !slices.Equal(marked(c.b, ib), c.mb) {
			t.Errorf("%q, %q: %q, %q", c.a, c.b, marked(c.a, ia), marked(c.b, ib))
		}
	}
}

func TestDiffTooLarge(t *testing.T) {
	many := strings.Repeat("a\n", diffMaxLines+1)
	for _, d := range []Diff{
		{Old: many, New: many + "b\n"},
		{Old: strings.Repeat("x", diffMaxBytes+1), New: "y"},
	} {
		c := Compute(d)
		rows, more := c.Rows(80, 20, theme.Plain())
		if !c.TooLarge || len(rows) != 1 || more != 0 || !strings.Contains(rows[0], "too large") {
			t.Errorf("rows %q", rows)
		}
		uitest.CheckStyled(t, rows, 80)
	}
	if a, r := Summarise(Diff{Old: many, New: many + "b\n"}); a != 1 || r != 0 {
		t.Errorf("+%d −%d, want +1 −0", a, r)
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\n", "a\nc", 30)
	f.Add("\x1b[m\r\n", "\t日\r", 61)
	f.Add("0", "\u06000", 25) // one cluster, in two colours
	f.Fuzz(func(t *testing.T, old, now string, width int) {
		width = min(max(width, 8), 200)
		c := Compute(Diff{Path: "x.go", Old: old, New: now})
		rows, _ := c.Rows(width, 0, theme.Dark())
		uitest.CheckStyled(t, rows, width)
		s := c.Highlight(100)
		for _, sides := range []bool{false, true} {
			bare, m := c.Draw(Look{Width: width, Limit: 30, Sides: sides, Theme: theme.Light()})
			rows, more := c.Draw(Look{Width: width, Limit: 30, Sides: sides, Syntax: s, Theme: theme.Light()})
			uitest.CheckStyled(t, rows, width)
			if more != m || stripped(rows) != stripped(bare) || len(rows) > 30 {
				t.Errorf("in colours:\n%s\nwithout:\n%s", stripped(rows), stripped(bare))
			}
		}
		if rows, _ := c.Rows(width, 5, theme.Plain()); len(rows) > 5 {
			t.Errorf("%d rows of at most 5", len(rows))
		}
	})
}

func stripped(rows []string) string { return ansi.Strip(strings.Join(rows, "\n")) }

func benchDiff() Diff {
	var a, b strings.Builder
	for i := range 5000 {
		line := fmt.Sprintf("\tresult = append(result, transform(input[%d], options))\n", i)
		a.WriteString(line)
		if i%7 == 0 {
			line = strings.Replace(line, "options", "opts, ctx", 1)
		}
		b.WriteString(line)
	}
	return Diff{Old: a.String(), New: b.String()}
}

func BenchmarkDiffCompute5k(b *testing.B) {
	d := benchDiff()
	b.ReportAllocs()
	for b.Loop() {
		_ = Compute(d)
	}
}

func BenchmarkDiffComputeAllDifferent200k(b *testing.B) {
	var x, y strings.Builder
	for i := range diffMaxLines {
		fmt.Fprintf(&x, "%d old\n", i*7919%65537)
		fmt.Fprintf(&y, "%d new\n", i*104729%65537)
	}
	d := Diff{Old: x.String(), New: y.String()}
	for b.Loop() {
		_ = Compute(d)
	}
}

func BenchmarkDiffRows20(b *testing.B) {
	c, th := Compute(benchDiff()), theme.Dark()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = c.Rows(100, 20, th)
	}
}

func BenchmarkDiffRowsAll5k(b *testing.B) {
	c, th := Compute(benchDiff()), theme.Dark()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = c.Rows(100, 0, th)
	}
}

func TestUnified(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"a\nb\n", "a\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"},
		{"", "a\n", "@@ -0,0 +1,1 @@\n+a\n"},
		{"a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"a\nb", "c\nb", "@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n"},
		{"a\n", "a\n", ""},
	} {
		if got := Compute(Diff{Old: c.old, New: c.new}).Unified(); got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.old, c.new, got, c.want)
		}
	}
}
