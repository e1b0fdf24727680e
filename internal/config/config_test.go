package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"parley/internal/must"
	"parley/internal/registry"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// home gives the test a home directory.
func home(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	return dir
}

func TestExampleParses(t *testing.T) {
	dir := home(t)
	got := must.Get(Parse("config.toml", []byte(Example)))(t)
	want := &Config{
		Agent: "claude",
		Theme: "auto", Record: new(true), History: new(true), KeepChanges: new(true), Mouse: new(true), CopyOnSelect: new(true), Density: "normal", SidePanel: "auto", StartTimeout: "5m", ResumeWithin: "2h", Keymap: "default", Notify: "auto", Progress: "auto",
		Keys: map[string]map[string][]string{"chat": {"palette": {"ctrl+p", "f5"}}, "transcript": {"next": {"j", "down"}}},
		Agents: map[string]Agent{"mine": {
			Command: "my-agent", Prefix: []string{"nice", "-n", "5"}, Paths: map[string]string{"/work": "."}, EnvFile: filepath.Join(dir, ".my-agent.env"), Args: []string{"--acp"}, Env: map[string]string{"MY_AGENT_LOG": "warn"},
			Cwd: dir, Protocol: "1", OfferTools: new(true), SystemPrompt: filepath.Join(dir, "agents.md"), SystemPromptMode: "append",
		}, "far": {
			Cwd: "/srv/project",
			Remote: Remote{
				URL: "https://agents.example.com/acp", Headers: map[string]string{"X-Team": "tools"},
				HeaderEnv: map[string]string{"Authorization": "FAR_AUTHORIZATION"}, HeaderCommand: map[string][]string{"X-Key": {"my-keys", "show", "far"}},
				CAFile: filepath.Join(dir, "far-ca.pem"), ClientCert: filepath.Join(dir, "me.pem"), ClientKey: filepath.Join(dir, "me-key.pem"), H2C: "auto", Subprotocols: []string{"acp.v1"},
			},
		}},
		MCP: map[string]MCPServer{
			"files": {
				Command: "my-mcp-server", Args: []string{"--root", "/srv/files"},
				Env: map[string]string{"TOKEN": "..."}, Type: "stdio",
			},
			"search": {
				URL: "https://mcp.example.com/search", Type: "http",
				Headers: map[string]string{"Authorization": "Bearer ..."},
			},
		},
	}
	want.NotifyCommand = []string{"my-notifier", "--urgent"}
	want.Keep, want.KeepFor = new(bool), "12h"
	want.SandboxWrite, want.Registry = []string{"/srv/build"}, registry.DefaultURL
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Config{})); diff != "" {
		t.Error(diff)
	}
	// Every key is shown.
	for _, in := range []*shape{file(), file().keys["agents"].anyKey, file().keys["mcp"].anyKey} {
		for key := range in.keys {
			if !strings.Contains(Example, key) {
				t.Errorf("the example does not show %q", key)
			}
		}
	}
}

func TestRegistry(t *testing.T) {
	for text, want := range map[string]string{
		"": registry.DefaultURL, "registry = false": "", "registry = 'http://localhost:1/x'": "http://localhost:1/x",
		"registry = true": "f:1:12: registry = true: want a URL or false", "registry = 7": "f:1:12: registry: want a string or false, not an integer",
		"registry = 'http://example.com/x'": "f:1:12: registry: http://example.com is not https: want https://host/file, http only on this machine, or false",
		"registry = ['x']":                  "f:1:1: registry: want a string or false, not an array",
	} {
		c, err := Parse("f", []byte(text))
		if err == nil && c.RegistryURL() != want || err != nil && err.Error() != want {
			t.Errorf("%s: %v, %v", text, c, err)
		}
	}
}

