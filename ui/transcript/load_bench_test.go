package transcript

import (
	"fmt"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/uitest"
)

// paragraphs is a transcript of about so many rows of 100 cells.
func paragraphs(rows int) *thread.Thread { return long(rows / 4) }

// BenchmarkResize is another width and the rows of the screen at it, in a short
// transcript and a long one, at its end and in its middle: what is out of sight
// must cost nothing.
func BenchmarkResize(b *testing.B) {
	for _, rows := range []int{1000, 100_000} {
		for _, where := range []string{"end", "middle"} {
			b.Run(fmt.Sprintf("%d/%s", rows, where), func(b *testing.B) {
				v := viewOf(paragraphs(rows), "dark", 100, 40)
				v.Rows()
				if where == "middle" {
					v.Home()
					v.Scroll(rows / 4)
				}
				was, n := v.layout.rendered, 0
				b.ReportAllocs()
				for b.Loop() {
					v.SetSize(100-n%40, 40)
					v.Rows()
					n++
				}
				b.ReportMetric(float64(v.layout.rendered-was)/float64(n), "segments/op")
			})
		}
	}
}

// updates are those of a session that is loaded: prompts, answers in chunks, tool
// calls that begin and end.
func updates(n int) (all []event.Event) {
	running, done, title, kind := "in_progress", "completed", "Read parser/lex.go", "read"
	for i := 0; len(all) < n; i++ {
		id := fmt.Sprint(i)
		all = append(all, event.TextArrived{For: in, Role: event.User, MessageID: "u" + id, Text: "What does it do, and why?"})
		for range 15 {
			all = append(all, event.TextArrived{For: in, MessageID: "a" + id, Text: "some *words* of an answer, "})
		}
		all = append(all, event.TextArrived{For: in, MessageID: "a" + id, Text: "and `its` end.\n\n"},
			event.ToolChanged{For: in, ID: "t" + id, Title: &title, Kind: &kind, Status: &running},
			event.ToolChanged{For: in, ID: "t" + id, Status: &done},
			event.TextArrived{For: in, MessageID: "b" + id, Text: "- a list\n- of two\n\n"})
	}
	return all[:n]
}

// BenchmarkLoad is a session of 20,000 updates that is loaded: through the queue,
// in portions of 1,000, into the thread and onto the screen.
func BenchmarkLoad(b *testing.B) {
	const portion = 1000
	all := updates(20_000)
	b.ReportAllocs()
	rendered, loads := 0, 0
	for b.Loop() {
		q, th := event.NewQueue(), thread.New("s")
		th.Apply(event.TurnStarted{For: in, Text: "p", At: uitest.Start})
		v := viewOf(th, "dark", 100, 40)
		for at := 0; at < len(all); at += portion {
			for _, e := range all[at:min(at+portion, len(all))] {
				q.Post(e)
			}
			for _, e := range q.Drain() {
				v.Changed(th.Apply(e))
			}
			v.Rows()
		}
		rendered, loads = rendered+v.layout.rendered, loads+1
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(loads*len(all)), "ns/update")
	b.ReportMetric(float64(rendered)/float64(loads), "segments/load")
}
