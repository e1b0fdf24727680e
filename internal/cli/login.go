package cli

import (
	"context"
	"fmt"
	"maps"
	"os"

	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/process"
	"parley/internal/programs"
	"parley/terminal"
)

// WithVariables is an agent with more in its environment than the configuration
// says, or with other values. The values are for its process alone.
func WithVariables(a agents.Agent, more map[string]string) agents.Agent {
	env := make(map[string]string, len(a.Env)+len(more))
	maps.Copy(env, a.Env)
	maps.Copy(env, more)
	a.Env = env
	return a
}

// AskedLogin is a command that an agent names for a login, ready to be run in the
// real terminal once the user has agreed. Nothing of it is safe to show.
type AskedLogin struct {
	atTerminal
	Line    string // as one would type it in a shell, with the variables it sets
	Program string // the file that is run
	Dir     string // where
}

// NewAskedLogin looks the program up, with the agent's environment, and runs
// nothing. No shell reads the command. Once it runs it is ended with ctx.
func (s *Setup) NewAskedLogin(ctx context.Context, a agents.Agent, c event.AuthCommand, place Place) (AskedLogin, error) {
	env := programs.Environ(agentEnviron(a, os.Environ()))
	shown := terminal.Command{Command: c.Command, Args: c.Args}
	for _, e := range c.Env {
		env = append(env, e.Name+"="+e.Value)
		shown.Env = append(shown.Env, terminal.EnvVar{Name: e.Name, Value: e.Value})
	}
	path, err := process.LookPath(c.Command, place.Cwd, env)
	if err != nil {
		return AskedLogin{}, fmt.Errorf("look up the login's command: %w", err)
	}
	cmd := programs.CommandIn(context.Background(), place.Cwd, path, c.Args...)
	cmd.Env = env
	line := terminal.WordsLine(shown)
	return AskedLogin{logsIn(ctx, cmd, line), line, path, place.Cwd}, nil
}
