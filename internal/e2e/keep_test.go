//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/must"
)

// beside runs a command of parley next to a kept one.
func beside(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(parley, args...)
	cmd.Dir, cmd.Env = dir, environ(dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("parley %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// startKept starts a parley that ends with the test, though it outlives its terminal.
func startKept(t testing.TB, dir string, env []string, args ...string) *Screen {
	t.Helper()
	return endKept(StartEnv(t, 80, 24, dir, env, append([]string{"--keep"}, args...)...), dir)
}

// endKept ends what is kept before the test looks at what a screen has left.
func endKept(s *Screen, dir string) *Screen {
	s.t.Cleanup(func() {
		for _, k := range listKept(s.t, dir) {
			beside(s.t, dir, "stop", k.Name)
		}
	})
	return s
}

type keptOne struct {
	Name, State, Waits, Agent string
	Live, Attached            bool
	PID                       int
}

func listKept(t testing.TB, dir string) (all []keptOne) {
	t.Helper()
	must.Do(t, json.Unmarshal([]byte(beside(t, dir, "ps", "--json")), &all))
	return all
}

// A turn survives `kill -9` of its terminal. Its question is answered from another one, of another kind and size, and the
// turn finishes.
func TestTurnSurvivesItsTerminal(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	s := startKept(t, dir, nil, scripted(t)...)
	s.WaitFor(placeholder)
	s.Prompt("ask")
	s.WaitFor("I shall ask")
	open(t, dir)
	s.WaitFor("Launch")
	s.Kill(syscall.SIGKILL)
	s.ExitCode()
	s.poll("it waits", func() bool {
		all := listKept(t, dir)
		return len(all) == 1 && all[0].Live && !all[0].Attached && all[0].State == "waiting" && all[0].Waits != ""
	})
	if text := beside(t, dir, "ps"); !strings.Contains(text, "work") || !strings.Contains(text, "waiting") {
		t.Errorf("listed as:\n%s", text)
	}
	other := endKept(StartEnv(t, 40, 12, dir, []string{"TERM=screen", "NO_COLOR=1"}, "attach"), dir)
	other.WaitFor("Launch")
	other.pressEvery(time.Second, "y", "the answer was go")
	other.WaitIdle()
	other.Prompt("/detach")
	if code := other.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	other.WaitFor("Detached: parley attach work")
	last := endKept(Start(t, 80, 24, dir, "attach", "work"), dir)
	last.WaitFor(placeholder)
	beside(t, dir, "stop", "work")
	last.WaitFor("work has ended (stopped)")
	last.ExitCode()
	if all := listKept(t, dir); len(all) > 0 {
		t.Errorf("still listed: %+v", all)
	}
}

// Two terminals: the first is told and left clean.
func TestTerminalIsTaken(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	first := startKept(t, dir, nil, scripted(t)...)
	first.WaitFor(placeholder)
	second := endKept(Start(t, 100, 30, dir, "attach"), dir)
	second.WaitFor(placeholder)
	if code := first.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	first.WaitFor("Attached from another terminal: parley attach work")
	second.Type("a draft")
	second.WaitDraft("a draft")
}

// A terminal attaches while an editor has the screen, and then has the editor.
func TestAttachDuringEditor(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	editor := dir + "/editor"
	write(t, editor, "#!/bin/sh\nprintf '\\033[?1049hediting'\ntrap 'printf again' WINCH\nwhile ! read line; do :; done\nprintf '\\033[?1049l'\n")
	must.Do(t, os.Chmod(editor, 0o755))
	first := startKept(t, dir, []string{"EDITOR=" + editor}, scripted(t)...)
	first.WaitFor(placeholder)
	first.Press("ctrl+g")
	first.WaitFor("editing")
	second := endKept(Start(t, 100, 30, dir, "attach"), dir)
	second.WaitFor("again")
	first.WaitFor("Attached from another terminal")
	first.ExitCode()
	second.Type("\r")
	second.WaitFor(placeholder)
}

// The keeper is killed, then what it keeps: each terminal is left clean, with what to do.
func TestKeeperKilled(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	s := startKept(t, dir, nil, scripted(t)...)
	s.WaitFor(placeholder)
	must.Do(t, syscall.Kill(listKept(t, dir)[0].PID, syscall.SIGKILL))
	if code := s.ExitCode(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	s.WaitFor("work has ended")
	if all := listKept(t, dir); len(all) != 1 || all[0].Live {
		t.Errorf("listed: %+v", all)
	}
}

// What is wrong with the command line is said on the user's terminal, with its exit code; nothing is kept.
func TestKeptMistakes(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	for _, c := range []struct{ args, want string }{
		{"--keep --bogus", "unknown flag"},
		{"--keep no-such-agent", "no agent"},
		{"--keep --theme loud", "--theme loud"},
		{"--keep-for 1h", "--keep-for needs --keep"},
		{"attach", "parley --keep"},
		{"attach nothing", "parley ps"},
		{"stop", "parley ps"},
	} {
		s := Start(t, 80, 24, dir, strings.Fields(c.args)...)
		if code := s.ExitCode(); code != 2 {
			t.Errorf("%s: exit code %d", c.args, code)
		}
		s.WaitFor(c.want)
	}
	if all := listKept(t, dir); len(all) > 0 {
		t.Errorf("kept: %+v", all)
	}
}

// With keep = true everything that has a terminal is kept; --keep=false is not.
func TestKeepInConfiguration(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	config := strings.TrimSuffix(dir, "work") + "home/.config/parley"
	must.Do(t, os.MkdirAll(config, 0o755))
	write(t, config+"/config.toml", "keep = true\n")
	s := Start(t, 80, 24, dir, append([]string{"--keep=false"}, scripted(t)...)...)
	s.WaitFor(placeholder)
	if all := listKept(t, dir); len(all) > 0 {
		t.Errorf("kept: %+v", all)
	}
	s.Press("ctrl+d")
	s.ExitCode()
	s = endKept(Start(t, 80, 24, dir, scripted(t)...), dir)
	s.WaitFor(placeholder)
	if all := listKept(t, dir); len(all) != 1 || !all[0].Attached {
		t.Errorf("kept: %+v", all)
	}
}
