//go:build unix

package app

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/internal/installs"
	"parley/internal/must"
)

// registryServer is a server of an index and of archives that hold an agent.
type registryServer struct {
	*httptest.Server
	mu      sync.Mutex
	version string
	broken  bool // the agent of the archives does not answer
	down    bool
	fetched []string // "METHOD path"
}

func newRegistry(t *testing.T, s *shell) *registryServer {
	r := &registryServer{version: "1.0.0"}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	s.configure("registry = \"" + r.URL + "/registry.json\"\n")
	return r
}

func (g *registryServer) set(version string, broken, down bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.version, g.broken, g.down = version, broken, down
}

// requests returns what was fetched since the last call.
func (g *registryServer) requests() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := strings.Join(g.fetched, ", ")
	g.fetched = nil
	return all
}

func (g *registryServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fetched = append(g.fetched, r.Method+" "+r.URL.Path)
	switch {
	case g.down:
		http.Error(w, "down", http.StatusServiceUnavailable)
	case r.URL.Path == "/registry.json":
		fmt.Fprintf(w, `{"version": "1.0.0", "agents": [{"id": "scripted", "name": "Scripted", "version": %q, "description": "Says what it is told", "license": "MIT",
			"distribution": {"binary": {%q: {"archive": "%s/scripted.tar.gz", "cmd": "./bin/scripted", "args": ["acp"], "env": {"SCRIPTED": "1"}}}}},
			{"id": "mistral-vibe", "name": "Mistral Vibe", "version": "2.0.0", "distribution": {"binary": {%q: {"archive": "%s/vibe.tar.gz", "cmd": "vibe"}}}},
			{"id": "packed", "version": "1.0.0", "distribution": {"binary": {%q: {"archive": "%s/packed.tar.xz", "cmd": "packed"}}}}, {"id": "wrong"}], "extensions": []}`,
			g.version, installs.Platform(), g.URL, installs.Platform(), g.URL, installs.Platform(), g.URL)
	default:
		self, _ := os.Executable()
		script := "#!/bin/sh\n[ \"$1$SCRIPTED\" = acp1 ] || exit 3\nexec '" + self + "' agent demo\n"
		if g.broken {
			script = "#!/bin/sh\necho no such library >&2\nexit 3\n"
		}
		gz := gzip.NewWriter(w)
		out := tar.NewWriter(gz)
		out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "bin/scripted", Mode: 0o644, Size: int64(len(script))})
		io.WriteString(out, script)
		out.Close()
		gz.Close()
	}
}

func (s *shell) want(r result, code int, out ...string) {
	s.t.Helper()
	if r.code != code {
		s.t.Errorf("got %+v", r)
	}
	for _, want := range out {
		if !strings.Contains(r.out+r.stderr, want) {
			s.t.Errorf("no %q in %q and %q", want, r.out, r.stderr)
		}
	}
}

