//go:build unix

package balancer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"parley/internal/must"
)

// front is a kind of load balancer. Its name is that of the program, and the language of its block
// in docs/remote.md.
type front struct {
	name      string
	cookie    string // the cookie that ties a client to its server
	ownCookie bool   // set by the front, not by the server
	limit     string // the idle time as written in docs/remote.md

	// place returns the replacements of addresses and files.
	place func(s *stage) []change
	// without makes the front speak only HTTP/1.1 (h1), or HTTP/2 without TLS (h2c).
	without func(s *stage, protocol string) change
	// run writes the configuration around the block and returns the command line.
	run func(s *stage, block string) []string
}

var nginx = &front{
	name: "nginx", cookie: "parley_affinity", limit: "proxy_read_timeout 6m",
	place: func(s *stage) []change {
		return []change{{"listen 443", "listen " + s.addr}, {"/etc/ssl/agents.example.com.pem", s.path("cert.pem")}, {"/etc/ssl/agents.example.com.key", s.path("key.pem")}}
	},
	without: func(_ *stage, protocol string) change {
		if protocol == "h1" {
			return change{" ssl http2 ", " ssl "}
		}
		return change{" ssl http2 ", " http2 "}
	},
	run: func(s *stage, block string) []string {
		user := ""
		if os.Geteuid() == 0 { // so that the workers can read the stage
			user = "user root;\n"
		}
		s.write("parley.conf", block)
		s.write("nginx.conf", fmt.Sprintf(`%[2]sdaemon off;
pid %[1]s/pid;
worker_processes 2;
events { worker_connections 512; }
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	include %[1]s/parley.conf;
}
`, s.dir, user))
		return []string{"-p", s.dir, "-e", "stderr", "-c", s.path("nginx.conf"), "-g", "error_log stderr;"}
	},
}

var haproxy = &front{
	name: "haproxy", cookie: "parley", ownCookie: true, limit: " 6m",
	place: func(s *stage) []change {
		return []change{{"bind :443", "bind " + s.addr}, {"/etc/haproxy/agents.example.com.pem", s.path("both.pem")}}
	},
	without: func(s *stage, protocol string) change {
		if protocol == "h1" {
			return change{" alpn h2,http/1.1", " alpn http/1.1"}
		}
		return change{" ssl crt " + s.path("both.pem") + " alpn h2,http/1.1", " proto h2"}
	},
	run: func(s *stage, block string) []string {
		s.write("haproxy.cfg", "global\n\tmaxconn 1000\n\n"+block)
		return []string{"-db", "-f", s.path("haproxy.cfg")}
	},
}

var fronts = []*front{nginx, haproxy}

// startFront starts the front on a free address. If another program takes the address first, it
// tries again.
func (s *stage) startFront() {
	s.t.Helper()
	program := s.front.need(s.t)
	for range 5 {
		s.addr = free(s.t)
		changes := append(s.front.place(s), change{"127.0.0.1:8701", s.servers["a"].addr}, change{"127.0.0.1:8702", s.servers["b"].addr})
		if s.protocol != "h2" {
			changes = append(changes, s.front.without(s, s.protocol))
		}
		text := changed(s.t, block(s.t, s.front.name), append(changes, s.changes...)...)
		log := &output{}
		cmd := exec.Command(program, s.front.run(s, text)...)
		cmd.Stdout, cmd.Stderr, cmd.WaitDelay = log, log, 5*time.Second
		must.Do(s.t, cmd.Start())
		gone := make(chan struct{})
		go func() { defer close(gone); cmd.Wait() }()
		s.t.Cleanup(func() {
			cmd.Process.Signal(syscall.SIGTERM)
			<-gone
			if s.t.Failed() {
				s.t.Logf("%s:\n%s", s.front.name, log)
			}
		})
		if s.reachable(gone) {
			return
		}
	}
	s.t.Fatalf("%s does not start", s.front.name)
}

// reachable waits until the front answers for a server. It returns false if the front exits.
func (s *stage) reachable(gone <-chan struct{}) bool {
	s.t.Helper()
	deadline := time.After(patience)
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	client := s.browser(s.protocol)
	defer client.CloseIdleConnections()
	for {
		if resp, err := client.Get(s.scheme() + "://" + s.addr + "/healthz"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return true
			}
		}
		select {
		case <-again.C:
		case <-gone:
			return false
		case <-deadline:
			s.t.Fatalf("%s does not answer", s.front.name)
		}
	}
}

func free(t *testing.T) string {
	t.Helper()
	ln := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer ln.Close()
	return ln.Addr().String()
}

// certify makes the front's certificate.
func (s *stage) certify() {
	s.t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(s.t)
	now := time.Now()
	made := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		DNSNames: []string{serverName, "localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der := must.Get(x509.CreateCertificate(rand.Reader, made, made, key.Public(), key))(s.t)
	raw := must.Get(x509.MarshalPKCS8PrivateKey(key))(s.t)
	cert := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	private := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}))
	s.write("cert.pem", cert)
	s.write("key.pem", private)
	s.write("both.pem", cert+private)
}

// trust returns the TLS configuration of a client of the front.
func (s *stage) trust() *tls.Config {
	s.t.Helper()
	text := must.Get(os.ReadFile(s.path("cert.pem")))(s.t)
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		s.t.Fatal("no certificate")
	}
	return &tls.Config{RootCAs: roots}
}
