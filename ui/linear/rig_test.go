package linear

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/internal/host"
	"parley/internal/workspace"
	"parley/ui"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// rig is a user in front of the chat, under a clock of its own, and the agent
// behind it.
type rig struct {
	t        *testing.T
	typing   *io.PipeWriter
	out      screen
	ints     chan os.Signal
	done     chan struct{}
	left     ui.Left
	opts     Options
	tty      bool
	offset   int // of the output that was looked at
	starts   int
	agents   []*peer // all that were started
	place    string  // of one that runs elsewhere
	protocol string  // "" is 1
	dialErr  func(n int) error
	// connected may change what the chat gets of a connection.
	connected func(*workspace.Connection)

	turn func(*turn) string                     // what the agent does with a prompt; the stop reason
	on   map[string]func(*call) (string, error) // and with other requests
	mu   sync.Mutex
}

type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// talkTo runs a test in a bubble.
func talkTo(t *testing.T, change func(*rig), f func(r *rig)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, ints: make(chan os.Signal, 4), done: make(chan struct{}), on: map[string]func(*call) (string, error){}}
		r.turn = func(tn *turn) string { tn.say("You said: " + tn.text); return "end_turn" }
		read, write := io.Pipe()
		r.typing = write
		r.opts = Options{Interrupts: r.ints, Options: ui.Options{Cwd: dir, Start: "fake", Input: read, Output: &r.out, Connect: r.connect, Agents: []workspace.Spec{
			{Name: "fake", Command: "fake --acp", Where: "on PATH", Section: "installed"},
			{Name: "absent", Command: "absent", Section: "not installed", Missing: "npm i absent"},
		}}}
		if change != nil {
			change(r)
		}
		go func() {
			defer close(r.done)
			left, err := r.run(context.Background())
			if err != nil {
				t.Error(err)
			}
			r.left = left
		}()
		synctest.Wait()
		f(r)
		write.Close()
		time.Sleep(time.Second)
		read.Close()
		select {
		case <-r.done:
		case <-time.After(time.Hour):
			t.Errorf("it does not end:\n%s", r.out.text())
		}
	})
}

// run is Run, with a terminal pretended where that is asked for.
func (r *rig) run(ctx context.Context) (ui.Left, error) {
	if !r.tty {
		return Run(ctx, r.opts)
	}
	in := newInput(r.opts.Input)
	c := newChat(r.opts, in, newPrinter(r.opts.Output, true))
	return c.run(ctx)
}

// types types lines, each as long after the one before as it takes to settle.
func (r *rig) types(lines ...string) {
	r.t.Helper()
	for _, l := range lines {
		if r.tty {
			r.out.Write([]byte(l + "\n")) // the echo
		}
		if _, err := io.WriteString(r.typing, l+"\n"); err != nil {
			r.t.Fatalf("nobody reads %q: %v", l, err)
		}
		synctest.Wait()
	}
}

// pause lets time pass, more than a question needs.
func (r *rig) pause() { time.Sleep(time.Second); synctest.Wait() }

func (r *rig) interrupt() { r.ints <- os.Interrupt; synctest.Wait() }

// fresh is the output that was not looked at yet.
func (r *rig) fresh() string {
	synctest.Wait()
	all := r.out.text()
	out := all[r.offset:]
	r.offset = len(all)
	return out
}

// wants compares what was written since with lines.
func (r *rig) wants(lines ...string) {
	r.t.Helper()
	got, want := r.fresh(), strings.Join(lines, "\n")
	if strings.TrimSuffix(got, "\n") != want {
		r.t.Errorf("written:\n%s\nwant:\n%s", got, want)
	}
}

// sees wants that something of it was written.
func (r *rig) sees(parts ...string) {
	r.t.Helper()
	got := r.fresh()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			r.t.Errorf("not written: %q; there is:\n%s", p, got)
		}
	}
}

// peer is the agent's end of one connection.
type peer struct {
	r    *rig
	name string
	env  workspace.Variables
	log  *event.Log
	*jsonrpc.Peer

	mu       sync.Mutex
	sessions int
	prompts  []string
	last     []string // the same as JSON
	outcomes []string
	answers  []string
	calls    []string
	running  map[string]*turn
}

