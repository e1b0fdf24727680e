package gateway

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"parley/acpclient/transport"
	"parley/internal/must"
)

// patience is how long a test waits for something that must happen.
const patience = time.Minute

const bye = 200 * time.Millisecond // time for agents to end after their input is closed

// profiles are the variants of HTTP that are tested.
var profiles = []string{"h1", "h2c", "tls"}

// rig is a server with its own listener, and a client for it.
type rig struct {
	t      *testing.T
	server *Server
	addr   string
	base   string // the endpoint
	http   *http.Client
	dialer func(ctx context.Context, network, addr string) (net.Conn, error)
	tls    *tls.Config // for clients
	log    *sink
	header http.Header // sent with every request

	once    sync.Once
	stop    context.CancelFunc
	now     chan struct{}
	stopped chan error
}

// mode starts the agent of the tests in this mode.
func mode(name string) func(*Options) {
	return func(o *Options) { o.Start = starts(name) }
}

func starts(name string) func(Client, *slog.Logger) (Agent, error) { return startsWith(name, bye) }

// stubborn agents do not end on their own and get much time to do so.
var stubborn = startsWith("stubborn", time.Hour)

func startsWith(name string, grace time.Duration) func(Client, *slog.Logger) (Agent, error) {
	return func(_ Client, log *slog.Logger) (Agent, error) {
		p, err := transport.StartStdio(transport.StdioOptions{
			Command: os.Args[0], Env: append(os.Environ(), agentMode+"="+name), Grace: grace, MaxLine: 64 << 20,
			OnStderr: func(line string) { log.Info("agent", "stderr", line) },
		})
		if err != nil {
			return nil, err
		}
		log.Info("agent started", "pid", p.Pid())
		return process{p}, nil
	}
}

func newRig(t *testing.T, profile string, change ...func(*Options)) *rig {
	t.Helper()
	ln := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	return newRigOn(t, ln, new(net.Dialer).DialContext, profile, change...)
}

func newRigOn(t *testing.T, ln net.Listener, dialer func(ctx context.Context, network, addr string) (net.Conn, error), profile string, change ...func(*Options)) *rig {
	t.Helper()
	r := &rig{t: t, log: newSink(), now: make(chan struct{}), stopped: make(chan error, 1), header: http.Header{}, dialer: dialer}
	o := Options{Start: starts("plain"), Log: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	tr := &http.Transport{Protocols: new(http.Protocols), DialContext: dialer}
	scheme := "http"
	switch profile {
	case "h1":
		tr.Protocols.SetHTTP1(true)
	case "h2c":
		tr.Protocols.SetUnencryptedHTTP2(true)
	case "tls":
		tr.Protocols.SetHTTP2(true)
		o.TLS, r.tls = certificate(t)
		tr.TLSClientConfig = r.tls
		scheme = "https"
	}
	for _, c := range change {
		c(&o)
	}
	r.server = New(o)
	r.addr = ln.Addr().String()
	r.base = scheme + "://" + r.addr + r.server.Path
	r.http = &http.Client{Transport: tr}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() { r.stopped <- r.server.Serve(ctx, ln, r.now) }()
	t.Cleanup(func() {
		r.end()
		tr.CloseIdleConnections()
		if t.Failed() {
			t.Logf("the log:\n%s", r.log)
		}
	})
	return r
}

// end stops the server and waits for that.
func (r *rig) end() {
	r.once.Do(func() {
		r.stop()
		select {
		case err := <-r.stopped:
			if err != nil {
				r.t.Errorf("serve: %v", err)
			}
		case <-time.After(patience):
			r.t.Error("the server does not end")
		}
	})
}

func certificate(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	cert := must.Get(x509.ParseCertificate(der))(t)
	roots := x509.NewCertPool()
	roots.AddCert(cert)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, &tls.Config{RootCAs: roots}
}

// reply is an HTTP response.
type reply struct {
	status int
	header http.Header
	body   string
	proto  string
}

// do sends one request; headers are "Name: value".
func (r *rig) do(method, body string, headers ...string) reply {
	r.t.Helper()
	return r.doAt(r.base, method, strings.NewReader(body), headers...)
}

func (r *rig) doAt(url, method string, body io.Reader, headers ...string) reply {
	r.t.Helper()
	res := must.Get(r.http.Do(r.request(r.t.Context(), url, method, body, headers...)))(r.t)
	defer res.Body.Close()
	text := must.Get(io.ReadAll(res.Body))(r.t)
	return reply{res.StatusCode, res.Header, string(text), res.Proto}
}

func (r *rig) request(ctx context.Context, url, method string, body io.Reader, headers ...string) *http.Request {
	r.t.Helper()
	req := must.Get(http.NewRequestWithContext(ctx, method, url, body))(r.t)
	req.Header = r.header.Clone()
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header.Add(name, value)
	}
	return req
}

