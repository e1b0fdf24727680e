//go:build unix

package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/transport"
	"parley/internal/must"
)

// road is one way to reach an agent served by `parley serve`.
type road struct {
	name, scheme string
	h2c          string
	proxy        bool // a proxy that speaks only HTTP/1.1 terminates TLS
	token        string
	spoken       string // the HTTP version that the server must see
}

const aToken = "a-token-that-nobody-knows"

var roads = []road{
	{name: "ws", scheme: "ws", spoken: "HTTP/1.1"},
	{name: "ws with a token", scheme: "ws", spoken: "HTTP/1.1", token: aToken},
	{name: "wss", scheme: "wss", spoken: "HTTP/1.1", token: aToken},
	{name: "http without h2c", scheme: "http", h2c: "off", spoken: "HTTP/1.1"},
	{name: "http without h2c, with a token", scheme: "http", h2c: "off", spoken: "HTTP/1.1", token: aToken},
	{name: "http with h2c", scheme: "http", h2c: "on", spoken: "HTTP/2.0", token: aToken},
	{name: "http", scheme: "http", spoken: "HTTP/2.0"},
	{name: "https", scheme: "https", spoken: "HTTP/2.0", token: aToken},
	{name: "https without a token", scheme: "https", spoken: "HTTP/2.0"},
	{name: "https through a proxy", scheme: "https", proxy: true, spoken: "HTTP/1.1", token: aToken},
	{name: "wss through a proxy", scheme: "wss", proxy: true, spoken: "HTTP/1.1", token: aToken},
}

// build starts the server, and the proxy if there is one. It returns the URL to connect to and the
// CA file to trust.
func (r road) build(t *testing.T) (s *Server, url, ca string) {
	t.Helper()
	var flags []string
	if r.token != "" {
		file := filepath.Join(t.TempDir(), "token")
		must.Do(t, os.WriteFile(file, []byte(r.token+"\n"), 0o600))
		flags = append(flags, "--token-file", file)
	}
	if !strings.HasSuffix(r.scheme, "s") || r.scheme == "ws" {
		s = Serve(t, flags...)
		return s, s.URL(r.scheme), ""
	}
	ca, cert, key := certificates(t)
	if !r.proxy {
		s = Serve(t, append(flags, "--tls-cert", cert, "--tls-key", key)...)
		return s, s.URL(r.scheme), ca
	}
	s = Serve(t, flags...)
	return s, strings.Replace(s.URL(r.scheme), s.address(), terminate(t, cert, key, s.address()), 1), ca
}

// remote returns the engine's configuration for the road.
func (r road) remote(t *testing.T, url, ca string) transport.Remote {
	t.Helper()
	out := transport.Remote{URL: url, H2C: r.h2c, Header: http.Header{}}
	if r.token != "" {
		out.Header.Set("Authorization", "Bearer "+r.token)
	}
	if ca != "" {
		out.TLS = &tls.Config{RootCAs: x509.NewCertPool()}
		out.TLS.RootCAs.AppendCertsFromPEM([]byte(read(t, ca)))
	}
	return out
}

// Case 182, and the same over WebSocket: parley works with its own server over every transport.
func TestServedByEveryRoad(t *testing.T) {
	t.Parallel()
	for i, r := range roads {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			if i%2 == 1 { // TestServedRun covers this one
				long(t)
			}
			s, url, ca := r.build(t)
			dir := workDir(t)
			notes := filepath.Join(dir, "notes.txt")
			write(t, notes, "one\n")
			v := visit(t, r.remote(t, url, ca), dir)
			v.work(notes)
			v.Conn.Close()
			s.goneAfter(1)

			// When the server exits during a turn it shuts down in order, and the client reports
			// the loss.
			v = visit(t, r.remote(t, url, ca), dir)
			v.Start("long")
			v.Until("some of it", func() bool { return v.Said() != "" })
			s.Stop()
			v.Until("the end of the connection", func() bool { return v.Lost != nil })
			var lost *event.LostError
			if !errors.As(v.Lost, &lost) || strings.Contains(v.Lost.Error(), aToken) {
				t.Errorf("the connection is lost: %v", v.Lost)
			}
			if got, want := s.protocols(), []string{r.spoken, r.spoken}; !slices.Equal(got, want) {
				t.Errorf("spoken was %v, want %v", got, want)
			}
			if strings.Contains(s.Log(), aToken) {
				t.Errorf("the token is in the log:\n%s", s.Log())
			}
		})
	}
}

