package cli

import (
	"os"
	"path/filepath"
	"testing"

	"parley/internal/config"
	"parley/internal/memory"
)

// What the user typed is stored below the state directory unless the configuration turns that off.
func TestMemory(t *testing.T) {
	state, project := t.TempDir(), t.TempDir()
	t.Setenv("PARLEY_STATE", state)
	yes, no := true, false
	for _, c := range []struct {
		history *bool
		want    bool
	}{{nil, true}, {&yes, true}, {&no, false}} {
		s := &Setup{Config: &config.Config{History: c.history}}
		h, d := s.Memory(Directories{Cwd: project})
		if (h != nil) != c.want || (d != nil) != c.want {
			t.Fatalf("history %v: %v and %v", c.history, h, d)
		}
		if h == nil {
			continue
		}
		if err := h.Add("prompt"); err != nil {
			t.Error(err)
		}
		if err := d.Save(memory.Key{}, memory.Draft{Queued: []string{"draft"}}); err != nil {
			t.Error(err)
		}
		for _, dir := range []string{"history", "drafts"} {
			if files, err := os.ReadDir(filepath.Join(state, dir)); len(files) != 1 {
				t.Errorf("%s: %v, %v", dir, files, err)
			}
		}
	}
}
