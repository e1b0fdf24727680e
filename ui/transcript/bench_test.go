package transcript

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/uitest"
)

var twenty = event.TextArrived{For: in, MessageID: "last", Text: "twenty bytes of text"}

// filled is a thread of that many items, the last a message of that many bytes.
func filled(items, bytes int) *thread.Thread {
	th := long(items - 1)
	paragraph := strings.Repeat("a sentence of some words, and *another* one. ", 8) + "\n\n"
	th.Apply(event.TextArrived{For: in, MessageID: "last", Text: strings.Repeat(paragraph, 1+bytes/len(paragraph))})
	return th
}

// A chunk of 20 bytes, from the event to the rows: the cost must not grow with
// the message nor with the transcript. A blank line comes every 400 bytes, as
// in prose.
func BenchmarkChunk(b *testing.B) {
	for _, c := range []struct {
		name         string
		items, bytes int
	}{
		{"message/1kB", 1, 1 << 10}, {"message/100kB", 1, 100 << 10}, {"message/1MB", 1, 1 << 20},
		{"items/10", 10, 1 << 10}, {"items/1000", 1000, 1 << 10}, {"items/100000", 100_000, 1 << 10},
	} {
		b.Run(c.name, func(b *testing.B) {
			th := filled(c.items, c.bytes)
			v := viewOf(th, "dark", 100, 40)
			v.Rows()
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				e := twenty
				if n++; n%20 == 0 {
					e.Text = "the end of it.\n\n"
				}
				v.Changed(th.Apply(e))
				v.Rows()
			}
		})
	}
}

// A thought of any length costs a line.
func BenchmarkThought(b *testing.B) {
	for _, size := range []int{1 << 10, 100 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size>>10, "kB"), func(b *testing.B) {
			th := thread.New("s")
			th.Apply(event.TurnStarted{For: in, Text: "p", At: uitest.Start})
			th.Apply(event.TextArrived{For: in, Role: event.Thought, Text: strings.Repeat("a thought of some words.\n", size/25)})
			v := viewOf(th, "dark", 100, 40)
			b.ReportAllocs()
			for b.Loop() {
				v.Changed(th.Apply(event.TextArrived{For: in, Role: event.Thought, Text: "twenty bytes of text"}))
				v.Rows()
			}
		})
	}
}

// One frame of rows that are ready, and the bytes of it.
func BenchmarkFrame(b *testing.B) {
	v := viewOf(uitest.Gallery(), "dark", 200, 50)
	v.Rows()
	b.ReportAllocs()
	for b.Loop() {
		v.dirty = true
		v.Rows()
	}
	b.ReportMetric(float64(len(strings.Join(v.rows, "\n"))), "bytes/frame")
}
