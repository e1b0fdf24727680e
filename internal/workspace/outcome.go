package workspace

import (
	"context"
	"errors"
	"strings"

	"parley/acpclient"
	"parley/acpclient/event"
)

// reopenMethod is how an agent opens an earlier session.
type reopenMethod int

const (
	reopenNone       reopenMethod = iota // it cannot
	reopenByLoading                      // session/load: it replays the conversation
	reopenByResuming                     // session/resume: it replays nothing
)

// reopenMethodOf returns the method that an agent supports.
func reopenMethodOf(a event.AgentInfo) reopenMethod {
	switch {
	case a.LoadSession:
		return reopenByLoading
	case a.Resume:
		return reopenByResuming
	}
	return reopenNone
}

// open opens the session with that id.
func (m reopenMethod) open(ctx context.Context, c *acpclient.Client, id string, n acpclient.NewSession) (*acpclient.Session, error) {
	switch m {
	case reopenByLoading:
		return c.LoadSession(ctx, id, n)
	case reopenByResuming:
		return c.ResumeSession(ctx, id, n)
	}
	return nil, acpclient.ErrUnsupported
}

// outcome is the result of reopening a session.
type outcome int

const (
	outcomeOpened outcome = iota
	outcomeGone           // the agent no longer has the session
	outcomeLogin          // the agent requires a login
	outcomeLost           // the connection was lost again
	outcomeFailed         // anything else: the user may try again
)

// outcomeOf classifies an error of open. Agents use any code for "no such session", so
// every error response except the one for a login counts as it.
func outcomeOf(err error) outcome {
	var answered *event.AgentError
	switch {
	case err == nil:
		return outcomeOpened
	case errors.Is(err, event.ErrClosed):
		return outcomeLost
	case errors.Is(err, acpclient.ErrUnsupported):
		return outcomeGone
	case !errors.As(err, &answered) || answered.NoResponse:
		return outcomeFailed
	case answered.AuthRequired():
		return outcomeLogin
	}
	return outcomeGone
}

// GoneLine is the status line for a session that is gone.
const GoneLine = "Reconnected, but the session is gone"

// whyGone is the notice in the transcript of a session that is gone.
func whyGone(err error) string {
	if err == nil || errors.Is(err, acpclient.ErrUnsupported) {
		return GoneLine + ": this agent cannot reopen sessions"
	}
	return GoneLine + ": " + answerOf(err)
}

// answerOf returns the agent's error response alone, without what was tried, if err has one.
func answerOf(err error) string {
	var answered *event.AgentError
	if errors.As(err, &answered) {
		return strings.TrimPrefix(answered.Error(), answered.Op+": ")
	}
	return err.Error()
}