type call struct {
	p  *peer
	n  int
	in struct {
		SessionID, Cwd, ModeID, ConfigID, MethodID string
		Value                                      any
	}
	ctx context.Context
}

func (r *rig) connect(ctx context.Context, a workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
	conn, err := r.redial(ctx, a, sink, log)
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

func (r *rig) redial(ctx context.Context, a workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
	r.mu.Lock()
	r.starts++
	n := r.starts
	r.mu.Unlock()
	if r.dialErr != nil {
		if err := r.dialErr(n); err != nil {
			return nil, err
		}
	}
	ours, theirs := transport.Pipe()
	p := &peer{r: r, name: a.Name, env: a.Env, log: log, running: map[string]*turn{}}
	p.Peer = jsonrpc.NewPeer(theirs, p, jsonrpc.Options{})
	p.Start()
	h := host.New(host.Options{Sink: sink, Agent: a.Name})
	client, err := acpclient.Connect(ctx, ours, acpclient.Options{Name: "parley", Sink: sink, Services: h.Services(), Log: log, Elicit: true, TerminalLogin: true, Protocol: r.protocol, Place: r.place})
	if err != nil {
		h.Close()
		return nil, err
	}
	conn := &workspace.Connection{Client: client, Template: acpclient.NewSession{Cwd: r.opts.Cwd}, Broker: h.Broker(), Close: func() {
		client.Close()
		p.Close(nil)
		h.Close()
	}}
	if r.connected != nil {
		r.connected(conn)
	}
	conn.Open = func(ctx context.Context) (*acpclient.Session, error) { return client.NewSession(ctx, conn.Template) }
	r.mu.Lock()
	r.agents = append(r.agents, p)
	r.mu.Unlock()
	return conn, nil
}

// agent is the one started last.
func (r *rig) agent() *peer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.agents[len(r.agents)-1]
}

func (p *peer) Notification(method string, params []byte) {
	var in struct{ SessionID string }
	json.Unmarshal(params, &in)
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.running[in.SessionID]; method == "session/cancel" && t != nil {
		t.halt()
	}
}

func (p *peer) Request(q jsonrpc.Request) jsonrpc.Work {
	if q.Method == "session/prompt" {
		return p.prompted(q.Params)
	}
	c := &call{p: p}
	json.Unmarshal(q.Params, &c.in)
	p.mu.Lock()
	if q.Method == "session/new" {
		p.sessions++
	}
	c.n = p.sessions
	p.calls = append(p.calls, q.Method+" "+string(q.Params))
	p.mu.Unlock()
	on := p.r.on[q.Method]
	return func(ctx context.Context) (any, error) {
		c.ctx = ctx
		switch {
		case on != nil:
			result, err := on(c)
			return json.RawMessage(result), err
		case q.Method == "initialize" && p.r.protocol == "2":
			return json.RawMessage(`{"protocolVersion":2,"info":{"name":"fake","title":"Fake agent","version":"2.0"},"capabilities":{"session":{"prompt":{}}}}`), nil
		case q.Method == "initialize":
			return json.RawMessage(hello("")), nil
		case q.Method == "session/new":
			return json.RawMessage(fmt.Sprintf(`{"sessionId":"s%d"}`, c.n)), nil
		}
		return nil, jsonrpc.Errorf(-32601, "Method not found: %s", q.Method)
	}
}

func hello(more string) string {
	return `{"protocolVersion":1,"agentInfo":{"name":"fake","title":"Fake agent","version":"1.2"}` + more + `}`
}

// turn is one prompt on the agent's side.
type turn struct {
	*peer
	session, text string
	n             int
	stop          chan struct{}
	halt          func()
}

