package acpclient

import (
	"context"
	"encoding/json"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/safetext"
)

// This file handles the messages of parley in a replay.

// sentParams are the members that a replay uses of the params of parley's messages.
type sentParams struct {
	SessionID  string
	ModeID     string
	ModelID    string
	RequestID  json.RawMessage
	ReplayFrom json.RawMessage
	Prompt     []struct{ Type, Text, Data, MimeType string }
}

// shown returns the text of a prompt, safe to show.
func (p *sentParams) shown() (shown string) {
	for _, b := range p.Prompt {
		switch b.Type {
		case "text":
			shown += b.Text
		case "image":
			shown += imageShown(b.MimeType, loggedSize(b.Data))
		}
	}
	return safetext.Clean(shown)
}

// sent handles a request or a notification of parley.
func (r *Replay) sent(m jsonrpc.Message) {
	var p sentParams
	if json.Unmarshal(m.Params, &p) != nil {
		p = sentParams{SessionID: m.Session()}
	}
	req := &request{}
	switch m.Method {
	case "initialize":
		if r.last != nil { // an initialize after the first begins another connection
			r.cut(ErrConnectionEnds)
			r.asked, r.calls = map[string]*request{}, map[string]*terminalCall{}
			r.terminals, r.started = map[string]*terminalShown{}, nil
		}
		req.answered = r.initialized
	case "session/new", "session/fork":
		r.opening(req)
	case "$/cancel_request":
		if given := r.asked[jsonrpc.Message{ID: p.RequestID}.Key()]; p.RequestID != nil && given != nil && given.givenUp != nil {
			given.givenUp()
		}
	default:
		if p.SessionID == r.id {
			r.sentInSession(m, p, req)
		}
	}
	if m.ID != nil {
		r.asked[m.Key()] = req
	}
}

func (r *Replay) sentInSession(m jsonrpc.Message, p sentParams, req *request) {
	switch m.Method {
	case "session/load", "session/resume":
		r.reopening(m.Method, m.Method == "session/load" || jsonscan.KindOf(p.ReplayFrom) == jsonscan.Object, req)
		return
	}
	s := r.known()
	if s == nil {
		return
	}
	switch m.Method {
	case "session/prompt":
		r.prompted(s, m, p, req)
	case "session/cancel":
		s.turns.mu.Lock()
		s.turns.cancelSent()
		s.turns.ownTurnCancelled()
		s.turns.mu.Unlock()
	case "_session/steering":
		shown, at := p.shown(), r.client.clock()
		req.answered = func(raw json.RawMessage, err error) {
			if err == nil {
				s.steered(shown, at, raw)
			}
		}
	case "session/close":
		s.closed()
		req.answered = func(json.RawMessage, error) { r.client.forget(s) }
		req.givenUp = func() { r.client.forget(s) }
	case "session/set_mode", "session/set_model", "session/set_config_option":
		req.answered = func(raw json.RawMessage, err error) {
			if err == nil {
				r.set(s, m.Method, p, raw)
			}
		}
	}
}

// initialized takes the answer to initialize.
func (r *Replay) initialized(raw json.RawMessage, err error) {
	if err != nil {
		return
	}
	if v, ok := jsonscan.Int(wire.DecodeVersion(raw)); ok && (v == 1 || v == 2) {
		r.speak(int(v))
		i := wire.InitializeResponse{Version: int(v)}
		if json.Unmarshal(raw, &i) == nil {
			r.client.quirk = quirksOf(i.Agent.Name)
		}
	}
}

// opening handles a request for a new session, whose id is in the answer.
func (r *Replay) opening(req *request) {
	gone := false
	req.givenUp = func() { gone = true }
	req.answered = func(raw json.RawMessage, err error) {
		var n wire.NewSessionResponse
		switch {
		case err != nil || json.Unmarshal(raw, &n) != nil || n.SessionID != r.id:
		case gone:
			r.client.sessions.disown(r.id, r.now)
		default:
			r.adopt(raw)
		}
	}
}

// reopening handles a request for a stored session, as Client.reopen does.
func (r *Replay) reopening(method string, replay bool, req *request) {
	r.abandon()
	s, err := r.client.register(r.id, NewSession{offer: noOffer{}}, true)
	if err != nil {
		return
	}
	r.last = s
	doing := "resume the session"
	if replay {
		doing = "load the session"
	}
	s.turns.reopens(replay)
	end := func(in event.For, err error) {
		req.givenUp, req.answered, r.loading = nil, nil, nil
		if err != nil {
			err = r.client.explain(doing, err)
			r.client.forget(s)
		}
		s.turns.reopened(replay, in, err)
	}
	r.loading = end
	req.givenUp = func() { end(s.localContext(), context.Canceled) }
	req.answered = func(raw json.RawMessage, err error) {
		if err == nil {
			err = r.client.surface.offered(s, method, raw)
		}
		end(s.wireContext(), err)
	}
}

// abandon ends the session as it was open before. It must have been closed since, even
// if no message says so.
func (r *Replay) abandon() {
	if r.loading != nil {
		r.loading(r.last.localContext(), ErrNotLogged)
	}
	if old := r.client.sessions.session(r.id); old != nil {
		r.client.forget(old)
	}
	for _, req := range r.asked {
		if req.of != nil {
			req.answered = nil
		}
	}
	if r.last != nil {
		r.last.disconnected(ErrNotLogged)
	}
}

// prompted handles a prompt.
func (r *Replay) prompted(s *Session, m jsonrpc.Message, p sentParams, req *request) {
	id, _ := jsonscan.Int(m.ID)
	shown := p.shown()
	req.of = s
	if r.client.surface.version() == 2 {
		held := &heldPrompt{}
		req.answered = func(raw json.RawMessage, err error) { s.turns.promptAnswered(held, true, raw, err) }
		s.turns.mu.Lock()
		defer s.turns.mu.Unlock()
		s.turns.promptSentV2(held, shown, id)
		return
	}
	if s.Running() { // its end is missing, because this prompt was sent
		s.turns.answered(false, nil, ErrNotLogged)
	}
	req.answered = func(raw json.RawMessage, err error) { s.turns.answered(true, raw, err) }
	s.turns.mu.Lock()
	defer s.turns.mu.Unlock()
	s.turns.promptSent(shown, id)
}

// set handles the answer to a change of the session's settings.
func (r *Replay) set(s *Session, method string, p sentParams, result []byte) {
	switch method {
	case "session/set_mode":
		s.post(event.ModeChanged{For: s.wireContext(), ModeID: p.ModeID})
	case "session/set_model":
		s.post(event.ModelChanged{For: s.wireContext(), ModelID: p.ModelID})
	default:
		if options, _ := r.client.optionsSet(result); options != nil {
			s.post(event.ConfigChanged{For: s.wireContext(), Options: options})
		}
	}
}

// replied handles an answer of parley to a request of the agent.
func (r *Replay) replied(m jsonrpc.Message) {
	key := m.Key()
	for _, q := range r.questions {
		if q.id != key {
			continue
		}
		var a struct {
			Outcome struct{ Outcome, OptionID string }
		}
		d := Decision{Cancelled: true}
		if m.Err == nil && json.Unmarshal(m.Result, &a) == nil && a.Outcome.Outcome == "selected" {
			d = Decision{OptionID: a.Outcome.OptionID}
		}
		r.answer(q, d)
		return
	}
	if call := r.calls[key]; call != nil {
		delete(r.calls, key)
		if s := r.known(); s != nil && m.Err == nil {
			r.served(s, call, m.Result)
		}
	}
}
