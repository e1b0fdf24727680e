package uitest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

var keyCodes = map[string]rune{
	"enter": tea.KeyEnter, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "left": tea.KeyLeft, "right": tea.KeyRight,
	"up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"esc": tea.KeyEscape, "tab": tea.KeyTab,
}

// Press returns the key press for a name such as "ctrl+a", "left" or "x".
func Press(name string) tea.KeyPressMsg {
	var k tea.KeyPressMsg
	for {
		mod, rest, ok := strings.Cut(name, "+")
		if !ok || rest == "" {
			break
		}
		k.Mod |= map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
		name = rest
	}
	if code, ok := keyCodes[name]; ok {
		k.Code = code
		return k
	}
	k.Code = []rune(name)[0]
	if k.Mod == 0 {
		k.Text = name
	}
	return k
}

// GoldenText compares a text with a file below testdata. With -update it rewrites the file.
func GoldenText(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update to rewrite it); got:\n%s", path, got)
	}
}

// CheckStyled checks that rows are at most width wide, hold no control characters other than
// styles, and end in the default style.
func CheckStyled(t testing.TB, rows []string, width int) {
	t.Helper()
	for i, row := range rows {
		if w := ansi.StringWidth(row); w > width {
			t.Errorf("row %d is %d cells wide, want at most %d: %q", i, w, width, row)
		}
		if strings.ContainsFunc(ansi.Strip(row), func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("row %d holds control characters: %q", i, row)
		}
		if at := strings.LastIndex(row, "\x1b["); at >= 0 && !strings.HasPrefix(row[at:], "\x1b[m") && !strings.HasPrefix(row[at:], "\x1b[0m") {
			t.Errorf("row %d does not reset its style: %q", i, row)
		}
	}
}
