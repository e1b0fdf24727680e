package workspace

import (
	"errors"

	"parley/acpclient/event"
)

// NoLogin says what to do about an agent that requires a login and has no login methods.
const NoLogin = "This agent offers no way to log in here. Log in with its own command in another terminal, then try again"

// Advice returns what the user can do about an agent that did not start.
func (s Spec) Advice(err error) []string {
	var agentErr *event.AgentError
	var exit *event.ExitError
	var start *event.StartError
	var lost *event.LostError
	switch {
	case errors.As(err, &lost) && lost.Advice != "": // the error has it
	case errors.As(err, &lost):
		return []string{"Check that the server is running and the URL is right: " + s.Command}
	case errors.As(err, &agentErr) && agentErr.AuthRequired():
		return []string{NoLogin + "."}
	case errors.Is(err, event.ErrVersion):
		return []string{"The agent speaks another version of the Agent Client Protocol. Update it, or update parley."}
	case errors.As(err, &start):
		return []string{"Install it, or start another command: parley -- COMMAND ARG…", "`parley agents` lists what was found."}
	case errors.As(err, &exit):
		return []string{"Check whether the command works in a terminal: " + s.Command}
	}
	return nil
}
