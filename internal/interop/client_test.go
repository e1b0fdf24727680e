//go:build unix

package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"parley/internal/must"
)

// caller is a third-party client that is tested with `parley serve`.
type caller struct {
	name     string
	command  func(*testing.T) []string
	profile  string   // http or ws, followed by options of the client after a colon
	protocol string   // the HTTP version that the server must see
	serve    []string // flags of the server
	token    string
	tls      bool
	short    bool // runs only the short script
}

// Third-party clients talk to a third-party agent through parley's server: initialize, streamed
// prompts, questions, files, cancellation, two sessions at once, listing and loading. The clients
// and the agent agree on every value, so anything lost or changed on the way is detected.
func TestClients(t *testing.T) {
	t.Parallel()
	for _, c := range callers {
		t.Run(c.name, func(t *testing.T) {
			client := c.command(t)
			agent := goSDK.need(t)
			t.Parallel()
			s := startService(t, c.serve, agent, c.token, c.tls)
			dir := directory(t)
			for turn := range 2 { // a server outlives its clients
				out, err := c.run(t, client, s, dir)
				if err != nil {
					t.Fatalf("the client: %v", err)
				}
				compare(t, out, script(dir, c.short))
				if got := contents(t, dir); got != "one\ntwo\nTHREE\n" {
					t.Errorf("notes.txt %q", got)
				}
				s.gone(t, turn+1, c.goodbye())
			}
			if want := "protocol=" + c.protocol; strings.Count(s.log.String(), want) != 2 {
				t.Errorf("the server did not see two connections with %s:\n%s", want, s.log.String())
			}
		})
	}
}

var callers = []caller{
	{name: "ts-http", command: tsClient, profile: "http", protocol: "HTTP/1.1"},
	{name: "ts-ws", command: tsClient, profile: "ws", protocol: "HTTP/1.1"},
	{name: "ts-http-token", command: tsClient, profile: "http", protocol: "HTTP/1.1", token: secret},
	{name: "ts-ws-token", command: tsClient, profile: "ws", protocol: "HTTP/1.1", token: secret},
	{name: "ts-http-cookies", command: tsClient, profile: "http", protocol: "HTTP/1.1", serve: []string{"--cookie-affinity"}},
	{name: "ts-https", command: tsClient, profile: "http", protocol: "HTTP/1.1", tls: true},
	{name: "ts-wss", command: tsClient, profile: "ws", protocol: "HTTP/1.1", tls: true},
	{name: "py-http", command: pyClient.need, profile: "http", protocol: "HTTP/1.1", short: true},
	{name: "py-h2c", command: pyClient.need, profile: "http:2", protocol: "HTTP/2.0", short: true},
	{name: "py-ws", command: pyClient.need, profile: "ws", protocol: "HTTP/1.1"},
	{name: "py-http-token", command: pyClient.need, profile: "http", protocol: "HTTP/1.1", token: secret, short: true},
	{name: "py-ws-token", command: pyClient.need, profile: "ws", protocol: "HTTP/1.1", token: secret},
	{name: "py-https", command: pyClient.need, profile: "http:2", protocol: "HTTP/2.0", tls: true, short: true},
	{name: "py-wss", command: pyClient.need, profile: "ws", protocol: "HTTP/1.1", tls: true},
}

// tsClient returns the command line of the client in testdata/tsclient, which uses the SDK of the
// agent.
func tsClient(t *testing.T) []string {
	t.Helper()
	agent := tsSDK.need(t)
	file := filepath.Join(filepath.Dir(filepath.Dir(agent[1])), "tsclient", "client.mjs")
	os.Stat(file) // for the test cache, as in prepare
	return []string{agent[0], file, agent[2]}
}

const secret = "a-token-that-is-long-enough"

// goodbye returns the reason that the server logs for the end of the connection.
func (c caller) goodbye() string {
	if c.scheme() == "ws" {
		return "the client closed it"
	}
	return "the client ended it" // with DELETE
}

func (c caller) scheme() string {
	scheme, _, _ := strings.Cut(c.profile, ":")
	return scheme
}

