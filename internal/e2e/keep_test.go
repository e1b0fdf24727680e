//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/keeper"
	"parley/internal/must"
)

// keeping is a directory in which parley is kept, and the terminals there.
type keeping struct {
	*testing.T
	dir string
	env []string
}

func newKeeping(t *testing.T) *keeping {
	t.Helper()
	sockets := must.Get(os.MkdirTemp("", "k"))(t) // short enough for a socket
	t.Cleanup(func() { os.RemoveAll(sockets) })
	return &keeping{t, workDir(t), []string{"XDG_RUNTIME_DIR=" + sockets}}
}

// keep starts the scripted agent so that it is kept.
func keep(t *testing.T, args ...string) (*keeping, *Screen) {
	t.Helper()
	k := newKeeping(t)
	return k, k.start(80, 24, append(append([]string{"--keep"}, args...), scripted(t)...)...)
}

// start runs parley at a terminal. What it keeps ends before the test looks at what the screen has left.
func (k *keeping) start(cols, rows int, args ...string) *Screen {
	k.Helper()
	s := StartEnv(k, cols, rows, k.dir, k.env, args...)
	k.Cleanup(k.stop)
	return s
}

// attach attaches another terminal.
func (k *keeping) attach(cols, rows int, term string) *Screen {
	k.Helper()
	s := StartEnv(k, cols, rows, k.dir, append(k.env, "TERM="+term), "attach")
	k.Cleanup(k.stop)
	return s
}

// parley runs another command of parley.
func (k *keeping) parley(args ...string) string {
	k.Helper()
	cmd := exec.Command(parley, args...)
	cmd.Dir, cmd.Env = k.dir, environ(k.dir, k.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		k.Errorf("parley %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (k *keeping) list() (all []keeper.Session) {
	k.Helper()
	must.Do(k, json.Unmarshal([]byte(k.parley("ps", "--json")), &all))
	return all
}

// stop ends what is kept.
func (k *keeping) stop() {
	for _, s := range k.list() {
		k.parley("stop", s.Name)
	}
}

// waits waits until the list of what is kept says something.
func (k *keeping) waits(s *Screen, text string) {
	k.Helper()
	s.poll("parley ps to say "+text, func() bool { return strings.Contains(k.parley("ps"), text) })
}

// configure writes the user's configuration.
func (k *keeping) configure(text string) {
	k.Helper()
	dir := filepath.Join(filepath.Dir(k.dir), "home", ".config", "parley")
	must.Do(k, os.MkdirAll(dir, 0o755))
	write(k, filepath.Join(dir, "config.toml"), text)
}

// exits waits until the terminal is left, without an error.
func (s *Screen) exits() {
	s.t.Helper()
	if code := s.ExitCode(); code != 0 {
		s.t.Errorf("exit code %d", code)
	}
}

// A terminal is killed during a turn. A question that comes meanwhile is answered from another kind of terminal of another
// size, and the turn ends.
func TestKeptOutlivesItsTerminal(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string][]string{"screen": nil, "inline": {"--inline"}, "lines": {"--linear"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, s := keep(t, mode...)
			ready := placeholder
			if name == "lines" {
				ready = "You:"
			}
			s.WaitFor(ready)
			s.Prompt("ask")
			k.waits(s, "running")
			s.Kill(syscall.SIGKILL)
			s.ExitCode()
			open(t, k.dir)
			s.poll("it waits", func() bool {
				all := k.list()
				return len(all) == 1 && all[0].Live && !all[0].Attached && all[0].State == keeper.Waiting && all[0].Waits != ""
			})
			b := k.attach(60, 16, "screen-256color")
			b.WaitFor("Launch the rockets")
			if name == "lines" {
				b.WaitFor("Attached to work:", "Answer 1 to")
				answered(b, "1", "the answer was")
			} else {
				b.pressEvery(time.Second, "y", "the answer was")
			}
			k.waits(b, "idle")
			b.Prompt("still there?")
			b.WaitFor("heard: still there?")
			b.Prompt("/detach")
			b.WaitFor("Detached: parley attach work")
			b.exits()
			c := k.attach(100, 30, "xterm-256color")
			if name == "lines" {
				c.WaitFor("Attached to work: scripted, in ", "idle", "You:")
				c.Press("ctrl+d")
				c.WaitFor("Leave parley?", "1. Keep running")
				c.ends("2\r")
			} else {
				c.WaitFor("heard: still there?")
				c.Press("ctrl+d")
				c.WaitFor("Leave parley", "Keep running")
				c.Press("down")
				c.ends("\r")
			}
			if all := k.list(); len(all) > 0 {
				t.Errorf("still listed: %+v", all)
			}
		})
	}
}

