//go:build !unix

package acpclient_test

import "time"

// cpuTime is not available on this system: benchmarks report wall time only.
func cpuTime() time.Duration { return 0 }
