package workspace

import (
	"time"

	"parley/acpclient/event"
	"parley/internal/words"
)

// News is something that happened in a workspace: one of the types in this file.
type News interface {
	// About returns the session that it is about, nil if about none.
	About() *Session
	isNews()
}

// OfAgent is embedded in news of an agent.
type OfAgent struct{ Agent *Agent }

// About returns the session of the agent that is in front.
func (o OfAgent) About() *Session { return o.Agent.Front() }
func (OfAgent) isNews()           {}

// OfSession is embedded in news of a session.
type OfSession struct{ Session *Session }

// About implements News.
func (o OfSession) About() *Session { return o.Session }
func (OfSession) isNews()           {}

// News of agents.
type (
	// AgentStarting: an agent is being started or connected to, and its first session opened.
	AgentStarting struct{ OfAgent }
	// AgentStarted: the agent is ready and Session is open.
	AgentStarted struct {
		OfAgent
		Session *Session
		Note    string // how the session was found, if the user should know
	}
	// AgentNotStarted: the agent did not start. It stays so until Restart or CancelStart.
	AgentNotStarted struct {
		OfAgent
		Err error
	}
	// LoginWanted: the agent requires a login, before it opens a session or before it
	// accepts the prompt of Session. Again reports whether a login program has just run without
	// an error, and Said has the last lines that it wrote.
	LoginWanted struct {
		OfAgent
		Session *Session // nil before a session is open
		Err     error
		Again   bool
		Said    []string
	}
	// LoggingIn: the agent has started to log in.
	LoggingIn struct{ OfAgent }
	// LoggedIn: a login has succeeded. What waited for it continues.
	LoggedIn struct{ OfAgent }
	// LoginFailed: a login has failed. Program reports whether a program in the terminal
	// ran it, and Said has the last lines that it wrote.
	LoginFailed struct {
		OfAgent
		Err     error
		Program bool
		Said    []string
	}
	// AccountChanged: Agent.Account has changed.
	AccountChanged struct{ OfAgent }
	// ConnectionLost: the connection to an agent is lost, or an attempt to reconnect has failed.
	// The next attempt starts after Wait. First is set for the loss itself, Longer if
	// Wait may be longer than all before.
	ConnectionLost struct {
		OfAgent
		Wait          time.Duration
		First, Longer bool
	}
	// Redialing: an attempt to reconnect has started.
	Redialing struct{ OfAgent }
	// Redialed: the agent is connected again or, with Err, trying again is useless.
	Redialed struct {
		OfAgent
		Err error
	}
	// AgentGone: an agent has ended, or its connection is lost.
	AgentGone struct {
		OfAgent
		Err error
	}
	// FoundLog: the session that could not be opened has a log: Agent.FallbackLog.
	FoundLog struct{ OfAgent }
)

// News of sessions.
type (
	// EventApplied: an event was applied to the thread of a session and changed Items.
	EventApplied struct {
		OfSession
		Event event.Event
		Items []int
	}
	// SessionShown: another session is in front.
	SessionShown struct{ OfSession }
	// SessionOpened: a session that the user asked for is open.
	SessionOpened struct{ OfSession }
	// SessionNotOpened: it did not open and was removed. Logged is set if its log is shown instead.
	SessionNotOpened struct {
		OfSession
		Err    error
		Logged *Session
	}
	// SessionRemoved: a session was removed. Its queued prompts are still in it.
	SessionRemoved struct{ OfSession }
	// Reconnecting: a session is being opened on a new connection.
	Reconnecting struct{ OfSession }
	// Reconnected: a session is open again. Replaced reports whether its thread was
	// replaced by the conversation as the agent replayed it. Queued prompts wait for
	// Prompts.Resume: the user may first want to see what became of the conversation.
	Reconnected struct {
		OfSession
		Replaced bool
	}
	// SessionGone: the agent no longer has the session.
	SessionGone struct{ OfSession }
	// NotReopened: the session did not reopen; the user may try again.
	NotReopened struct {
		OfSession
		Err error
	}
	// StartedOver: a new session has replaced one that was gone or, with Err, it could
	// not be opened.
	StartedOver struct {
		OfSession
		Err error
	}
	// ItemsChanged: the workspace has changed entries of a thread, such as its notices, without an event of the agent.
	ItemsChanged struct {
		OfSession
		Items []int
	}
	// PromptSent: a prompt was sent. Notes say which of its files could not be read.
	PromptSent struct {
		OfSession
		Prompt
		Notes []string
		Held  bool // a turn runs: the agent reads it when it can
		Log   int  // how many lines the agent's log had before
	}
	// SideQuestionsChanged: something has changed in the conversation beside the session.
	SideQuestionsChanged struct{ OfSession }
	// CommandDue: the turn of a queued line that looks like a command has come. It was removed from the
	// queue, which waits until the front end calls Resume.
	CommandDue struct {
		OfSession
		Line string
	}
	// PromptNotSent: a prompt could not be sent. The workspace does not keep it.
	PromptNotSent struct {
		OfSession
		Prompt
		Err error
	}
	// PromptReturned: the agent refused or returned a prompt. The workspace does not keep it.
	PromptReturned struct {
		OfSession
		Key uint64 // grows with every prompt of the session
		Prompt
		Withdrawn bool
		Dropped   bool  // the user asked to drop it
		Err       error // nil if it was withdrawn
	}
	// PromptDeferred: the agent refused a prompt during a turn; it is queued until the turn ends.
	PromptDeferred struct {
		OfSession
		Err error
	}
	// QueuePaused: the queue waits for the user, because a turn was stopped or failed.
	QueuePaused struct{ OfSession }
	// LimitReached: a limit has stopped the turn. Resumes means that its prompt is first in the queue and is
	// sent again when the limit resets: see Prompts.ResumesAt.
	LimitReached struct {
		OfSession
		Resets  time.Time
		Resumes bool
	}
	// UnreportedFiles: N files changed in a turn in which the agent reported no change.
	UnreportedFiles struct {
		OfSession
		N int
	}
	// LinesCounted: the changed lines of a session were counted. Files is how many files the
	// turn has changed that has just ended.
	LinesCounted struct {
		OfSession
		Files int
	}
	// SessionsListed: the stored sessions of an agent, or those in the logs, were listed.
	SessionsListed struct{ Err error }
	// ClientsChanged: another client has joined or left. Line says which.
	ClientsChanged struct{ Line string }
	// Said: a line about an action of the user on a session.
	Said struct {
		OfSession
		Line string
	}
)

// About implements News.
func (n LoginWanted) About() *Session {
	if n.Session != nil && !n.Agent.Opening() {
		return n.Session // its prompt was refused
	}
	return n.OfAgent.About()
}

// About implements News.
func (SessionsListed) About() *Session { return nil }
func (SessionsListed) isNews()         {}

// About implements News.
func (ClientsChanged) About() *Session { return nil }
func (ClientsChanged) isNews()         {}

// Text returns the notice for the user.
func (n LimitReached) Text() string {
	said := "Limit reached, resets " + words.Clock(n.Resets, n.Session.w.opts.Now())
	if n.Resumes {
		said += "; the prompt is sent again then"
	}
	return said
}

// Text returns the notice for the user.
func (n UnreportedFiles) Text() string {
	return words.Count(n.N, "file") + " changed, but the agent reported no change; see /review"
}
