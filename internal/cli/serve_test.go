package cli

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/gateway"
	"parley/internal/must"
)

// patient is how long a test waits for something that must happen.
const patient = time.Minute

func write(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, []byte(text), mode))
	return path
}

// served runs `parley serve` with a context that has already ended, so that it returns even if it
// accepts its arguments.
func served(t *testing.T, args ...string) (out, log string, err error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	cmd := NewServe(Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
	err = execute(ctx, cmd, args...)
	return stdout.String(), stderr.String(), err
}

func TestServeRefusesWhatCannotBeMeant(t *testing.T) {
	agent := []string{"--", self(t)}
	token := write(t, "token", "0123456789abcdef\n", 0o600)
	for _, tc := range []struct {
		args string
		want string
	}{
		{"", "no agent;"},
		{"--", "no agent;"},
		{"agent acp", "after --, as in"},
		{"agent -- x", "is before --"},
		{"-- no-such-program-anywhere", "no-such-program-anywhere"},
		{"--listen nowhere AGENT", "want HOST:PORT"},
		{"--listen 127.0.0.1:nothing AGENT", "is not a port"},
		{"--listen 127.0.0.1:99999 AGENT", "is not a port"},
		{"--no-token --listen 0.0.0.0:0 AGENT", "leave out --no-token"},
		{"--no-token --listen :0 AGENT", "leave out --no-token"},
		{"--no-token --listen [::]:0 AGENT", "leave out --no-token"},
		{"--no-token --listen 192.0.2.1:0 AGENT", "leave out --no-token"},
		{"--token-file NOWHERE AGENT", "--token-file"},
		{"--token-file DIR AGENT", "a file with one token"},
		{"--token-file SHORT AGENT", "at least 16"},
		{"--token-file WORDS AGENT", "one word"},
		{"--token-file ODD AGENT", "printable"},
		{"--no-token --token-in-query AGENT", "cannot be used with --token-file"},
		{"--no-token --token-file TOKEN AGENT", "cannot be used with --token-file"},
		{"--tls-cert TOKEN AGENT", "belong together"},
		{"--tls-key TOKEN AGENT", "belong together"},
		{"--tls-cert TOKEN --tls-key TOKEN AGENT", "--tls-cert"},
		{"--path acp AGENT", "--path"},
		{"--path /a?b AGENT", "--path"},
		{"--path /healthz AGENT", "--path"},
		{"--allow-origin * AGENT", "--allow-origin"},
		{"--allow-origin example.com AGENT", "scheme://host"},
		{"--allow-origin https://*.example.com AGENT", "--allow-origin"},
		{"--allow-origin https://example.com/page AGENT", "--allow-origin"},
		{"--allow-host * AGENT", "--allow-host"},
		{"--log-format xml AGENT", "text or json"},
		{"--log-level loud AGENT", "debug, info"},
		{"--max-connections 0 AGENT", "--max-connections"},
		{"--max-sessions -1 AGENT", "--max-sessions"},
		{"--idle-timeout 0s AGENT", "--idle-timeout"},
		{"--drain-timeout -1s AGENT", "--drain-timeout"},
		{"--session-buffer 65MiB AGENT", "--session-buffer"},
		{"--connection-buffer 513MiB AGENT", "--connection-buffer"},
		{"--total-buffer 63MiB AGENT", "--total-buffer"},
		{"--keep-alive 0s AGENT", "--keep-alive"},
		{"--keep-alive 31s AGENT", "at most 30s"},
		{"--cookie-affinity=a;b AGENT", "--cookie-affinity=a;b"},
		{"--cookie-affinity a AGENT", "is before --"},
	} {
		var args []string
		for word := range strings.FieldsSeq(tc.args) {
			switch word {
			case "AGENT":
				args = append(args, agent...)
				continue
			case "NOWHERE":
				word = filepath.Join(t.TempDir(), "nothing")
			case "DIR":
				word = t.TempDir()
			case "SHORT":
				word = write(t, "short", "0123456789abcde\n\n", 0o600)
			case "WORDS":
				word = write(t, "words", "0123456789abcdef 0123456789abcdef", 0o600)
			case "ODD":
				word = write(t, "odd", "0123456789abcdef\x00é", 0o600)
			case "TOKEN":
				word = token
			}
			args = append(args, word)
		}
		out, log, err := served(t, args...)
		var usage UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want a line with %q", tc.args, err, tc.want)
		}
		if out != "" || log != "" {
			t.Errorf("%s: it says %q and %q", tc.args, out, log)
		}
	}
}

