package router

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/internal/hello"
	"parley/internal/must"
)

// world holds the live parleys of a test. Everything is in memory, so a test may run in a bubble.
type world struct {
	t testing.TB

	mu    sync.Mutex
	live  []*scripted
	start func(cwd string) (*scripted, error)
}

// scripted is a parley with a script.
type scripted struct {
	name     string
	sessions []string

	mu    sync.Mutex
	peers []*jsonrpc.Peer
	hello hello.Hello
	heard []string      // method and params
	more  chan struct{} // holds one element when there is more to hear

	// answers requests but session/list; nil answers with {}.
	request func(p *jsonrpc.Peer, r jsonrpc.Request) jsonrpc.Work
}

func (w *world) add(name string, sessions ...string) *scripted {
	s := &scripted{name: name, sessions: sessions, more: make(chan struct{}, 1)}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.live = append(w.live, s)
	return s
}

func (w *world) list() (all []Parley, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.live {
		all = append(all, Parley{s.name, "socket of " + s.name})
	}
	return all, nil
}

func (w *world) dial(_ context.Context, socket string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.live {
		if "socket of "+s.name == socket {
			here, there := net.Pipe()
			go s.serve(there)
			return here, nil
		}
	}
	return nil, errors.New("no such socket")
}

func (s *scripted) serve(conn net.Conn) {
	in := bufio.NewReader(conn)
	h, err := hello.Receive(in)
	if err != nil {
		conn.Close()
		return
	}
	handler := &scriptedPeer{scripted: s}
	handler.peer = jsonrpc.NewPeer(transport.Streams(struct {
		io.Reader
		io.Closer
	}{in, conn}, conn), handler, jsonrpc.Options{})
	s.mu.Lock()
	s.hello = h
	s.peers = append(s.peers, handler.peer)
	s.mu.Unlock()
	handler.peer.Start()
}

// end ends the parley.
func (w *world) end(s *scripted) {
	w.mu.Lock()
	w.live = slices.DeleteFunc(w.live, func(o *scripted) bool { return o == s })
	w.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.peers {
		p.Close(nil)
	}
}

type scriptedPeer struct {
	*scripted
	peer *jsonrpc.Peer
}

func (s *scriptedPeer) hears(method string, params []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = append(s.heard, method+" "+string(params))
	select {
	case s.more <- struct{}{}:
	default:
	}
}

func (s *scriptedPeer) Notification(method string, params []byte) { s.hears(method, params) }

func (s *scriptedPeer) Request(r jsonrpc.Request) jsonrpc.Work {
	s.hears(r.Method, r.Params)
	switch {
	case r.Method == "initialize":
		return s.answers(func() any {
			var p struct{ ProtocolVersion int }
			json.Unmarshal(r.Params, &p)
			return object{"protocolVersion": p.ProtocolVersion}
		})
	case r.Method == "session/list":
		return s.answers(func() any {
			all := []object{}
			for _, id := range s.sessions {
				all = append(all, object{"sessionId": id, "cwd": "/p/" + id, "title": "<" + id + ">"})
			}
			return object{"sessions": all}
		})
	case s.request != nil:
		return s.request(s.peer, r)
	}
	return s.answers(func() any { return object{"by": s.name} })
}

func (s *scriptedPeer) answers(f func() any) jsonrpc.Work {
	return func(context.Context) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return f(), nil
	}
}

// await waits until the parley has heard a message that contains the text.
func (s *scripted) await(t *testing.T, text string) {
	t.Helper()
	for {
		s.mu.Lock()
		found := slices.ContainsFunc(s.heard, func(h string) bool { return strings.Contains(h, text) })
		s.mu.Unlock()
		if found {
			return
		}
		select {
		case <-s.more:
		case <-t.Context().Done():
			t.Fatalf("%s never heard %s", s.name, text)
		}
	}
}

// client is the client of a test. It answers requests when the test says so.
type client struct {
	*jsonrpc.Peer
	t        testing.TB
	received chan string // notifications
	asked    chan asked
	served   chan error
}

type asked struct {
	id, params string
	ctx        context.Context
	answer     func(any, error)
}

func (c *client) Notification(method string, params []byte) {
	c.received <- method + " " + string(params)
}

