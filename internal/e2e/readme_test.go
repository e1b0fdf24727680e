//go:build unix

package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readmePlace is the directory in which README shows the chat.
const readmePlace = "/home/ada/notes"

// The screens of README are those that the demo agent makes: every row of them has
// to be there, in that order. Times, and how long something took, do not count.
func TestREADMEScreens(t *testing.T) {
	t.Parallel()
	want := readmeScreens(t)
	dir := workDir(t)
	write(t, filepath.Join(dir, "notes.txt"), "# Notes\n\n- buy milk\n")
	write(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() {}\n")
	s := Start(t, 100, 34, dir, "demo")
	s.WaitFor(placeholder)
	s.Prompt("read main.go, edit notes.txt and run ls")
	s.WaitFor("Change a file", armed)
	s.Press("y")
	compare := func(what string, want, rows []string) {
		t.Helper()
		got := essential(rows, dir)
		at := 0
		for _, line := range want {
			for at < len(got) && got[at] != line {
				at++
			}
			if at == len(got) {
				t.Errorf("%s: README has a row that is not there, or not in its place:\n%s\nthe screen:\n%s", what, line, numbered(rows))
				return
			}
			at++
		}
	}
	compare("the question", want[0], s.WaitFor("Run a command", armed, "+1 −0   "))
	s.Press("y")
	s.WaitFor("That is all.")
	compare("the end", want[1], s.WaitIdle())
	s.Press("ctrl+p")
	compare("the palette", want[2], s.WaitFor("╭ actions"))
}

// readmeScreens are the blocks of the section, as far as they count.
func readmeScreens(t *testing.T) [][]string {
	t.Helper()
	_, section, _ := strings.Cut(read(t, filepath.Join("..", "..", "README.md")), "\n## What it looks like\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var out [][]string
	for i, block := range strings.Split(section, "```\n") {
		if i%2 == 1 {
			out = append(out, essential(strings.Split(block, "\n"), readmePlace))
		}
	}
	if len(out) != 3 || len(out[0]) < 20 || len(out[1]) < 8 || len(out[2]) < 8 {
		t.Fatalf("README has %d screens: %q", len(out), out)
	}
	return out
}

var (
	clock    = regexp.MustCompile(`\b\d\d:\d\d(:\d\d)?\b`)
	duration = regexp.MustCompile(` +\d+s\b`)
	counted  = regexp.MustCompile(`\b\d+/\d+ │$`)
	gap      = regexp.MustCompile(` {2,}|─{2,}`)
)

// essential are the rows that say something, without what differs from one time
// to the next.
func essential(rows []string, place string) []string {
	var out []string
	for _, r := range rows {
		r = strings.ReplaceAll(r, place, "DIR")
		r = duration.ReplaceAllString(clock.ReplaceAllString(r, "TIME"), "")
		r = gap.ReplaceAllString(counted.ReplaceAllString(r, "N │"), "  ")
		if r = strings.TrimSpace(r); r != "" && r != "…" {
			out = append(out, r)
		}
	}
	return out
}
