//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// framed says what is wrong with a chat screen of that width, or returns "": the composer's box
// must reach from edge to edge, or to the side panel, in complete rows, and only the status line
// may be below it. On a low screen the composer has no frame while a question is open.
func framed(rows []string, cols int) string {
	if last := rows[len(rows)-1]; strings.HasSuffix(last, sideBorder) {
		rows, cols = page(rows), ansi.StringWidth(last)-2
	}
	for i, r := range rows {
		if w := ansi.StringWidth(r); w > cols {
			return fmt.Sprintf("row %d is %d cells wide", i, w)
		}
	}
	last := len(rows) - 1
	edge := func(y int, left, right string) bool {
		return strings.HasPrefix(rows[y], left) && strings.HasSuffix(rows[y], right) && ansi.StringWidth(rows[y]) == cols
	}
	if bare := len(rows) < 16 && rowOf(rows, " asks ") >= 0 && strings.HasPrefix(rows[last-1], "  › "); !bare {
		top := last - 1
		if top < 2 || !edge(top, "╰", "╯") {
			return "no bottom of the composer above the status line"
		}
		for top--; top >= 0 && !edge(top, "╭", "╮"); top-- {
			if !edge(top, "│", "│") {
				return fmt.Sprintf("row %d is no whole row of the composer", top)
			}
		}
		if top < 0 {
			return "no top of the composer"
		}
	}
	for _, hint := range []string{"help", "stop"} {
		if strings.HasSuffix(rows[last], hint) && strings.HasPrefix(rows[last], " ") && ansi.StringWidth(rows[last]) == cols-1 {
			return ""
		}
	}
	return "no whole status line in the last row"
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{40, 12}, {80, 24}, {200, 50}} {
		cols, rows := size[0], size[1]
		t.Run(fmt.Sprintf("%dx%d", cols, rows), func(t *testing.T) {
			t.Parallel()
			dir := workDir(t)
			write(t, dir+"/notes.txt", "a line that is a little longer than a narrow screen is wide\n")
			s := Start(t, cols, rows, dir)
			screen := s.WaitFor("Runs  parley agent demo", "enter start   esc quit")
			if !strings.HasPrefix(screen[0], " parley  ") || !strings.HasSuffix(screen[rows-1], "enter start   esc quit") {
				t.Errorf("the start screen has no title or no foot:\n%s", numbered(screen))
			}
			foot := strings.Join(strings.Fields(strings.Join(screen, " ")), " ")
			if !strings.Contains(foot, "Access files in this directory; it asks before it writes, runs commands or goes elsewhere") {
				t.Errorf("what the agent gets is not all there:\n%s", numbered(screen))
			}
			s.Press("enter")
			check := func(what string, screen []string) {
				t.Helper()
				if wrong := framed(screen, cols); wrong != "" || len(screen) != rows {
					t.Errorf("%s: %s:\n%s", what, wrong, numbered(screen))
				}
			}
			check("empty chat", s.WaitFor("demo dev", "? help"))
			s.Prompt("hello, plan this")
			s.WaitFor("That is all.")
			check("after an answer", s.WaitIdle())
			s.Type("word " + strings.Repeat("long ", cols/4))
			check("with a long draft", s.WaitFunc("a draft of two rows", func(r []string) bool {
				return strings.Contains(r[rows-3], "long") && !strings.Contains(r[rows-3], "›")
			}))
			s.Press("ctrl+u", "ctrl+u")
			s.WaitDraft("")
			s.Prompt("edit notes.txt")
			check("with a question", s.WaitFunc("a question with the keys", func(r []string) bool {
				return rowOf(r, "demo asks") >= 0 && (rowOf(r, armed) >= 0 || rowOf(r, "read on to allow") >= 0)
			}))
			s.Press("n")
			s.WaitFor("That is all.")
			check("after the question", s.WaitIdle())
		})
	}
}

func TestTooSmall(t *testing.T) {
	t.Parallel()
	s := Start(t, 19, 5, workDir(t), "demo")
	s.WaitFor("Window too small", "(20×6 needed)")
	s.Resize(80, 24)
	s.WaitFor(placeholder)
	s.Resize(10, 3)
	s.WaitFor("Window too", "small")
	s.Resize(80, 24)
	s.Prompt("hello")
	s.WaitFor("That is all.")
}
