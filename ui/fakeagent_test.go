package ui

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/internal/host"
	"parley/internal/workspace"
)

// script is what a fake agent does. An agent's own script falls back on the driver's.
type script struct {
	place    string                                 // of one that runs elsewhere
	protocol string                                 // that is spoken with it; "" is 1
	dial     func(*agent) error                     // called for every connection, may be nil
	turn     func(*turn) string                     // what it does with a prompt
	holds    func(*turn) (string, error)            // of v2, in the place of turn: the answer to the prompt is JSON
	on       map[string]func(*call) (string, error) // what it does with other requests; the answer is JSON
	messages func(session string, spans []event.Span, request int64) ([]workspace.Message, error)
}

// agent is the agent's end of one connection.
type agent struct {
	d    *driver
	name string // as the user has chosen it
	env  workspace.Variables
	peer *jsonrpc.Peer
	life context.Context // of the connection

	leaves string // the method on which it goes away

	mu       sync.Mutex
	sessions int                // opened by session/new: s1, s2, …
	prompts  []string           // in the order in which they came
	blocks   []string           // the same as JSON, whole
	calls    []string           // every other request, as "method params"
	outcomes []string           // of questions, in the order in which they were answered
	answers  []string           // to forms and pages, as JSON, likewise
	turns    map[string][]*turn // by session: the running turn and, for v2, the held ones
	cancels  int
	ended    bool // parley has closed the connection
}

// does returns the script of the agent with this name.
func (a *agent) does() script {
	s, own := a.d.script, a.d.of[a.name]
	if own == nil {
		return s
	}
	if own.protocol != "" {
		s.protocol = own.protocol
	}
	if own.dial != nil {
		s.dial = own.dial
	}
	if own.turn != nil {
		s.turn = own.turn
	}
	if own.holds != nil {
		s.holds = own.holds
	}
	if own.messages != nil {
		s.messages = own.messages
	}
	return s
}

// call is a request other than a prompt, on the agent's side.
type call struct {
	a   *agent
	ctx context.Context
	n   int // how many sessions there are with this one
	in  struct {
		SessionID, Cwd, ModeID, ModelID, ConfigID, MethodID string
		Cursor                                              *string
		Value                                               any
	}
}

// fails returns an error response with a code.
func fails(code int, text string) (string, error) { return "", jsonrpc.Errorf(code, "%s", text) }

// hello returns the response to initialize, with additional members.
func hello(more string) func(*call) (string, error) {
	return func(*call) (string, error) {
		return `{"protocolVersion":1,"agentInfo":{"name":"fake","title":"Fake agent","version":"1.2"}` + more + `}`, nil
	}
}

// hello2 is hello for v2.
func hello2(more string) func(*call) (string, error) {
	return func(*call) (string, error) {
		return `{"protocolVersion":2,"info":{"name":"fake","title":"Fake agent","version":"2.0"},"capabilities":{"session":{"prompt":{},"delete":{}}}` + more + `}`, nil
	}
}

// newSession returns the response to session/new, with additional members.
func newSession(more string) func(*call) (string, error) {
	return func(c *call) (string, error) { return fmt.Sprintf(`{"sessionId":"s%d"%s}`, c.n, more), nil }
}

// answerTo answers a request that is not a prompt.
func (a *agent) answerTo(method string) func(*call) (string, error) {
	if own := a.d.of[a.name]; own != nil && own.on[method] != nil {
		return own.on[method]
	}
	if on := a.d.on[method]; on != nil {
		return on
	}
	switch method {
	case "initialize":
		if a.does().protocol == "2" {
			return hello2("")
		}
		return hello("")
	case "session/new":
		return newSession("")
	}
	return nil
}

func (d *driver) connect(ctx context.Context, chosen workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
	conn, err := d.redial(ctx, chosen, sink, log)
	if err != nil {
		return nil, err
	}
	conn.Session, err = conn.Open(ctx)
	if err != nil && !workspace.WantsLogin(err) {
		conn.Close()
		return nil, err
	}
	return conn, err
}

// redial connects and opens no session.
func (d *driver) redial(ctx context.Context, chosen workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
	ours, theirs := transport.Pipe()
	a := &agent{d: d, name: chosen.Name, env: chosen.Env, turns: map[string][]*turn{}}
	does := a.does()
	if does.dial != nil {
		if err := does.dial(a); err != nil {
			return nil, err
		}
	}
	a.peer = jsonrpc.NewPeer(theirs, a, jsonrpc.Options{})
	life, over := context.WithCancel(context.Background())
	a.life = life
	a.peer.Start()
	go func() { <-a.peer.Done(); over() }()
	h := host.New(host.Options{Sink: sink, Agent: chosen.Name})
	client, err := acpclient.Connect(ctx, ours, acpclient.Options{Name: "parley", Sink: sink, Services: h.Services(), Log: log, Elicit: true, TerminalLogin: true, Protocol: does.protocol, RemoteURL: does.place})
	if err != nil {
		h.Close()
		return nil, err
	}
	end := func() {
		client.Close()
		a.peer.Close(nil)
		h.Close()
		a.mu.Lock()
		a.ended = true
		a.mu.Unlock()
	}
	conn := &workspace.Connection{Client: client, Template: acpclient.NewSession{Cwd: cmp.Or(chosen.Dir, d.dir)}, Broker: h.Broker(), Close: end}
	if does.messages != nil {
		conn.Messages = func(_ context.Context, session string, spans []event.Span, request int64) ([]workspace.Message, error) {
			return does.messages(session, spans, request)
		}
	}
	conn.Open = func(ctx context.Context) (*acpclient.Session, error) { return client.NewSession(ctx, conn.Template) }
	d.mu.Lock() // several may connect at once
	defer d.mu.Unlock()
	d.agent = a
	d.agents = append(d.agents, a)
	return conn, nil
}

