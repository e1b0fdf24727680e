package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/linediff"
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
		d    linediff.Texts
	}{
		{"edit", linediff.Texts{Old: oldCode, New: newCode}},
		{"words", linediff.Texts{Old: "\tn, err := l.expr(depth)\n", New: "\tnode, err := l.expr(depth + 1)\n"}},
		{"new file", linediff.Texts{New: "a\n\tb\n日本語\n", OldMissing: true}},
		{"deleted", linediff.Texts{Old: "a\nb\n"}},
		{"equal", linediff.Texts{Old: "a\n", New: "a\n"}},
		{"final newline", linediff.Texts{Old: "a\nb\n", New: "a\nb"}},
		{"line ends", linediff.Texts{Old: "a\r\nb\r\nc\r\n", New: "a\r\nb\nc\r\n"}},
		{"control characters", linediff.Texts{Old: "a\n", New: "a\x1b[31m\x07\u009b\n"}},
		{"empty file", linediff.Texts{OldMissing: true}},
	}
	for name, th := range map[string]*theme.Theme{"plain": theme.Plain(), "dark": theme.Dark()} {
		var b strings.Builder
		for _, d := range diffs {
			for _, w := range []int{40, 80, 120} {
				rows, more := Rows(linediff.Compare(d.d), w, 0, th)
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

func TestDiffLimit(t *testing.T) {
	var d linediff.Texts
	for i := range 100 {
		d.New += fmt.Sprintf("line %d\n", i)
	}
	c := linediff.Compare(d)
	rows, more := Rows(c, 80, 20, theme.Plain())
	if len(rows) != 20 || more != 80 {
		t.Errorf("%d rows, %d more", len(rows), more)
	}
	if rows, more := Rows(c, 80, 100, theme.Plain()); len(rows) != 100 || more != 0 {
		t.Errorf("%d rows, %d more", len(rows), more)
	}
	// A line that does not fit as a whole counts as not shown.
	long := linediff.Compare(linediff.Texts{New: strings.Repeat("x", 1000) + "\nshort\n"})
	if rows, more := Rows(long, 82, 3, theme.Plain()); len(rows) != 3 || more != 2 {
		t.Errorf("%d rows, %d more", len(rows), more)
	}
}

// Nothing is cut: what the rows show is the text, whatever the width.
func TestDiffWrapsAll(t *testing.T) {
	long := strings.Repeat("日本 wide and narrow ", 30)
	d := linediff.Texts{Old: long + "old tail", New: long + "new tail"}
	for _, w := range []int{10, 40, 60, 100} {
		rows, _ := Rows(linediff.Compare(d), w, 0, theme.ANSI()) // no row ends in the blanks of a ground
		uitest.CheckStyled(t, rows, w)
		var text strings.Builder
		gutter := Gutter(linediff.Compare(d), w)
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
	c := linediff.Compare(linediff.Texts{Old: strings.Repeat("x", 8<<20+1), New: "y"})
	rows, more := Rows(c, 80, 20, theme.Plain())
	if !c.TooLarge || len(rows) != 1 || more != 0 || !strings.Contains(rows[0], "too large") {
		t.Errorf("rows %q", rows)
	}
	uitest.CheckStyled(t, rows, 80)
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\n", "a\nc", 30)
	f.Add("\x1b[m\r\n", "\t日\r", 61)
	f.Add("0", "\u06000", 25) // one cluster, in two colours
	f.Fuzz(func(t *testing.T, old, now string, width int) {
		width = min(max(width, 8), 200)
		c := linediff.Compare(linediff.Texts{Path: "x.go", Old: old, New: now})
		rows, _ := Rows(c, width, 0, theme.Dark())
		uitest.CheckStyled(t, rows, width)
		s := Highlight(c, 100)
		for _, sides := range []bool{false, true} {
			bare, m := Draw(c, Look{Width: width, Limit: 30, Sides: sides, Theme: theme.Light()})
			rows, more := Draw(c, Look{Width: width, Limit: 30, Sides: sides, Syntax: s, Theme: theme.Light()})
			uitest.CheckStyled(t, rows, width)
			if more != m || stripped(rows) != stripped(bare) || len(rows) > 30 {
				t.Errorf("in colours:\n%s\nwithout:\n%s", stripped(rows), stripped(bare))
			}
		}
		if rows, _ := Rows(c, width, 5, theme.Plain()); len(rows) > 5 {
			t.Errorf("%d rows of at most 5", len(rows))
		}
	})
}

func stripped(rows []string) string { return ansi.Strip(strings.Join(rows, "\n")) }

func benchDiff() linediff.Texts {
	var a, b strings.Builder
	for i := range 5000 {
		line := fmt.Sprintf("\tresult = append(result, transform(input[%d], options))\n", i)
		a.WriteString(line)
		if i%7 == 0 {
			line = strings.Replace(line, "options", "opts, ctx", 1)
		}
		b.WriteString(line)
	}
	return linediff.Texts{Old: a.String(), New: b.String()}
}

func BenchmarkDiffRows20(b *testing.B) {
	c, th := linediff.Compare(benchDiff()), theme.Dark()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Rows(c, 100, 20, th)
	}
}

func BenchmarkDiffRowsAll5k(b *testing.B) {
	c, th := linediff.Compare(benchDiff()), theme.Dark()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Rows(c, 100, 0, th)
	}
}
