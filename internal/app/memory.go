package app

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// muchFree is how much memory nobody needs any more before it is worth looking
// for, in bytes.
const muchFree = 16 << 20

// afterTurn is how long what stands behind the screen, such as the log, has to come
// to its end.
const afterTurn = 250 * time.Millisecond

// rest gives the memory back that a turn has left behind: without it, most of what
// a long answer took for a moment stays with the process for minutes. It takes a
// while; the screen goes on meanwhile.
func rest() {
	time.Sleep(afterTurn)
	tidy()
}

func tidy() {
	if unneeded() >= muchFree {
		debug.FreeOSMemory()
	}
}

// unneeded is about how many bytes the heap holds besides what was live when it was
// last looked at.
func unneeded() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	sum := int64(0)
	for i, s := range samples {
		if s.Value.Kind() != metrics.KindUint64 {
			continue // unknown to this version of Go
		}
		n := int64(s.Value.Uint64())
		if i == len(samples)-1 {
			n = -n
		}
		sum += n
	}
	return sum
}
