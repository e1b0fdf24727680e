package ui

import (
	"os"
	"runtime"
)

// leastProcs is how many goroutines may run at a time, at least.
//
// Go lets one that computes go on for 10 ms while others wait in the line of the
// same processor. With two of them the reader of a flood and the collector of
// garbage have both, and a key waits at each of the five goroutines on its way
// from the terminal and back. With more, the system shares out the cores: it lets
// a thread in at once that has mostly slept.
const leastProcs = 4

// widen takes as many, unless the user has said how many there are to be.
func widen() {
	if os.Getenv("GOMAXPROCS") == "" && runtime.GOMAXPROCS(0) < leastProcs {
		runtime.GOMAXPROCS(leastProcs)
	}
}
