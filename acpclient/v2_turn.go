package acpclient

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"sync"

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

// foreground is the state of the work of a v2 session. Guarded by turns.mu.
//
// A turn (turns.running) begins when a prompt is sent, when the agent inserts a
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
	s.turns.mu.Lock()
	defer s.turns.mu.Unlock()
	if s.turns.ended {
		return cmp.Or(s.client.Err(), event.ErrClosed)
	}
	req, shown := s.promptRequest(blocks)
	p := &heldPrompt{blocks: slices.Clone(blocks)}
	p.call = s.client.peer.Reserve("session/prompt", func(raw json.RawMessage, err error) { s.turns.promptAnswered(p, p.call.Answered(), raw, err) })
	var ready <-chan struct{}
	if !s.turns.running {
		ready = s.beginTurn()
	}
	s.turns.promptSentV2(p, shown, p.call.ID)
	p.call.QueueAfter(ready, PromptDelay, req)
	return nil
}

// promptSentV2 records a prompt of v2. It needs mu.
func (t *turns) promptSentV2(p *heldPrompt, shown string, request int64) {
	if p.midway = t.running; !t.running {
		t.begin(t.session.localContext(), false)
		t.heard = false
	}
	t.lastKey++
	t.prompted = true
	p.key = t.lastKey
	t.prompts = append(t.prompts, p)
	t.session.post(event.PromptHeld{For: t.session.localContext(), Key: p.key, Text: shown, At: t.session.client.clock(), Request: request})
}

// begin starts a turn. It needs mu.
func (t *turns) begin(in event.For, byItself bool) {
	t.running, t.cancelled, t.heard = true, false, true
	t.session.post(event.TurnStarted{For: in, At: t.session.client.clock(), SeparatePrompts: true, ByItself: byItself})
}

// finish ends the running turn. It needs mu.
func (t *turns) finish(e event.TurnEnded) {
	t.running, t.cancelled, t.heard = false, false, false
	t.session.endTurn()
	e.At = t.session.client.clock()
	t.session.post(e)
}

// promptAnswered handles the answer to a prompt, which only concerns its insertion, on
// the reader goroutine if there was an answer. ended handles the end of the connection.
func (t *turns) promptAnswered(p *heldPrompt, reader bool, raw json.RawMessage, err error) {
	if errors.Is(err, event.ErrClosed) {
		return
	}
	in := t.session.localContext()
	if reader {
		in = t.session.wireContext()
	}
	var r wire.PromptResponse
	if err == nil {
		err = jsonrpc.Decode("session/prompt", raw, &r)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.prompts, p)
	if i < 0 { // already returned to the user
		return
	}
	t.prompts = slices.Delete(t.prompts, i, i+1)
	if err == nil {
		t.session.post(event.PromptAccepted{For: in, Key: p.key, MessageID: r.MessageID})
		// The turn of an inserted prompt may have ended already.
		if over := t.inserted[r.MessageID] || r.MessageID == "" && len(t.inserted) > 0; !t.running && !over {
			t.begin(in, false)
		}
		t.heard = t.running
	} else {
		withdrawn := errors.Is(err, jsonrpc.ErrRequestCancelled)
		later := p.midway && !errors.Is(err, jsonrpc.ErrInvalidParams) // which would be the answer later, too
		err = t.session.client.explain("prompt", err)
		t.session.post(event.PromptFailed{For: in, Key: p.key, Blocks: p.blocks, Withdrawn: withdrawn, MidTurn: later, Err: err})
		if t.running && !t.heard && len(t.prompts) == 0 {
			end := event.TurnEnded{For: in, Err: err}
			if withdrawn {
				end = event.TurnEnded{For: in, StopReason: "cancelled"}
			}
			t.finish(end)
		}
	}
	if len(t.prompts) == 0 {
		t.inserted = nil
	}
}

// userMessageArrived records that the agent has inserted a message of a user.
func (t *turns) userMessageArrived(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.prompts) == 0 {
		return
	}
	if !t.running {
		t.begin(t.session.wireContext(), false)
	}
	t.heard = true
	if t.inserted == nil {
		t.inserted = map[string]bool{}
	}
	if len(t.inserted) < maxInserted {
		t.inserted[id] = true
	}
}

// stateChanged handles a report of the state.
func (t *turns) stateChanged(u wire.StateUpdate) {
	e := event.StateChanged{For: t.session.wireContext(), State: safetext.Line(u.State, 60), StopReason: safetext.Line(u.StopReason, 60)}
	if u.StopReason == "error" {
		err := &jsonrpc.Error{Message: "it ended with an error and did not say which"}
		if u.Error != nil {
			err = &jsonrpc.Error{Code: u.Error.Code, Message: u.Error.Message, Data: u.Error.Data}
		}
		e.Err = t.session.client.explain("prompt", err)
	}
	if u.Background != nil {
		for _, b := range *u.Background {
			e.Background = append(e.Background, event.BackgroundWork{Type: safetext.Line(b.Type, 60), ID: b.ID})
		}
	}
	t.mu.Lock()
	t.background = e.Background
	t.session.post(e)
	stopped := false
	switch {
	case u.State != "idle":
		if !t.running {
			t.begin(e.For, len(t.prompts) == 0 && !t.reopening)
		}
		t.heard = true
	case t.running && (t.heard || t.cancelled && u.StopReason == "cancelled"):
		stopped = t.cancelled
		t.finish(event.TurnEnded{For: e.For, StopReason: e.StopReason, Err: e.Err, Usage: (*event.TurnUsage)(u.Usage)})
	}
	t.mu.Unlock()
	if stopped {
		t.cancelForeground()
	}
}

// Withdraw asks the agent to return a prompt that it holds (event.PromptHeld). If it is
// too late nothing changes. The agent answers with event.PromptFailed or
// event.PromptAccepted.
func (s *Session) Withdraw(key uint64) {
	s.turns.mu.Lock()
	defer s.turns.mu.Unlock()
	for _, p := range s.turns.prompts {
		if p.key == key {
			s.client.peer.Notify("$/cancel_request", map[string]int64{"requestId": p.call.ID})
		}
	}
}

func (v2) cancel(s *Session) {
	s.turns.mu.Lock()
	if s.turns.ended || !s.turns.running && len(s.turns.prompts) == 0 || s.turns.cancelled && !s.turns.prompted {
		s.turns.mu.Unlock()
		return
	}
	s.turns.cancelSent()
	s.client.peer.Notify("session/cancel", wire.SessionRef{SessionID: s.id})
	s.turns.mu.Unlock()
	s.turns.cancelForeground()
}

// ended returns the prompts that will not be answered.
func (v2) ended(s *Session, err error) {
	s.turns.mu.Lock()
	defer s.turns.mu.Unlock()
	for _, p := range s.turns.prompts {
		s.post(event.PromptFailed{For: s.localContext(), Key: p.key, Blocks: p.blocks, Err: err})
	}
	s.turns.prompts = nil
}

// cancelables are the tool calls and terminals that can be cancelled. Safe for use by several goroutines.
type cancelables struct {
	mu  sync.Mutex
	all map[event.BackgroundWork]bool
}

func (c *cancelables) set(kind, id string, can bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := event.BackgroundWork{Type: kind, ID: id}
	if !can {
		delete(c.all, w)
		return
	}
	if c.all == nil {
		c.all = map[event.BackgroundWork]bool{}
	}
	if len(c.all) < maxCancelable {
		c.all[w] = true
	}
}

func (c *cancelables) has(kind, id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all[event.BackgroundWork{Type: kind, ID: id}]
}
