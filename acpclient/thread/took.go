package thread

import (
	"time"

	"parley/acpclient/event"
)

// Took is how long the call has taken until now, or until it ended, without the time in
// which it waited for the user.
func (t *Tool) Took(now time.Time) time.Duration {
	if !t.Ended.IsZero() {
		now = t.Ended
	}
	if t.asked > 0 && t.since.Before(now) {
		now = t.since
	}
	return now.Sub(t.Started) - t.waited
}

// waits notes a question about the call; a log does not know when it came.
func (t *Tool) waits(at time.Time) {
	if at.IsZero() {
		return
	}
	if t.asked++; t.asked == 1 {
		t.since = at
	}
}

// goesOn notes the answer to one.
func (t *Tool) goesOn(at time.Time) {
	if t.asked == 0 {
		return
	}
	if t.asked--; t.asked == 0 {
		t.waited += max(0, at.Sub(t.since))
	}
}

// hold is a question or a form. Their keys are counted apart.
type hold struct {
	form bool
	key  uint64
}

// holdUp notes that a call waits for the user: the one with the id or, where none has it,
// the only one that runs.
func (t *Thread) holdUp(h hold, id string, at time.Time) {
	it := t.call(id)
	if it == nil && len(t.live) == 1 {
		for it = range t.live {
		}
	}
	if it != nil {
		t.holds[h] = it
		it.Tool.waits(at)
		t.touch(it)
	}
}

// letGo notes that it waits no longer.
func (t *Thread) letGo(h hold, at time.Time) {
	if it := t.holds[h]; it != nil {
		delete(t.holds, h)
		it.Tool.goesOn(at)
		t.touch(it)
	}
}

// asked notes a question, which holds up its call.
func (t *Thread) asked(e event.PermissionRequested) {
	t.questions[e.Key] = e.Wire
	if it := t.call(e.ToolID); it != nil {
		it.Tool.replayed = false // nobody asks about the past
	}
	t.holdUp(hold{key: e.Key}, e.ToolID, e.At)
}
