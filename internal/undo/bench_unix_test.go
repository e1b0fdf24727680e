//go:build unix

package undo

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/must"
)

// usedCPU returns the processor time of this process and of those that it has waited for.
func usedCPU(t testing.TB) (sum time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		must.Do(t, syscall.Getrusage(who, &u))
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

// BenchmarkLarge is a turn in a repository of 100,000 files in 5,000 directories, in which ten files change and one
// is created: the first one of a session, and later ones.
func BenchmarkLarge(b *testing.B) {
	files := map[string]string{}
	for i := range 100_000 {
		files[fmt.Sprintf("top%d/mid%d/sub%d/file%d.go", i%50, i%500, i%5000, i)] = fmt.Sprint(i, strings.Repeat("x", 1500))
	}
	r := newRig(b, files)
	waitTick()
	r.must(os.Chtimes(r.path(".git/index"), time.Now(), time.Now()))
	waitTick()
	n := 0
	turn := func() {
		n++
		r.during(n, func() {
			for i := range 10 {
				r.write(fmt.Sprintf("top%d/mid%d/sub%d/file%d.go", i, i, i, i), fmt.Sprint(n, i))
			}
			r.write(fmt.Sprint("new", n), "1")
		})
		if got := len(r.j.Changes(n)); got != 11 {
			b.Fatalf("%d changes", got)
		}
	}
	measured := func(do func()) func(*testing.B) {
		return func(b *testing.B) {
			var sum time.Duration
			for b.Loop() {
				b.StopTimer()
				do()
				b.StartTimer()
				began := usedCPU(b)
				turn()
				sum += usedCPU(b) - began
			}
			b.ReportMetric(float64(sum.Milliseconds())/float64(b.N), "cpu-ms/op")
		}
	}
	b.Run("first", measured(func() { r.j = r.journal(Options{}) }))
	b.Run("later", measured(func() {}))
}
