package linear

import (
	"time"

	"parley/acpclient/event"
	"parley/internal/notes"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/permissions"
)

// onNews handles one piece of news.
func (c *chat) onNews(n workspace.News) {
	if c.quitting {
		return
	}
	if c.terminals.elsewhere() {
		c.opts.TellElsewhere(n)
	}
	if _, applied := n.(workspace.EventApplied); !applied {
		c.front.release()
	}
	switch n := n.(type) {
	case workspace.EventApplied:
		c.applied(c.narrator(n.Session), n.Event, n.Items)
	case workspace.AgentStarting:
		c.questions.forget()
		c.starts.began(n.Agent)
	case workspace.AgentStarted:
		c.narrator(n.Session).started()
		c.starts.connected(n)
		c.narrator(n.Session).settings()
		c.narrator(n.Session).sayPaused()
	case workspace.AgentNotStarted:
		c.starts.failed(n.Agent, n.Err)
	case workspace.FoundLog:
		c.starts.foundLog(n.Agent)
	case workspace.LoginWanted:
		c.logins.wanted(n)
	case workspace.LoggingIn:
		c.out.say("Logging in: %s. The agent may open a browser.", words.OneLine(n.Agent.Login.Running()))
	case workspace.AccountChanged:
		if !n.Agent.Opening() { // else its start says it
			c.out.say("Account of %s: %s.", called(n.Agent), n.Agent.Account())
		}
	case workspace.ClientsChanged:
		c.out.say("Notice: %s.", n.Line)
	case workspace.LoggedIn:
		c.out.say("Logged in.")
	case workspace.LoginFailed:
		c.out.say("Login failed: %s.", n.Err)
		c.logins.choose(n.Agent, true)
	case workspace.ConnectionLost:
		what := "Connection lost."
		if !n.First {
			what = "Still no connection."
		}
		if n.First || n.Longer { // later only when the waits grow
			c.out.say("%s Retrying in %s; press enter to retry now.", what, spoken(max(n.Wait, time.Second)))
		}
	case workspace.Redialing:
		c.questions.forget()
	case workspace.Redialed:
		if n.Err != nil {
			c.starts.failed(n.Agent, n.Err)
			break
		}
		c.out.say("Reconnected.")
	case workspace.AgentGone:
		c.questions.agentGone()
		switch {
		case retrying(n.Agent):
		case n.Agent.Spec.Remote:
			c.out.say("Not connected to %s. Press enter to try again; /agent starts another one, /quit quits.", called(n.Agent))
		default:
			c.out.say("%s has ended. Press enter to restart it; /agent starts another one, /quit quits.", called(n.Agent))
		}
	case workspace.SessionShown:
		c.front.leave()
		c.front = c.narrator(n.Session)
		c.front.front, c.front.done = true, false
	case workspace.SessionOpened:
		c.opened(c.narrator(n.Session))
	case workspace.SessionNotOpened:
		c.out.say("Cannot open the session: %s.", n.Err)
	case workspace.SessionRemoved: // its queued prompts move to the session in front
		delete(c.narrators, n.Session)
		c.front.Prompts.Adopt(&n.Session.Prompts)
		c.front.SetNotes(notes.Merge(c.front.Notes(), c.saver.leave(n.Session)))
	case workspace.Reconnected:
		c.narrator(n.Session).reconnected(n.Replaced)
	case workspace.SessionGone:
		if n.Session == c.front.Session {
			c.out.say("Press enter to start a new one.")
		}
	case workspace.NotReopened:
		c.out.say("Press enter to try again; /new starts another session.")
	case workspace.StartedOver:
		if n.Err != nil {
			c.out.say("Cannot open the session: %s. Press enter to try again.", n.Err)
			break
		}
		c.narrator(n.Session).startedOver()
	case workspace.ItemsChanged:
		c.narrator(n.Session).remarked()
	case workspace.CommandDue:
		c.prompts.due(n.Session, n.Line, c.commands.run)
	case workspace.SideQuestionsChanged:
		c.prompts.answered(n.Session)
	case workspace.PromptSent:
		c.prompts.sent(n)
	case workspace.PromptNotSent:
		if n.OfClient() { // which is told
			c.out.say("Not sent: %s.", n.Err)
			break
		}
		c.prompts.requeue(n.Session, n.Prompt, "Not sent: "+n.Err.Error(), "")
	case workspace.PromptReturned:
		why := "it was withdrawn"
		if !n.Withdrawn {
			why = n.Err.Error()
		}
		if n.OfClient() {
			c.out.say("Not accepted: %s.", why)
			break
		}
		n.Text = workspace.ForAgent(n.Text) // it was no command of parley's
		c.prompts.requeue(n.Session, n.Prompt, "Not accepted: "+why, ": "+safetext.Line(n.Text, 60))
	case workspace.PromptDeferred:
		c.out.say("Not accepted during a turn: %s. The prompt is sent after this turn.", n.Err)
	case workspace.QueuePaused:
		c.narrator(n.Session).sayPaused()
	case workspace.LimitReached:
		c.out.say("%s.", n.Text())
		if n.Resumes && n.Session == c.front.Session {
			c.out.say("/stop cancels that; press enter to send it now.")
		}
	case workspace.UnreportedFiles:
		c.out.say("Warning: %s.", n.Text())
	case workspace.Said:
		c.out.say("%s.", sentence(n.Line))
	case workspace.Reconnecting, workspace.LinesCounted, workspace.SessionsListed: // nothing to say
	}
}

// opened introduces the session that the user asked for. Sessions that are not open, such as
// one that it replaces, are closed.
func (c *chat) opened(n *narrator) {
	n.loading = false
	for _, o := range c.w.Sessions() {
		if !o.IsOpen() && o != n.Session {
			o.Close()
		}
	}
	n.introduce()
	n.settings()
}

// applied handles an event that was applied to a session.
func (c *chat) applied(n *narrator, e event.Event, items []int) {
	switch e := e.(type) {
	case permissions.Asked:
		c.questions.add(&permission{e.Question, c.questions, c.lender, c.w, n.Session})
	case event.ElicitationAsked:
		asked := &elicitation{questions: c.questions, tasks: c.tasks, open: c.opts.OpenURL, agent: called(n.Agent), asked: e}
		if asked.parse() {
			c.questions.add(asked)
			break
		}
		e.Answer(event.ElicitationAnswer{Action: "decline"})
		c.out.say("Notice: the agent asked for a form that parley cannot show; declined.")
	default:
		c.questions.removeEnded(n.Session, e)
	}
	n.applied(e, items)
	if e, ok := e.(event.TerminalStarted); ok && e.Attended && c.lender.free(n.Session) {
		c.front.finishAll()
		c.lender.attend(n.Session, e)
	}
}