func (c *client) Request(r jsonrpc.Request) jsonrpc.Work {
	ctx, answer := r.Later()
	c.asked <- asked{string(r.ID), string(r.Params), ctx, answer}
	return jsonrpc.Deferred
}

func (w *world) connect(change ...func(*Options)) *client {
	w.t.Helper()
	opts := Options{Version: "1", Role: hello.Talk, List: w.list, Dial: w.dial, Start: func(_ context.Context, cwd string) (string, error) {
		s, err := w.start(cwd)
		if err != nil {
			return "", err
		}
		return s.name, nil
	}}
	for _, f := range change {
		f(&opts)
	}
	here, there := transport.Pipe()
	c := &client{t: w.t, received: make(chan string, 1000), asked: make(chan asked, 10), served: make(chan error, 1)}
	c.Peer = jsonrpc.NewPeer(here, c, jsonrpc.Options{})
	c.Start()
	ctx, stop := context.WithCancel(context.Background())
	go func() { c.served <- Serve(ctx, there, opts) }()
	w.t.Cleanup(func() {
		c.Close(nil)
		stop()
	})
	return c
}

// call returns the result as JSON, or the error.
func (c *client) call(method, params string) string {
	c.t.Helper()
	var result json.RawMessage
	if err := c.Call(c.t.Context(), method, json.RawMessage(params), &result); err != nil {
		return err.Error()
	}
	return string(result)
}

func (c *client) initialize() *client {
	c.t.Helper()
	if got := c.call("initialize", `{"protocolVersion":1,"clientInfo":{"name":"zed","role":"approve"},"_meta":{"role":"approve"}}`); !strings.Contains(got, `"loadSession":true`) {
		c.t.Fatal(got)
	}
	return c
}

func (c *client) wants(got, want string) {
	c.t.Helper()
	if !strings.Contains(got, want) {
		c.t.Errorf("got %s, want %s", got, want)
	}
}

func TestListsAreMerged(t *testing.T) {
	w := &world{t: t}
	one, two := w.add("one", "a", "b"), w.add("two", "b", "c")
	c := w.connect(func(o *Options) { o.Role = hello.Watch }).initialize()
	want := `{"sessions":[{"cwd":"/p/a","sessionId":"a","title":"<a>"},{"cwd":"/p/b","sessionId":"b","title":"<b>"},{"cwd":"/p/c","sessionId":"c","title":"<c>"}]}`
	if got := c.call("session/list", `{}`); got != want {
		t.Errorf("got %s", got)
	}
	c.wants(c.call("session/list", `{"cwd":"/p/c/"}`), `{"sessions":[{"cwd":"/p/c",`)
	c.wants(c.call("session/list", `{"cursor":"x"}`), "-32602")
	for session, name := range map[string]string{"a": "one", "b": "one", "c": "two"} {
		c.wants(c.call("session/load", `{"sessionId":"`+session+`","cwd":"/","mcpServers":[]}`), `{"by":"`+name+`"}`)
	}
	for _, s := range []*scripted{one, two} { // whatever a client says of itself, its role comes from the options
		if s.hello.Role != hello.Watch || s.hello.Client != "zed" || len(s.peers) != 1 {
			t.Errorf("%s was greeted with %+v, %d times", s.name, s.hello, len(s.peers))
		}
	}
	w.end(one)
	c.wants(c.call("session/list", `{}`), `{"sessions":[{"cwd":"/p/b"`)
	c.wants(c.call("session/load", `{"sessionId":"b"}`), `{"by":"two"}`)
	w.end(two)
	if got := c.call("session/list", `null`); got != `{"sessions":[]}` {
		t.Errorf("got %s", got)
	}
}

func TestErrors(t *testing.T) {
	w := &world{t: t}
	w.add("one", "a")
	c := w.connect()
	c.wants(c.call("session/list", `{}`), "Not initialized")
	c.wants(c.call("initialize", `{"protocolVersion":0}`), "-32022")
	c.wants(c.call("initialize", `[]`), "-32022")
	c.initialize()
	c.wants(c.call("initialize", `{"protocolVersion":2}`), "-32600")
	c.wants(c.call("session/load", `{"sessionId":"x"}`), "-32002")
	c.wants(c.call("session/prompt", `{"sessionId":"x\u001b","prompt":[]}`), "-32002")
	c.wants(c.call("session/prompt", `{}`), "-32601")
	c.wants(c.call("authenticate", `{}`), "-32601")
	c.wants(c.call("session/new", `{"cwd":"relative"}`), "-32602")
	c.Notify("session/cancel", object{"sessionId": "x"})
	c.Notify("session/cancel", 5)
	c.wants(c.call("session/load", `{"sessionId":"a"}`), `{"by":"one"}`)
}

