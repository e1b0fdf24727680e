package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// acpServer is an ACP server over HTTP that follows all rules unless a test makes it break
// one. Messages for a stream without a reader wait.
type acpServer struct {
	// These may handle a request themselves and return true. They are set before the first
	// request.
	onPost, onGet, onDelete func(w http.ResponseWriter, r *acpRequest) bool

	mu       sync.Mutex
	busy     sync.WaitGroup // counts the running handlers
	requests []*acpRequest
	streams  map[string]*acpStream // by session; "" is the stream of the connection
	opened   int                   // connections so far
}

// acpRequest is one request as the server saw it.
type acpRequest struct {
	*http.Request
	body string
	at   time.Time
	n    int // its number among those with this method, from 1
}

func (r *acpRequest) session() string { return r.Header.Get(sessionHeader) }

// String returns the method and the purpose of the request.
func (r *acpRequest) String() string {
	switch {
	case r.Method == http.MethodPost:
		id, method := callOf([]byte(r.body))
		if method == "" {
			return "POST answer " + string(id)
		}
		return "POST " + method
	case r.session() != "":
		return r.Method + " " + r.session()
	}
	return r.Method
}

// acpStream holds the messages to be sent on one stream.
type acpStream struct {
	waiting []string
	changed chan struct{}
	readers int
	cut     int // number of readers to drop
}

func newACPServer() *acpServer { return &acpServer{streams: map[string]*acpStream{}} }

func (s *acpServer) stream(session string) *acpStream {
	st := s.streams[session]
	if st == nil {
		st = &acpStream{changed: make(chan struct{})}
		s.streams[session] = st
	}
	return st
}

func (st *acpStream) notify() {
	close(st.changed)
	st.changed = make(chan struct{})
}

// raw sends bytes on a stream as they are.
func (s *acpServer) raw(session, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stream(session)
	st.waiting = append(st.waiting, text)
	st.notify()
}

// say sends a message on a stream.
func (s *acpServer) say(session, message string) { s.raw(session, "data: "+message+"\n\n") }

// cut drops the reader of a stream.
func (s *acpServer) cut(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stream(session)
	st.cut++
	st.notify()
}

// readers returns the number of readers of a stream.
func (s *acpServer) readers(session string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stream(session).readers
}

// seen returns the requests so far as text.
func (s *acpServer) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, r := range s.requests {
		out = append(out, r.String())
	}
	return out
}

// all returns the requests with this text.
func (s *acpServer) all(text string) []*acpRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*acpRequest
	for _, r := range s.requests {
		if r.String() == text {
			out = append(out, r)
		}
	}
	return out
}

func (s *acpServer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	s.busy.Add(1)
	defer s.busy.Done()
	body, _ := io.ReadAll(req.Body)
	r := &acpRequest{Request: req, body: string(body), at: time.Now(), n: 1}
	s.mu.Lock()
	for _, old := range s.requests {
		if old.Method == r.Method {
			r.n++
		}
	}
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	switch req.Method {
	case http.MethodPost:
		if s.onPost == nil || !s.onPost(w, r) {
			s.post(w, r)
		}
	case http.MethodGet:
		if s.onGet == nil || !s.onGet(w, r) {
			s.get(w, r)
		}
	case http.MethodDelete:
		if s.onDelete == nil || !s.onDelete(w, r) {
			w.WriteHeader(http.StatusAccepted)
		}
	}
}

