package headless

import (
	"io"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/host"
)

// BenchmarkPrint measures what `parley run` does with an event of the engine: a chunk of 20
// bytes, handled one at a time.
func BenchmarkPrint(b *testing.B) {
	for _, format := range []string{"text", "json", "stream-json"} {
		b.Run(format, func(b *testing.B) {
			o := Options{Host: host.Options{Agent: "test"}, Format: format, Policy: DenyAll, Stdout: io.Discard, Stderr: io.Discard}
			r := &run{opts: o, out: newPrinter(o), thread: thread.New("s"), start: time.Now()}
			in := event.For{Session: "s"}
			r.apply(event.TurnStarted{For: in, Text: "p"})
			b.ReportAllocs()
			for b.Loop() {
				if len(r.thread.Items) == 0 || len(r.thread.Items[len(r.thread.Items)-1].Text) > 1<<20 {
					r.thread = thread.New("s") // otherwise a message without an end would dominate the measurement
				}
				r.apply(event.TextArrived{For: in, MessageID: "m", Text: "twenty bytes of text"})
			}
		})
	}
}
