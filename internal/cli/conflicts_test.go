package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestKeyConflict(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PARLEY_STATE", dir)
	actions := func(key string) string { return map[string]string{"ctrl+s": "sessions", "ctrl+p": "palette"}[key] }
	line := KeyConflict("zellij", zellijKeys, actions)
	if line != "zellij takes ctrl+p (palette), ctrl+s (sessions): other keys can be set in [keys] of the configuration" {
		t.Errorf("got %q", line)
	}
	if again := KeyConflict("zellij", zellijKeys, actions); again != "" {
		t.Errorf("reported again: %q", again)
	}
	if other := KeyConflict("tmux", []string{"ctrl+s"}, actions); !strings.HasPrefix(other, "tmux takes ctrl+s (sessions)") {
		t.Errorf("got %q", other)
	}
	if none := KeyConflict("tmux", []string{"ctrl+b"}, actions); none != "" {
		t.Errorf("got %q", none)
	}
	if info, err := os.Stat(filepath.Join(dir, "told.txt")); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("%v, %v", info, err)
	}
	t.Setenv("PARLEY_STATE", filepath.Join(dir, "told.txt", "no"))
	if line := KeyConflict("tmux", []string{"ctrl+p"}, actions); line != "" {
		t.Errorf("reported although it cannot be remembered: %q", line)
	}
}

func TestTmuxKeys(t *testing.T) {
	for key, want := range map[string]string{"C-b": "ctrl+b", "C-Space": "ctrl+space", "M-a": "alt+a", "C-M-x": "ctrl+alt+x", "None": "", "`": "", "": ""} {
		if got := tmuxKey(key); got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
	if len(MultiplexerKeys(t.Context(), "zellij")) == 0 || MultiplexerKeys(t.Context(), "") != nil {
		t.Error("which keys are intercepted does not depend on the multiplexer")
	}
}
