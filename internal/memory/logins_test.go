package memory

import (
	"testing"

	"parley/internal/must"
)

func TestLogins(t *testing.T) {
	dir := t.TempDir()
	l := NewLogins(dir)
	for range 2 { // setting again what is set is no error
		if err := l.Set("claude", false); err != nil || l.Needed("claude") {
			t.Fatalf("without a login: %v, needed %v", err, l.Needed("claude"))
		}
	}
	for range 2 {
		must.Do(t, l.Set("claude", true))
	}
	if other := NewLogins(dir); !other.Needed("claude") || other.Needed("codex") {
		t.Error("the next parley does not know who needs a login")
	}
	if err := l.Set("claude", false); err != nil || l.Needed("claude") {
		t.Errorf("after a login: %v, needed %v", err, l.Needed("claude"))
	}
}
