package thread

import (
	"time"

	"parley/acpclient/event"
)

// Duration returns how long the call has run until now or until it ended, without the time
// in which it waited for the user.
func (t *Tool) Duration(now time.Time) time.Duration {
	if !t.Ended.IsZero() {
		now = t.Ended
	}
	if t.asked > 0 && t.since.Before(now) {
		now = t.since
	}
	return now.Sub(t.Started) - t.waited
}

// Waits reports whether a question about the call is open.
func (t *Tool) Waits() bool { return t.asked > 0 }

// questionAsked records a question about the call. A log does not have the time.
func (t *Tool) questionAsked(at time.Time) {
	if at.IsZero() {
		return
	}
	if t.asked++; t.asked == 1 {
		t.since = at
	}
}

// questionAnswered records the answer to a question.
func (t *Tool) questionAnswered(at time.Time) {
	if t.asked == 0 {
		return
	}
	if t.asked--; t.asked == 0 {
		t.waited += max(0, at.Sub(t.since))
	}
}

// hold identifies a question or a form, whose keys are counted separately.
type hold struct {
	form bool
	key  uint64
}

// blockCall records that a call waits for the user: the call with the id or, if there is
// none, the only one that runs.
func (t *Thread) blockCall(h hold, id string, at time.Time) {
	it := t.call(id)
	if it == nil && len(t.live) == 1 {
		for it = range t.live {
		}
	}
	if it != nil {
		t.holds[h] = it
		it.Tool.questionAsked(at)
		t.touch(it)
	}
}

// unblockCall records that the call no longer waits.
func (t *Thread) unblockCall(h hold, at time.Time) {
	if it := t.holds[h]; it != nil {
		delete(t.holds, h)
		it.Tool.questionAnswered(at)
		t.touch(it)
	}
}

// asked records a question and blocks its call.
func (t *Thread) asked(e event.PermissionRequested) {
	t.questions[e.Key] = e.Wire
	if it := t.call(e.ToolID); it != nil {
		it.Tool.replayed = false // questions concern only the present
		it.unanswered = true
	}
	t.blockCall(hold{key: e.Key}, e.ToolID, e.At)
}