func TestInstallAgents(t *testing.T) {
	s := newShell(t)
	g := newRegistry(t, s)
	if r := s.run("", "agents"); strings.Contains(r.out, "scripted") || g.requests() != "" {
		t.Errorf("got %+v", r)
	}
	s.want(s.run("", "agents", "--refresh", "says", "TOLD"), 0, "scripted  1.0.0    Scripted · Says what it is told  in the registry", "left out of the registry:")
	if got := g.requests(); got != "GET /registry.json" {
		t.Errorf("fetched %s", got)
	}
	s.want(s.run("", "agents", "show", "scripted"), 0, "Downloads  "+g.URL+"/scripted.tar.gz", "MIT", "none in the registry", "SCRIPTED=1 bin/scripted acp", filepath.Join("agents", "scripted", "1.0.0"))
	if got := g.requests(); got != "HEAD /scripted.tar.gz" {
		t.Errorf("fetched %s", got)
	}
	s.want(s.run("", "scripted"), 2, "scripted is not installed; type: parley agents install scripted")
	s.want(s.run("", "run", "--agent", "vibe", "hi"), 2, "vibe is not installed: uv tool install mistral-vibe; or type: parley agents install vibe")
	s.want(s.run("y\n", "agents", "install", "scripted"), 2, "Downloads  "+g.URL, "--yes")
	if entries, _ := os.ReadDir(filepath.Join(os.Getenv("PARLEY_STATE"), "agents")); len(entries) > 0 {
		t.Errorf("without a yes there is %v", entries)
	}
	s.want(s.run("", "agents", "install", "scripted", "--yes"), 0, "Installed scripted 1.0.0; parley scripted starts it.", "Downloading", "Starting it once")
	g.requests()

	g.set("", false, true)
	s.want(s.run("", "run", "--agent", "Scripted", "which model are you"), 0)
	s.want(s.run("", "agents", "scripted"), 0, "scripted  1.0.0    Scripted · Says what it is told  installed by parley")
	if got := g.requests(); got != "" {
		t.Errorf("a start fetches %s", got)
	}
	s.want(s.run("", "agents", "install", "scripted", "--yes"), 0, "using the index fetched just now", "scripted 1.0.0 is installed already")
	s.want(s.run("", "agents", "--refresh"), 0, "the server answered 503", "using the index fetched just now", "vibe       2.0.0    Mistral Vibe · Mistral AI            in the registry")

	g.set("1.1.0", true, false)
	s.want(s.run("", "agents", "update", "--yes"), 1, "scripted 1.1.0 was installed, but does not answer", "exited with code 3: no such library")
	s.want(s.run("", "agents", "scripted"), 0, "scripted  1.0.0 → 1.1.0")
	s.want(s.run("", "run", "--agent", "scripted", "hello"), 0)
	s.want(s.run("", "agents", "pin", "scripted"), 0, "Pinned scripted at 1.0.0")
	g.set("1.1.0", false, false)
	s.want(s.run("", "agents", "update", "--yes"), 0, "Nothing to update.")
	s.want(s.run("", "agents", "update", "--yes", "scripted"), 2, "pinned at 1.0.0", "pin --off scripted")
	s.want(s.run("", "agents", "pin", "--off", "scripted"), 0)
	pretendInstalled(t, "mistral-vibe", "1.0.0") // the new one of which cannot be installed, which keeps no other from it
	s.want(s.run("", "agents", "update", "--yes"), 1, "Installed scripted 1.1.0", "install mistral-vibe 2.0.0: the archive has no vibe")
	s.want(s.run("", "agents", "remove", "vibe"), 0)
	s.want(s.run("", "agents", "update"), 0, "Nothing to update.")
	s.want(s.run("", "agents", "pin", "scripted@1.0.0"), 0)
	var listed []struct {
		Name, Version, Latest string
		Pinned, Startable     bool
	}
	r := s.run("", "agents", "--json", "scripted")
	if err := json.NewDecoder(bytes.NewReader([]byte(r.out))).Decode(&listed); err != nil || len(listed) != 1 || listed[0].Version != "1.0.0" || listed[0].Latest != "1.1.0" || !listed[0].Pinned || !listed[0].Startable {
		t.Errorf("%v, %+v", err, r)
	}
	s.want(s.run("", "agents", "show", "packed"), 1, "packed: archives of the kind .tar.xz are not supported") // before the question
	s.want(s.run("", "agents", "install", "scripted@3.0.0", "--yes"), 1, "the registry has version 1.1.0 only")
	s.want(s.run("", "agents", "remove", "scripted@7.0.0"), 2, "scripted 7.0.0 is not installed; there is 1.0.0, 1.1.0")
	s.want(s.run("", "agents", "remove", "scripted"), 0, "Removed scripted.")
	s.want(s.run("", "run", "--agent", "scripted", "hello"), 2, "not installed")
}

// Without a registry nothing is fetched, and agents of the table that are npm packages can still be installed.
func TestNoRegistry(t *testing.T) {
	s := newShell(t)
	g := newRegistry(t, s)
	s.want(s.run("", "agents", "--refresh"), 0)
	s.configure("registry = false\n")
	g.requests()
	if r := s.run("", "agents", "--refresh"); strings.Contains(r.out, "scripted") || !strings.Contains(r.stderr, "turned off") {
		t.Errorf("got %+v", r)
	}
	s.want(s.run("", "agents", "install", "scripted", "--yes"), 2, `no agent "scripted"`)
	s.want(s.run("", "agents", "show", "scripted"), 2, `no agent "scripted"`)
	s.want(s.run("", "agents", "install", "opencode", "--yes"), 1, "npm is not installed")
	if got := g.requests(); got != "" {
		t.Errorf("fetched %s", got)
	}
}

