package linear

import (
	"errors"
	"slices"
	"time"

	"parley/acpclient/event"
	"parley/internal/workspace"
	"parley/permissions"
)

// lendWait is how long a command that was allowed with the keyboard may take to start
// until lines are read again.
const lendWait = 5 * time.Second

// canAttend tells whether a question can be answered with the keyboard.
func (c *chat) canAttend(q permissions.Question) bool {
	return q.Attends && c.in.terminal() && c.Agent.Conn() != nil && c.Agent.Conn().Attach != nil
}

// attended allows a command once, with the keyboard. From now on nobody reads what is
// typed, until the command has it.
func (c *chat) attended(a *ask) {
	q := a.permission
	i := slices.IndexFunc(q.Options, func(o permissions.Option) bool { return o.Kind == permissions.AllowOnce })
	if i < 0 {
		return
	}
	if err := a.broker.AnswerAttended(q.Key, q.Options[i].ID); err != nil {
		c.say("Not answered: %s.", err)
		return
	}
	c.lending = time.Now().Add(lendWait)
}

// lends tells whether a command is about to get the keyboard.
func (c *chat) lends() bool {
	if c.lending.IsZero() || !time.Now().Before(c.lending) {
		c.lending = time.Time{}
		return false
	}
	c.wakeAt(c.lending)
	return true
}

// lend gives the terminal to a command. Nobody reads from it meanwhile, and nothing
// is written.
func (c *chat) lend(t *talk, e event.TerminalStarted) {
	c.lending = time.Time{}
	if c.Agent.Conn() == nil || c.Agent.Conn().Attach == nil || !c.in.terminal() {
		return
	}
	if c.in.pending {
		c.say("A command waits for your keyboard, and lines are read from it already: the full screen can take it over.")
		return
	}
	c.finish(c.talk, len(c.talk.Thread.Items))
	c.say("The command has the keyboard now. Control and the closing square bracket give it back.")
	err := c.onTerminal(c.Agent.Conn().Attach(t.Thread.Session, e.ID, e.Command))
	switch {
	case err == nil:
		c.say("The command has ended; the keyboard is yours again.")
	case errors.Is(err, workspace.ErrTakenBack):
		c.say("The keyboard is yours again; the command goes on, without it.")
	default:
		c.say("The keyboard is yours again: %s.", err)
	}
}
