//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/filelock"
	"parley/internal/keeper"
	"parley/internal/must"
	"parley/internal/text"
	"parley/internal/workspace"
)

// keptIn writes the record of a kept session, and locks its file if it lives.
func keptIn(t *testing.T, state string, s keeper.Session) {
	t.Helper()
	dir := filepath.Join(state, "kept")
	must.Do(t, os.MkdirAll(dir, 0o700))
	must.Do(t, os.WriteFile(filepath.Join(dir, s.Name+".json"), must.Get(json.Marshal(s))(t), 0o600))
	if s.Live {
		lock := must.Get(os.Create(filepath.Join(dir, s.Name+".lock")))(t)
		t.Cleanup(func() { lock.Close() })
		if !filelock.Lock(lock) {
			t.Fatal("not locked")
		}
	}
}

// Without a name it is the one of this directory, else the only one, else all that are meant are named.
func TestKeptName(t *testing.T) {
	state, here := t.TempDir(), t.TempDir()
	t.Setenv("PARLEY_STATE", state)
	t.Setenv("PWD", here)
	t.Chdir(here)
	here = must.Get(os.Getwd())(t)
	check := func(want string, args ...string) {
		t.Helper()
		got, err := keptName(args)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check("no session is kept; `parley --keep` starts one")
	keptIn(t, state, keeper.Session{Name: "gone", Status: keeper.Status{Dir: here, State: keeper.Idle}})
	check("no session is kept; `parley --keep` starts one")
	keptIn(t, state, keeper.Session{Name: "other", Live: true, Status: keeper.Status{Dir: "/elsewhere", State: keeper.Idle}})
	check("other")
	keptIn(t, state, keeper.Session{Name: "third", Live: true, Status: keeper.Status{Dir: "/elsewhere", State: keeper.Waiting}})
	check("2 sessions are kept: parley attach third | other")
	keptIn(t, state, keeper.Session{Name: "mine", Live: true, Status: keeper.Status{Dir: here, State: keeper.Idle}})
	check("mine")
	keptIn(t, state, keeper.Session{Name: "tree", Live: true, From: here, Status: keeper.Status{Dir: "/elsewhere/worktree", State: keeper.Starting}})
	check("2 sessions are kept: parley attach tree | mine")
	check("other", "other")
	check("nothing is kept as \"../x\"; `parley ps` lists what is", "../x")
}

// What clients start outlives them, so it is bounded.
func TestAtMostSoManyAreStarted(t *testing.T) {
	state, dir := t.TempDir(), t.TempDir()
	t.Setenv("PARLEY_STATE", state)
	t.Setenv("PARLEY_CONFIG", filepath.Join(state, "none.toml"))
	for i := range maxLive {
		keptIn(t, state, keeper.Session{Name: fmt.Sprint("s", i), Live: i > 0, Status: keeper.Status{Dir: dir, State: keeper.Idle}})
	}
	if _, err := startBeside(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "default agent") {
		t.Errorf("with %d: %v", maxLive-1, err)
	}
	keptIn(t, state, keeper.Session{Name: "last", Live: true, Status: keeper.Status{Dir: dir, State: keeper.Idle}})
	for _, start := range []func(context.Context, string) (string, error){startBeside, startKept} {
		if _, err := start(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "64 sessions are kept") {
			t.Errorf("with %d: %v", maxLive, err)
		}
	}
}

// A state that this parley does not know is safe to show.
func TestAStateIsSafe(t *testing.T) {
	var b bytes.Buffer
	k := keeper.Session{Name: "x", Live: true, Status: keeper.Status{State: "a\x1b]52;c;x\a\nb"}}
	must.Do(t, writeKept(&b, []keeper.Session{k}, time.Now()))
	state, _ := workspace.DescribeKept(k)
	if all := b.String() + state; strings.ContainsAny(all, "\x1b\a") || strings.Count(all, "\n") != 2 {
		t.Errorf("%q", all)
	}
}

// The list says what waits first, what ended with the command that resumes it, and a clock that has jumped shows no future.
func TestWriteKept(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	t.Setenv("HOME", "/elsewhere")
	var b bytes.Buffer
	must.Do(t, writeKept(&b, []keeper.Session{
		{Name: "a", Live: true, Status: keeper.Status{State: keeper.Waiting, Waits: "Run a command: ls\x1b[2J", Since: now.Add(100 * time.Hour), Agent: "demo", Dir: "/elsewhere/a"}},
		{Name: "b", Live: true, Attached: true, Status: keeper.Status{State: keeper.Running, Title: "fix it", Since: now.Add(-3 * time.Minute)}},
		{Name: "c", Ended: now.Add(-time.Hour), Status: keeper.Status{Agent: "demo", Resume: []string{"demo", "--resume", "x"}}, Why: "exit code 1"},
		{Name: "d", Ended: now.Add(-time.Hour), Why: "exit code 1"},
	}, now))
	for i, want := range []string{"NAME AGENT STATE SINCE TERMINAL DIRECTORY ABOUT", "a demo waiting just now - ~/a ? Run a command: ls",
		"b - running 3 min ago attached fix it", "c demo ended 1 h ago - parley demo --resume x", "d - ended 1 h ago - exit code 1"} {
		if got := strings.Join(strings.Fields(strings.Split(b.String(), "\n")[i]), " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if strings.ContainsRune(b.String(), '\x1b') {
		t.Error("an escape sequence is written")
	}
}

// The columns of the list stay straight, whatever script the names are in.
func TestKeptColumns(t *testing.T) {
	var b bytes.Buffer
	var all []keeper.Session
	for _, name := range []string{"plain", "日本語の仕事", "cafe\u0301", "नमस्ते"} {
		all = append(all, keeper.Session{Name: name, Live: true, Attached: true, Status: keeper.Status{Agent: name, State: keeper.Running, Title: "fix it"}})
	}
	must.Do(t, writeKept(&b, all, time.Now()))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	head, _, _ := strings.Cut(lines[0], "ABOUT")
	for _, line := range lines[1:] {
		if before, _, found := strings.Cut(line, "fix it"); !found || text.Width(before) != text.Width(head) {
			t.Errorf("%d cells before the title, not %d: %s", text.Width(before), text.Width(head), line)
		}
	}
}

// What is watched fits into the terminal: a long list would scroll away its head, which is what waits.
func TestFitted(t *testing.T) {
	for _, c := range []struct {
		cols, rows int
		want       string
	}{
		{80, 5, "head\nwaiting 日本\nidle\nended\n"},
		{80, 4, "head\nwaiting 日本\n… 2 more\n"},
		{10, 4, "head\nwaiting …\n… 2 more\n"},
		{80, 1, "head\n… 3 more\n"},
		{0, 0, "head\nwaiting 日本\nidle\nended\n"},
	} {
		if got := string(fitted([]byte("head\nwaiting 日本\nidle\nended\n"), c.cols, c.rows)); got != c.want {
			t.Errorf("%d by %d: %q, want %q", c.cols, c.rows, got, c.want)
		}
	}
}

// systemd-logind is mentioned only where it would end what is kept.
func TestLogoutAdvice(t *testing.T) {
	me := must.Get(user.LookupId(strconv.Itoa(os.Getuid())))(t).Username
	const kills = "KillExcludeUsers=\nKillUserProcesses=yes\n"
	for i, c := range []struct {
		files map[string]string
		says  bool
	}{
		{nil, false},
		{map[string]string{"etc/systemd/logind.conf": kills}, true},
		{map[string]string{"etc/systemd/logind.conf": "#KillUserProcesses=yes\n"}, false},
		{map[string]string{"etc/systemd/logind.conf": kills, "var/lib/systemd/linger/" + me: ""}, false},
		{map[string]string{"etc/systemd/logind.conf": kills + "KillExcludeUsers=x " + me + "\n"}, false},
		{map[string]string{"etc/systemd/logind.conf": kills + "KillOnlyUsers=x\n"}, false},
		{map[string]string{"etc/systemd/logind.conf": kills + "KillOnlyUsers=x " + me + "\n"}, true},
		{map[string]string{"usr/lib/systemd/logind.conf": kills, "etc/systemd/logind.conf": ""}, false},
		{map[string]string{"etc/systemd/logind.conf": "KillExcludeUsers=\n", "run/systemd/logind.conf.d/a.conf": "[Login]\n KillUserProcesses = true\n"}, true},
		{map[string]string{"etc/systemd/logind.conf": kills, "usr/lib/systemd/logind.conf.d/b.conf": "KillUserProcesses=no\n"}, false},
		{map[string]string{"etc/systemd/logind.conf.d/a.conf": "KillUserProcesses=no\n", "usr/lib/systemd/logind.conf.d/a.conf": kills}, false},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			root := t.TempDir()
			for name, text := range c.files {
				must.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
				must.Do(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
			}
			if logoutAdvice(root, os.Getuid()) != "" {
				t.Error("it says something where there is no systemd")
			}
			must.Do(t, os.MkdirAll(filepath.Join(root, "run/systemd/seats"), 0o755))
			if got := logoutAdvice(root, os.Getuid()); (got != "") != c.says {
				t.Errorf("%v: got %q", c.files, got)
			}
		})
	}
}

// Of many that clients ask for at once, those that they no longer want are not started.
func TestWithdrawnIsNotStarted(t *testing.T) {
	t.Setenv("PARLEY_STATE", t.TempDir())
	t.Setenv("PARLEY_CONFIG", filepath.Join(t.TempDir(), "none.toml"))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := startKept(ctx, t.TempDir()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
