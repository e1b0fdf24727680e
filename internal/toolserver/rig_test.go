package toolserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/host"
	"parley/internal/must"
	"parley/internal/toolserver"
	"parley/permissions"
)

// patience bounds every wait; only a failing test uses it up.
const patience = 20 * time.Second

const theSession = "s1"

// rig is a host with one session, and a tool server for it.
type rig struct {
	t       *testing.T
	host    *host.Host
	server  *toolserver.Server
	offered acpclient.MCPServer
	offer   acpclient.Offer
	dir     string // the session's directory
	outside string
	log     chan string

	mu     sync.Mutex
	events []event.Event
	more   chan struct{} // closed and replaced at every event

	seen map[uint64]bool // keys of the questions that the test has seen
	conn net.Conn        // of the last client
}

// Post implements event.Sink.
func (r *rig) Post(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	close(r.more)
	r.more = make(chan struct{})
}

func realDir(t *testing.T) string {
	t.Helper()
	return must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
}

// newRig opens the session and makes an offer that is not bound yet.
func newRig(t *testing.T, change ...func(toolserver.Options) toolserver.Options) *rig {
	t.Helper()
	return newRigIn(t, nil, change...)
}

// newRigIn is newRig with a sandbox.
func newRigIn(t *testing.T, box *host.Sandbox, change ...func(toolserver.Options) toolserver.Options) *rig {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", "") // sockets of tests are in the temporary directory
	r := &rig{t: t, dir: realDir(t), outside: realDir(t), more: make(chan struct{}), seen: map[uint64]bool{}, log: make(chan string, 1000)}
	r.host = host.New(host.Options{Sink: r, Agent: "test", Sandbox: box})
	services := r.host.Services()
	opts := toolserver.Options{FS: services.FS, Terminals: services.Terminals, Command: []string{"/bin/parley", "mcp"}, Version: "1",
		Log: func(line string) { r.log <- line }}
	for _, c := range change {
		opts = c(opts)
	}
	r.server = toolserver.New(opts)
	t.Cleanup(func() {
		r.server.Close()
		r.host.Close()
	})
	must.Do(t, services.Sessions.OpenSession(theSession, []string{r.dir}, false))
	r.offered, r.offer = r.newOffer()
	return r
}

func (r *rig) newOffer() (acpclient.MCPServer, acpclient.Offer) {
	r.t.Helper()
	m, o, err := r.server.Offer(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	return m, o
}

// socketAndToken returns what the environment of the command contains.
func socketAndToken(t *testing.T, m acpclient.MCPServer) (path, token string) {
	t.Helper()
	for _, e := range m.Env {
		switch e.Name {
		case toolserver.SocketVar:
			path = e.Value
		case toolserver.TokenVar:
			token = e.Value
		}
	}
	if path == "" || token == "" || len(m.Env) != 2 {
		t.Fatalf("the environment is %+v", m.Env)
	}
	return path, token
}

// dial opens a connection to the socket.
func (r *rig) dial() net.Conn {
	r.t.Helper()
	path, _ := socketAndToken(r.t, r.offered)
	conn := must.Get(net.Dial("unix", path))(r.t)
	conn.SetDeadline(time.Now().Add(patience))
	r.t.Cleanup(func() { conn.Close() })
	return conn
}

// answerTo sends a first line and returns the whole answer.
func (r *rig) answerTo(what string) string {
	r.t.Helper()
	conn := r.dial()
	io.WriteString(conn, what)
	answer, err := io.ReadAll(conn)
	if err != nil && len(answer) == 0 {
		r.t.Fatal(err)
	}
	return string(answer)
}

// connect sends the token of an offer and speaks MCP on the connection.
func (r *rig) connect(m acpclient.MCPServer, opts *mcp.ClientOptions) *mcp.ClientSession {
	r.t.Helper()
	conn := r.dial()
	_, token := socketAndToken(r.t, m)
	fmt.Fprintln(conn, token)
	in := bufio.NewReader(conn)
	if line, err := in.ReadString('\n'); err != nil || line != "ok\n" {
		r.t.Fatalf("the token is answered with %q, %v", line, err)
	}
	conn.SetDeadline(time.Time{})
	r.conn = conn
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts)
	session := must.Get(client.Connect(r.t.Context(), &mcp.IOTransport{Reader: readCloser{in, conn}, Writer: conn}, nil))(r.t)
	r.t.Cleanup(func() { conn.Close() }) // session.Close waits for calls
	return session
}

