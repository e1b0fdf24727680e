//go:build unix

package e2e

import (
	"testing"
	"time"
)

// BenchmarkStart starts parley in a terminal: to the first screen that is whole.
// echo-ms is how long the first key takes from there.
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
