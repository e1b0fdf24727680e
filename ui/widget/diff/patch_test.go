package diff

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"znkr.io/diff/textdiff"

	"parley/internal/linediff"
	"parley/internal/must"
	"parley/ui/theme"
	"parley/ui/uitest"
)

// told is a line that tells what was read of a file.
// What git writes; with absolute paths, as ACP wants them, and the contents of
// binary files; and what git makes of changes when it is given a directory as
// prefix: it takes them for new files.
// What cannot be read comes back as text, and what follows it is read.
// A patch is drawn as the comparison is that it was made of: marks, numbers,
// ends of files.
func TestPatchLooksLikeDiff(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"alpha", "beta", "gamma(x)", "日本", "\t", "", "- dash", "+ plus"}
	text := func() string {
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteString(words[r.IntN(len(words))] + " " + words[r.IntN(3)] + "\n")
		}
		return strings.TrimSuffix(b.String(), strings.Repeat("\n", r.IntN(2)))
	}
	drawn := 0
	for range 300 {
		old := text()
		now := old
		if r.IntN(4) == 0 {
			now = text()
		}
		for range r.IntN(4) {
			now = strings.Replace(now, words[r.IntN(3)], words[r.IntN(4)], 1+r.IntN(3))
		}
		want := linediff.Compare(linediff.Texts{Old: old, New: now})
		files := linediff.ParsePatch("--- a/f\n+++ b/f\n" + textdiff.Unified(old, now, textdiff.IndentHeuristic()))
		if len(files) != 1 || files[0].Text != "" || files[0].Path != "f" {
			t.Fatalf("%q to %q: %+v", old, now, files)
		}
		got := files[0].Diff
		if got == nil {
			if old != now {
				t.Fatalf("%q to %q: nothing", old, now)
			}
			continue
		}
		drawn++
		if got.Added != want.Added || got.Removed != want.Removed {
			t.Errorf("+%d -%d, not +%d -%d", got.Added, got.Removed, want.Added, want.Removed)
		}
		for _, width := range []int{20, 80} {
			for _, limit := range []int{0, 7} {
				a, moreA := Rows(got, width, limit, theme.Dark())
				b, moreB := Rows(want, width, limit, theme.Dark())
				if !slices.Equal(a, b) || moreA != moreB {
					t.Fatalf("%q to %q, %d wide: %d more\n%s\nwant %d more\n%s", old, now, width, moreA, strings.Join(a, "\n"), moreB, strings.Join(b, "\n"))
				}
			}
		}
	}
	if drawn < 200 {
		t.Fatalf("%d drawn only", drawn)
	}
}

// That only the end of a line changes is shown.
func TestPatchLineEnds(t *testing.T) {
	for patch, want := range map[string]string{
		"--- a\n+++ a\n@@ -1 +1 @@\n-x\r\n+x\n":   "- x␍\n+ x",
		"--- a\n+++ a\n@@ -1 +1 @@\n-x\r\n+y\r\n": "- x\n+ y",
	} {
		rows, _ := Rows(linediff.ParsePatch(patch)[0].Diff, 40, 0, theme.Plain())
		if got := ansi.Strip(strings.Join(rows, "\n")); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// Whatever its size, what is kept of a patch is bounded, and nothing is lost:
// past the limit it is text.
// FuzzPatch: any patch can be read and drawn, and its lines are in a hunk or in
// a text.
func FuzzPatch(f *testing.F) {
	for _, name := range []string{"git.patch", "absolute.patch", "prefixed.patch"} {
		patch := must.Get(os.ReadFile("../../../internal/linediff/testdata/patches/" + name))(f)
		f.Add(string(patch), 40)
	}
	f.Add("--- a\n+++ b\n@@ -1,2 +1,2 @@\n x\n-\x1b[m\r\n+日\n\\ No\n@@ -0,0 +9999 @@\n+x", 61)
	f.Fuzz(func(t *testing.T, patch string, width int) {
		width = min(max(width, 8), 200)
		for _, file := range linediff.ParsePatch(patch) {
			if !strings.Contains(patch, file.Text) {
				t.Errorf("text that is not the patch's: %q", file.Text)
			}
			if file.Diff == nil {
				continue
			}
			all, more := Rows(file.Diff, width, 0, theme.Dark())
			uitest.CheckStyled(t, all, width)
			if more != 0 || len(all) < file.Diff.Lines() {
				t.Errorf("%d rows of %d lines, %d more", len(all), file.Diff.Lines(), more)
			}
			if rows, _ := Rows(file.Diff, width, 5, theme.Plain()); len(rows) > 5 {
				t.Errorf("%d rows of at most 5", len(rows))
			}
			for _, h := range file.Diff.Hunks {
				for _, e := range h.Edits {
					if !strings.Contains(patch, e.Line) {
						t.Errorf("a line that is not the patch's: %q", e.Line)
					}
				}
			}
		}
	})
}
