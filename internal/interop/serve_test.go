//go:build unix

package interop

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/internal/must"
)

// service is a running `parley serve`.
type service struct {
	place string // its URL without the scheme
	ca    string // the certificate to trust; "" without TLS
	log   *log
}

// url returns its URL for a profile.
func (s *service) url(profile string) string {
	if s.ca != "" {
		profile += "s"
	}
	return profile + s.place
}

// log collects what a program writes to stderr.
type log struct {
	mu      sync.Mutex
	text    []byte
	changed chan struct{} // closed and replaced when there is more
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	close(l.changed)
	l.changed = make(chan struct{})
	return len(p), nil
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// wait waits until a text is in the log.
func (l *log) wait(t *testing.T, text string) {
	t.Helper()
	for deadline := time.After(patience); ; {
		l.mu.Lock()
		found, changed := strings.Contains(string(l.text), text), l.changed
		l.mu.Unlock()
		if found {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("not in the log: %s\n%s", text, l)
		}
	}
}

var startedLine = regexp.MustCompile(`msg="agent started" conn=(\d+) pid=(\d+)`)

// pid returns the process id of the agent of the nth connection.
func (s *service) pid(t *testing.T, n int) int {
	t.Helper()
	for _, m := range startedLine.FindAllStringSubmatch(s.log.String(), -1) {
		if m[1] == strconv.Itoa(n) {
			pid, _ := strconv.Atoi(m[2])
			return pid
		}
	}
	t.Fatalf("no agent was started for connection %d:\n%s", n, s.log)
	return 0
}

// startService serves an agent at a URL until the end of the test, and then checks that the server
// exits without an error. If token is not empty, clients must send it.
func startService(t *testing.T, flags, agent []string, token string, tls bool) *service {
	t.Helper()
	binary, err := parley()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if token != "" {
		file := filepath.Join(dir, "token")
		must.Do(t, os.WriteFile(file, []byte(token), 0o600))
		flags = append(slices.Clone(flags), "--token-file", file)
	} else {
		flags = append(slices.Clone(flags), "--no-token")
	}
	s := &service{log: &log{changed: make(chan struct{})}}
	if tls {
		s.ca = filepath.Join(dir, "cert.pem")
		key := filepath.Join(dir, "key.pem")
		must.Do(t, certify(s.ca, key))
		flags = append(slices.Clone(flags), "--tls-cert", s.ca, "--tls-key", key)
	}
	cmd := exec.Command(binary, slices.Concat([]string{"serve", "--listen", "127.0.0.1:0"}, flags, []string{"--"}, agent)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+dir, "PARLEY_STATE="+dir)
	cmd.Stderr = s.log
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ends with %v:\n%s", err, s.log)
		}
	})
	first, err := bufio.NewReader(stdout).ReadString('\n')
	m := urlLine.FindStringSubmatch(first)
	if m == nil {
		t.Fatalf("the server says no URL: %q, %v\n%s", first, err, s.log)
	}
	s.place = m[1]
	return s
}

// certify writes a self-signed certificate for this machine, and its key.
func certify(cert, key string) error {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return err
	}
	raw, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		return err
	}
	if err := os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644); err != nil {
		return err
	}
	return os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw}), 0o600)
}
