package linear

import (
	"errors"
	"io"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/internal/workspace"
)

// line handles a line of the user's.
func (c *chat) line(l typedLine) {
	if l.secret { // nothing was echoed, nor the end of the line
		c.out.fresh()
	}
	c.out.typed()
	if l.err == nil || l.text != "" {
		c.typed(l)
		c.lineAt = l.at
	}
	switch {
	case l.err == nil:
		return
	case !errors.Is(l.err, io.EOF):
		c.say("The input ended: %s.", l.err)
	}
	c.ended = true
	if c.in.terminal() { // ctrl+d
		c.over = true
	}
}

func (c *chat) typed(l typedLine) {
	if len(c.draft) == 0 && c.dialog != nil {
		c.toDialog(l)
		return
	}
	if l.secret {
		c.say("What you have typed was dropped: it was meant for a field that is gone.")
		return
	}
	text := safetext.Clean(l.text)
	if head, on := strings.CutSuffix(text, `\`); on && !c.ended && l.err == nil {
		c.draft = append(c.draft, head)
		return
	}
	text = strings.Join(append(c.draft, text), "\n")
	first := len(c.draft) == 0
	c.draft = nil
	switch trimmed := strings.TrimSpace(text); {
	case first && c.wasAnswer(text):
	case trimmed == "":
		c.empty()
	case strings.HasPrefix(trimmed, "/") && c.own(trimmed):
	case strings.HasPrefix(text, "!"):
		c.say("Not sent: commands of your own are not run in this mode. A blank before the exclamation mark sends it to the agent.")
	default:
		c.prompt(text)
	}
}

// empty handles a line with nothing in it: it continues whatever waits for that.
func (c *chat) empty() {
	switch {
	case c.Thread.State == thread.Ended && c.dialing():
		c.status()
	case c.Lost.State == workspace.StateGone:
		c.say("Opening a new session.")
		c.Continue()
	case c.Continue():
	case c.busy():
		c.status()
	case len(c.Queued) > 0 && c.Paused:
		c.Resume()
	case c.ACP == nil:
		c.status()
	}
}

// prompt sends what was typed, or keeps it until it can go out.
func (c *chat) prompt(text string) {
	gone := c.Thread.State == thread.Ended && !c.dialing() && c.Lost.State != workspace.StateReopening
	if !gone && len(c.Queued) == 0 && c.TakesPrompts() {
		c.echoed = ""
		if c.out.terminal {
			c.echoed = text
		}
		if err := c.Send(text); err != nil {
			c.putAside(c.Session, text, "Not sent: "+err.Error(), "")
		}
		return
	}
	c.Enqueue(text)
	switch n := len(c.Queued); {
	case c.retrying():
		c.say("Put aside as prompt %d: there is no connection.", n)
	case gone:
		c.say("Put aside as prompt %d: the agent is gone. Enter alone starts it again; then the prompt is sent.", n)
	case c.Lost.State == workspace.StateGone:
		c.say("Put aside as prompt %d: the session is gone. Enter alone starts a new one.", n)
		c.Paused = true
	case c.Lost.State == workspace.StateUnopened:
		c.say("Put aside as prompt %d: the session is not open. Enter alone tries again.", n)
	case c.ACP == nil && c.Lost.State == workspace.StateLive && !c.Session.Waiting() && c.dialog == nil:
		c.say("Queued as prompt %d. There is no agent: /agent starts one.", n)
	case c.Paused:
		c.say("Queued as prompt %d. Enter alone sends the first one.", n)
	default:
		c.say("Queued as prompt %d.", n)
	}
}

// ready tells whether it is the user's turn.
func (c *chat) ready() bool {
	_, reading := c.Reading()
	return c.ACP != nil && c.Thread.State == thread.Idle && !c.ACP.Running() && !reading && !c.dialing() && (len(c.Queued) == 0 || c.Paused)
}

// sent notes a prompt that has gone out.
func (c *chat) sent(n workspace.Sent) {
	for _, note := range n.Notes {
		c.say("Notice: %s.", note)
	}
	c.freshStderr() // what it has said of others
	c.keep(n.Text)
	if n.Held {
		c.say("Sent; the agent takes it when it can.")
	}
}

// stop cancels the turn. When the agent does not react, another stop after a while
// ends the agent.
func (c *chat) stop() {
	switch {
	case c.ACP == nil || !c.busy():
		c.say("Nothing is running.")
	case c.Thread.State == thread.Cancelling && !c.Killable():
		c.say("Stopping. If that takes longer than %s, stopping again ends the agent.", spoken(workspace.KillAfter))
	case c.Stop():
		c.say("Ending %s.", c.name())
	default:
		c.say("Stopping.")
	}
}

// interrupt is ctrl+c: it gives up what is being asked or done; at rest, twice,
// parley.
func (c *chat) interrupt() {
	if c.out.terminal {
		c.out.open, c.out.owner, c.out.asked = true, nil, "" // behind ^C
	}
	c.in.restore()
	d := c.dialog
	switch {
	case len(c.draft) > 0:
		c.Enqueue(strings.Join(c.draft, "\n"))
		c.draft, c.Paused = nil, true
		c.say("Put aside as prompt %d. Enter alone sends it, /drop drops it.", len(c.Queued))
	case d != nil && d.free && d.key == nil:
		d.take("/cancel")
	case d != nil && d.key != nil && d.key.elicited != nil:
		c.settle(d.key, event.ElicitationAnswer{Action: "cancel"})
		c.stray = strayField
	case d != nil && d.key == nil && c.ACP != nil:
		c.dialog = nil
		c.say("Nothing chosen.")
	case c.Agent.LoggingIn() != "":
		c.Agent.CancelLogin()
	case c.dialing():
		c.giveUp()
	case c.ACP != nil && c.busy():
		c.stop()
	case d != nil && d.key != nil:
		c.dialog = nil
		c.drop(d.key)
		d.key.broker.Reject(d.key.permission.Key)
	case time.Since(c.lastInt) < 2*time.Second:
		c.over = true
	default:
		c.lastInt = time.Now()
		c.say("Press ctrl+c again to quit.")
	}
}

// lastWish ends the chat when there are no more lines and nothing is left to do.
func (c *chat) lastWish() {
	if !c.ended || c.over {
		return
	}
	if d := c.dialog; d != nil && d.key != nil {
		c.dialog = nil
		c.unanswered(d.key)
		return
	}
	_, reading := c.Reading()
	waits := c.dialing() || c.Agent.LoggingIn() != "" || reading || c.ACP != nil && c.busy() || len(c.asks) > 0 || c.ACP != nil && len(c.Queued) > 0 && !c.Paused
	c.over = !waits || c.dialog != nil && c.ACP == nil
}

// notSent writes the prompts that wait when parley ends: they would be lost.
func (c *chat) notSent() {
	if len(c.draft) > 0 {
		c.Enqueue(strings.Join(c.draft, "\n"))
	}
	for _, t := range c.w.Sessions() {
		for _, p := range t.Offers {
			c.say("Prompt %s:", p.Why())
			c.out.lines(p.Draft)
		}
		for _, text := range t.Queued {
			c.say("Not sent:")
			c.out.lines(text)
		}
	}
}

// keepPast keeps prompts for later runs, in order; stop waits for the last one.
func (c *chat) keepPast() (stop func()) {
	h := c.opts.History
	if h == nil {
		return func() {}
	}
	const most = 100
	c.past, c.unkept = make(chan string, most), make(chan error, 1)
	done, unkept := make(chan struct{}), c.unkept
	go func() {
		defer close(done)
		for text := range c.past {
			if err := h.Add(text); err != nil {
				select {
				case unkept <- err: // the first; the others say the same
				default:
				}
			}
		}
	}()
	return func() { close(c.past); <-done }
}

func (c *chat) keep(text string) {
	if c.past == nil {
		return
	}
	select {
	case c.past <- text:
	default: // the disk does not keep up: it is no reason to wait
	}
}
