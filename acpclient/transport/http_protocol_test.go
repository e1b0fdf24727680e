package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/must"
)

// protocols returns the HTTP versions used with a server, "HTTP/1.1" or "HTTP/2.0", each
// once.
func protocols(s *acpServer) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, q := range s.requests {
		if q.Method == "PRI" { // the preface of HTTP/2 as a server sees it that knows only HTTP/1.1
			continue
		}
		if len(out) == 0 || out[len(out)-1] != q.Proto {
			out = append(out, q.Proto)
		}
	}
	return strings.Join(out, " ")
}

// converse plays a turn with a permission request over sockets, then closes.
func converse(t *testing.T, s *acpServer, h *HTTP) {
	t.Helper()
	want := func(want string) {
		t.Helper()
		if got, err := h.Recv(); err != nil || string(got) != want {
			t.Fatalf("Recv = %.200q, %v; want %.200q", got, err, want)
		}
	}
	s.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
		switch q.String() {
		case "POST session/prompt":
			s.say("s1", update("s1", 1))
			s.say("s1", requestText(7, "session/request_permission", "s1"))
		case "POST answer 7":
			s.say("s1", result(1))
		}
		return false
	}
	h.Send(Message{Data: []byte(requestText(0, "initialize", ""))})
	want(result0)
	h.OpenSession("s1")
	h.Send(Message{Data: []byte(requestText(1, "session/prompt", "s1")), Session: "s1"})
	want(update("s1", 1))
	want(requestText(7, "session/request_permission", "s1"))
	h.Send(Message{Data: []byte(result(7)), Session: "s1", Answer: true})
	want(result(1))
	h.Close()
	if n := len(s.all("DELETE")); n != 1 {
		t.Errorf("%d DELETE", n)
	}
	s.busy.Wait() // otherwise a stream of this connection would get messages meant for the next one
}

func dialHTTP(t *testing.T, r Remote) *HTTP {
	t.Helper()
	conn := must.Get(Dial(t.Context(), r))(t)
	t.Cleanup(func() { conn.Close() })
	return conn.(*HTTP)
}

// Case 182: over TLS, HTTP/2 is used if the server has it.
func TestCase182TLS(t *testing.T) {
	for _, want := range []string{"HTTP/2.0", "HTTP/1.1"} {
		s := newACPServer()
		server := httptest.NewUnstartedServer(s)
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.EnableHTTP2 = want == "HTTP/2.0"
		server.StartTLS()
		defer server.Close()
		config := server.Client().Transport.(*http.Transport).TLSClientConfig
		converse(t, s, dialHTTP(t, Remote{URL: server.URL, TLS: &tls.Config{RootCAs: config.RootCAs}}))
		if got := protocols(s); got != want {
			t.Errorf("over %s, want %s", got, want)
		}

		h := dialHTTP(t, Remote{URL: server.URL})
		h.Send(Message{Data: []byte(requestText(0, "initialize", ""))})
		if _, err := h.Recv(); err == nil || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("with an unknown certificate: got %v", err)
		}
	}
}

// listenOn gives each test its own host, because what a host speaks is remembered.
func listenOn(t *testing.T, address string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", address+":0")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// Case 182: every setting of h2c against every kind of server.
func TestCase182WithoutTLS(t *testing.T) {
	for _, tc := range []struct {
		h2c          string
		http1, http2 bool
		want         string
	}{
		{"", true, true, "HTTP/2.0"},
		{"auto", false, true, "HTTP/2.0"},
		{"auto", true, false, "HTTP/1.1"},
		{"off", true, true, "HTTP/1.1"},
		{"on", true, true, "HTTP/2.0"},
		{"on", true, false, ""},
		{"off", false, true, ""},
	} {
		s := newACPServer()
		server := &http.Server{Handler: s, Protocols: new(http.Protocols)}
		server.Protocols.SetHTTP1(tc.http1)
		server.Protocols.SetUnencryptedHTTP2(tc.http2)
		l := listenOn(t, "127.0.0.1")
		go server.Serve(l)
		defer server.Close()
		h := dialHTTP(t, Remote{URL: "http://" + l.Addr().String(), H2C: tc.h2c})
		if tc.want != "" {
			converse(t, s, h)
			if got := protocols(s); got != tc.want {
				t.Errorf("%+v: over %s", tc, got)
			}
			continue
		}
		h.Send(Message{Data: []byte(requestText(0, "initialize", ""))})
		if got, err := h.Recv(); err == nil {
			t.Errorf("%+v: received %q", tc, got)
		}
	}
}

// Case 182: whatever a server without HTTP/2 does with its preface, initialize is posted
// once, over HTTP/1.1, and the next connection does not try HTTP/2 again.
func TestCase182Fallback(t *testing.T) {
	for name, greet := range map[string]func(net.Conn){
		"hangs up": func(c net.Conn) { c.Close() },
		"resets": func(c net.Conn) {
			c.(*net.TCPConn).SetLinger(0)
			c.Close()
		},
		"refuses": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
			c.Close()
		},
		"waits for more": func(c net.Conn) {
			io.Copy(io.Discard, c)
			c.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newACPServer()
			inner := httptest.NewServer(s)
			defer inner.Close()
			l := listenOn(t, "127.0.0.1")
			var prefaces atomic.Int32
			go relay(l, inner.Listener.Addr().String(), func(c net.Conn) {
				prefaces.Add(1)
				greet(c)
			})
			remote := Remote{URL: "http://" + l.Addr().String()}
			for range 2 {
				h := dialHTTP(t, remote)
				h.timing.preface = 100 * time.Millisecond
				converse(t, s, h)
				if n := prefaces.Load(); n != 1 {
					t.Errorf("%d prefaces", n)
				}
				if n := len(s.all("POST initialize")); n != 1 {
					t.Errorf("%d initialize", n)
				}
				s.mu.Lock()
				s.requests = nil
				s.mu.Unlock()
			}
		})
	}
}

