//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"

	"parley/internal/gittest"
	"parley/ui/layer"
)

// compares gives two agents the same prompt. They are answered beside each other, and leave the user's
// files as they are. One is merged; at the end the user is asked about the other.
func compares(d *desk) {
	notes := filepath.Join(d.dir, "notes.txt")
	write(d, notes, "one\n")
	gittest.Init(d, d.dir)
	config := filepath.Join(filepath.Dir(d.dir), "two.toml")
	write(d, config, "[agents.second]\ncommand = '"+parley+"'\nargs = [\"agent\", \"demo\"]\n")
	d.env = append(d.env, "PATH="+os.Getenv("PATH"), "PARLEY_CONFIG="+config)
	s := d.start(140, 40, "demo")
	s.Type("/compare edit notes.txt")
	s.Press("enter")
	s.WaitFor("Compare agents", "[x] demo")
	s.Type("second")
	s.WaitFor("› [ ] second")
	s.Press("tab")
	s.WaitFor("› [x] second")
	s.Press("enter")
	s.WaitFor("demo asks", "second asks", armed, "alt+w or a click to answer")
	s.Press("y")
	s.WaitFor("That is all.")
	s.Press("f6")
	s.WaitFor(armed)
	s.Press("y")
	s.WaitFor("All are done")
	s.Press("f5")
	reviews := func(n int) func([]string) bool {
		return func(rows []string) bool {
			text := strings.Join(rows, "\n")
			return strings.Count(text, "╭ Review: turn 1 · 1 file +1 −0") == n && strings.Count(text, "2 + demo agent was here") == n
		}
	}
	s.WaitFunc("the two reviews beside each other", reviews(2))
	if got := read(d, notes); got != "one\n" {
		d.Errorf("the user's file holds %q", got)
	}
	s.Resize(90, 30)
	s.WaitFunc("one review, and two tabs", func(rows []string) bool {
		return reviews(1)(rows) && strings.Contains(rows[0], "demo") && strings.Contains(rows[0], "second")
	})
	s.Press("esc")
	s.WaitGone("╭ Review")
	s.WaitFor(placeholder)
	s.Type("/merge\r") // the one in front
	s.WaitFor("Merge second-1 into main?", "Merge 1 file, +1 −0")
	s.pressEvery(2*layer.Quiet, "enter", "Merged into main")
	if got := read(d, notes); !strings.Contains(got, "demo agent was here") {
		d.Errorf("after the merge the user's file holds %q", got)
	}
	s.Press("ctrl+d")
	s.WaitFor("What about the worktree demo-1?", "› Keep", "loses 1 file not committed", "notes.txt")
	s.pressEvery(2*layer.Quiet, "enter", "Kept.")
	s.WaitFor("parley worktrees merge demo-1")
	if code := s.ExitCode(); code != 0 {
		d.Errorf("got exit code %d", code)
	}
}
