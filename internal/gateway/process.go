package gateway

import (
	"fmt"
	"log/slog"
	"time"

	"parley/acpclient/transport"
	"parley/internal/redact"
	"parley/internal/safetext"
)

// Command returns a function that starts a program as the agent of each connection, in the
// directory and with the environment of this process. No message of an agent may be longer
// than maxMessage bytes.
func Command(argv, env []string, maxMessage int64) func(Client, *slog.Logger) (Agent, error) {
	return func(_ Client, log *slog.Logger) (Agent, error) {
		p, err := transport.StartStdio(transport.StdioOptions{
			Command: argv[0], Args: argv[1:], Env: env, MaxLine: int(maxMessage),
			StderrSize: 1, // stderr goes to the log instead
			OnStderr:   func(line string) { log.Info("agent", "stderr", safetext.Line(redact.Command(line), 4096)) },
		})
		if err != nil {
			return nil, err
		}
		log.Info("agent started", "pid", p.Pid())
		return process{p}, nil
	}
}

// process is an Agent that runs as a process.
type process struct{ *transport.Stdio }

// exitWait is how long to wait for the exit state of a process after its output has ended.
const exitWait = 2 * time.Second

// ExitReason implements Agent.
func (p process) ExitReason() string {
	timer := time.NewTimer(exitWait)
	defer timer.Stop()
	select {
	case <-p.Exit():
	case <-timer.C:
		return "it closed its output"
	}
	state := p.ExitState()
	if state.Signal != "" {
		return state.Signal
	}
	return fmt.Sprintf("exit code %d", state.Code)
}
