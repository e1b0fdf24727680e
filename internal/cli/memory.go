package cli

import (
	"parley/internal/memory"
	"parley/internal/record"
)

// Memory is where what was typed in the project of a directory is kept; nil and
// nil where the configuration says not to, or where there is no place for it.
func (s *Setup) Memory(place Place) (*memory.History, *memory.Drafts) {
	if s.Config.History != nil && !*s.Config.History {
		return nil, nil
	}
	state, err := record.StateDir()
	if err != nil {
		return nil, nil
	}
	project := memory.Project(place.Cwd)
	return memory.NewHistory(state, project), memory.NewDrafts(state, project)
}
