package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/carried"
	"parley/internal/intent"
	"parley/internal/workspace"
)

// resultMsg is the result of a task of the workspace.
type resultMsg struct{ workspace.Result }

// sync runs the tasks of the workspace and shows its news. It is called after anything that
// may have changed the workspace.
func (m *Model) sync() tea.Cmd {
	var cmds []tea.Cmd
	for {
		for _, task := range m.w.Tasks() {
			cmds = append(cmds, func() tea.Msg {
				if r := task(); r != nil {
					return resultMsg{r}
				}
				return nil
			})
		}
		n, ok := m.w.TakeNews()
		if !ok {
			return tea.Batch(cmds...)
		}
		cmds = append(cmds, m.onNews(n))
	}
}

// onNews handles one piece of news from the workspace.
func (m *Model) onNews(n workspace.News) tea.Cmd {
	m.dirty = m.dirty || !isApplied(n)
	switch n := n.(type) {
	case workspace.EventApplied:
		return m.deliver(m.pageOf(n.Session), n)
	case workspace.AgentStarting:
		m.choosing = false
		m.front(n.Agent).dropQuestions()
	case workspace.AgentNotStarted:
		if all := n.Agent.Front().Compared(); all != nil {
			return m.compareDone(all)
		}
	case workspace.AgentStarted:
		return m.started(n)
	case workspace.LoginWanted:
		c := m.front(n.Agent)
		if n.Session != nil && !n.Agent.Opening() { // its prompt was refused
			c = m.pageOf(n.Session)
		}
		logins{c}.wanted(n)
	case workspace.LoggedIn:
		c := m.front(n.Agent)
		if n.Agent.Opening() {
			c.login.Close()
			return nil
		}
		return c.say("Logged in")
	case workspace.LoginFailed:
		logins{m.front(n.Agent)}.failed(n)
	case workspace.AgentGone:
		if m.chat.Agent != n.Agent && !m.quitting {
			return m.chat.say(n.Agent.Name() + " has ended: " + m.Keys.ChatKey(intent.Sessions))
		}
	case workspace.SessionShown:
		m.show(m.pageOf(n.Session))
	case workspace.SessionOpened:
		m.pageOf(n.Session).view.Changed([]int{0}) // a fork says what it is
	case workspace.SessionNotOpened:
		if n.Logged != nil {
			return m.chat.say(m.chat.readOnlyReason())
		}
		return m.chat.say(n.Err.Error())
	case workspace.SessionRemoved:
		return m.removed(n.Session)
	case workspace.Reconnected:
		c := m.pageOf(n.Session)
		if n.Replaced {
			c.load(c.Thread, c.Agent.Name) // the draft stays
			m.inline.Hold()
		}
		c.composer.Refresh()
		return c.say("Reconnected")
	case workspace.StartedOver:
		if n.Err != nil && !workspace.WantsLogin(n.Err) {
			return m.pageOf(n.Session).say(n.Err.Error())
		}
	case workspace.NoticesChanged:
		m.pageOf(n.Session).view.Changed(n.Items)
	case workspace.PromptSent:
		c := m.pageOf(n.Session)
		c.view.End()
		switch len(n.Notes) {
		case 0:
		case 1:
			return c.say(n.Notes[0])
		default:
			return c.say(fmt.Sprintf("%s, and %d more", n.Notes[0], len(n.Notes)-1))
		}
	case workspace.CommandDue:
		return m.pageOf(n.Session).commandDue(n.Line)
	case workspace.PromptNotSent:
		c := m.pageOf(n.Session)
		c.composer.Prepend(n.Text)
		return c.say("Not sent: " + n.Err.Error())
	case workspace.PromptReturned:
		return m.pageOf(n.Session).onReturned(n)
	case workspace.PromptDeferred:
		return m.pageOf(n.Session).say("Not accepted during a turn; it is sent after this one: " + n.Err.Error())
	case workspace.UnreportedFiles:
		c := m.pageOf(n.Session)
		c.view.Changed([]int{c.Thread.AddNotice("⚠ "+n.Text(), "")})
	case workspace.LinesCounted:
		return m.pageOf(n.Session).offerReview(n.Files)
	case workspace.SessionsListed:
		if l := m.chat.panels.listOf(intent.Sessions); l != nil && n.Err != nil {
			l.Note, l.Lasting = "", n.Err.Error()
		}
	case workspace.Said:
		return m.pageOf(n.Session).say(n.Line)
	}
	return nil
}

