package cli

import (
	"parley/internal/memory"
	"parley/internal/record"
)

// Memory returns the prompt history and drafts of a project directory. Both are nil if the
// configuration turns them off or there is nowhere to store them.
func (s *Setup) Memory(place Directories) (*memory.History, *memory.Drafts) {
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
