//go:build unix

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// armed is the text below a question that accepts keys.
const armed = "esc reject · d details"

func TestEditQuestion(t *testing.T) {
	t.Parallel()
	const before, after = "one\n", "one\ndemo agent was here (1)\n"
	for _, test := range []struct {
		name, key, content string
		shown              []string
	}{
		{"allowed", "y", after, []string{"✓ Edit   notes.txt  +1 −0 · allowed ", "notes.txt has one more line now."}},
		{"rejected", "n", before, []string{"⊘ Edit   notes.txt", "rejected ", "Without your permission I left notes.txt alone."}},
		{"escaped", "esc", before, []string{"⊘ Edit   notes.txt", "rejected ", "Without your permission I left notes.txt alone."}},
		{"by number", "1", after, []string{" · allowed ", "notes.txt has one more line now."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := workDir(t)
			notes := filepath.Join(dir, "notes.txt")
			write(t, notes, before)
			s := Start(t, 100, 40, dir, "demo")
			s.WaitFor(placeholder)
			s.Prompt("edit notes.txt")
			rows := s.WaitFor(armed)
			for _, want := range []string{"demo asks", "Change notes.txt", "2 + demo agent was here (1)", "y Allow   a Always allow edits in this session   n Reject", "waiting for you"} {
				if rowOf(rows, want) < 0 {
					t.Errorf("the question does not show %q:\n%s", want, numbered(rows))
				}
			}
			if got := read(t, notes); got != before {
				t.Errorf("changed before it was allowed: %q", got)
			}
			s.Press(test.key)
			s.WaitFor(append(test.shown, "That is all.")...)
			s.WaitIdle()
			s.WaitGone("demo asks")
			if got := read(t, notes); got != test.content {
				t.Errorf("the file holds %q, want %q", got, test.content)
			}
		})
	}
}

// "Always" answers for the file that was shown; parley's wider option for the others.
func TestAlwaysAllow(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	s := Start(t, 100, 40, dir, "demo")
	s.WaitFor(placeholder)
	s.Prompt("edit notes.txt")
	s.WaitFor(armed)
	s.Press("a")
	s.WaitFor("notes.txt has one more line now.", "? help")
	s.Prompt("edit other.txt")
	s.WaitFor("parley asks: demo did not ask first", "A Allow all edits in ", " until this session ends", "─ esc reject · h hunks")
	s.Press("A")
	s.WaitFor("other.txt has one more line now.", "? help")
	s.Prompt("edit third.txt")
	s.WaitFor("third.txt has one more line now.", "? help")
	if got := read(t, filepath.Join(dir, "other.txt")); got != "- edited by the demo agent\n" {
		t.Errorf("other.txt holds %q", got)
	}
}

// Keys typed before or after a question appears go to the draft.
func TestTypeAheadNeverAnswers(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	s := Start(t, 90, 24, dir, scripted(t)...)
	s.WaitFor(placeholder)
	s.Prompt("ask")
	s.WaitFor("I shall ask")

	typed := ""
	for after := 0; after < 6; {
		s.Type("y")
		typed += "y"
		rows := s.WaitDraft(typed)
		if len(typed) == 3 {
			open(t, dir)
		}
		if rowOf(rows, "Launch the rockets") >= 0 {
			after++
		}
	}
	rows := s.WaitFor("scripted asks", "You are typing · alt+a to answer · esc reject")
	if rowOf(rows, "the answer was") >= 0 {
		t.Fatalf("answered by type-ahead:\n%s", numbered(rows))
	}
	s.Press("alt+a")
	s.WaitFor(armed)
	s.PressUntil("d", "The agent sent nothing else about it") // keys are dropped for a moment
	s.Press("y")
	s.WaitFor("the answer was go", "(Launch)")
	s.WaitGone("scripted asks")
	s.WaitDraft(typed)
}

// Pasted text is not an answer, and not a prompt until enter.
func TestPasteIsDraft(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	s := Start(t, 90, 24, dir, scripted(t)...)
	s.WaitFor(placeholder)
	s.Prompt("ask")
	s.WaitFor("I shall ask")
	open(t, dir)
	s.WaitFor("scripted asks", armed)
	s.Paste("y\nn\r")
	rows := s.WaitFor("You are typing", "│ › y", "│   n")
	if rowOf(rows, "the answer was") >= 0 {
		t.Errorf("answered by a paste:\n%s", numbered(rows))
	}
	s.Press("alt+a")
	s.WaitFor(armed)
	s.PressUntil("n", "the answer was no")
}

func TestCommandWithLiveOutput(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	s := Start(t, 100, 40, dir, "demo")
	s.WaitFor(placeholder)
	s.Prompt("run `for i in 1 2 3; do echo line $i; until [ -e $i ]; do sleep 0.01; done; done`")
	rows := s.WaitFor(armed)
	if rowOf(rows, "│   for i in 1 2 3; do echo line $i; until [ -e $i ]; do sleep 0.01; done; done") < 0 {
		t.Errorf("the command is not shown:\n%s", numbered(rows))
	}
	s.Press("y")
	s.WaitFunc("the first line before the second", func(rows []string) bool {
		return slices.Contains(rows, "    line 1") && !slices.Contains(rows, "    line 2")
	})
	write(t, filepath.Join(dir, "1"), "")
	write(t, filepath.Join(dir, "2"), "")
	s.WaitFunc("the last line before the end", func(rows []string) bool { return slices.Contains(rows, "    line 3") && rowOf(rows, "✓ Run") < 0 })
	write(t, filepath.Join(dir, "3"), "")
	s.WaitFor("✓ Run", "and wrote 3 lines.")
	s.WaitIdle()
	s.Prompt("run false")
	s.WaitFor("│   false", armed)
	s.Press("y")
	rows = s.WaitFor("false ended with exit code 1 and wrote nothing.")
	if i := rowOf(rows, "✗ Run    false"); i < 0 || !strings.Contains(rows[i], "exit 1") {
		t.Errorf("no badge with the exit code:\n%s", numbered(rows))
	}
}

// has reports whether a row is exactly this.
