package acpclient

import (
	"encoding/json"
	"errors"
	"sync"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// ErrTurnRunning is returned by Prompt while the session's last prompt has not
// been answered: v1 agents disagree about what a second one means.
var ErrTurnRunning = errors.New("a turn is already running")

// Session is one conversation with the agent.
type Session struct {
	client *Client
	id     string
	cwd    string
	offer  Offer // may be nil

	// Reader goroutine only.
	texts textStreams
	tools toolStore // what permission requests refer to

	mu        sync.Mutex
	running   bool
	cancelled bool
	ended     bool
	foreground
}

// ID is the agent's name for the session: opaque, not safe to show.
func (s *Session) ID() string { return s.id }

// Cwd is the directory that the session was opened in.
func (s *Session) Cwd() string { return s.cwd }

// Running tells whether a turn runs: in v1 a prompt waits for its answer, in v2
// the agent has not said that it is idle.
func (s *Session) Running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// Prompt sends a prompt and returns when it is queued. The turn that it starts
// ends with event.TurnEnded, which is posted behind every update that came
// before the end. In v1 a second prompt is refused while a turn runs
// (ErrTurnRunning); in v2 it goes out and is told by event.PromptHeld, and then by
// event.PromptAccepted or event.PromptFailed.
func (s *Session) Prompt(blocks ...event.Block) error { return s.client.surface.prompt(s, blocks) }

func (v1) prompt(s *Session, blocks []event.Block) error {
	// Held to the end: a Cancel must find the prompt queued, and event.TurnStarted
	// posted.
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return s.client.closedError()
	case s.running:
		return ErrTurnRunning
	}
	req, shown := s.promptRequest(blocks)
	var call *jsonrpc.Call
	call = s.client.peer.Reserve("session/prompt", func(raw json.RawMessage, err error) { s.answered(call.Answered(), raw, err) })
	s.promptSent(shown, call.ID)
	call.Queue(req)
	return nil
}

// promptSent starts a turn of v1. With mu.
func (s *Session) promptSent(shown string, request int64) {
	s.running, s.cancelled = true, false
	s.post(event.TurnStarted{For: s.own(), Text: shown, At: s.client.clock(), Request: request})
}

// answered ends the turn, on the reader goroutine if that is so because of an
// answer. The end of the connection is left to the client's watch, which knows
// more about it.
func (s *Session) answered(reader bool, raw json.RawMessage, err error) {
	if errors.Is(err, event.ErrClosed) {
		return
	}
	in := s.own()
	if reader {
		s.endUnnamedTexts()
		in = s.for_()
	}
	var r wire.PromptResponse
	if err == nil {
		err = jsonrpc.Decode("session/prompt", raw, &r)
	}
	s.mu.Lock()
	cancelled := s.cancelled
	s.running, s.cancelled = false, false
	s.mu.Unlock()
	if cancelled {
		s.cancelQuestions()
		if err != nil {
			// The user stopped it; how the agent words that is no news.
			s.client.opts.Log.Add(event.LogClient, "the cancelled turn ended with: "+safetext.Line(err.Error(), 300))
			r.StopReason, err = "cancelled", nil
		}
	}
	if err != nil {
		err = s.client.explain("prompt", err)
	}
	s.endTurn()
	s.post(event.TurnEnded{For: in, StopReason: safetext.Line(r.StopReason, 60), Err: err, At: s.client.clock()})
}

// end closes the session because the connection is over.
func (s *Session) end(err error) {
	s.mu.Lock()
	running := s.running
	s.running, s.ended = false, true
	s.mu.Unlock()
	s.withdrawTools()
	s.cancelQuestions()
	s.client.surface.ended(s, err)
	if running {
		s.post(event.TurnEnded{For: s.own(), Err: err, At: s.client.clock()})
	}
}

// Cancel stops the running turn: session/cancel goes out behind the prompt, and
// every open question of the session is answered "cancelled". It does nothing
// when no turn runs; a second call sends nothing more. In v2 prompts that the
// agent holds are cancelled with it, and questions about work in the background
// stay open.
func (s *Session) Cancel() { s.client.surface.cancel(s) }

func (v1) cancel(s *Session) {
	s.mu.Lock()
	if !s.running || s.cancelled {
		s.mu.Unlock()
		return
	}
	s.cancelSent() // under the lock: event.TurnEnded comes behind it
	s.client.peer.Notify("session/cancel", wire.SessionRef{SessionID: s.id})
	s.mu.Unlock()
	s.cancelQuestions()
}

// cancelSent takes a session/cancel that goes out. With mu.
func (s *Session) cancelSent() {
	s.prompted = false
	if s.running && !s.cancelled {
		s.cancelled = true
		s.post(event.TurnCancelled{For: s.own()})
	}
}

// closed makes the session refuse everything from here on.
func (s *Session) closed() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.withdrawTools()
	s.cancelQuestions()
}

func (s *Session) cancelQuestions() {
	if p := s.client.opts.Services.Permissions; p != nil {
		p.CancelSession(s.id)
	}
	s.client.elicits.cancel(s.id)
}

// cancelling tells whether the user has stopped the turn that still runs, or
// closed the session.
func (s *Session) cancelling() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running && s.cancelled || s.ended
}

func (s *Session) post(e event.Event) { s.client.sink.Post(e) }

// for_ is of an event that the message being handled causes. Reader goroutine.
func (s *Session) for_() event.For { return event.For{Session: s.id, Wire: s.client.in.span()} }

// own is of an event that no message causes, or not one that is known here.
func (s *Session) own() event.For { return event.For{Session: s.id} }
