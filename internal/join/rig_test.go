package join

import (
	"context"
	"encoding/json"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/thread"
	"parley/acpclient/transport"
	"parley/internal/fakeagent"
	"parley/internal/finder"
	"parley/internal/hello"
	"parley/internal/must"
	"parley/internal/workspace"
)

// rig is a front end without a screen in a bubble, with an agent that follows a script, and the clients that have
// joined.
type rig struct {
	*testing.T
	fakeagent.Dialer
	w       *workspace.Workspace
	hub     *Hub
	script  *fakeagent.Script
	sockets *pipes
	do      chan func()
	results chan workspace.Result
	news    []workspace.News // on the front end's goroutine
	tasks   sync.WaitGroup
	ended   chan struct{}
}

var spec = workspace.Spec{Name: "fake", Command: "fake --acp"}

// with runs a test in a bubble, with an agent of a version that has a session "s1".
func with(t *testing.T, version string, opts Options, f func(*rig)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{T: t, script: &fakeagent.Script{Protocol: version}, sockets: newPipes(), do: make(chan func()), results: make(chan workspace.Result), ended: make(chan struct{})}
		r.Cwd, r.Script = dir, func(string) *fakeagent.Script { return r.script }
		opts.Version = "1.2.3"
		r.w = workspace.New(workspace.Options{Cwd: dir, ReadFile: finder.Read, Connect: r.Connect, Redial: r.Redial, Agents: []workspace.Spec{spec}, Begun: func(w *workspace.Workspace) {
			r.hub = Serve(w, r.sockets, opts)
		}})
		go r.run()
		r.on(func() { r.w.Start(spec) })
		r.settle()
		defer func() {
			r.w.Close()
			close(r.do)
			<-r.ended
			time.Sleep(time.Minute) // whatever the agents still do
		}()
		f(r)
	})
}

// each runs a test with agents and clients of both versions.
func each(t *testing.T, f func(r *rig, version int)) {
	for _, agent := range []string{"1", "2"} {
		for _, version := range []int{1, 2} {
			t.Run("agent "+agent+", client "+jsonText(version), func(t *testing.T) {
				with(t, agent, Options{}, func(r *rig) { f(r, version) })
			})
		}
	}
}

// run is the loop of the front end.
func (r *rig) run() {
	defer close(r.ended)
	for {
		r.process()
		select {
		case f, ok := <-r.do:
			if !ok {
				go func() {
					for range r.results {
					}
				}()
				r.tasks.Wait()
				close(r.results)
				return
			}
			f()
		case res := <-r.results:
			for more := res != nil; more; {
				more = r.w.Done(res)
				r.process()
			}
		}
	}
}

func (r *rig) process() {
	for {
		for _, task := range r.w.Tasks() {
			r.tasks.Go(func() { r.results <- task() })
		}
		n, ok := r.w.TakeNews()
		if !ok {
			return
		}
		r.news = append(r.news, n)
	}
}

// on runs f on the front end's goroutine.
func (r *rig) on(f func()) {
	done := make(chan struct{})
	r.do <- func() { f(); close(done) }
	<-done
}

// settle waits until nothing happens, for longer than anything is delayed.
func (r *rig) settle() {
	time.Sleep(2 * time.Second)
	synctest.Wait()
}

// id returns the id of the session in front for clients.
func (r *rig) id() (id string) {
	r.on(func() { id = r.hub.feedOf(r.session()).id })
	return id
}

func (r *rig) session() *workspace.Session { return r.w.Front() }

// pipes is a listener of in-process connections.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return nil }

func (p *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours
}

// guest is a client that has joined, and what it has put together of what it was told.
type guest struct {
	*rig
	version int
	peer    *jsonrpc.Peer

	mu        sync.Mutex
	got       []string // all messages
	methods   map[string]string
	messages  []*message // in the order of their first sight
	tools     map[string]map[string]json.RawMessage
	notices   []string
	states    []string
	slots     map[string]string // the last update of each kind
	questions []*asked
}

type message struct{ kind, id, text string }

// asked is a question of parley's to a client.
type asked struct {
	params string
	answer func(any, error)
	ctx    context.Context
}

// dial joins without a word of the protocol.
func (r *rig) dial(name string, role hello.Role, version int) *guest {
	conn := r.sockets.dial()
	must.Do(r.T, hello.Send(conn, name, role))
	g := &guest{rig: r, version: version, methods: map[string]string{}, tools: map[string]map[string]json.RawMessage{}, slots: map[string]string{}}
	g.peer = jsonrpc.NewPeer(&tap{transport.Streams(conn, conn), g}, g, jsonrpc.Options{})
	g.peer.Start()
	return g
}

