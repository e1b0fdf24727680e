package workspace

import (
	"context"
	"errors"
	"strings"

	"parley/acpclient"
	"parley/acpclient/event"
)

// way is how an agent opens a session again.
type way int

// The ways.
const (
	wayNone   way = iota // it does not
	wayLoad              // it tells the conversation from its beginning
	wayResume            // it says nothing of it
)

// wayOf is the way of an agent.
func wayOf(a event.AgentInfo) way {
	switch {
	case a.LoadSession:
		return wayLoad
	case a.Resume:
		return wayResume
	}
	return wayNone
}

// open opens a session by its id.
func (w way) open(ctx context.Context, c *acpclient.Client, id string, n acpclient.NewSession) (*acpclient.Session, error) {
	switch w {
	case wayLoad:
		return c.LoadSession(ctx, id, n)
	case wayResume:
		return c.ResumeSession(ctx, id, n)
	}
	return nil, acpclient.ErrUnsupported
}

// outcome is what has come of opening a session again.
type outcome int

// The outcomes.
const (
	outcomeOpened outcome = iota
	outcomeGone           // the agent does not have the session
	outcomeLogin          // the agent wants a login first
	outcomeLost           // the connection is lost again
	outcomeFailed         // none of these: it may be tried again
)

// outcomeOf tells what the error of open means. Agents give "no such session" any
// code, so that every answer but the one for a login counts as it.
func outcomeOf(err error) outcome {
	var answered *event.AgentError
	switch {
	case err == nil:
		return outcomeOpened
	case errors.Is(err, event.ErrClosed):
		return outcomeLost
	case errors.Is(err, acpclient.ErrUnsupported):
		return outcomeGone
	case !errors.As(err, &answered) || answered.Unsent:
		return outcomeFailed
	case answered.AuthRequired():
		return outcomeLogin
	}
	return outcomeGone
}

// GoneLine is what a status line says of a session that is gone.
const GoneLine = "Reconnected, but the session is gone"

// whyGone is the line of the transcript about a session that is gone.
func whyGone(err error) string {
	if err == nil || errors.Is(err, acpclient.ErrUnsupported) {
		return GoneLine + ": this agent cannot reopen sessions"
	}
	return GoneLine + ": " + answerOf(err)
}

// answerOf is an error without what was tried, where that is plain.
func answerOf(err error) string {
	var answered *event.AgentError
	if errors.As(err, &answered) {
		return strings.TrimPrefix(answered.Error(), answered.Doing+": ")
	}
	return err.Error()
}
