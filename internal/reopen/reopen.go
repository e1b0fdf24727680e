// Package reopen decides how sessions go on once a lost connection to their agent
// is back: how each is opened again, what an error of that means, and what is to be
// said of a turn that the loss has cut. It knows no screen.
package reopen

import (
	"context"
	"errors"
	"strings"

	"parley/acpclient"
	"parley/acpclient/event"
)

// Way is how an agent opens a session again.
type Way int

// The ways.
const (
	Never  Way = iota // it does not
	Load              // it tells the conversation from its beginning
	Resume            // it says nothing of it
)

// WayOf is the way of an agent.
func WayOf(a event.AgentInfo) Way {
	switch {
	case a.LoadSession:
		return Load
	case a.Resume:
		return Resume
	}
	return Never
}

// Open opens a session by its id.
func (w Way) Open(ctx context.Context, c *acpclient.Client, id string, n acpclient.NewSession) (*acpclient.Session, error) {
	switch w {
	case Load:
		return c.LoadSession(ctx, id, n)
	case Resume:
		return c.ResumeSession(ctx, id, n)
	}
	return nil, acpclient.ErrUnsupported
}

// Outcome is what has come of opening a session again.
type Outcome int

// The outcomes.
const (
	Opened Outcome = iota
	Gone           // the agent does not have the session
	Login          // the agent wants a login first
	Lost           // the connection is lost again
	Failed         // none of these: it may be tried again
)

// OutcomeOf tells what the error of Open means. Agents give "no such session" any
// code, so that every answer but the one for a login counts as it.
func OutcomeOf(err error) Outcome {
	var answered *event.AgentError
	switch {
	case err == nil:
		return Opened
	case errors.Is(err, event.ErrClosed):
		return Lost
	case errors.Is(err, acpclient.ErrUnsupported):
		return Gone
	case !errors.As(err, &answered) || answered.Unsent:
		return Failed
	case answered.AuthRequired():
		return Login
	}
	return Gone
}

// GoneLine is what a status line says of a session that is gone.
const GoneLine = "Reconnected, but the session is gone"

// WhyGone is the line of the transcript about a session that is gone.
func WhyGone(err error) string {
	if err == nil || errors.Is(err, acpclient.ErrUnsupported) {
		return GoneLine + ": this agent cannot open one again"
	}
	return GoneLine + ": " + Answer(err)
}

// Answer is an error without what was tried, where that is plain.
func Answer(err error) string {
	var answered *event.AgentError
	if errors.As(err, &answered) {
		return strings.TrimPrefix(answered.Error(), answered.Doing+": ")
	}
	return err.Error()
}
