//go:build unix

package installs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/agents"
	"parley/internal/must"
	"parley/internal/registry"
)

// tools makes a PATH with these scripts alone, besides the system's. They find $SEEN to write to.
func tools(t *testing.T, scripts map[string]string) (seen func() string) {
	t.Helper()
	bin, notes := t.TempDir(), filepath.Join(t.TempDir(), "seen")
	for name, script := range scripts {
		must.Do(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	}
	// A directory with the few programs that the scripts need, and no npm or Python of the machine.
	for _, name := range []string{"sh", "mkdir", "cat", "pwd", "chmod", "ln", "sleep"} {
		for _, dir := range []string{"/bin", "/usr/bin"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				_ = os.Symlink(filepath.Join(dir, name), filepath.Join(bin, name))
			}
		}
	}
	t.Setenv("PATH", bin)
	t.Setenv("SEEN", notes)
	t.Setenv("HOME", t.TempDir())
	return func() string { data, _ := os.ReadFile(notes); return string(data) }
}

// npm is a fake of it: it installs packages with the programs of $BIN, a JSON value.
const npm = `
if [ "$1" = view ]; then echo '{"dist.unpackedSize": 2000000, "dist.integrity": "sha512-xyz", "license": "ISC"}'; exit 0; fi
{ pwd; echo "$@"; } >> "$SEEN"
pkg="$3/node_modules/@scope/agent"
mkdir -p "$pkg" "$3/node_modules/.bin"
cat "$3/package.json" >> "$SEEN"
echo "{\"bin\": $BIN}" > "$pkg/package.json"
for name in agent other; do echo '#!/bin/sh' > "$3/node_modules/.bin/$name"; chmod 755 "$3/node_modules/.bin/$name"; done
if [ -n "$FAIL" ]; then echo "npm error one"; echo "npm error two" >&2; exit 7; fi`

func npmEntry() registry.Entry {
	return registry.Entry{ID: "agent", Name: "Agent", Version: "1.0.0", NPX: &registry.Package{Name: "@scope/agent", Version: "1.0.0", Args: []string{"--acp"}, Env: map[string]string{"A": "b c"}}}
}

