//go:build unix

package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/cli"
	"parley/internal/gittest"
	"parley/internal/must"
)

// newRepository is newShell in a git repository with one commit of notes.txt.
func newRepository(t *testing.T) *shell {
	t.Helper()
	git := gittest.Program(t)
	gittest.Isolate(t)
	s := newShell(t)
	must.Do(t, os.Symlink(git, filepath.Join(s.bin, "git")))
	write(t, "notes.txt", "one\n")
	gittest.Init(t, s.dir)
	return s
}

func (s *shell) read(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// comparison is what -o json prints.
type comparison struct {
	Uncommitted, Code int
	Results           []struct {
		Name, Worktree, Branch, Path, Diff, Cwd, Answer, StopReason, Error string
		Files, Added, Removed, Code                                        int
		Used                                                               uint64
		Seconds                                                            float64
		Check                                                              *struct {
			Code                   *int
			Command, Output, Error string
			Truncated              bool
		}
	}
}

func (s *shell) compare(code int, args ...string) (comparison, result) {
	s.t.Helper()
	r := s.run("", append([]string{"compare", "-o", "json"}, args...)...)
	var c comparison
	if err := json.Unmarshal([]byte(r.out), &c); err != nil || r.code != code || c.Code != code {
		s.t.Fatalf("%v: %+v", err, r)
	}
	return c, r
}

// The same agent twice: each works in a worktree of its own, the user's files stay as they are, and
// the one that the user chooses is merged.
func TestCompare(t *testing.T) {
	s := newRepository(t)
	write(t, "notes.txt", "one\nthe user's\n")
	write(t, "mine.txt", "the user's\n")
	c, r := s.compare(0, "--agent", "demo", "--agent", "demo", "--approve-all", "edit notes.txt")
	if len(c.Results) != 2 || c.Uncommitted != 2 || !strings.Contains(r.stderr, "parley: 2 uncommitted files are not in the worktrees") {
		t.Fatalf("%+v\n%s", c, r.stderr)
	}
	for i, got := range c.Results {
		if got.Name != "demo" || got.Worktree != fmt.Sprintf("demo-%d", i+1) || got.Branch != "parley/"+got.Worktree || got.Cwd != got.Path || got.StopReason != "end_turn" {
			t.Errorf("got %+v", got)
		}
		if got.Files != 1 || got.Added != 1 || got.Removed != 0 || !strings.Contains(got.Diff, "\n+demo agent was here") || strings.Contains(got.Diff, "the user's") {
			t.Errorf("got %+v", got)
		}
		if !strings.Contains(got.Answer, "one more line") || got.Used == 0 || got.Seconds <= 0 || got.Check != nil {
			t.Errorf("got %+v", got)
		}
		if text := s.read(filepath.Join(got.Path, "notes.txt")); !strings.HasPrefix(text, "one\ndemo agent was here") {
			t.Errorf("notes.txt holds %q", text)
		}
	}
	if s.read("notes.txt") != "one\nthe user's\n" || s.read("mine.txt") != "the user's\n" {
		t.Error("the user's files were changed")
	}
	// The user's own change is in the way of the merge.
	if r := s.run("", "worktrees", "merge", "demo-2"); r.code != 1 || !strings.Contains(r.stderr, "notes.txt") {
		t.Errorf("merge: %+v", r)
	}
	gittest.Run(t, s.dir, "checkout", "-q", "notes.txt")
	if r := s.run("", "worktrees", "merge", "demo-2"); r.code != 0 || !strings.HasPrefix(s.read("notes.txt"), "one\ndemo agent was here") {
		t.Errorf("merge: %+v, %q", r, s.read("notes.txt"))
	}
	if r := s.run("demo-1\n", "worktrees", "remove", "demo-1"); r.code != 0 {
		t.Errorf("remove: %+v", r)
	}
	if r := s.run("", "worktrees"); !strings.HasPrefix(r.out, "No worktrees") {
		t.Errorf("left: %s", r.out)
	}
}

// One agent that fails does not stop the other, and its exit code is that of the command.
func TestCompareFailure(t *testing.T) {
	s := newRepository(t)
	exe, _ := os.Executable()
	quoted, _ := json.Marshal(exe)
	s.configure("[agents.broken]\ncommand = " + string(quoted) + "\nargs = [\"agent\", \"nobody\"]\n")
	c, r := s.compare(1, "--agent", "broken", "--agent", "demo", "edit notes.txt")
	broken, demo := c.Results[0], c.Results[1]
	if broken.Worktree != "broken-1" || broken.Code != 1 || broken.Error == "" || broken.Files != 0 {
		t.Errorf("broken: %+v", broken)
	}
	if demo.Code != 5 || !strings.Contains(demo.Answer, "left `notes.txt` alone") {
		t.Errorf("demo: %+v", demo)
	}
	for _, want := range []string{"parley: broken-1: failed after ", "parley: demo-1: not allowed: ", "parley: demo-1: denied after "} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("no %q in %q", want, r.stderr)
		}
	}
	// An option that the agent does not have fails like that, too.
	c, _ = s.compare(1, "--agent", "demo model=big", "--agent", "demo", "read notes.txt")
	if got := c.Results[0]; got.Name != "demo model=big" || got.Worktree != "demo-big-1" || !strings.Contains(got.Error, `no option "model"`) || c.Results[1].Code != 0 {
		t.Errorf("got %+v", c.Results)
	}
}

