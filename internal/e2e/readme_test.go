//go:build unix

package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/must"
	"parley/ui/theme"
	"parley/ui/uitest"
)

var update = flag.Lookup("update") // defined by uitest

// The picture in README is a screen of the real program with the demo agent. Times and durations
// are not compared.
func TestREADMEPicture(t *testing.T) {
	t.Parallel()
	th := theme.Dark()
	dir := workDir(t)
	write(t, filepath.Join(dir, "notes.txt"), "# Notes\n\n- buy milk\n")
	write(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() {}\n")
	s := StartEnv(t, 96, 34, dir, []string{"TERM=xterm-256color", "COLORTERM=truecolor"}, "demo", "--theme", th.Name)
	s.WaitFor(placeholder)
	s.Prompt("read main.go, edit notes.txt and run ls")
	s.WaitFor("notes.txt", armed)
	s.Press("y")
	s.WaitFor("Run a command", armed, "+1 −0   ")
	path := filepath.Join("testdata", "demo-dark.golden")
	got := s.styled(th, dir)
	if update.Value.String() == "true" {
		write(t, path, "== chat\n"+strings.Join(got, "\n")+"\n")
		return
	}
	text := must.Get(os.ReadFile(path))(t)
	want := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	a, b := essential(want), essential(got)
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Fatalf("%s: row %d differs (-update rewrites it, then go run ./internal/pictures)\n%s", path, i+1, strings.Join(got, "\n"))
		}
	}
}

// styled returns the screen in the notation of golden screens, with the directory renamed.
func (s *Screen) styled(th *theme.Theme, dir string) []string {
	s.look()
	s.mu.Lock()
	rows := make([]string, s.emu.Height())
	for y := range rows {
		line := make(uv.Line, s.emu.Width())
		for x := range line {
			if c := s.emu.CellAt(x, y); c != nil {
				line[x] = *c
			}
			if c := &line[x]; c.Content == " " && c.Style.Attrs == 0 && c.Style.Underline == 0 {
				c.Style.Fg = nil // not visible, and depends on how the blank was painted
				if x > 0 {
					c.Style.Fg = line[x-1].Style.Fg
				}
			}
		}
		rows[y] = line.Render()
	}
	s.mu.Unlock()
	styles := uitest.NewStyles(th)
	for i, row := range rows {
		if plain := ansi.Strip(row); strings.Contains(plain, dir) { // pads, so that the frame to the right stays in place
			row = strings.Replace(row, dir, "/home/ada/notes"+strings.Repeat(" ", max(0, len(dir)-len("/home/ada/notes"))), 1)
		}
		rows[i] = styles.Row(row)
	}
	return rows
}

var (
	clock    = regexp.MustCompile(`\b\d\d:\d\d(:\d\d)?\b`)
	duration = regexp.MustCompile(`\b\d+s\b`)
	gap      = regexp.MustCompile(` {2,}|[␣─]×\d+`)
)

// essential removes from rows what differs between runs.
func essential(rows []string) []string {
	var out []string
	for _, r := range rows {
		r = duration.ReplaceAllString(clock.ReplaceAllString(r, "TIME"), "T")
		out = append(out, strings.TrimSpace(gap.ReplaceAllString(r, " ")))
	}
	return out
}
