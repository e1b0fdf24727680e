//go:build unix

package balancer

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"sync"
	"testing"

	"parley/acpclient"
	"parley/acpclient/thread"
	"parley/acpclient/transport"
	"parley/internal/host"
	"parley/internal/must"
	"parley/internal/testclient"
	"parley/permissions"
)

// client is parley without a screen, connected to a front.
type client struct {
	*testclient.Client // of the last connection

	s      *stage
	t      *testing.T
	scheme string
	addr   string // of the front, or of a slow link to it
	jar    http.CookieJar

	choice string // the kind of option that answers questions

	mu        sync.Mutex
	protocols []string // protocol that ALPN chose, for each TLS connection
}

// newClient returns a client without cookies.
func (s *stage) newClient(scheme string) *client {
	s.t.Helper()
	jar := must.Get(cookiejar.New(nil))(s.t)
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
func (c *client) dial(session string) {
	c.t.Helper()
	c.Client = testclient.New(c.t, host.Options{Agent: "agent", Remote: &host.Remote{}})
	c.Thread, c.Choose = thread.New(session), func(permissions.Question) string { return c.choice }
	c.Conn = must.Get(acpclient.Dial(c.ctx(), c.remote(), c.Options()))(c.t)
	c.t.Cleanup(func() { c.Conn.Close() })
}

// open connects and opens a session.
func (s *stage) open(scheme string) *client {
	s.t.Helper()
	c := s.newClient(scheme)
	c.dial("")
	c.Session = must.Get(c.Conn.NewSession(c.ctx(), acpclient.NewSession{Cwd: "/"}))(c.t)
	return c
}

// reconnect reconnects with the same cookies and loads the session.
func (c *client) reconnect() {
	c.t.Helper()
	id := c.Session.ID()
	c.dial(id)
	c.Session = must.Get(c.Conn.LoadSession(c.ctx(), id, acpclient.NewSession{Cwd: "/"}))(c.t)
	c.Apply()
}

// where returns the client's server and the agent's process.
func (c *client) where() (server string, pid int) {
	c.t.Helper()
	text := c.Says("where")
	if _, err := fmt.Sscan(text, &server, &pid); err != nil {
		c.t.Fatalf("the agent says %q: %v", text, err)
	}
	return server, pid
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
	if notes := c.Notes(); len(notes) > 0 {
		c.t.Errorf("the log: %q", notes)
	}
}
