package page

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/carried"
	"parley/internal/intent"
	"parley/internal/notes"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/composer"
	"parley/ui/layer"
	"parley/ui/question"
	"parley/ui/review"
)

// OnNews shows news of the session. Of an event, the changed items are shown by Applied.
func (c *Page) OnNews(n workspace.News) tea.Cmd {
	switch n := n.(type) {
	case workspace.EventApplied:
		c.own().changed = append(c.own().changed, n.Items...)
		return c.happened(n.Event)
	case workspace.LoginWanted:
		c.Panels.open = nil
		c.login.Wanted(n)
	case workspace.LoggedIn:
		if n.Agent.Opening() {
			c.login.Close()
			return nil
		}
		return c.say("Logged in")
	case workspace.LoginFailed:
		c.Panels.open = nil
		c.login.Failed(n)
	case workspace.AgentStarted:
		c.login.Close()
		if n.Note != "" {
			return c.say(n.Note)
		}
	case workspace.SessionOpened:
		c.own().View.Changed([]int{0}) // a fork says what it is
	case workspace.Reconnected:
		if n.Replaced {
			goHome(c)
			c.load(c.Thread, c.Agent.Name) // the draft stays
		}
		c.Composer.Refresh()
		return c.say("Reconnected")
	case workspace.StartedOver:
		if n.Err != nil && !workspace.WantsLogin(n.Err) {
			return c.say(words.Sentence(n.Err.Error()))
		}
	case workspace.SideQuestionsChanged: // the next frame draws its panel again
	case workspace.ItemsChanged:
		c.own().changed = append(c.own().changed, n.Items...)
		c.Applied()
	case workspace.CommandDue:
		return c.sending.runDue(n.Line)
	case workspace.PromptSent:
		goHome(c)
		c.View.End()
		switch len(n.Notes) {
		case 0:
		case 1:
			return c.say(n.Notes[0])
		default:
			return c.say(fmt.Sprintf("%s, and %d more", n.Notes[0], len(n.Notes)-1))
		}
	case workspace.PromptNotSent:
		if !n.OfClient() { // which is told
			c.Composer.Prepend(n.Text)
		}
		return c.say("Not sent: " + n.Err.Error())
	case workspace.PromptReturned:
		return c.onReturned(n)
	case workspace.PromptDeferred:
		return c.say("Not accepted during a turn; it is sent after this one: " + n.Err.Error())
	case workspace.LimitReached:
		c.own().View.Changed([]int{c.Thread.AddNotice(n.Text(), "")})
	case workspace.UnreportedFiles:
		c.own().View.Changed([]int{c.Thread.AddNotice("⚠ "+n.Text(), "")})
	case workspace.LinesCounted:
		return c.offerReview(n.Files)
	case workspace.Said:
		return c.say(n.Line)
	}
	return nil
}

// DropQuestions drops the questions of a connection that was replaced.
func (c *Page) DropQuestions() {
	c.Panels.open = nil
	c.login.Close()
	c.Elicits.Clear()
	c.Question.Clear()
}

// Enter is called when the page comes to the screen. Keys typed on another page answer no question here.
func (c *Page) Enter() {
	c.Unread = false
	c.screen.Input.Touch()
	c.Question.Restart()
	c.Elicits.WaitForQuiet()
}

// Leave is called when the page leaves the screen. A list that the user opened is closed; the login methods
// that an agent asked for are shown again later.
func (c *Page) Leave() {
	c.Panels.open = nil
	c.login.Dismiss()
}

// Inherit takes what was typed on a page that is removed: its draft and queue if this one has the same
// agent or nothing else saves the draft; so do its notes if nothing else saves them, and a field for a
// secret that has the keys, since the next key must not land in the composer.
func (c *Page) Inherit(from *Page) tea.Cmd {
	stop := from.shells.Stop()
	keepsDrafts := c.screen.Options.Drafts != nil
	c.login.TakeStep(from.login, c.Agent == from.Agent)
	if !from.composing().DraftSaved || !keepsDrafts {
		c.SetNotes(notes.Merge(c.Notes(), from.Notes()))
	}
	takes := !keepsDrafts || c.Agent.Spec.Key() == from.Agent.Spec.Key()
	for _, text := range append(from.Prompts.Queue.Typed(), from.Composer.Value()) {
		if text == "" {
			continue
		}
		c.Composer.AddToRunHistory(text)
		if takes && c.Composer.Empty() {
			c.Composer.SetValue(text)
		}
	}
	return stop
}