// join joins and initializes.
func (r *rig) join(name string, role hello.Role, version int) *guest {
	g := r.dial(name, role, version)
	params := `{"protocolVersion":1,"clientCapabilities":{"session":{"notices":{},"configOptions":{"boolean":{}}}}}`
	if version == 2 {
		params = `{"protocolVersion":2,"info":{"name":"guest","version":"1"},"capabilities":{}}`
	}
	g.must("initialize", params)
	return g
}

// follow joins and loads a session.
func (r *rig) follow(name string, role hello.Role, version int) *guest {
	g := r.join(name, role, version)
	g.load("s1")
	return g
}

func (g *guest) load(id string) {
	if g.version == 2 {
		g.must("session/resume", `{"sessionId":"`+id+`","cwd":"/","replayFrom":{"type":"start"}}`)
		return
	}
	g.must("session/load", `{"sessionId":"`+id+`","cwd":"/","mcpServers":[]}`)
}

// tap records and checks what a guest receives.
type tap struct {
	transport.Conn
	g *guest
}

func (t *tap) Recv() ([]byte, error) {
	data, err := t.Conn.Recv()
	if err == nil {
		t.g.mu.Lock()
		defer t.g.mu.Unlock()
		t.g.got = append(t.g.got, string(data))
	}
	return data, err
}

func (t *tap) Send(m transport.Message) error {
	var sent struct {
		ID     json.RawMessage
		Method string
	}
	json.Unmarshal(m.Data, &sent)
	t.g.mu.Lock()
	if sent.Method != "" && sent.ID != nil {
		t.g.methods[string(sent.ID)] = sent.Method
	}
	t.g.mu.Unlock()
	return t.Conn.Send(m)
}

// begin sends a request.
func (g *guest) begin(method, params string) *jsonrpc.Call {
	return g.peer.Begin(method, json.RawMessage(params))
}

// call sends a request and returns the answer.
func (g *guest) call(method, params string) (string, error) {
	var result json.RawMessage
	err := g.begin(method, params).Wait(context.Background(), &result)
	return string(result), err
}

func (g *guest) must(method, params string) string {
	g.Helper()
	result, err := g.call(method, params)
	if err != nil {
		g.Fatalf("%s %s: %v", method, params, err)
	}
	return result
}

// fails sends a request that must fail with a code.
func (g *guest) fails(code int, method, params string) {
	g.Helper()
	result, err := g.call(method, params)
	if e, ok := err.(*jsonrpc.Error); !ok || e.Code != code {
		g.Errorf("%s %s: %s, %v, want %d", method, params, result, err, code)
	}
}

func (g *guest) prompt(text string) *jsonrpc.Call {
	return g.begin("session/prompt", `{"sessionId":"s1","prompt":[{"type":"text","text":`+jsonText(text)+`}]}`)
}

// outcome returns how a call has ended, "" if it has not.
func outcome(c *jsonrpc.Call) string {
	select {
	case <-c.Done():
	default:
		return ""
	}
	var result json.RawMessage
	if err := c.Wait(context.Background(), &result); err != nil {
		return err.Error()
	}
	return string(result)
}

// Request implements jsonrpc.Handler.
func (g *guest) Request(r jsonrpc.Request) jsonrpc.Work {
	if r.Method != "session/request_permission" {
		g.Errorf("parley asks a client for %s", r.Method)
		return nil
	}
	ctx, answer := r.Later()
	q := &asked{params: string(r.Params), answer: answer, ctx: ctx}
	g.mu.Lock()
	g.questions = append(g.questions, q)
	g.mu.Unlock()
	context.AfterFunc(ctx, func() { answer(nil, jsonrpc.ErrRequestCancelled) })
	return jsonrpc.Deferred
}

