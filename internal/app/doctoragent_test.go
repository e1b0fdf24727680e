package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/doctor"
	"parley/internal/must"
)

// `parley doctor AGENT` with the demo, which passes, and how agents are named.
func TestDoctorOfAgents(t *testing.T) {
	s := newShell(t)
	self := must.Get(os.Executable())(t)
	t.Setenv("TMPDIR", t.TempDir()) // others may run a doctor, too
	t.Setenv("TEMP", os.Getenv("TMPDIR"))
	t.Setenv("TMP", os.Getenv("TMPDIR"))

	r := s.run("", "doctor", "demo")
	if r.code != 0 || r.stderr != "" || !strings.Contains(r.out, "pass  permissions") || strings.Contains(r.out, "warn") {
		t.Errorf("%+v", r)
	}
	r = s.run("", "doctor", "--json", "--no-prompt", "--", self, "agent", "demo")
	var found []doctor.Finding
	if err := json.Unmarshal([]byte(r.out), &found); err != nil || r.code != 0 || doctor.Count(found, doctor.Pass) < 15 || r.stderr != "" {
		t.Errorf("%v, %+v", err, r)
	}
	for _, c := range []struct {
		args          []string
		code          int
		says, printed string
	}{
		{[]string{"--", self, "agent", "demo"}, 2, "Add --yes, or --no-prompt", ""}, // nobody can be asked
		{[]string{"--yes", "--", self, "agent", "other"}, 1, "Sends up to 5 prompts to ", "fail  initialize                 the agent ended: exit code 1"},
		{[]string{"--no-prompt", "claude"}, 2, "claude is not installed", ""},
		{[]string{"--no-prompt", "cluade"}, 2, `no agent "cluade"`, ""},
		{[]string{"--no-prompt", "--", "my-agent"}, 1, `my-agent`, ""},
		{[]string{"--no-prompt", "ws://127.0.0.1:1/acp"}, 1, "", "fail  initialize"},
		{[]string{"--no-prompt", "ftp://a.example"}, 2, "unsupported scheme", ""},
		{[]string{"demo", "claude"}, 2, "only one agent", ""},
		{[]string{"demo", "--", "claude"}, 2, "not both", ""},
		{[]string{"--"}, 2, "no command after --", ""},
		{[]string{"--no-prompt"}, 2, "--no-prompt needs an agent", ""},
		{[]string{"--prompt", " ", "demo"}, 2, "the prompt is empty", ""},
	} {
		r := s.run("", append([]string{"doctor"}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.stderr, c.says) || !strings.Contains(r.out, c.printed) || c.printed == "" && r.out != "" {
			t.Errorf("%q: %+v", c.args, r)
		}
	}
	if after := must.Get(filepath.Glob(filepath.Join(os.TempDir(), "parley-doctor-*")))(t); len(after) > 0 {
		t.Errorf("directories are left: %q", after)
	}
}