// The initial file sets nothing, and every line of it is a setting once uncommented.
func TestInert(t *testing.T) {
	home(t)
	got := must.Get(Parse("f", []byte(Inert())))(t)
	if diff := cmp.Diff(&Config{}, got, cmpopts.IgnoreUnexported(Config{})); diff != "" {
		t.Error(diff)
	}
	var live strings.Builder
	for line := range strings.Lines(Inert()) {
		if rest, ok := strings.CutPrefix(line, "#"); ok && rest[0] != ' ' {
			line = rest
		}
		live.WriteString(line)
	}
	if live.String() != Example {
		t.Error("the signs hide something else than the example")
	}
}

func TestForms(t *testing.T) {
	dir := home(t)
	for name, text := range map[string]string{
		"empty":   "",
		"comment": "# nothing\n",
		"dotted":  "agents.x.command = 'c'\nagents.x.env.A = 'b'\n",
		"inline":  "agents = { x = { command = 'c', args = ['a', \"b\",], env = {} } }\n",
		"table":   "[agents]\nx.command = 'c'\n[agents.x.env]\nA = '''\nb'''\n",
		"CRLF":    "theme = \"dark\"\r\n[agents.x]\r\ncommand = \"c\"\r\n",
		"BOM":     "\ufefftheme = 'dark'",
		"sse":     "[mcp.x]\nurl = 'http://[::1]:80/x'\ntype = 'sse'\n",
	} {
		if _, err := Parse("f", []byte(text)); err != nil {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if got, err := Parse("f", []byte("linear = true")); err != nil || !got.Linear {
		t.Errorf("linear: %+v, %v", got, err)
	}
	got := must.Get(Parse("f", []byte("[agents.'a.b']\ncommand = '~/bin/x'\ncwd = '~/p'\n[mcp.m]\ncommand = '~/m'\n[mcp.u]\nurl='https://h'")))(t)
	if a := got.Agents["a.b"]; a.Command != filepath.Join(dir, "bin", "x") || a.Cwd != filepath.Join(dir, "p") {
		t.Errorf("got %+v", a)
	}
	if m := got.MCP["m"]; m.Command != filepath.Join(dir, "m") || m.Type != "stdio" {
		t.Errorf("got %+v", m)
	}
	if m := got.MCP["u"]; m.Type != "http" {
		t.Errorf("got %+v", m)
	}
}

func TestErrors(t *testing.T) {
	home(t)
	const cmdX = "[agents.x]\ncommand = 'c'\n"
	for _, tc := range []struct{ text, want string }{
		// Keys.
		{"\n\nthemes = 'dark'\n", `3:1: unknown key "themes" (did you mean "theme"?)`},
		{"Theme = 'dark'", `1:1: unknown key "Theme" (did you mean "theme"?)`},
		{"frobnicate = 1", `1:1: unknown key "frobnicate"`},
		{"[agent.x]\n", `1:2: agent: want a string, not a table`},
		{"[servers.x]\n", `1:2: unknown key "servers"`},
		{"[agents.x]\n  comand = 'c'", `2:3: unknown key "comand" in agents.x (did you mean "command"?)`},
		{"agents = { x = { run = 'c' } }", `1:18: unknown key "run" in agents.x`},
		{"agents.x.y.z = 1", `1:10: unknown key "y" in agents.x`},
		{"[mcp.\"é x\"]\nurls = ''", `2:1: unknown key "urls" in mcp."é x" (did you mean "url"?)`},
		{"\"é\" = 1 # ", `1:1: unknown key "é"`},
		{"agents = { é = 1 }", `1:12: invalid character at start of key: U+00C3 'Ã'`},
		// Kinds.
		{"agent = 5", `1:9: agent: want a string, not an integer`},
		{"theme = true", `1:9: theme: want a string, not a boolean`},
		{"theme = 1.5", `1:9: theme: want a string, not a float`},
		{"theme = 2024-01-01", `1:9: theme: want a string, not a date or time`},
		{"theme = {}", `1:9: theme: want a string, not a table`},
		{"theme = []", `1:1: theme: want a string, not an array`},
		{"agents = 'x'", `1:10: agents: want a table, not a string`},
		{"agents.x = 'x'", `1:12: agents.x: want a table, not a string`},
		{"[[agents]]\n", `1:3: agents: want a table, not an array of tables`},
		{"[[agents.x]]\n", `1:10: agents.x: want a table, not an array of tables`},
		{"[agents.x.command]\n", `1:11: agents.x.command: want a string, not a table`},
		{cmdX + "args = '--acp'", `3:8: agents.x.args: want an array of strings, not a string`},
		{cmdX + "args = [\n 'a',\n 5]", `5:2: agents.x.args: want an array of strings, not one with an integer`},
		{cmdX + "env = ['A=b']", `3:1: agents.x.env: want a table of strings, not an array`},
		{cmdX + "env = { A = 1 }", `3:13: agents.x.env.A: want a string, not an integer`},
		{cmdX + "protocol = 1", `3:12: agents.x.protocol: want a string, not an integer`},
		{"sandbox = 'yes'", `1:11: sandbox: want true or false, not a string`},
		{"notify_command = []", `1:1: notify_command: want a program and its arguments`},
		{"notify_command = ['bin/x']", `1:1: notify_command = "bin/x": want a name on PATH, an absolute path or one from ~/`},
		{"notify_command = ['x', \"\\u0000\"]", `1:1: notify_command: contains a NUL character`},
		{"sandbox_write = ['/x', 'y']", `1:1: sandbox_write: "y": want an absolute path or one from ~/`},
		{"offer_tools = 'yes'", `1:15: offer_tools: want true or false, not a string`},
		{cmdX + "offer_tools = 1", `3:15: agents.x.offer_tools: want true or false, not an integer`},
		{"[agents.x]\nurl = 'https://h'\ncommand = 'c'", "1:9: agents.x: set either command or url, not both"},
		{"[agents.x]\nurl = 'ftp://user:secret@h'", "2:7: url: want http://host, https://host, ws://host or wss://host"},
		{"[agents.x]\nurl = 'wss://user:secret@h:65536'", "2:7: url: want a port of 1 to 65535"},
		{"[mcp.x]\nurl = 'http://h:0'", "2:7: url: want a port of 1 to 65535"},
		{"[agents.x]\nurl = 'wss://h'\nargs = ['a']", "3:1: agents.x.args: only with command"},
		{"[agents.x]\ncommand = 'c'\nshare_files = true", "3:15: agents.x.share_files: only with url"},
		{"[agents.x]\nurl = 'wss://h'\nheaders = { 'a b' = 'secret' }", `3:21: agents.x.headers."a b": not the name of a header`},
		{"[agents.x]\nurl = 'wss://h'\nheader_env = { A = '' }", "3:20: agents.x.header_env.A: want the name of a variable"},
		{"[agents.x]\nurl = 'wss://h'\nheader_command = { A = [] }", "3:20: agents.x.header_command.A: want a command and its arguments"},
		{"[agents.x]\nurl = 'wss://h'\nheader_command = { A = ['./a'] }", "3:20: A = \"./a\": want a name on PATH, an absolute path or one from ~/"},
		{"[agents.x]\nurl = 'wss://h'\nheader_command = { A = 'a' }", "3:24: agents.x.header_command.A: want an array of strings, not a string"},
		{"[agents.x]\nurl = 'wss://h'\nca_file = 'ca.pem'", "3:11: agents.x.ca_file: want an absolute path or one from ~/"},
		{"[agents.x]\nurl = 'wss://h'\nclient_cert = '/c'", "1:9: agents.x: client_cert and client_key belong together"},
		{"[agents.x]\nurl = 'wss://h'\nsubprotocols = ['a', 'b c']", `3:1: agents.x.subprotocols: number 2: want names without spaces and commas, each once`},
		{"[agents.x]\ncommand = 'c'\nsubprotocols = ['a']", `3:1: agents.x.subprotocols: only with url`},
		{"density = 'some'", `1:11: density = "some": want normal, everything or quiet`},
		{"resume_within = 'later'", `1:17: resume_within = "later": want 90s, 10m, … or 0s`},
		{"start_timeout = 'soon'", `1:17: start_timeout = "soon": want 90s, 10m, … or 0s`},
		{"[keys.chat]\nstop = 'esc'", `2:8: keys.chat.stop: want an array of strings, not a string`},
		{"[agents.x]\nurl = 'wss://h'\nh2c = 'maybe'", `3:7: h2c = "maybe": want auto, on or off`},
		{cmdX + "system_prompt = 'notes.md'", `3:17: agents.x.system_prompt: "notes.md": want an absolute path or one from ~/`},
		{cmdX + "system_prompt = '/notes.md'\nsystem_prompt_mode = 'replace'", `4:22: system_prompt_mode = "replace": want append or override`},
		{cmdX + "system_prompt_mode = 'override'", `3:22: agents.x.system_prompt_mode: only with system_prompt`},
		{"[mcp.x]\noffer_tools = true", `2:1: unknown key "offer_tools" in mcp.x`},
		// Syntax.
		{"theme = ", `1:8: expected value, not end of input`},
		{"theme = 'dark'\nagent = \"x\n", `2:`},
		{"theme dark", `1:7: expected '=' after key`},
		{"theme = 'dark'\ntheme = 'dark'", `2:1: `},
		{cmdX + "[agents.x]\n", `3:`},
		{"agent = '\xff'", `1:`},
		// Values.
		{"theme = 'blue'", `1:9: theme = "blue": want auto, dark, light, contrast-dark, contrast-light, ansi or plain`},
		{"theme = ''", `1:9: theme = "": want auto, dark, light, contrast-dark, contrast-light, ansi or plain`},
		{cmdX + "protocol = \"3\"", `3:12: protocol = "3": want auto, 1 or 2`},
		{cmdX + "cwd = 'src'", `3:7: cwd = "src": want an absolute path or one from ~/`},
		{cmdX + "cwd = '~other/src'", `3:7: cwd = "~other/src": want an absolute path or one from ~/`},
		{"[agents.x]\nargs = []", `1:9: agents.x: set command or url`},
		{"[agents.x]\ncommand = ''", `1:9: agents.x: set command or url`},
		{"[agents.x]\ncommand = './agent'", `2:11: command = "./agent": want a name on PATH, an absolute path or one from ~/`},
		{"[agents.'my agent']\ncommand = 'c'", `1:9: agents."my agent": want a name of letters, digits, "-", "_" and "."`},
		{"[agents.\"\"]\ncommand = 'c'", `1:9: agents."": want a name of letters, digits, "-", "_" and "."`},
		{"[agents.x]\ncommand = \"a\\u0000b\"", `2:11: agents.x.command: contains a NUL character`},
		{cmdX + "args = [\"\\u0000\"]", `3:1: agents.x.args: contains a NUL character`},
		{cmdX + "env = { \"A=B\" = 'c' }", `3:17: agents.x.env."A=B": not the name of an environment variable`},
		{cmdX + "env = { A = \"\\u0000\" }", `3:13: agents.x.env.A: contains a NUL character`},
		{"[mcp.x]\ncommand = 'c'\nurl = 'http://h'", `1:6: mcp.x: set either command or url, not both`},
		{"[mcp.x]\ntype = 'http'", `1:6: mcp.x: set command or url`},
		{"[mcp.x]\nurl = 'ftp://user:secret@h'", `2:7: url: want http://host or https://host`},
		{"[mcp.x]\nurl = 'https://'", `2:7: url: want http://host or https://host`},
		{"[mcp.x]\nurl = 'https://h'\ntype = 'stdio'", `3:8: type = "stdio": want http or sse`},
		{"[mcp.x]\ncommand = 'c'\ntype = 'http'", `3:8: type = "http": want stdio`},
		{"[mcp.x]\nurl = 'https://h'\nargs = []", `3:1: mcp.x.args: only with command`},
		{"[mcp.x]\nurl = 'https://h'\n[mcp.x.env]\nA = 'b'", `3:8: mcp.x.env: only with command`},
		{"[mcp.x]\ncommand = 'c'\nheaders = { A = 'b' }", `3:11: mcp.x.headers: only with url`},
		{"[mcp.x]\nurl = 'https://h'\nheaders = { 'A b' = 'c' }", `3:21: mcp.x.headers."A b": not the name of a header`},
		{"[mcp.x]\nurl = 'https://h'\nheaders = { A = \"secret\\n\" }", `3:17: mcp.x.headers.A: contains a line break or NUL character`},
		// Of several the first in the file.
		{"[agents.x]\nargs=[]\n[mcp.x]\n[agents.y]\ncommand = './y'", `1:9: agents.x: set command or url`},
		{"[mcp.b]\n[mcp.a]\n[agents.c]\n", `1:6: mcp.b: set command or url`},
	} {
		_, err := Parse("/p/config.toml", []byte(tc.text))
		if err == nil {
			t.Errorf("%q: no error, want %s", tc.text, tc.want)
			continue
		}
		got, ok := strings.CutPrefix(err.Error(), "/p/config.toml:")
		whole := !strings.HasSuffix(tc.want, ":") && !strings.HasSuffix(tc.want, ": ")
		if !ok || !strings.HasPrefix(got, tc.want) || whole && got != tc.want {
			t.Errorf("%q:\n got %s\nwant %s", tc.text, err, tc.want)
		}
		if strings.Contains(got, "toml:") || strings.Contains(got, "config.") || strings.Contains(got, "secret") {
			t.Errorf("%q: %s", tc.text, got)
		}
		wantOneLine(t, err)
	}
}

func wantOneLine(t testing.TB, err error) {
	t.Helper()
	if strings.ContainsFunc(err.Error(), unicode.IsControl) {
		t.Errorf("not one line: %q", err)
	}
}

func TestLongAndOddNamesInErrors(t *testing.T) {
	for _, text := range []string{
		"\"a\\nb\\u001b[31m\" = 1",
		"[agents.\"x\\r\\n\"]\ncommand='c'",
		strings.Repeat("k", 500) + " = 1",
		"theme = '" + strings.Repeat("é", 5000) + "'",
	} {
		_, err := Parse("odd\nname\x1b", []byte(text))
		if err == nil {
			t.Fatalf("%.20q parses", text)
		}
		wantOneLine(t, err)
		if len(err.Error()) > 300 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
	}
}

func TestValidate(t *testing.T) {
	known := []string{"claude", "codex", "demo"}
	for _, tc := range []struct{ text, want string }{
		{"", ""},
		{"agent = 'codex'", ""},
		{"agent = 'x'\n[agents.x]\ncommand = 'c'", ""},
		{"\nagent = 'claud'", `f:2:9: agent = "claud": no such agent (did you mean "claude"?)`},
		{"agent = 'nobody'", `f:1:9: agent = "nobody": no such agent`},
		{"agent = 'mime'\n[agents.mine]\ncommand = 'c'", `f:1:9: agent = "mime": no such agent (did you mean "mine"?)`},
	} {
		c := must.Get(Parse("f", []byte(tc.text)))(t)
		got := ""
		if err := c.Validate(known); err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%q: got %s, want %s", tc.text, got, tc.want)
		}
	}
	if err := (&Config{Agent: "nobody"}).Validate(known); err == nil {
		t.Error("a Config made by hand passes")
	}
}

func TestPath(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PARLEY_CONFIG", filepath.Join(dir, "my.toml"))
	if got, err := Path(); err != nil || got != filepath.Join(dir, "my.toml") {
		t.Errorf("%s, %v", got, err)
	}
	t.Setenv("PARLEY_CONFIG", "")
	user, err := os.UserConfigDir()
	if err != nil {
		t.Skip(err)
	}
	if got, err := Path(); err != nil || got != filepath.Join(user, "parley", "config.toml") {
		t.Errorf("%s, %v", got, err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config.toml")

	got, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&Config{}, got, cmpopts.IgnoreUnexported(Config{})); diff != "" {
		t.Error("a missing file is not the zero Config", diff)
	}
	if err := got.Validate(nil); err != nil {
		t.Error(err)
	}

	must.Do(t, os.WriteFile(file, []byte("theme = 'dark'"), 0o600))
	if got, err = Load(file); err != nil || got.Theme != "dark" {
		t.Errorf("%+v, %v", got, err)
	}
	must.Do(t, os.WriteFile(file, []byte("x = 1"), 0o600))
	if _, err = Load(file); err == nil || err.Error() != file+`:1:1: unknown key "x"` {
		t.Error(err)
	}
	if _, err = Load(dir); err == nil || err.Error() != dir+": not a regular file" {
		t.Error(err)
	}
	must.Do(t, os.WriteFile(file, make([]byte, maxSize+1), 0o600))
	if _, err = Load(file); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Error(err)
	}
	if _, err = Load(filepath.Join(file, "below")); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Error("a path below a file:", err)
	}
}

