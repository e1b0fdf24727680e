package thread_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/acpclient/thread/threadtest"
)

// portrait is the whole visible state of a thread. versions also holds how often items
// were touched, which depends on how events are merged.
func portrait(t *thread.Thread) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q %v %v %q %v %v turn %d +%d -%d %v\n", t.State, t.Title, t.Plan, t.Commands, t.Mode, t.Config, t.Usage, t.Turn, t.Added, t.Removed, t.TurnStarted)
	for _, it := range t.Items {
		fmt.Fprintln(&b, look(t, it))
	}
	return b.String()
}

// look is the visible state of an item.
func look(t *thread.Thread, it *thread.Item) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d turn %d kind %d %q %q %v %v excluded %v detail %q", it.Index, it.Turn, it.Kind, it.MessageID, it.Text, it.At, it.Until, it.Excluded, it.Detail)
	if it.Attachment != nil {
		fmt.Fprintf(&b, " attachment %+v", *it.Attachment)
	}
	if it.Answer != nil {
		fmt.Fprintf(&b, " settled %+v", *it.Answer)
	}
	if it.End != nil {
		fmt.Fprintf(&b, " end %+v", *it.End)
	}
	if it.Tool == nil {
		return b.String()
	}
	tool := *it.Tool
	tool.Content = nil
	if tool.Answer != nil {
		fmt.Fprintf(&b, " answer %+v", *tool.Answer)
		tool.Answer = nil
	}
	fmt.Fprintf(&b, " tool %+v", tool)
	for _, c := range it.Tool.Content {
		switch {
		case c.Diff != nil:
			fmt.Fprintf(&b, " diff %+v", *c.Diff)
		case c.Content != nil:
			fmt.Fprintf(&b, " content %+v", *c.Content)
		default:
			term := t.TerminalOf(it, c.Terminal)
			fmt.Fprintf(&b, " terminal %q %q %v %v %q", term.ID, term.Output, term.Exited, show(term.Code), term.Signal)
		}
	}
	return b.String()
}

func show(code *int) string {
	if code == nil {
		return "-"
	}
	return fmt.Sprint(*code)
}

// check applies events one at a time, and merged by a queue, and compares the results.
func check(t *testing.T, events []event.Event, portion func() int) {
	t.Helper()
	events = numbered(events)
	single := thread.New("s")
	var items []*thread.Item
	var looks []string
	for n, e := range events {
		changed := single.Apply(e)
		if len(single.Items) < len(items) || !slices.Equal(single.Items[:len(items)], items) {
			t.Fatalf("event %d %#v moved or removed items", n, e)
		}
		for i, it := range single.Items {
			if it.Index != i {
				t.Fatalf("event %d: item %d says that it is %d", n, i, it.Index)
			}
			now := look(single, it)
			if (i >= len(looks) || looks[i] != now) && !slices.Contains(changed, i) {
				t.Fatalf("event %d %#v changed item %d without saying so:\n%s", n, e, i, now)
			}
			if i >= len(looks) {
				looks = append(looks, now)
			}
			looks[i] = now
		}
		items = slices.Clone(single.Items)
	}
	q := event.NewQueue()
	merged := thread.New("s")
	for len(events) > 0 {
		n := min(len(events), 1+portion())
		for _, e := range events[:n] {
			q.Post(e)
		}
		events = events[n:]
		for _, e := range q.Drain() {
			merged.Apply(e)
		}
	}
	if a, b := portrait(single), portrait(merged); a != b {
		t.Fatalf("step by step:\n%s\nin portions:\n%s", a, b)
	}
	checkWire(t, single, merged)
}

// numbered gives every event its own message ordinal.
func numbered(events []event.Event) []event.Event {
	out := make([]event.Event, len(events))
	for i, e := range events {
		v := reflect.New(reflect.TypeOf(e)).Elem()
		v.Set(reflect.ValueOf(e))
		v.FieldByName("For").FieldByName("Wire").Set(reflect.ValueOf(event.Span{First: uint64(i + 1), Last: uint64(i + 1)}))
		out[i] = v.Interface().(event.Event)
	}
	return out
}

// checkWire compares the messages that items are made of. After merging, a span may
// cover messages of other items, but no message is lost and they are in order.
func checkWire(t *testing.T, single, merged *thread.Thread) {
	t.Helper()
	for i, it := range merged.Items {
		made := map[uint64]bool{}
		last := uint64(0)
		for _, s := range it.Wire {
			if s.First <= last || s.Last < s.First {
				t.Fatalf("item %d is made of %v", i, it.Wire)
			}
			for n := s.First; n <= s.Last; n++ {
				made[n] = true
			}
			last = s.Last + 1 // adjacent ones are joined
		}
		for _, s := range single.Items[i].Wire {
			for n := s.First; n <= s.Last; n++ {
				if !made[n] {
					t.Fatalf("item %d is made of %v step by step, of %v in portions", i, single.Items[i].Wire, it.Wire)
				}
			}
		}
		if it.Request != single.Items[i].Request {
			t.Fatalf("item %d is request %d and %d", i, single.Items[i].Request, it.Request)
		}
	}
}

// Any sequence of events makes the same thread one by one and merged by a queue.
func FuzzApply(f *testing.F) {
	f.Add([]byte{10, 3, 4, 0, 1, 0, 1, 0, 1, 0, 9, 11, 5, 2}, uint8(3))
	f.Add([]byte{10, 1, 1, 5, 1, 1, 0, 1, 2, 1, 0, 3, 2, 8, 1, 3, 11, 0, 11, 2, 1}, uint8(200))
	for seed := range uint64(8) {
		data := make([]byte, 600)
		r := rand.New(rand.NewPCG(seed, 7))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data, uint8(r.Uint32()))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint8) {
		if len(data) > 4000 {
			t.Skip()
		}
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		check(t, threadtest.Events(data), func() int { return r.IntN(1 + int(seed)) })
	})
}

func TestRandomSequences(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		data := make([]byte, 50+r.IntN(800))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		check(t, threadtest.Events(data), func() int { return r.IntN(40) })
	}
}
