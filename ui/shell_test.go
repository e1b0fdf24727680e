package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/fakeagent"
	"parley/ui/shell"
)

// fakeShell runs nothing: the test says what commands do.
type fakeShell struct {
	mu     sync.Mutex
	runs   []*fakeRun
	err    error
	slow   time.Duration
	closed bool
}

// fakeRun is a command that was started.
type fakeRun struct {
	line, dir string
	env       []string
	news      func(shell.Output)
	stopped   bool
}

func (s *fakeShell) Run(line, dir string, env []string, news func(shell.Output)) (func(), error) {
	time.Sleep(s.slow)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	r := &fakeRun{line: line, dir: dir, env: env, news: news}
	s.runs = append(s.runs, r)
	return func() {
		s.mu.Lock()
		r.stopped = true
		s.mu.Unlock()
		news(shell.Output{Ended: true, Signal: "SIGTERM"})
	}, nil
}

func (s *fakeShell) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

func (s *fakeShell) ran() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, r := range s.runs {
		lines = append(lines, r.line)
	}
	return strings.Join(lines, "|")
}

// says is output of the newest command, done its end.
func (s *fakeShell) says(text string) { s.runs[len(s.runs)-1].news(shell.Output{Data: []byte(text)}) }
func (s *fakeShell) done(code int) {
	s.runs[len(s.runs)-1].news(shell.Output{Ended: true, Code: &code})
}

func withShell(s *fakeShell) func(*driver, *Options) {
	return func(_ *driver, o *Options) { o.Shell = &shell.Runner{Run: s.Run, Close: s.Close} }
}

// texts are the blocks of the newest prompt.
func (d *driver) texts() []string {
	var blocks []struct{ Text string }
	if err := json.Unmarshal([]byte(d.Agent().Blocks()[len(d.Agent().Blocks())-1]), &blocks); err != nil {
		d.t.Fatal(err)
	}
	var out []string
	for _, b := range blocks {
		out = append(out, b.Text)
	}
	return out
}

func TestShellLine(t *testing.T) {
	s := &fakeShell{}
	drive(t, func(d *driver, o *Options) {
		withShell(s)(d, o)
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Say("I see."); return "end_turn" })
	}, func(d *driver) {
		d.connected()
		d.types("!")
		d.sees("│ $ !", "shell · enter run in "+d.m.Front.Cwd())
		d.press("enter")
		d.sees("Type ! and a command to run it in your shell")
		d.types(" go test ./...")
		d.press("enter")
		d.draft("")
		d.misses("shell · enter", "│ $")
		d.soon()
		if s.ran() != "go test ./..." || s.runs[0].dir != d.m.Front.Cwd() {
			t.Errorf("ran %q in %q", s.ran(), s.runs[0].dir)
		}
		for i := range 8 {
			s.says(fmt.Sprintf("\x1b[31mline %d\x1b[m\r\n", i+1))
		}
		d.wait(3300 * time.Millisecond)
		d.sees("Shell  go test ./...", " 3s", "line 4", "line 8", "esc stop the command")
		d.misses("line 3")
		for i := range 20 {
			s.says(fmt.Sprintln("more", i+1))
		}
		s.done(1)
		d.soon()
		d.sees("✗ Shell  go test ./...", "exit 1  3s", "line 1", "line 3", "… 18 lines", "more 14", "more 20", "Attached: output of go test ./... (28 lines)  ⌫ drop", "? help")
		d.prompts("")
		d.types("what is wrong?\n")
		d.soon()
		got := d.texts()
		if len(got) != 2 || !strings.HasPrefix(got[0], "I ran this command myself:\n\n```console 28\n$ go test ./...\nline 1\n") || !strings.HasSuffix(got[0], "\nmore 20\n```\n\nIt ended with exit code 1.\n\n") || got[1] != "what is wrong?" {
			t.Errorf("the agent got %q", got)
		}
		d.sees("▌ what is wrong?", "▌ with output of go test ./... (28 lines)")
		d.misses("Goes with your next prompt")
		d.types("and now?\n")
		d.soon()
		if got := d.texts(); len(got) != 1 || got[0] != "and now?" {
			t.Errorf("it went twice: %q", got)
		}
		d.press("up", "up", "up")
		d.draft("! go test ./...")
		for _, size := range [][2]int{{40, 12}, {20, 6}, {160, 50}} { // whatever fits, nothing runs over
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			d.sees("│ $ ! go test")
		}
	})
}

func TestShellLineDropped(t *testing.T) {
	s := &fakeShell{}
	drive(t, withShell(s), func(d *driver) {
		d.connected()
		d.types("!true\n")
		d.soon()
		s.done(0)
		d.soon()
		d.sees("✓ Shell  true", "Attached: true (no output)")
		d.press("backspace")
		d.misses("Goes with your next prompt")
		d.types("hello !important\n")
		d.soon()
		d.prompts("hello !important")
		d.types(" !not a command\n")
		d.soon()
		d.prompts("hello !important| !not a command")
		s.err = errors.New("no such directory")
		d.types("!ls\n")
		d.soon()
		d.sees("✗ Shell  ls", "did not run", "no such directory")
		d.misses("Goes with your next prompt")
	})
}

