//go:build unix

package balancer

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/acpclient/transport"
	"parley/internal/host"
	"parley/permissions"
)

// client is parley without a screen, connected to a front.
type client struct {
	s      *stage
	t      *testing.T
	scheme string
	addr   string // of the front, or of a slow link to it
	jar    http.CookieJar

	queue   *event.Queue
	log     *event.Log
	host    *host.Host
	conn    *acpclient.Client
	session *acpclient.Session
	thread  *thread.Thread

	choice       string // the kind of option that answers questions
	questions    []permissions.Question
	disconnected error // how the connection ended

	mu        sync.Mutex
	protocols []string // protocol that ALPN chose, for each TLS connection
}

// newClient returns a client without cookies.
func (s *stage) newClient(scheme string) *client {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &client{s: s, t: s.t, scheme: scheme, addr: s.addr, jar: jar}
}

func (c *client) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	c.t.Cleanup(cancel)
	return ctx
}

// remote returns the front's URL as parley's configuration has it.
func (c *client) remote() transport.Remote {
	config := c.s.trust()
	config.VerifyConnection = func(state tls.ConnectionState) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.protocols = append(c.protocols, state.NegotiatedProtocol)
		return nil
	}
	return transport.Remote{URL: c.scheme + "://" + c.addr + "/acp", Header: http.Header{"Authorization": {"Bearer " + token}}, Jar: c.jar, TLS: config}
}

// dial connects. Cookies are kept.
func (c *client) dial() {
	c.t.Helper()
	c.queue, c.log, c.disconnected = event.NewQueue(), event.NewLog(), nil
	c.host = host.New(host.Options{Sink: c.queue, Agent: "agent", Remote: &host.Remote{}})
	c.t.Cleanup(c.host.Close)
	conn, err := acpclient.Dial(c.ctx(), c.remote(), acpclient.Options{Name: "parley", Version: "1", Sink: c.queue, Services: c.host.Services(), Log: c.log})
	if err != nil {
		c.t.Fatal(err)
	}
	c.conn = conn
	c.t.Cleanup(func() { conn.Close() })
}

// open connects and opens a session.
func (s *stage) open(scheme string) *client {
	s.t.Helper()
	c := s.newClient(scheme)
	c.dial()
	var err error
	c.thread = thread.New("")
	if c.session, err = c.conn.NewSession(c.ctx(), acpclient.NewSession{Cwd: "/"}); err != nil {
		c.t.Fatal(err)
	}
	return c
}

// reconnect reconnects with the same cookies and loads the session.
func (c *client) reconnect() {
	c.t.Helper()
	c.dial()
	id := c.session.ID()
	c.thread = thread.New(id)
	var err error
	if c.session, err = c.conn.LoadSession(c.ctx(), id, acpclient.NewSession{Cwd: "/"}); err != nil {
		c.t.Fatal(err)
	}
	c.apply()
}

// apply handles the queued events.
func (c *client) apply() {
	c.t.Helper()
	for _, e := range c.queue.Drain() {
		switch e := e.(type) {
		case permissions.Asked:
			c.answer(e.Question)
		case permissions.Settled:
		case event.Disconnected:
			c.disconnected = e.Err
		default:
			c.thread.Apply(e)
		}
	}
}

func (c *client) answer(q permissions.Question) {
	c.t.Helper()
	c.questions = append(c.questions, q)
	for _, o := range q.Options {
		if o.Kind == c.choice {
			if err := c.host.Broker().Answer(q.Key, o.ID); err != nil {
				c.t.Error(err)
			}
			return
		}
	}
	c.t.Errorf("%q has no option of kind %q", q.Heading, c.choice)
}

// until applies events until the condition holds.
func (c *client) until(what string, holds func() bool) {
	c.t.Helper()
	deadline := time.After(patience)
	for {
		c.apply()
		if holds() {
			return
		}
		if c.disconnected != nil {
			c.t.Fatalf("%s: got %v", what, c.disconnected)
		}
		select {
		case <-c.queue.Ready():
		case <-deadline:
			c.t.Fatalf("%s: not in %s; the agent said %q; the log: %q", what, patience, c.said(), c.notes())
		}
	}
}

// start sends a prompt.
func (c *client) start(text string) {
	c.t.Helper()
	c.apply()
	if err := c.session.Prompt(event.Block{Text: text}); err != nil {
		c.t.Fatal(err)
	}
	turn := c.thread.Turn + 1
	c.until("the beginning of "+text, func() bool { return c.thread.Turn == turn })
}

// ended returns how the turn ended, nil while it runs.
func (c *client) ended() *thread.End {
	for _, it := range c.thread.Items {
		if it.Kind == thread.TurnEnd && it.Turn == c.thread.Turn {
			return it.End
		}
	}
	return nil
}

// finish follows the turn to its end.
func (c *client) finish() *thread.End {
	c.t.Helper()
	c.until("the end of the turn", func() bool { return c.ended() != nil })
	return c.ended()
}

// says sends a prompt, checks for a plain end, and returns the answer.
func (c *client) says(text string) string {
	c.t.Helper()
	c.start(text)
	if end := c.finish(); end.Err != nil || end.StopReason != "end_turn" {
		c.t.Fatalf("%.40s: it ends with %q, %v", text, end.StopReason, end.Err)
	}
	return c.said()
}

// said returns the agent's text in the last turn.
func (c *client) said() string {
	var out strings.Builder
	for _, it := range c.thread.Items {
		if it.Kind == thread.AgentMessage && it.Turn == c.thread.Turn {
			out.Write(it.Text)
		}
	}
	return out.String()
}

// where returns the client's server and the agent's process.
func (c *client) where() (server string, pid int) {
	c.t.Helper()
	text := c.says("where")
	if _, err := fmt.Sscan(text, &server, &pid); err != nil {
		c.t.Fatalf("the agent says %q: %v", text, err)
	}
	return server, pid
}

// notes returns what parley logged, such as broken streams and a changed transport.
func (c *client) notes() (out []string) {
	lines, _ := c.log.Lines()
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return out
}

// cookie returns the cookie of the front or the server.
func (c *client) cookie() string {
	for _, k := range c.jar.Cookies(&url.URL{Scheme: "https", Host: c.s.addr, Path: "/acp"}) {
		if k.Name == c.s.front.cookie {
			return k.Value
		}
	}
	return ""
}

// lines returns the number of TLS connections.
func (c *client) lines() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.protocols)
}

// checkLine checks that HTTP used HTTP/2, that WebSockets used HTTP/1.1, and that the log is empty.
func (c *client) checkLine() {
	c.t.Helper()
	want := "h2"
	if c.scheme == "wss" {
		want = ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.protocols) == 0 {
		c.t.Error("no connection over TLS")
	}
	for _, got := range c.protocols {
		if got != want && (want != "" || got != "http/1.1") {
			c.t.Errorf("ALPN chose %q, want %q", got, want)
		}
	}
	if notes := c.notes(); len(notes) > 0 {
		c.t.Errorf("the log: %q", notes)
	}
}
