package finder

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func listOf(paths ...string) *listing {
	l := newListing()
	var b [][]byte
	for _, p := range paths {
		b = append(b, []byte(p))
	}
	l.add(b)
	l.finish()
	return l
}

// found returns the results of a search with the matched letters in brackets.
func found(ms []Match) string {
	var out []string
	for _, m := range ms {
		var b strings.Builder
		for i, r := range []rune(m.Path) {
			if slices.Contains(m.Marks, i) {
				fmt.Fprintf(&b, "[%c]", r)
			} else {
				b.WriteRune(r)
			}
		}
		out = append(out, strings.ReplaceAll(b.String(), "][", ""))
	}
	return strings.Join(out, " ")
}

func TestSearch(t *testing.T) {
	l := listOf("README.md", "ui/chat.go", "ui/chat/view.go", "ui/widget/cheat.go", "docs/über.md", "Makefile", "internal/unchanged/text.go")
	for _, c := range []struct{ query, want string }{
		{"chat", "ui/[chat]/ ui/[chat].go ui/[chat]/view.go ui/widget/[ch]e[at].go internal/un[cha]nged/[t]ext.go"}, // best first, then the shorter
		{"READ", "[READ]ME.md"},
		{"read", "[READ]ME.md"},
		{"Make", "[Make]file"},
		{"uv", "[u]i/chat/[v]iew.go"},
		{"über", "docs/[über].md"},
		{"ui/", "[ui/] [ui/]chat/ [ui/]chat.go [ui/]widget/ [ui/]chat/view.go [ui/]widget/cheat.go"},
		{"nothing", ""},
		{"MAKE", ""}, // a capital makes case count
	} {
		got := found(search(context.Background(), c.query, l.entries, candidates{}).matches(c.query, l.entries))
		if c.query == "uv" {
			got, _, _ = strings.Cut(got, " ")
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.query, got, c.want)
		}
	}
}

// The sieve removes only names that would not have been shown: the result is that of
// matching every name, in any order of typing.
func TestSieve(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "ab", "Ab", "chat", "Chat", "view", "x1", "1", "-", "_", ".", ".go", "é", "Ü", " ", "test", "ui", "K", "io", "$", "~"}
	var paths []string
	for range 1500 {
		var b strings.Builder
		for range 1 + rnd.IntN(4) {
			for range 1 + rnd.IntN(4) {
				b.WriteString(pieces[rnd.IntN(len(pieces))])
			}
			b.WriteByte('/')
		}
		paths = append(paths, b.String()+"f")
	}
	l := listOf(paths...)
	for range 150 {
		query, before := "", narrowed{}
		for range 1 + rnd.IntN(5) {
			query += []string{"a", "b", "c", "v", "1", "x", "/", ".", "-", "é", "A", "C", "g", "t", "k", "$"}[rnd.IntN(16)]
			got := search(context.Background(), query, l.entries, before.base(l, query, len(l.names)))
			before = narrowed{l, query, len(l.names), got.all}
			var want []hit
			m := newMatcher(query)
			for i := range l.names {
				if score, ok := m.score(&l.names[i]); ok {
					want = append(want, hit{int32(i), int32(score), int32(l.names[i].Length())})
				}
			}
			m.release()
			slices.SortFunc(want, better)
			want = want[:min(len(want), MaxMatches)]
			for i := range max(len(want), len(got.best)) {
				if i >= len(want) || i >= len(got.best) || want[i].score != got.best[i].score || want[i].length != got.best[i].length {
					t.Fatalf("%q: %d found, %d expected, different at %d: %v, %v", query, len(got.best), len(want), i, got.best, want)
				}
			}
		}
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct{ most, bytes, names int }{{1000, MaxBytes, 1000}, {MaxPaths, 100_000, 100_000 / (entryCost + 205)}} {
		l := newListing()
		l.most, l.bytes = c.most, c.bytes
		fits := true
		for i := 0; fits && i < 100; i++ {
			var b [][]byte
			for k := range 50 {
				b = append(b, fmt.Appendf(nil, "d%d/%d%s", i, k, strings.Repeat("x", 200)))
			}
			fits = l.add(b)
		}
		if fits || !l.full || len(l.names) > c.names+5 || len(l.names) < c.names-20 {
			t.Errorf("%+v: full %v, %d names, cost %d", c, l.full, len(l.names), l.cost)
		}
		if len(l.paths) != len(l.names) || len(l.traits) != len(l.names) {
			t.Errorf("%d names, %d paths, %d traits", len(l.names), len(l.paths), len(l.traits))
		}
	}
}
