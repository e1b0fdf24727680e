package ui

import (
	"os"
	"runtime"
)

// leastProcs is the least GOMAXPROCS.
//
// Go lets a goroutine compute for 10 ms while others wait in the queue of the same
// processor. With two processors, the reader of a flood and the garbage collector use both,
// and a key waits at each of the five goroutines on its way from the terminal and back. With
// more, the operating system shares the cores and runs a thread that has mostly slept at once.
const leastProcs = 4

// raiseProcs raises GOMAXPROCS to leastProcs unless the user has set it.
func raiseProcs() {
	if os.Getenv("GOMAXPROCS") == "" && runtime.GOMAXPROCS(0) < leastProcs {
		runtime.GOMAXPROCS(leastProcs)
	}
}
