package acpclient_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/transport"
	"parley/internal/must"
)

// listening starts a server that refuses everything, with TLS or without, and returns its address and
// the authority that signed its certificate.
func listening(t *testing.T, secure bool) (address string, roots *x509.CertPool) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(s.Close)
	roots = x509.NewCertPool()
	if secure {
		s.StartTLS()
		roots.AddCert(s.Certificate())
	} else {
		s.Start()
	}
	return s.Listener.Addr().String(), roots
}

// bareTLS starts a server that has no answer to what is not TLS.
func bareTLS(t *testing.T) (address string) {
	t.Helper()
	secure := httptest.NewUnstartedServer(nil)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				first := make([]byte, 1)
				if io.ReadFull(conn, first); first[0] == 22 { // a handshake
					tls.Server(&pushedBack{conn, first}, secure.TLS).Handshake()
				}
			}()
		}
	}()
	return l.Addr().String()
}

// pushedBack is a connection of which the first bytes were read already.
type pushedBack struct {
	net.Conn
	first []byte
}

func (p *pushedBack) Read(b []byte) (int, error) {
	if len(p.first) > 0 {
		n := copy(b, p.first)
		p.first = p.first[n:]
		return n, nil
	}
	return p.Conn.Read(b)
}

// The error of a connection that cannot be made says why in plain words and what to type, over HTTP and
// WebSocket alike.
func TestAdvice(t *testing.T) {
	plain, _ := listening(t, false)
	secure, roots := listening(t, true)
	bare := bareTLS(t)
	_, port, _ := net.SplitHostPort(secure)
	const send = "set AUTH='Bearer TOKEN' in the environment and add --header-env Authorization=AUTH"
	trusting := &tls.Config{RootCAs: roots}
	at := func(when time.Time) *tls.Config {
		return &tls.Config{RootCAs: roots, Time: func() time.Time { return when }}
	}
	token := http.Header{"Authorization": {"Bearer x"}}
	for _, c := range []struct {
		name    string
		secure  bool // the URL's scheme
		address string
		config  *tls.Config
		header  http.Header
		want    string // OTHER stands for the URL with the other scheme, and ANY for what depends on the test certificate
	}{
		{"no token", false, plain, nil, nil, "the server answered 401 Unauthorized; to send a token, " + send},
		{"another token", false, plain, nil, token, "the server answered 401 Unauthorized; the token differs from the server's: " + send},
		{"another token over TLS", true, secure, trusting, token, "the server answered 401 Unauthorized; the token differs from the server's: " + send},
		{"unknown authority", true, secure, nil, nil, "its certificate is signed by an unknown authority; trust the authority with --ca-file FILE, or accept any certificate with --insecure"},
		{"another host", true, "localhost:" + port, trusting, nil, "its certificate is for example.com, ANY, not for localhost; use a name that the certificate has, or accept any certificate with --insecure"},
		{"expired", true, secure, at(time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)), nil, "its certificate expired on ANY; renew it on the server, check this machine's clock, or accept any certificate with --insecure"},
		{"a server without TLS", true, plain, nil, nil, "the server does not speak TLS; use OTHER, which is not encrypted"},
		{"a server with TLS", false, secure, nil, nil, "the server expects TLS; use OTHER"},
		{"a server with TLS alone", false, bare, nil, nil, "the server expects TLS; use OTHER"},
	} {
		for _, schemes := range [][2]string{{"http", "https"}, {"ws", "wss"}} {
			t.Run(c.name+", "+schemes[0], func(t *testing.T) {
				t.Parallel()
				mine, other := schemes[0]+"://"+c.address+"/acp", schemes[1]+"://"+c.address+"/acp"
				if c.secure {
					mine, other = other, mine
				}
				_, err := acpclient.Dial(t.Context(), transport.Remote{URL: mine + "?key=t0ken", Header: c.header, TLS: c.config}, acpclient.Options{Sink: event.NewQueue()})
				var lost *event.LostError
				if !errors.As(err, &lost) || lost.Retryable() {
					t.Fatalf("got %#v", err)
				}
				want := "no connection to " + mine + ": " + strings.ReplaceAll(c.want, "OTHER", other)
				begin, end, any := strings.Cut(want, "ANY")
				if got := err.Error(); got != want && (!any || !strings.HasPrefix(got, begin) || !strings.HasSuffix(got, end)) {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			})
		}
	}
}
