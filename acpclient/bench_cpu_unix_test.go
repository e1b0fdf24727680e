//go:build unix

package acpclient_test

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time of this process without its children.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