const asJSON = "Content-Type: application/json"

// remote is a connection over HTTP.
type remote struct {
	*rig
	id  string
	pid int
}

// connect initializes an HTTP connection.
func (r *rig) connect() *remote {
	r.t.Helper()
	got := r.do("POST", request("0", "initialize", `{"protocolVersion":1}`), asJSON)
	if got.status != 200 || got.header.Get(connectionHeader) == "" {
		r.t.Fatalf("initialize: %+v", got)
	}
	return &remote{r, got.header.Get(connectionHeader), pidIn(r.t, got.body)}
}

func pidIn(t *testing.T, body string) int {
	t.Helper()
	var m struct {
		Result struct {
			PID int `json:"pid"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil || m.Result.PID == 0 {
		t.Fatalf("no pid in %s: %v", body, err)
	}
	return m.Result.PID
}

// post sends a message; session may be "".
func (c *remote) post(session, body string) reply {
	c.t.Helper()
	headers := []string{asJSON, connectionHeader + ": " + c.id}
	if session != "" {
		headers = append(headers, sessionHeader+": "+session)
	}
	return c.do("POST", body, headers...)
}

// send posts a message that must be accepted.
func (c *remote) send(session, body string) {
	c.t.Helper()
	if got := c.post(session, body); got.status != 202 || got.body != "" {
		c.t.Fatalf("post %.200s: %+v", body, got)
	}
}

// sse is a stream that is read.
type sse struct {
	t      *testing.T
	header http.Header
	proto  string
	events chan string // closed at the end of the stream
	err    error       // why it ended; nil for an orderly end. Valid once events is closed
	close  context.CancelFunc
}

// open opens a stream; session may be "".
func (c *remote) open(session string) *sse {
	c.t.Helper()
	s, status := c.tryOpen(session)
	if status != 200 {
		c.t.Fatalf("stream of %q: %d", session, status)
	}
	return s
}

func (c *remote) tryOpen(session string, more ...string) (*sse, int) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	headers := append(more, "Accept: text/event-stream", connectionHeader+": "+c.id)
	if session != "" {
		headers = append(headers, sessionHeader+": "+session)
	}
	res := must.Get(c.http.Do(c.rig.request(ctx, c.base, "GET", nil, headers...)))(c.t)
	if res.StatusCode != 200 {
		res.Body.Close()
		cancel()
		return nil, res.StatusCode
	}
	s := &sse{t: c.t, header: res.Header, proto: res.Proto, events: make(chan string, 1<<16), close: cancel}
	c.t.Cleanup(cancel)
	go func() {
		defer close(s.events)
		defer res.Body.Close()
		s.err = readEvents(res.Body, func(e string) { s.events <- e })
	}()
	return s, 200
}

// readEvents calls each with the data of each event; comments are passed unchanged.
func readEvents(from io.Reader, each func(string)) error {
	in := bufio.NewReaderSize(from, 1<<16)
	var data []string
	for {
		line, err := in.ReadString('\n')
		switch {
		case err == io.EOF && line == "":
			return nil
		case err != nil:
			return err
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, ":"):
			each(line)
		case strings.HasPrefix(line, "id: "):
		case strings.HasPrefix(line, "data: "):
			data = append(data, line[len("data: "):])
		case line == "" && data != nil:
			each(strings.Join(data, "\n"))
			data = nil
		case line != "":
			return errors.New("strange line in a stream: " + line)
		}
	}
}

// next returns the next message; comments are skipped.
func (s *sse) next() string {
	s.t.Helper()
	for {
		select {
		case e, ok := <-s.events:
			if !ok {
				s.t.Fatalf("the stream has ended: %v", s.err)
			}
			if !strings.HasPrefix(e, ":") {
				return e
			}
		case <-time.After(patience):
			s.t.Fatal("nothing arrives")
		}
	}
}

func (s *sse) want(messages ...string) {
	s.t.Helper()
	for _, want := range messages {
		if got := s.next(); got != want {
			s.t.Fatalf("got  %.300s\nwant %.300s", got, want)
		}
	}
}

// ends waits for the orderly end of the stream; no message may precede it.
func (s *sse) ends() {
	s.t.Helper()
	for {
		select {
		case e, ok := <-s.events:
			if !ok {
				if s.err != nil {
					s.t.Fatalf("the stream broke: %v", s.err)
				}
				return
			}
			if !strings.HasPrefix(e, ":") {
				s.t.Fatalf("before its end arrives %.200s", e)
			}
		case <-time.After(patience):
			s.t.Fatal("the stream does not end")
		}
	}
}

// socketClient is a connection over a WebSocket.
type socketClient struct {
	*rig
	ws     *websocket.Conn
	header http.Header // of the 101 response
	pid    int
}

// dial upgrades a connection; headers are "Name: value".
func (r *rig) dial(headers ...string) (*socketClient, *http.Response, error) {
	r.t.Helper()
	h := r.header.Clone()
	host := ""
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if name == "Host" {
			host = value
			continue
		}
		h.Add(name, value)
	}
	tr := &http.Transport{TLSClientConfig: r.tls.Clone(), Protocols: new(http.Protocols), DialContext: r.dialer}
	tr.Protocols.SetHTTP1(true)
	ctx, stop := context.WithTimeout(r.t.Context(), patience)
	defer stop()
	ws, res, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(r.base, "http"), &websocket.DialOptions{HTTPHeader: h, Host: host, HTTPClient: &http.Client{Transport: tr}})
	if err != nil {
		return nil, res, err
	}
	ws.SetReadLimit(256 << 20)
	r.t.Cleanup(func() { ws.CloseNow() })
	return &socketClient{rig: r, ws: ws, header: res.Header}, res, nil
}

// socket returns an initialized connection.
func (r *rig) socket() *socketClient {
	r.t.Helper()
	s, _, err := r.dial()
	if err != nil {
		r.t.Fatal(err)
	}
	s.send(request("0", "initialize", `{"protocolVersion":1}`))
	s.pid = pidIn(r.t, s.next())
	return s
}

func (s *socketClient) send(msg string) {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), patience)
	defer stop()
	must.Do(s.t, s.ws.Write(ctx, websocket.MessageText, []byte(msg)))
}

func (s *socketClient) next() string {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), patience)
	defer stop()
	kind, msg, err := s.ws.Read(ctx)
	if err != nil || kind != websocket.MessageText {
		s.t.Fatalf("read: kind %v, %v", kind, err)
	}
	return string(msg)
}

func (s *socketClient) want(messages ...string) {
	s.t.Helper()
	for _, want := range messages {
		if got := s.next(); got != want {
			s.t.Fatalf("got  %.300s\nwant %.300s", got, want)
		}
	}
}

// closed waits for the end of the socket and returns its code and reason.
func (s *socketClient) closed() (websocket.StatusCode, string) {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), patience)
	defer stop()
	for {
		_, _, err := s.ws.Read(ctx)
		var end websocket.CloseError
		if errors.As(err, &end) {
			return end.Code, end.Reason
		}
		if err != nil {
			s.t.Fatalf("no close frame: %v", err)
		}
	}
}
