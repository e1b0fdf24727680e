package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
)

// An agent's version is remembered by the next process, for a week.
func TestVersionsAreRemembered(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	t.Setenv("PARLEY_STATE", dir)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	open := func() *versions {
		v := rememberedVersions()
		v.now = func() time.Time { return now }
		return v
	}
	if got := open().Version("agent --token secret"); got != 0 {
		t.Errorf("unknown agent: got version %d, want 0", got)
	}
	open().Remember("agent --token secret", 2)
	open().Remember("other", 1)
	if a, b := open().Version("agent --token secret"), open().Version("other"); a != 2 || b != 1 {
		t.Errorf("remembered %d and %d, want 2 and 1", a, b)
	}
	data, err := os.ReadFile(filepath.Join(dir, "versions.json"))
	if err != nil || strings.Contains(string(data), "secret") {
		t.Errorf("%v, %s", err, data)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("not removed: %q", left)
	}
	open().Remember("other", 2)
	if got := open().Version("other"); got != 2 {
		t.Errorf("after an update %d, want 2", got)
	}
	now = now.Add(versionLife + time.Hour)
	if got := open().Version("other"); got != 0 {
		t.Errorf("after a week %d", got)
	}
}

// A malformed file counts as empty and is replaced.
func TestVersionsBroken(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PARLEY_STATE", dir)
	for _, text := range []string{"", "null", "[]", `{"a":`, `{"a":7}`} {
		must.Do(t, os.WriteFile(filepath.Join(dir, "versions.json"), []byte(text), 0o600))
		if got := rememberedVersions().Version("a"); got != 0 {
			t.Errorf("%q: %d", text, got)
		}
		rememberedVersions().Remember("a", 1)
		if got := rememberedVersions().Version("a"); got != 1 {
			t.Errorf("%q: then %d", text, got)
		}
	}
}