func TestVersion2(t *testing.T) {
	w := &world{t: t}
	w.add("one", "a")
	c := w.connect()
	c.wants(c.call("initialize", `{"protocolVersion":7,"info":{"name":"x"},"capabilities":{}}`), `"protocolVersion":2`)
	if got := c.call("session/list", `{}`); got != `{"sessions":[]}` {
		t.Errorf("the parley agreed to version 7? %s", got)
	}
}

// Updates come before the answer that follows them, and cancelling reaches the prompt.
func TestATurn(t *testing.T) {
	w := &world{t: t}
	const n = 500
	one := w.add("one", "a")
	one.request = func(p *jsonrpc.Peer, r jsonrpc.Request) jsonrpc.Work {
		return func(ctx context.Context) (any, error) {
			for i := range n {
				p.Notify("session/update", object{"sessionId": "a", "update": object{"n": i}})
			}
			if strings.Contains(string(r.Params), "long") {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			}
			return object{"stopReason": "end_turn"}, nil
		}
	}
	c := w.connect().initialize()
	c.wants(c.call("session/prompt", `{"sessionId":"a","prompt":[]}`), `{"stopReason":"end_turn"}`)
	for i := range n {
		if got, want := <-c.received, fmt.Sprintf(`session/update {"sessionId":"a","update":{"n":%d}}`, i); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	call := c.Begin("session/prompt", object{"sessionId": "a", "prompt": "long"})
	go func() { ended <- call.Wait(ctx, nil) }()
	for range n {
		<-c.received
	}
	c.Notify("session/cancel", object{"sessionId": "a", "_meta": 1.50})
	one.await(t, `session/cancel {"_meta":1.5,"sessionId":"a"}`)
	stop()
	<-ended
	<-call.Done()
}

// Two parleys ask with the same id; one of them ends.
func TestQuestions(t *testing.T) {
	w := &world{t: t}
	answers := make(chan string, 2)
	ask := func(p *jsonrpc.Peer, r jsonrpc.Request) jsonrpc.Work {
		return func(ctx context.Context) (any, error) {
			var result json.RawMessage
			if err := p.Call(ctx, "session/request_permission", object{"sessionId": r.Session}, &result); err != nil {
				return nil, err
			}
			answers <- r.Session + " " + string(result)
			return object{}, nil
		}
	}
	one, two := w.add("one", "a"), w.add("two", "b")
	one.request, two.request = ask, ask
	c := w.connect().initialize()
	first, second := c.Begin("session/prompt", object{"sessionId": "a"}), c.Begin("session/prompt", object{"sessionId": "b"})
	questions := map[string]asked{}
	for range 2 {
		q := <-c.asked
		questions[q.params] = q
	}
	a, b := questions[`{"sessionId":"a"}`], questions[`{"sessionId":"b"}`]
	if a.answer == nil || b.answer == nil || a.id == b.id {
		t.Fatalf("asked %v", questions)
	}
	w.end(one)
	if err := first.Wait(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "the parley one has ended") {
		t.Errorf("the prompt of the parley that ended: %v", err)
	}
	<-a.ctx.Done() // the question is withdrawn
	a.answer(object{"late": true}, nil)
	b.answer(object{"outcome": "b"}, nil)
	if err := second.Wait(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if got := <-answers; got != `b {"outcome":"b"}` {
		t.Errorf("got %s", got)
	}
}

func TestNewSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t}
		var started string
		w.start = func(cwd string) (*scripted, error) {
			started = cwd
			s := w.add("fresh")
			go func() {
				s.await(t, "session/list") // its agent takes a while
				s.mu.Lock()
				defer s.mu.Unlock()
				s.sessions = []string{"first"}
			}()
			return s, nil
		}
		watch := w.connect(func(o *Options) { o.Role = hello.Watch }).initialize()
		watch.wants(watch.call("session/new", `{"cwd":"/here","mcpServers":[]}`), "only watch")
		if started != "" {
			t.Error("a client that may watch has started a parley")
		}
		c := w.connect().initialize()
		if got := c.call("session/new", `{"cwd":"/here/","mcpServers":[{"command":"evil"}]}`); got != `{"by":"fresh","sessionId":"first"}` || started != "/here" {
			t.Errorf("got %s, started in %q", got, started)
		}
		fresh := w.live[0]
		fresh.await(t, `session/resume {"cwd":"/here/","mcpServers":[],"sessionId":"first"}`)
		c.wants(c.call("session/prompt", `{"sessionId":"first"}`), `{"by":"fresh"}`)
		w.start = func(string) (*scripted, error) { return nil, errors.New("no default agent") }
		c.wants(c.call("session/new", `{"cwd":"/here"}`), "no default agent")
		w.start = func(string) (*scripted, error) { return &scripted{name: "gone"}, nil }
		c.wants(c.call("session/new", `{"cwd":"/here"}`), "was started as gone, but it has ended")
		w.start = func(string) (*scripted, error) { return w.add("stuck"), nil }
		c.wants(c.call("session/new", `{"cwd":"/here"}`), "parley attach stuck")
		watch.Close(nil)
		c.Close(nil)
		<-watch.served
		<-c.served
	})
}

