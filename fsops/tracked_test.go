package fsops

import (
	"path/filepath"
	"testing"

	"parley/internal/gittest"
)

func TestTracked(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"config/x", ".env", "caf\u00e9"} {
		gittest.Write(t, dir, name, "x")
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
	gittest.Run(t, dir, "init", "-q")
	check("no index", map[string]bool{"config/x": true, ".env": true})
	gittest.Run(t, dir, "add", "config/x")
	check("an index", map[string]bool{"config/x": true, "CONFIG/X": true, ".env": false, "x": true, "caf\u00e9": true})
	gittest.Run(t, dir, "update-index", "--index-version", "4")
	check("names that are compressed", map[string]bool{"config/x": true, ".env": true})
	gittest.Run(t, dir, "update-index", "--index-version", "2")
	check("an index again", map[string]bool{"config/x": true, ".env": false})
	gittest.Run(t, dir, "update-index", "--split-index")
	check("an index in two files", map[string]bool{"config/x": true, ".env": true})
}
