package ui

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/composer"
	"parley/ui/layer"
	"parley/ui/question"
	"parley/ui/review"
	"parley/ui/shell"
	"parley/ui/start"
	"parley/ui/status"
	"parley/ui/transcript"
	"parley/ui/transcript/find"
)

// chat is the page of one session: transcript, plan, queue, composer, question and
// status line.
type chat struct {
	*workspace.Session
	m *Model
	transcriptPane

	unread   bool // a turn ended while another session was on the screen
	panels   panels
	review   *review.Review
	login    *start.Login
	elicits  *question.Elicitations
	composer *composer.Composer
	question *question.Question

	doubtful    string // the line about which the user was asked whether to send it as text
	asksChanged bool   // other questions wait than before
	shells      *shell.Commands
	out         layer.Effects // of the components

	toast status.Toast

	escAt time.Time // when an esc had nothing to do
	areas areas
}

func newChat(m *Model, s *workspace.Session) *chat {
	c := &chat{Session: s, m: m, transcriptPane: transcriptPane{env: &m.Env, cwd: cmp.Or(s.Dir, m.opts.Cwd)}}
	c.panels.c = c
	c.review = review.New(&m.Env, &c.out, reviewHost{c})
	c.load(c.Thread, c.Agent.Name)
	for _, d := range []transcript.Density{transcript.Everything, transcript.Quiet} {
		if m.opts.Density == d.String() {
			c.view.SetDensity(d)
		}
	}
	c.composer = m.store.New(composing{c})
	c.question, c.elicits = question.New(&m.Env, &c.out, questionHost{c}), question.NewElicitations(&m.Env, &c.out, c.formPage)
	c.find = find.New(&m.Env, &c.out, c.view)
	c.shells = shell.New(&m.Env, m.opts.Shell, c.onShellEvent)
	c.login = start.NewLogin(&m.Env, &c.out, logins{c}.page)
	return c
}

// happened handles the effects of an event on the page, other than new rows.
func (c *chat) happened(e event.Event) tea.Cmd {
	switch e := e.(type) {
	case permissions.Asked:
		c.question.Add(e.Question)
		c.elicits.WaitForQuiet() // questions come first
	case permissions.Settled:
		c.question.Remove(e.Key)
	case event.CommandsChanged:
		c.composer.Refresh()
		return c.commandsChanged()
	case event.ElicitationAsked:
		return c.elicits.Add(e)
	case event.ElicitationEnded:
		c.elicits.Settled(e.Key)
	case event.ElicitationCompleted:
		return c.elicits.Completed(e.Key)
	case event.NoticeArrived:
		return c.say(strings.TrimSuffix(strings.Join([]string{e.Title + keyboard{c}.hint(e.Terminal), e.Description}, ": "), ": "))
	case event.TerminalStarted:
		if e.Attended {
			return keyboard{c}.lend(e.ID, e.Command)
		}
	case event.Disconnected:
		c.view.Changed([]int{0})
		c.toast = status.Toast{}
		c.review.Close() // the copies are gone
		c.elicits.Clear()
	}
	return nil
}

// say shows a message above the composer for a while.
func (c *chat) say(text string) tea.Cmd {
	c.toast = status.NewToast(text, c.m.Now())
	return later(status.ToastTime)
}

// submit handles enter in the composer.
func (c *chat) submit() tea.Cmd {
	if c.shelling() {
		return c.runLine()
	}
	return tea.Batch(c.composer.AttachTyped(), c.sendDraft())
}

// sendDraft sends or queues the draft, or runs the command in it.
func (c *chat) sendDraft() tea.Cmd {
	text := c.composer.Value()
	if c.ReadOnly {
		return c.readOnly(strings.TrimSpace(text))
	}
	if a, _, own := c.ownCommand(text); (!own || a.Needs == intent.LiveAgent) && c.Continue() {
		return nil
	}
	if strings.TrimSpace(text) == "" {
		if len(c.Queued()) > 0 && c.Thread.State == thread.Idle {
			c.Resume()
			return nil
		}
		if c.Paused() {
			c.Resume()
			return c.say("Queued prompts are sent after this turn")
		}
		return nil
	}
	c.composer.Clear()
	cmd, _ := c.submitLine(text, false)
	return cmd
}

// stop cancels the running turn. If the agent does not react, a second stop after a few
// seconds ends it.
func (c *chat) stop() tea.Cmd {
	if !c.IsOpen() {
		return c.say(workspace.ErrNotOpen.Error() + "; " + c.m.Keys.ChatKey(intent.Sessions) + " " + c.m.Keys.KeyOf(intent.List, intent.CloseEntry) + " cancels it")
	}
	if c.Stop() {
		return c.say("Ending the agent")
	}
	return nil
}

// scrollBy moves the transcript. After it is drawn the next page is laid out in advance,
// since one page turn is usually followed by another.
func (c *chat) scrollBy(by intent.Intent) tea.Cmd {
	switch by {
	case intent.PageUp:
		c.view.Page(-1)
		return func() tea.Msg { return aheadMsg{c, -1} }
	case intent.PageDown:
		c.view.Page(1)
		return func() tea.Msg { return aheadMsg{c, 1} }
	case intent.ScrollUp:
		c.view.Scroll(-1)
	case intent.ScrollDown:
		c.view.Scroll(1)
	case intent.Home:
		c.view.Home()
	case intent.End:
		c.view.End()
	}
	return nil
}

// aheadMsg asks to lay out the next page in advance.
type aheadMsg struct {
	chat *chat
	dir  int
}

func (msg aheadMsg) handle(m *Model) tea.Cmd {
	if m.chat == msg.chat {
		msg.chat.view.PreparePage(msg.dir)
	}
	return nil
}

// escape handles esc where nothing is open or asked: it stops the turn and keeps the draft
// and the queue.
func (c *chat) escape() tea.Cmd {
	switch {
	case c.Agent.LoggingIn() != "":
		c.Agent.CancelLogin()
	case composing{c}.stopSending():
	case c.Busy() && !(c.Thread.State == thread.Cancelling && c.shells.Running()):
		return c.stop()
	case c.CancelOpen():
	case c.shells.Running():
		return c.shells.Stop()
	case !c.view.Following():
		c.view.End()
		c.escAt = c.m.Now()
	default:
		return c.escaped()
	}
	return nil
}

// twice is the longest time between the two presses of esc esc.
const twice = 500 * time.Millisecond

// escaped handles an esc with nothing to close or stop. The second in a row lists the prompts.
func (c *chat) escaped() tea.Cmd {
	now := c.m.Now()
	if now.Sub(c.escAt) < twice {
		c.escAt = time.Time{}
		return c.panels.showTurns()
	}
	c.escAt = now
	return nil
}

// clearDraft empties the composer. The history keeps the draft.
func (c *chat) clearDraft() {
	c.composer.AddToHistory(c.composer.Value())
	c.composer.Clear()
}

// interrupt handles ctrl+c: stop, else clear the draft. The next one quits.
func (c *chat) interrupt() tea.Cmd {
	switch {
	case composing{c}.stopSending():
	case c.Busy() && c.Thread.State != thread.Ended:
		return c.stop()
	case c.CancelOpen():
	case c.shells.Running():
		return c.shells.Stop()
	case !c.composer.Empty():
		c.clearDraft()
	default:
		c.m.quitArmed = c.m.Now()
	}
	return nil
}
