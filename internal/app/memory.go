package app

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// muchFree is how many unneeded bytes make freeing memory worthwhile.
const muchFree = 16 << 20

// afterTurn is how long the rest of parley, such as the log, may take to finish a turn.
const afterTurn = 250 * time.Millisecond

// freeAfterTurn returns the memory that a turn no longer needs. Otherwise most of the memory for a long
// answer would stay with the process for minutes. It takes a while, so it must not run on the
// screen's goroutine.
func freeAfterTurn() {
	time.Sleep(afterTurn)
	freeUnneeded()
}

func freeUnneeded() {
	if unneeded() >= muchFree {
		debug.FreeOSMemory()
	}
}

// unneeded estimates how many bytes the heap holds beyond what was live at the last collection.
func unneeded() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	sum := int64(0)
	for i, s := range samples {
		if s.Value.Kind() != metrics.KindUint64 {
			continue // not supported by this version of Go
		}
		n := int64(s.Value.Uint64())
		if i == len(samples)-1 {
			n = -n
		}
		sum += n
	}
	return sum
}
