package cli

import (
	"cmp"
	"slices"

	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/record"
	"parley/internal/redact"
	"parley/internal/safetext"
)

// logsOf returns the sessions of an agent that parley has logs of, the last used first.
func logsOf(a agents.Agent) ([]Logged, error) {
	dir, err := record.Dir()
	if err != nil {
		return nil, err
	}
	logged, err := Logs(dir)
	return slices.DeleteFunc(logged, func(g Logged) bool { return !g.OfAgent(a) }), err
}

// KnownSessions returns the sessions of an agent that parley has logs of, the last used first. They replace
// the list of an agent that keeps sessions but cannot list them. The agent may no longer have
// them all; opening a session shows whether it does.
func KnownSessions(a agents.Agent) ([]event.StoredSession, error) {
	logged, err := logsOf(a)
	var known []event.StoredSession
	for _, g := range logged {
		known = append(known, event.StoredSession{ID: g.Session, Cwd: g.Dir, Title: g.Title, Updated: g.Updated})
	}
	return known, err
}

// OfAgent reports whether the session belongs to an agent. Typed commands are compared by their whole
// line, because programs such as env and node start many agents.
func (g Logged) OfAgent(a agents.Agent) bool {
	return g.Agent == safetext.Line(a.Name, 80) && (a.Source != agents.Custom || g.command == redact.Command(a.CommandLine()))
}

// DisplayName returns the name to show for the session's agent. For a typed command that is the name the
// agent reports, because the program says little.
func (g Logged) DisplayName(known []agents.Agent) string {
	if a, found := agents.Find(known, g.Agent); found && a.Source != agents.Custom || IsURL(g.command) {
		return g.Agent
	}
	return cmp.Or(g.name, g.Agent)
}