// onReturned puts the text of a prompt that the agent did not accept into the composer, before
// the draft.
func (c *Page) onReturned(n workspace.PromptReturned) tea.Cmd {
	if !n.OfClient() { // which is told
		blocks, text := carried.Split(n.Text)
		text = c.slash().typed(text)
		c.Prompts.Carried.Return(blocks) // they go with the next prompt
		if n.Dropped {
			c.Composer.AddToRunHistory(text)
		} else {
			c.Composer.ReturnPrompt(n.Key, text)
		}
	}
	if n.Withdrawn {
		return c.say("Prompt withdrawn")
	}
	return c.say("Not accepted: " + n.Err.Error())
}

// retrying reports whether the connection to the page's agent is lost and is being retried.
func retrying(c *Page) bool {
	_, retrying := c.Agent.Retrying()
	return retrying
}

// ClosesOwn reports whether ctrl+c copies, or closes what the user has opened.
func (c *Page) ClosesOwn() bool {
	switch {
	case c.Panels.open != nil:
		return true
	case showsLogin(c), c.Elicits.Current() != nil: // an agent may ask again and again
		return false
	}
	return c.find.Typing() || c.View.DraggedText() != "" || c.Panels.reading != nil || c.Review.Open()
}

// happened handles the effects of an event on the page, other than new rows.
func (c *Page) happened(e event.Event) tea.Cmd {
	switch e := e.(type) {
	case event.TurnEnded:
		c.sending.stopsFor = ""
	case permissions.Asked:
		c.Question.Add(e.Question)
		c.Elicits.WaitForQuiet() // questions come first
	case permissions.Settled:
		c.Question.Remove(e.Key)
	case event.CommandsChanged:
		c.Composer.Refresh()
		return c.sending.commandsChanged()
	case event.ElicitationAsked:
		return c.Elicits.Add(e)
	case event.ElicitationEnded:
		c.Elicits.Settled(e.Key)
	case event.ElicitationCompleted:
		return c.Elicits.Completed(e.Key)
	case event.NoticeArrived:
		return c.say(strings.TrimSuffix(strings.Join([]string{e.Title + keyboardHint(c, e.Terminal), e.Description}, ": "), ": "))
	case event.TerminalStarted:
		if e.Attended {
			return lendKeyboard(c, e.ID, e.Command)
		}
	case event.Disconnected:
		c.View.Changed([]int{0})
		c.DropToast()
		c.Review.Close() // the copies are gone
		c.Elicits.Clear()
	}
	return nil
}

// CarryOut does what the components of the page want.
func (c *Page) CarryOut() tea.Cmd {
	var cmds []tea.Cmd
	for len(c.out) > 0 { // an action may want more
		for _, e := range c.out.Take() {
			switch e := e.(type) {
			case layer.Do:
				cmds = append(cmds, c.Do(intent.Intent(e)))
			case layer.Say:
				cmds = append(cmds, c.say(string(e)))
			case layer.Copy:
				cmds = append(cmds, c.copyText(e))
			case layer.OpenURL:
				open := c.screen.Options.OpenURL
				cmds = append(cmds, func() tea.Msg { return openedURLMsg{c, open(string(e))} })
			case composer.RestoreNotes:
				c.SetNotes(notes.Merge(c.Notes(), e))
			case composer.Typed:
				c.screen.Input.Touch()
			case composer.HistoryChanged:
				if l := c.Panels.ListOf(intent.SearchHistory); l != nil {
					l.SetItems(c.Composer.Entries())
				}
			case review.OpenFile:
				cmds = append(cmds, openAt(c, event.Location(e)))
			case review.WriteNote:
				cmds = append(cmds, noteOnReview(c, notes.Note(e)))
			case review.Left:
				cmds = append(cmds, leftReview(c))
			case question.OfferRules:
				cmds = append(cmds, offerRules(c, e))
			case question.EditWrite:
				cmds = append(cmds, editWrite(c, e))
			case question.RejectWhy:
				rejectWhy(c, e.Question)
			case question.Uncover:
				c.Composer.ClosePopup()
			}
		}
	}
	return tea.Batch(cmds...)
}

// Do does an action that a component wants. While an agent starts there is no session for an action to
// apply to.
func (c *Page) Do(i intent.Intent) tea.Cmd {
	if c.Agent.Opening() {
		return nil
	}
	cmd, _ := c.do(i)
	return cmd
}
