package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/cli"
	"parley/internal/doctor"
	"parley/internal/must"
)

// doctor runs `parley doctor --json` and returns the findings and the exit code.
func (s *shell) doctor() ([]doctor.Finding, int) {
	s.t.Helper()
	r := s.run("", "doctor", "--json")
	var found []doctor.Finding
	if err := json.Unmarshal([]byte(r.out), &found); err != nil {
		s.t.Fatalf("%v: %+v", err, r)
	}
	return found, r.code
}

// ails expects one finding of a state with these texts, and that every fault says what to do.
func (s *shell) ails(state doctor.State, check, text, fix string) {
	s.t.Helper()
	found, code := s.doctor()
	seen := false
	for _, f := range found {
		seen = seen || f.State == state && f.Check == check && strings.Contains(f.Text, text) && strings.Contains(f.Fix, fix)
		if (f.State == doctor.Warn || f.State == doctor.Fail) && f.Fix == "" {
			s.t.Errorf("nothing to do about %+v", f)
		}
	}
	if want := map[bool]int{true: 1}[doctor.Failed(found)]; !seen || code != want {
		s.t.Errorf("want %s %s %q → %q, exit code %d; got %d, %+v", state, check, text, fix, want, code, found)
	}
}

// Each planted fault has a finding that says what to do.
func TestDoctor(t *testing.T) {
	s := newShell(t)
	t.Setenv("NO_PROXY", "")
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		t.Setenv(name, "")
	}
	s.ails(doctor.OK, "configuration", s.config+", not written", "")
	s.ails(doctor.OK, "rules", "0 rules, no mistakes", "")
	must.Do(t, os.Chmod(os.Getenv("PARLEY_STATE"), 0o700))
	s.ails(doctor.OK, "state", os.Getenv("PARLEY_STATE"), "")
	s.ails(doctor.Warn, "git", "not found", "install git")
	s.ails(doctor.Warn, "agents", "no agent is installed", "parley demo")

	if kept := filepath.Join(os.Getenv("PARLEY_STATE"), "kept"); runtime.GOOS != "windows" {
		must.Do(t, os.Mkdir(kept, 0o700))
		write(t, filepath.Join(kept, "api.json"), `{"state":"idle"}`)
		s.ails(doctor.Warn, "kept sessions", "api has ended: parley or the machine was stopped", "parley ps shows how to resume it; parley stop api forgets it")
		write(t, filepath.Join(kept, "api.json"), `{"state":"idle","ended":"`+time.Now().Format(time.RFC3339)+`","why":"exit code 0"}`)
		s.ails(doctor.OK, "kept sessions", "0 sessions live, 1 ended without anybody there", "")
		must.Do(t, os.RemoveAll(kept))
		write(t, kept, "")
		s.ails(doctor.Fail, "kept sessions", "cannot be listed", "parley ps")
		must.Do(t, os.Remove(kept))
	}

	if runtime.GOOS != "windows" {
		pkg := filepath.Join(t.TempDir(), "lib", "node_modules", "@google", "gemini-cli")
		must.Do(t, os.MkdirAll(pkg, 0o755))
		write(t, filepath.Join(pkg, "package.json"), `{"name":"@google/gemini-cli","version":"0.61.0","engines":{"node":">=22"}}`)
		must.Do(t, os.WriteFile(filepath.Join(pkg, "main.js"), []byte("#!/usr/bin/env node\n"), 0o755))
		must.Do(t, os.Symlink(filepath.Join(pkg, "main.js"), filepath.Join(s.bin, "gemini")))
		node := filepath.Join(s.bin, "node")
		must.Do(t, os.WriteFile(node, []byte("#!/bin/sh\necho v20.1.0\n"), 0o755))
		s.ails(doctor.Warn, "gemini", "0.61.0; it needs node 22, and this is v20.1.0", "install node 22 or later")
		must.Do(t, os.WriteFile(node, []byte("#!/bin/sh\necho v22.0.0\n"), 0o755))
		s.ails(doctor.OK, "gemini", ", 0.61.0", "")
		must.Do(t, os.Remove(node))
		must.Do(t, os.Remove(filepath.Join(s.bin, "gemini")))
	}

	goose := s.install("goose")
	s.ails(doctor.OK, "goose", "on PATH: "+goose, "")
	must.Do(t, cli.Logins().Set("goose", true))
	s.ails(doctor.Warn, "goose", "login needed last time", "parley goose")

	if runtime.GOOS != "windows" {
		write(t, goose, "#!/usr/bin/env node\n")
		must.Do(t, cli.Logins().Set("goose", false))
		s.ails(doctor.Fail, "goose", "it needs node, which is not found", "install node")
		must.Do(t, cli.Logins().Set("goose", true))
		s.install("goose")
		must.Do(t, os.Mkdir("bin", 0o755))
		bin := s.bin
		s.bin = filepath.Join(s.dir, "bin")
		s.install("vibe-acp")
		t.Setenv("PATH", s.bin+string(filepath.ListSeparator)+bin)
		s.ails(doctor.Warn, "programs", "Ignored: vibe-acp", "give its path")
		s.bin = bin
		t.Setenv("PATH", bin)
	}

	s.configure("theme = \"dark\"\ncolour = 1\n")
	s.ails(doctor.Fail, "configuration", "config.toml:2", "parley config check")
	s.ails(doctor.Warn, "goose", "", "") // which is found without a configuration
	s.configure("[keys.chat]\nnothing = \"x\"\n")
	s.ails(doctor.Fail, "configuration", "config.toml:", "parley config check")
	s.configure("agent = \"claude\"\n[agents.mine]\ncommand = \"my-agent\"\n[agents.far]\nurl = \"https://a.example\"\nca_file = \"" + filepath.ToSlash(s.dir) + "/missing.pem\"\n")
	s.ails(doctor.Fail, "mine", `cannot start "my-agent": command not found`, "configuration")
	s.ails(doctor.Fail, "claude", "the agent of the configuration is not installed", "npm install")
	if runtime.GOOS != "windows" {
		s.ails(doctor.Fail, "far", "missing.pem", "parley doctor")
	}
	s.configure("[agents.far]\nurl = \"wss://a.example:99999\"\n")
	s.ails(doctor.Fail, "configuration", "config.toml:2:7: url: want a port of 1 to 65535", "parley config check")
	s.configure("notify_command = [\"no-such-notifier\"]\n")
	s.ails(doctor.Warn, "notify_command", "no-such-notifier", "configuration")
	s.configure("notify_command = ['" + filepath.Join(s.dir, "notifier") + "']\n")
	s.ails(doctor.Warn, "notify_command", "notifier", "configuration")
	if write(t, filepath.Join(s.dir, "notifier"), ""); runtime.GOOS != "windows" {
		s.ails(doctor.Warn, "notify_command", "permission denied", "configuration")
	}
	must.Do(t, os.Remove(s.config))

	rules := filepath.Join(filepath.Dir(s.config), "rules.toml")
	write(t, rules, "[[allow]]\ncomand = \"ls\"\n")
	s.ails(doctor.Fail, "rules", "rules.toml:2", "parley rules check")
	write(t, rules, "")
	must.Do(t, os.Mkdir(".parley", 0o755))
	write(t, filepath.Join(".parley", "rules.toml"), "[[allow]]\ncommand = \"ls\"\n")
	s.ails(doctor.Fail, "rules", filepath.Join(".parley", "rules.toml"), "parley rules check")
	must.Do(t, os.RemoveAll(".parley"))

	write(t, filepath.Join(s.dir, "file"), "")
	t.Setenv("PARLEY_STATE", filepath.Join(s.dir, "file", "state"))
	s.ails(doctor.Fail, "state", "not a directory", "PARLEY_STATE")
	t.Setenv("PARLEY_STATE", t.TempDir())
	t.Setenv("HTTPS_PROXY", "no proxy")
	s.ails(doctor.Fail, "proxy", "HTTPS_PROXY is not the address", "unset HTTPS_PROXY")
}

// A rule that can match nothing, and a home that is missing.
func TestDoctorWithoutHome(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("HOME is USERPROFILE there")
	}
	s := newShell(t)
	for _, name := range []string{"HOME", "PARLEY_CONFIG", "PARLEY_STATE", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, "")
	}
	s.ails(doctor.Fail, "configuration", "no home directory", "export HOME")
	s.ails(doctor.Fail, "state", "", "HOME")
	if found, _ := s.doctor(); slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.Check == "kept sessions" }) {
		t.Errorf("two findings of one fault: %+v", found)
	}
}