// Notification implements jsonrpc.Handler.
func (g *guest) Notification(method string, params []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var n struct {
		Update map[string]json.RawMessage
	}
	if method != "session/update" || json.Unmarshal(params, &n) != nil {
		return
	}
	str := func(key string) (s string) { json.Unmarshal(n.Update[key], &s); return s }
	kind := str("sessionUpdate")
	switch kind {
	case "user_message_chunk", "agent_message_chunk", "agent_thought_chunk":
		var c struct{ Type, Text string }
		json.Unmarshal(n.Update["content"], &c)
		if c.Type == "text" {
			g.message(strings.TrimSuffix(kind, "_chunk"), str("messageId")).text += c.Text
		}
	case "user_message", "agent_message", "agent_thought":
		var all []struct{ Text string }
		json.Unmarshal(n.Update["content"], &all)
		m := g.message(kind, str("messageId"))
		m.text = ""
		for _, c := range all {
			m.text += c.Text
		}
	case "tool_call", "tool_call_update":
		id := str("toolCallId")
		if _, known := g.tools[id]; kind == "tool_call" && known {
			g.Errorf("tool_call twice: %s", id)
		}
		if g.tools[id] == nil {
			g.tools[id] = map[string]json.RawMessage{}
		}
		maps.Copy(g.tools[id], n.Update)
		delete(g.tools[id], "sessionUpdate")
		maps.DeleteFunc(g.tools[id], func(_ string, v json.RawMessage) bool { return string(v) == "null" || string(v) == "[]" })
	case "notice":
		g.notices = append(g.notices, strings.TrimSuffix(str("title")+": "+str("description"), ": "))
	case "state_update":
		state := str("state")
		if reason := str("stopReason"); reason != "" {
			state += " " + reason
		}
		g.states = append(g.states, state)
	default:
		delete(n.Update, "sessionUpdate")
		g.slots[kind] = jsonText(n.Update)
	}
}

func (g *guest) message(kind, id string) *message {
	for _, m := range g.messages {
		if m.kind == kind && m.id == id {
			return m
		}
	}
	m := &message{kind: kind, id: id}
	g.messages = append(g.messages, m)
	return m
}

// said returns what was told of messages, a line each.
func (g *guest) said() (lines []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range g.messages {
		lines = append(lines, m.kind+": "+m.text)
	}
	return lines
}

// wants compares the messages of a guest.
func (g *guest) wants(lines ...string) {
	g.Helper()
	g.settle()
	if got := g.said(); !slices.Equal(got, lines) {
		g.Errorf("got %q\nwant %q", got, lines)
	}
}

// matches compares what a guest has put together with the thread, word for word.
func (g *guest) matches() {
	g.Helper()
	g.settle()
	g.on(func() {
		g.Helper()
		g.mu.Lock()
		defer g.mu.Unlock()
		f := g.hub.feed("s1")
		d := dialect{g.version, true, true}
		known := map[string]bool{}
		last := -1
		for i, it := range f.thread.Items {
			switch it.Kind {
			case thread.UserMessage, thread.AgentMessage, thread.ThoughtMessage:
				k := f.items[i]
				id := k.id
				if g.version == 1 && k.revision > 0 {
					id += "-" + jsonText(k.revision+1)
				}
				at := slices.IndexFunc(g.messages, func(m *message) bool { return m.kind == messageKinds[it.Kind] && m.id == id })
				text := ""
				if at >= 0 {
					text = g.messages[at].text
				}
				if text != string(it.Text) {
					g.Errorf("item %d, %s: got %.200q, want %.200q", i, id, text, it.Text)
				}
				if at >= 0 && g.version == 2 {
					if at < last {
						g.Errorf("item %d: %s is out of order", i, id)
					}
					last = at
				}
				known[messageKinds[it.Kind]+" "+k.id] = true
			case thread.ToolCall, thread.ShellCommand:
				want := map[string]json.RawMessage{"toolCallId": json.RawMessage(jsonText(f.items[i].id))}
				for _, m := range call(f.thread, it, d) {
					if m.value != nil && jsonText(m.value) != "[]" {
						want[m.name] = json.RawMessage(jsonText(m.value))
					}
				}
				got := maps.Clone(g.tools[f.items[i].id])
				if g.version == 1 { // which cannot clear them
					maps.DeleteFunc(got, func(name string, _ json.RawMessage) bool { return want[name] == nil && strings.HasPrefix(name, "raw") })
				}
				if jsonText(got) != jsonText(want) {
					g.Errorf("item %d: got %s\nwant %s", i, jsonText(got), jsonText(want))
				}
			}
		}
		for _, m := range g.messages {
			id, _, _ := strings.Cut(m.id, "-")
			if !known[m.kind+" "+id] && m.text != "" {
				g.Errorf("%s %s %.100q is not in the thread", m.kind, m.id, m.text)
			}
		}
	})
}