// ends answers until the screen ends: an answer right after another key does not count.
func (s *Screen) ends(answer string) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		s.Type(answer)
		select {
		case <-s.exited:
			s.exits()
			return
		case <-time.After(time.Second):
		}
	}
	s.t.Fatalf("it does not end; the screen:\n%s", numbered(s.Rows()))
}

// A program has the terminal while it is taken, killed and attached again: each new one gets the program, which is asked to
// draw again, and then parley.
func TestKeptDuringAnEditor(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	editor := filepath.Join(filepath.Dir(k.dir), "edit")
	write(t, editor, "#!/bin/sh\nprintf '\\033[?1049hediting'\ntrap 'printf again' WINCH\nwhile ! read line; do :; done\nprintf '\\033[?1049l'\necho $line > \"$1\"\n")
	must.Do(t, os.Chmod(editor, 0o755))
	k.env = append(k.env, "EDITOR="+editor)
	s := k.start(80, 24, append([]string{"--keep"}, scripted(t)...)...)
	s.WaitFor(placeholder)
	s.Press("ctrl+g")
	s.WaitFor("editing")
	a := k.attach(80, 24, "xterm-256color")
	a.WaitFor("again")
	s.WaitFor("Attached from another terminal: parley attach work")
	s.exits()
	a.Kill(syscall.SIGKILL)
	a.ExitCode()
	b := k.attach(100, 30, "xterm-256color")
	b.WaitFor("again")
	b.Type("from elsewhere\r")
	b.WaitDraft("from elsewhere")
	b.Press("ctrl+z")
	b.WaitFor("Detached: parley attach work")
	b.exits()
}

// The same for the login command of an agent.
func TestKeptDuringALogin(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	self := must.Get(os.Executable())(t)
	s := k.start(100, 30, "--keep", "-p", "are you open?", "--", self, "locked")
	s.WaitFor("Its own way")
	s.Press("alt+a")
	s.WaitFor("enter select")
	s.Type("own\r")
	s.WaitFor("wants to run its own command", "y run")
	s.Press("y")
	s.WaitFor("ctrl+] ends it", "unlocking")
	b := k.attach(80, 24, "screen-256color")
	s.WaitFor("Attached from another terminal: parley attach work")
	s.exits()
	b.WaitFor("unlocking")
	b.Type("yes\r")
	b.WaitFor("open by its own login")
}

// The last terminal to attach has it, also if it is of one cell, and the others are left clean.
func TestKeptChangesTerminals(t *testing.T) {
	t.Parallel()
	k, s := keep(t)
	s.WaitFor(placeholder)
	s.Type("a draft")
	s.WaitDraft("a draft")
	tiny := k.attach(1, 1, "vt100")
	s.WaitFor("Attached from another terminal: parley attach work")
	s.exits()
	k.waits(tiny, "attached")
	b := k.attach(120, 40, "xterm-256color")
	b.WaitDraft("a draft")
	tiny.exits()
	b.Press("ctrl+c")
	b.WaitDraft("")
	b.Prompt("hold")
	b.WaitFor("holding")
	b.Press("ctrl+c", "ctrl+c")
	b.WaitFor("Leave parley", "Keep running")
	b.Resize(60, 20)
	b.WaitFor("Leave parley", "Keep running")
	b.Press("ctrl+c", "ctrl+c")
	b.WaitFor("Detached: parley attach work")
	b.exits()
	open(t, k.dir)
	c := k.attach(80, 24, "xterm-256color")
	c.WaitFor(placeholder)
	k.parley("stop", "work")
	c.WaitFor("work has ended (stopped)")
	c.ExitCode()
}