// Notification implements jsonrpc.Handler.
func (a *agent) Notification(method string, params []byte) {
	var p struct{ SessionID string }
	json.Unmarshal(params, &p)
	if method != "session/cancel" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cancels++
	for i, t := range a.turns[p.SessionID] { // one after the other
		time.AfterFunc(time.Duration(i)*time.Millisecond, t.halt)
	}
}

// Request implements jsonrpc.Handler.
func (a *agent) Request(r jsonrpc.Request) jsonrpc.Work {
	if r.Method == a.leaves {
		return func(ctx context.Context) (any, error) { a.peer.Close(nil); return nil, nil }
	}
	if r.Method == "session/prompt" {
		return a.prompted(r.Params)
	}
	on := a.answerTo(r.Method)
	c := &call{a: a}
	json.Unmarshal(r.Params, &c.in)
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Method == "session/new" {
		a.sessions++
	}
	c.n = a.sessions
	a.calls = append(a.calls, r.Method+" "+string(r.Params))
	return func(ctx context.Context) (any, error) {
		if on == nil {
			return nil, jsonrpc.Errorf(-32601, "Method not found: %s", r.Method)
		}
		c.ctx = ctx
		result, err := on(c)
		return json.RawMessage(result), err
	}
}

// called returns the parameters of the requests with a method, after checking their number.
func (a *agent) called(method string) (params []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.calls {
		if p, ok := strings.CutPrefix(c, method+" "); ok {
			params = append(params, p)
		}
	}
	return params
}

func (a *agent) seen() (prompts, outcomes string, cancels int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.prompts, "|"), strings.Join(a.outcomes, "|"), a.cancels
}

// answered checks the answers to forms and pages so far.
func (a *agent) answered() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.answers, "|")
}

// gone reports whether parley has closed the connection.
func (a *agent) gone() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ended
}

// update sends a session/update of the first session, given as JSON.
func (a *agent) update(update string) { a.updateIn("s1", update) }

func (a *agent) updateIn(session, update string) {
	a.peer.Notify("session/update", json.RawMessage(`{"sessionId":`+quoted(session)+`,"update":`+update+`}`))
}

// sayIn sends a chunk of a message of "agent" or "user".
func (a *agent) sayIn(session, role, text string) {
	a.updateIn(session, `{"sessionUpdate":"`+role+`_message_chunk","content":{"type":"text","text":`+quoted(text)+`}}`)
}

// state sends a state_update of v2.
func (a *agent) state(session, state string) {
	a.updateIn(session, `{"sessionUpdate":"state_update","state":`+state+`}`)
}

// elicit asks for a form or a page, given as JSON, and keeps the answer.
func (a *agent) elicit(params string) { a.elicitUnder(context.Background(), params) }

func (a *agent) elicitUnder(ctx context.Context, params string) {
	var r json.RawMessage
	if err := a.peer.Call(ctx, "elicitation/create", json.RawMessage(params), &r); err != nil {
		r = json.RawMessage(err.Error())
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers = append(a.answers, string(r))
}

// ask asks for permission and returns the chosen option, or "cancelled". tool and options are
// JSON.
func (a *agent) ask(session, tool, options string) string {
	about := `"toolCall":` + tool
	if a.does().protocol == "2" {
		about = `"title":"May I?","subject":{"type":"tool_call","toolCall":` + tool + `}`
	}
	var r struct {
		Outcome struct{ Outcome, OptionID string }
	}
	err := a.peer.Call(context.Background(), "session/request_permission", json.RawMessage(`{"sessionId":`+quoted(session)+`,`+about+`,"options":`+options+`}`), &r)
	out := r.Outcome.OptionID
	if r.Outcome.Outcome != "selected" {
		out = r.Outcome.Outcome
	}
	if err != nil {
		out = err.Error()
	}
	a.mu.Lock()
	a.outcomes = append(a.outcomes, out)
	a.mu.Unlock()
	return out
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// leaveTurn forgets a turn that has ended.
func (a *agent) leaveTurn(t *turn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turns[t.session] = slices.DeleteFunc(a.turns[t.session], func(o *turn) bool { return o == t })
}

// Options as agents send them.
const usual = `[{"optionId":"ok","name":"Allow once","kind":"allow_once"},{"optionId":"ever","name":"Always allow","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]`

const push = `{"toolCallId":"t1","title":"Commit typed errors","kind":"execute","status":"pending","rawInput":{"command":"git add -A && git push origin HEAD","cwd":"/home/ada/src/parser"}}`
