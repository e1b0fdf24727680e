package finder

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

var benchWords = strings.Fields("internal client server parser lexer widget render theme session transport gateway config model update view chat command terminal permission broker thread event queue finder mention picture clipboard host record replay tools elicit login option table index source")

// benchPaths returns paths like those of a large project.
func benchPaths(n int) [][]byte {
	var out [][]byte
	for i := range n {
		w := func(k int) string { return benchWords[(i/k*7+k)%len(benchWords)] }
		out = append(out, fmt.Appendf(nil, "%s/%s%d/%s/%s_%s%d.go", w(5000), w(900), i/900, w(60), w(7), w(1), i))
	}
	return out
}

func benchList(n int) *listing {
	l := newListing()
	for b := range slices.Chunk(benchPaths(n), batch) {
		l.add(b)
	}
	l.finish()
	return l
}

// BenchmarkFind measures a query that starts from nothing, as after a paste.
func BenchmarkFind(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 500_000} {
		l := benchList(n)
		for _, query := range []string{"e", "sess", "wichat", "internal/view"} {
			b.Run(fmt.Sprintf("%dk/%s", n/1000, strings.ReplaceAll(query, "/", "_")), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s := search(context.Background(), query, l.entries, candidates{})
					s.matches(query, l.entries)
				}
			})
		}
	}
}

// BenchmarkTyped measures the last letter of a word typed letter by letter.
func BenchmarkTyped(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 500_000} {
		l := benchList(n)
		before := search(context.Background(), "wicha", l.entries, candidates{})
		last := narrowed{l, "wicha", len(l.names), before.all}
		b.Run(fmt.Sprintf("%dk", n/1000), func(b *testing.B) {
			for b.Loop() {
				s := search(context.Background(), "wichat", l.entries, last.base(l, "wichat", len(l.names)))
				s.matches("wichat", l.entries)
			}
		})
	}
}

// BenchmarkSubstring is the baseline: every path that contains the query, sorted by length.
func BenchmarkSubstring(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 500_000} {
		l := benchList(n)
		for _, query := range []string{"e", "sess"} {
			b.Run(fmt.Sprintf("%dk/%s", n/1000, query), func(b *testing.B) {
				for b.Loop() {
					var found [][]byte
					for _, p := range l.paths {
						if bytes.Contains(bytes.ToLower(p), []byte(query)) {
							found = append(found, p)
						}
					}
					slices.SortStableFunc(found, func(a, b []byte) int { return cmp.Compare(len(a), len(b)) })
				}
			})
		}
	}
}

// BenchmarkList adds paths to a list, and derives the directories.
func BenchmarkList(b *testing.B) {
	paths := benchPaths(100_000)
	for b.Loop() {
		l := newListing()
		for c := range slices.Chunk(paths, batch) {
			l.add(c)
		}
	}
}
