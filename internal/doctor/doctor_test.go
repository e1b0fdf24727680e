package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"parley/internal/must"
	"parley/internal/tty"
)

// summary returns findings in short.
func summary(all []Finding) string {
	var lines []string
	for _, f := range all {
		line := string(f.State) + " " + f.Check + ": " + f.Text
		if f.Fix != "" {
			line += " → " + f.Fix
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// wants fails the test unless there is a finding of a state with a text and a fix.
func wants(t *testing.T, all []Finding, state State, text, fix string) {
	t.Helper()
	for _, f := range all {
		if f.State == state && strings.Contains(f.Text, text) && strings.Contains(f.Fix, fix) {
			return
		}
	}
	t.Errorf("want %s %q → %q, got\n%s", state, text, fix, summary(all))
}

func TestTerminalFaults(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	colours := func(depth colorprofile.Profile) tty.Profile { return tty.Profile{Colours: tty.Colours{Depth: depth}} }
	full := Answers{Took: 1, Name: "ghostty 1.2", Kitty: true, OSC52: true, Widths: widths(false), Modes: map[int]bool{2026: true, mouseSGR: true}}
	all := full.describe(colours(colorprofile.TrueColor), env(), "")
	if len(all) != 7 || Count(all, OK) != 7 {
		t.Errorf("got\n%s", summary(all))
	}
	wants(t, all, OK, "OSC 52", "")

	poor := Answers{Took: 1, Modes: map[int]bool{mouseSGR: false}, Widths: []int{2, 2, 2, 4, 1}}
	all = poor.describe(colours(colorprofile.ANSI), env("TERM", "vt220"), "xclip")
	wants(t, all, OK, "TERM=vt220", "")
	wants(t, all, OK, "by xclip", "")
	wants(t, all, Warn, "16 or fewer", "TERM=xterm-256color")
	wants(t, all, Warn, "shift+enter", "alt+enter")
	wants(t, all, Warn, "not reported", "mouse = false")
	wants(t, all, Warn, "takes 2 cells, not 6", "mode 2027")

	odd := Answers{Took: 1, Widths: []int{1, 2, 2, 4, 1}}
	clusters := colours(colorprofile.TrueColor)
	clusters.Clusters = true
	wants(t, odd.describe(clusters, env(), "xclip"), Warn, "takes 1 cell, not 2: rows", "another version of this terminal")
	wants(t, Answers{}.describe(colours(colorprofile.TrueColor), env("TERM", "xterm"), ""), Warn, "no answer within 2s", "--linear")
}

func TestTmux(t *testing.T) {
	options := map[string]string{"prefix": "C-b", "extended-keys": "off", "set-clipboard": "external", "allow-passthrough": "off", "focus-events": "off",
		"escape-time": "500", "#{client_termfeatures}": "256,title", "-V": "tmux 3.5a"}
	ask := func(args ...string) string { return options[args[len(args)-1]] }
	all := tmux(ask, true)
	for _, line := range []string{"set -s extended-keys on", "set -s set-clipboard on", "set -g allow-passthrough on", "set -g focus-events on", "set -s escape-time 10", `set -as terminal-features ",*:RGB"`} {
		wants(t, all, Warn, "", ": "+line)
	}
	if len(tmux(ask, false)) != len(all)-1 {
		t.Error("a program copies, and still tmux is asked to")
	}
	options = map[string]string{"prefix": "C-b", "extended-keys": "on", "set-clipboard": "on", "allow-passthrough": "on", "focus-events": "on",
		"escape-time": "10", "#{client_termfeatures}": "256,RGB", "-V": "tmux 3.5a"}
	wants(t, tmux(ask, true), OK, "3.5a", "")
	wants(t, tmux(func(...string) string { return "" }, true), Warn, "does not answer", "tmux show-options")
}

func TestZellij(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.kdl")
	getenv := func(name string) string {
		if name == "ZELLIJ_CONFIG_FILE" {
			return file
		}
		return ""
	}
	wants(t, zellij(getenv), Warn, "ctrl+g", "add to "+file+`: default_mode "locked"`)
	must.Do(t, os.WriteFile(file, []byte("// default_mode \"locked\"\n"), 0o600))
	wants(t, zellij(getenv), Warn, "", "")
	must.Do(t, os.WriteFile(file, []byte("theme \"x\"\n default_mode \"locked\"\n"), 0o600))
	wants(t, zellij(getenv), OK, "locked", "")
}

func TestStateDir(t *testing.T) {
	dir := t.TempDir()
	is := func(dir string, state State, text, fix string) {
		t.Helper()
		wants(t, []Finding{StateDir(dir, nil)}, state, text, fix)
	}
	is(filepath.Join(dir, "a", "b"), OK, "made when it is needed", "")
	left := must.Get(os.ReadDir(dir))(t)
	if len(left) > 0 {
		t.Errorf("left %v", left)
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	is(filepath.Join(dir, "file", "x"), Fail, "not a directory", "PARLEY_STATE")
	wants(t, []Finding{StateDir("", os.ErrInvalid)}, Fail, "", "HOME")
	if runtime.GOOS == "windows" {
		return
	}
	must.Do(t, os.Chmod(dir, 0o755))
	is(dir, Warn, "others can list it", "chmod 700 "+dir)
	must.Do(t, os.Chmod(dir, 0o777))
	is(dir, Fail, "others can write it", "chmod 700 "+dir)
	must.Do(t, os.Chmod(dir, 0o700))
	is(dir, OK, dir, "")
	if os.Getuid() != 0 {
		must.Do(t, os.Chmod(dir, 0o500))
		t.Cleanup(func() { os.Chmod(dir, 0o700) })
		is(dir, Fail, "permission denied", "chmod u+rwx")
	}
}

func TestProxies(t *testing.T) {
	env := map[string]string{"HTTPS_PROXY": "http://u:secret@proxy.example:3128", "http_proxy": "proxy.example:many", "NO_PROXY": "localhost"}
	all := Proxies(func(name string) string { return env[name] })
	wants(t, all, OK, "HTTPS_PROXY: proxy.example:3128", "")
	wants(t, all, Fail, "http_proxy is not the address of a proxy", "unset http_proxy")
	wants(t, all, OK, "not for localhost", "")
	if strings.Contains(summary(all), "secret") {
		t.Error("the password is shown")
	}
	if all := Proxies(func(string) string { return "" }); all != nil {
		t.Errorf("got %v without a proxy", all)
	}
}

func TestPackageOf(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o755))
		return path
	}
	program := write("lib/node_modules/@x/agent/dist/main.js", "#!/usr/bin/env node")
	write("lib/node_modules/@x/agent/package.json", `{"name":"@x/agent","version":"1.2.3"}`)
	link := filepath.Join(dir, "agent")
	if err := os.Symlink(program, link); err != nil {
		t.Skip("no symbolic links")
	}
	for _, c := range []struct{ program, pkg, want string }{{link, "@x/agent", "1.2.3"}, {program, "@x/agent", "1.2.3"}, {link, "other", ""}, {link, "", ""}, {filepath.Join(dir, "missing"), "@x/agent", ""}} {
		if got := PackageOf(c.program, c.pkg).Version; got != c.want {
			t.Errorf("%s of %s: got %q", c.program, c.pkg, got)
		}
	}
}

// Rows are as wide as the terminal, and everything of a fault is there.
func TestPrint(t *testing.T) {
	var out strings.Builder
	live := Style{Width: 80, Check: 13, Live: true}
	live.Waiting(&out, "state")
	live.Print(&out, Finding{Check: "state", State: OK, Text: "good"})
	if got := out.String(); got != "      state …\r\x1b[Kok    state          good\n" {
		t.Errorf("got %q", got)
	}
	f := Finding{Check: "state", State: Fail, Text: strings.Repeat("words and ", 12) + "more", Fix: "chmod 700 DIR\x1b[2J", Section: "transports", Message: `{"jsonrpc":"2.0"}`}
	for _, width := range []int{20, 40, 80, 10_000} {
		var out strings.Builder
		Style{Width: width, Check: 13}.Print(&out, f)
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Errorf("%d cells in a row of %d: %q", n, width, line)
			}
		}
		flat := strings.Join(strings.Fields(out.String()), " ")
		for _, want := range []string{"fail state", "words and more", "chmod 700 DIR", "transports"} {
			if !strings.Contains(flat, want) {
				t.Errorf("%d: no %q in\n%s", width, want, out.String())
			}
		}
		if strings.Contains(out.String(), "\x1b") {
			t.Errorf("%q", out.String())
		}
	}
}