func (s *acpServer) post(w http.ResponseWriter, r *acpRequest) {
	if id, method := callOf([]byte(r.body)); method == "initialize" {
		s.mu.Lock()
		s.opened++
		w.Header().Set(connectionHeader, fmt.Sprintf("conn-%d", s.opened))
		s.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1}}`, id)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// get serves a stream: it writes the waiting messages until the reader leaves or is
// dropped.
func (s *acpServer) get(w http.ResponseWriter, r *acpRequest) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	http.NewResponseController(w).Flush()
	s.feed(w, r)
}

func (s *acpServer) feed(w http.ResponseWriter, r *acpRequest) {
	session := r.session()
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stream(session)
	st.readers++
	defer func() { st.readers-- }()
	for {
		if st.cut > 0 {
			st.cut--
			return
		}
		if len(st.waiting) > 0 {
			text := st.waiting[0]
			st.waiting = st.waiting[1:]
			s.mu.Unlock()
			_, err := io.WriteString(w, text)
			http.NewResponseController(w).Flush()
			s.mu.Lock()
			if err != nil {
				return
			}
			continue
		}
		changed := st.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-r.Context().Done():
		}
		s.mu.Lock()
		if r.Context().Err() != nil {
			return
		}
	}
}

// memoryNet is a network of pipes, so that a test can run in a synctest bubble.
type memoryNet struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
	down  atomic.Bool // dials are refused
}

func (n *memoryNet) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

func (n *memoryNet) Close() error   { n.once.Do(func() { close(n.done) }); return nil }
func (n *memoryNet) Addr() net.Addr { return &net.TCPAddr{} }

func (n *memoryNet) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	if n.down.Load() {
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	ours, theirs := net.Pipe()
	select {
	case n.conns <- theirs:
		return ours, nil
	case <-n.done:
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
}

// rig is a client and its server in a bubble. The bubble ends only when no goroutine of
// either is left, so every test also checks for leaks.
type rig struct {
	*testing.T
	h2c    string
	server *acpServer
	http   *http.Server
	net    *memoryNet
	h      *HTTP
	logs   []string
	logMu  sync.Mutex
	start  time.Time
}

// inBubble runs a test over HTTP/1.1 and over HTTP/2 with a client that has not sent
// anything yet.
func inBubble(t *testing.T, f func(r *rig)) {
	t.Helper()
	t.Run("http1", func(t *testing.T) { bubble(t, "off", true, false, f) })
	t.Run("http2", func(t *testing.T) { bubble(t, "on", false, true, f) })
}

// bubble is inBubble for one version: h2c is the setting of the client, the rest what the
// server speaks.
func bubble(t *testing.T, h2c string, http1, http2 bool, f func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{T: t, h2c: h2c, server: newACPServer(), net: &memoryNet{conns: make(chan net.Conn), done: make(chan struct{})}, start: time.Now()}
		r.http = &http.Server{Handler: r.server, Protocols: new(http.Protocols), ErrorLog: log.New(io.Discard, "", 0)}
		r.http.Protocols.SetHTTP1(http1)
		r.http.Protocols.SetUnencryptedHTTP2(http2)
		go r.http.Serve(r.net)
		defer r.server.busy.Wait()
		defer r.http.Close()
		r.h = r.dial(Remote{})
		defer func() { r.h.Close() }()
		// With streams opened again and again, fake time would pass forever.
		stuck := time.AfterFunc(48*time.Hour, func() {
			t.Error("the test waits for something that does not come")
			r.h.inbox.finish(errors.New("stuck"))
		})
		defer stuck.Stop()
		f(r)
	})
}

// dial makes another client of the server.
func (r *rig) dial(remote Remote) *HTTP {
	r.Helper()
	if remote.URL == "" {
		remote.URL = "http://127.0.0.1:4242"
	}
	if remote.H2C == "" {
		remote.H2C = r.h2c
	}
	remote.Log = func(line string) {
		r.logMu.Lock()
		defer r.logMu.Unlock()
		r.logs = append(r.logs, line)
	}
	conn, err := Dial(r.Context(), remote)
	if err != nil {
		r.Fatal(err)
	}
	h := conn.(*HTTP)
	h.lines.connect = r.net.dial
	return h
}

// redial replaces the client.
func (r *rig) redial(remote Remote) {
	r.h.Close()
	r.h = r.dial(remote)
}

func (r *rig) log() string {
	r.logMu.Lock()
	defer r.logMu.Unlock()
	return strings.Join(r.logs, "\n")
}

// now returns how long the test has taken.
func (r *rig) now() time.Duration { return time.Since(r.start) }

// initialize makes the connection.
func (r *rig) initialize() {
	r.Helper()
	r.request(0, "initialize", "")
	r.want(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`)
	synctest.Wait()
}

