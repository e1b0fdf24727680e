package host

import (
	"fmt"
	"time"

	"parley/acpclient/event"
	"parley/internal/safetext"
	"parley/terminal"
)

// command is one that parley runs for the agent.
type command struct {
	line string // safe to show
	key  uint64 // of the question that let it run; 0 where there was none
}

// Attended tells whether a command that parley runs for the agent can be attached
// to as it is: whether it runs and has a terminal of its own.
func (h *Host) Attended(session, id string) bool { return h.terminals.Attended(session, id) }

// TakeOver gives a command that parley runs for the agent a terminal of its own,
// because the user says so: it is stopped, with all it has started, and run again
// from the beginning. The agent goes on waiting for it, and sees in its output that it
// was started again. A command that has one already is left alone. It may take seconds.
// Errors are those of terminal.Service.TakeOver.
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

// Attach gives a front end the user's side of a command that is attended. Nothing of
// what is typed there is kept. Errors are those of terminal.Service.Attach.
func (h *Host) Attach(session, id string) (*terminal.Attachment, error) {
	a, err := h.terminals.Attach(session, id)
	if err != nil {
		return nil, fmt.Errorf("attach to the command: %w", err)
	}
	return a, nil
}

// waits keeps the lines of the commands that there are, and tells the user of one that
// seems to wait for somebody. With nobody attached it waits in vain.
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
			n.Terminal = c.ID // the front end says how it is taken over
		} else {
			n.Title += ", which nobody can give it"
			n.Description += " (stop it, or run it yourself)"
		}
		h.opts.Sink.Post(n)
	}
}