// Several commands run one after the other; esc stops the one that runs, and
// those that wait are not run.
func TestShellQueue(t *testing.T) {
	s := &fakeShell{}
	drive(t, withShell(s), func(d *driver) {
		d.connected()
		d.types("!one\n!two\n!three\n")
		d.soon()
		d.sees("Shell  two", "waiting for the previous one")
		if s.ran() != "one" {
			t.Errorf("ran %q", s.ran())
		}
		s.says("1\n")
		s.done(0)
		d.soon()
		if s.ran() != "one|two" {
			t.Errorf("ran %q", s.ran())
		}
		d.types("a draft")
		d.press("esc")
		d.soon()
		d.sees("⊘ Shell  two", "stopped", "⊘ Shell  three", "not run", "Attached: two (no output), and 1 more")
		d.draft("a draft")
		if s.ran() != "one|two" || !s.runs[1].stopped || s.runs[0].stopped {
			t.Errorf("ran %q", s.ran())
		}
		d.press("ctrl+c")
		d.types("!four\n!five\n")
		d.soon()
		d.press("f3")
		d.sees("! four", "! five", "ctrl+x stop")
		d.types("fiv")
		d.press("ctrl+x")
		d.press("esc", "esc")
		d.sees("⊘ Shell  five")
		d.press("tab", "k", "x") // the entry before
		d.soon()
		d.sees("⊘ Shell  four")
	})
}

// esc while a command is being started counts.
func TestShellStoppedAtOnce(t *testing.T) {
	s := &fakeShell{slow: time.Second}
	drive(t, withShell(s), func(d *driver) {
		d.connected()
		d.types("!server\n")
		d.press("esc")
		d.wait(2 * time.Second)
		d.sees("⊘ Shell  server", "stopped")
		if !s.runs[0].stopped {
			t.Error("the command was not stopped")
		}
	})
}

// A turn and a command: the first esc is for the turn.
func TestShellBesideTurn(t *testing.T) {
	s := &fakeShell{}
	drive(t, func(d *driver, o *Options) { withShell(s)(d, o); d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("work\n!sleep 100\n")
		d.soon()
		d.types("next\n")
		s.says("zzz\n")
		d.soon()
		d.sees("running", "Shell  sleep 100", `queued 1  "next"`)
		d.press("esc")
		d.soon()
		d.sees("Stopped")
		if s.runs[0].stopped {
			t.Error("the command was stopped in place of the turn")
		}
		d.press("esc")
		d.soon()
		if !s.runs[0].stopped {
			t.Error("the command was not stopped")
		}
		d.press("ctrl+d") // the composer is empty
		d.soon()
		if !s.closed || !d.quit {
			t.Error("the shell outlives the screen")
		}
	})
}

// A command whose page is closed is ended.
func TestShellOfClosedPage(t *testing.T) {
	s := &fakeShell{}
	drive(t, func(d *driver, o *Options) { withShell(s)(d, o) }, func(d *driver) {
		d.connected()
		d.types("hello\n/new\n")
		d.soon()
		d.types("!server\n!later\n")
		d.soon()
		d.press("ctrl+s", "down", "ctrl+x", "esc")
		d.soon()
		if s.ran() != "server" || !s.runs[0].stopped || d.m.Front.RunsShell() {
			t.Errorf("ran %q, stopped %v", s.ran(), s.runs[0].stopped)
		}
	})
}

// While an agent starts nothing is run, and no command is sent to it.
func TestShellWhileStarting(t *testing.T) {
	s := &fakeShell{}
	drive(t, func(d *driver, o *Options) {
		withShell(s)(d, o)
		d.fake.On("session/new", func(c *fakeagent.Call) (string, error) { time.Sleep(time.Second); return c.Default() })
	}, func(d *driver) {
		d.types("!rm -rf build\n")
		d.wait(2 * time.Second)
		d.prompts("")
		d.draft("!rm -rf build")
		if s.ran() != "" {
			t.Errorf("ran %q", s.ran())
		}
	})
}

// The directory and the variables of a command are those of the next, and the status line shows where that runs. The
// terminal is told, so that a new tab opens there.
func TestShellMoves(t *testing.T) {
	s := &fakeShell{}
	drive(t, withShell(s), func(d *driver) {
		d.connected()
		d.misses("! /")
		d.types("!cd /elsewhere\n")
		d.soon()
		code := 0
		s.runs[0].news(shell.Output{Ended: true, Code: &code, Dir: "/elsewhere", Env: []string{"X=1"}})
		d.soon()
		d.sees(" · ! /elsewhere")
		told := func(want string) {
			if got := d.toldDirs[len(d.toldDirs)-1]; !strings.HasSuffix(got, want) {
				t.Errorf("the terminal was told %q, want %q", got, want)
			}
		}
		told("/elsewhere")
		d.types("!")
		d.sees("shell · enter run in /elsewhere")
		d.types("make\n")
		d.soon()
		if r := s.runs[1]; r.dir != "/elsewhere" || len(r.env) != 1 || r.env[0] != "X=1" {
			t.Errorf("in %q with %q", r.dir, r.env)
		}
		s.runs[1].news(shell.Output{Ended: true, Code: &code, Dir: d.m.Front.LocalDir()})
		d.soon()
		d.misses("! /")
		told(d.m.Front.LocalDir())
	})
}
