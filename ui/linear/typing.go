package linear

import (
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/internal/workspace"
)

// line handles a line that the user typed.
func (c *chat) line(l typedLine) {
	c.lastInt, c.terminals.typed = time.Time{}, l.at
	if l.secret { // nothing was echoed, not even the newline
		c.out.fresh()
	}
	c.out.typed()
	if l.err == nil || l.text != "" {
		c.typed(l)
		c.dialogs.lineAt = l.at
	}
	switch {
	case l.err == nil:
		return
	case c.in.continues(l):
		c.leave()
		return
	case !errors.Is(l.err, io.EOF):
		c.out.say("The input ended: %s.", l.err)
	}
	c.ended = true
	if c.in.terminal() { // ctrl+d
		c.quitting = true
	}
}

func (c *chat) typed(l typedLine) {
	if len(c.prompts.draft) == 0 && c.dialogs.current != nil {
		c.dialogs.answer(l)
		return
	}
	if l.secret {
		c.out.say("What you typed was dropped: it was for a field that is gone.")
		return
	}
	text := safetext.Clean(l.text)
	if head, on := strings.CutSuffix(text, `\`); on && !c.ended && l.err == nil {
		c.prompts.draft = append(c.prompts.draft, head)
		return
	}
	text = strings.Join(append(c.prompts.draft, text), "\n")
	first := len(c.prompts.draft) == 0
	c.prompts.draft = nil
	switch trimmed := strings.TrimSpace(text); {
	case strings.HasPrefix(trimmed, "/") && c.commands.run(trimmed):
		c.dialogs.stray = noStray // a late answer would have come before
	case first && c.dialogs.wasAnswer(text, c.prompts.send):
	case trimmed == "":
		c.empty()
	case strings.HasPrefix(text, "!"):
		c.out.say("Not sent: this mode does not run your commands. With a space before the exclamation mark the line goes to the agent.")
	default:
		c.prompts.send(text)
	}
}

// empty handles an empty line: it continues whatever waits for that.
func (c *chat) empty() {
	switch s := c.front.Session; {
	case s.Thread.State == thread.Ended && dialing(s.Agent):
		c.report().status()
	case s.Lost.State == workspace.StateGone:
		c.out.say("Opening a new session.")
		s.Continue()
	case s.Continue():
	case busy(s):
		c.report().status()
	case s.Prompts.Queue.Len() > 0 && s.Prompts.Queue.Paused():
		s.Prompts.Resume()
	case !s.IsOpen():
		c.report().status()
	}
}

// stop cancels the turn. If the agent does not react, another stop after a while ends the
// agent.
func (c *chat) stop() {
	switch s := c.front.Session; {
	case !s.Busy() && s.CancelOpen():
	case !busy(s) && s.Prompts.CancelResume():
		c.out.say("Not sent again.")
	case !s.IsOpen() || !busy(s):
		c.out.say("Nothing is running.")
	case s.Thread.State == thread.Cancelling && !s.Killable():
		c.out.say("Stopping. If it takes longer than %s, stop again to end the agent.", spoken(workspace.KillAfter))
	case s.Stop():
		c.out.say("Ending %s.", called(s.Agent))
	default:
		c.out.say("Stopping.")
	}
}

// leaveWithin is the longest time between the two presses of ctrl+c that quit.
const leaveWithin = 2 * time.Second

// interrupt handles ctrl+c: it cancels the dialog or the turn. Pressed twice, it quits parley,
// whatever the agent does.
func (c *chat) interrupt() {
	c.out.interrupted()
	c.in.restore()
	again := time.Since(c.lastInt) < leaveWithin
	c.lastInt = time.Now()
	switch {
	case again && c.asksToLeave():
		c.detach()
		return
	case c.asksToLeave():
		c.out.say("Press ctrl+c again to keep it running.")
		return
	case again && c.terminals.keeper != nil:
		c.lastInt = time.Time{}
		c.leave()
		return
	case again:
		c.endSoon()
		c.quitting = true
		return
	}
	c.cancel()
	if !c.quitting {
		c.out.say("Press ctrl+c again to quit%s.", c.unfinished())
	}
}

// unfinished says which turns quitting would end.
func (c *chat) unfinished() string {
	if slices.ContainsFunc(c.w.Sessions(), busy) {
		return "; the turn is still running"
	}
	return ""
}

// endSoon has agents killed that take too long to end.
func (c *chat) endSoon() {
	if c.opts.EndSoon != nil {
		c.opts.EndSoon()
	}
}

// cancel cancels the dialog or whatever is running.
func (c *chat) cancel() {
	s, d := c.front.Session, c.dialogs.current
	switch {
	case len(c.prompts.draft) > 0:
		c.prompts.putDraftAside()
	case d != nil && d.cancel != nil:
		d.cancel()
	case d != nil && d.about == nil && s.IsOpen():
		c.dialogs.current = nil
		c.out.say("Cancelled.")
	case s.Agent.Login.Running() != "":
		s.Agent.Login.Cancel()
	case dialing(s.Agent):
		c.starts.giveUp(s.Agent)
	case s.Opening(), s.IsOpen() && busy(s), !s.Prompts.ResumesAt().IsZero():
		c.stop()
	case d != nil && d.about != nil:
		c.questions.refuse(d.about)
	}
}

// endIfDone ends the chat when the input has ended and nothing is left to do.
func (c *chat) endIfDone() {
	if !c.ended || c.quitting {
		return
	}
	s, d := c.front.Session, c.dialogs.current
	if d != nil && d.about != nil {
		c.questions.unanswered(d.about)
		return
	}
	_, reading := s.Prompts.Reading()
	waits := dialing(s.Agent) || s.Agent.Login.Running() != "" || reading || s.IsOpen() && busy(s) || c.questions.any() || s.IsOpen() && s.Prompts.Queue.Len() > 0 && !s.Prompts.Queue.Paused()
	c.quitting = !waits || d != nil && !s.IsOpen()
}
