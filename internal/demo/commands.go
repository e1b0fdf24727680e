package demo

import (
	"context"
	"fmt"

	"parley/acpclient/jsonrpc"
)

// outputLimit is how many bytes of a command's output the client should keep.
const outputLimit = 1 << 20

// run runs a command in a terminal of the client, with the user's permission.
func (t *turn) run() error {
	line := t.errand.command
	if !t.caps.Terminal {
		return t.say("I cannot show how a command is run: this client does not offer `terminal/create`.")
	}
	if err := t.say("I run %s in a terminal of the client.", code(line)); err != nil {
		return err
	}
	about := update{Title: code(line), Kind: "execute", Status: "pending",
		RawInput: map[string]string{"command": line, "cwd": t.session.cwd}}
	call := t.startTool(about)
	denied, err := call.permitted(about, "Always allow commands in this session")
	switch {
	case err != nil:
		return err
	case denied != "":
		return call.refused(nil, fmt.Sprintf("%s I did not run %s.", denied, code(line)))
	}
	id, err := t.createTerminal(line)
	if err != nil {
		return call.fail(fmt.Sprintf("I could not run %s: %s.", code(line), err))
	}
	// The terminal is always released, which ends a command that still runs. After a
	// failure nothing waits for the answer.
	released := false
	release := func() *jsonrpc.Call {
		released = true
		return t.agent.peer.Begin("terminal/release", terminalParams{t.session.id, id})
	}
	defer func() {
		if !released {
			release()
		}
	}()
	call.change(update{Status: "in_progress", Content: []any{toolTerminal{Type: "terminal", TerminalID: id}}})
	var exit exitResult
	if err := t.call("terminal/wait_for_exit", terminalParams{t.session.id, id}, &exit); err != nil {
		return call.fail(fmt.Sprintf("I lost sight of %s: %s.", code(line), err))
	}
	var output outputResult
	if err := t.call("terminal/output", terminalParams{t.session.id, id}, &output); err != nil {
		return call.fail(fmt.Sprintf("I could not get the output of %s: %s.", code(line), err))
	}
	if err := release().Wait(t.ctx, nil); t.over() != nil {
		return t.over()
	} else if err != nil {
		return call.fail(fmt.Sprintf("I could not release the terminal of %s: %s.", code(line), err))
	}
	return t.reportExit(call, line, exit, output)
}

// createTerminal starts the command line, which the client runs in a shell. If the turn is
// cancelled first, the terminal is released as soon as it exists.
func (t *turn) createTerminal(line string) (string, error) {
	created := t.agent.peer.Begin("terminal/create", createTerminalParams{t.session.id, line, t.session.cwd, outputLimit})
	var terminal terminalParams
	err := created.Wait(t.ctx, &terminal)
	switch {
	case err != nil && t.ctx.Err() != nil:
		go func() {
			if created.Wait(context.Background(), &terminal) == nil && terminal.TerminalID != "" {
				t.agent.peer.Begin("terminal/release", terminalParams{t.session.id, terminal.TerminalID})
			}
		}()
		return "", err
	case err != nil:
		return "", err
	case terminal.TerminalID == "":
		return "", fmt.Errorf("%w to terminal/create: no terminalId", jsonrpc.ErrInvalidResponse)
	}
	return terminal.TerminalID, nil
}

// reportExit ends the call according to the exit code. The terminal stays in its content.
func (t *turn) reportExit(call *toolCall, line string, exit exitResult, output outputResult) error {
	status, how := "failed", "was ended"
	switch {
	case exit.Signal != "":
		how = "was ended by signal " + exit.Signal
	case exit.ExitCode != nil:
		how = fmt.Sprintf("ended with exit code %d", *exit.ExitCode)
		if *exit.ExitCode == 0 {
			status = "completed"
		}
	}
	raw := map[string]any{"exitCode": exit.ExitCode, "truncated": output.Truncated}
	if exit.Signal != "" {
		raw["signal"] = exit.Signal
	}
	call.change(update{Status: status, RawOutput: raw})
	wrote := "wrote nothing"
	if n := lineCount(output.Output); n > 0 {
		wrote = "wrote " + count(n, "line")
	}
	return t.say("%s %s and %s.", code(line), how, wrote)
}