func TestNpm(t *testing.T) {
	for bin, program := range map[string]string{
		`"cli.js"`: "agent", `{"other": "cli.js"}`: "other", `{"agent": "x", "other": "y"}`: "agent",
		`{"x": "x", "other": "y"}`: "", `{"missing": "x"}`: "", `{"../../../x": "x"}`: "", `{}`: "", `7`: "",
	} {
		seen := tools(t, map[string]string{"npm": npm, "node": `echo /versions/node`})
		t.Setenv("BIN", bin)
		t.Setenv("FAIL", "")
		project := t.TempDir()
		t.Chdir(project)
		s := Store{filepath.Join(t.TempDir(), "agents")}
		i, err := install(t, s, npmEntry(), answers)
		if program == "" {
			if err == nil || left(t, s) != "" {
				t.Errorf("%s: %+v, leaves %s", bin, i, left(t, s))
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", bin, err)
			continue
		}
		files := filepath.Join(i.Dir, filesDir)
		a := i.Agent()
		if a.Command != filepath.Join(files, "node_modules", ".bin", program) || a.Interpreter != "/versions/node" || a.Package != "@scope/agent" || a.Env["A"] != "b c" {
			t.Errorf("%s: %+v", bin, a)
		}
		want := files + "\ninstall --prefix " + files + " --global=false --ignore-scripts=true --save-exact --omit=dev --no-audit --no-fund @scope/agent@1.0.0\n{\"private\":true}\n"
		if seen() != want {
			t.Errorf("npm was run as %q, want %q", seen(), want)
		}
	}
}

func TestNpmPlan(t *testing.T) {
	seen := tools(t, map[string]string{"npm": npm})
	s := Store{filepath.Join(t.TempDir(), "agents")}
	p := must.Get(NewPlan(t.Context(), s, npmEntry(), Options{Version: "1.2.0-rc.1", Scripts: true}))(t)
	facts := fmt.Sprint(p.Facts("", "--scripts"))
	for _, want := range []string{"Agent 1.2.0-rc.1", "npm install --prefix " + p.files(), "--ignore-scripts=false", "@scope/agent@1.2.0-rc.1", p.Dir(), "2.0 MB, without the packages that it needs", "ISC", "SHA512 of the package registry, checked by npm", "install scripts of packages run", "'A=b c' @scope/agent --acp"} {
		if !strings.Contains(facts, want) {
			t.Errorf("no %q in %s", want, facts)
		}
	}
	if left(t, s) != "" || seen() != "" {
		t.Errorf("looking has left %s, and ran npm as %q", left(t, s), seen())
	}
	for _, version := range []string{"latest", "^1.0.0", "../x", "1.0.0 --flag"} {
		if _, err := NewPlan(t.Context(), s, npmEntry(), Options{Version: version}); err == nil {
			t.Errorf("%q is a version", version)
		}
	}
}

// What npm says when it fails is in the error, and nothing of what it did is left.
func TestNpmFails(t *testing.T) {
	tools(t, map[string]string{"npm": npm})
	t.Setenv("BIN", `"x"`)
	t.Setenv("FAIL", "1")
	s := Store{filepath.Join(t.TempDir(), "agents")}
	if _, err := install(t, s, npmEntry(), answers); err == nil || !strings.Contains(err.Error(), "npm: exit status 7: npm error one; npm error two; perhaps its install scripts have to run: parley agents install --scripts agent") || left(t, s) != "" {
		t.Errorf("%v, leaves %s", err, left(t, s))
	}
}

func TestNpmStops(t *testing.T) {
	tools(t, map[string]string{"npm": `[ "$1" = view ] && exit 1; sleep 600`})
	s := Store{filepath.Join(t.TempDir(), "agents")}
	p := must.Get(NewPlan(t.Context(), s, npmEntry(), Options{}))(t)
	ctx, stop := context.WithCancelCause(t.Context())
	tell := func(Progress) { stop(errors.New("stopped")) }
	if _, err := p.Install(ctx, false, tell, answers); err == nil || !strings.Contains(err.Error(), "stopped") || left(t, s) != "" {
		t.Errorf("%v, leaves %s", err, left(t, s))
	}
}

// A project that is in PATH gives no npm, as for everything else that parley starts.
func TestNpmOfTheProject(t *testing.T) {
	tools(t, map[string]string{"npm": npm})
	t.Chdir(strings.Split(os.Getenv("PATH"), ":")[0])
	if _, err := NewPlan(t.Context(), Store{t.TempDir()}, npmEntry(), Options{}); err == nil || !strings.Contains(err.Error(), "npm is not installed") {
		t.Error(err)
	}
}

func TestPython(t *testing.T) {
	e := registry.Entry{ID: "agent", Name: "Agent", Version: "1.0.0", UVX: &registry.Package{Name: "My.Agent[extra]", Version: "1.0.0"}}
	python := `
if [ "$2" = venv ]; then
	mkdir -p "$3/bin" "$3/lib/python3/site-packages/my_agent-1.0.0.dist-info" "$3/lib/python3/site-packages/other-1.dist-info"
	printf '[console_scripts]\nother = x\n' > "$3/lib/python3/site-packages/other-1.dist-info/entry_points.txt"
	printf '[console_scripts]\nmy-agent-acp = x:y\n\n[other]\nx = y\n' > "$3/lib/python3/site-packages/my_agent-1.0.0.dist-info/entry_points.txt"
	printf '#!/bin/sh\necho pip "$@" >> "$SEEN"\n' > "$3/bin/python"; chmod 755 "$3/bin/python"
	echo '#!/bin/sh' > "$3/bin/my-agent-acp"; chmod 755 "$3/bin/my-agent-acp"; exit 0
fi`
	uv := `
echo "$@" >> "$SEEN"; mkdir -p "$UV_TOOL_BIN_DIR" "$UV_TOOL_DIR"
echo '#!/bin/sh' > "$UV_TOOL_BIN_DIR/my-agent-acp"; chmod 755 "$UV_TOOL_BIN_DIR/my-agent-acp"`
	for _, test := range []struct {
		scripts       map[string]string
		program, seen string
	}{
		{map[string]string{"uv": uv, "python3": python}, "bin/my-agent-acp", "tool install --no-config --no-build My.Agent[extra]==1.0.0\n"},
		{map[string]string{"python3": python}, "venv/bin/my-agent-acp", "pip -m pip install --no-input --disable-pip-version-check --only-binary :all: My.Agent[extra]==1.0.0\n"},
		{nil, "", ""},
	} {
		seen := tools(t, test.scripts)
		s := Store{filepath.Join(t.TempDir(), "agents")}
		i, err := install(t, s, e, answers)
		if test.program == "" {
			if err == nil || !strings.Contains(err.Error(), "neither uv nor Python") {
				t.Error(err)
			}
			continue
		}
		if err != nil || i.Program != test.program || seen() != test.seen || i.Agent().Package != "" {
			t.Errorf("%v, %+v, %q", err, i, seen())
		}
	}
}

// A try gets the agent as it will be started, and its directory is there.
func TestTry(t *testing.T) {
	tools(t, map[string]string{"npm": npm})
	t.Setenv("BIN", `"x"`)
	t.Setenv("FAIL", "")
	s := Store{filepath.Join(t.TempDir(), "agents")}
	_, err := install(t, s, npmEntry(), func(_ context.Context, a agents.Agent) error {
		if _, err := os.Stat(a.Command); err != nil || len(s.List()) > 0 {
			t.Errorf("%v, %+v", err, s.List())
		}
		return errors.New("no answer")
	})
	if err == nil || !strings.Contains(err.Error(), "agent 1.0.0 was installed, but does not answer: no answer; perhaps its install scripts") || left(t, s) != "" {
		t.Errorf("%v, leaves %s", err, left(t, s))
	}
}

// A version that is there already was installed from what the registry said then. If it says something else now, that is
// not what the plan shows.
func TestChangedUnderItsVersion(t *testing.T) {
	tools(t, map[string]string{"npm": npm})
	t.Setenv("BIN", `"x"`)
	t.Setenv("FAIL", "")
	s := Store{filepath.Join(t.TempDir(), "agents")}
	must.Get(install(t, s, npmEntry(), answers))(t)
	must.Get(install(t, s, npmEntry(), answers))(t)
	for _, change := range []func(*registry.Package){
		func(p *registry.Package) { p.Args = nil },
		func(p *registry.Package) { p.Env = map[string]string{"A": "other"} },
		func(p *registry.Package) { p.Name = "@other/agent" },
	} {
		e := npmEntry()
		change(e.NPX)
		if i, err := install(t, s, e, answers); err == nil || !strings.Contains(err.Error(), "parley agents remove agent@1.0.0") {
			t.Errorf("%v, %+v", err, i)
		}
	}
	e := npmEntry()
	e.Version, e.NPX.Args = "2.0.0", nil
	p := must.Get(NewPlan(t.Context(), s, e, Options{Version: "1.0.0"}))(t) // back to it
	must.Get(p.Install(t.Context(), true, func(Progress) {}, answers))(t)
	if i, err := s.Find("agent"); err != nil || i.Env["A"] != "b c" {
		t.Errorf("%v, %+v", err, i)
	}
}
