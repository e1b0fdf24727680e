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
	"parley/internal/workspace"
	"parley/terminal"
)

// WithVariables returns the agent with more variables in its environment. They override the
// configuration and apply to this process only.
func WithVariables(a agents.Agent, more map[string]string) agents.Agent {
	env := make(map[string]string, len(a.Env)+len(more))
	maps.Copy(env, a.Env)
	maps.Copy(env, more)
	a.Env = env
	return a
}

// NewAgentLogin finds the program, using the agent's environment, and runs nothing. The command is
// not passed through a shell. Once running, it ends with ctx.
func (s *Setup) NewAgentLogin(ctx context.Context, a agents.Agent, c event.AuthCommand, place Directories) (workspace.AgentLogin, error) {
	own, err := agentEnviron(a, os.Environ())
	if err != nil {
		return workspace.AgentLogin{}, err
	}
	env := programs.Environ(own)
	shown := terminal.Command{Command: c.Command, Args: c.Args}
	for _, e := range c.Env {
		env = append(env, e.Name+"="+e.Value)
		shown.Env = append(shown.Env, terminal.EnvVar{Name: e.Name, Value: e.Value})
	}
	path, err := process.LookPath(c.Command, place.Cwd, env)
	if err != nil {
		return workspace.AgentLogin{}, fmt.Errorf("look up the login's command: %w", err)
	}
	cmd := programs.CommandIn(context.Background(), place.Cwd, path, c.Args...)
	cmd.Env = env
	line := terminal.WordsLine(shown)
	return workspace.AgentLogin{Command: loginProgram(ctx, cmd, line), Line: line, Program: path, Dir: place.Cwd}, nil
}