// raw sends the token, an initialize and these lines of MCP.
func (r *rig) raw(lines ...string) (net.Conn, *bufio.Reader) {
	r.t.Helper()
	conn := r.dial()
	_, token := socketAndToken(r.t, r.offered)
	hello := []string{token,
		`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`}
	must.Get(io.WriteString(conn, strings.Join(append(hello, lines...), "\n")+"\n"))(r.t)
	in := bufio.NewReader(conn)
	for _, want := range []string{"ok", `"id":"hello"`} {
		if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, want) {
			r.t.Fatalf("%q, %v; want %s", line, err, want)
		}
	}
	return conn, in
}

type readCloser struct {
	io.Reader
	io.Closer
}

// bound returns a rig with a client and a bound session.
func bound(t *testing.T) (*rig, *mcp.ClientSession) {
	t.Helper()
	r := newRig(t)
	r.offer.Bind(theSession)
	return r, r.connect(r.offered, nil)
}

// outcome is the result of a call.
type outcome struct {
	texts  []string
	failed bool
	err    error
}

func (o outcome) String() string {
	return fmt.Sprintf("%q, failed %v, %v", o.texts, o.failed, o.err)
}

// begin starts a call of a tool.
func (r *rig) begin(ctx context.Context, client *mcp.ClientSession, tool string, args any) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		res, err := client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
		out := outcome{err: err}
		if err == nil {
			out.failed = res.IsError
			for _, c := range res.Content {
				text, ok := c.(*mcp.TextContent)
				if !ok {
					out.err = fmt.Errorf("content %T", c)
					break
				}
				out.texts = append(out.texts, text.Text)
			}
		}
		done <- out
	}()
	return done
}

// ended waits for the end of a call.
func (r *rig) ended(done <-chan outcome) outcome {
	r.t.Helper()
	select {
	case o := <-done:
		return o
	case <-time.After(patience):
		r.t.Fatal("the call does not end")
		return outcome{}
	}
}

// call calls a tool that asks no question.
func (r *rig) call(client *mcp.ClientSession, tool string, args any) outcome {
	r.t.Helper()
	return r.ended(r.begin(r.t.Context(), client, tool, args))
}

// want checks that a call succeeded and what it returned.
func (r *rig) want(got outcome, texts ...string) {
	r.t.Helper()
	if got.err != nil || got.failed || strings.Join(got.texts, "|") != strings.Join(texts, "|") {
		r.t.Errorf("%s; want %q", got, texts)
	}
}

// wantError checks that a call failed with one text that contains says.
func (r *rig) wantError(got outcome, says string) {
	r.t.Helper()
	if got.err != nil || !got.failed || len(got.texts) != 1 || !strings.Contains(got.texts[0], says) {
		r.t.Errorf("%s; want a failure that says %q", got, says)
	}
}

// find waits for an event that want accepts.
func find[E event.Event](r *rig, what string, want func(E) bool) E {
	r.t.Helper()
	deadline := time.After(patience)
	for {
		r.mu.Lock()
		events, more := r.events, r.more
		r.mu.Unlock()
		for _, e := range events {
			if e, ok := e.(E); ok && want(e) {
				return e
			}
		}
		select {
		case <-more:
		case <-deadline:
			r.t.Fatalf("no %s; got %+v", what, events)
		}
	}
}

// question waits for the next question.
func (r *rig) question() permissions.Question {
	r.t.Helper()
	q := find(r, "question", func(a permissions.Asked) bool { return !r.seen[a.Question.Key] }).Question
	r.seen[q.Key] = true
	return q
}

// answer waits for the next question and answers it.
func (r *rig) answer(option string) permissions.Question {
	r.t.Helper()
	q := r.question()
	if q.Session != theSession {
		r.t.Errorf("a question of the session %q", q.Session)
	}
	must.Do(r.t, r.host.Broker().Answer(q.Key, option))
	return q
}

// settled waits until a question is settled.
func (r *rig) settled(key uint64) {
	r.t.Helper()
	find(r, "end of the question", func(s permissions.Settled) bool { return s.Key == key })
}

// unasked checks that there were no further questions.
func (r *rig) unasked() {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if a, ok := e.(permissions.Asked); ok && !r.seen[a.Question.Key] {
			r.t.Errorf("asked %+v", a.Question)
		}
	}
}

// logged waits for a line of the log.
func (r *rig) logged(says string) {
	r.t.Helper()
	for {
		select {
		case line := <-r.log:
			if strings.Contains(line, says) {
				return
			}
		case <-time.After(patience):
			r.t.Fatalf("nothing in the log says %q", says)
		}
	}
}

func (r *rig) put(name, text string) string {
	r.t.Helper()
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(r.dir, name)
	}
	must.Do(r.t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func (r *rig) holds(path, want string) {
	r.t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		r.t.Errorf("%s holds %q, %v; want %q", path, got, err, want)
	}
}

// in is the arguments of a call.
type in = map[string]any
