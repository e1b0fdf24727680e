package thread_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

var chunk = event.TextArrived{For: in, Role: event.Agent, MessageID: "m", Text: "twenty bytes of text"}

// filled returns a thread with some items and a message of that many bytes.
func filled(items, bytes int) *thread.Thread {
	th := thread.New("s")
	for i := range items - 1 {
		th.Apply(tool(fmt.Sprint(i), "completed"))
	}
	th.Apply(says(event.Agent, "m", strings.Repeat("x", bytes)))
	return th
}

// The cost of a chunk must not grow with the message or with the transcript. It includes
// growing the slice in place.
func BenchmarkApply(b *testing.B) {
	for _, c := range []struct {
		name         string
		items, bytes int
	}{
		{"message/1kB", 1, 1 << 10}, {"message/100kB", 1, 100 << 10}, {"message/1MB", 1, 1 << 20},
		{"items/10", 10, 1 << 10}, {"items/1000", 1000, 1 << 10}, {"items/100000", 100_000, 1 << 10},
	} {
		b.Run(c.name, func(b *testing.B) {
			th := filled(c.items, c.bytes)
			last := th.Items[len(th.Items)-1]
			b.ReportAllocs()
			e := chunk
			for b.Loop() {
				e.Wire.First++ // another message
				e.Wire.Last++
				if len(last.Text) > 2*c.bytes+(1<<20) { // start again to keep the length about the same
					last.Text = last.Text[:c.bytes]
				}
				th.Apply(e)
			}
			if last.Wire[0].Last != e.Wire.Last {
				b.Fatalf("%+v, the last message was %d", last.Wire, e.Wire.Last)
			}
		})
	}
}
