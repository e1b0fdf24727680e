package cli

import (
	"path/filepath"

	"parley/internal/memory"
	"parley/internal/record"
)

// Memory is where what was typed in the project of a directory is kept; nil and
// nil where the configuration says not to, or where there is no place for it.
func (s *Setup) Memory(place Place) (*memory.History, *memory.Drafts) {
	if s.Config.History != nil && !*s.Config.History {
		return nil, nil
	}
	dir, err := record.Dir()
	if err != nil {
		return nil, nil
	}
	state, project := filepath.Dir(dir), memory.Project(place.Cwd)
	return memory.NewHistory(state, project), memory.NewDrafts(state, project)
}
