//go:build unix

package process

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/alive"
	"parley/internal/must"

	"golang.org/x/sys/unix"
)

// patience bounds every wait; only a failing test uses it up.
const patience = 10 * time.Second

// lockThread makes the thread of a goroutine end with it.
func lockThread() { runtime.LockOSThread() }

// running starts a shell script in a group and returns it with a reader of its standard output.
func running(t *testing.T, script string) (*Group, *bufio.Reader) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", script)
	cmd.Stdout = w
	g, err := Start(cmd)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Kill(); g.Wait(); r.Close() })
	return g, bufio.NewReader(r)
}

func readPid(t *testing.T, r *bufio.Reader) int {
	t.Helper()
	line, err := r.ReadString('\n')
	pid, convErr := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || convErr != nil {
		t.Fatalf("no pid in %q: %v %v", line, err, convErr)
	}
	return pid
}

func waitDead(t *testing.T, pids ...int) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for _, pid := range pids {
		for alive.PID(pid) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d still runs", pid)
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
}

func TestLeaderHasOwnGroupAndNoTerminal(t *testing.T) {
	g, out := running(t, "echo $$; (: </dev/tty) 2>/dev/null && echo tty; exec sleep 1000")
	if pid := readPid(t, out); pid != g.Pid() {
		t.Fatalf("Pid() = %d, the program says %d", g.Pid(), pid)
	}
	group, err := unix.Getpgid(g.Pid())
	if err != nil || group != g.Pid() {
		t.Fatalf("group %d, %v; want %d", group, err, g.Pid())
	}
	g.Kill()
	g.Wait()
	if rest, _ := out.ReadString('\n'); rest != "" {
		t.Fatalf("the program could open the controlling terminal: %q", rest)
	}
}

func TestTerminateAndKillEndTheGroup(t *testing.T) {
	for _, tc := range []struct {
		name, script, signal string
		end                  func(*Group) error
	}{
		{"terminate", "sleep 1000 & echo $!; wait", "SIGTERM", (*Group).Terminate},
		{"kill", "trap '' TERM; sleep 1000 & echo $!; wait", "SIGKILL", (*Group).Kill},
		{"kill all", "trap '' TERM; sleep 1000 & echo $!; wait", "SIGKILL", func(*Group) error { KillAll(); return nil }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g, out := running(t, tc.script)
			child := readPid(t, out)
			must.Do(t, tc.end(g))
			if got := SignalName(g.Wait()); got != tc.signal {
				t.Fatalf("ended by %q, want %q", got, tc.signal)
			}
			if !g.WaitGone(5 * time.Second) {
				t.Fatal("group is not gone")
			}
			waitDead(t, g.Pid(), child)
			if err := errors.Join(g.Terminate(), g.Kill(), g.Kill()); err != nil {
				t.Fatalf("ending an ended group: %v", err)
			}
		})
	}
}

func TestKillEndsOrphanedChildren(t *testing.T) {
	g, out := running(t, "sleep 1000 & echo $!; exit 7")
	child := readPid(t, out)
	state := g.Wait()
	if state.ExitCode() != 7 || SignalName(state) != "" {
		t.Fatalf("code %d signal %q", state.ExitCode(), SignalName(state))
	}
	if !g.Alive() || g.WaitGone(30*time.Millisecond) {
		t.Fatal("the orphaned child is not found")
	}
	must.Do(t, g.Kill())
	waitDead(t, child)
	if !g.WaitGone(5 * time.Second) {
		t.Fatal("group is not gone")
	}
}

func TestKillFindsWhatLeftTheGroup(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("descendants outside the group are found on Linux only")
	}
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	const daemon = "setsid sh -c 'sleep 1000 & echo $!; echo $$; wait' & "
	t.Run("leader alive", func(t *testing.T) {
		g, out := running(t, daemon+"wait")
		a, b := readPid(t, out), readPid(t, out)
		g.Kill()
		waitDead(t, a, b, g.Pid())
	})
	t.Run("leader exits after Track", func(t *testing.T) {
		g, out := running(t, daemon+"trap 'exit 0' TERM; sleep 1000 & wait")
		a, b := readPid(t, out), readPid(t, out)
		g.Track()
		unix.Kill(g.Pid(), unix.SIGTERM)
		g.Wait()
		if !g.Alive() {
			t.Fatal("strays are forgotten")
		}
		g.Kill()
		waitDead(t, a, b)
	})
	t.Run("own groups inside the session need no Track", func(t *testing.T) {
		g, out := running(t, "set -m; sleep 1000 & echo $!; exit 0")
		a := readPid(t, out)
		g.Wait()
		g.Kill()
		waitDead(t, a)
	})
}

func TestStartRefusesStreamsThatCouldBlockWait(t *testing.T) {
	cmd := exec.Command("true")
	cmd.Stdout = &strings.Builder{}
	if _, err := Start(cmd); !errors.Is(err, ErrPipe) {
		t.Fatalf("got %v", err)
	}
}

func TestLookPath(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, mode os.FileMode) {
		must.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), mode))
	}
	write("bin/tool", 0o755)
	write("bin/plain", 0o644)
	env := []string{"PATH=/nowhere", "PATH=.::" + filepath.Join(dir, "bin")}
	for _, tc := range []struct {
		name, want string
		err        error
	}{
		{"tool", "bin/tool", nil},
		{"./bin/tool", "bin/tool", nil},
		{"bin/tool", "bin/tool", nil},
		{filepath.Join(dir, "bin/tool"), "bin/tool", nil},
		{"plain", "", fs.ErrPermission},
		{"./bin/plain", "", fs.ErrPermission},
		{"./bin/none", "", fs.ErrNotExist},
		{"none", "", exec.ErrNotFound},
		{"", "", exec.ErrNotFound},
		{"a\x00b", "", exec.ErrNotFound},
	} {
		got, err := LookPath(tc.name, dir, env)
		if tc.err != nil {
			if !errors.Is(err, tc.err) {
				t.Errorf("LookPath(%q): %v, want %v", tc.name, err, tc.err)
			}
		} else if err != nil || got != filepath.Join(dir, tc.want) {
			t.Errorf("LookPath(%q) = %q, %v", tc.name, got, err)
		}
	}
}