// With one parley, it opens sessions itself, and its end is the end.
func TestOneParley(t *testing.T) {
	w := &world{t: t}
	one := w.add("one", "a")
	one.request = func(_ *jsonrpc.Peer, r jsonrpc.Request) jsonrpc.Work {
		return func(context.Context) (any, error) {
			if r.Method == "session/new" {
				return object{"sessionId": "own"}, nil
			}
			return object{"did": r.Method}, nil
		}
	}
	c := w.connect(func(o *Options) { o.Start, o.Client = nil, "my editor" }).initialize()
	c.wants(c.call("session/new", `{"cwd":"/x"}`), `{"sessionId":"own"}`)
	c.wants(c.call("session/prompt", `{"sessionId":"own"}`), `{"did":"session/prompt"}`)
	if one.hello.Client != "my-editor" {
		t.Errorf("greeted with %+v", one.hello)
	}
	w.end(one)
	if err := <-c.served; err == nil || !strings.Contains(err.Error(), "the parley one has ended") {
		t.Errorf("served until %v", err)
	}
}

// A parley that hangs is left out.
func TestAHungParley(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t}
		hung, one := w.add("hung", "x"), w.add("one", "a")
		c := w.connect(func(o *Options) {
			o.Dial = func(ctx context.Context, socket string) (net.Conn, error) {
				if socket == "socket of hung" {
					here, there := net.Pipe()
					go func() { <-ctx.Done(); there.Close() }()
					return here, nil
				}
				return w.dial(ctx, socket)
			}
		}).initialize()
		c.wants(c.call("session/list", `{}`), `{"sessions":[{"cwd":"/p/a"`)
		c.wants(c.call("session/load", `{"sessionId":"a"}`), `{"by":"one"}`)
		w.end(hung)
		w.end(one)
		c.Close(nil)
		<-c.served
	})
}

// Nothing is left of a client that has left, and the parleys see it. What it began continues: its requests are not
// withdrawn.
func TestLeaving(t *testing.T) {
	w := &world{t: t}
	one := w.add("one", "a")
	ended := make(chan error, 1)
	one.request = func(p *jsonrpc.Peer, r jsonrpc.Request) jsonrpc.Work {
		return func(ctx context.Context) (any, error) {
			if r.Method == "session/prompt" {
				<-ctx.Done()
				ended <- context.Cause(ctx)
			}
			return object{}, nil
		}
	}
	c := w.connect().initialize()
	c.call("session/load", `{"sessionId":"a"}`)
	c.Begin("session/prompt", object{"sessionId": "a"})
	one.await(t, "session/prompt")
	must.Do(t, c.Close(nil))
	must.Do(t, <-c.served)
	if err := <-ended; errors.Is(err, jsonrpc.ErrRequestCancelled) {
		t.Errorf("the prompt ended with %v", err)
	}
	<-one.peers[0].Done()
}
