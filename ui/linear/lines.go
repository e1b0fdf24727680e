package linear

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/reopen"
	"parley/internal/safetext"
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

// empty handles a line with nothing in it: it goes on with whatever waits for
// that.
func (c *chat) empty() {
	switch {
	case c.redialling():
		c.redialNow()
	case c.broken.State == reopen.Reopening:
		c.status()
	case c.thread.State == thread.Ended && !c.connecting:
		c.startAgain()
	case c.broken.State == reopen.SessionGone:
		c.startOver(c.talk)
	case c.broken.State == reopen.Unopened:
		c.reopen(c.talk)
	case c.busy():
		c.status()
	case len(c.queued) > 0 && c.paused:
		c.paused = false
	case c.session == nil:
		c.status()
	}
}

// prompt sends what was typed, or keeps it until it can go out.
func (c *chat) prompt(text string) {
	gone := c.thread.State == thread.Ended && !c.connecting && c.broken.State != reopen.Reopening
	if !gone && len(c.queued) == 0 && c.takesPrompts() {
		c.echoed = ""
		if c.out.terminal {
			c.echoed = text
		}
		c.send(text)
		return
	}
	c.queue1(text)
	switch n := len(c.queued); {
	case c.redialling():
		c.say("Put aside as prompt %d: there is no connection.", n)
	case gone:
		c.say("Put aside as prompt %d: the agent is gone. Enter alone starts it again; then the prompt is sent.", n)
		c.paused = true
	case c.broken.State == reopen.SessionGone:
		c.say("Put aside as prompt %d: the session is gone. Enter alone starts a new one.", n)
		c.paused = true
	case c.broken.State == reopen.Unopened:
		c.say("Put aside as prompt %d: the session is not open. Enter alone tries again.", n)
	case c.session == nil && c.broken.State == reopen.Live && !c.connecting && c.dialog == nil:
		c.say("Queued as prompt %d. There is no agent: /agent starts one.", n)
	case c.paused:
		c.say("Queued as prompt %d. Enter alone sends the first one.", n)
	default:
		c.say("Queued as prompt %d.", n)
	}
}

// queue1 puts a prompt behind those that wait.
func (c *chat) queue1(text string) { c.queued = append(c.queued, text) }

// takesPrompts tells whether a prompt can go out now: between turns, and to an
// agent of v2, which holds it, in the middle of one.
func (c *chat) takesPrompts() bool {
	if c.session == nil || c.sending || c.conn == nil || c.loading {
		return false
	}
	holds := c.conn.Client.Agent().ProtocolVersion >= 2
	switch c.thread.State {
	case thread.Idle:
		return !c.session.Running() || holds
	case thread.Running, thread.Waiting:
		return holds
	}
	return false
}

// ready tells whether it is the user's turn.
func (c *chat) ready() bool {
	return c.session != nil && c.thread.State == thread.Idle && !c.session.Running() && !c.sending && !c.connecting && (len(c.queued) == 0 || c.paused)
}

// sendNext sends the prompt that has waited longest.
func (c *chat) sendNext() {
	if len(c.queued) == 0 || c.paused || !c.takesPrompts() || c.dialog != nil && c.dialog.key == nil {
		return
	}
	text := c.queued[0]
	c.queued = c.queued[1:]
	c.send(text)
}

// send sends a prompt, with the files that it mentions.
func (c *chat) send(text string) {
	if c.attach(text) {
		return
	}
	c.sendBlocks(c.talk, text, []event.Block{{Text: text}})
}

func (c *chat) sendBlocks(t *talk, text string, blocks []event.Block) {
	running := t.session.Running()
	c.freshStderr() // what it has said of others
	if err := t.session.Prompt(blocks...); err != nil {
		t.queued = append([]string{text}, t.queued...)
		t.paused = true
		c.say("Not sent: %s. Put aside as prompt 1.", err)
		return
	}
	t.last, t.refused = text, nil
	c.keep(text)
	if running {
		c.say("Sent; the agent takes it when it can.")
	}
}

