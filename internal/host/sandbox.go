package host

import (
	"context"
	"os/exec"
	"strings"

	"parley/acpclient/jsonrpc"
	"parley/fsops"
	"parley/permissions"
)

// Sandbox restricts what is done for an agent like the agent itself: what the agent cannot write,
// parley does not write for it. Reading is not restricted. The functions must be safe for concurrent use.
type Sandbox struct {
	// Confine changes a command so that it can only write where all commands may, and below those of
	// roots, the directories of its session, that the agent itself can write to. An error prevents its start.
	Confine func(cmd *exec.Cmd, roots []string) error
	// Writable reports whether the agent itself could write a file. path is absolute and free of links;
	// it may be missing.
	Writable func(path string, roots []string) bool
}

// confine implements terminal.Options.Confine. A command of an unknown session may write to no
// directory.
func (h *Host) confine(id string, cmd *exec.Cmd) error {
	if h.opts.Sandbox == nil {
		return nil
	}
	return h.opts.Sandbox.Confine(cmd, h.dirs(id).roots)
}

// keepsOut reports whether the sandbox forbids the agent of a session to write a file. It may forbid the
// session's directory, too.
func (h *Host) keepsOut(session string, t fsops.Target) bool {
	return h.opts.Sandbox != nil && !h.opts.Sandbox.Writable(t.Resolved, h.dirs(session).roots)
}

// refuse rejects a question on behalf of the sandbox, so that the transcript and the record have it,
// and returns an error that the agent's model can act on.
func (h *Host) refuse(ctx context.Context, q permissions.Question, by, what string) error {
	q.RefusedBy = by
	h.ask(ctx, q)
	return jsonrpc.Errorf(jsonrpc.CodeInternalError, "The sandbox of parley refuses %s. Stay within %s", what, strings.Join(h.dirs(q.Session).roots, ", "))
}
