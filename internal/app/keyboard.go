package app

import (
	"context"
	"errors"
	"io"

	"parley/internal/host"
	"parley/internal/keyboard"
	"parley/internal/workspace"
	"parley/terminal"
)

// lendKeyboard lets the screen hand the keyboard to an agent's commands. It is taken back when life
// ends.
func lendKeyboard(life context.Context, conn *workspace.Connection, h *host.Host) {
	conn.Attended, conn.TakeOver = h.Attended, h.TakeOver
	conn.Attach = func(session, id, line string) workspace.Command {
		return &lending{life: life, host: h, session: session, id: id, line: line}
	}
}

// lending is an agent's command that is about to get the user's terminal.
type lending struct {
	life              context.Context
	host              *host.Host
	session, id, line string
	in                io.Reader
	out               io.Writer
}

func (l *lending) SetStdin(r io.Reader)  { l.in = r }
func (l *lending) SetStdout(w io.Writer) { l.out = w }
func (l *lending) SetStderr(io.Writer)   {}

// Run lends the terminal until the command ends or the user takes it back.
func (l *lending) Run() error {
	a, err := l.host.Attach(l.session, l.id)
	if errors.Is(err, terminal.ErrExited) {
		return nil
	}
	if err != nil {
		return err
	}
	err = keyboard.Lend(l.life, l.in, l.out, a, l.line, keyboard.AgentSeesHint)
	if errors.Is(err, keyboard.ErrTakenBack) {
		return workspace.ErrTakenBack
	}
	return err
}
