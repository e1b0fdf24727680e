package toolserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/acpclient/wire"
)

// Defaults of run_command; its schema has the limits.
const (
	defaultOutput  = 64 << 10 // bytes
	defaultTimeout = 10 * time.Minute
)

// runInput is the input of run_command.
type runInput struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Cwd     string            `json:"cwd"`
	Env     map[string]string `json:"env"`
	Output  *uint64           `json:"output_byte_limit"`
	Timeout *float64          `json:"timeout_seconds"`
}

var errTimeout = errors.New("timed out")

// run creates a terminal, waits for the command and always releases the terminal, so that
// nothing of the command is left running.
func (o *offer) run(ctx context.Context, session string, in runInput) (result, error) {
	req := wire.CreateTerminalRequest{SessionID: session, Command: in.Command, Args: in.Args, OutputByteLimit: in.Output}
	if in.Output == nil {
		limit := uint64(defaultOutput)
		req.OutputByteLimit = &limit
	}
	if in.Cwd != "" {
		dir, err := o.path(in.Cwd)
		if err != nil {
			return result{}, err
		}
		req.Cwd = dir
	}
	for _, name := range slices.Sorted(maps.Keys(in.Env)) {
		req.Env = append(req.Env, wire.EnvVar{Name: name, Value: in.Env[name]})
	}
	timeout := defaultTimeout
	if in.Timeout != nil {
		timeout = max(time.Duration(*in.Timeout*float64(time.Second)), time.Millisecond)
	}

	terminals := o.server.opts.Terminals
	id, err := terminals.Create(req)(ctx)
	if err != nil {
		return result{}, noCommand(err)
	}
	ref := wire.TerminalRef{SessionID: session, TerminalID: id}
	defer terminals.Release(ref)
	limited, stop := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer stop()
	status, err := terminals.WaitForExit(limited, ref)
	timedOut := err != nil && ctx.Err() == nil && limited.Err() != nil
	switch {
	case timedOut:
		terminals.Kill(ref)
	case err != nil:
		return result{}, noCommand(err)
	}
	out, err := terminals.Output(ref)
	if err != nil {
		return result{}, noCommand(err)
	}
	r := result{failed: timedOut}
	if out.Output != "" {
		r.texts = append(r.texts, out.Output)
	}
	ending := exit(status)
	if timedOut {
		ending = fmt.Sprintf("not ended after %s, and stopped", timeout)
	}
	if r.texts = append(r.texts, "["+ending+"]"); out.Truncated {
		r.texts[len(r.texts)-1] = "[" + ending + "; the beginning of the output is left out]"
	}
	return r, nil
}

// exit describes how a command ended.
func exit(s wire.ExitStatus) string {
	switch {
	case s.ExitCode != nil:
		return fmt.Sprintf("exit code %d", *s.ExitCode)
	case s.Signal != nil && strings.TrimSpace(*s.Signal) != "":
		return "ended by " + *s.Signal
	}
	return "ended, nobody knows how"
}