func isApplied(n workspace.News) bool {
	_, ok := n.(workspace.EventApplied)
	return ok
}

// deliver shows the effects of an event. A turn that ends on a page that is not on the screen
// marks that page as unread.
func (m *Model) deliver(c *chat, n workspace.EventApplied) tea.Cmd {
	c.changed = append(c.changed, n.Items...)
	m.resting.saw(n.Event)
	cmd := tea.Batch(c.happened(n.Event), m.notifier.Tell(n.Event, c.Agent.Name(), c.Title(), c.Running()))
	_, ended := n.Event.(event.TurnEnded)
	_, lost := n.Event.(event.Disconnected)
	switch compared := c.Compared(); {
	case !ended && !lost || c.Running(): // it continues with what was queued
		return cmd
	case compared != nil:
		return tea.Batch(cmd, m.compareDone(compared))
	case lost:
		return cmd
	case c == m.chat:
		return cmd
	}
	c.unread = true
	return tea.Batch(cmd, m.chat.say("Another session is done: "+m.Keys.ChatKey(intent.Sessions)))
}

// started shows the session of an agent that has started.
func (m *Model) started(n workspace.AgentStarted) tea.Cmd {
	c := m.pageOf(n.Session)
	c.login.Close()
	if c == m.chat {
		m.show(c)
	}
	if n.Note != "" {
		return c.say(n.Note)
	}
	return nil
}

// removed drops the page of a session. Its draft moves to the page on the screen if that has
// the same agent or nothing else saves the draft; so do its notes if nothing else saves them, and a
// field for a secret that has the keys, since the next key must not land in the composer.
func (m *Model) removed(s *workspace.Session) tea.Cmd {
	from, c := m.pageOf(s), m.chat
	m.store.Leave(from.composer)
	m.pages.forget(s)
	stop := from.shells.Stop()
	c.login.TakeStep(from.login, c.Agent == s.Agent)
	if !(composing{from}).Session().DraftSaved || m.opts.Drafts == nil {
		c.AddNotes(s.Notes())
	}
	takes := m.opts.Drafts == nil || c.Agent.Spec.Key() == s.Agent.Spec.Key()
	for _, text := range append(slices.Clone(s.Queued()), from.composer.Value()) {
		if text == "" {
			continue
		}
		c.composer.AddToRunHistory(text)
		if takes && c.composer.Empty() {
			c.composer.SetValue(text)
		}
	}
	return stop
}

// show puts a page on the screen. On the one before, a list that the user opened is closed; the login
// methods that an agent asked for are shown again later.
func (m *Model) show(c *chat) {
	if from := m.chat; from != c {
		from.panels.open = nil
		from.login.Dismiss()
	}
	m.chat = c
	c.unread = false
	m.input.Touch() // keys typed on another page answer no question here
	c.question.Restart()
	c.elicits.WaitForQuiet()
}

// dropQuestions drops the questions of a connection that was replaced.
func (c *chat) dropQuestions() {
	c.panels.open = nil
	c.login.Close()
	c.elicits.Clear()
	c.question.Clear()
}

// onReturned puts the text of a prompt that the agent did not accept into the composer, before
// the draft.
func (c *chat) onReturned(n workspace.PromptReturned) tea.Cmd {
	blocks, text := carried.Split(n.Text)
	text = c.typedForm(text)
	c.ReturnShellOutput(blocks) // they go with the next prompt
	switch {
	case n.Dropped:
		c.composer.AddToRunHistory(text)
		return c.say("Prompt withdrawn")
	case n.Withdrawn:
		c.composer.ReturnPrompt(n.Key, text)
		return c.say("Prompt withdrawn")
	}
	c.composer.ReturnPrompt(n.Key, text)
	return c.say("Not accepted: " + n.Err.Error())
}

// retrying reports whether the connection to the page's agent is lost and is being retried.
func (c *chat) retrying() bool {
	_, retrying := c.Agent.Retrying()
	return retrying
}