// relay accepts connections and forwards them to a server, except those that begin with the
// preface of HTTP/2.
func relay(l net.Listener, to string, preface func(net.Conn)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			head := make([]byte, 4)
			if _, err := io.ReadFull(c, head); err != nil {
				return
			}
			if string(head) == "PRI " {
				preface(c)
				return
			}
			inner, err := net.Dial("tcp", to)
			if err != nil {
				return
			}
			defer inner.Close()
			inner.Write(head)
			go func() {
				io.Copy(inner, c)
				inner.Close()
			}()
			io.Copy(c, inner)
		}()
	}
}

// A server that speaks HTTP/2 and then fails is not asked again over HTTP/1.1.
func TestNoFallbackFromHTTP2(t *testing.T) {
	bubble(t, "auto", true, true, func(r *rig) {
		r.server.onPost = func(http.ResponseWriter, *acpRequest) bool { panic(http.ErrAbortHandler) }
		r.redial(Remote{URL: "http://127.0.0.2:4242"})
		r.request(0, "initialize", "")
		r.wantEnd(nil)
		if n := len(r.server.all("POST initialize")); n != 1 {
			t.Errorf("%d initialize", n)
		}
	})
}

// Case 182: a server that takes the preface for an incomplete request and stays silent is
// given three seconds.
func TestCase182SilentServer(t *testing.T) {
	bubble(t, "auto", true, false, func(r *rig) {
		plainHTTP1.Delete("127.0.0.5:4242")
		r.redial(Remote{URL: "http://127.0.0.5:4242"})
		dials := 0
		r.h.lines.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
			if dials++; dials > 1 {
				return r.net.dial(ctx, network, address)
			}
			ours, theirs := net.Pipe()
			go io.Copy(io.Discard, theirs)
			return ours, nil
		}
		r.request(0, "initialize", "")
		r.want(result0)
		if r.now() != 3*time.Second {
			t.Errorf("after %v", r.now())
		}
	})
}

// An agent of a server that does speak HTTP/2 may be slow.
func TestPrefacePatience(t *testing.T) {
	bubble(t, "auto", true, true, func(r *rig) {
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			time.Sleep(5 * time.Minute)
			return false
		}
		r.redial(Remote{URL: "http://127.0.0.3:4242"})
		r.request(0, "initialize", "")
		r.want(result0)
		if n := len(r.server.all("POST initialize")); n != 1 || protocols(r.server) != "HTTP/2.0" {
			t.Errorf("%d initialize, %s", n, protocols(r.server))
		}
	})
}

// An agent that cannot be reached is not tried with every HTTP version.
func TestUnreachable(t *testing.T) {
	bubble(t, "auto", true, true, func(r *rig) {
		r.net.down.Store(true)
		r.redial(Remote{URL: "http://127.0.0.4:4242"})
		r.request(0, "initialize", "")
		var op *net.OpError
		if err := r.wantEnd(nil); !errors.As(err, &op) {
			t.Error(err)
		}
		if _, known := plainHTTP1.Load("127.0.0.4:4242"); known {
			t.Error("taken for a host without HTTP/2")
		}
	})
}