func TestServeSizes(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "64KiB": 64 << 10, "16MiB": 16 << 20, "1GiB": 1 << 30} {
		var n int64
		if err := (byteSize{&n}).Set(text); err != nil || n != want || (byteSize{&n}).String() != text {
			t.Errorf("%s: %d as %s, %v", text, n, byteSize{&n}, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.5MiB", "16MB", "MiB", "2GiB", "99999999999999999999", "9223372036854775807KiB"} {
		var n int64
		if err := (byteSize{&n}).Set(text); err == nil {
			t.Errorf("%q is %d", text, n)
		}
	}
}

// An address in use is not a usage error.
func TestServeCannotListen(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, _, err = served(t, "--listen", ln.Addr().String(), "--", self(t))
	var usage UsageError
	if err == nil || errors.As(err, &usage) || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("got %v", err)
	}
}

// running is a running `parley serve`.
type running struct {
	first string // of its output
	log   *strings.Builder
	end   func() error
}

// runServe starts `parley serve` and returns once it has printed its address.
func runServe(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	run := &running{log: &strings.Builder{}}
	cmd := NewServe(Streams{In: strings.NewReader(""), Out: w, Err: run.log})
	ended := make(chan error, 1)
	go func() {
		ended <- execute(ctx, cmd, args...)
		w.Close()
	}()
	in := bufio.NewReader(r)
	line, err := in.ReadString('\n')
	if err != nil {
		t.Fatalf("it does not start: %v", <-ended)
	}
	go io.Copy(io.Discard, in)
	run.first = strings.TrimSuffix(line, "\n")
	run.end = sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(patient):
			return errors.New("it does not end")
		}
	})
	t.Cleanup(func() { run.end() })
	return run
}

// firstLine matches the first line of a server: the token, the flag for it, and the URL.
var firstLine = regexp.MustCompile(`^connect with: (?:(?:AUTH=|\$env:AUTH=)'Bearer ([^']*)';? )?parley (--header-env Authorization=AUTH )?(wss?://\S+)$`)

// url returns the URL in the first line.
func (r *running) url(t *testing.T) string {
	t.Helper()
	m := firstLine.FindStringSubmatch(r.first)
	if m == nil || (m[1] == "") != (m[2] == "") {
		t.Fatalf("the first line is %q", r.first)
	}
	return m[3]
}

// token returns the token in the first line, "" if none.
func (r *running) token(t *testing.T) string {
	t.Helper()
	r.url(t)
	return firstLine.FindStringSubmatch(r.first)[1]
}

// status returns the HTTP status of a request with a token, or without one if it is "".
func (r *running) status(t *testing.T, token string) int {
	t.Helper()
	req := must.Get(http.NewRequest("GET", "http"+strings.TrimPrefix(r.url(t), "ws"), nil))(t)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res := must.Get(http.DefaultClient.Do(req))(t)
	res.Body.Close()
	return res.StatusCode
}

