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

// AgentCommand says how to start an agent.
type AgentCommand struct {
	Path string // an executable, looked up in PATH
	Args []string
	Env  []string // nil: parley's environment
	Dir  string   // working directory, "" for the current one
	// Paths are directories that the agent knows by other paths.
	Paths []transport.PathMap
	// MaxLine bounds one message in bytes; 0 means the transport's default.
	MaxLine int
	// Grace is how long the agent may take to exit; 0 means the default.
	Grace time.Duration
}

// maxLogLine bounds a log line of the agent, in runes. The URL of a login must fit.
const maxLogLine = 4000

// Launch starts an agent and connects to it over its stdin and stdout. Its stderr goes
// to the log. On an error the agent has exited. ctx bounds only the handshake; the agent
// lives until Close. If the agent requires a restart for another protocol version,
// Launch restarts it.
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

// maxRestarts bounds the connections of one Launch: a version may be refused, and the
// offer of an older one, too.
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
	c := newClient(transport.MapPaths(proc, cmd.Paths), opts)
	c.proc = proc
	if err := c.start(ctx); err != nil {
		return nil, err
	}
	return c, nil
}
