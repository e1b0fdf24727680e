package event_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/acptest"
	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// Merging keeps the text of each message and the output of each terminal, and all other
// events in their places.
func TestQueueMergesAdjacentEventsOnly(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		q := event.NewQueue()
		var want, got []string
		note := func(into *[]string, e event.Event) {
			last, line := "", acptest.Line(e)
			if len(*into) > 0 {
				last = (*into)[len(*into)-1]
			}
			switch e := e.(type) {
			case event.TextArrived:
				text := e.Text
				e.Text = ""
				line = acptest.Line(e) + "|" + text
				if head, _, ok := strings.Cut(last, "|"); ok && head == acptest.Line(e) {
					(*into)[len(*into)-1] += text
					return
				}
			case event.TerminalOutput:
				data := e.Data
				e.Data = nil
				line = acptest.Line(e) + "|" + string(data)
				if head, _, ok := strings.Cut(last, "|"); ok && head == acptest.Line(e) {
					(*into)[len(*into)-1] += string(data)
					return
				}
			}
			*into = append(*into, line)
		}
		for i := range 100 {
			var e event.Event
			in := event.For{Session: []string{"s1", "s2"}[rng.IntN(8)/7]}
			letter := string(rune('a' + i%26))
			switch rng.IntN(10) {
			case 0:
				e = event.PlanChanged{For: in}
			case 1, 2:
				e = event.TerminalOutput{For: in, ID: []string{"t1", "t2"}[rng.IntN(8)/7], Data: []byte(letter)}
			default:
				e = event.TextArrived{For: in, Role: event.Role(rng.IntN(9) / 8), MessageID: []string{"", "m"}[rng.IntN(8)/7], Text: letter}
			}
			q.Post(e)
			note(&want, e)
			if rng.IntN(20) == 0 {
				for _, e := range q.Drain() {
					note(&got, e)
				}
			}
		}
		for _, e := range q.Drain() {
			note(&got, e)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// Events belong to the caller of Drain: later posts must not change them.
func TestTakenEventsDoNotChange(t *testing.T) {
	q := event.NewQueue()
	q.Post(event.TerminalOutput{ID: "t", Data: []byte("one")})
	first := q.Drain()
	q.Post(event.TerminalOutput{ID: "t", Data: []byte("TWO")})
	q.Post(event.TerminalOutput{ID: "t", Data: []byte("THREE")})
	q.Drain()
	if got := first[0].(event.TerminalOutput).Data; string(got) != "one" {
		t.Errorf("got %q", got)
	}
	if q.Drain() != nil {
		t.Error("an empty queue hands out events")
	}
}

// Waiting terminal output is bounded and marked as cut; text is never cut.
func TestQueueBoundsTerminalOutput(t *testing.T) {
	q := event.NewQueue()
	block := bytes.Repeat([]byte("0123456789abcdef"), 4096) // 64 KiB
	for range 100 {
		q.Post(event.TerminalOutput{ID: "t", Data: block})
	}
	q.Post(event.TerminalOutput{ID: "t", Data: []byte("the end")})
	for range 100 {
		q.Post(event.TextArrived{Text: string(block)})
	}
	events := q.Drain()
	out := events[0].(event.TerminalOutput)
	if len(out.Data) > 4<<20 || len(out.Data) < 1<<20 || !out.Cut || !bytes.HasSuffix(out.Data, []byte("the end")) {
		t.Errorf("%d bytes kept, cut %v", len(out.Data), out.Cut)
	}
	if text := events[1].(event.TextArrived).Text; len(text) != 100*len(block) {
		t.Errorf("%d bytes of text", len(text))
	}
}

func TestQueueIsReady(t *testing.T) {
	q := event.NewQueue()
	select {
	case <-q.Ready():
		t.Error("ready with nothing posted")
	default:
	}
	q.Post(event.PlanChanged{})
	q.Post(event.PlanChanged{})
	<-q.Ready()
	if n := len(q.Drain()); n != 2 {
		t.Errorf("%d events", n)
	}
}

// If a front end takes nothing, for example while an editor runs, a flood ends the
// connection after the events that came before.
func TestQueueIsBounded(t *testing.T) {
	q := event.NewQueue()
	for i := range 256 {
		if !q.Reserve(1 << 20) {
			t.Fatalf("full after %d MiB", i)
		}
	}
	if q.Reserve(1) {
		t.Error("more than 256 MiB")
	}
	if q.Drain(); !q.Reserve(256 << 20) {
		t.Error("full after it was emptied")
	}
	q.Drain()
	block := make([]byte, 1<<20)
	for i := range 1000 { // the queue keeps the last ones
		if !q.Reserve(len(block)) {
			t.Fatalf("full after %d MiB of a terminal", i)
		}
		q.Post(event.TerminalOutput{ID: "t", Data: block})
	}
}

// A tool call that runs while its command writes makes one event with the output, and
// the thread equals the one built from single events.
func TestQueueJoinsChangesOfARunningCall(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	title := "a title"
	for range 300 {
		q := event.NewQueue()
		var single, joined = thread.New("s1"), thread.New("s1")
		posted, taken := 0, 0
		take := func() {
			for _, e := range q.Drain() {
				joined.Apply(e)
				taken++
			}
		}
		for i := range 60 {
			in := event.For{Session: "s1", Wire: event.Span{First: uint64(i + 1), Last: uint64(i + 1)}}
			call := event.ToolChanged{For: in, ID: []string{"c", "d"}[rng.IntN(8)/7], At: time.Unix(int64(i), 0)}
			events := []event.Event{call, event.TerminalOutput{For: in, ID: []string{"t", "u"}[rng.IntN(8)/7], Data: []byte{byte('a' + i%26)}}}
			switch rng.IntN(12) {
			case 0:
				status := []string{"completed", "in_progress"}[rng.IntN(2)]
				call.Title, call.Status, call.Content = &title, &status, &[]event.ToolContent{{Terminal: "t"}}
				events = []event.Event{call}
			case 1:
				events = []event.Event{event.TextArrived{For: in, Text: "x"}}
			case 2:
				take()
			}
			for _, e := range events {
				q.Post(e)
				single.Apply(e)
				posted++
			}
		}
		take()
		if taken >= posted {
			t.Errorf("%d events of %d", taken, posted)
		}
		for i, it := range single.Items {
			other := joined.Items[i]
			if !reflect.DeepEqual(it.Tool, other.Tool) || string(it.Text) != string(other.Text) || it.Kind != other.Kind {
				t.Fatalf("item %d is %+v, joined %+v", i, it.Tool, other.Tool)
			}
			if len(it.Wire) == 0 || it.Wire[0].First != other.Wire[0].First || it.Wire[len(it.Wire)-1].Last != other.Wire[len(other.Wire)-1].Last {
				t.Fatalf("item %d is made of %v, joined of %v", i, it.Wire, other.Wire)
			}
		}
		for _, id := range []string{"t", "u"} {
			if a, b := single.Terminal(id), joined.Terminal(id); a != nil && string(a.Output) != string(b.Output) {
				t.Fatalf("the output is %q, joined %q", a.Output, b.Output)
			}
		}
	}
}

// Updates with output only make two events, however many messages there are.
func TestQueueKeepsOneEventOfOutput(t *testing.T) {
	q := event.NewQueue()
	for i := range 100 {
		in := event.For{Session: "s1", Wire: event.Span{First: uint64(i + 1), Last: uint64(i + 1)}}
		q.Post(event.ToolChanged{For: in, ID: "c"})
		q.Post(event.TerminalOutput{For: in, ID: "t", Data: []byte("x")})
	}
	events := q.Drain()
	if len(events) != 2 || events[0].(event.ToolChanged).Wire != (event.Span{First: 1, Last: 100}) || len(events[1].(event.TerminalOutput).Data) != 100 {
		t.Errorf("%d events: %+v", len(events), events)
	}
}
