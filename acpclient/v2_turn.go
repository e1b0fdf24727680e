package acpclient

import (
	"encoding/json"
	"errors"
	"slices"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// The types of background work that have ids.
const (
	toolWork     = "tool_call"
	terminalWork = "terminal"
)

// foreground is the state of the work of a v2 session. Guarded by Session.mu.
//
// A turn (Session.running) begins when a prompt is sent, when the agent inserts a
// prompt that it held, or when it reports that it works. It ends when the agent
// reports that it is idle. Before any sign of a turn, an idle only repeats the old
// state.
type foreground struct {
	lastKey    uint64
	prompts    []*heldPrompt   // without an answer, in the order in which they were sent
	heard      bool            // the agent has begun the running turn
	inserted   map[string]bool // user messages that arrived while prompts were open
	prompted   bool            // since the last cancel
	background []event.BackgroundWork
	known      bool // background was reported
	cancelable map[event.BackgroundWork]bool
	questions  map[*openQuestion]bool
}

type heldPrompt struct {
	key    uint64
	call   *jsonrpc.Call
	blocks []event.Block
	midway bool // a turn was running
}

// Bounds of what is remembered of a session.
const (
	maxInserted   = 1000
	maxCancelable = 10_000
)

func (v2) prompt(s *Session, blocks []event.Block) error {
	if len(blocks) == 0 {
		return errors.New("prompt: there is nothing in it")
	}
	// Locked to the end: an answer must find the prompt and its event.PromptHeld posted.
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return s.client.closedError()
	}
	req, shown := s.promptRequest(blocks)
	p := &heldPrompt{blocks: slices.Clone(blocks)}
	p.call = s.client.peer.Reserve("session/prompt", func(raw json.RawMessage, err error) { s.promptAnswered(p, p.call.Answered(), raw, err) })
	var ready <-chan struct{}
	if !s.running {
		ready = s.beginTurn()
	}
	s.promptSentV2(p, shown, p.call.ID)
	p.call.QueueAfter(ready, PromptDelay, req)
	return nil
}

// promptSentV2 records a prompt of v2. It needs mu.
func (s *Session) promptSentV2(p *heldPrompt, shown string, request int64) {
	if p.midway = s.running; !s.running {
		s.begin(s.localContext(), false)
		s.heard = false
	}
	s.lastKey++
	s.prompted = true
	p.key = s.lastKey
	s.prompts = append(s.prompts, p)
	s.post(event.PromptHeld{For: s.localContext(), Key: p.key, Text: shown, At: s.client.clock(), Request: request})
}

// begin starts a turn. It needs mu.
func (s *Session) begin(in event.For, byItself bool) {
	s.running, s.cancelled, s.heard = true, false, true
	s.post(event.TurnStarted{For: in, At: s.client.clock(), SeparatePrompts: true, ByItself: byItself})
}

// finish ends the running turn. It needs mu.
func (s *Session) finish(in event.For, reason string, usage *wire.TurnUsage, err error) {
	s.running, s.cancelled, s.heard = false, false, false
	s.endTurn()
	s.post(event.TurnEnded{For: in, StopReason: reason, Err: err, Usage: (*event.TurnUsage)(usage), At: s.client.clock()})
}