func (p *peer) prompted(params []byte) jsonrpc.Work {
	var in struct {
		SessionID string
		Prompt    []struct{ Text string }
	}
	json.Unmarshal(params, &in)
	t := &turn{peer: p, session: in.SessionID, text: in.Prompt[0].Text, stop: make(chan struct{})}
	t.halt = sync.OnceFunc(func() { close(t.stop) })
	p.mu.Lock()
	p.prompts, p.last = append(p.prompts, t.text), append(p.last, string(params))
	t.n = len(p.prompts)
	p.running[t.session] = t
	p.mu.Unlock()
	if p.r.protocol == "2" {
		return t.held
	}
	return func(ctx context.Context) (any, error) {
		reason := p.r.turn(t)
		p.mu.Lock()
		if p.running[t.session] == t {
			delete(p.running, t.session)
		}
		p.mu.Unlock()
		switch reason {
		case "":
			return nil, jsonrpc.Errorf(-32603, "Internal error: the model is away")
		case "login":
			return nil, jsonrpc.Errorf(-32000, "who are you?")
		}
		return map[string]string{"stopReason": reason}, nil
	}
}

// held is a prompt of v2: it becomes part of the conversation at once, and its turn
// follows.
func (t *turn) held(context.Context) (any, error) {
	if t.text == "refused" {
		return nil, jsonrpc.Errorf(-32603, "Internal error: too much")
	}
	id := fmt.Sprintf("u%d", t.n)
	t.update(`{"sessionUpdate":"user_message_chunk","messageId":"` + id + `","content":{"type":"text","text":` + quoted(t.text) + `}}`)
	go func() {
		time.Sleep(time.Millisecond)
		t.update(`{"sessionUpdate":"state_update","state":"running"}`)
		reason := t.r.turn(t)
		t.update(`{"sessionUpdate":"state_update","state":"idle","stopReason":` + quoted(reason) + `}`)
	}()
	return json.RawMessage(`{"messageId":"` + id + `"}`), nil
}

// waits lets time pass, less of it when the turn is stopped.
func (t *turn) waits(d time.Duration) (stopped bool) {
	select {
	case <-time.After(d):
		return false
	case <-t.stop:
	case <-t.Done():
	}
	return true
}

func (t *turn) say(text string) {
	t.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + quoted(text) + `}}`)
}

func (t *turn) update(update string) { t.updateIn(t.session, update) }

func (p *peer) updateIn(session, update string) {
	p.Notify("session/update", json.RawMessage(`{"sessionId":`+quoted(session)+`,"update":`+update+`}`))
}

// ask asks for permission and returns the outcome.
func (t *turn) ask(tool, options string) string {
	return t.askUnder(context.Background(), tool, options)
}

func (t *turn) askUnder(ctx context.Context, tool, options string) string {
	var r struct {
		Outcome struct{ Outcome, OptionID string }
	}
	err := t.Call(ctx, "session/request_permission", json.RawMessage(`{"sessionId":`+quoted(t.session)+`,"toolCall":`+tool+`,"options":`+options+`}`), &r)
	out := r.Outcome.OptionID
	if r.Outcome.Outcome != "selected" {
		out = r.Outcome.Outcome
	}
	if err != nil {
		out = err.Error()
	}
	t.mu.Lock()
	t.outcomes = append(t.outcomes, out)
	t.mu.Unlock()
	return out
}

// elicit asks for a form or a page, and keeps the answer.
func (t *turn) elicit(params string) {
	var r json.RawMessage
	if err := t.Call(context.Background(), "elicitation/create", json.RawMessage(params), &r); err != nil {
		r = json.RawMessage(err.Error())
	}
	t.mu.Lock()
	t.answers = append(t.answers, string(r))
	t.mu.Unlock()
}

func (p *peer) seen() (prompts, outcomes, answers string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.prompts, "|"), strings.Join(p.outcomes, "|"), strings.Join(p.answers, "|")
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// Options as agents send them.
const usual = `[{"optionId":"ok","name":"Allow once","kind":"allow_once"},{"optionId":"ever","name":"Always allow","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]`

const push = `{"toolCallId":"t1","title":"Commit typed errors","kind":"execute","status":"pending","rawInput":{"command":"git push origin HEAD","cwd":"/home/ada/src"}}`

// started is what every chat with the fake agent begins with.
func (r *rig) started() []string {
	return []string{"parley, in lines, in " + r.opts.Cwd + ". /help lists the commands.", "Starting fake: fake --acp", "Connected: Fake agent 1.2."}
}