// run runs the client to its end and returns the lines that it has printed.
func (c caller) run(t *testing.T, command []string, s *service, dir string) ([]line, error) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte(notes), 0o644))
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], c.profile, s.url(c.scheme()), dir)...)
	cmd.Env = append(os.Environ(), "TOKEN="+c.token)
	if s.ca != "" {
		cmd.Env = append(cmd.Env, "NODE_EXTRA_CA_CERTS="+s.ca, "SSL_CERT_FILE="+s.ca)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if errs.Len() > 0 {
		err = errors.Join(err, errors.New(strings.TrimSpace(errs.String())))
	}
	var lines []line
	for d := json.NewDecoder(&out); ; {
		var l line
		if d.Decode(&l) != nil {
			return lines, err
		}
		lines = append(lines, l)
	}
}

// line is one thing that a client has received.
type line struct {
	Session string          `json:"session"`
	Got     string          `json:"got"`
	Value   json.RawMessage `json:"value"`
}

// lane returns the name of the lane of a line. Lines of one lane keep their order; lanes may mix.
func (l line) lane() string {
	switch l.Got {
	case "update":
		return l.Session + " updates"
	case "asked", "read", "write":
		return l.Session + " requests"
	}
	return l.Session + " answers"
}

func (l line) String() string {
	text := fmt.Sprintf("%s %s", l.Got, l.Value)
	return text[:min(len(text), 300)]
}

// compare checks that each lane is exactly as expected.
func compare(t *testing.T, got, want []line) {
	t.Helper()
	lanes := func(lines []line) map[string][]line {
		out := map[string][]line{}
		for _, l := range lines {
			out[l.lane()] = append(out[l.lane()], l)
		}
		return out
	}
	have, wanted := lanes(got), lanes(want)
	for name, lane := range have {
		if wanted[name] == nil {
			t.Errorf("%s: %v, and there should be none", name, lane)
		}
	}
	for name, lane := range wanted {
		for i, w := range lane {
			if i >= len(have[name]) {
				t.Errorf("%s: %d of them, want %d; the first that is missing is %v", name, i, len(lane), w)
				break
			}
			if g := have[name][i]; g.Got != w.Got || !sameValue(g.Value, w.Value) {
				t.Errorf("%s: number %d is %v, want %v", name, i+1, g, w)
				break
			}
		}
		if n := len(have[name]) - len(lane); n > 0 {
			t.Errorf("%s: %d too many, the first of them %v", name, n, have[name][len(lane)])
		}
	}
}

func sameValue(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// A client without the right token is told so, and no agent is started.
func TestClientsWithoutTheToken(t *testing.T) {
	t.Parallel()
	for _, c := range callers {
		if c.token == "" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			client := c.command(t)
			agent := goSDK.need(t)
			t.Parallel()
			s := startService(t, c.serve, agent, c.token, c.tls)
			for _, c.token = range []string{"", "another-token-that-is-wrong"} {
				out, err := c.run(t, client, s, directory(t))
				if len(out) > 0 || err == nil || !strings.Contains(err.Error(), "401") {
					t.Errorf("with %q: %v, %v", c.token, out, err)
				}
			}
			if log := s.log.String(); strings.Contains(log, "agent started") || strings.Contains(log, secret) {
				t.Errorf("the log:\n%s", log)
			}
		})
	}
}

func directory(t *testing.T) string {
	t.Helper()
	return must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
}

func contents(t *testing.T, dir string) string {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join(dir, "notes.txt")))(t)
	return string(data)
}

// gone waits until the server has ended its nth connection for that reason, and checks that its
// agent has exited.
func (s *service) gone(t *testing.T, n int, reason string) {
	t.Helper()
	s.log.wait(t, fmt.Sprintf("msg=\"connection ended\" conn=%d reason=%q", n, reason))
	pid := s.pid(t, n)
	if err := syscall.Kill(pid, 0); err == nil {
		t.Errorf("the agent, process %d, still runs", pid)
	}
}