// A file that names programs to start, or where to send credentials, must be changeable by
// the user alone.
func TestLoadOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such modes")
	}
	dir := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	file := filepath.Join(dir, "config.toml")
	for _, test := range []struct {
		text      string
		dir, file os.FileMode
		want      string
	}{
		{"theme = 'dark'", 0o777, 0o666, ""},
		{"[agents.a]\ncommand = 'x'", 0o755, 0o644, ""},
		{"[agents.a]\ncommand = 'x'", 0o755, 0o646, ": others can write it, so it is not read: chmod go-w " + file},
		{"[agents.a]\nurl = 'https://h'\nheader_command = { A = ['x'] }", 0o777, 0o600, ": others can write in " + dir + ", so it is not read: chmod go-w " + dir},
		{"[mcp.m]\ncommand = 'x'", 0o757, 0o600, ": others can write in " + dir + ", so it is not read: chmod go-w " + dir},
	} {
		must.Do(t, os.WriteFile(file, []byte(test.text), 0o600))
		os.Chmod(dir, test.dir)
		os.Chmod(file, test.file)
		if test.want != "" {
			test.want = file + test.want
		}
		got := ""
		if _, err := Load(file); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q in %o %o: %q, want %q", test.text, test.dir, test.file, got, test.want)
		}
	}
}

