package workspace

import (
	"fmt"
	"time"

	"parley/acpclient/event"
)

// News is something that happened in a workspace, one of the types of this file.
type News interface{}

// News of agents.
type (
	// Starting: an agent is being started, or connected to, and its first session opened.
	Starting struct{ Agent *Agent }
	// Started: it is there, and Session is open.
	Started struct {
		Agent   *Agent
		Session *Session
		Note    string // how the session was found, where the user should know
	}
	// NotStarted: it did not start. It stays so until Restart or Leave.
	NotStarted struct {
		Agent *Agent
		Err   error
	}
	// LoginWanted: the agent wants a login, before there is a session, or before it
	// takes the prompt of Session.
	LoginWanted struct {
		Agent   *Agent
		Session *Session // nil before there is one
		Err     error
	}
	// LoggingIn: a login has begun that the agent carries out.
	LoggingIn struct{ Agent *Agent }
	// LoggedIn: a login has succeeded. What waited for it continues by itself.
	LoggedIn struct{ Agent *Agent }
	// LoginFailed: it has not. Program says that it was one of a program in the
	// terminal, and Said are the last lines of that.
	LoginFailed struct {
		Agent   *Agent
		Err     error
		Program bool
		Said    []string
	}
	// Lost: the connection to an agent is lost, or another try for one has failed. The
	// next one comes after Wait; First is the first since the connection worked, and
	// Longer says that Wait may be longer than all before.
	Lost struct {
		Agent         *Agent
		Wait          time.Duration
		First, Longer bool
	}
	// Redialing: such a try has begun.
	Redialing struct{ Agent *Agent }
	// Redialed: there is a connection again, or trying again is of no use.
	Redialed struct {
		Agent *Agent
		Err   error
	}
	// Gone: an agent has ended, or its connection is lost.
	Gone struct {
		Agent *Agent
		Err   error
	}
	// FoundLog: there is a log of the session that could not be opened: Agent.Log.
	FoundLog struct{ Agent *Agent }
)

// News of sessions.
type (
	// Applied: an event was applied to the thread of a session; Items are those that
	// it changed.
	Applied struct {
		Session *Session
		Event   event.Event
		Items   []int
	}
	// Shown: the user is at another session.
	Shown struct{ Session *Session }
	// Opened: a session is open that the user asked for.
	Opened struct{ Session *Session }
	// NotOpened: it is not, and was removed. Logged is set where its log is shown instead.
	NotOpened struct {
		Session *Session
		Err     error
		Logged  *Session
	}
	// Removed: a session was taken away. Its prompts that waited are still in it.
	Removed struct{ Session *Session }
	// Reconnecting: a session is being opened on a new connection.
	Reconnecting struct{ Session *Session }
	// Reconnected: it is open again. Replaced says that its thread is another one, as
	// the agent tells the conversation. Prompts that wait do so until Session.Resume:
	// the user may want to see first what became of the conversation.
	Reconnected struct {
		Session  *Session
		Replaced bool
	}
	// SessionGone: the agent does not have the session any longer.
	SessionGone struct{ Session *Session }
	// NotReopened: the session did not open, and may be tried again.
	NotReopened struct {
		Session *Session
		Err     error
	}
	// StartedOver: a new session is open in the place of one that was gone; with Err it
	// is not.
	StartedOver struct {
		Session *Session
		Err     error
	}
	// Remarked: items of a thread have changed by what the workspace says there.
	Remarked struct {
		Session *Session
		Items   []int
	}
	// Sent: a prompt has gone out. Notes say what of its files could not be had.
	Sent struct {
		Session *Session
		Text    string
		Notes   []string
		Held    bool // a turn runs: the agent takes it when it can
	}
	// NotSent: a prompt could not go out. It is nowhere but here.
	NotSent struct {
		Session *Session
		Text    string
		Err     error
	}
	// Returned: the agent did not take a prompt, or gave it back. It is nowhere but here.
	Returned struct {
		Session   *Session
		Key       uint64 // grows with every prompt of the session
		Text      string
		Withdrawn bool
		Dropped   bool  // the user wanted it dropped
		Err       error // nil where it was withdrawn
	}
	// Deferred: the agent takes no prompt while a turn runs; it waits for the end of it.
	Deferred struct {
		Session *Session
		Err     error
	}
	// Paused: prompts wait for the user, because a turn was stopped or has failed.
	Paused struct{ Session *Session }
	// Unannounced: N files changed in a turn without a word of it by the agent.
	Unannounced struct {
		Session *Session
		N       int
	}
	// Counted: the lines that have changed in a session were counted.
	Counted struct{ Session *Session }
	// Listed: the sessions that an agent keeps, or that there are logs of, were listed.
	Listed struct{ Err error }
	// Said: a line about what the user wanted of a session.
	Said struct {
		Session *Session
		Line    string
	}
)

// Words say what has happened.
func (n Unannounced) Words() string {
	files := "1 file"
	if n.N != 1 {
		files = fmt.Sprintf("%d files", n.N)
	}
	return files + " changed without a report from the agent; see /changes"
}
