package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/linediff"
	"parley/ui/theme"
	"parley/ui/uitest"
)

// twoSides is a change with everything: context, a replaced line, more lines than before,
// fewer, long ones and wide ones.
func twoSides() *linediff.Diff {
	long := strings.Repeat("wide 日本 and narrow ", 8)
	old := "package x\n\nvar a = 1\nvar b = 2\n" + strings.Repeat("// same\n", 9) + "gone\n" + long + "old\nend"
	now := "package x\n\nvar a = \"one\"\nvar b = 2\n" + strings.Repeat("// same\n", 9) + long + "new\nand\tmore\nend\n"
	return linediff.Compare(linediff.Texts{Path: "x.go", Old: old, New: now})
}

func TestSidesGolden(t *testing.T) {
	c := twoSides()
	var b strings.Builder
	for _, w := range []int{100, 136} {
		rows, more := Draw(c, Look{Width: w, Sides: true, Theme: theme.Plain()})
		uitest.CheckStyled(t, rows, w)
		fmt.Fprintf(&b, "== %d wide, %d more\n%s\n", w, more, trimmed(rows))
	}
	rows, more := Draw(c, Look{Width: 100, Limit: 7, Sides: true, Theme: theme.Plain()})
	fmt.Fprintf(&b, "== at most 7 rows, %d more\n%s\n", more, trimmed(rows))
	rows, _ = Draw(c, Look{Width: 136, Sides: true, Theme: theme.Dark(), Syntax: Highlight(c, 1000)})
	uitest.CheckStyled(t, rows, 136)
	fmt.Fprintf(&b, "== dark, in colours\n%s\n", strings.ReplaceAll(strings.Join(rows, "\n"), "\x1b", "^"))
	uitest.GoldenText(t, "diff_sides.txt", b.String())
}

func trimmed(rows []string) string {
	out := strings.Split(stripped(rows), "\n")
	for i := range out {
		out[i] = strings.TrimRight(out[i], " ")
	}
	return strings.Join(out, "\n")
}

// Each half holds its complete text in order, at any width.
func TestSidesHoldBothTexts(t *testing.T) {
	c := twoSides()
	for _, w := range []int{60, 61, 90, 140, 200} {
		rows, more := Draw(c, Look{Width: w, Sides: true, Theme: theme.ANSI()})
		if more != 0 {
			t.Errorf("%d wide: %d more of an unlimited diff", w, more)
		}
		half := (w - 3) / 2
		var left, right strings.Builder
		for _, row := range rows {
			plain := ansi.Strip(row)
			if strings.Contains(plain, "⋯") {
				continue
			}
			if before, _, ok := strings.Cut(plain, "│"); !ok || ansi.StringWidth(before) != half+1 {
				t.Fatalf("%d wide: the halves of %q are not even", w, plain)
			}
			a, b, _ := strings.Cut(plain, " │ ")
			left.WriteString(content(a))
			right.WriteString(content(b))
		}
		for _, part := range []string{"var a = 1", "var b = 2", "gone", strings.Repeat("wide 日本 and narrow ", 8) + "old", "end", "no newline"} {
			if !strings.Contains(spaceless(left.String()), spaceless(part)) {
				t.Errorf("%d wide: %q is not on the left:\n%s", w, part, trimmed(rows))
			}
		}
		for _, part := range []string{`var a = "one"`, "var b = 2", strings.Repeat("wide 日本 and narrow ", 8) + "new", "and    more", "end"} {
			if !strings.Contains(spaceless(right.String()), spaceless(part)) {
				t.Errorf("%d wide: %q is not on the right:\n%s", w, part, trimmed(rows))
			}
		}
		if strings.Contains(right.String(), "gone") || strings.Contains(left.String(), "more") {
			t.Errorf("%d wide: a line is on the wrong side:\n%s", w, trimmed(rows))
		}
	}
}

// content returns a half without its line number and sign.
func content(half string) string {
	if len(half) < 6 {
		return ""
	}
	return half[6:]
}

func spaceless(s string) string { return strings.ReplaceAll(s, " ", "") }

// A limit bounds the rows shown. With the number of omitted lines all lines are accounted for.
func TestSidesLimit(t *testing.T) {
	c := linediff.Compare(benchDiff())
	all, more := Draw(c, Look{Width: 160, Sides: true, Theme: theme.Plain()})
	if more != 0 {
		t.Errorf("%d more", more)
	}
	for _, limit := range []int{1, 2, 3, 20, 21, 22, len(all) - 1} {
		rows, more := Draw(c, Look{Width: 160, Limit: limit, Sides: true, Theme: theme.Plain()})
		if len(rows) != limit && len(rows) != limit-1 || more <= 0 || strings.Join(rows, "\n") != strings.Join(all[:len(rows)], "\n") {
			t.Errorf("limit %d: %d rows, %d more", limit, len(rows), more)
		}
	}
	// Five lines, each on both sides: one row each.
	d := linediff.Compare(linediff.Texts{Old: "a\nb\nc\nd\ne\n", New: "a\nB\nc\nd\ne\n"})
	if rows, more := Draw(d, Look{Width: 80, Limit: 2, Sides: true, Theme: theme.Plain()}); len(rows) != 2 || more != 3 {
		t.Errorf("%d rows, %d more: %s", len(rows), more, trimmed(rows))
	}
}

// A change that only adds lines has one column, because the other would be empty.
func TestOneSidedIsNotSplit(t *testing.T) {
	for _, d := range []linediff.Texts{{New: "a\nb\n", OldMissing: true}, {Old: "a\nb\n"}} {
		rows, _ := Draw(linediff.Compare(d), Look{Width: 160, Sides: true, Theme: theme.Plain()})
		if strings.Contains(stripped(rows), "│") {
			t.Errorf("split:\n%s", trimmed(rows))
		}
	}
}

func BenchmarkDiffSides2000(b *testing.B) {
	c, th := linediff.Compare(benchDiff()), theme.Dark()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Draw(c, Look{Width: 160, Limit: 2000, Sides: true, Theme: th})
	}
}
