package cli

import (
	"cmp"

	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/record"
	"parley/internal/redact"
	"parley/internal/safetext"
)

// Known are the sessions of an agent that parley has logs of, the one used last first.
// They stand in for the list of an agent that keeps sessions and lists none; whether it
// still has them, only opening one tells.
func Known(a agents.Agent) ([]event.Listed, error) {
	dir, err := record.Dir()
	if err != nil {
		return nil, err
	}
	logged, err := Logs(dir)
	if err != nil {
		return nil, err
	}
	var known []event.Listed
	for _, g := range logged {
		if g.Of(a) {
			known = append(known, event.Listed{ID: g.Session, Cwd: g.Dir, Title: g.Title, Updated: g.Updated})
		}
	}
	return known, nil
}

// Of tells whether the session is one of an agent's. Commands that the user types are
// told apart by all of the line: env and node are many agents.
func (g Logged) Of(a agents.Agent) bool {
	return g.Agent == safetext.Line(a.Name, 80) && (a.Source != agents.Custom || g.command == redact.Command(a.CommandLine()))
}

// Shown is the name to show for the agent of the session: its own where a command was
// typed, of which the program says little.
func (g Logged) Shown(known []agents.Agent) string {
	if a, found := agents.Find(known, g.Agent); found && a.Source != agents.Custom || IsURL(g.command) {
		return g.Agent
	}
	return cmp.Or(g.name, g.Agent)
}
