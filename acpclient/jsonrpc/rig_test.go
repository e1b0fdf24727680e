package jsonrpc_test

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/internal/jsonscan"
)

// rig is a Peer whose other end is raw: bytes go in, bytes come out. It lives in a
// synctest bubble, so a test can be certain that nothing was written.
type rig struct {
	t    *testing.T
	peer *jsonrpc.Peer
	conn transport.Conn // the raw end
	*desk

	mu       sync.Mutex
	out      []string
	problems []string
}

// inRig runs f in a bubble with a rig over transport.Pipe.
func inRig(t *testing.T, opts jsonrpc.Options, f func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := transport.Pipe()
		f(newRig(t, ours, theirs, opts))
	})
}

func newRig(t *testing.T, ours, theirs transport.Conn, opts jsonrpc.Options) *rig {
	r := &rig{t: t, conn: theirs, desk: &desk{gate: make(chan struct{})}}
	opts.Problem = func(what string, _ []byte) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.problems = append(r.problems, what)
	}
	r.peer = jsonrpc.NewPeer(ours, r.desk, opts)
	pumped := make(chan struct{})
	go func() {
		defer close(pumped)
		for {
			data, err := theirs.Recv()
			if err != nil {
				return
			}
			r.mu.Lock()
			r.out = append(r.out, string(data))
			r.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		r.peer.Close(nil)
		theirs.Close()
		<-pumped
	})
	r.peer.Start()
	return r
}

// send sends each message to the peer.
func (r *rig) send(messages ...string) {
	r.t.Helper()
	for _, m := range messages {
		if err := r.conn.Send(transport.Message{Data: []byte(m)}); err != nil {
			r.t.Fatalf("send %.60s: %v", m, err)
		}
	}
}

// written waits until all goroutines are idle and returns what the peer wrote since the
// last call.
func (r *rig) written() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.out
	r.out = nil
	return out
}

// expect asserts that exactly these messages were written, in this order.
func (r *rig) expect(want ...string) {
	r.t.Helper()
	if got := r.written(); !slices.Equal(got, want) {
		r.t.Errorf("the peer wrote %q, want %q", got, want)
	}
}

// expectArray asserts that one array was written with exactly these answers, in any
// order.
func (r *rig) expectArray(want ...string) {
	r.t.Helper()
	got := r.written()
	if len(got) != 1 {
		r.t.Fatalf("the peer wrote %q, want one array", got)
	}
	if items := arrayItems(r.t, got[0]); !sameSet(items, want) {
		r.t.Errorf("the array holds %q, want %q", items, want)
	}
}

// expectProblems asserts how many messages were reported as unusable.
func (r *rig) expectProblems(n int) {
	r.t.Helper()
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.problems) != n {
		r.t.Errorf("problems: %q, want %d", r.problems, n)
	}
}

func arrayItems(t *testing.T, text string) []string {
	t.Helper()
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		t.Fatalf("%.200s is no array: %v", text, err)
	}
	out := []string{}
	for _, item := range raw {
		out = append(out, string(item))
	}
	return out
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// desk is the handler: it records notifications and serves a few methods.
type desk struct {
	gate chan struct{} // closed to let "gate" answer

	mu    sync.Mutex
	notes []string // method and params of each notification
	ends  []string // causes of the contexts of "hang"
}

func (d *desk) Notification(method string, params []byte) {
	if method == "panic" {
		panic("on purpose")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.notes = append(d.notes, method+" "+string(params))
}

// noted waits until all goroutines are idle and returns the notifications so far.
func (r *rig) noted() []string {
	synctest.Wait()
	r.desk.mu.Lock()
	defer r.desk.mu.Unlock()
	return slices.Clone(r.desk.notes)
}

func (d *desk) Request(q jsonrpc.Request) jsonrpc.Work {
	answer := func(v any, err error) jsonrpc.Work {
		return func(context.Context) (any, error) { return v, err }
	}
	switch q.Method {
	case "echo":
		return answer(q.Params, nil)
	case "text": // params as a string, through the decoder that the engine uses
		s, ok := jsonscan.Text(q.Params)
		if !ok {
			return answer(nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Invalid params"))
		}
		return answer(s, nil)
	case "strict":
		return answer(nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Invalid params"))
	case "nothing":
		return answer(nil, nil)
	case "broken":
		return answer(nil, io.ErrUnexpectedEOF)
	case "unsendable":
		return answer(func() {}, nil)
	case "panic":
		panic("on purpose")
	case "panic later":
		return func(context.Context) (any, error) { panic("on purpose") }
	case "gate":
		return func(ctx context.Context) (any, error) {
			select {
			case <-d.gate:
				return "open", nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	case "permission": // answers a cancellation with data
		return func(ctx context.Context) (any, error) {
			<-ctx.Done()
			return "cancelled", nil
		}
	case "hang":
		return func(ctx context.Context) (any, error) {
			<-ctx.Done()
			d.mu.Lock()
			defer d.mu.Unlock()
			d.ends = append(d.ends, context.Cause(ctx).Error())
			return nil, ctx.Err()
		}
	}
	return nil
}

// request and the functions after it build messages.
func request(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
}

func note(method, params string) string {
	return `{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`
}

func result(id, value string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + value + `}`
}

func failure(id, code, message string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,"message":"` + message + `"}}`
}

const (
	invalid    = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}`
	unreadable = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`
)

// streamConn is a connection over plain streams, as a process has it.
type streamConn struct {
	lines *transport.LineReader
	src   io.Closer
	mu    sync.Mutex
	into  []string
}

func (c *streamConn) Recv() ([]byte, error) { return c.lines.Next() }

func (c *streamConn) Send(m transport.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.into = append(c.into, string(m.Data))
	return nil
}

func (c *streamConn) Close() error { return c.src.Close() }

// inStream runs f with a Peer that reads lines of at most limit bytes from w.
func inStream(t *testing.T, limit int, f func(w io.WriteCloser, written func() []string, d *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		c := &streamConn{lines: transport.NewLineReader(r, limit), src: r}
		d := &desk{gate: make(chan struct{})}
		p := jsonrpc.NewPeer(c, d, jsonrpc.Options{})
		t.Cleanup(func() { p.Close(nil) })
		p.Start()
		f(w, func() []string {
			synctest.Wait()
			c.mu.Lock()
			defer c.mu.Unlock()
			out := c.into
			c.into = nil
			return out
		}, d)
	})
}
