package cli

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/agents"
	"parley/internal/headless"
)

// For an agent that keeps sessions but cannot list them, sessions are resumed from parley's logs,
// and the user is told.
func TestSessionsOfAnAgentWithoutAList(t *testing.T) {
	const loads = `{"loadSession":true}`
	k := newSessionRig(t, loads, `["fresh"]`)
	if _, stderr, err := k.do(NewRun, "mend the lexer"); err != nil || stderr != "" {
		t.Fatalf("%v, %q", err, stderr)
	}
	const told = "parley: kept does not list sessions; opening \"mend the lexer\" from parley's logs\n"
	for name, c := range map[string]struct{ args, stderr string }{
		"the newest": {"-c", told}, "by its title": {"--session=Mend the Lexer", told}, "by its id": {"--session=fresh", ""},
	} {
		out, stderr, err := k.do(NewRun, c.args, "go on")
		if want := "session/load fresh " + k.dir + "; in fresh\n"; err != nil || out != want || stderr != c.stderr {
			t.Errorf("%s: %v, %q, %q", name, err, out, stderr)
		}
	}
	out, stderr, err := k.do(NewSessions)
	if err != nil || strings.Count(out, "\n") != 2 || !strings.Contains(out, "fresh") || !strings.Contains(out, "mend the lexer") || !strings.Contains(stderr, "from parley's logs") {
		t.Errorf("%v, %q, %q", err, out, stderr)
	}
	if _, stderr, err = k.do(NewRun, "-c", "--cwd", "sub", "go on"); !errors.Is(err, ExitCode(headless.ExitNoSession)) || !strings.Contains(stderr, "parley's logs have none in ") {
		t.Errorf("in another directory: %v, %q", err, stderr)
	}
	// The agent rejects a session that it has lost.
	t.Setenv(listVar, `[]`)
	if _, stderr, err = k.do(NewRun, "-c", "go on"); !errors.Is(err, ExitCode(headless.ExitNoSession)) || !strings.Contains(stderr, "never heard of it") {
		t.Errorf("%v, %q", err, stderr)
	}
}

// An agent may number its sessions per directory. Those of one directory do not hide those of
// another.
func TestKnownOfTheSameID(t *testing.T) {
	k := newSessionRig(t, `{"loadSession":true}`, `["fresh"]`)
	for _, args := range [][]string{{"mend the lexer"}, {"--cwd", "sub", "write the docs"}} {
		if _, stderr, err := k.do(NewRun, args...); err != nil {
			t.Fatalf("%v, %q", err, stderr)
		}
	}
	known, err := KnownSessions(Custom([]string{self(t)}))
	var got []string
	for _, s := range known {
		got = append(got, s.ID+" "+s.Cwd+" "+s.Title)
	}
	if want := []string{"fresh " + filepath.Join(k.dir, "sub") + " write the docs", "fresh " + k.dir + " mend the lexer"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %q, want %q", err, got, want)
	}
	if out, stderr, err := k.do(NewRun, "-c", "go on"); err != nil || out != "session/load fresh "+k.dir+"; in fresh\n" {
		t.Errorf("%v, %q, %q", err, out, stderr)
	}
}

// Programs that start many agents are told apart by the whole command line.
func TestKnownOfACommand(t *testing.T) {
	k := newSessionRig(t, `{"loadSession":true}`, `["fresh"]`)
	if _, _, err := k.do(NewRun, "hello"); err != nil {
		t.Fatal(err)
	}
	self := self(t)
	for _, c := range []struct {
		agent agents.Agent
		want  int
	}{{Custom([]string{self}), 1}, {Custom([]string{self, "other"}), 0}, {agents.Agent{Name: "elsewhere"}, 0}} {
		if known, err := KnownSessions(c.agent); err != nil || len(known) != c.want {
			t.Errorf("%s: %+v, %v", c.agent.CommandLine(), known, err)
		}
	}
	for _, a := range []agents.Agent{Custom([]string{self}), {Name: filepath.Base(self), Source: agents.Path}} {
		want := "kept" // a program of a command says little
		if a.Source != agents.Custom {
			want = a.Name
		}
		logged, err := (&Setup{Agents: []agents.Agent{a}}).Logged(k.dir)
		if err != nil || len(logged) != 1 || !logged[0].Here || logged[0].DisplayName() != want {
			t.Errorf("%+v, %v; want %q", logged, err, want)
		}
	}
}