func TestCompareCheck(t *testing.T) {
	s := newRepository(t)
	const check = `echo "checked $(cat notes.txt 2>/dev/null || while read -r l; do echo "$l"; done < notes.txt)"; test -e new.txt`
	c, _ := s.compare(1, "--agent", "demo", "--agent", "demo", "--approve-all", "--check", check, "edit notes.txt")
	for _, got := range c.Results {
		if got.Code != 0 || got.Check == nil || got.Check.Code == nil || *got.Check.Code != 1 || got.Check.Command != check || !strings.HasPrefix(got.Check.Output, "checked one\ndemo agent was here") {
			t.Errorf("got %+v, %+v", got, got.Check)
		}
	}
	c, _ = s.compare(0, "--agent", "demo", "--agent", "demo", "--approve-all", "--check", "test -e new.txt", "edit new.txt")
	for _, got := range c.Results {
		if got.Check == nil || got.Check.Code == nil || *got.Check.Code != 0 {
			t.Errorf("got %+v", got.Check)
		}
	}
	c, _ = s.compare(1, "--agent", "demo", "--agent", "demo", "--check", "while :; do echo 0123456789abcdef; done", "--check-timeout", "200ms", "help")
	for _, got := range c.Results {
		if check := got.Check; check.Code != nil || !strings.Contains(check.Error, "200ms (--check-timeout)") || len(check.Output) > 64<<10 {
			t.Errorf("code %v, %q, %d bytes", check.Code, check.Error, len(check.Output))
		}
	}
}

// The restrictions of the project hold, also those that are not committed.
func TestCompareKeepsRules(t *testing.T) {
	s := newRepository(t)
	must.Do(t, os.Mkdir(".parley", 0o700))
	write(t, filepath.Join(".parley", "rules.toml"), "[[deny]]\npath = \"notes.txt\"\n")
	c, _ := s.compare(5, "--agent", "demo", "--agent", "demo", "--approve-all", "edit notes.txt")
	for _, got := range c.Results {
		if got.Code != 5 || got.Files != 0 {
			t.Errorf("got %+v", got)
		}
	}
}

// The text begins with a table and ends with what to type next. Nothing in it is a control sequence.
func TestCompareText(t *testing.T) {
	s := newRepository(t)
	r := s.run("edit notes.txt", "compare", "--agent", "demo", "--agent", "demo", "--approve-all", "--check", `printf '\033[2J'; exit 3`)
	if r.code != 1 || strings.Contains(r.out, "\x1b") {
		t.Errorf("got %+v", r)
	}
	lines := strings.Split(r.out, "\n")
	for i, want := range []string{"WORKTREE AGENT RESULT TIME TOKENS FILES LINES CHECK", "demo-1 demo done ", "demo-2 demo done "} {
		if row := strings.Join(strings.Fields(lines[i]), " "); !strings.HasPrefix(row, want) || i > 0 && !strings.HasSuffix(row, " 1 +1 -0 exit 3") {
			t.Errorf("row %q, want %q", row, want)
		}
	}
	for _, want := range []string{"demo-1 answered:\n  ", "worktrees diff NAME\n", "worktrees merge NAME\n", "worktrees remove demo-1 demo-2\n"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("no %q in\n%s", want, r.out)
		}
	}
	if r := s.run("", "worktrees", "diff", "demo-2"); r.code != 0 || !strings.Contains(r.out, "\n+demo agent was here") {
		t.Errorf("got %+v", r)
	}
}

func TestCompareUsage(t *testing.T) {
	s := newRepository(t)
	two := []string{"compare", "--agent", "demo", "--agent", "demo"}
	with := func(more ...string) []string { return append(append([]string{}, two...), more...) }
	s.usage([]string{"compare", "--agent", "demo", "hi"}, "--agent twice")
	s.usage(with(), "the prompt is empty")
	s.usage(with("-o", "stream-json", "hi"), "want text or json")
	s.usage(with("--approve-all", "--deny-all", "hi"), "cannot be used together")
	s.usage(with("--check-timeout", "0s", "hi"), "--check-timeout")
	s.usage(with("--agent", "nobody", "hi"), `no agent "nobody"`)
	s.usage(with("--agent", "demo opus", "hi"), "--agent demo: opus: want KEY=VALUE")
	s.usage(with("--agent", "", "hi"), "--agent: want a name or URL")
	s.usage(with("--agent", "ws://ada:secret@host opus", "hi"), "--agent host: opus: want KEY=VALUE")
	s.usage(with("--agent", "ftp://host/x", "hi"), "unsupported scheme")
	s.usage(with("--cwd", t.TempDir(), "hi"), "not a git repository")
	if r := s.run("", "worktrees"); !strings.HasPrefix(r.out, "No worktrees") {
		t.Errorf("left: %s", r.out)
	}
}

// An interruption ends all agents, and the command says what is left.
func TestCompareInterrupted(t *testing.T) {
	newRepository(t)
	ctx, interrupt := context.WithTimeout(t.Context(), time.Minute)
	defer interrupt()
	go func() {
		for ctx.Err() == nil {
			started, _ := filepath.Glob(filepath.Join(os.Getenv("PARLEY_STATE"), "worktrees", "*", "*", "started"))
			if len(started) == 2 {
				interrupt()
			}
			time.Sleep(5 * time.Millisecond) // between looks
		}
	}()
	var out, stderr bytes.Buffer
	args := []string{"compare", "--agent", "demo", "--agent", "demo", "--approve-all", "--check", "echo checked", "run `: > started; exec /bin/sleep 600`"}
	code := Execute(ctx, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &stderr}, args)
	if code != 130 || strings.Count(out.String(), "interrupted") != 2 || !strings.Contains(out.String(), "worktrees remove demo-1 demo-2") || strings.Contains(out.String(), "checked") {
		t.Errorf("code %d\n%s\n%s", code, &out, &stderr)
	}
}
