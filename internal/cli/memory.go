package cli

import (
	"parley/acpclient/event"
	"parley/internal/agents"
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

// Names returns the user's names for sessions, nil if there is nowhere to store them.
func Names() *memory.Names {
	state, err := record.StateDir()
	if err != nil {
		return nil
	}
	return memory.NewNames(state)
}

// Usage returns what turns took, nil if there is nowhere to store it.
func Usage() *memory.Usage {
	state, err := record.StateDir()
	if err != nil {
		return nil
	}
	return memory.NewUsage(state)
}

// Logins returns which agents required a login when they were started last, nil if there is nowhere to note it.
func Logins() *memory.Logins {
	state, err := record.StateDir()
	if err != nil {
		return nil
	}
	return memory.NewLogins(state)
}

// userNames returns how to look up the user's name for a session of an agent, "" if it has none. Names that cannot
// be read are reported by complain.
func userNames(complain func(string)) func(agent, session string) string {
	if names := Names(); names != nil {
		of, err := names.Load()
		if err == nil {
			return of
		}
		complain(err.Error())
	}
	return func(_, _ string) string { return "" }
}

// Retitle returns a function that puts the user's names of sessions in place of the agent's
// titles.
func Retitle(a agents.Agent, complain func(string)) func([]event.StoredSession) {
	return func(listed []event.StoredSession) {
		of := userNames(complain)
		for i, l := range listed {
			if name := of(a.Name, l.ID); name != "" {
				listed[i].Title = name
			}
		}
	}
}