// The largest file with the most keys is parsed in moments.
func TestManyKeys(t *testing.T) {
	var b strings.Builder
	b.WriteString("[agents.x]\ncommand='c'\n[agents.x.env]\n")
	for i := 0; b.Len() < maxSize-32; i++ {
		fmt.Fprintf(&b, "k%d=''\n", i)
	}
	if _, err := Parse("f", []byte(b.String())); err != nil {
		t.Error(err)
	}
	if _, err := Parse("f", []byte("agents = "+strings.Repeat("[", maxSize-16))); err == nil {
		t.Error("tens of thousands of brackets parse")
	}
}

func FuzzParse(f *testing.F) {
	for part := range strings.SplitSeq(Example, "\n\n") { // the whole example is too much for one step
		f.Add([]byte(part))
	}
	f.Add([]byte("theme = 'blue'"))
	f.Add([]byte("agents = { x = { command = \"a\\u0000\", args = [1] } }"))
	f.Add([]byte("[[mcp]]\n[mcp.x]\nurl = '%'"))
	f.Add([]byte("[agents.\"a\\nb\"]\r\ncwd = '~'\n\"\\u001b\" = 1979-05-27"))
	f.Add([]byte("\xef\xbb\xbfagent = '\xff'"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("f", data[:min(len(data), 1000)])
		if err == nil {
			err = c.Validate([]string{"claude"})
		}
		if err != nil {
			wantOneLine(t, err)
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("%v does not begin with the name", err)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		must.Get(Parse("f", []byte(Example)))(b)
	}
}

func TestInline(t *testing.T) {
	for text, want := range map[string]bool{"": false, "inline = true\n": true, "inline = false\n": false} {
		if c, err := Parse("config.toml", []byte(text)); err != nil || c.Inline != want {
			t.Errorf("%q: %v, %v", text, c, err)
		}
	}
	if _, err := Parse("config.toml", []byte("inline = 'yes'\n")); err == nil || !strings.Contains(err.Error(), "config.toml:1:10: inline: want true or false") {
		t.Errorf("a string: %v", err)
	}
}
