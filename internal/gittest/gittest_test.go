package gittest

import (
	"os"
	"path/filepath"
	"testing"
)

// Neither the configuration of the user nor variables set by git change what a test sees.
func TestIsolated(t *testing.T) {
	home, elsewhere, dir := t.TempDir(), t.TempDir(), t.TempDir()
	Run(t, elsewhere, "init", "-q")
	Write(t, home, ".gitconfig", "[commit]\n\tgpgSign = true\n[user]\n\tname = user\n[gpg]\n\tprogram = missing\n")
	Write(t, home, "git/ignore", "a.txt\n")
	Write(t, dir, "a.txt", "one\n")
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, ".gitconfig"))
	t.Setenv("GIT_DIR", filepath.Join(elsewhere, ".git"))
	Init(t, dir)
	if got, want := Run(t, dir, "log", "--format=%an %D", "--name-only"), "Ada HEAD -> main\n\na.txt\n"; got != want {
		t.Errorf("committed %q, want %q", got, want)
	}
	Isolate(t)
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"} {
		if got := os.Getenv(name); got == home || filepath.Dir(got) == home {
			t.Errorf("the code under test has %s=%s", name, got)
		}
	}
}
