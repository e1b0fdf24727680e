package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"

	"parley/acpclient/jsonrpc"
)

const (
	// maxSessions limits how many sessions one client can create.
	maxSessions = 1024

	contextSize = 200_000 // tokens, for usage_update
	contextBase = 1_500   // what an empty session already uses

	modeAsk  = "ask"
	modeAuto = "auto"
)

var modes = []mode{
	{ID: modeAsk, Name: "Ask first", Description: "Asks before it changes a file or runs a command"},
	{ID: modeAuto, Name: "Auto", Description: "Changes files and runs commands without asking"},
}

// agent handles one connection.
type agent struct {
	opts Options
	peer *jsonrpc.Peer

	mu          sync.Mutex
	caps        clientCapabilities
	sessions    map[string]*session
	unannounced map[string]bool // sessions whose session/new is not answered yet
}

// session is one conversation. Its lock is not held while sending.
type session struct {
	id, cwd string

	mu     sync.Mutex
	mode   string
	titled bool
	used   int             // tokens, for usage_update
	always map[string]bool // kinds of tool calls that are always allowed
	turn   *turn           // the running turn, or nil
}

// Notification handles session/cancel and ignores everything else.
func (a *agent) Notification(method string, params []byte) {
	if method != "session/cancel" {
		return
	}
	var p struct {
		SessionID string `json:"sessionId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	s := a.session(p.SessionID)
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		s.turn.cancel(errCancelled)
	}
}

// Request handles the methods of the agent's side.
func (a *agent) Request(r jsonrpc.Request) jsonrpc.Work {
	switch r.Method {
	case "initialize":
		return done(a.initialize(r.Params))
	case "session/new":
		return done(a.newSession(r.Params))
	case "session/set_mode":
		return done(a.setMode(r.Params))
	case "session/prompt":
		return a.prompt(r.Params)
	}
	return nil
}

// done returns a result that is already known. It was computed on the reader goroutine, so requests
// take effect in the order in which they were sent.
func done(result any, err error) jsonrpc.Work {
	return func(context.Context) (any, error) { return result, err }
}

func decode(params json.RawMessage, into any) error {
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	if err := json.Unmarshal(params, into); err != nil {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Invalid params: %v", err)
	}
	return nil
}

func (a *agent) initialize(params json.RawMessage) (any, error) {
	var p initializeParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	a.mu.Lock()
	a.caps = p.ClientCapabilities
	a.mu.Unlock()
	return map[string]any{
		"protocolVersion": 1,
		"agentInfo":       map[string]string{"name": "parley-demo", "title": "Demo agent", "version": a.opts.Version},
		"agentCapabilities": map[string]any{
			"loadSession":        false,
			"promptCapabilities": map[string]bool{"embeddedContext": true, "image": true},
		},
		"authMethods": []any{},
	}, nil
}

func (a *agent) newSession(params json.RawMessage) (any, error) {
	var p newSessionParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(p.Cwd) {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Invalid params: cwd must be an absolute path, not %q", p.Cwd)
	}
	s := &session{id: newID("demo"), cwd: filepath.Clean(p.Cwd), mode: modeAsk, used: contextBase, always: map[string]bool{}}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.sessions) >= maxSessions {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInternalError, "Too many sessions: at most %d", maxSessions)
	}
	a.sessions[s.id] = s
	a.unannounced[s.id] = true
	return newSessionResult{SessionID: s.id, Modes: modeState{CurrentModeID: modeAsk, AvailableModes: modes}}, nil
}

// answerSent announces the commands of a session once the answer that introduced it was sent: a
// client may drop updates of sessions it does not know yet. It runs on the writer goroutine.
func (a *agent) answerSent(data []byte) {
	var ready []string
	a.mu.Lock()
	for id := range a.unannounced {
		if bytes.Contains(data, []byte(id)) {
			ready = append(ready, id)
			delete(a.unannounced, id)
		}
	}
	a.mu.Unlock()
	for _, id := range ready {
		a.update(id, update{SessionUpdate: "available_commands_update", Commands: commands})
	}
}

func (a *agent) setMode(params json.RawMessage) (any, error) {
	var p setModeParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	s := a.session(p.SessionID)
	if s == nil {
		return nil, unknownSession(p.SessionID)
	}
	if p.ModeID != modeAsk && p.ModeID != modeAuto {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Invalid params: no mode %q", p.ModeID)
	}
	s.mu.Lock()
	s.mode = p.ModeID
	s.mu.Unlock()
	return struct{}{}, nil
}

// prompt begins a turn. It runs on the reader goroutine, so that a session/cancel sent right after
// the prompt finds the turn.
func (a *agent) prompt(params json.RawMessage) jsonrpc.Work {
	var p promptParams
	if err := decode(params, &p); err != nil {
		return done(nil, err)
	}
	s := a.session(p.SessionID)
	if s == nil {
		return done(nil, unknownSession(p.SessionID))
	}
	words := readPrompt(p.Prompt)
	if len(words.tokens) == 0 {
		return done(nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Invalid params: the prompt is empty"))
	}
	t := newTurn(a, s, words)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		return done(nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "Invalid request: a turn is already running"))
	}
	s.turn = t
	return t.work
}

func (a *agent) session(id string) *session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id]
}

func (a *agent) capabilities() clientCapabilities {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.caps
}

// update sends one session/update. Errors are ignored: they only mean that the connection is over.
func (a *agent) update(session string, u update) {
	a.peer.Notify("session/update", sessionNotification{SessionID: session, Update: u})
}

func unknownSession(id string) error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Invalid params: no session %q", id)
}

// newID returns an id that is unique in this process.
func newID(prefix string) string { return prefix + "-" + strings.ToLower(rand.Text()) }