// work is the conversation held over each road.
func (v *visitor) work(notes string) {
	t := v.t
	t.Helper()
	v.Says("read notes.txt")
	if got := v.Said(); !strings.Contains(got, "`notes.txt` has 1 line.") || len(v.Questions) != 0 {
		t.Errorf("said %q, asked %d times", got, len(v.Questions))
	}
	if v.chunks < 3 {
		t.Errorf("the text came in %d pieces", v.chunks)
	}
	v.Says("edit notes.txt")
	if got, want := read(t, notes), "one\ndemo agent was here (1)\n"; got != want || len(v.Questions) != 1 {
		t.Errorf("notes.txt %q after %d questions, want %q; the agent said %q", got, len(v.Questions), want, v.Said())
	}
	v.Start("long")
	v.Until("some of it", func() bool { return v.Said() != "" })
	v.Session.Cancel()
	if end := v.Finish(); end.StopReason != "cancelled" || end.Err != nil || strings.Contains(v.Said(), "Section 16 ends here") {
		t.Errorf("stopped: %q, %v, after %d bytes", end.StopReason, end.Err, len(v.Said()))
	}
	v.Says("read notes.txt")
	if got := v.Said(); !strings.Contains(got, "`notes.txt` has 2 lines.") {
		t.Errorf("said %q", got)
	}
}

// The same with the real binary at both ends.
func TestServedRun(t *testing.T) {
	t.Parallel()
	for i, r := range roads {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			if i%2 == 0 { // TestServedByEveryRoad covers this one
				long(t)
			}
			s, url, ca := r.build(t)
			dir := workDir(t)
			notes := filepath.Join(dir, "notes.txt")
			args := []string{"run", "--agent", url}
			if ca != "" {
				args = append(args, "--ca-file", ca)
			}
			if r.h2c != "" {
				args = append(args, "--h2c", r.h2c)
			}
			env := "AUTH=Bearer " + r.token
			if r.token != "" {
				args = append(args, "--header-env", "Authorization=AUTH")
			}
			for _, c := range []struct {
				flags       []string
				code        int
				said, notes string
			}{
				{[]string{"--share-files", "--approve-all"}, 0, "`notes.txt` has one more line now.", "one\ndemo agent was here (1)\n"},
				{[]string{"--share-files"}, 5, "I left `notes.txt` alone.", "one\n"},
				{nil, 0, "this client does not offer", "one\n"},
			} {
				write(t, notes, "one\n")
				got := runEnv(t, dir, []string{env}, append(append(slices.Clone(args), c.flags...), "edit notes.txt")...)
				if got.code != c.code || !strings.Contains(got.stdout, c.said) || read(t, notes) != c.notes {
					t.Errorf("%q: %+v, notes.txt %q", c.flags, got, read(t, notes))
				}
				if strings.Contains(got.stdout+got.stderr, aToken) {
					t.Errorf("it tells the token: %+v", got)
				}
			}
			s.goneAfter(3)
			if got, want := s.protocols(), []string{r.spoken, r.spoken, r.spoken}; !slices.Equal(got, want) {
				t.Errorf("spoken was %v, want %v", got, want)
			}
			s.Stop()
			got := runEnv(t, dir, []string{env}, append(args, "hello")...)
			if got.code != 1 || !strings.Contains(got.stderr, "no connection to "+url) || got.stdout != "" {
				t.Errorf("without a server: %+v", got)
			}
		})
	}
}

// certificates creates a CA and a certificate signed by it for this machine.
func certificates(t *testing.T) (ca, cert, key string) {
	t.Helper()
	dir := t.TempDir()
	ca, cert, key = filepath.Join(dir, "ca.pem"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	private := newKey(t)
	issue(t, ca, authority, authority, private, private)
	own := newKey(t)
	issue(t, cert, &x509.Certificate{SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}, authority, own, private)
	raw := must.Get(x509.MarshalECPrivateKey(own))(t)
	write(t, key, string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw})))
	return ca, cert, key
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	return must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
}

func issue(t *testing.T, path string, cert, issuer *x509.Certificate, own, by *ecdsa.PrivateKey) {
	t.Helper()
	der := must.Get(x509.CreateCertificate(rand.Reader, cert, issuer, &own.PublicKey, by))(t)
	write(t, path, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
}

// terminate runs a proxy that ends TLS in front of a server and offers only HTTP/1.1. It returns
// the proxy's address.
func terminate(t *testing.T, cert, key, server string) (address string) {
	t.Helper()
	pair := must.Get(tls.LoadX509KeyPair(cert, key))(t)
	ln := must.Get(tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}))(t)
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			from, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer from.Close()
				to, err := net.Dial("tcp", server)
				if err != nil {
					return
				}
				defer to.Close()
				go func() {
					io.Copy(to, from)
					to.Close()
				}()
				io.Copy(from, to)
			}()
		}
	}()
	return ln.Addr().String()
}
