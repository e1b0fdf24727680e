package status

import (
	"fmt"
	"testing"

	"parley/internal/workspace"
	"parley/ui/theme"
)

// The panel is drawn with every frame beside a stream, also after an agent has changed many files.
func BenchmarkSide(b *testing.B) {
	s := Side{Sessions: []SideSession{{Title: "one", State: "running", Here: true}}}
	for i := range 1000 {
		s.Files = append(s.Files, workspace.ChangedFile{Path: fmt.Sprintf("internal/some/package%d/file.go", i), Added: i, Removed: 1})
	}
	th := theme.Dark()
	for b.Loop() {
		s.Rows(50, th)
	}
}
