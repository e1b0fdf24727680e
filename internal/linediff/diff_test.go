package linediff

import (
	"fmt"
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	many := strings.Repeat("a\n", maxLines+1)
	for _, c := range []struct {
		d              Texts
		added, removed int
	}{
		{Texts{Old: "a\nb\nc\n", New: "a\nB\nc\nd\n"}, 2, 1},
		{Texts{Old: "x", New: "x"}, 0, 0},
		{Texts{Old: many, New: many + "b\n"}, 1, 0}, // too large to compare
	} {
		if added, removed := Count(c.d); added != c.added || removed != c.removed {
			t.Errorf("+%d −%d, want +%d −%d", added, removed, c.added, c.removed)
		}
	}
}

func BenchmarkDiffCompute5k(b *testing.B) {
	d := benchDiff()
	b.ReportAllocs()
	for b.Loop() {
		_ = Compare(d)
	}
}

func BenchmarkDiffComputeAllDifferent200k(b *testing.B) {
	var x, y strings.Builder
	for i := range maxLines {
		fmt.Fprintf(&x, "%d old\n", i*7919%65537)
		fmt.Fprintf(&y, "%d new\n", i*104729%65537)
	}
	d := Texts{Old: x.String(), New: y.String()}
	for b.Loop() {
		_ = Compare(d)
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
		if got := Compare(Texts{Old: c.old, New: c.new}).Unified(); got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.old, c.new, got, c.want)
		}
	}
}
func benchDiff() Texts {
	var a, b strings.Builder
	for i := range 5000 {
		line := fmt.Sprintf("\tresult = append(result, transform(input[%d], options))\n", i)
		a.WriteString(line)
		if i%7 == 0 {
			line = strings.Replace(line, "options", "opts, ctx", 1)
		}
		b.WriteString(line)
	}
	return Texts{Old: a.String(), New: b.String()}
}
