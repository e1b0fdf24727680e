package cli

import (
	"encoding/pem"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"parley/internal/agents"
	"parley/internal/config"
	"parley/internal/must"
)

func TestIsURL(t *testing.T) {
	for word, want := range map[string]bool{"wss://host/acp": true, "HTTP://host": true, "https://h?token=x": true, "ws://[::1]:1": true,
		"ftp://host": true, "http://": true, "claude": false, "://host": false, "a/b://c": false, "": false} {
		if IsURL(word) != want {
			t.Errorf("%q: got %v", word, !want)
		}
	}
	if a, err := AtURL("wss://user:secret@host:8080/acp?token=secret"); err != nil || a.Name != "host:8080" || a.CommandLine() != "wss://host:8080/acp" || a.Source != agents.Custom {
		t.Errorf("%+v %q, %v", a, a.CommandLine(), err)
	}
	const want = ": want http://host, https://host, ws://host or wss://host"
	for raw, wants := range map[string]string{"wss://": "wss:// URL without a host" + want, "wss://:80/acp": "wss:// URL without a host" + want, "ftp://": "unsupported scheme ftp://" + want,
		"wss://secret@h:65536/acp": "wss:// URL with a port that is not 1 to 65535" + want, "htp://foo:secret@h": "unsupported scheme htp://" + want, "wss://ho st:secret": "not a valid wss:// URL" + want} {
		if _, err := (&Setup{}).Find(raw); err == nil || err.Error() != wants {
			t.Errorf("%s: got %v, want %s", raw, err, wants)
		}
		if _, err := (&Setup{}).TypedAgent(raw); err == nil || err.Error() != wants {
			t.Errorf("%s, typed: %v, want %s", raw, err, wants)
		}
	}
	var usage UsageError
	if _, err := AtURL("wss://%zz secret"); !errors.As(err, &usage) || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

// Secrets are read again for every connection, and are never shown.
func TestHeaders(t *testing.T) {
	t.Setenv("CLI_TEST_TOKEN", "Bearer one")
	t.Setenv(loginVar, "0") // this test binary prints its arguments
	got, err := dialing(t.Context(), config.Remote{URL: "wss://host", Headers: map[string]string{"X-Plain": "a"}, HeaderEnv: map[string]string{"Authorization": "CLI_TEST_TOKEN"},
		HeaderCommand: map[string][]string{"X-Key": {self(t), "shown"}}})
	if err != nil || got.Header.Get("Authorization") != "Bearer one" || got.Header.Get("X-Plain") != "a" || !strings.HasPrefix(got.Header.Get("X-Key"), `["shown"]`) || got.TLS != nil {
		t.Errorf("%+v, %v", got, err)
	}
	t.Setenv("CLI_TEST_BAD", "sec\nret")
	for name, r := range map[string]config.Remote{
		"the variable CLI_TEST_NONE is not set": {HeaderEnv: map[string]string{"A": "CLI_TEST_NONE"}},
		"its value contains a line break":       {HeaderEnv: map[string]string{"A": "CLI_TEST_BAD"}},
		"header A: run /no/such/command":        {HeaderCommand: map[string][]string{"A": {"/no/such/command", "secret"}}},
		"no such file":                          {CAFile: "/no/such/ca.pem"},
		"client_cert":                           {ClientCert: "/no/such/cert", ClientKey: "/no/such/key"},
	} {
		if _, err := dialing(t.Context(), r); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "ret") && strings.Contains(err.Error(), "sec") {
			t.Errorf("got %v, want %q", err, name)
		}
	}
}

func TestTLS(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	must.Do(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	c, err := tlsOf(config.Remote{CAFile: file})
	if err != nil || c.InsecureSkipVerify || c.RootCAs == nil {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = tlsOf(config.Remote{Insecure: true}); err != nil || !c.InsecureSkipVerify {
		t.Errorf("%+v, %v", c, err)
	}
	os.WriteFile(file, []byte("nothing"), 0o600)
	if _, err = tlsOf(config.Remote{CAFile: file}); err == nil || !strings.Contains(err.Error(), "contains no certificate") {
		t.Errorf("got %v", err)
	}
}

// Flags override the configuration and are checked.
func TestRemoteFlags(t *testing.T) {
	parse := func(args ...string) RemoteFlags {
		var f RemoteFlags
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		f.Add(set)
		must.Do(t, set.Parse(args))
		return f
	}
	s := &Setup{Config: &config.Config{Agents: map[string]config.Agent{"far": {Remote: config.Remote{URL: "https://h", HeaderEnv: map[string]string{"authorization": "OLD", "X": "Y"}, ShareFiles: true}}}}}
	a := agents.Agent{Name: "far", URL: "https://h", Source: agents.Config}
	s.Remote = parse("--header-env", "Authorization=NEW", "--h2c", "on", "--share-terminal", "--remote-cwd", "/there", "--subprotocol", "a", "--subprotocol", "b.1")
	r, err := s.remoteOf(a)
	if err != nil || len(r.HeaderEnv) != 2 || r.HeaderEnv["Authorization"] != "NEW" || r.H2C != "on" || !r.ShareFiles || !r.ShareTerminal || r.Insecure || s.Insecure(a) {
		t.Errorf("%+v, %v", r, err)
	}
	if got := strings.Join(r.Subprotocols, " "); got != "a b.1" {
		t.Errorf("subprotocols %q", got)
	}
	if n := s.NewSession(a, Directories{Cwd: "/here", Roots: []string{"/more"}}); n.Cwd != "/there" || n.Roots != nil {
		t.Errorf("got %+v", n)
	}
	if n := s.NewSession(agents.Agent{Command: "x"}, Directories{Cwd: "/here"}); n.Cwd != "/here" {
		t.Errorf("of an agent here: %+v", n)
	}
	shared, err := s.shared(a, Directories{Cwd: "/here", Roots: []string{"/more"}})
	if err != nil || !shared.Files || !shared.Terminal || strings.Join(shared.Roots, " ") != "/here /more" {
		t.Errorf("%+v, %v", shared, err)
	}
	if shared, _ := s.shared(agents.Agent{Command: "x"}, Directories{}); shared != nil {
		t.Errorf("of an agent here: %+v", shared)
	}
	s.Remote = RemoteFlags{}
	if shared, _ := s.shared(agents.Agent{URL: "https://other", Source: agents.Custom}, Directories{}); shared == nil || shared.Files || shared.Terminal {
		t.Errorf("unasked: %+v", shared)
	}
	s.Remote = parse("--insecure")
	if !s.Insecure(a) {
		t.Error("there is no warning that it is insecure")
	}
	for _, args := range [][]string{{"--h2c", "maybe"}, {"--header-env", "X"}, {"--header-env", "=Y"},
		{"--remote-cwd", "srv"}, {"--subprotocol", "a b"}, {"--subprotocol", ""}, {"--subprotocol", "a", "--subprotocol", "a"}} {
		s.Remote = parse(args...)
		var usage UsageError
		if _, err := s.remoteOf(a); !errors.As(err, &usage) {
			t.Errorf("%q: got %v", args, err)
		}
	}
}
