package acpclient

import (
	"context"
	"sync"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// elicitModes are the supported modes.
func elicitModes() *wire.ElicitationCapabilities {
	return &wire.ElicitationCapabilities{Form: &struct{}{}, URL: &struct{}{}}
}

// elicitations holds the open ones. Safe for use by several goroutines.
type elicitations struct {
	mu    sync.Mutex
	last  uint64
	open  map[uint64]*elicitation
	pages map[string]uint64 // by elicitationId: pages that are not completed
}

type elicitation struct {
	key     uint64
	session string
	once    sync.Once
	answer  chan event.ElicitationAnswer
}

func (e *elicitation) resolve(a event.ElicitationAnswer) { e.once.Do(func() { e.answer <- a }) }

// maxAwaited bounds the remembered pages that are not completed.
const maxAwaited = 1000

// add registers one. Reader goroutine only.
func (es *elicitations) add(r wire.ElicitationRequest) *elicitation {
	es.mu.Lock()
	defer es.mu.Unlock()
	if es.open == nil {
		es.open, es.pages = map[uint64]*elicitation{}, map[string]uint64{}
	}
	es.last++
	e := &elicitation{key: es.last, session: r.SessionID, answer: make(chan event.ElicitationAnswer, 1)}
	es.open[e.key] = e
	if r.ElicitationID != "" && len(es.pages) < maxAwaited {
		es.pages[r.ElicitationID] = e.key
	}
	return e
}

func (es *elicitations) remove(e *elicitation) {
	es.mu.Lock()
	defer es.mu.Unlock()
	delete(es.open, e.key)
}

// completed returns the key of the page with this id, once. It returns 0 for an unknown
// page.
func (es *elicitations) completed(id string) uint64 {
	es.mu.Lock()
	defer es.mu.Unlock()
	key := es.pages[id]
	delete(es.pages, id)
	return key
}

// cancel cancels the elicitations of a session.
func (es *elicitations) cancel(session string) {
	es.mu.Lock()
	defer es.mu.Unlock()
	for _, e := range es.open {
		if e.session == session {
			e.resolve(event.ElicitationAnswer{Action: "cancel"})
		}
	}
}

// elicitationRequested serves elicitation/create, for the advertised modes: form and
// url.
func (c *Client) elicitationRequested(params []byte) jsonrpc.Work {
	r, err := wire.DecodeElicitation(params)
	if err != nil {
		return badParams(err)
	}
	var s *Session
	if r.SessionID != "" {
		var no jsonrpc.Work
		if s, no = c.sessions.known(r.SessionID); no != nil {
			return no
		}
		if s.cancelling() {
			return func(context.Context) (any, error) { return wire.ElicitationResponse{Action: "cancel"}, nil }
		}
		if s.title != "" {
			r.Message = "Sub-agent " + s.title + ": " + r.Message
		}
		s = s.root()
		r.SessionID = s.id
	}
	e := c.elicits.add(r)
	for_ := event.For{Session: r.SessionID}
	c.opts.Sink.Post(event.ElicitationAsked{For: event.For{Session: r.SessionID, Wire: c.in.span()}, Key: e.key, ToolID: r.ToolCallID, At: c.clock(),
		Message: safetext.Clean(r.Message), URL: r.URL, Schema: r.Schema, Answer: e.resolve})
	if s != nil && s.cancelling() { // cancelled between the check above and add
		e.resolve(event.ElicitationAnswer{Action: "cancel"})
	}
	return func(ctx context.Context) (any, error) {
		var a event.ElicitationAnswer
		select {
		case a = <-e.answer:
		case <-ctx.Done():
			a = event.ElicitationAnswer{Action: "cancel"}
			e.resolve(a)
		}
		c.elicits.remove(e)
		c.opts.Sink.Post(event.ElicitationEnded{For: for_, Key: e.key, At: c.clock()})
		out := wire.ElicitationResponse{Action: a.Action}
		if a.Action == "accept" && r.Mode == "form" {
			out.Content = a.Content
		}
		return out, nil
	}
}

// elicitationCompleted handles elicitation/complete; unknown ids are ignored.
func (c *Client) elicitationCompleted(params []byte) {
	if key := c.elicits.completed(wire.DecodeElicitationComplete(params)); key != 0 {
		c.opts.Sink.Post(event.ElicitationCompleted{For: event.For{Wire: c.in.span()}, Key: key})
	}
}
