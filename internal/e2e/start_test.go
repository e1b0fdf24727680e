//go:build unix

package e2e

import (
	"strings"
	"testing"
)

// A first run: no configuration, and no agent installed.
func TestFirstRun(t *testing.T) {
	t.Parallel()
	s := Start(t, 100, 40, workDir(t))
	rows := s.WaitFor("chat with a coding agent in", "Runs  parley agent demo", "esc quit")
	if demo, other := rowOf(rows, "Built in"), rowOf(rows, "Not installed"); demo < 0 || demo > other {
		t.Errorf("the demo does not lead:\n%s", numbered(rows))
	}
	s.Press("enter")
	s.WaitFor("demo dev", placeholder)

	s.Type("hello")
	rows = s.WaitDraft("hello")
	x, y := s.Cursor()
	if want := rowOf(rows, "› hello"); y != want || x != len("│ › hello")-len("│›")+2 {
		t.Errorf("the cursor is at %d,%d, want it after the draft in row %d", x, y, want)
	}
	s.Press("enter")
	s.WaitFunc("an answer that is only half there", func(rows []string) bool {
		return rowOf(rows, "Hello from the demo agent") >= 0 && rowOf(rows, "That is all.") < 0
	})
	rows = s.WaitFor("That is all. Type help to see what else I can do.")
	for _, markup := range []string{"**not**", "# Hello", "| word |", "```text", "> hello"} {
		if i := rowOf(rows, markup); i >= 0 {
			t.Errorf("Markdown shown as source: %q", rows[i])
		}
	}
	if rowOf(rows, "Add a line to a file, after asking") < 0 || rowOf(rows, "You wrote:") < 0 {
		t.Errorf("the answer is not all there:\n%s", numbered(rows))
	}
	s.WaitIdle()
	s.Press("ctrl+c")
	s.WaitFor("ctrl+c again to quit")
	s.Press("ctrl+c")
	if code := s.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestAgentThatCannotStart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		command []string
		want    []string
	}{
		{"missing", []string{"/does/not/exist"}, []string{`cannot start "/does/not/exist": command not found`, "parley -- COMMAND ARG…", "parley agents", "enter try again"}},
		{"exits at once", []string{"sh", "-c", "echo no API key >&2; exit 4"},
			[]string{"the agent exited with code 4", "│ no API key", "Check whether the command works in a terminal: sh -c", "enter try again"}},
		{"ends before the session", dyingEarly[1:], []string{"open a session: the agent exited with code 7", "│ no key", "enter try again"}},
		{"speaks no ACP", []string{"sh", "-c", "echo Usage: tool; echo wrong flag >&2; exit 2"}, []string{"exited with code 2", "│ wrong flag"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := Start(t, 100, 30, workDir(t), append([]string{"--"}, test.command...)...)
			s.WaitFor(test.want...)
			s.Press("enter") // trying again gives the same result
			s.WaitFor(test.want...)
			s.Press("esc")
			s.WaitFor("Type to filter", strings.Join(test.command[:1], " "))
			s.Press("ctrl+c")
			if code := s.ExitCode(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// Starting an agent that never answers can be cancelled.
func TestAgentThatNeverAnswers(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"esc", "ctrl+c"} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			s := Start(t, 80, 24, workDir(t), "--", "sh", "-c", "echo thinking about it >&2; sleep 600")
			s.WaitFor("Starting sh", "thinking about it", "esc cancel")
			s.Press(key)
			if key == "esc" {
				s.WaitFor("Type to filter")
				s.Press("esc")
			}
			if code := s.ExitCode(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}
