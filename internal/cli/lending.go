package cli

import (
	"errors"
	"io"

	"parley/internal/keyboard"
	"parley/internal/workspace"
	"parley/terminal"
)

// Attach returns a command that lends an agent's command the user's terminal; line is its name for display.
func (c *Connection) Attach(session, id, line string) workspace.Command {
	return &lending{c: c, session: session, id: id, line: line}
}

// lending is an agent's command that is about to get the user's terminal.
type lending struct {
	c                 *Connection
	session, id, line string
	in                io.Reader
	out               io.Writer
}

func (l *lending) SetStdin(r io.Reader)  { l.in = r }
func (l *lending) SetStdout(w io.Writer) { l.out = w }
func (l *lending) SetStderr(io.Writer)   {}

// Run lends the terminal until the command ends or the user takes it back.
func (l *lending) Run() error {
	a, err := l.c.Host.Attach(l.session, l.id)
	if errors.Is(err, terminal.ErrExited) {
		return nil
	}
	if err != nil {
		return err
	}
	err = keyboard.Lend(l.c.Life, l.in, l.out, a, l.line, keyboard.AgentSeesHint)
	if errors.Is(err, keyboard.ErrTakenBack) {
		return workspace.ErrTakenBack
	}
	return err
}
