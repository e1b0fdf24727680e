package thread_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/acpclient/thread/threadtest"
)

// callMaker makes events that are mostly changes of two tool calls, which a Queue joins,
// with others between.
type callMaker struct {
	data []byte
	now  time.Time
}

func callEvents(data []byte) (out []event.Event) {
	m := &callMaker{data, threadtest.Start}
	for len(m.data) > 0 && len(out) < 200 {
		m.now = m.now.Add(time.Second)
		out = append(out, m.event())
	}
	return out
}

func (m *callMaker) pick(n int) int {
	if len(m.data) == 0 {
		return 0
	}
	b := m.data[0]
	m.data = m.data[1:]
	return int(b) % n
}

func (m *callMaker) maybe(words ...string) *string {
	if i := m.pick(2 * len(words)); i < len(words) {
		return &words[i]
	}
	return nil
}

func (m *callMaker) event() event.Event {
	in := event.For{Session: "s"}
	switch m.pick(24) {
	case 0:
		return event.TurnStarted{For: in, At: m.now}
	case 1:
		return event.TurnEnded{For: in, StopReason: "end_turn", At: m.now}
	case 2:
		return event.TurnCancelled{For: in}
	case 3:
		return event.PermissionAnswered{For: in, ToolID: "c", Decision: "no", By: "you", At: m.now}
	case 4, 5:
		return event.TerminalOutput{For: in, ID: []string{"t", "u"}[m.pick(2)], Data: []byte{byte('a' + m.pick(26))}}
	}
	e := event.ToolChanged{For: in, ID: []string{"c", "c", "c", "c", "d"}[m.pick(5)], At: m.now}
	if m.pick(4) > 0 { // otherwise the change has no content
		m.say(&e)
	}
	return e
}

func (m *callMaker) say(e *event.ToolChanged) {
	e.Title, e.Name, e.Kind = m.maybe("one", "two"), m.maybe("name"), m.maybe("read", "edit")
	e.RawInput, e.RawOutput = m.maybe("{}", "[]"), m.maybe("1", "2")
	e.Status = m.maybe("pending", "in_progress", "completed", "failed", "cancelled", "novel")
	switch m.pick(6) {
	case 0:
		e.Content = &[]event.ToolContent{{Content: &event.Content{Text: "text"}}}
	case 1:
		e.Content = &[]event.ToolContent{{Terminal: []string{"t", "u"}[m.pick(2)]}}
	case 2:
		e.Content = &[]event.ToolContent{}
	}
	switch m.pick(12) {
	case 0:
		e.AppendContent = []event.ToolContent{{Terminal: "u"}}
	case 1:
		can := m.pick(2) == 0
		e.Cancelable = &can
	case 2, 3:
		e.Locations = &[]event.Location{{Path: "/a", Line: m.pick(9)}}
	}
}

// FuzzJoinedCalls checks that changes of calls make the same thread one by one and
// joined by a Queue.
func FuzzJoinedCalls(f *testing.F) {
	for seed := range uint64(6) {
		f.Add(randomBytes(seed, 400), uint8(seed*17))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint8) {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		check(t, callEvents(data), func() int { return r.IntN(1 + int(seed)) })
	})
}

func randomBytes(seed uint64, n int) []byte {
	data := make([]byte, n)
	r := rand.New(rand.NewPCG(seed, 11))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

func TestJoinedCalls(t *testing.T) {
	posted, taken := 0, 0
	for seed := range uint64(500) {
		data := randomBytes(seed, 600)
		r := rand.New(rand.NewPCG(seed, 5))
		check(t, callEvents(data), func() int { return r.IntN(60) })
		q := event.NewQueue()
		for _, e := range callEvents(data) {
			q.Post(e)
			posted++
		}
		taken += len(q.Drain())
	}
	if taken > posted*9/10 {
		t.Errorf("%d events of %d: hardly any were joined", taken, posted)
	}
}

// The changes of a usual call become one event with both of its times; a step queue
// keeps them all.
func TestOneEventPerCall(t *testing.T) {
	q, steps := event.NewQueue(), event.NewStepQueue()
	for i, s := range []string{"pending", "in_progress", "completed"} {
		n := uint64(i + 1)
		e := event.ToolChanged{For: event.For{Session: "s", Wire: event.Span{First: n, Last: n}}, ID: "c", Status: &s, At: time.Unix(int64(n), 0)}
		q.Post(e)
		steps.Post(e)
	}
	if n := len(steps.Drain()); n != 3 {
		t.Errorf("%d steps", n)
	}
	events := q.Drain()
	if len(events) != 1 {
		t.Fatalf("%d events", len(events))
	}
	th := thread.New("s")
	th.Apply(events[0])
	tool := th.Tool("c")
	if tool.Status != "completed" || tool.Started != time.Unix(1, 0) || tool.Ended != time.Unix(3, 0) || th.Items[0].Wire[0] != (event.Span{First: 1, Last: 3}) {
		t.Errorf("%+v made of %v", tool, th.Items[0].Wire)
	}
}
