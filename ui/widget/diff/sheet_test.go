package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/linediff"
	"parley/internal/seeds"
	"parley/internal/text"
	"parley/internal/tty"
	"parley/ui/theme"
)

const headRow = "head"

// drawn draws all of a sheet, without the rows above the changes.
func drawn(s *Sheet, look Look) (rows []string, heads int) {
	for i := range s.Len() {
		for _, row := range s.Draw(i, look, func(int) string { return headRow }) {
			if row == headRow {
				heads++
				continue
			}
			rows = append(rows, row)
		}
	}
	return rows, heads
}

// Line by line a diff looks as it does as a whole.
func TestSheetIsTheDiff(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, th := range []*theme.Theme{theme.For("plain", tty.Colours{}), theme.For("dark", tty.Colours{Dark: true})} {
		for range 1000 {
			d := linediff.Texts{Path: "f.go", Old: seeds.Text(r), New: seeds.Text(r), Whole: r.IntN(3) == 0}
			c := linediff.Compare(d)
			if len(c.Hunks) == 0 {
				continue
			}
			look := Look{Width: 30 + r.IntN(120), Sides: r.IntN(2) == 0, Theme: th, Syntax: Highlight(c, r.IntN(100))}
			sheet := NewSheet(c, look.Sides && look.Width >= leastSides, nil)
			got, heads := drawn(sheet, look)
			want, _ := Draw(c, look)
			if !slices.Equal(got, want) {
				t.Fatalf("%+v at %d:\n%s\nwant:\n%s", d, look.Width, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if heads != len(c.Changes()) || sheet.Changes() != heads || len(c.ChangeKeys()) != heads {
				t.Fatalf("%+v: %d rows above %d changes, %d keys", d, heads, len(c.Changes()), len(c.ChangeKeys()))
			}
		}
	}
}

func TestSheetFolds(t *testing.T) {
	old := strings.Repeat("same\n", 20)
	c := linediff.Compare(linediff.Texts{Old: "a\nb\n" + old + "c\n", New: "A\n" + old + "C\nD\n"})
	for _, sides := range []bool{false, true} {
		s := NewSheet(c, sides, []bool{true, false})
		rows, heads := drawn(s, Look{Width: 80, Theme: theme.For("plain", tty.Colours{})})
		all := strings.Join(rows, "\n")
		if heads != 2 || strings.Contains(all, "- a") || strings.Contains(all, "+ A") || !strings.Contains(all, "- c") || !strings.Contains(all, "+ D") {
			t.Errorf("sides %v: %d heads\n%s", sides, heads, all)
		}
		if s.Change(0) != 0 || s.Change(s.Head(1)-1) != 0 || s.Change(s.Len()-1) != 1 {
			t.Errorf("sides %v: the changes of lines are wrong", sides)
		}
	}
}

// The context around a change belongs to it: the bar of a selected one is as long, and it is folded with it.
// Between two changes that are near, it belongs to the second first.
func TestSheetContextOfAChange(t *testing.T) {
	c := linediff.Compare(linediff.Texts{Old: "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", New: "a\nB\nc\nd\ne\nf\nG\nh\ni\nj\n"})
	show := func(s *Sheet, change int) (rows []string) {
		for i := range s.Len() {
			for _, row := range s.Draw(i, Look{Width: 40, Theme: theme.For("plain", tty.Colours{})}, func(int) string { return headRow }) {
				fields := strings.Fields(ansi.Strip(row))
				if row = strings.Join(fields[max(0, len(fields)-2):], ""); row[0] >= '0' && row[0] <= '9' {
					row = fields[len(fields)-1]
				}
				if s.Within(change, i) {
					row = "|" + row
				}
				rows = append(rows, row)
			}
		}
		return rows
	}
	for _, c2 := range []struct {
		folded []bool
		change int
		want   string
	}{
		{nil, 0, "|head |a |-b |+B |c head d e f -g +G h i j"},
		{nil, 1, "head a -b +B c |head |d |e |f |-g |+G |h |i |j"},
		{[]bool{true, false}, 0, "|head head d e f -g +G h i j"},
		{[]bool{false, true}, 1, "head a -b +B c |head"},
	} {
		if got := strings.Join(show(NewSheet(c, false, c2.folded), c2.change), " "); got != c2.want {
			t.Errorf("folded %v, change %d:\n%s, want\n%s", c2.folded, c2.change, got, c2.want)
		}
	}
}

// What identifies a change is what it does, and to which lines of the old text.
func TestSheetPlaces(t *testing.T) {
	c := linediff.Compare(linediff.Texts{Old: "a\nb\nc\nd\n", New: "a\nB\nc\n"})
	s := NewSheet(c, false, nil)
	var got []string
	for i := range s.Len() {
		got = append(got, fmt.Sprint(s.FileLine(i)))
	}
	if want := "1 1 2 2 3 3 3"; strings.Join(got, " ") != want { // head, a, -b, +B, head, c, -d
		t.Errorf("%v, want %s", got, want)
	}
	has := func(s string) func(string) bool { return func(l string) bool { return strings.Contains(l, s) } }
	if i := s.Find(-1, 1, has("B")); i != 3 || s.Find(i, 1, has("B")) != -1 || s.Find(s.Len(), -1, has("b")) != 2 {
		t.Error(i)
	}
}

// A line longer than any screen costs no more than one that fills it.
func TestSheetClipsHugeLines(t *testing.T) {
	for _, line := range []string{strings.Repeat("x", 1<<20), strings.Repeat("日本", 1<<17), strings.Repeat("\t", 1<<18)} {
		c := linediff.Compare(linediff.Texts{Old: line + "\n", New: line + "y\n"})
		for _, sides := range []bool{false, true} {
			s := NewSheet(c, sides, nil)
			for i := range s.Len() {
				rows := s.Draw(i, Look{Width: 100, Theme: theme.For("plain", tty.Colours{})}, func(int) string { return "" })
				if len(rows) > sheetRows {
					t.Errorf("%d rows", len(rows))
				}
				for _, row := range rows {
					if text.Width(row) > 100 {
						t.Errorf("%d cells", text.Width(row))
					}
				}
			}
		}
	}
}

func bigDiff(lines int) *linediff.Diff {
	var old, now strings.Builder
	for i := range lines {
		fmt.Fprintf(&old, "line %d of the old file\n", i)
		fmt.Fprintf(&now, "line %d of the new file\n", i)
	}
	return linediff.Compare(linediff.Texts{Path: "f.go", Old: old.String(), New: now.String()})
}

func BenchmarkSheetOf100000Lines(b *testing.B) {
	c := bigDiff(100_000)
	for b.Loop() {
		NewSheet(c, true, nil)
	}
}

func BenchmarkScreenOfASheet(b *testing.B) {
	s, th := NewSheet(bigDiff(100_000), false, nil), theme.For("dark", tty.Colours{Dark: true})
	for b.Loop() {
		for i := range 50 {
			s.Draw(50_000+i, Look{Width: 120, Theme: th}, nil)
		}
	}
}
