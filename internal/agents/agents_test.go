package agents

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/programs"
)

// machine is a PATH with these executables. It counts look-ups.
type machine struct {
	mu     sync.Mutex
	has    []string
	looked map[string]int
}

func (m *machine) look(name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.looked == nil {
		m.looked = map[string]int{}
	}
	m.looked[name]++
	if slices.Contains(m.has, name) {
		return "/bin/" + name, nil
	}
	return "", exec.ErrNotFound
}

func names(list []Agent) string {
	var all []string
	for _, a := range list {
		all = append(all, a.Name)
	}
	return strings.Join(all, " ")
}

func TestKnown(t *testing.T) {
	seen := map[string]bool{}
	for i, a := range Known() {
		if a.Name == "" || a.Title == "" || a.Command == "" || a.Install == "" {
			t.Errorf("incomplete: %+v", a)
		}
		if d := details[a.Name]; d.maker == "" || a.Name != Demo && d.state == "" {
			t.Errorf("%s: whose it is, or where it keeps its files, is missing", a.Name)
		}
		if exact := regexp.MustCompile(`^\d+\.\d+\.\d+$`); a.Package != "" && !exact.MatchString(a.Version) {
			t.Errorf("%s: npx would fetch version %q", a.Name, a.Version)
		}
		if seen[a.Name] {
			t.Errorf("%s is listed twice", a.Name)
		}
		seen[a.Name] = true
		if a.Name != strings.ToLower(a.Name) || strings.ContainsAny(a.Name, " \n") || strings.Contains(a.Install, "\n") {
			t.Errorf("name or install line of %+v", a)
		}
		if last := i == len(Known())-1; last != (a.Source == Builtin) || last != (a.Name == Demo) {
			t.Errorf("%s at %d has source %v", a.Name, i, a.Source)
		}
	}
	// The caller owns the result.
	Known()[2].Args[0] = "changed"
	if got := Known()[2].Args[0]; got != "--acp" {
		t.Errorf("the table was changed: %q", got)
	}
}

// A known agent may write where it keeps its own files, a program of the user's where any agent does.
func TestState(t *testing.T) {
	codex, _ := Find(Known(), "codex")
	if got := codex.State(); !slices.Equal(got, []string{".codex", ".config/codex"}) {
		t.Errorf("codex: %q", got)
	}
	for _, source := range []Source{Config, Custom} {
		own := codex
		own.Source = source
		if got := own.State(); !slices.Contains(got, ".claude.json") || !slices.Contains(got, ".codex") || len(got) != len(State()) {
			t.Errorf("%v: %q", source, got)
		}
	}
	if got := (Agent{Name: Demo, Source: Builtin}).State(); len(got) != 0 {
		t.Errorf("demo: %q", got)
	}
}

func TestCommandsOfKnownAgents(t *testing.T) {
	everything := func(name string) (string, error) { return "/bin/" + name, nil }
	list := Discover(everything)
	for name, want := range map[string]string{
		"claude":   "claude-agent-acp",
		"codex":    "codex-acp",
		"gemini":   "gemini --acp",
		"opencode": "opencode acp",
		"goose":    "goose acp",
		"qwen":     "qwen --acp",
		"copilot":  "copilot --acp",
		"kimi":     "kimi acp",
		"cline":    "cline --acp",
		"auggie":   "auggie --acp",
		"kilo":     "kilo acp",
		"pi":       "pi-acp",
	} {
		a, ok := Find(list, name)
		if !ok || a.CommandLine() != want || a.Source != Path || a.Found != "/bin/"+a.Command {
			t.Errorf("%s: %q, %+v", name, a.CommandLine(), a)
		}
	}
}

func TestDiscoverOrder(t *testing.T) {
	m := &machine{has: []string{"npx", "goose", "gemini"}}
	list := Discover(m.look)
	got := names(list)
	want := "gemini goose claude codex opencode copilot qwen cline kimi kilo auggie pi droid " +
		"cursor vibe junie kiro openhands demo"
	if got != want {
		t.Errorf("order\n%s, want\n%s", got, want)
	}
	for range 10 {
		if again := names(Discover(m.look)); again != got {
			t.Fatalf("order changes: %s", again)
		}
	}

	claude, _ := Find(list, "claude")
	if claude.Source != Npx || claude.Found != "/bin/npx" || claude.CommandLine() != "npx -y @agentclientprotocol/claude-agent-acp@"+claude.Version {
		t.Errorf("got %+v", claude)
	}
	opencode, _ := Find(list, "opencode")
	if opencode.CommandLine() != "npx -y opencode-ai@"+opencode.Version+" acp" {
		t.Error(opencode.CommandLine())
	}
	cursor, _ := Find(list, "cursor")
	if cursor.Source != Missing || cursor.Found != "" || cursor.Install == "" {
		t.Errorf("got %+v", cursor)
	}
	demo, ok := Find(list, "demo")
	self, _ := os.Executable()
	if !ok || demo.Source != Builtin || demo.Command != self || !slices.Equal(demo.Args, []string{"agent", "demo"}) {
		t.Errorf("got %+v", demo)
	}
}

func TestDiscoverLooksOncePerName(t *testing.T) {
	m := &machine{}
	for _, a := range Discover(m.look) {
		if a.Source != Missing && a.Source != Builtin {
			t.Errorf("%s: %v without anything on PATH", a.Name, a.Source)
		}
		if strings.Contains(a.CommandLine(), "npx") {
			t.Errorf("%s would run %q without npx", a.Name, a.CommandLine())
		}
	}
	for name, n := range m.looked {
		if n != 1 {
			t.Errorf("looked for %s %d times", name, n)
		}
	}
	if m.looked["npx"] != 1 {
		t.Error("did not look for npx")
	}
}

func TestFind(t *testing.T) {
	if a, ok := Find(Known(), "Claude"); !ok || a.Name != "claude" {
		t.Errorf("%+v %v", a, ok)
	}
	if _, ok := Find(Known(), "nobody"); ok {
		t.Error("not found")
	}
}

func TestCommandLineQuotes(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"--flag=x", "@scope/pkg"}, "run --flag=x @scope/pkg"},
		{[]string{"two words", ""}, "run 'two words' ''"},
		{[]string{"it's", "$HOME", "a;b", "*"}, `run 'it'\''s' '$HOME' 'a;b' '*'`},
		{[]string{"~/x", "é"}, "run '~/x' 'é'"},
	} {
		a := Agent{Command: "run", Args: tc.args}
		got := a.CommandLine()
		if got != tc.want {
			t.Errorf("%q: got %s, want %s", tc.args, got, tc.want)
		}
		sh, err := exec.LookPath("sh")
		if err != nil {
			continue
		}
		// A shell must parse it into the same words.
		out, err := exec.Command(sh, "-c", `run() { printf '%s\0' "$@"; }; `+got).Output()
		if err != nil || string(out) != strings.Join(tc.args, "\x00")+"\x00" {
			t.Errorf("a shell reads %s as %q, %v", got, out, err)
		}
	}
	remote := Agent{URL: "https://host/acp"}
	if got := remote.CommandLine(); got != "https://host/acp" {
		t.Error(got)
	}
}

func BenchmarkDiscover(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Discover(programs.NewPath(os.Environ()).Find)
	}
}
