package host

import (
	"fmt"
	"time"

	"parley/acpclient/event"
	"parley/internal/safetext"
	"parley/terminal"
)

// command is a command that parley runs for the agent.
type command struct {
	line string // safe to show
	key  uint64 // of the question that allowed it; 0 if there was none
}

// Attended reports whether Attach can succeed: whether a command that parley runs for the agent is
// running on its own terminal.
func (h *Host) Attended(session, id string) bool { return h.terminals.Attended(session, id) }

// TakeOver restarts a command on its own terminal, on behalf of the user. The command is stopped with
// its children and run again from the beginning. The agent keeps waiting for it and sees in the output
// that it was restarted. A command that has a terminal already is left alone. It may take seconds. The
// errors are those of terminal.Service.TakeOver.
func (h *Host) TakeOver(session, id string) error {
	if h.terminals.Attended(session, id) {
		return nil
	}
	err := terminal.ErrNoPTY
	if h.opts.Keyboard {
		err = h.terminals.TakeOver(session, id)
	}
	h.mu.Lock()
	c := h.commands[id]
	h.mu.Unlock()
	if err != nil {
		return fmt.Errorf("take the command over: %w", err)
	}
	h.came(session, c.key, "started again, with the user's keyboard", nil)
	h.opts.Sink.Post(event.PermissionAnswered{For: event.For{Session: session}, Subject: c.line, Decision: "Run again, with the keyboard", Allowed: true, By: "you", At: time.Now()})
	return nil
}

// Attach connects a front end to a command that has its own terminal. What the user types is not
// stored. The errors are those of terminal.Service.Attach.
func (h *Host) Attach(session, id string) (*terminal.Attachment, error) {
	a, err := h.terminals.Attach(session, id)
	if err != nil {
		return nil, fmt.Errorf("attach to the command: %w", err)
	}
	return a, nil
}

// waits tracks the running commands and notifies the user of one that seems to wait for input. Unless a
// front end is attached, it waits in vain.
func (h *Host) waits(c terminal.Change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case c.Started != nil:
		h.commands[c.ID] = command{line: safetext.Line(terminal.Line(*c.Started), 200), key: c.Started.Ref}
	case c.Released:
		delete(h.commands, c.ID)
	case c.Waiting != "":
		n := event.NoticeArrived{For: event.For{Session: c.Session}, Severity: "warning", Title: "A command waits for " + string(c.Waiting), Description: h.commands[c.ID].line}
		if h.opts.Keyboard && terminal.CanAttend {
			n.Terminal = c.ID // the front end shows how to take it over
		} else {
			n.Title += ", which nobody can give it"
			n.Description += " (stop it, or run it yourself)"
		}
		h.opts.Sink.Post(n)
	}
}
