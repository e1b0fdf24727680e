package acpclient

import (
	"cmp"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// ErrTurnRunning is returned by Prompt before the last prompt has been answered: agents
// of v1 disagree about the meaning of a second prompt.
var ErrTurnRunning = errors.New("a turn is already running")

// Session is one conversation with the agent.
type Session struct {
	client    *Client
	id        string
	cwd       string
	offer     Offer
	parent    *Session    // of a sub-agent: the session that has started it
	title     string      // of a sub-agent; reader goroutine only
	stoppable atomic.Bool // a sub-agent that may be cancelled

	// Reader goroutine only.
	texts textStreams
	tools toolStore // permission requests refer to them
	told  string    // of a sub-agent: the id of the last message of the session that has started it

	cancelable cancelables
	turns      turns
}

func newSession(c *Client, id string) *Session {
	s := &Session{client: c, id: id, offer: noOffer{}}
	s.texts.post = s.postText
	s.turns.session, s.turns.questions = s, map[*openQuestion]bool{}
	return s
}

// turns are those of a session, of which one at a time is running.
type turns struct {
	session *Session

	mu        sync.Mutex
	running   bool
	cancelled bool
	ended     bool
	reopening bool // its history may be replayed
	own       ownTurn
	foreground
}

// ID returns the agent's id of the session, which is not safe to show.
func (s *Session) ID() string { return s.id }

// Cwd returns the directory that the session was opened in.
func (s *Session) Cwd() string { return s.cwd }

// Running reports whether a turn is running: in v1 a prompt has no answer yet, in v2 the
// agent has not reported that it is idle.
func (s *Session) Running() bool {
	s.turns.mu.Lock()
	defer s.turns.mu.Unlock()
	return s.turns.running
}

// Prompt queues a prompt and returns. The turn that it starts ends with event.TurnEnded,
// which is posted after every update of the turn. In v1 a prompt during a turn is
// refused with ErrTurnRunning. In v2 it is sent and reported with event.PromptHeld, and
// then with event.PromptAccepted or event.PromptFailed.
func (s *Session) Prompt(blocks ...event.Block) error { return s.client.surface.prompt(s, blocks) }

func (v1) prompt(s *Session, blocks []event.Block) error {
	// Locked to the end: a Cancel must find the prompt queued and event.TurnStarted
	// posted.
	s.turns.mu.Lock()
	defer s.turns.mu.Unlock()
	switch {
	case s.turns.ended:
		return cmp.Or(s.client.Err(), event.ErrClosed)
	case s.turns.running:
		return ErrTurnRunning
	}
	req, shown := s.promptRequest(blocks)
	var call *jsonrpc.Call
	call = s.client.peer.Reserve("session/prompt", func(raw json.RawMessage, err error) { s.turns.answered(call.Answered(), raw, err) })
	ready := s.beginTurn()
	s.turns.promptSent(shown, call.ID)
	call.QueueAfter(ready, PromptDelay, req)
	return nil
}

// promptSent starts a turn of v1. It needs mu.
func (t *turns) promptSent(shown string, request int64) {
	t.running, t.cancelled, t.own = true, false, noOwnTurn
	t.session.post(event.TurnStarted{For: t.session.localContext(), Text: shown, At: t.session.client.clock(), Request: request})
}

// answered ends the turn, on the reader goroutine if an answer ended it. Client.watch
// handles the end of the connection, because it knows the cause.
func (t *turns) answered(reader bool, raw json.RawMessage, err error) {
	if errors.Is(err, event.ErrClosed) {
		return
	}
	in := t.session.localContext()
	if reader {
		t.session.texts.endUnnamed()
		in = t.session.wireContext()
	}
	var r wire.PromptResponse
	if err == nil {
		err = jsonrpc.Decode("session/prompt", raw, &r)
	}
	t.mu.Lock()
	cancelled := t.cancelled
	t.running, t.cancelled = false, false
	t.mu.Unlock()
	if cancelled {
		t.session.cancelQuestions()
		if err != nil {
			// The user stopped the turn, so the agent's error is expected.
			t.session.client.opts.Log.Add(event.LogClient, "the cancelled turn ended with: "+safetext.Line(err.Error(), 300))
			r.StopReason, err = "cancelled", nil
		}
		r.StopReason = cmp.Or(r.StopReason, "cancelled")
	}
	if err != nil {
		err = t.session.client.explain("prompt", err)
	}
	t.session.endTurn()
	t.session.post(event.TurnEnded{For: in, StopReason: safetext.Line(r.StopReason, 60), Err: err, Usage: (*event.TurnUsage)(r.Usage), At: t.session.client.clock()})
}

// disconnected closes the session because the connection has ended.
func (s *Session) disconnected(err error) {
	s.turns.mu.Lock()
	running := s.turns.running
	s.turns.running, s.turns.ended = false, true
	s.turns.mu.Unlock()
	s.offer.Withdraw()
	s.cancelQuestions()
	s.client.surface.ended(s, err)
	if running {
		s.post(event.TurnEnded{For: s.localContext(), Err: err, At: s.client.clock()})
	}
}

// Cancel stops the running turn: session/cancel is sent after the prompt, and every open
// question of the session is answered "cancelled". Without a running turn, and when
// called again, it does nothing. In v2 prompts that the agent holds are also cancelled,
// and questions about background work stay open.
func (s *Session) Cancel() { s.client.surface.cancel(s) }

func (v1) cancel(s *Session) {
	s.turns.mu.Lock()
	if !s.turns.running || s.turns.cancelled {
		s.turns.mu.Unlock()
		return
	}
	s.turns.cancelSent() // under the lock, so that event.TurnEnded comes after it
	s.client.peer.Notify("session/cancel", wire.SessionRef{SessionID: s.id})
	s.turns.ownTurnCancelled()
	s.turns.mu.Unlock()
	s.cancelQuestions()
}

// cancelSent records a session/cancel. It needs mu.
func (t *turns) cancelSent() {
	t.prompted = false
	if t.running && !t.cancelled {
		t.cancelled = true
		t.session.post(event.TurnCancelled{For: t.session.localContext()})
	}
}

// closed makes the session refuse everything from now on.
func (s *Session) closed() {
	s.turns.mu.Lock()
	s.turns.ended = true
	s.turns.mu.Unlock()
	s.offer.Withdraw()
	s.cancelQuestions()
}

func (s *Session) cancelQuestions() {
	if p := s.client.opts.Services.Permissions; p != nil {
		p.CancelSession(s.id)
	}
	s.client.elicits.cancel(s.id)
}

// cancelling reports whether the user has stopped the running turn or closed the
// session. A sub-agent belongs to the turn of the session at the root.
func (s *Session) cancelling() bool {
	t := &s.root().turns
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.running && t.cancelled || t.ended
}

func (s *Session) post(e event.Event) { s.client.sink.Post(e) }

// wireContext returns the For of an event caused by the current message. Reader
// goroutine only.
func (s *Session) wireContext() event.For { return event.For{Session: s.id, Wire: s.client.in.span()} }

// localContext returns the For of an event that no known message caused.
func (s *Session) localContext() event.For { return event.For{Session: s.id} }
