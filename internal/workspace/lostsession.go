package workspace

import (
	"context"
	"time"

	"parley/acpclient"
	"parley/acpclient/thread"
)

// openPatience is how long opening a session may take.
const openPatience = 5 * time.Minute

// State is what has become of a session once its connection was lost.
type State int

// The states.
const (
	StateLive         State = iota // it is open, or is being opened for the first time
	StateReopening                 // it is being opened again
	StateUnopened                  // that went wrong, and can be tried again
	StateGone                      // the agent does not have it any longer
	StateStartingOver              // another one is being opened in its place
)

// lostSession is what is kept of a session over a lost connection. It belongs to the
// goroutine of its thread.
type lostSession struct {
	State  State
	Former *acpclient.Session // that of the dead connection, until it is open again
	Coming *thread.Thread     // takes the history while it is loaded, and then the place of the thread
	Cut    Cut                // the turn that was cut, until another prompt goes out
}

// Again prepares for opening the session, of which t is the thread, on another
// connection, where sessions are like n: open does it, on any goroutine. With wayNone
// there is nothing to open, and nothing has changed.
func (s *lostSession) Again(c *acpclient.Client, n acpclient.NewSession, t *thread.Thread) (way way, open func(context.Context) (*acpclient.Session, error)) {
	way = wayOf(c.Agent())
	if way == wayNone {
		return way, nil
	}
	id := s.Former.ID()
	if cwd := s.Former.Cwd(); cwd != n.Cwd {
		n.Cwd, n.Roots = cwd, nil
	}
	if way == wayLoad {
		s.Coming = thread.New(id)
		s.Coming.Title = t.Title
	}
	s.State = StateReopening
	return way, func(ctx context.Context) (*acpclient.Session, error) {
		ctx, stop := context.WithTimeout(ctx, openPatience)
		defer stop()
		return way.open(ctx, c, id, n)
	}
}
