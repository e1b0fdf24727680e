package box

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/ui/theme"
	"parley/ui/uitest"
)

func TestFrameGolden(t *testing.T) {
	th := theme.Dark()
	body := []string{
		"Run a command in ~/src/api-server",
		"  " + th.Code.Paint("git add -A && git commit -m \"typed errors\""),
		"日本語 👩‍👩‍👧",
		"", Separator,
		th.Key.Paint("y") + " Allow once   " + th.Key.Paint("n") + " Reject",
	}
	var b strings.Builder
	for _, w := range []int{3, 10, 19, 24, 40, 80, 120} {
		rows := Box{Title: "claude asks", Right: "1 of 2 waiting", Foot: "You are typing · esc rejects", Body: body, Focused: true}.Rows(w, th)
		uitest.CheckStyled(t, rows, w)
		fmt.Fprintf(&b, "== %d wide\n", w)
		for i, row := range rows {
			if got := ansi.StringWidth(row); w >= bareWidth && got != w {
				t.Errorf("row %d is %d cells wide, want %d", i, got, w)
			}
			b.WriteString(ansi.Strip(row) + "\n")
		}
	}
	uitest.GoldenText(t, "frame.txt", b.String())
}

func TestFrameWithoutTexts(t *testing.T) {
	rows := Box{Body: []string{"x"}}.Rows(8, theme.Plain())
	got := ansi.Strip(strings.Join(rows, "\n"))
	if want := "╭──────╮\n│x     │\n╰──────╯"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	rows = Box{Title: "a\nb\x1b[31m"}.Rows(30, theme.Plain())
	uitest.CheckStyled(t, rows, 30)
	if len(rows) != 2 || ansi.StringWidth(rows[0]) != 30 {
		t.Errorf("rows %q", rows)
	}
}

// A foot that does not fit loses its last hints as a whole: half a hint helps nobody.
func TestFootDropsHints(t *testing.T) {
	for width, want := range map[int]string{
		40: "╰─ enter selects · ctrl+x stops ───────╯",
		30: "╰─ enter selects ────────────╯",
		50: "╰─ enter selects · ctrl+x stops · esc closes ────╯",
	} {
		rows := Box{Foot: "enter selects · ctrl+x stops · esc closes"}.Rows(width, theme.Plain())
		if got := ansi.Strip(rows[1]); got != want {
			t.Errorf("%d wide: got %q, want %q", width, got, want)
		}
	}
}
