package decoy

import (
	"os"
	"path/filepath"
	"testing"

	"parley/internal/must"
)

// Every change of a file is noticed, except in parley's own files.
func TestUnchanged(t *testing.T) {
	for name, tc := range map[string]struct {
		do   func(at func(string) string) error
		seen bool
	}{
		"nothing": {func(at func(string) string) error { return nil }, false},
		"changed": {func(at func(string) string) error { return os.WriteFile(at(".bashrc"), nil, 0o600) }, true},
		"mode":    {func(at func(string) string) error { return os.Chmod(at(".ssh/id_ed25519"), 0o400) }, true},
		"added":   {func(at func(string) string) error { return os.WriteFile(at(".ssh/config"), nil, 0o600) }, true},
		"removed": {func(at func(string) string) error { return os.Remove(at("notes.txt")) }, true},
		"moved":   {func(at func(string) string) error { return os.Rename(at(".ssh"), at(".hss")) }, true},
		"ours":    {func(at func(string) string) error { return os.MkdirAll(at(".local/state/parley/sessions"), 0o700) }, false},
		"beside":  {func(at func(string) string) error { return os.Mkdir(at(".config/parley2"), 0o700) }, true},
	} {
		dir := t.TempDir()
		must.Do(t, Home(dir))
		before := must.Get(Tree(dir))(t)
		must.Do(t, tc.do(func(name string) string { return filepath.Join(dir, name) }))
		if err := unchanged(dir, before); (err != nil) != tc.seen {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