// session makes the connection and opens a session.
func (r *rig) session(id string) {
	r.Helper()
	r.initialize()
	r.h.OpenSession(id)
	synctest.Wait()
	if r.server.readers(id) != 1 {
		r.Fatalf("the stream of %s is not open", id)
	}
}

func (r *rig) send(m Message) {
	r.Helper()
	if err := r.h.Send(m); err != nil {
		r.Fatalf("Send: %v", err)
	}
}

// request sends a request, of a session if one is named.
func (r *rig) request(id int, method, session string) {
	r.Helper()
	r.send(Message{Data: []byte(requestText(id, method, session)), Session: session})
}

func requestText(id int, method, session string) string {
	params := "{}"
	if session != "" {
		params = fmt.Sprintf(`{"sessionId":%q}`, session)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

func (r *rig) notify(method, session string) {
	r.Helper()
	r.send(Message{Data: fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":{"sessionId":%q}}`, method, session), Session: session})
}

func (r *rig) answer(id int, session string) {
	r.Helper()
	r.send(Message{Data: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{}}`, id), Session: session, Answer: true})
}

// want receives these messages.
func (r *rig) want(messages ...string) {
	r.Helper()
	for _, want := range messages {
		got, err := r.h.Recv()
		if err != nil || string(got) != want {
			r.Fatalf("Recv = %.300q, %v\nwant %.300q", got, err, want)
		}
	}
}

// wantError receives an error answer that contains these words.
func (r *rig) wantError(id int, words ...string) string {
	r.Helper()
	got, err := r.h.Recv()
	text := string(got)
	if err != nil || !strings.HasPrefix(text, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,`, id)) {
		r.Fatalf("Recv = %.500q, %v\nwant an error answer to %d", text, err, id)
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			r.Errorf("the answer %.500s\nlacks %q", text, w)
		}
	}
	return text
}

// wantEnd receives the final error, which must match and stay.
func (r *rig) wantEnd(match error) error {
	r.Helper()
	got, err := r.h.Recv()
	if err == nil || match != nil && !errors.Is(err, match) {
		r.Fatalf("Recv = %.300q, %v; want the end: %v", got, err, match)
	}
	if errors.Is(err, io.EOF) {
		r.Errorf("the end %v reads as an orderly one", err)
	}
	if _, again := r.h.Recv(); again != err {
		r.Errorf("then Recv: %v", again)
	}
	return err
}

// wantNothing checks that nothing more is received for d.
func (r *rig) wantNothing(d time.Duration) {
	r.Helper()
	time.Sleep(d)
	synctest.Wait()
	r.h.inbox.mu.Lock()
	defer r.h.inbox.mu.Unlock()
	if n := len(r.h.inbox.fresh.ends) + len(r.h.inbox.reading.ends) - r.h.inbox.next; n > 0 || r.h.inbox.err != nil {
		r.Fatalf("%d messages wait, and %v: %.300q", n, r.h.inbox.err, r.h.inbox.fresh.buf)
	}
}

// wantSeen compares the requests the server has got so far.
func (r *rig) wantSeen(want ...string) {
	r.Helper()
	synctest.Wait()
	if got := r.server.seen(); !slices.Equal(got, want) {
		r.Fatalf("the server saw\n%q, want\n%q", got, want)
	}
}

// update returns a notification as agents send it.
func update(session string, n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"chunk %d"}}}}`, session, n)
}

func result(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id) }

// refuse responds with a status and a short text.
func refuse(status int) func(http.ResponseWriter, *acpRequest) bool {
	return func(w http.ResponseWriter, _ *acpRequest) bool {
		http.Error(w, "because", status)
		return true
	}
}
