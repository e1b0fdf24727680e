package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
)

const workDir = "/src/project"

const allCaps = `{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true}`

// client is the client's side: it gives preset answers and records everything it receives.
type client struct {
	t    *testing.T
	peer *jsonrpc.Peer
	wire *wiretap
	end  chan error // what Serve returned

	// Its answers. Set before the first prompt.
	files   map[string]string
	denied  map[string]*jsonrpc.Error // by method
	instead string                    // is written instead of what the agent wants, with an error
	permit  func(ctx context.Context) (outcome, option string)
	create  func(ctx context.Context) // called before a terminal is created
	exit    func(ctx context.Context) any

	mu    sync.Mutex
	calls []call
}

// call is one request of the agent.
type call struct {
	method string
	params map[string]any
}

// wiretap records every message that passes one end of a connection.
type wiretap struct {
	transport.Conn
	mu       sync.Mutex
	received []json.RawMessage
	methods  map[string]string // methods of our requests, by id
}

func (w *wiretap) Recv() ([]byte, error) {
	data, err := w.Conn.Recv()
	if err == nil {
		w.mu.Lock()
		w.received = append(w.received, bytes.Clone(data))
		w.mu.Unlock()
	}
	return data, err
}

func (w *wiretap) Send(m transport.Message) error {
	var head struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal(m.Data, &head) == nil && head.Method != "" {
		w.mu.Lock()
		w.methods[string(head.ID)] = head.Method
		w.mu.Unlock()
	}
	return w.Conn.Send(m)
}

func (w *wiretap) all() []json.RawMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.received)
}

// bubble runs a test with a client and an agent in a synctest bubble.
func bubble(t *testing.T, opts Options, f func(t *testing.T, c *client)) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := transport.Pipe()
		c := &client{t: t, end: make(chan error, 1), files: map[string]string{}, denied: map[string]*jsonrpc.Error{}}
		c.wire = &wiretap{Conn: ours, methods: map[string]string{}}
		c.permit = func(context.Context) (string, string) { return "selected", "allow_once" }
		c.create = func(context.Context) {}
		c.exit = func(context.Context) any { return map[string]any{"exitCode": 0} }
		c.peer = jsonrpc.NewPeer(c.wire, c, jsonrpc.Options{Problem: func(what string, data []byte) { t.Errorf("%s: %s", what, data) }})
		go func() { c.end <- Serve(t.Context(), theirs, opts) }()
		c.peer.Start()
		f(t, c)
		c.peer.Close(nil)
		if err := <-c.end; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

func (c *client) Notification(string, []byte) {} // recorded by the wiretap

func (c *client) Request(r jsonrpc.Request) jsonrpc.Work {
	var p map[string]any
	json.Unmarshal(r.Params, &p)
	c.mu.Lock()
	c.calls = append(c.calls, call{r.Method, p})
	c.mu.Unlock()
	return func(ctx context.Context) (any, error) {
		if e := c.denied[r.Method]; e != nil {
			return nil, e
		}
		return c.answer(ctx, r.Method, p)
	}
}

func (c *client) answer(ctx context.Context, method string, p map[string]any) (any, error) {
	switch method {
	case "session/request_permission":
		outcome, option := c.permit(ctx)
		o := map[string]string{"outcome": outcome}
		if option != "" {
			o["optionId"] = option
		}
		return map[string]any{"outcome": o}, nil
	case "fs/read_text_file":
		text, ok := c.file(p["path"].(string))
		if !ok {
			return nil, jsonrpc.Errorf(jsonrpc.CodeResourceNotFound, "Resource not found")
		}
		return map[string]string{"content": text}, nil
	case "fs/write_text_file":
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.instead != "" {
			c.files[p["path"].(string)] = c.instead
			return nil, jsonrpc.Errorf(-32603, "another text was written")
		}
		c.files[p["path"].(string)] = p["content"].(string)
		return struct{}{}, nil
	case "terminal/create":
		c.create(ctx)
		return map[string]string{"terminalId": "term-1"}, nil
	case "terminal/wait_for_exit":
		return c.exit(ctx), nil
	case "terminal/output":
		return map[string]any{"output": "a.txt\nb.txt\n", "truncated": false}, nil
	case "terminal/release":
		return struct{}{}, nil
	}
	return nil, jsonrpc.ErrMethodNotFound
}

func (c *client) file(path string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, ok := c.files[path]
	return text, ok
}

// called returns the agent's requests with these methods; without methods, all of them.
func (c *client) called(methods ...string) []call {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []call
	for _, k := range c.calls {
		if len(methods) == 0 || slices.Contains(methods, k.method) {
			out = append(out, k)
		}
	}
	return out
}

