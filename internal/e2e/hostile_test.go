//go:build unix

package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/agents"
	"parley/internal/gittest"
	"parley/internal/must"
)

// hostile is a project full of traps. Each trap creates a file in marks when it is run.
type hostile struct {
	t                *testing.T
	root, dir, marks string
	path, clean      string // PATH, with and without the entries that lead into the project
}

// trapped are the names of the programs that the project shadows: all that parley starts itself,
// and what these start in turn.
var trapped = []string{"git", "npx", "npm", "node", "sh", "env", "tmux", "xdg-open", "open", "wl-copy", "wl-paste", "xclip", "xsel", "vi",
	"pi-acp", "pi", "claude-agent-acp", "goose", "gemini"}

// newHostile creates the project, and a PATH that leads into it in every possible form.
func newHostile(t *testing.T) *hostile {
	t.Helper()
	dir := workDir(t)
	h := &hostile{t: t, root: filepath.Dir(dir), dir: dir, marks: filepath.Join(filepath.Dir(dir), "marks")}
	real := filepath.Join(h.root, "tools")
	h.mkdir(h.marks, real)
	for _, name := range []string{"git", "npx", "node"} {
		if path, err := exec.LookPath(name); err == nil {
			must.Do(t, os.Symlink(path, filepath.Join(real, name)))
		}
	}
	for _, folder := range []string{".", "bin", "node_modules/.bin", ".venv/bin"} {
		for _, name := range trapped {
			h.trap(folder + "/" + name)
		}
	}
	h.clean = toolbox + ":" + real
	h.path = strings.Join([]string{"", ".", "./bin", "node_modules/.bin", filepath.Join(dir, ".venv/bin"), h.clean}, ":")
	h.npm()
	return h
}

// npm adds the files that npm, yarn and pnpm read from a project.
func (h *hostile) npm() {
	h.file("trap.js", fmt.Sprintf("require('fs').writeFileSync(%q, '')\n", filepath.Join(h.marks, "trap.js")))
	h.file(".npmrc", "registry=http://127.0.0.1:9/\nscript-shell="+h.dir+"/bin/sh\nnode-options=--require="+h.dir+"/trap.js\nprefix="+h.dir+"/prefix\ncache="+h.dir+"/cache\n")
	pi, _ := agents.Find(agents.Known(), "pi")
	manifest := fmt.Sprintf(`{"name":"pi-acp","version":%q,"bin":{"pi-acp":"run.sh"},"workspaces":["*"]}`, pi.Version)
	h.file("package.json", manifest)
	h.trap("run.sh")
	h.file("node_modules/pi-acp/package.json", manifest)
	h.trap("node_modules/pi-acp/run.sh")
	h.trap("prefix/bin/pi-acp")
	h.file(".yarnrc.yml", "yarnPath: ./trap.js\n")
	h.file(".pnpmfile.cjs", "require('./trap.js')\n")
	h.file(".envrc", "./bin/git\n")
	h.file(".tool-versions", "nodejs path:.\n")
	h.file(".mise.toml", "[env]\n_.source = \"./bin/git\"\n")
}

// git makes the project a repository whose configuration runs programs.
func (h *hostile) git() {
	h.t.Helper()
	gittest.Run(h.t, h.dir, "init", "-q")
	h.trap("hooks/post-index-change")
	h.file(".gitattributes", "* filter=x diff=x\n")
	h.file(".git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"+h.gitPrograms())
}

// gitPrograms lists every setting that makes git run a program.
func (h *hostile) gitPrograms() string {
	trap := filepath.Join(h.dir, "bin", "git")
	return fmt.Sprintf("[core]\n\tfsmonitor = %[1]s\n\tpager = %[1]s\n\thooksPath = %[2]s/hooks\n\teditor = %[1]s\n\tsshCommand = %[1]s\n\talternateRefsCommand = %[1]s\n"+
		"[diff]\n\texternal = %[1]s\n[diff \"x\"]\n\ttextconv = %[1]s\n[filter \"x\"]\n\tclean = %[1]s\n\tsmudge = %[1]s\n\tprocess = %[1]s\n"+
		"[alias]\n\tls-files = !%[1]s\n[pager]\n\tls-files = %[1]s\n[credential]\n\thelper = %[1]s\n", trap, h.dir)
}

