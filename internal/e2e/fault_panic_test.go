//go:build unix

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/acpclient/event"
	"parley/internal/app"
	"parley/internal/cli"
	"parley/internal/finder"
	"parley/internal/must"
	"parley/internal/workspace"
	"parley/ui"
)

// panicVar makes this test binary a parley that panics: while the screen handles a key, or in a
// command of the screen, which runs on its own goroutine.
const panicVar = "PARLEY_TEST_PANIC"

// mistake is the message of the panic. It contains control sequences, as text from an agent can.
const mistake = "a mistake on purpose\x1b]2;pwned\x07\r\x1b[31m"

func init() {
	if len(os.Args) > 1 && os.Args[1] == "agent" { // started by such a parley
		return
	}
	switch os.Getenv(panicVar) {
	case "key":
		brokenScreen()
	case "command":
		brokenCommand()
	}
}

// A panic in the screen leaves the terminal restored, and its message is readable. (Every exit
// checks that the terminal is restored.)
func TestPanicInTheScreen(t *testing.T) {
	t.Parallel()
	self := must.Get(os.Executable())(t)
	s := startIn(t, 80, 24, workDir(t), []string{panicVar + "=key"}, []string{self})
	s.WaitFor("Type to filter")
	s.Type("xyz -v")
	s.Press("enter")
	if code := s.ExitCode(); code != 7 {
		t.Errorf("exit code %d", code)
	}
	s.WaitFor("a bug in parley ended it: a mistake on purpose")
	s.noMistakeShown(0)
}

// brokenScreen runs a screen that panics while it handles a key.
func brokenScreen() {
	_, err := ui.Run(context.Background(), ui.Options{
		Theme:      "plain",
		TypedAgent: func(string) (workspace.Spec, error) { panic(mistake) },
		FrontEnd: workspace.FrontEnd{Home: "/", Options: workspace.Options{Cwd: "/", Agents: []workspace.Spec{{Name: "fake", Command: "fake", Section: "Installed"}},
			Connect: func(context.Context, workspace.Spec, event.Sink, *event.Log) (*workspace.Connection, error) {
				return nil, errors.New("nobody is there")
			}}},
	})
	if err != nil {
		fmt.Println(err)
		os.Exit(7)
	}
	os.Exit(0)
}

// noMistakeShown checks that no control sequence of the message has reached the terminal.
func (s *Screen) noMistakeShown(from int) {
	s.t.Helper()
	raw, _ := s.Raw(from)
	for _, bad := range []string{"\x1b]2;pwned", "\x07\r\x1b[31m", "goroutine "} {
		if bytes.Contains(raw, []byte(bad)) {
			s.t.Errorf("the terminal was sent %q", bad)
		}
	}
}

// A panic in a command of the screen also shuts down in order: the terminal is restored, parley
// says what happened and where to read more, no process is left, and the draft and the session are
// available at the next start.
func TestPanicInACommand(t *testing.T) {
	t.Parallel()
	for _, inline := range []bool{false, true} {
		t.Run(fmt.Sprintf("inline %v", inline), func(t *testing.T) {
			t.Parallel()
			dir := workDir(t)
			self := scripted(t)
			kept := fmt.Sprintf(`[{"sessionId":"s1","cwd":%q,"title":"Fix the lexer","updatedAt":"2026-02-27T18:05:00Z"}]`, dir)
			args := self
			if inline {
				args = append([]string{"--inline"}, self...)
			}
			s := startIn(t, 120, 40, dir, []string{panicVar + "=command", keptVar + "=" + kept}, append([]string{self[1]}, args...))
			s.WaitFor(placeholder)
			s.Prompt("hello")
			s.WaitFor("heard: hello")
			s.Type("half a thought @") // starts a search for files
			if code := s.ExitCode(); code != 1 {
				t.Errorf("exit code %d", code)
			}
			s.noneLeft()
			state := stateOf(dir)
			rows := strings.Join(s.WaitFor("parley: a bug in parley ended it: a mistake on purpose", "Resume: parley --resume s1"), "\n")
			for _, want := range []string{"crash report: " + filepath.Join(state, "broken-"), "log of the session: " + filepath.Join(state, "sessions")} {
				if !strings.Contains(strings.ReplaceAll(rows, "\n", ""), want) {
					t.Errorf("%q is not said:\n%s", want, rows)
				}
			}
			s.noMistakeShown(0)
			if left := onlyFile(t, filepath.Join(state, "broken-*.txt")); !strings.Contains(left, ".mistaken(") || strings.ContainsAny(left, "\x1b\x07") {
				t.Errorf("written down: %.2000q", left)
			}
			if log := onlyFile(t, filepath.Join(state, "sessions", "*.jsonl")); !strings.Contains(log, "heard: hello") {
				t.Error("the log of the session does not have the session")
			}
			again := StartEnv(t, 120, 40, dir, []string{keptVar + "=" + kept}, append([]string{"--continue"}, self...)...)
			history(again, "s1")
			again.WaitDraft("half a thought @")
		})
	}
}

// onlyFile returns the only file that matches the pattern, which must be private to the user.
func onlyFile(t *testing.T, pattern string) string {
	t.Helper()
	names, _ := filepath.Glob(pattern)
	if len(names) != 1 {
		t.Fatalf("%s: got %q", pattern, names)
	}
	if info, err := os.Stat(names[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v", names[0], info.Mode(), err)
	}
	return read(t, names[0])
}

// brokenCommand runs parley with a file search that panics.
func brokenCommand() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(app.ExecuteWith(ctx, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args[1:], func(o *ui.Options) { o.FindFiles = mistaken }))
}

// mistaken is a file search that panics.
func mistaken(context.Context, string, string) (finder.Found, error) { panic(mistake) }
