package headless

import (
	"context"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/words"
)

// How long an agent may take to begin a turn about work that has ended, and another one after that.
const (
	ownTurnDelay  = 20 * time.Second
	nextTurnDelay = 2 * time.Second
)

// wait follows the agent after the turn, until its work in the background and the turns that it begins by itself
// have ended. It returns the end of the last turn.
func (r *run) wait(ctx context.Context, session *acpclient.Session, last *thread.End) (*thread.End, error) {
	what := words.Count(r.thread.InBackground(), "task")
	if r.opts.Wait == 0 {
		r.out.remark("not waiting for " + what + " in the background; --wait does")
		return last, nil
	}
	r.out.remark("waiting for " + what + " in the background, at most " + r.opts.Wait.String())
	over := time.After(r.opts.Wait)
	var quiet <-chan time.Time // nil while the agent works
	events := r.lateEvents
	for r.lateEvents = nil; ; events = r.queue.Drain() {
		ended := false
		for _, e := range events {
			if end := r.apply(e); end != nil {
				last, ended = end, true
			}
		}
		switch {
		case r.thread.State == thread.Ended && last.Err == nil:
			return last, event.ErrClosed
		case r.thread.State == thread.Ended:
			return last, nil
		case r.thread.State != thread.Idle || r.thread.InBackground() > 0:
			quiet = nil
		case ended:
			quiet = time.After(nextTurnDelay)
		case quiet == nil:
			quiet = time.After(ownTurnDelay)
		}
		select {
		case <-r.queue.Ready():
			time.Sleep(gather)
		case <-quiet:
			return last, nil
		case <-over:
			return last, errWorking
		case <-ctx.Done():
			session.Cancel()
			return last, cause(ctx, nil)
		}
	}
}
