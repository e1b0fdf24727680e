package undo

import (
	"fmt"
	"strings"
	"testing"
)

// The benchmarks use a repository of 10,000 files of 4 kB in 500 directories: the first scan, the scan before a
// later turn, and a whole turn in which ten files change.
func BenchmarkSnapshot(b *testing.B) {
	files := map[string]string{}
	for i := range 10_000 {
		files[fmt.Sprintf("top%d/sub%d/file%d.go", i%20, i%500, i)] = fmt.Sprint(i, strings.Repeat("x", 4000))
	}
	r := newRig(b, files)
	waitTick()
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			r.j = r.journal(Options{})
			r.j.BeginTurn(b.Context(), 1)
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			r.j.BeginTurn(b.Context(), 1)
		}
	})
	b.Run("turn", func(b *testing.B) {
		n := 1
		for b.Loop() {
			n++
			r.during(n, func() {
				for i := range 10 {
					r.write(fmt.Sprintf("top%d/sub%d/file%d.go", i%20, i%500, i), fmt.Sprint(n, i))
				}
			})
			if got := len(r.j.Changes(n)); got != 10 {
				b.Fatalf("%d changes", got)
			}
		}
	})
}

// BenchmarkLate is a turn in which ten of 100 files change, and the list of all changes after it, in a session
// with ten changes of each of more and more earlier turns. They are kept.
func BenchmarkLate(b *testing.B) {
	for _, turns := range []int{10, 100, 1000, 3000} {
		b.Run(fmt.Sprint(turns), func(b *testing.B) {
			r := newRig(b, nil)
			r.keeping(Options{})
			for n := range turns * 10 {
				w := Write{Path: r.path(fmt.Sprint("file", n%100)), Existed: true, Known: true, Before: fmt.Sprint("turn ", n/100), After: fmt.Sprint("turn ", n/100+1)}
				r.must(r.j.Written(n/10+1, w))
			}
			turn := func() {
				turns++
				r.during(turns, func() {
					for i := range 10 {
						r.write(fmt.Sprint("file", (turns*10+i)%100), fmt.Sprint(turns))
					}
				})
			}
			turn()
			for b.Loop() {
				turn()
				if got := len(r.j.Since(0)); got > 200 {
					b.Fatalf("%d changes", got)
				}
			}
		})
	}
}
