package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"parley/internal/safetext"
	"parley/ui/theme"
)

// randomText is some lines of a few, with odd ends.
func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(30) {
		b.WriteString([]string{"a", "b", "c", "", "\tx ", "x\r", "}"}[r.IntN(7)] + "\n")
	}
	s := b.String()
	if r.IntN(3) == 0 {
		s = strings.TrimSuffix(s, "\n")
	}
	return s
}

// Without all changes, without none, and without one after the other. The texts differ
// from those that were compared, as they do when invisible characters are shown.
func TestWithout(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	several := 0
	for range 5000 {
		before, after := randomText(r), randomText(r)
		c := Compute(Diff{Old: safetext.Visible(before), New: safetext.Visible(after)})
		n := c.Changes()
		refused := make([]bool, n)
		if got, ok := c.Without(before, after, refused); !ok || got != after {
			t.Fatalf("%q to %q: with nothing refused %q", before, after, got)
		}
		for i := range refused {
			refused[i] = true
		}
		if got, ok := c.Without(before, after, refused); !ok || got != before {
			t.Fatalf("%q to %q: with everything refused %q", before, after, got)
		}
		if n < 2 {
			continue
		}
		several++
		// What was refused of the one and the rest of it make up the whole.
		for i := range refused {
			refused[i] = r.IntN(2) == 0
		}
		kept := c.Changes()
		for _, no := range refused {
			if no {
				kept--
			}
		}
		got, ok := c.Without(before, after, refused)
		if !ok || (got == before) != (kept == 0) || (got == after) != (kept == n) {
			t.Fatalf("%q to %q, %v refused: %q", before, after, refused, got)
		}
	}
	if several < 1000 {
		t.Errorf("only %d of them had several changes", several)
	}
}

func TestWithoutOne(t *testing.T) {
	before := "one\ntwo\nthree\nfour\nfive\n"
	after := "ONE\ntwo\nTHREE\n3.5\nfour\nfive\nsix\n"
	c := Compute(Diff{Old: before, New: after})
	for i, want := range []string{"one\ntwo\nTHREE\n3.5\nfour\nfive\nsix\n", "ONE\ntwo\nthree\nfour\nfive\nsix\n", "ONE\ntwo\nTHREE\n3.5\nfour\nfive\n"} {
		refused := make([]bool, c.Changes())
		if len(refused) != 3 {
			t.Fatalf("%d changes", len(refused))
		}
		refused[i] = true
		if got, ok := c.Without(before, after, refused); !ok || got != want {
			t.Errorf("without %d: %q", i, got)
		}
	}
	if _, ok := c.Without("one\n", after, make([]bool, 3)); ok {
		t.Error("texts that do not agree with the diff are taken")
	}
	// Blank lines do not divide.
	if n := Compute(Diff{Old: "a\n\nb\n", New: "A\n\nB\n"}).Changes(); n != 1 {
		t.Errorf("%d changes around a blank line", n)
	}
}

func TestDrawPicks(t *testing.T) {
	var before strings.Builder
	for i := range 40 {
		fmt.Fprintf(&before, "line %d\n", i)
	}
	after := strings.NewReplacer("line 3\n", "drei\n", "line 5\n", "", "line 30\n", "line 30\nand more\n").Replace(before.String())
	c := Compute(Diff{Old: before.String(), New: after})
	th := theme.Pick("dark", true, false)
	look := Look{Width: 50, Theme: th}
	plain, _ := c.Draw(look)
	rows, heads := c.DrawPicks(look, []Pick{{Head: "H0"}, {Head: "H1", Refused: true}, {Head: "H2"}})
	if len(heads) != 3 || len(rows) != len(plain)+3 {
		t.Fatalf("%d rows with %d heads, %d without", len(rows), len(heads), len(plain))
	}
	var rest []string
	for i, row := range rows {
		if strings.HasPrefix(row, "H") {
			if rows[heads[int(row[1]-'0')]] != row {
				t.Errorf("%s is in row %d, not in %v", row, i, heads)
			}
			continue
		}
		rest = append(rest, row)
	}
	for i := range rest {
		refused := strings.Contains(rest[i], "line 5")
		if same := rest[i] == plain[i]; same == refused {
			t.Errorf("row %d is %q, without marks %q", i, rest[i], plain[i])
		}
	}
}
