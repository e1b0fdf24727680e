package cli

import (
	"slices"

	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/record"
	"parley/internal/redact"
	"parley/internal/safetext"
	"parley/internal/workspace"
)

// logsOf returns the sessions of an agent that parley has logs of, the last used first.
func logsOf(a agents.Agent) ([]workspace.Logged, error) {
	dir, err := record.Dir()
	if err != nil {
		return nil, err
	}
	logged, err := Logs(dir)
	return slices.DeleteFunc(logged, func(g workspace.Logged) bool { return !ofAgent(g, a) }), err
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

// ofAgent reports whether a logged session belongs to an agent. Typed commands are compared by their whole
// line, because programs such as env and node start many agents.
func ofAgent(g workspace.Logged, a agents.Agent) bool {
	return g.Agent == safetext.Line(a.Name, 80) && (a.Source != agents.Custom || g.Command == redact.Command(a.CommandLine()))
}

// Logged lists the logged sessions for a chat in a directory, those of that first.
func (s *Setup) Logged(cwd string) ([]workspace.Logged, error) {
	dir, err := record.Dir()
	if err != nil {
		return nil, err
	}
	logged, err := Logs(dir)
	var here, elsewhere []workspace.Logged
	for _, g := range logged {
		if g.Prompts == 0 { // it was opened and left: its log has nothing to read
			continue
		}
		g.MatchAgent = func(a workspace.Spec) bool {
			agent, err := s.Find(a.Name)
			return err == nil && ofAgent(g, agent)
		}
		// The program of a typed command says little.
		if a, found := agents.Find(s.Agents, g.Agent); found && a.Source != agents.Custom || IsURL(g.Command) {
			g.Name = ""
		}
		if g.Here = sameDir(g.Dir, cwd); g.Here {
			here = append(here, g)
		} else {
			elsewhere = append(elsewhere, g)
		}
	}
	return append(here, elsewhere...), err
}

// LastAgent returns the name of the agent that was used last in a directory and can be started, ""
// if there is none.
func (s *Setup) LastAgent(cwd string) string {
	dir, err := record.Dir()
	if err != nil {
		return ""
	}
	logged, _ := Logs(dir) // without logs the user chooses
	for _, g := range logged {
		if a, found := agents.Find(s.Agents, g.Agent); sameDir(g.Dir, cwd) && found && a.Source != agents.Missing && ofAgent(g, a) {
			return a.Name
		}
	}
	return ""
}
