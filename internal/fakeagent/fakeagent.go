// Package fakeagent is an agent for tests that follows a script, at the other end of an in-process
// connection or in a process of its own. It records the requests it gets. It blocks on channels and
// timers only, so it works in a synctest bubble.
package fakeagent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
)

// Script says what an agent does. The zero Script is an agent of ACP v1 that opens sessions and
// repeats each prompt. A Script may be changed while agents follow it.
type Script struct {
	Protocol string // "" means 1

	mu       sync.Mutex
	on       map[string]func(*Call) (string, error)
	turn     func(*Turn) string
	onPrompt func(*Turn) (string, error)
}

// Call is a request other than a prompt, as the agent sees it.
type Call struct {
	Agent  *Agent
	Ctx    context.Context // ends with the request or the connection
	Params string          // JSON
	N      int             // number of sessions requested on this connection
	ID     string          // the session it is about; "" if none

	method string
}

// Default returns the answer the agent gives if its script does not set one.
func (c *Call) Default() (string, error) { return c.Agent.defaultAnswer(c.method)(c) }

// Decode decodes the parameters into a struct, ignoring what does not fit.
func (c *Call) Decode(params any) { json.Unmarshal([]byte(c.Params), params) }

// On sets the function that answers a method, with JSON. nil restores the default.
func (s *Script) On(method string, f func(*Call) (string, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.on == nil {
		s.on = map[string]func(*Call) (string, error){}
	}
	s.on[method] = f
}

// Answer sets the JSON that answers a method.
func (s *Script) Answer(method, result string) {
	s.On(method, func(*Call) (string, error) { return result, nil })
}

// Fail makes a method return an error.
func (s *Script) Fail(method string, code int, message string) {
	s.On(method, func(*Call) (string, error) { return "", jsonrpc.Errorf(code, "%s", message) })
}

// Turn sets what the agent does with a prompt. f returns the stop reason; "" fails the prompt, and
// Login fails it with a request to log in. With v1 it may return the whole answer, as JSON.
func (s *Script) Turn(f func(*Turn) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn = f
}

// OnPrompt sets how an agent of ACP v2 answers a prompt, before its turn starts. With nil, the agent
// accepts the prompt once the earlier turns are over.
func (s *Script) OnPrompt(f func(*Turn) (string, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onPrompt = f
}

// Capabilities sets the capabilities the agent reports: more is JSON members for the answer to initialize,
// each preceded by a comma.
func (s *Script) Capabilities(more string) {
	s.On("initialize", func(c *Call) (string, error) {
		if c.Agent.script.Protocol == "2" {
			return `{"protocolVersion":2,"info":{"name":"fake","title":"Fake agent","version":"2.0"},"capabilities":{"session":{"prompt":{},"delete":{}}}` + more + `}`, nil
		}
		return `{"protocolVersion":1,"agentInfo":{"name":"fake","title":"Fake agent","version":"1.2"}` + more + `}`, nil
	})
}

// NewSessions sets what the agent says of each new session: JSON members, each preceded by a comma.
func (s *Script) NewSessions(more string) {
	s.On("session/new", func(c *Call) (string, error) { return fmt.Sprintf(`{"sessionId":"s%d"%s}`, c.N, more), nil })
}

func (s *Script) answerTo(method string) func(*Call) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.on[method]
}

func (s *Script) does() (turn func(*Turn) string, hold func(*Turn) (string, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if turn = s.turn; turn == nil {
		turn = func(t *Turn) string { t.Say("You said: " + t.Text); return "end_turn" }
	}
	if hold = s.onPrompt; hold == nil {
		hold = (*Turn).AcceptInOrder
	}
	return turn, hold
}

// Agent is the agent's end of one connection.
type Agent struct {
	Name string
	Env  map[string]string
	Log  *event.Log // its stderr as parley keeps it; nil unless a Dialer made the agent

	script  *Script
	peer    *jsonrpc.Peer
	connCtx context.Context // of the connection
	exiting atomic.Bool     // Exit was called

	mu       sync.Mutex
	sessions int
	prompts  []string
	blocks   []string // content of the prompts, as JSON
	outcomes []string
	answers  []string
	calls    []string           // as "method params"
	turns    map[string][]*Turn // by session: the running turn, then the waiting ones
	dirs     map[string]string  // by session: its working directory
}

// New returns an agent that follows the script on a connection.
func New(conn transport.Conn, s *Script) *Agent {
	a := newAgent(conn, s)
	a.start()
	return a
}

// Serve follows the script over two streams, the standard streams of a test program that is started
// as an agent, until the client has closed its end.
func Serve(in io.Reader, out io.Writer, s *Script) {
	a := New(transport.Streams(in, out), s)
	<-a.Done()
	if a.exiting.Load() {
		select {}
	}
}

// Exit ends the process after everything the agent has said so far was sent.
func (a *Agent) Exit(code int) {
	a.exiting.Store(true)
	a.Close()
	os.Exit(code)
}

func newAgent(conn transport.Conn, s *Script) *Agent {
	a := &Agent{script: s, turns: map[string][]*Turn{}, dirs: map[string]string{}}
	a.peer = jsonrpc.NewPeer(conn, a, jsonrpc.Options{})
	return a
}

func (a *Agent) start() {
	life, over := context.WithCancel(context.Background())
	a.connCtx = life
	a.peer.Start()
	go func() { <-a.peer.Done(); over() }()
}

// Close ends the connection from the agent's side.
func (a *Agent) Close() { a.peer.Close(nil) }

// Done is closed when the connection has ended.
func (a *Agent) Done() <-chan struct{} { return a.connCtx.Done() }

// Closed reports whether the connection has ended.
func (a *Agent) Closed() bool { return a.connCtx.Err() != nil }

// Prompts returns the text of all prompts received, oldest first.
func (a *Agent) Prompts() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.prompts)
}

