package workspace_test

import (
	"strings"
	"testing"
	"time"

	"parley/internal/workspace"
)

func TestCommandWord(t *testing.T) {
	for line, want := range map[string]string{
		"/review": "review", "/review main.go": "review", "/rewiev\nx": "rewiev", "/agent:review": "agent:review", "/a.b-c": "a.b-c",
		"/usr/bin/x is broken": "", "/elsewhere/": "", "// a comment": "", "/": "", "/ x": "", " /review": "", "review": "", "/-x": "", "": "",
	} {
		if got := workspace.CommandWord(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
		if command := workspace.IsCommand(line); command != (want != "" && want != "agent:review") {
			t.Errorf("%q: command %v", line, command)
		}
	}
}

// A queued line that looks like a command is left to the front end, and what follows waits for that.
// The prefix of the agent's commands is not sent.
func TestCommandDue(t *testing.T) {
	each(t, nil, func(r *rig) {
		s := r.w.Front()
		for _, line := range []string{"first", "/agent:review main.go", "/mode", "last"} {
			s.Prompts.Queue.Add(line)
		}
		r.started(local)
		r.pass(time.Minute)
		r.got("first", "/review main.go")
		r.waits(s, "last")
		if news := strings.Join(r.all, "|"); !strings.HasSuffix(news, "PromptSent /agent:review main.go|CommandDue /mode") {
			t.Errorf("news: %s", news)
		}
		s.Prompts.Resume()
		r.pass(time.Minute)
		r.got("first", "/review main.go", "last")
	})
}
