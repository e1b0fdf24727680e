package app

import (
	"errors"
	"testing"

	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/cli"
)

// Whether an agent requires a login is known to the next list of agents, until a session has opened. Other errors
// change nothing, and commands that the user typed are not noted.
func TestNoteLogin(t *testing.T) {
	t.Setenv("PARLEY_STATE", t.TempDir())
	known, typed := agents.Agent{Name: "claude", Source: agents.Npx}, agents.Agent{Name: "node", Source: agents.Custom}
	wants := &event.AgentError{Op: "open a session", Code: -32000}
	for _, step := range []struct {
		err    error
		needed bool
	}{{nil, false}, {wants, true}, {errors.New("connection lost"), true}, {&event.AgentError{Code: -32603}, true}, {nil, false}} {
		noteLogin(known, step.err)
		noteLogin(typed, step.err)
		if cli.Logins().Needed("claude") != step.needed || cli.Logins().Needed("node") {
			t.Errorf("after %v: needed %v, of a typed command %v", step.err, cli.Logins().Needed("claude"), cli.Logins().Needed("node"))
		}
	}
}
