package closest

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	names := []string{"claude", "codex", "q", "Gemini", strings.Repeat("x", 100)}
	for typed, want := range map[string]string{
		"claud": "claude", "cluade": "claude", "Codex": "codex", "gemni": "Gemini", "clxxxe": "", "c": "", "": "", "opencode": "",
		strings.Repeat("x", 99): "",
	} {
		if got := Name(typed, names); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}
