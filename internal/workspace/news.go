package workspace

import (
	"fmt"
	"time"

	"parley/acpclient/event"
)

// News is something that happened in a workspace: one of the types in this file.
type News interface{}

// News of agents.
type (
	// Starting: an agent is being started or connected to, and its first session opened.
	Starting struct{ Agent *Agent }
	// Started: the agent is ready and Session is open.
	Started struct {
		Agent   *Agent
		Session *Session
		Note    string // how the session was found, if the user should know
	}
	// NotStarted: the agent did not start. It stays so until Restart or Leave.
	NotStarted struct {
		Agent *Agent
		Err   error
	}
	// LoginWanted: the agent requires a login, before it opens a session or before it
	// accepts the prompt of Session.
	LoginWanted struct {
		Agent   *Agent
		Session *Session // nil before a session is open
		Err     error
	}
	// LoggingIn: the agent has started to log in.
	LoggingIn struct{ Agent *Agent }
	// LoggedIn: a login has succeeded. What waited for it continues.
	LoggedIn struct{ Agent *Agent }
	// LoginFailed: a login has failed. Program reports whether a program in the terminal
	// ran it, and Said has the last lines that it wrote.
	LoginFailed struct {
		Agent   *Agent
		Err     error
		Program bool
		Said    []string
	}
	// Lost: the connection to an agent is lost, or an attempt to reconnect has failed.
	// The next attempt starts after Wait. First is set for the loss itself, Longer if
	// Wait may be longer than all before.
	Lost struct {
		Agent         *Agent
		Wait          time.Duration
		First, Longer bool
	}
	// Redialing: an attempt to reconnect has started.
	Redialing struct{ Agent *Agent }
	// Redialed: the agent is connected again or, with Err, trying again is useless.
	Redialed struct {
		Agent *Agent
		Err   error
	}
	// Gone: an agent has ended, or its connection is lost.
	Gone struct {
		Agent *Agent
		Err   error
	}
	// FoundLog: the session that could not be opened has a log: Agent.FallbackLog.
	FoundLog struct{ Agent *Agent }
)

// News of sessions.
type (
	// Applied: an event was applied to the thread of a session and changed Items.
	Applied struct {
		Session *Session
		Event   event.Event
		Items   []int
	}
	// Shown: another session is in front.
	Shown struct{ Session *Session }
	// Opened: a session that the user asked for is open.
	Opened struct{ Session *Session }
	// NotOpened: it did not open and was removed. Logged is set if its log is shown instead.
	NotOpened struct {
		Session *Session
		Err     error
		Logged  *Session
	}
	// Removed: a session was removed. Its queued prompts are still in it.
	Removed struct{ Session *Session }
	// Reconnecting: a session is being opened on a new connection.
	Reconnecting struct{ Session *Session }
	// Reconnected: a session is open again. Replaced reports whether its thread was
	// replaced by the conversation as the agent replayed it. Queued prompts wait for
	// Session.Resume: the user may first want to see what became of the conversation.
	Reconnected struct {
		Session  *Session
		Replaced bool
	}
	// SessionGone: the agent no longer has the session.
	SessionGone struct{ Session *Session }
	// NotReopened: the session did not reopen; the user may try again.
	NotReopened struct {
		Session *Session
		Err     error
	}
	// StartedOver: a new session has replaced one that was gone or, with Err, it could
	// not be opened.
	StartedOver struct {
		Session *Session
		Err     error
	}
	// Remarked: the workspace has changed its notices in a thread.
	Remarked struct {
		Session *Session
		Items   []int
	}
	// Sent: a prompt was sent. Notes say which of its files could not be read.
	Sent struct {
		Session *Session
		Text    string
		Notes   []string
		Held    bool // a turn runs: the agent reads it when it can
	}
	// NotSent: a prompt could not be sent. The workspace does not keep it.
	NotSent struct {
		Session *Session
		Text    string
		Err     error
	}
	// Returned: the agent refused or returned a prompt. The workspace does not keep it.
	Returned struct {
		Session   *Session
		Key       uint64 // grows with every prompt of the session
		Text      string
		Withdrawn bool
		Dropped   bool  // the user asked to drop it
		Err       error // nil if it was withdrawn
	}
	// Deferred: the agent refused a prompt during a turn; it is queued until the turn ends.
	Deferred struct {
		Session *Session
		Err     error
	}
	// Paused: the queue waits for the user, because a turn was stopped or failed.
	Paused struct{ Session *Session }
	// Unannounced: N files changed in a turn in which the agent reported no change.
	Unannounced struct {
		Session *Session
		N       int
	}
	// Counted: the changed lines of a session were counted. Files is how many files the
	// turn has changed that has just ended.
	Counted struct {
		Session *Session
		Files   int
	}
	// Listed: the stored sessions of an agent, or those in the logs, were listed.
	Listed struct{ Err error }
	// Said: a line about an action of the user on a session.
	Said struct {
		Session *Session
		Line    string
	}
)

// Words returns the notice for the user.
func (n Unannounced) Words() string {
	files := "1 file"
	if n.N != 1 {
		files = fmt.Sprintf("%d files", n.N)
	}
	return files + " changed without a report from the agent; see /review"
}
