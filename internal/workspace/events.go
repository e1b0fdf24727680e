package workspace

import (
	"cmp"
	"time"
	"unicode/utf8"

	"parley/acpclient/event"
)

// listen waits for events of the agent. It runs once for each connection, until another
// one replaces it.
func (a *Agent) listen() {
	queue, replaced, over := a.queue, a.replaced, a.w.conns.ctx.Done()
	pace, last := a.w.opts.Pace, a.last
	a.w.begin(func() Result {
		select {
		case <-queue.Ready():
		case <-replaced:
			return nil
		case <-over:
			return nil
		}
		if rest := pace - time.Since(last); rest > 0 {
			time.Sleep(rest)
		}
		return &Batch{a, queue, queue.Drain()}
	})
}

// SetPace sets Options.Pace.
func (w *Workspace) SetPace(pace time.Duration) { w.opts.Pace = pace }

// Batch is events of one agent, in order, that have not been applied yet.
type Batch struct {
	agent  *Agent
	queue  *event.Queue
	events []event.Event
}

// arrive applies the first event of the batch.
func (b *Batch) arrive(w *Workspace) (more bool) {
	a := b.agent
	if b.queue != a.queue { // the connection was replaced
		a.drop(b.events)
		b.events = nil
		return false
	}
	if len(b.events) > 0 {
		e := b.events[0]
		b.events = b.events[1:]
		if _, ours := e.(answer); !ours {
			a.last = w.opts.Now()
		}
		a.route(e)
	}
	if len(b.events) > 0 {
		return true
	}
	if b.queue == a.queue {
		a.listen()
	}
	return false
}

// eventWeight is the weight of an event without its text, in bytes.
const eventWeight = 256

// Weight returns roughly how many bytes of text the batch has.
func (b *Batch) Weight() (n int) {
	for _, e := range b.events {
		n += weight(e)
	}
	return n
}

// NextWeight returns the weight of the first event. A text event heavier than most is
// split in two first.
func (b *Batch) NextWeight(most int) int {
	if len(b.events) == 0 {
		return 0
	}
	e := b.events[0]
	if weight(e) > most {
		if head, tail, ok := cutText(e, most); ok {
			b.events = append([]event.Event{head, tail}, b.events[1:]...)
			e = head
		}
	}
	return weight(e)
}

func weight(e event.Event) int {
	switch e := e.(type) {
	case event.TextArrived:
		return eventWeight + len(e.Text)
	case event.TerminalOutput:
		return eventWeight + len(e.Data)
	}
	return eventWeight
}

// cutText splits a text event between two characters, after at most that weight.
func cutText(e event.Event, most int) (head, tail event.Event, ok bool) {
	t, ok := e.(event.TextArrived)
	n := most - eventWeight
	if !ok || t.Role == event.User || n <= 0 {
		return nil, nil, false
	}
	for back := 0; back < utf8.UTFMax && n > 0 && !utf8.RuneStart(t.Text[n]); back++ {
		n--
	}
	if n == 0 {
		return nil, nil, false
	}
	t.Whole = cmp.Or(t.Whole, t.Text)
	first, second := t, t
	first.Text, second.Text = t.Text[:n], t.Text[n:]
	return first, second, true
}

// answer is the outcome of a request to an agent. It goes through the agent's queue, so
// that it is handled after the events that preceded it.
type answer struct {
	agent *Agent
	queue *event.Queue
	apply func()
	stale func() // called instead of apply if the connection was replaced; may be nil
}

func (r answer) arrive(*Workspace) bool {
	if r.agent.queue == r.queue {
		r.queue.Post(r)
	} else {
		r.drop()
	}
	return false
}

// EventSession implements event.Event.
func (answer) EventSession() string { return "" }

func (r answer) drop() {
	if r.stale != nil {
		r.stale()
	}
}

// ask runs a request to the agent in a task, and then calls then, unless the connection
// has been replaced.
func (a *Agent) ask(request func(), then func()) {
	queue := a.queue
	a.w.begin(func() Result {
		request()
		return answer{a, queue, then, nil}
	})
}

// drop releases what the outcomes of a replaced connection hold.
func (a *Agent) drop(events []event.Event) {
	for _, e := range events {
		if r, ok := e.(answer); ok {
			r.drop()
		}
	}
}

// route hands an event to its session. The first event with an unknown id belongs to the
// session that is being opened.
func (a *Agent) route(e event.Event) {
	if r, ok := e.(answer); ok {
		if !a.w.ending {
			r.apply()
		} else {
			r.drop()
		}
		return
	}
	id := e.EventSession()
	if id == "" {
		a.announce(e)
		return
	}
	for _, s := range a.Sessions() {
		switch {
		case s.concerns(id) && s.Lost.State != StateGone: // another session may have the id by now
			s.Apply(e)
			return
		case s.SideQuestions.concerns(id):
			s.SideQuestions.apply(e)
			return
		}
	}
	if s := a.pending; s != nil && !a.removedSessions[id] {
		a.pending = nil
		if !a.w.has(s) { // it has been closed
			a.removedSessions[id] = true
			return
		}
		s.Thread.Session = id
		s.Apply(e)
	}
}

// announce handles events that concern the whole connection.
func (a *Agent) announce(e event.Event) {
	switch e := e.(type) {
	case event.ElicitationCompleted, event.ElicitationEnded: // only its key identifies the session
		for _, s := range a.Sessions() {
			s.Apply(e)
		}
	case event.AuthStatusChanged:
		a.setAccount(e)
	case event.Disconnected:
		for _, s := range a.Sessions() {
			s.SideQuestions.disconnected(e.Err)
			s.Apply(e)
		}
		if a.opening { // the outcome of the start says why
			return
		}
		a.w.tell(AgentGone{OfAgent{a}, e.Err})
		if a.Spec.Remote {
			a.lost(e.Err)
		}
	default:
		a.Front().Apply(e)
	}
}