// Blocks returns the full content of all prompts received, as JSON.
func (a *Agent) Blocks() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.blocks)
}

// Outcomes returns the outcomes of the agent's questions: the chosen option, "cancelled", or an
// error.
func (a *Agent) Outcomes() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.outcomes)
}

// Answers returns the answers to the agent's forms and pages, as JSON.
func (a *Agent) Answers() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.answers)
}

// Cancels returns how many session/cancel notifications have arrived.
func (a *Agent) Cancels() int { return len(a.Calls("session/cancel")) }

// Calls returns the parameters of every request for a method; with "", all requests, as "method params".
func (a *Agent) Calls(method string) (params []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.calls {
		if p, ok := strings.CutPrefix(c, method+" "); ok || method == "" {
			params = append(params, p)
		}
	}
	return params
}

// Update sends a session/update, given as JSON.
func (a *Agent) Update(session, update string) {
	a.peer.Notify("session/update", json.RawMessage(`{"sessionId":`+Quote(session)+`,"update":`+update+`}`))
}

// State sends a state_update of ACP v2.
func (a *Agent) State(session, state string) {
	a.Update(session, `{"sessionUpdate":"state_update","state":`+state+`}`)
}

// Call sends any request, given as JSON, and decodes the answer.
func (a *Agent) Call(ctx context.Context, method, params string, result any) error {
	return a.peer.Call(ctx, method, json.RawMessage(params), result)
}

// Notify sends any notification, given as JSON.
func (a *Agent) Notify(method, params string) { a.peer.Notify(method, json.RawMessage(params)) }

// Ask asks for permission until ctx ends, with a tool call and options given as JSON. It returns
// the outcome and records it.
func (a *Agent) Ask(ctx context.Context, session, tool, options string) string {
	return a.Asking(session, tool, options)(ctx)
}

// Asking is Ask in two parts: it asks, and returns a function that waits for the outcome.
func (a *Agent) Asking(session, tool, options string) func(context.Context) string {
	about := `"toolCall":` + tool
	if a.script.Protocol == "2" {
		about = `"title":"May I?","subject":{"type":"tool_call","toolCall":` + tool + `}`
	}
	call := a.peer.Begin("session/request_permission", json.RawMessage(`{"sessionId":`+Quote(session)+`,`+about+`,"options":`+options+`}`))
	return func(ctx context.Context) string {
		var r struct {
			Outcome struct{ Outcome, OptionID string }
		}
		err := call.Wait(ctx, &r)
		out := r.Outcome.OptionID
		if r.Outcome.Outcome != "selected" {
			out = r.Outcome.Outcome
		}
		if err != nil {
			out = err.Error()
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.outcomes = append(a.outcomes, out)
		return out
	}
}

// Elicit asks for a form or a page, given as JSON, until ctx ends. It records the answer.
func (a *Agent) Elicit(ctx context.Context, params string) {
	var r json.RawMessage
	if err := a.Call(ctx, "elicitation/create", params, &r); err != nil {
		r = json.RawMessage(err.Error())
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers = append(a.answers, string(r))
}

// Say sends a chunk of a message; role is "agent" or "user".
func (a *Agent) Say(session, role, text string) {
	a.Update(session, `{"sessionUpdate":"`+role+`_message_chunk","content":{"type":"text","text":`+Quote(text)+`}}`)
}

// Quote returns a string as JSON.
func Quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// Notification implements jsonrpc.Handler.
func (a *Agent) Notification(method string, params []byte) {
	if method != "session/cancel" {
		return
	}
	var in struct{ SessionID string }
	json.Unmarshal(params, &in)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, method+" "+string(params))
	for _, t := range a.turns[in.SessionID] {
		t.halt()
	}
}

// Request implements jsonrpc.Handler.
func (a *Agent) Request(r jsonrpc.Request) jsonrpc.Work {
	if r.Method == "session/prompt" {
		return a.prompted(r.Params)
	}
	var in struct{ SessionID string }
	json.Unmarshal(r.Params, &in)
	c := &Call{Agent: a, Params: string(r.Params), ID: in.SessionID, method: r.Method}
	a.mu.Lock()
	if r.Method == "session/new" {
		a.sessions++
	}
	c.N = a.sessions
	a.calls = append(a.calls, r.Method+" "+c.Params)
	a.mu.Unlock()
	on := a.script.answerTo(r.Method)
	return func(ctx context.Context) (any, error) {
		c.Ctx = ctx
		if on == nil {
			on = (*Call).Default
		}
		result, err := on(c)
		a.opened(c.Params, result)
		return json.RawMessage(result), err
	}
}

// opened stores the directory of a session that was opened.
func (a *Agent) opened(params, result string) {
	var in struct{ SessionID, Cwd string }
	json.Unmarshal([]byte(params), &in)
	json.Unmarshal([]byte(result), &in)
	a.mu.Lock()
	defer a.mu.Unlock()
	if in.Cwd != "" {
		a.dirs[in.SessionID] = in.Cwd
	}
}

// defaultAnswer returns the default handler of a method.
func (a *Agent) defaultAnswer(method string) func(*Call) (string, error) {
	switch method {
	case "initialize":
		s := &Script{}
		s.Capabilities("")
		return s.answerTo(method)
	case "session/new":
		s := &Script{}
		s.NewSessions("")
		return s.answerTo(method)
	}
	return func(*Call) (string, error) { return "", jsonrpc.Errorf(-32601, "Method not found: %s", method) }
}

// Errorf returns an error for the agent to answer with.
func Errorf(code int, format string, args ...any) error { return jsonrpc.Errorf(code, format, args...) }
