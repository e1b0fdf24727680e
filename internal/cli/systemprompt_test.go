package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/headless"
	"parley/internal/must"
)

// Case 214: instructions go with each session that is opened, to agents that take them in that mode.
// Others get no request for a session.
func TestSystemPrompt(t *testing.T) {
	const appends = `{"loadSession":true,"sessionCapabilities":{"list":{},"systemPrompt":{}}}`
	const overrides = `{"loadSession":true,"sessionCapabilities":{"list":{},"systemPrompt":{"mode":{"override":{}}}}}`
	for _, c := range []struct {
		name, capabilities string
		args               []string
		want, stderr       string
		code               int
	}{
		{name: "appended", capabilities: appends, want: "session/new DIR append Be brief.; in fresh"},
		{name: "loaded", capabilities: appends, args: []string{"--session", "k1"}, want: "session/list; session/load k1 DIR append Be brief.; in k1"},
		{name: "in its place", capabilities: overrides, args: []string{"--system-prompt-mode", "override"}, want: "session/new DIR override Be brief.; in fresh"},
		{name: "not taken", capabilities: all, stderr: "open a session with a system prompt: the agent does not offer that", code: headless.ExitAgent},
		{name: "only appended", capabilities: appends, args: []string{"--system-prompt-mode", "override"},
			stderr: "open a session with a system prompt in place of the agent's: the agent does not offer that", code: headless.ExitAgent},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newSessionRig(t, c.capabilities, three)
			must.Do(t, os.WriteFile("brief.md", []byte("Be brief.\n"), 0o600))
			out, stderr, err := k.do(NewRun, append(c.args, "--system-prompt", "brief.md", "hello")...)
			if c.code != 0 {
				if !errors.Is(err, ExitCode(c.code)) || out != "" || !strings.Contains(stderr, c.stderr) || strings.Count(stderr, "\n") != 1 {
					t.Errorf("%v, %q, %q", err, out, stderr)
				}
				return
			}
			if got := strings.ReplaceAll(strings.TrimSpace(out), k.dir, "DIR"); err != nil || got != c.want {
				t.Errorf("%v, %q, want %q, stderr %q", err, got, c.want, stderr)
			}
		})
	}
}

// The configuration can name instructions for one agent; those of the flags come before them.
func TestConfiguredSystemPrompt(t *testing.T) {
	k := newSessionRig(t, `{"sessionCapabilities":{"systemPrompt":{"mode":{"override":{}}}}}`, three)
	file, flag := filepath.Join(k.dir, "own.md"), filepath.Join(k.dir, "flag.md")
	must.Do(t, os.WriteFile(file, []byte("Mine."), 0o600))
	must.Do(t, os.WriteFile(flag, []byte("Given."), 0o600))
	must.Do(t, os.WriteFile(os.Getenv("PARLEY_CONFIG"), []byte("[agents.mine]\ncommand = '"+self(t)+"'\nsystem_prompt = '"+file+"'\nsystem_prompt_mode = 'override'\n"), 0o600))
	run := func(args ...string) (string, error) {
		var out, stderr strings.Builder
		err := execute(t.Context(), NewRun(Streams{In: strings.NewReader(""), Out: &out, Err: &stderr}), append(args, "--agent", "mine", "hello")...)
		return strings.ReplaceAll(strings.TrimSpace(out.String()), k.dir, "DIR") + stderr.String(), err
	}
	if got, err := run(); err != nil || got != "session/new DIR override Mine.; in fresh" {
		t.Errorf("%v, %q", err, got)
	}
	if got, err := run("--system-prompt", flag); err != nil || got != "session/new DIR append Given.; in fresh" {
		t.Errorf("with the flag: %v, %q", err, got)
	}
	must.Do(t, os.WriteFile(file, []byte(" \n"), 0o600))
	var usage UsageError
	if got, err := run(); !errors.As(err, &usage) || err.Error() != "agents.mine.system_prompt "+file+": it is empty" {
		t.Errorf("an empty file: %v, %q", err, got)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--system-prompt", "absent.md"}, "--system-prompt absent.md: no such file or directory"},
		{[]string{"--system-prompt", flag, "--system-prompt-mode", "replace"}, "--system-prompt-mode replace: want append or override"},
		{[]string{"--system-prompt-mode", "append"}, "--system-prompt-mode needs --system-prompt"},
	} {
		if _, err := run(c.args...); !errors.As(err, &usage) || err.Error() != c.want {
			t.Errorf("%q: %v", c.args, err)
		}
	}
}
