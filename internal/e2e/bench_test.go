//go:build unix

package e2e

import (
	"testing"
	"time"
)

// BenchmarkStart measures the time from starting parley in a terminal to its first complete screen.
// echo-ms is the time from there to the echo of the first key.
func BenchmarkStart(b *testing.B) {
	var echo time.Duration
	for b.Loop() {
		b.StopTimer()
		dir := workDir(b)
		b.StartTimer()
		s := Start(b, 120, 40, dir)
		s.WaitFor("enter start")
		b.StopTimer()
		began := time.Now()
		s.Type("z")
		s.WaitFor("› z")
		echo += time.Since(began)
		s.Press("esc")
		s.WaitFor("parley agent demo")
		s.Press("esc")
		s.ExitCode()
		b.StartTimer()
	}
	b.ReportMetric(float64(echo.Microseconds())/1000/float64(b.N), "echo-ms")
}
