package uitest

import (
	"strings"
	"testing"

	"parley/ui/theme"
)

func TestStyles(t *testing.T) {
	th := theme.Dark()
	s := NewStyles(th)
	onLine := th.Keyword.Spec()
	onLine.Bg = th.DiffAddLine.Spec().Bg
	for _, c := range []struct{ in, want string }{
		{"plain  ", "plain"}, {"a " + th.Dim.Paint("b") + " c", "a ‹dim›b‹› c"}, {th.Dim.Paint("a") + th.Bad.Paint("b"), "‹dim›a‹bad›b‹›"},
		{th.Background.Paint("  "), "‹background›  ‹›"}, {th.Background.Paint("x" + strings.Repeat(" ", 8)), "‹background›x␣×8‹›"}, {strings.Repeat(" ", 9) + "a" + strings.Repeat("─", 80) + "╮ " + strings.Repeat(" ", 70) + "b   ", "␣×9a─×80╮␣×71b"}, {"\x1b[1;32mx\x1b[m", "‹bold 32›x‹›"}, {"\x1b[38;2;1;2;3;48;5;9mx\x1b[0m", "‹2;1;2;3 on 5;9›x‹›"},
		{theme.NewInk(onLine).Paint("x"), "‹keyword on diffaddline›x‹›"}, {"\x1b[3ma\x1b[1mb\x1b[22mc\x1b[m", "‹italic›a‹bold italic›b‹italic›c‹›"},
		{th.Dim.Paint("a") + th.Dim.Paint("b"), "‹dim›ab‹›"}, {"\x1b[2Jx", `\e[2Jx`},
	} {
		if got := s.Row(c.in); got != c.want {
			t.Errorf("%q is %s, want %s", c.in, got, c.want)
		}
	}
	if got := NewStyles(theme.Plain()).Row(theme.Plain().Dim.Paint("x")); got != "‹dim›x‹›" {
		t.Errorf("plain: %s", got)
	}
}
