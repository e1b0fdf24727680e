package list

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/ui/theme"
)

func TestRecent(t *testing.T) {
	var items []Item
	for _, s := range []string{"run the Tests", "fix the lexer", "why does it fail", "tests for the lexer", "größer als", "t e s t"} {
		items = append(items, Item{Title: s})
	}
	l := NewRecent(items)
	for _, c := range []struct {
		filter string
		want   []string
	}{
		{"", []string{"run the Tests", "fix the lexer", "why does it fail", "tests for the lexer", "größer als", "t e s t"}},
		{"te", []string{"run the Tests", "tests for the lexer", "fix the lexer", "t e s t"}},
		{"test", []string{"run the Tests", "tests for the lexer", "t e s t"}},
		{"tests lex", []string{"tests for the lexer"}},
		{"te", []string{"run the Tests", "tests for the lexer", "fix the lexer", "t e s t"}}, // back again
		{"GRÖ", []string{"größer als"}},
		{"göß", []string{"größer als"}},
		{"zz", nil},
		{" ", []string{"run the Tests", "fix the lexer", "why does it fail", "tests for the lexer", "größer als", "t e s t"}},
	} {
		l.SetFilter(c.filter)
		if got := titles(l); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.filter, got, c.want)
		}
	}
	l.SetFilter("lexer")
	if rows := l.Rows(40, 5, theme.Dark()); len(rows) != 2 || rows[1] == l.Rows(40, 5, theme.Plain())[1] {
		t.Errorf("matches are not marked: %q", rows)
	}
	l.SetItems(items[1:])
	if got := titles(l); !slices.Equal(got, []string{"fix the lexer", "tests for the lexer"}) {
		t.Errorf("new items: %q", got)
	}
}

// The items that pass a filter do not depend on the filters before it.
func TestRecentExtendedFilter(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var items []Item
	for range 300 {
		var b strings.Builder
		for range 1 + rnd.IntN(12) {
			b.WriteByte("abc "[rnd.IntN(4)])
		}
		items = append(items, Item{Title: b.String()})
	}
	typed := NewRecent(items)
	for range 400 {
		f := typed.Filter()
		if rnd.IntN(3) == 0 && f != "" {
			f = f[:rnd.IntN(len(f))]
		} else if len(f) < 6 {
			f += string("abc "[rnd.IntN(4)])
		}
		typed.SetFilter(f)
		fresh := NewRecent(items)
		fresh.SetFilter(f)
		if got, want := titles(typed), titles(fresh); !slices.Equal(got, want) {
			t.Fatalf("%q: got %q, want %q", f, got, want)
		}
	}
}

// BenchmarkRecent measures a key in a search of 100,000 prompts with the drawing. A frame is
// 16 ms.
func BenchmarkRecent(b *testing.B) {
	words := strings.Fields("the parser returns typed errors make it fail when lexer tests run again with race detector and write README about configuration of agents")
	rnd := rand.New(rand.NewPCG(1, 2))
	items := make([]Item, 100_000)
	for i := range items {
		var line []string
		for range 4 + rnd.IntN(12) {
			line = append(line, words[rnd.IntN(len(words))])
		}
		items[i] = Item{Title: fmt.Sprint(strings.Join(line, " "), i)}
	}
	l := NewRecent(items)
	th := theme.Dark()
	for _, c := range []struct{ name, from, to string }{
		{"first letter", "", "r"}, {"another letter", "typed err", "typed erro"}, {"a letter less", "typed erro", "typed err"}, {"letters in a row", "tprs", "tprsx"}, {"pasted", "", "trdt 99"},
	} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				l.SetFilter(c.from)
				b.StartTimer()
				l.SetFilter(c.to)
				l.Rows(100, 20, th)
			}
		})
	}
}