// promptAnswered handles the answer to a prompt, which only concerns its insertion, on
// the reader goroutine if there was an answer. ended handles the end of the connection.
func (s *Session) promptAnswered(p *heldPrompt, reader bool, raw json.RawMessage, err error) {
	if errors.Is(err, event.ErrClosed) {
		return
	}
	in := s.localContext()
	if reader {
		in = s.wireContext()
	}
	var r wire.PromptResponse
	if err == nil {
		err = jsonrpc.Decode("session/prompt", raw, &r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.prompts, p)
	if i < 0 { // already returned to the user
		return
	}
	s.prompts = slices.Delete(s.prompts, i, i+1)
	if err == nil {
		s.post(event.PromptAccepted{For: in, Key: p.key, MessageID: r.MessageID})
		// The turn of an inserted prompt may have ended already.
		if over := s.inserted[r.MessageID] || r.MessageID == "" && len(s.inserted) > 0; !s.running && !over {
			s.begin(in, false)
		}
		s.heard = s.running
	} else {
		withdrawn := errors.Is(err, jsonrpc.ErrRequestCancelled)
		later := p.midway && !errors.Is(err, jsonrpc.ErrInvalidParams) // which would be the answer later, too
		err = s.client.explain("prompt", err)
		s.post(event.PromptFailed{For: in, Key: p.key, Blocks: p.blocks, Withdrawn: withdrawn, MidTurn: later, Err: err})
		if s.running && !s.heard && len(s.prompts) == 0 {
			if withdrawn {
				s.finish(in, "cancelled", nil, nil)
			} else {
				s.finish(in, "", nil, err)
			}
		}
	}
	if len(s.prompts) == 0 {
		s.inserted = nil
	}
}

// userMessageArrived records that the agent has inserted a message of a user.
func (s *Session) userMessageArrived(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.prompts) == 0 {
		return
	}
	if !s.running {
		s.begin(s.wireContext(), false)
	}
	s.heard = true
	if s.inserted == nil {
		s.inserted = map[string]bool{}
	}
	if len(s.inserted) < maxInserted {
		s.inserted[id] = true
	}
}

// stateChanged handles a report of the state.
func (s *Session) stateChanged(u wire.StateUpdate) {
	e := event.StateChanged{For: s.wireContext(), State: safetext.Line(u.State, 60), StopReason: safetext.Line(u.StopReason, 60)}
	if u.StopReason == "error" {
		err := &jsonrpc.Error{Message: "it ended with an error and did not say which"}
		if u.Error != nil {
			err = &jsonrpc.Error{Code: u.Error.Code, Message: u.Error.Message, Data: u.Error.Data}
		}
		e.Err = s.client.explain("prompt", err)
	}
	if u.Background != nil {
		e.BackgroundKnown = true
		for _, b := range *u.Background {
			e.Background = append(e.Background, event.BackgroundWork{Type: safetext.Line(b.Type, 60), ID: b.ID})
		}
	}
	s.mu.Lock()
	s.background, s.known = e.Background, e.BackgroundKnown
	s.post(e)
	stopped := false
	switch {
	case u.State != "idle":
		if !s.running {
			s.begin(e.For, len(s.prompts) == 0 && !s.reopening)
		}
		s.heard = true
	case s.running && (s.heard || s.cancelled && u.StopReason == "cancelled"):
		stopped = s.cancelled
		s.finish(e.For, e.StopReason, u.Usage, e.Err)
	}
	s.mu.Unlock()
	if stopped {
		s.cancelForeground()
	}
}

// Withdraw asks the agent to return a prompt that it holds (event.PromptHeld). If it is
// too late nothing changes. The agent answers with event.PromptFailed or
// event.PromptAccepted.
func (s *Session) Withdraw(key uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.prompts {
		if p.key == key {
			s.client.peer.Notify("$/cancel_request", map[string]int64{"requestId": p.call.ID})
		}
	}
}

func (v2) cancel(s *Session) {
	s.mu.Lock()
	if s.ended || !s.running && len(s.prompts) == 0 || s.cancelled && !s.prompted {
		s.mu.Unlock()
		return
	}
	s.cancelSent()
	s.client.peer.Notify("session/cancel", wire.SessionRef{SessionID: s.id})
	s.mu.Unlock()
	s.cancelForeground()
}

// ended returns the prompts that will not be answered.
func (v2) ended(s *Session, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.prompts {
		s.post(event.PromptFailed{For: s.localContext(), Key: p.key, Blocks: p.blocks, Err: err})
	}
	s.prompts = nil
}

// setCancelable records whether a tool call or a terminal can be cancelled.
func (s *Session) setCancelable(kind, id string, can bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := event.BackgroundWork{Type: kind, ID: id}
	if !can {
		delete(s.cancelable, w)
		return
	}
	if s.cancelable == nil {
		s.cancelable = map[event.BackgroundWork]bool{}
	}
	if len(s.cancelable) < maxCancelable {
		s.cancelable[w] = true
	}
}

func (s *Session) mayCancel(kind, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cancelable[event.BackgroundWork{Type: kind, ID: id}]
}
