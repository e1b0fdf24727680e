package keyboard

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestHeading(t *testing.T) {
	for _, cols := range []int{20, 40, 80, 120, 200} {
		got := heading("sudo apt-get install \x1b[2J a-package another-package and\nmore of them", AgentSeesHint, cols)
		if w := ansi.StringWidth(got); w >= cols || strings.ContainsAny(got, "\n\x1b") || !strings.HasPrefix(got, "parley: sudo") {
			t.Errorf("%d: %q, %d cells", cols, got, w)
		}
		if cols >= 80 && !strings.HasSuffix(got, "ctrl+] lets go") {
			t.Errorf("%d: %q does not say how to let go", cols, got)
		}
	}
}

// Earlier output is shown as text only: it cannot draw or query the terminal.
func TestPlainTail(t *testing.T) {
	got := plainTail([]byte("0K one\n10%\r20%\r100%\x1b[6n\n\x1b]2;title\x07\x1b[31mred\x1b[m\nPassword: "), 3)
	if got != "100%\r\nred\r\nPassword: " {
		t.Errorf("got %q", got)
	}
}

func TestSplitAtCtrlBracket(t *testing.T) {
	for _, c := range []struct {
		keys, mine string
		found      bool
	}{
		{"", "", false}, {"abc\r", "abc\r", false}, {"\x1d", "", true}, {"ab\x1dcd", "ab", true},
		{"a\x1b[93;5u", "a", true}, {"a\x1b[93;69u", "a", true}, {"a\x1b[93;5:1ub", "a", true}, {"a\x1b[93::93;5;29u", "a", true}, {"\x1b[27;5;93~", "", true},
		{"a\x1b[93;5:3u", "a\x1b[93;5:3u", false}, // key release
		{"\x1b[93;1u", "\x1b[93;1u", false}, {"\x1b[93u", "\x1b[93u", false}, {"\x1b[93;7u", "\x1b[93;7u", false}, {"\x1b[94;5u", "\x1b[94;5u", false}, {"\x1b[27;6;93~", "\x1b[27;6;93~", false},
		{"x\x1b[93;5uy\x1d", "x", true}, {"x\x1dy\x1b[93;5u", "x", true},
	} {
		if mine, found := splitAtCtrlBracket([]byte(c.keys)); string(mine) != c.mine || found != c.found {
			t.Errorf("%q: %q, %v", c.keys, mine, found)
		}
	}
}