// By default a server generates a token and prints it. It stores the token for its address, unless
// the port is picked by the system.
func TestServeMakesTokens(t *testing.T) {
	state := t.TempDir()
	t.Setenv("PARLEY_STATE", state)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	ln.Close()
	serve := func(args ...string) (token string) {
		t.Helper()
		run := runServe(t, append(args, "--", self(t))...)
		token = run.token(t)
		if len(token) < 26 {
			t.Errorf("the token is %q", token)
		}
		for shown, want := range map[string]int{"": 401, "wrong": 401, token: 406} {
			if got := run.status(t, shown); got != want {
				t.Errorf("with the token %q: got %d, want %d", shown, got, want)
			}
		}
		if err := run.end(); err != nil {
			t.Error(err)
		}
		if strings.Contains(run.log.String(), token) {
			t.Errorf("the log tells the token: %s", run.log)
		}
		return token
	}
	free := []string{"--listen", "127.0.0.1:0"}
	one, other := serve(free...), serve(free...)
	if one == other {
		t.Error("two servers at ports that the system has picked have one token")
	}
	if _, err := os.Stat(filepath.Join(state, "tokens")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("their tokens are kept: %v", err)
	}
	first := serve("--listen", address)
	if again := serve("--listen", address); again != first {
		t.Errorf("the token was %q, and is %q after a restart", first, again)
	}
	stored, err := os.ReadDir(filepath.Join(state, "tokens"))
	if err != nil || len(stored) != 1 {
		t.Fatalf("kept: %v, %v", stored, err)
	}
	file := filepath.Join(state, "tokens", stored[0].Name())
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}

	// A file that others could have written is not used. A file that cannot be read is not
	// replaced.
	if runtime.GOOS != "windows" {
		os.Chmod(file, 0o606)
		if _, _, err := served(t, "--listen", address, "--", self(t)); err == nil || !strings.Contains(err.Error(), "chmod go-w "+file) {
			t.Errorf("got %v", err)
		}
		os.Chmod(file, 0o600)
	}
	must.Do(t, os.WriteFile(file, []byte("short"), 0o600))
	_, _, err = served(t, "--listen", address, "--", self(t))
	if err == nil || !strings.Contains(err.Error(), "at least 16") || !strings.Contains(err.Error(), "--token-file") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}

	// If the token cannot be stored, nothing is served.
	t.Setenv("PARLEY_STATE", file)
	_, _, err = served(t, "--listen", address, "--", self(t))
	if err == nil || errors.As(err, new(UsageError)) || !strings.Contains(err.Error(), "keep the token: ") {
		t.Errorf("got %v", err)
	}

	run := runServe(t, append(free, "--no-token", "--", self(t))...)
	if token := run.token(t); token != "" || run.status(t, "") != 406 {
		t.Errorf("with --no-token: %q", run.first)
	}
}

