package acpclient

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/transport"
	"parley/internal/safetext"
)

// AgentCommand is how to start an agent.
type AgentCommand struct {
	Path string // an executable, looked up in PATH
	Args []string
	Env  []string // nil: this process's own
	Dir  string   // where the agent runs, "" for here
	// MaxLine bounds one message in bytes; 0 for the default of the transport.
	MaxLine int
	// Grace is how long the agent may take to end; 0 for the default.
	Grace time.Duration
}

// maxLogLine bounds a line of the log that the agent wrote, in runes: the address of a
// login has to fit into one.
const maxLogLine = 4000

// Launch starts an agent and connects to it over its stdin and stdout. Its
// stderr goes to the log. On an error the agent is gone again. ctx bounds the
// handshake only; the agent lives until Close. An agent that wants a fresh start
// for another version of the protocol gets it.
func Launch(ctx context.Context, cmd AgentCommand, opts Options) (*Client, error) {
	if opts.Log == nil {
		opts.Log = event.NewLog()
	}
	if opts.Agent == "" {
		opts.Agent = strings.Join(append([]string{cmd.Path}, cmd.Args...), " ")
	}
	for restarts := 0; ; restarts++ {
		c, err := launch(ctx, cmd, opts)
		var again *ReconnectError
		if !errors.As(err, &again) || restarts == maxRestarts {
			return c, err
		}
		opts.Log.Add(event.LogClient, "starting the agent again: "+safetext.Line(err.Error(), 500))
		opts = again.Options(opts)
	}
}

// maxRestarts bounds the connections of one Launch: a version may be refused,
// and then the way from it to an older one.
const maxRestarts = 2

func launch(ctx context.Context, cmd AgentCommand, opts Options) (*Client, error) {
	log := opts.Log
	proc, err := transport.StartStdio(transport.StdioOptions{
		Command: cmd.Path, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir, MaxLine: cmd.MaxLine, Grace: cmd.Grace,
		OnStderr: func(line string) { log.Add(event.LogStderr, safetext.Line(line, maxLogLine)) },
	})
	if err != nil {
		return nil, &event.StartError{Command: safetext.Line(cmd.Path, 200), Err: err}
	}
	c := newClient(proc, opts)
	c.proc = proc
	if err := c.start(ctx); err != nil {
		return nil, err
	}
	return c, nil
}
