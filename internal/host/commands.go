package host

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/safetext"
	"parley/permissions"
	"parley/terminal"
)

// commands implements acpclient.Terminals.
type commands Host

// Create implements acpclient.Terminals. A command runs without a question if the user has just
// approved exactly it.
func (c *commands) Create(r wire.CreateTerminalRequest) func(context.Context) (string, error) {
	h := (*Host)(c)
	cmd := terminal.Command{Command: r.Command, Args: r.Args, Dir: r.Cwd, OutputLimit: r.OutputByteLimit}
	for _, e := range r.Env {
		cmd.Env = append(cmd.Env, terminal.EnvVar{Name: e.Name, Value: e.Value})
	}
	s := h.session(r.SessionID)
	if cmd.Dir == "" {
		cmd.Dir = h.dirs(r.SessionID).cwd()
	}
	return func(ctx context.Context) (string, error) {
		switch { // do not ask about a command that cannot run
		case !filepath.IsAbs(cmd.Dir):
			return "", terminalError(fmt.Errorf("%w: %q", terminal.ErrRelativeDir, cmd.Dir))
		case strings.TrimSpace(cmd.Command) == "":
			return "", terminalError(fmt.Errorf("%w: no command", terminal.ErrInvalid))
		}
		if err := h.terminals.CheckLimits(r.SessionID); err != nil {
			return "", terminalError(err)
		}
		line := terminal.Line(cmd)
		if dir, err := h.files.Resolve(r.SessionID, cmd.Dir); err == nil && h.keepsOut(r.SessionID, dir) {
			by := permissions.BySandbox + ", which keeps commands out of " + visiblePath(cmd.Dir)
			return "", h.refuse(ctx, h.commandQuestion(r.SessionID, cmd, line), by, "to run a command in "+cmd.Dir)
		}
		q := h.commandQuestion(r.SessionID, cmd, line)
		meant := cmd // the form that is compared with the approval
		meant.Dir = h.whereabouts(r.SessionID, cmd.Dir)
		var key uint64
		ruled := h.ruled(r.SessionID, q.Facts)
		if !ruled {
			key = h.granted(r.SessionID, func(g *grants) uint64 { return g.run(meant) })
		}
		if key == 0 {
			var answer permissions.Answer
			var ok bool
			q.RepeatReason = whyAskedAgain(h.granted(r.SessionID, func(g *grants) uint64 { return g.near(meant) }), ruled)
			if answer, key, ok = h.ask(ctx, q); !ok {
				return "", errDenied("running " + line)
			}
			cmd.Attended = answer.Attended && q.Attendable
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if h.sessionClosed(r.SessionID, s) {
			return "", errDenied("running " + line)
		}
		cmd.Ref = key
		id, err := h.terminals.Create(r.SessionID, cmd)
		h.came(r.SessionID, key, "started", err)
		return id, terminalError(err)
	}
}

func (h *Host) commandQuestion(session string, cmd terminal.Command, line string) permissions.Question {
	q := permissions.Question{Session: session, Origin: permissions.FromParley, Kind: "execute",
		Heading: h.runHeading(session, cmd.Dir), Attendable: h.opts.Keyboard && terminal.CanAttend}
	q.Body = append(q.Body, permissions.Part{Kind: permissions.Command, Text: safetext.Visible(line)})
	q.Facts = h.commandFacts(session, cmd, line)
	cmd.Dir = h.whereabouts(session, cmd.Dir)
	return granting(q, "run "+cmd.Form())
}

// whereabouts returns a directory with its links followed, to which an approval for the session
// applies; unchanged if that fails.
func (h *Host) whereabouts(session, dir string) string {
	if f := h.find(session, dir); f.err == nil && !f.elsewhere {
		return f.target.Resolved
	}
	return dir
}

// Output implements acpclient.Terminals.
func (c *commands) Output(r wire.TerminalRef) (wire.TerminalOutputResponse, error) {
	out, err := (*Host)(c).terminals.Output(r.SessionID, r.TerminalID)
	if err != nil {
		return wire.TerminalOutputResponse{}, terminalError(err)
	}
	resp := wire.TerminalOutputResponse{Output: out.Text, Truncated: out.Truncated}
	if out.Exit != nil {
		status := exitStatus(*out.Exit)
		resp.ExitStatus = &status
	}
	return resp, nil
}

// WaitForExit implements acpclient.Terminals.
func (c *commands) WaitForExit(ctx context.Context, r wire.TerminalRef) (wire.ExitStatus, error) {
	status, err := (*Host)(c).terminals.WaitForExit(ctx, r.SessionID, r.TerminalID)
	return exitStatus(status), terminalError(err)
}

// Kill implements acpclient.Terminals.
func (c *commands) Kill(r wire.TerminalRef) error {
	return terminalError((*Host)(c).terminals.Kill(r.SessionID, r.TerminalID))
}

// KillTerminal ends a command with its children, on behalf of the user. The agent sees it end by a
// signal, and keeps its output. Ending an ended command is no error; an unknown terminal is. It may
// take seconds.
func (h *Host) KillTerminal(session, id string) error {
	if err := h.terminals.Kill(session, id); err != nil {
		return fmt.Errorf("stop the command: %w", err)
	}
	return nil
}

// Release implements acpclient.Terminals.
func (c *commands) Release(r wire.TerminalRef) error {
	return terminalError((*Host)(c).terminals.Release(r.SessionID, r.TerminalID))
}

func exitStatus(s terminal.ExitStatus) wire.ExitStatus {
	out := wire.ExitStatus{ExitCode: s.Code}
	if s.Signal != "" {
		out.Signal = &s.Signal
	}
	return out
}

// terminalError maps the errors of package terminal to JSON-RPC codes.
func terminalError(err error) error {
	switch {
	case errors.Is(err, terminal.ErrUnknown), errors.Is(err, terminal.ErrReleased):
		return jsonrpc.Errorf(jsonrpc.CodeResourceNotFound, "%v", err)
	case errors.Is(err, terminal.ErrRelativeDir), errors.Is(err, terminal.ErrInvalid):
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Invalid params: %v", err)
	case errors.Is(err, terminal.ErrTooMany), errors.Is(err, terminal.ErrTooManyKept):
		return jsonrpc.Errorf(jsonrpc.CodeInternalError, "Limit reached: %v", err)
	}
	return err
}

// terminalChanged turns the changes of a terminal into events.
func (h *Host) terminalChanged(c terminal.Change) {
	for_ := event.For{Session: c.Session}
	if c.Started != nil {
		h.opts.Sink.Post(event.TerminalStarted{For: for_, ID: c.ID, Command: safetext.Line(terminal.Line(*c.Started), 2000), Cwd: safetext.Line(c.Started.Dir, 2000), Attended: c.Started.Attended})
	}
	if len(c.Data) > 0 {
		h.opts.Sink.Post(event.TerminalOutput{For: for_, ID: c.ID, Data: c.Data})
	}
	h.waits(c)
	if c.Exit != nil {
		h.opts.Sink.Post(event.TerminalExited{For: for_, ID: c.ID, Code: c.Exit.Code, Signal: c.Exit.Signal})
	}
}

func settledEvent(q permissions.Question, a permissions.Answer) event.PermissionAnswered {
	e := event.PermissionAnswered{Subject: safetext.Line(q.Subject(), 200), Decision: "cancelled", By: a.By, At: time.Now()}
	for _, o := range q.Options {
		if !a.Cancelled && o.ID == a.OptionID {
			e.Decision, e.Allowed = o.Name, o.Allows()
		}
	}
	switch {
	case a.Text == nil || q.Change == nil || *a.Text == q.Change.New:
	case *a.Text == q.Change.Old:
		e.Decision, e.Allowed = "Reject: nothing of the change was left", false
	default:
		e.Decision += ", with changes"
	}
	if a.Attended && e.Allowed {
		e.Decision += ", with the keyboard"
	}
	return e
}