// turnEnded decides what becomes of the prompts that wait: after a stop or an
// error they wait for the user.
func (c *chat) turnEnded(t *talk, e event.TurnEnded) {
	c.stopAsked = time.Time{}
	if wantsLogin(e.Err) {
		t.refused = append(t.refused, t.last)
		c.wantLogin(e.Err)
		return
	}
	if e.Err == nil && e.StopReason != "cancelled" || len(t.queued) == 0 {
		return
	}
	t.paused = true
	if t == c.talk {
		c.say("Waiting: %s. Enter alone sends the first one, /drop drops the last one.", count(len(t.queued), "prompt"))
	}
}

// promptFailed keeps a prompt that the agent did not take.
func (c *chat) promptFailed(t *talk, e event.PromptFailed) {
	text := ""
	for _, b := range e.Blocks {
		if b.URI == "" && b.Image == nil {
			text += b.Text
		}
	}
	if wantsLogin(e.Err) {
		t.refused = append(t.refused, text)
		c.wantLogin(e.Err)
		return
	}
	if event.CutOff(e.Err) {
		t.broken.Cut.Hold(t.thread, text)
		t.unconfirmed.Offer(&t.broken.Cut)
		return
	}
	t.queued = append([]string{text}, t.queued...)
	t.paused = true
	why := "it was withdrawn"
	if !e.Withdrawn && e.Err != nil {
		why = e.Err.Error()
	}
	c.say("Not taken: %s. Put aside as prompt 1: %s", why, cut(oneLine(text), 60))
}

// stop cancels the turn. When the agent does not react, another stop after a while
// ends the agent.
func (c *chat) stop() {
	switch {
	case c.session == nil || !c.busy():
		c.say("Nothing is running.")
	case c.thread.State == thread.Cancelling && !c.stopAsked.IsZero() && time.Since(c.stopAsked) >= forceAfter:
		c.say("Ending %s.", c.name())
		client := c.conn.Client
		c.async(func(context.Context) func() { client.Close(); return func() {} })
	case c.thread.State == thread.Cancelling:
		c.say("Stopping. If that takes longer than %s, stopping again ends the agent.", spoken(forceAfter))
	default:
		c.stopAsked = time.Now()
		c.say("Stopping.")
		c.session.Cancel()
	}
}

// forceAfter is how long an agent may take to end a cancelled turn before another
// stop ends the agent itself.
const forceAfter = 5 * time.Second

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
		c.queue1(strings.Join(c.draft, "\n"))
		c.draft, c.paused = nil, true
		c.say("Put aside as prompt %d. Enter alone sends it, /drop drops it.", len(c.queued))
	case d != nil && d.free && d.key == nil:
		d.take("/cancel")
	case d != nil && d.key != nil && d.key.elicited != nil:
		c.settle(d.key, event.ElicitationAnswer{Action: "cancel"})
		c.stray = strayField
	case d != nil && d.key == nil && c.session != nil:
		c.dialog = nil
		c.say("Nothing chosen.")
	case c.loggingIn != "":
		c.cancelLogin()
	case c.connecting:
		c.giveUp()
	case c.session != nil && c.busy():
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
	waits := c.connecting || c.loggingIn != "" || c.sending || c.session != nil && c.busy() || len(c.asks) > 0 || c.session != nil && len(c.queued) > 0 && !c.paused
	c.over = !waits || c.dialog != nil && c.session == nil
}

// notSent writes the prompts that wait when parley ends: they would be lost.
func (c *chat) notSent() {
	if len(c.draft) > 0 {
		c.queue1(strings.Join(c.draft, "\n"))
	}
	for _, t := range c.talks {
		for _, p := range t.unconfirmed {
			c.say("Prompt %s:", p.Why())
			c.out.lines(p.Draft)
		}
		for _, text := range t.queued {
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