// The user's program is told of what waits while nothing is attached, and of what is done.
func TestKeptNotifies(t *testing.T) {
	t.Parallel()
	for mode, ready := range map[string]string{"--inline": placeholder, "--linear": "You:"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			k := newKeeping(t)
			root := filepath.Dir(k.dir)
			note, told := filepath.Join(root, "note"), filepath.Join(root, "told")
			must.Do(t, os.WriteFile(note, []byte("#!/bin/sh\ncat >> '"+told+"'\n"), 0o755))
			k.configure("notify_command = ['" + note + "']\nkeep = true\n")
			s := k.start(80, 24, append([]string{mode}, scripted(t)...)...)
			s.WaitFor(ready)
			s.Prompt("ask")
			k.waits(s, "running")
			s.Prompt("/detach")
			s.WaitFor("Detached: parley attach work")
			s.exits()
			open(t, k.dir)
			k.waits(s, "? ")
			s.poll("the program to be told", func() bool {
				text, _ := os.ReadFile(told)
				return strings.Contains(string(text), `"session":"work"`) && strings.Contains(string(text), `"why":"waits","line":"Use a tool`)
			})
			// Once more when a terminal leaves before it is answered.
			again := k.attach(80, 24, "xterm-256color")
			again.WaitFor("Use a tool")
			again.Kill(syscall.SIGKILL)
			again.poll("the program to be told again", func() bool {
				text, _ := os.ReadFile(told)
				return strings.Count(string(text), `"why":"waits","line":"Use a tool`) > 1
			})
		})
	}
}

// The keeper is killed: the terminal is left clean, with what to do.
func TestKeeperKilled(t *testing.T) {
	t.Parallel()
	k, s := keep(t)
	s.WaitFor(placeholder)
	must.Do(t, syscall.Kill(k.list()[0].PID, syscall.SIGKILL))
	if code := s.ExitCode(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	s.WaitFor("work has ended")
	if all := k.list(); len(all) != 1 || all[0].Live {
		t.Errorf("listed: %+v", all)
	}
}

// What is wrong with the command line is said on the user's terminal, with its exit code; nothing is kept.
func TestKeptMistakes(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	for _, c := range []struct{ args, want string }{
		{"--keep --bogus", "unknown flag"},
		{"--keep no-such-agent", "no agent"},
		{"--keep --theme loud", "--theme loud"},
		{"--keep-for 1h", "--keep-for needs --keep"},
		{"attach", "parley --keep"},
		{"attach nothing", "parley ps"},
		{"stop", "parley ps"},
	} {
		s := StartEnv(t, 80, 24, k.dir, k.env, strings.Fields(c.args)...)
		if code := s.ExitCode(); code != 2 {
			t.Errorf("%s: exit code %d", c.args, code)
		}
		s.WaitFor(c.want)
	}
	s := StartEnv(t, 80, 24, k.dir, append(slices.Clip(k.env), "TERM=dumb"), "--keep", "demo")
	if code := s.ExitCode(); code != 2 {
		t.Errorf("a terminal that cannot draw: exit code %d", code)
	}
	s.WaitFor("parley --linear")
	if all := k.list(); len(all) > 0 {
		t.Errorf("kept: %+v", all)
	}
}

// With keep = true everything that has a terminal is kept; --keep=false is not.
func TestKeepInConfiguration(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	k.configure("keep = true\n")
	s := k.start(80, 24, append([]string{"--keep=false"}, scripted(t)...)...)
	s.WaitFor(placeholder)
	if all := k.list(); len(all) > 0 {
		t.Errorf("kept: %+v", all)
	}
	s.Press("ctrl+d")
	s.exits()
	s = k.start(80, 24, scripted(t)...)
	s.WaitFor(placeholder)
	s.poll("one kept session, attached", func() bool { // it is on the screen before its record is written
		all := k.list()
		return len(all) == 1 && all[0].Attached
	})
}
