package host

import (
	"context"
	"os/exec"
	"slices"
	"strings"

	"parley/acpclient/jsonrpc"
	"parley/fsops"
	"parley/permissions"
)

// Sandbox bounds what is done for an agent as it bounds the agent: what the agent
// cannot write, parley does not write for it. Reading is not bound. Its methods may be
// called by several goroutines.
type Sandbox interface {
	// Confine changes a command so that it can write below roots, the directories of
	// its session, and where all commands may. An error keeps it from starting.
	Confine(cmd *exec.Cmd, roots []string) error
	// Writable tells whether the agent could write a file itself. path is absolute and
	// free of links; it need not exist.
	Writable(path string, roots []string) bool
}

// confine implements terminal.Options.Confine. A command of a session that is not
// known starts bound to no directory.
func (h *Host) confine(id string, cmd *exec.Cmd) error {
	if h.opts.Sandbox == nil {
		return nil
	}
	return h.opts.Sandbox.Confine(cmd, h.roots(id))
}

// roots are the directories of a session.
func (h *Host) roots(id string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[id]; s != nil {
		return slices.Clone(s.roots)
	}
	return nil
}

// keepsOut tells whether the sandbox keeps the agent of a session from writing there.
func (h *Host) keepsOut(session string, t fsops.Target) bool {
	return h.opts.Sandbox != nil && !t.Inside && !h.opts.Sandbox.Writable(t.Resolved, h.roots(session))
}

// refuse has the sandbox reject a question, so that the transcript and the record say
// so, and returns what the agent hears: words that its model can act on.
func (h *Host) refuse(ctx context.Context, q permissions.Question, by, what string) error {
	q.Refused = by
	h.ask(ctx, q)
	return jsonrpc.Errorf(jsonrpc.CodeInternalError, "The sandbox of parley refuses %s. Stay within %s", what, strings.Join(h.roots(q.Session), ", "))
}
