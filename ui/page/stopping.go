package page

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/internal/words"
	"parley/internal/workspace"
)

// stop cancels the running turn. If the agent does not react, a second stop after a few
// seconds ends it.
func stop(c *Page) tea.Cmd {
	if !c.IsOpen() {
		return c.say(words.Sentence(workspace.ErrNotOpen.Error()) + "; " + c.screen.Keys.ChatKey(intent.Sessions) + " " + c.screen.Keys.KeyOf(intent.List, intent.CloseEntry) + " cancels it")
	}
	if c.Stop() {
		return c.say("Ending the agent")
	}
	return nil
}

// escape handles esc where nothing is open or asked: it stops the turn and keeps the draft
// and the queue.
func escape(c *Page) tea.Cmd {
	switch {
	case c.Agent.Login.Running() != "":
		c.Agent.Login.Cancel()
	case stopSending(c):
	case c.Busy() && !(c.Thread.State == thread.Cancelling && c.shells.Running()):
		return stop(c)
	case c.CancelOpen():
	case c.shells.Running():
		return c.shells.Stop()
	case c.Prompts.CancelResume():
		return c.say("Not sent again")
	case !c.View.Following():
		c.View.End()
		c.escAt = c.screen.Now()
	default:
		return escaped(c)
	}
	return nil
}

// twice is the longest time between the two presses of esc esc.
const twice = 500 * time.Millisecond

// escaped handles an esc with nothing to close or stop. The second in a row lists the prompts.
func escaped(c *Page) tea.Cmd {
	now := c.screen.Now()
	if now.Sub(c.escAt) < twice {
		c.escAt = time.Time{}
		return showTurns(c)
	}
	c.escAt = now
	return nil
}

// stopOrClear handles ctrl+c: stop, else clear the draft. The next one quits.
func stopOrClear(c *Page) tea.Cmd {
	switch {
	case stopSending(c):
	case c.Busy() && c.Thread.State != thread.Ended:
		return stop(c)
	case c.CancelOpen():
	case c.shells.Running():
		return c.shells.Stop()
	case c.Prompts.CancelResume():
		return c.say("Not sent again")
	case !c.Composer.Empty():
		clearDraft(c)
	default:
		c.screen.QuitArmed = c.screen.Now()
	}
	return nil
}

// scrollBy moves the transcript. After it is drawn the next page is laid out in advance,
// since one page turn is usually followed by another.
func scrollBy(c *Page, by intent.Intent) tea.Cmd {
	switch by {
	case intent.PageUp:
		c.View.Page(-1)
		return func() tea.Msg { return aheadMsg{c, -1} }
	case intent.PageDown:
		c.View.Page(1)
		return func() tea.Msg { return aheadMsg{c, 1} }
	case intent.ScrollUp:
		c.View.Scroll(-1)
	case intent.ScrollDown:
		c.View.Scroll(1)
	case intent.Home:
		c.View.Home()
	case intent.End:
		c.View.End()
	}
	return nil
}

// aheadMsg asks to lay out the next page in advance.
type aheadMsg struct {
	page *Page
	dir  int
}

// Handle implements layer.Message.
func (msg aheadMsg) Handle() tea.Cmd {
	if msg.page.InFront() {
		msg.page.View.PreparePage(msg.dir)
	}
	return nil
}

// nextColumn shows the next page that is compared.
func nextColumn(c *Page) tea.Cmd {
	all := c.Compared()
	if all == nil {
		return c.say("No agents are compared here: /compare PROMPT")
	}
	c.screen.Workspace.Show(all[(slices.Index(all, c.Session)+1)%len(all)])
	return nil
}