func TestServe(t *testing.T) {
	run := runServe(t, "--listen", "127.0.0.1:0", "--no-token", "--path", "/here", "--log-format", "json", "--", self(t))
	url := run.url(t)
	if !strings.HasPrefix(url, "ws://127.0.0.1:") || !strings.HasSuffix(url, "/here") {
		t.Errorf("got %q", run.first)
	}
	res := must.Get(http.Get("http" + strings.TrimPrefix(url, "ws")))(t)
	res.Body.Close()
	if res.StatusCode != 406 {
		t.Errorf("%d", res.StatusCode)
	}
	if err := run.end(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	for line := range strings.Lines(run.log.String()) {
		if !strings.HasPrefix(line, `{"time":`) {
			t.Errorf("in the log: %s", line)
		}
	}
}

// The cookie has the given value, or a random one per client. Without the flag there is no cookie.
func TestServeCookieAffinity(t *testing.T) {
	agent := []string{"--", self(t)}
	for flag, want := range map[string]gateway.Options{
		"": {}, "--cookie-affinity": {CookieAffinity: true}, "--cookie-affinity=one.b": {CookieAffinity: true, AffinityValue: "one.b"},
	} {
		var f serveFlags
		cmd := newServe(Streams{}, &f)
		args := agent
		if flag != "" {
			args = append([]string{flag}, agent...)
		}
		must.Do(t, cmd.ParseFlags(args))
		got, err := f.options(slog.New(slog.DiscardHandler))
		if err != nil || got.CookieAffinity != want.CookieAffinity || got.AffinityValue != want.AffinityValue {
			t.Errorf("%q: %v %q, %v", flag, got.CookieAffinity, got.AffinityValue, err)
		}
	}
}

// A WebSocket is pinged at half the interval of a stream's keep-alive comments.
func TestServeKeepAlive(t *testing.T) {
	for flag, want := range map[string]time.Duration{"--keep-alive=15s": 15 * time.Second, "--keep-alive=2s": 2 * time.Second} {
		var f serveFlags
		must.Do(t, newServe(Streams{}, &f).ParseFlags([]string{flag}))
		got, err := f.options(slog.New(slog.DiscardHandler))
		if err != nil || got.Limits.KeepAlive != want || got.Limits.Ping != 2*want {
			t.Errorf("%s: %s and %s, %v", flag, got.Limits.KeepAlive, got.Limits.Ping, err)
		}
	}
}

// With a token, other machines may connect. The token is not printed.
func TestServeToOthers(t *testing.T) {
	const secret = "abcdefghijklmnop-secret"
	file := write(t, "token", secret+"\n", 0o644)
	run := runServe(t, "--listen", "0.0.0.0:0", "--token-file", file, "--", self(t))
	url := "http" + strings.TrimPrefix(run.url(t), "ws")
	if strings.Contains(url, "0.0.0.0") {
		t.Errorf("%q is nothing to connect to", url)
	}
	for token, want := range map[string]int{"": 401, "Bearer wrong": 401, "Bearer " + secret: 406} {
		req, _ := http.NewRequest("GET", url, nil)
		req.Header.Set("Authorization", token)
		res := must.Get(http.DefaultClient.Do(req))(t)
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("with %q: got %d, want %d", token, res.StatusCode, want)
		}
	}
	if err := run.end(); err != nil {
		t.Error(err)
	}
	log := run.log.String()
	if strings.Contains(log+run.first, secret) {
		t.Errorf("it tells the token:\n%s", log)
	}
	for _, want := range []string{"without TLS", "others on this machine can read the token"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
}

func TestServeTLS(t *testing.T) {
	cert, key, roots := pair(t)
	run := runServe(t, "--listen", "localhost:0", "--no-token", "--tls-cert", cert, "--tls-key", key, "--", self(t))
	url := run.url(t)
	if !strings.HasPrefix(url, "wss://localhost:") {
		t.Errorf("got %q", run.first)
	}
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	defer tr.CloseIdleConnections()
	res := must.Get((&http.Client{Transport: tr}).Get("https" + strings.TrimPrefix(url, "wss")))(t)
	res.Body.Close()
	if res.StatusCode != 406 || res.ProtoMajor != 2 {
		t.Errorf("%d over %s", res.StatusCode, res.Proto)
	}
}

// pair writes a certificate for localhost and its key to files.
func pair(t *testing.T) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	private := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}, IsCA: true, BasicConstraintsValid: true}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private))(t)
	raw := must.Get(x509.MarshalECPrivateKey(private))(t)
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(public)
	return write(t, "cert.pem", string(public), 0o600), write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw})), 0o600), roots
}

// The printed URL follows the flags: the listen address and the host names.
func TestServeURL(t *testing.T) {
	bound := &net.TCPAddr{IP: net.IPv4zero, Port: 4711}
	for _, tc := range []struct {
		flags serveFlags
		want  string
	}{
		{serveFlags{listen: "127.0.0.1:0", path: "/acp"}, "ws://127.0.0.1:4711/acp"},
		{serveFlags{listen: "[::1]:0", path: "/acp", cert: "x"}, "wss://[::1]:4711/acp"},
		{serveFlags{listen: "devbox:0", path: "/"}, "ws://devbox:4711/"},
		{serveFlags{listen: ":0", path: "/acp", hosts: []string{"agent.example"}}, "ws://agent.example:4711/acp"},
		{serveFlags{listen: "[::]:0", path: "/acp", cert: "x", hosts: []string{"agent.example:443", "b"}}, "wss://agent.example:443/acp"},
	} {
		if got := tc.flags.url(bound); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}