// pretendInstalled notes that an agent is installed, and returns where its files are not.
func pretendInstalled(t *testing.T, id, version string) (files string) {
	state := filepath.Join(os.Getenv("PARLEY_STATE"), "agents", id)
	must.Do(t, os.MkdirAll(filepath.Join(state, version, "files"), 0o700))
	write(t, filepath.Join(state, "selected.json"), fmt.Sprintf(`{"version": %q}`, version))
	write(t, filepath.Join(state, version, "agent.json"), fmt.Sprintf(`{"id": %q, "name": "N", "version": %q, "how": "binary", "program": "vibe"}`, id, version))
	return filepath.Join(state, version, "files")
}

// An installed agent has the name of the table, and comes before the one on PATH.
func TestInstalledIsPreferred(t *testing.T) {
	s := newShell(t)
	newRegistry(t, s)
	s.install("vibe-acp")
	s.want(s.run("", "agents", "vibe"), 0, "on PATH")
	s.want(s.run("", "agents", "install", "vibe", "--yes"), 1, "the archive has no vibe")
	files := pretendInstalled(t, "mistral-vibe", "2.0.0")
	for _, name := range []string{"vibe", "mistral-vibe"} {
		s.want(s.run("", "agents", "show", name), 0, "installed by parley", filepath.Join(files, "vibe"))
		s.want(s.run("", "run", "--agent", name, "hi"), 1, "cannot start")
	}
}

// A project chooses among the agents that the user has, and nothing else.
func TestAgentOfAProject(t *testing.T) {
	s := newShell(t)
	self, _ := os.Executable()
	seen := filepath.Join(t.TempDir(), "seen")
	agent := fmt.Sprintf("command = %q\nargs = [\"agent\", \"demo\"]\n", self)
	s.configure("agent = \"demo\"\nregistry = false\n[agents.mine]\n" + agent + "prefix = [\"/bin/sh\", \"-c\", 'echo \"$SECRET $1\" >> " + seen + "; exec \"$@\"', \"sh\"]\nenv_file = \"" + seen + ".env\"\n")
	write(t, seen+".env", "SECRET=xyzzy\n")
	must.Do(t, os.Mkdir(filepath.Join(s.dir, ".parley"), 0o700))
	project := filepath.Join(s.dir, ".parley", "config.toml")
	s.want(s.run("", "run", "hello"), 0)
	if _, err := os.Stat(seen); err == nil {
		t.Error("the other agent was started")
	}
	write(t, project, "agent = \"mine\"\n")
	s.want(s.run("", "run", "hello"), 0)
	if got, _ := os.ReadFile(seen); string(got) != "xyzzy "+self+"\n" {
		t.Errorf("got %q", got)
	}
	s.install("npx")
	for _, name := range []string{"nobody", "codex", "cursor"} {
		write(t, project, "agent = \""+name+"\"\n")
		s.want(s.run("", "run", "hello"), 0, "The project prefers the agent "+name+", which is not installed")
	}
	write(t, project, "agent = \"mine\"\n[agents.mine]\ncommand = \"./evil\"\n")
	s.usage([]string{"run", "hello"}, filepath.Join(".parley", "config.toml"), `unknown key "agents"`)
	write(t, project, "agent = \"mine\"\n")
	write(t, seen+".env", "xyzzy\n")
	r := s.run("", "run", "hello")
	if s.want(r, 1, "env:1: want NAME=VALUE"); strings.Contains(r.stderr, "xyzzy") {
		t.Errorf("got %+v", r)
	}
	if r := s.run("", "agents", "show", "mine"); strings.Contains(r.out, "xyzzy") {
		t.Errorf("got %+v", r)
	}
}
