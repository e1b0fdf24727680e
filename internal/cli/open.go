package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"

	"parley/acpclient"
	"parley/internal/agents"
	"parley/internal/process"
)

// ErrNoSession means that the session that was asked for is not to be had.
var ErrNoSession = errors.New("no such session")

// Opening says which session to open. The zero value is a new one.
type Opening struct {
	Resume   string // the agent's id of a session
	Continue bool   // the newest of the directory
}

// Open opens a session as asked. An error that the session is not there matches
// ErrNoSession.
func (o Opening) Open(ctx context.Context, client *acpclient.Client, n acpclient.NewSession) (*acpclient.Session, error) {
	switch {
	case o.Continue:
		kept, err := client.ListSessions(ctx, n.Cwd)
		if err != nil {
			return nil, err
		}
		kept = slices.DeleteFunc(kept, func(l acpclient.Listed) bool { return l.Cwd != n.Cwd })
		if len(kept) == 0 {
			return nil, fmt.Errorf("%w: the agent keeps none of %s", ErrNoSession, n.Cwd)
		}
		newest := slices.MaxFunc(kept, func(a, b acpclient.Listed) int { return a.Updated.Compare(b.Updated) })
		return reopen(ctx, client, newest.ID, n)
	case o.Resume != "":
		return reopen(ctx, client, o.Resume, n)
	}
	return client.NewSession(ctx, n)
}

// reopen loads a session where the agent can replay it, else goes on without.
func reopen(ctx context.Context, client *acpclient.Client, id string, n acpclient.NewSession) (*acpclient.Session, error) {
	var s *acpclient.Session
	var err error
	switch info := client.Agent(); {
	case info.LoadSession:
		s, err = client.LoadSession(ctx, id, n)
	case info.Resume:
		s, err = client.ResumeSession(ctx, id, n)
	default:
		return nil, fmt.Errorf("%w: the agent cannot open a session again", ErrNoSession)
	}
	var answered *acpclient.AgentError
	if errors.As(err, &answered) && !answered.AuthRequired() {
		// Agents word it differently and disagree about the code.
		return nil, fmt.Errorf("%w: %w", ErrNoSession, err)
	}
	return s, err
}

// loginCommand is an agent's own login, to be run in the real terminal.
type loginCommand struct{ *exec.Cmd }

func (c loginCommand) SetStdin(r io.Reader)  { c.Stdin = r }
func (c loginCommand) SetStdout(w io.Writer) { c.Stdout = w }
func (c loginCommand) SetStderr(w io.Writer) { c.Stderr = w }

// LoginCommand is the agent's command with what a login of type "terminal" adds
// to it. The method can never name another command.
func LoginCommand(a agents.Agent, method acpclient.AuthMethod, place Place) interface {
	Run() error
	SetStdin(io.Reader)
	SetStdout(io.Writer)
	SetStderr(io.Writer)
} {
	start := command(a, place.Cwd)
	path := start.Path
	if found, err := process.LookPath(path, start.Dir, start.Env); err == nil {
		path = found
	}
	cmd := exec.Command(path, slices.Concat(start.Args, method.Args)...)
	cmd.Env, cmd.Dir = start.Env, start.Dir
	for _, e := range method.Env {
		cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
	}
	return loginCommand{cmd}
}
