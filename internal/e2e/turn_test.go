//go:build unix

package e2e

import (
	"strings"
	"testing"
)

// An answer to a prompt that does not say why the turn has ended is told.
func TestNoStopReason(t *testing.T) {
	t.Parallel()
	s := Start(t, 80, 24, workDir(t), scripted(t)...)
	s.WaitFor(placeholder)
	s.Prompt("null")
	s.WaitFor("There is no reason.", "The agent ended the turn without a stop reason", "? help")
	s = Start(t, 80, 24, workDir(t), append([]string{"--linear"}, scripted(t)...)...)
	s.WaitFor("You:")
	s.Type("null\r")
	s.WaitFor("There is no reason.", "Turn ended: the agent ended the turn without a stop reason.")
}

// When an agent dies, parley says so with its last output, and can start it again.
func TestAgentDies(t *testing.T) {
	t.Parallel()
	s := Start(t, 90, 30, workDir(t), scripted(t)...)
	s.WaitFor(placeholder)
	s.Prompt("die now")
	s.WaitFor("before the end", "exited with code 3", "│ first line of the complaint", "│ the disk is full of bees",
		"The agent has ended · enter restarts it")
	s.Type("still here")
	s.WaitDraft("still here")
	s.Press("enter")
	s.WaitFunc("a new agent", func(rows []string) bool { return rowOf(rows, "has ended") < 0 && rowOf(rows, "? help") >= 0 })
	s.WaitDraft("still here")
	s.Press("enter")
	s.WaitFor("heard: still here")
}

// The same between two turns.
func TestAgentDiesWhileIdle(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	s := Start(t, 90, 30, dir, scripted(t)...)
	s.WaitFor(placeholder)
	s.Prompt("leave")
	s.WaitFor("heard: leave")
	s.WaitIdle()
	open(t, dir)
	s.WaitFor("The agent has ended · enter restarts it")
	s.WaitFor("exited with code 7", "│ gone to lunch")
	s.Press("enter")
	s.WaitIdle()
	s.Prompt("and back")
	s.WaitFor("heard: and back")
}

// Incremental frames must add up to the same screen as a full redraw.
func TestResizeInMidStream(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	s := Start(t, 120, 40, dir, scripted(t)...)
	s.WaitFor(placeholder)
	s.Prompt("trickle")
	s.WaitParagraph(4)
	s.Type("my draft")
	s.WaitDraft("my draft")
	for _, size := range [][2]int{{40, 12}, {120, 40}, {40, 12}, {73, 17}, {120, 40}} {
		s.Resize(size[0], size[1])
		s.WaitFunc("the screen at its new size", func(rows []string) bool {
			return framed(rows, size[0]) == "" && draft(rows) == "my draft" && rowOf(rows, "Paragraph") >= 0
		})
	}
	open(t, dir)
	s.WaitFor("The end of the trickle.")
	rows := s.WaitIdle()
	_, mark := s.Raw(0)
	s.Press("ctrl+l")
	var again []string
	s.WaitFunc("a full repaint", func(r []string) bool {
		raw, _ := s.Raw(mark)
		again = r
		return strings.Count(string(raw), "\x1b[K") >= len(r) && framed(r, 120) == ""
	})
	if a, b := strings.Join(rows, "\n"), strings.Join(again, "\n"); a != b {
		t.Errorf("the screen:\n%s\nand after a full repaint:\n%s", numbered(rows), numbered(again))
	}
	paragraphs(t, rows)
}

// paragraphs checks that the paragraphs on the screen are consecutive.
func paragraphs(t *testing.T, rows []string) {
	t.Helper()
	last := 0
	for _, r := range rows {
		rest, ok := strings.CutPrefix(strings.TrimSpace(r), "Paragraph ")
		if !ok {
			continue
		}
		n := 0
		for _, c := range rest {
			if c < '0' || c > '9' {
				break
			}
			n = n*10 + int(c-'0')
		}
		if last != 0 && n != last+1 {
			t.Errorf("paragraph %d follows %d:\n%s", n, last, numbered(rows))
		}
		last = n
	}
	if last == 0 {
		t.Errorf("no paragraph left:\n%s", numbered(rows))
	}
}
