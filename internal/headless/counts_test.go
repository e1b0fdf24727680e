package headless

import (
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/host"
)

// The allocations of printing a chunk must not depend on the size of its message.
func TestPrintingCostsTheSame(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json", "stream-json"} {
		var few int
		for _, size := range []int{1 << 10, 1 << 20} {
			o := Options{Host: host.Options{Agent: "test"}, Format: format, Policy: DenyAll, Stdout: io.Discard, Stderr: io.Discard}
			r := &run{opts: o, out: newPrinter(o), thread: thread.New("s"), start: time.Now()}
			in := event.For{Session: "s"}
			r.apply(event.TextArrived{For: in, MessageID: "m", Text: strings.Repeat("some words of text\n", size/19)})
			var all []int
			for range 31 {
				var a, b runtime.MemStats
				runtime.ReadMemStats(&a)
				r.apply(event.TextArrived{For: in, MessageID: "m", Text: "twenty bytes of text"})
				runtime.ReadMemStats(&b)
				all = append(all, int(b.TotalAlloc-a.TotalAlloc))
			}
			slices.Sort(all)
			if few == 0 {
				few = all[15] + 1
			}
			if got := all[15]; got > few+few/2+256 {
				t.Errorf("%s: a chunk of a message of %d kB allocates %d bytes, of 1 kB %d", format, size>>10, got, few)
			}
		}
	}
}
