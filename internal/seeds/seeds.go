// Package seeds says how many cases a generated test tries: a tenth of them, so that the
// tests stay quick enough for daily work, or all of them if PARLEY_LONG is set, as
// before a change lands. Under the race detector it is a thirtieth: there a case takes ten
// times as long, and what it finds is in the first ones.
package seeds

import (
	"math/rand/v2"
	"os"
	"strings"
)

// All reports whether tests should try all of their cases, which takes minutes.
func All() bool { return os.Getenv("PARLEY_LONG") != "" }

// Of returns how many of n cases a test tries: all of them, a tenth or a thirtieth.
func Of(all int) int {
	if All() {
		return all
	}
	if Raced {
		return (all + 29) / 30
	}
	return (all + 9) / 10
}

// Text returns some lines of a few, with odd ends, for tests that compare texts.
func Text(r *rand.Rand) string {
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