// trap puts an executable into the project.
func (h *hostile) trap(name string) {
	h.t.Helper()
	h.file(name, fmt.Sprintf("#!/bin/sh\n: > '%s/%s'\nexit 1\n", h.marks, strings.ReplaceAll(name, "/", "_")))
	must.Do(h.t, os.Chmod(filepath.Join(h.dir, name), 0o755))
}

func (h *hostile) file(name, text string) {
	h.t.Helper()
	name = filepath.Join(h.dir, name)
	h.mkdir(filepath.Dir(name))
	write(h.t, name, text)
}

func (h *hostile) mkdir(dirs ...string) {
	h.t.Helper()
	for _, dir := range dirs {
		must.Do(h.t, os.MkdirAll(dir, 0o755))
	}
}

// env returns parley's environment: the PATH, and the variables that make it look for programs.
func (h *hostile) env() []string {
	return []string{"PATH=" + h.path, "TMUX=/nowhere,1,0", "WAYLAND_DISPLAY=none", "DISPLAY=none", "EDITOR=vi", "SHELL=/bin/sh", "npm_config_loglevel=warn",
		"npm_config_userconfig=" + filepath.Join(h.root, "npmrc"), "npm_config_cache=" + filepath.Join(h.root, "npm")}
}

// untouched checks that no trap was run.
func (h *hostile) untouched() {
	h.t.Helper()
	all := must.Get(os.ReadDir(h.marks))(h.t)
	for _, mark := range all {
		h.t.Errorf("the project's %s was run", mark.Name())
	}
}

// registry serves one version of an npm package whose only program is a script. The user's own
// .npmrc makes npm use it.
func (h *hostile) registry(name, version, program, script string) {
	h.t.Helper()
	manifest := map[string]any{"name": name, "version": version, "bin": map[string]string{program: "start.sh"}}
	text, _ := json.Marshal(manifest)
	packed := packed(h.t, map[string]string{"package/package.json": string(text), "package/start.sh": script})
	sum := sha512.Sum512(packed)
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	h.t.Cleanup(server.Close)
	manifest["dist"] = map[string]string{"tarball": server.URL + "/package.tgz", "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
	mux.HandleFunc("/package.tgz", func(w http.ResponseWriter, _ *http.Request) { w.Write(packed) })
	mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{"name": name, "dist-tags": map[string]string{"latest": version}, "versions": map[string]any{version: manifest}})
	})
	write(h.t, filepath.Join(h.root, "npmrc"), "registry="+server.URL+"/\naudit=false\nfund=false\nupdate-notifier=false\n")
}

func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	for name, text := range files {
		must.Do(t, archive.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}))
		archive.Write([]byte(text))
	}
	must.Do(t, archive.Close())
	must.Do(t, zip.Close())
	return out.Bytes()
}

// serveAgent serves the agent "pi" from a registry. The agent writes its directory and its
// environment to the file ran and then runs as the scripted agent.
func (h *hostile) serveAgent() (ran string) {
	h.t.Helper()
	for _, tool := range []string{"npx", "node"} {
		if _, err := exec.LookPath(tool); err != nil {
			h.t.Skip(err)
		}
	}
	pi, _ := agents.Find(agents.Known(), "pi")
	ran = filepath.Join(h.root, "ran")
	h.registry(pi.Package, pi.Version, pi.Command, fmt.Sprintf("#!/usr/bin/env sh\n{ pwd; echo \"args: $*\"; export -p; } > '%s'\nexec '%s' agent\n", ran, scripted(h.t)[1]))
	return ran
}

