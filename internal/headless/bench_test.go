package headless

import (
	"io"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// BenchmarkPrint is what `parley run` does with an event once the engine has it:
// a chunk of 20 bytes, as it comes when every one is taken by itself.
func BenchmarkPrint(b *testing.B) {
	for _, format := range []string{"text", "json", "stream-json"} {
		b.Run(format, func(b *testing.B) {
			o := Options{Agent: "test", Format: format, Policy: DenyAll, Stdout: io.Discard, Stderr: io.Discard}
			r := &run{opts: o, out: newPrinter(o), thread: thread.New("s"), start: time.Now()}
			in := event.For{Session: "s"}
			r.apply(event.TurnStarted{For: in, Text: "p"})
			b.ReportAllocs()
			for b.Loop() {
				if len(r.thread.Items) == 0 || len(r.thread.Items[len(r.thread.Items)-1].Text) > 1<<20 {
					r.thread = thread.New("s") // a message of no end would be all that is measured
				}
				r.apply(event.TextArrived{For: in, MessageID: "m", Text: "twenty bytes of text"})
			}
		})
	}
}
