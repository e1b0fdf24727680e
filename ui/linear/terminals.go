package linear

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"parley/internal/keeper"
	"parley/internal/keyboard"
	"parley/internal/safetext"
)

// terminals is the user's terminal. That of a kept parley may leave, and another one come.
type terminals struct {
	keeper *keeper.Keeper // nil: parley is not kept
	away   bool           // no terminal is attached
	since  int            // entries of the session in front when it left
	typed  time.Time      // when the user typed last
	lent   atomic.Bool    // a program has the terminal: the chat does nothing meanwhile

	changes chan keeper.Change
	leaving *dialog // asks whether parley keeps running
}

func newTerminals(k *keeper.Keeper) *terminals {
	t := &terminals{keeper: k, typed: time.Now()}
	if k != nil {
		const most = 64 // while a program has the terminal
		t.away, t.changes = true, make(chan keeper.Change, most)
		go t.follow()
	}
	return t
}

// follow hands over what happens to the terminal. One that leaves a program need not wait for the chat.
func (t *terminals) follow() {
	for c := range t.keeper.Changes() {
		switch {
		case c.Attached:
			keyboard.Redraw()
		case t.lent.Load():
			t.keeper.Left()
		}
		t.changes <- c
	}
}

// elsewhere reports whether the user is not looking at the terminal, as far as that can be known.
func (t *terminals) elsewhere() bool {
	const enough = 10 * time.Second
	return t.away || time.Since(t.typed) >= enough
}

// attached handles a terminal that leaves or comes.
func (c *chat) attached(change keeper.Change) {
	t, n := c.terminals, c.front
	if !change.Attached {
		c.out.fresh()
		c.out.flush()
		t.away, t.since = true, len(n.Thread.Items)
		t.keeper.Left()
		c.opts.TellWaiting(c.w)
		return
	}
	change.Adopt()
	first := t.since == 0 && c.dialogs.lineAt.IsZero()
	t.away, t.typed = false, time.Now()
	n.finishAll()
	if first {
		c.out.say("Kept as %s: /detach leaves it running.", t.keeper.Name())
	} else {
		c.out.say("Attached to %s: %s, in %s, %s.", t.keeper.Name(), called(n.Agent), c.opts.Place(n.Session.Cwd()), n.Thread.State)
		if len(n.Thread.Items) > t.since {
			n.lastExchange()
		}
	}
	if d := c.dialogs.current; d != nil {
		d.write(c.out)
		d.at = time.Time{}
	}
	c.out.asked = ""
}

// leave quits. In a kept parley the user is asked first, unless nothing was started.
func (c *chat) leave() {
	t := c.terminals
	if t.keeper == nil || c.front.Agent.Spec.Name == "" {
		c.quit()
		return
	}
	c.dialogs.menuOr("Leave parley?"+c.ends(), []choice{{label: "Keep running; parley attach " + t.keeper.Name() + " returns", do: t.keeper.Detach}, {label: "End", do: c.quit}}, choice{label: "Stay"}, true)
	t.leaving = c.dialogs.current
}

// ends says what ends with parley, "" if nothing does.
func (c *chat) ends() string {
	if c.unfinished() == "" {
		return ""
	}
	return " The turn is still running."
}

// asksToLeave reports whether the user is being asked whether parley keeps running.
func (c *chat) asksToLeave() bool {
	return c.terminals.leaving != nil && c.dialogs.current == c.terminals.leaving
}

// detach lets the terminal leave.
func (c *chat) detach() {
	if c.terminals.keeper == nil {
		c.out.say("Only what was started with parley --keep can run in the background.")
		return
	}
	c.dialogs.drop(c.terminals.leaving)
	c.terminals.keeper.Detach()
}

// attachTo attaches the terminal to another kept session, or resumes one that has ended. What is kept itself cannot show
// another one: its terminal leaves for that.
func (c *chat) attachTo(name string) {
	all, err := c.opts.Kept()
	i := slices.IndexFunc(all, func(s keeper.Session) bool { return s.Name == name })
	switch {
	case err != nil && i < 0:
		c.out.say("Kept sessions cannot be listed: %s.", err)
	case i < 0:
		c.out.say("No kept session %s: /sessions lists them.", safetext.Line(name, 60))
	case !all[i].Live:
		if command, resumed := c.w.Kept.Resume(all[i]); !resumed {
			c.out.say("%s has ended. %s", name, cmp.Or(command, "It cannot be resumed."))
		}
	case c.terminals.keeper != nil:
		c.terminals.keeper.Switch(name)
	case !c.in.terminal():
		c.out.say("The input is not a terminal.")
	default:
		if err := c.lender.run(c.opts.AttachKept(name)); err != nil {
			c.out.say("%s.", sentence(err.Error()))
			return
		}
		c.out.say("Back from %s.", name)
	}
}