// A fetched agent is the registry's, in the pinned version, and works in the project, whatever the
// project contains.
func TestFetchedAgentInHostileProject(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(h *hostile){
		"by its files": func(h *hostile) { h.path = h.clean },
		"by PATH":      func(*hostile) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHostile(t)
			change(h)
			ran := h.serveAgent()
			r := runEnv(t, h.dir, h.env(), "run", "--agent", "pi", "hello", "there")
			h.untouched()
			if r.code != 0 || !strings.Contains(r.stdout, "heard: hello there") {
				t.Fatalf("got %+v", r)
			}
			where, env, _ := strings.Cut(read(t, ran), "\n")
			if where != h.dir {
				t.Errorf("the agent runs in %s", where)
			}
			for _, wrong := range []string{"npm_config_package", "npm_config_yes", "INIT_CWD", "npm_lifecycle", "PARLEY_NPX"} {
				if strings.Contains(env, wrong) {
					t.Errorf("npm's own %s is left in the agent's environment", wrong)
				}
			}
			for _, want := range []string{"npm_config_loglevel", "PWD='" + h.dir + "'"} {
				if !strings.Contains(env, want) {
					t.Errorf("the agent's environment lacks %s:\n%s", want, env)
				}
			}
			if told := strings.Contains(r.stderr, "in the project"); told != (h.path != h.clean) {
				t.Errorf("what is said of programs in the project: %s", r.stderr)
			}
			// --cwd from another directory has the same result.
			cmd := command(h.root, "run", "--agent", "pi", "--cwd", h.dir, "hello", "again")
			cmd.Env = append(environ(h.dir), h.env()...)
			if r := finished(t, cmd); r.code != 0 || !strings.Contains(r.stdout, "heard: hello again") {
				t.Errorf("got %+v", r)
			}
			h.untouched()
		})
	}
}

// If parley's state or npm's cache is inside the project, nothing in it is run.
func TestFetchedAgentFromTheProject(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, variable, says string }{
		{"state", "PARLEY_STATE", "PARLEY_STATE"},
		{"cache", "npm_config_cache", "npm_config_cache"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHostile(t)
			ran := h.serveAgent()
			inside := filepath.Join(h.dir, "inside")
			h.mkdir(inside)
			r := runEnv(t, h.dir, append(h.env(), test.variable+"="+inside), "run", "--agent", "pi", "hello")
			h.untouched()
			if _, err := os.Stat(ran); err == nil || r.code != 1 || !strings.Contains(r.stderr, test.says) {
				t.Errorf("%v %+v", err, r)
			}
		})
	}
}

// Neither parley's look-ups while it works in a project nor its calls of git run a program of the
// project.
func TestHostileProjectRunsNothing(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(h *hostile){
		"plain":      func(*hostile) {},
		"repository": (*hostile).git,
		"repository elsewhere": func(h *hostile) {
			h.git()
			must.Do(h.t, os.Rename(filepath.Join(h.dir, ".git"), filepath.Join(h.dir, "elsewhere")))
			h.file(".git", "gitdir: elsewhere\n")
		},
		"bare repository": func(h *hostile) {
			h.file("HEAD", "ref: refs/heads/main\n")
			h.mkdir(filepath.Join(h.dir, "objects"), filepath.Join(h.dir, "refs"))
			h.file("config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n"+h.gitPrograms())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "plain" || name == "repository elsewhere" {
				long(t)
			}
			h := newHostile(t)
			prepare(h)
			h.file("notes.txt", "one\n")
			for _, args := range [][]string{{"agents"}, {"sessions", "--logs"}, {"run", "hello", "--", "parley", "agent", "demo"}} {
				if r := runEnv(t, h.dir, h.env(), args...); r.code != 0 {
					t.Errorf("%q: got %+v", args, r)
				}
			}
			h.untouched()
			s := StartEnv(t, 160, 40, h.dir, h.env(), "demo")
			s.WaitFor(placeholder, "in the project")
			s.Type("@notes")
			s.WaitFor("notes.txt")
			s.Press("esc")
			s.Prompt(" hello")
			s.WaitFor("That is all.")
			s.WaitIdle()
			s.Press("ctrl+g")
			s.WaitFor("$EDITOR is vi")
			s.Press("tab", "y", "y")
			s.WaitFor("(OSC 52")
			h.untouched()
		})
	}
}
