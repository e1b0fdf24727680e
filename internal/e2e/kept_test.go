//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
)

// keeping is a parley that is kept, and the terminals that attach to it.
type keeping struct {
	*testing.T
	dir string
	env []string
}

// keep starts parley so that it is kept.
func keep(t *testing.T, cols, rows int, args ...string) (*keeping, *Screen) {
	t.Helper()
	k := &keeping{T: t, dir: workDir(t)}
	k.short()
	return k, StartEnv(t, cols, rows, k.dir, k.env, append([]string{"--keep"}, args...)...)
}

// short sets the environment: the path of a socket must be short.
func (k *keeping) short() {
	sockets := must.Get(os.MkdirTemp("", "k"))(k)
	k.Cleanup(func() { os.RemoveAll(sockets) })
	k.env = []string{"XDG_RUNTIME_DIR=" + sockets, "EDITOR=" + filepath.Join(filepath.Dir(k.dir), "edit")}
}

// attach attaches another terminal.
func (k *keeping) attach(cols, rows int, term string) *Screen {
	k.Helper()
	return StartEnv(k, cols, rows, k.dir, append(k.env, "TERM="+term), "attach")
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

// stop ends what is kept.
func (k *keeping) stop() {
	if strings.Contains(k.parley("ps"), "work") {
		k.parley("stop", "work")
	}
}

// waits waits until the list of what is kept says something.
func (k *keeping) waits(s *Screen, text string) {
	k.Helper()
	s.poll("parley ps to say "+text, func() bool { return strings.Contains(k.parley("ps"), text) })
}

// modes are the front ends.
var keptModes = map[string][]string{"screen": nil, "inline": {"--inline"}, "lines": {"--linear"}}

// The terminal is killed during a turn. A question that comes meanwhile is answered from another kind of terminal
// of another size, and the turn ends.
func TestKeptOutlivesItsTerminal(t *testing.T) {
	t.Parallel()
	for name, mode := range keptModes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, s := keep(t, 80, 24, append(mode, scripted(t)...)...)
			defer k.stop()
			ready := placeholder
			if name == "lines" {
				ready = "You:"
			}
			s.WaitFor(ready)
			s.Prompt("ask")
			k.waits(s, "running")
			must.Do(t, s.cmd.Process.Kill())
			<-s.exited
			open(t, k.dir)
			k.waits(s, "? ")
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
			if code := b.ExitCode(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			c := k.attach(100, 30, "xterm-256color")
			if name == "lines" {
				c.WaitFor("Attached to work: scripted, in ", "idle", "You:")
			} else {
				c.WaitFor("heard: still there?")
			}
			if name == "lines" {
				c.Press("ctrl+d")
				c.WaitFor("Leave parley?", "1. Keep running")
				c.ends("2\r")
			} else {
				c.Press("ctrl+d")
				c.WaitFor("Leave parley", "Keep running")
				c.Press("down")
				c.ends("\r")
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
			if code := s.ExitCode(); code != 0 {
				s.t.Errorf("exit code %d", code)
			}
			return
		case <-time.After(time.Second):
		}
	}
	s.t.Fatalf("it does not end; the screen:\n%s", numbered(s.Rows()))
}

// A program has the terminal while terminals leave and come: the new one gets the program, and then parley.
func TestKeptDuringAProgram(t *testing.T) {
	t.Parallel()
	k, s := keep(t, 80, 24, scripted(t)...)
	defer k.stop()
	must.Do(t, os.WriteFile(filepath.Join(filepath.Dir(k.dir), "edit"), []byte("#!/bin/sh\necho editing\nread line\necho $line > \"$1\"\n"), 0o755))
	s.WaitFor(placeholder)
	s.Press("ctrl+g")
	s.WaitFor("editing")
	must.Do(t, s.cmd.Process.Kill())
	<-s.exited
	b := k.attach(100, 30, "xterm-256color")
	k.waits(b, "attached")
	b.Type("from elsewhere\r")
	b.WaitDraft("from elsewhere")
	b.Press("ctrl+z")
	b.WaitFor("Detached: parley attach work")
	b.ExitCode()
}

// The last terminal to attach has it, also if it is of one cell, and the others are left clean.
func TestKeptChangesTerminals(t *testing.T) {
	t.Parallel()
	k, s := keep(t, 80, 24, scripted(t)...)
	defer k.stop()
	s.WaitFor(placeholder)
	s.Type("a draft")
	s.WaitDraft("a draft")
	tiny := k.attach(1, 1, "vt100")
	s.WaitFor("Attached from another terminal: parley attach work")
	s.ExitCode()
	k.waits(tiny, "attached")
	b := k.attach(120, 40, "xterm-256color")
	b.WaitDraft("a draft")
	tiny.ExitCode()
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
	b.ExitCode()
	open(t, k.dir)
}

// The user's program is told of what waits while nothing is attached, and of what is done.
func TestKeptNotifies(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"", "--linear"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			k := &keeping{T: t, dir: workDir(t)}
			root := filepath.Dir(k.dir)
			note, told := filepath.Join(root, "note"), filepath.Join(root, "told")
			must.Do(t, os.WriteFile(note, []byte("#!/bin/sh\ncat >> '"+told+"'\n"), 0o755))
			must.Do(t, os.MkdirAll(filepath.Join(root, "home", ".config", "parley"), 0o755))
			write(t, filepath.Join(root, "home", ".config", "parley", "config.toml"), "notify_command = ['"+note+"']\nkeep = true\n")
			k.short()
			args, ready := scripted(t), placeholder
			if mode != "" {
				args, ready = append([]string{mode}, args...), "You:"
			}
			s := StartEnv(t, 80, 24, k.dir, k.env, args...)
			defer k.stop()
			s.WaitFor(ready)
			s.Prompt("ask")
			k.waits(s, "running")
			s.Prompt("/detach")
			s.WaitFor("Detached: parley attach work")
			s.ExitCode()
			open(t, k.dir)
			k.waits(s, "? ")
			s.poll("the program to be told", func() bool {
				text, _ := os.ReadFile(told)
				return strings.Contains(string(text), `"session":"work"`) && strings.Contains(string(text), `"why":"waits","line":"Use a tool`)
			})
			// Once more when a terminal leaves before it is answered.
			again := StartEnv(t, 80, 24, k.dir, k.env, "attach")
			again.WaitFor("Use a tool")
			must.Do(t, again.cmd.Process.Kill())
			again.poll("the program to be told again", func() bool {
				text, _ := os.ReadFile(told)
				return strings.Count(string(text), `"why":"waits","line":"Use a tool`) > 1
			})
		})
	}
}
