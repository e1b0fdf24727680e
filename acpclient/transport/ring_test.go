package transport

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRing(t *testing.T) {
	for _, tc := range []struct {
		name    string
		size    int
		writes  []string
		want    string
		dropped int64
	}{
		{"empty", 4, nil, "", 0},
		{"fits", 4, []string{"ab", "cd"}, "abcd", 0},
		{"wraps", 4, []string{"abc", "def"}, "cdef", 2},
		{"one write over the size", 4, []string{"ab", "0123456789"}, "6789", 8},
		{"no size", 0, []string{"ab"}, "", 2},
		{"cut rune", 4, []string{"aααα"}, "αα", 3},
		{"cut rune stays visible", 3, []string{"αα"}, "\uFFFDα", 1},
	} {
		r := NewRing(tc.size)
		for _, w := range tc.writes {
			if n, err := r.Write([]byte(w)); n != len(w) || err != nil {
				t.Errorf("%s: Write = %d, %v", tc.name, n, err)
			}
		}
		if r.String() != tc.want || r.Dropped() != tc.dropped {
			t.Errorf("%s: %q, %d dropped; want %q, %d", tc.name, r.String(), r.Dropped(), tc.want, tc.dropped)
		}
	}
}

func TestRingKeepsTheNewest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	r, all := NewRing(37), ""
	for i := range 2000 {
		part := make([]byte, rnd.IntN(90)>>(i%6))
		for j := range part {
			part[j] = 'a' + byte(rnd.IntN(26))
		}
		r.Write(part)
		all += string(part)
		if want := all[max(0, len(all)-37):]; r.String() != want || r.Dropped() != int64(len(all)-len(want)) {
			t.Fatalf("write %d: %q, %d dropped; want %q", i, r.String(), r.Dropped(), want)
		}
	}
}

func TestRingTail(t *testing.T) {
	for _, tc := range []struct {
		size    int
		written string
		n       int
		want    []string
	}{
		{100, "", 3, nil},
		{100, "a\nb\r\nc\n", 2, []string{"b", "c"}},
		{100, "a\nb", 5, []string{"a", "b"}},
		{100, "a\n\nb\n\n", 3, []string{"a", "", "b"}},
		{6, "first\nsecond\nx\n", 5, []string{"x"}},
		{4, "onlyonelongline", 5, []string{"line"}},
		{100, "a", 0, nil},
	} {
		r := NewRing(tc.size)
		r.Write([]byte(tc.written))
		if got := r.Tail(tc.n); !slices.Equal(got, tc.want) {
			t.Errorf("%q, Tail(%d) = %q, want %q", tc.written, tc.n, got, tc.want)
		}
	}
}
