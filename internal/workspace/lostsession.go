package workspace

import (
	"context"

	"parley/acpclient"
	"parley/acpclient/thread"
)

// State is the state of a session after its connection was lost.
type State int

const (
	StateLive         State = iota // open, or being opened for the first time
	StateReopening                 // being reopened
	StateUnopened                  // reopening failed; the user may try again
	StateGone                      // the agent no longer has it
	StateStartingOver              // a new session is being opened to replace it
)

// lostSession is the state that a session keeps while its connection is lost. It belongs
// to the goroutine of its thread.
type lostSession struct {
	State       State
	previous    *acpclient.Session // the session of the lost connection, until it is reopened
	incoming    *thread.Thread     // collects the history while it is loaded, then replaces the thread
	Interrupted InterruptedTurn    // the interrupted turn, until the next prompt is sent
}

// prepareReopen prepares to reopen the session with thread t on client c, with the
// parameters n. The returned open may be called on any goroutine. If method is
// reopenNone, open is nil and nothing has changed.
func (s *lostSession) prepareReopen(c *acpclient.Client, n acpclient.NewSession, t *thread.Thread) (method reopenMethod, open func(context.Context) (*acpclient.Session, error)) {
	method = reopenMethodOf(c.Agent())
	if method == reopenNone {
		return method, nil
	}
	id := s.previous.ID()
	if cwd := s.previous.Cwd(); cwd != n.Cwd {
		n.Cwd, n.Roots = cwd, nil
	}
	if method == reopenByLoading {
		s.incoming = thread.New(id)
		s.incoming.Title = t.Title
	}
	s.State = StateReopening
	return method, func(ctx context.Context) (*acpclient.Session, error) {
		ctx, stop := patiently(ctx, openPatience)
		defer stop()
		return method.open(ctx, c, id, n)
	}
}
