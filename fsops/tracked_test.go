package fsops

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestTracked(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(git, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	for _, name := range []string{"config/x", ".env", "caf\u00e9"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, want map[string]bool) {
		t.Helper()
		for name, tracked := range want {
			if got := Tracked(filepath.Join(dir, name)); got != tracked {
				t.Errorf("%s: %s is %v, want %v", what, name, got, tracked)
			}
		}
	}
	check("no repository", map[string]bool{"config/x": true, ".env": true})
	run("init", "-q")
	check("no index", map[string]bool{"config/x": true, ".env": true})
	run("add", "config/x")
	check("an index", map[string]bool{"config/x": true, "CONFIG/X": true, ".env": false, "x": true, "caf\u00e9": true})
	run("update-index", "--index-version", "4")
	check("names that are compressed", map[string]bool{"config/x": true, ".env": true})
	run("update-index", "--index-version", "2")
	check("an index again", map[string]bool{"config/x": true, ".env": false})
	run("update-index", "--split-index")
	check("an index in two files", map[string]bool{"config/x": true, ".env": true})
}
