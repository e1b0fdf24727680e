package diff

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"parley/internal/linediff"
	"parley/internal/text"
	"parley/internal/tty"
	"parley/ui/theme"
)

// With 256 colours the darkest green is a bright ground for a whole line, so the lines of dark themes have one
// below their signs only, and code keeps its colours. With sixteen nothing is reversed.
func TestFewColoursAreCalm(t *testing.T) {
	d := linediff.Texts{Path: "a.go", Old: "a\nb\n", New: "a\nreturn 1\nreturn 2\n"}
	for _, name := range []string{"dark", "contrast-dark"} {
		th := theme.For(name, tty.Colours{Dark: true, Depth: colorprofile.ANSI256})
		c := linediff.Compare(d)
		rows, _ := Draw(c, Look{Width: 80, Syntax: Highlight(c, 10), Theme: th})
		mark := text.PenOf(th.DiffAdd.Paint)
		mark.Bg = text.PenOf(th.DiffAddLine.Paint).Bg
		for _, row := range rows[2:] {
			if !slices.Equal(classed(row, mark), []string{"+"}) || !slices.Equal(classed(row, text.PenOf(th.Keyword.Paint)), []string{"return"}) || strings.Count(row, "48;5;") != 1 {
				t.Errorf("%s: %q", name, row)
			}
		}
	}
	th := theme.ANSI()
	rows, _ := Rows(linediff.Compare(linediff.Texts{Path: "a", Old: "one word of a line\n", New: "one term of a line\n"}), 80, 0, th)
	if all := strings.Join(rows, "\n"); strings.Contains(all, "\x1b[7") || strings.Contains(all, ";7;") || !slices.Contains(classed(all, text.PenOf(th.DiffAddWord.Paint)), "term") {
		t.Errorf("%q", all)
	}
}