func (c *client) must(method string, params, result any) {
	c.t.Helper()
	if err := c.peer.Call(c.t.Context(), method, params, result); err != nil {
		c.t.Fatalf("%s: got %v", method, err)
	}
}

// open initializes with these capabilities and creates a session.
func (c *client) open(caps string) (session string) {
	c.t.Helper()
	c.must("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": json.RawMessage(caps)}, nil)
	return c.newSession()
}

func (c *client) newSession() string {
	c.t.Helper()
	var r newSessionResult
	c.must("session/new", map[string]any{"cwd": workDir, "mcpServers": []any{}}, &r)
	synctest.Wait()
	return r.SessionID
}

func promptOf(session, text string) map[string]any {
	return map[string]any{"sessionId": session, "prompt": []any{map[string]string{"type": "text", "text": text}}}
}

// prompt runs a turn to its end and returns what arrived during it.
func (c *client) prompt(session, text string) *transcript {
	c.t.Helper()
	from := len(c.wire.all())
	var r promptResult
	c.must("session/prompt", promptOf(session, text), &r)
	synctest.Wait()
	tr := c.since(session, from)
	tr.stop = r.StopReason
	return tr
}

// code returns the code of the error a request fails with, 0 if it succeeds.
func (c *client) code(method string, params any) int {
	c.t.Helper()
	var e *jsonrpc.Error
	if err := c.peer.Call(c.t.Context(), method, params, nil); err != nil && !errors.As(err, &e) {
		c.t.Fatalf("%s: got %v", method, err)
	}
	if e == nil {
		return 0
	}
	return e.Code
}

// transcript is what the user of a session has seen.
type transcript struct {
	updates []map[string]any
	kinds   []string // kinds of the updates, with repeats in a row merged
	prose   string   // agent_message_chunk, a blank line between messages
	thought string
	tools   []*tool
	stop    string
	late    int // updates after the last answer to a request of ours
}

type tool struct {
	kind, title string
	statuses    []string
	contents    []any // the last list
	raw         map[string]any
}

// since collects what arrived for a session, starting at message from.
func (c *client) since(session string, from int) *transcript {
	c.t.Helper()
	tr := &transcript{}
	byID := map[string]*tool{}
	lastMessage := ""
	for _, data := range c.wire.all()[from:] {
		var m struct {
			Method string
			Params struct {
				SessionID string
				Update    map[string]any
			}
		}
		if err := json.Unmarshal(data, &m); err != nil {
			c.t.Fatalf("%s: got %v", data, err)
		}
		if m.Method == "" {
			tr.late = 0
		}
		if m.Method != "session/update" || m.Params.SessionID != session {
			continue
		}
		u := m.Params.Update
		kind := u["sessionUpdate"].(string)
		tr.late++
		tr.updates = append(tr.updates, u)
		if n := len(tr.kinds); n == 0 || tr.kinds[n-1] != kind {
			tr.kinds = append(tr.kinds, kind)
		}
		switch kind {
		case "agent_message_chunk":
			if id := u["messageId"].(string); id != lastMessage && lastMessage != "" {
				tr.prose += "\n\n"
			}
			lastMessage = u["messageId"].(string)
			tr.prose += chunkText(u)
		case "agent_thought_chunk":
			tr.thought += chunkText(u)
		case "tool_call":
			byID[u["toolCallId"].(string)] = &tool{kind: u["kind"].(string), title: u["title"].(string)}
			tr.tools = append(tr.tools, byID[u["toolCallId"].(string)])
			fallthrough
		case "tool_call_update":
			byID[u["toolCallId"].(string)].apply(u)
		}
	}
	return tr
}

func chunkText(u map[string]any) string { return u["content"].(map[string]any)["text"].(string) }

func (k *tool) apply(u map[string]any) {
	if s, ok := u["status"].(string); ok {
		k.statuses = append(k.statuses, s)
	}
	if list, ok := u["content"].([]any); ok {
		k.contents = list
	}
	if raw, ok := u["rawInput"].(map[string]any); ok {
		k.raw = raw
	}
}

func (k *tool) path() string { return strings.Join(k.statuses, " ") }

// content returns the first item of a type in the tool call.
func (k *tool) content(typ string) map[string]any {
	for _, item := range k.contents {
		if m := item.(map[string]any); m["type"] == typ {
			return m
		}
	}
	return nil
}

// text returns all text the tool call shows.
func (k *tool) text() string {
	var b strings.Builder
	for _, item := range k.contents {
		if block, ok := item.(map[string]any)["content"].(map[string]any); ok {
			b.WriteString(block["text"].(string))
		}
	}
	return b.String()
}
