//go:build !unix

package acpclient_test

import "time"

// cpuTime is not known here: benchmarks tell wall time alone.
func cpuTime() time.Duration { return 0 }
