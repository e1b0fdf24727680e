package linear

import (
	"errors"
	"os"
	"sync/atomic"
	"time"

	"parley/acpclient/event"
	"parley/internal/workspace"
	"parley/permissions"
)

// lendWait bounds how long parley waits for a command that was allowed with the keyboard to
// start, before it reads lines again.
const lendWait = 5 * time.Second

// lender gives the terminal to programs. Meanwhile parley neither reads nor writes.
type lender struct {
	in            *input
	out           *printer
	interrupts    <-chan os.Signal
	lent          *atomic.Bool // set while a program has the terminal
	reservedUntil time.Time    // until then no lines are read: a command is about to get the keyboard
}

// run runs a program in the terminal.
func (l *lender) run(cmd workspace.Command) error {
	l.out.flush()
	l.lent.Store(true)
	defer l.lent.Store(false)
	cmd.SetStdin(l.in.file)
	cmd.SetStdout(l.out.to)
	cmd.SetStderr(l.out.to)
	err := cmd.Run()
	l.in.restore()
	for { // drop interrupts that were meant for the program
		select {
		case <-l.interrupts:
		default:
			return err
		}
	}
}

// canLend reports whether a question can be answered with the keyboard.
func (l *lender) canLend(q *permissions.Question, s *workspace.Session) bool {
	return q.Attendable && l.in.terminal() && s.Commands().LendKeyboard()
}

// reserve reserves the keyboard for a command that was just allowed.
func (l *lender) reserve() { l.reservedUntil = time.Now().Add(lendWait) }

// reserved reports whether the keyboard is reserved.
func (l *lender) reserved() bool { return time.Now().Before(l.reservedUntil) }

// free reports whether a command that has started can have the terminal.
func (l *lender) free(s *workspace.Session) bool {
	l.reservedUntil = time.Time{}
	if !s.Commands().LendKeyboard() || !l.in.terminal() {
		return false
	}
	if l.in.pending {
		l.out.say("A command waits for your keyboard, which line input already uses. The full screen can attach it.")
	}
	return !l.in.pending
}

// attend gives the terminal to a command that has started in a session.
func (l *lender) attend(s *workspace.Session, e event.TerminalStarted) {
	l.out.say("The command has the keyboard. Press control and the closing square bracket to take it back.")
	err := l.run(s.Commands().Attach(e.ID, e.Command))
	switch {
	case err == nil:
		l.out.say("The command has ended; the keyboard is yours again.")
	case errors.Is(err, workspace.ErrTakenBack):
		l.out.say("The keyboard is yours again; the command continues without it.")
	default:
		l.out.say("The keyboard is yours again: %s.", err)
	}
}
