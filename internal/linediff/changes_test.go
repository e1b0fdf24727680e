package linediff

import (
	"math/rand/v2"
	"strings"
	"testing"

	"parley/internal/safetext"
	"parley/internal/seeds"
)

func TestWithout(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	several := 0
	for range 5000 {
		before, after := seeds.Text(r), seeds.Text(r)
		c := Compare(Texts{Old: safetext.Visible(before), New: safetext.Visible(after)})
		n := len(c.Changes())
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
		kept := len(c.Changes())
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
	c := Compare(Texts{Old: before, New: after})
	for i, want := range []string{"one\ntwo\nTHREE\n3.5\nfour\nfive\nsix\n", "ONE\ntwo\nthree\nfour\nfive\nsix\n", "ONE\ntwo\nTHREE\n3.5\nfour\nfive\n"} {
		refused := make([]bool, len(c.Changes()))
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
	if n := Compare(Texts{Old: "a\n\nb\n", New: "A\n\nB\n"}).Changes(); len(n) != 1 {
		t.Errorf("%d changes around a blank line", len(n))
	}
}

func TestChangeKeys(t *testing.T) {
	far := strings.Repeat("same\n", 20)
	old := "x\n" + far + "x\n"
	a := Compare(Texts{Old: old, New: "X\n" + far + "X\n"}).ChangeKeys()
	b := Compare(Texts{Old: old, New: "more\nlines\nX\n" + far + "X\n"}).ChangeKeys()
	if len(a) != 2 || len(b) != 2 || a[0] == b[0] || a[1] != b[1] || a[0] == a[1] {
		t.Errorf("%x, %x", a, b)
	}
	in, out := Compare(Texts{New: "x\n"}).ChangeKeys(), Compare(Texts{Old: "x\n"}).ChangeKeys()
	if in[0] == out[0] {
		t.Error("adding is deleting")
	}
}
