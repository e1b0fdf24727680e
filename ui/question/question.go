// Package question shows what an agent asks of the user and takes the answer: permission
// questions, one at a time, and forms and pages of elicitation.
//
// Drawing changes nothing. Rows come with a [Shown], which the caller passes to Saw after
// the frame: an option that allows works only for what has been on the screen.
//
// Everything runs on the screen's goroutine unless its comment says otherwise.
package question

import (
	"time"

	"parley/permissions"
	"parley/ui/layer"
)

// Effects that questions add to those of their page.
type (
	// OfferRules lets the user choose a rule that would have answered the question. Read says whether all of
	// it was read.
	OfferRules struct {
		permissions.Question
		Read bool
	}
	// RejectWhy asks the user why the question is rejected, and rejects it then.
	RejectWhy struct{ permissions.Question }
	// EditWrite opens the text that the question would write in the user's editor. Edited or NotEdited
	// is called afterwards.
	EditWrite struct {
		permissions.Question
		Text string
	}
	// Uncover closes the popup of the composer, which would hide the question.
	Uncover struct{}
)

// Question shows the waiting questions, one at a time, and lets the user answer with a
// deliberate key. An option that allows works only after all of the question has been on
// the screen.
type Question struct {
	env   *layer.Env
	out   *layer.Effects
	state func() PageState

	queue
	hold
	sight
	pressed unreadChoice
	details bool
	full    bool   // it has the screen and the keys
	note    string // about the last key
	edits   writes

	diffs diffs
	drawn body
}

// New returns a Question with nothing to ask.
func New(env *layer.Env, out *layer.Effects, state func() PageState) *Question {
	return &Question{env: env, out: out, state: state, edits: writes{}}
}

// ForPage returns a copy for another page, without anything cached by drawing.
func (q *Question) ForPage(env *layer.Env, out *layer.Effects, state func() PageState) *Question {
	c := *q
	c.env, c.out, c.state, c.diffs, c.drawn, c.changed = env, out, state, diffs{}, body{}, true
	return &c
}

// Add appends a question.
func (q *Question) Add(n permissions.Question) {
	q.waiting = append(q.waiting, asked{n, q.env.Now()})
	if len(q.waiting) == 1 {
		q.Restart()
	}
	q.changed = true
}

// Remove removes a question that was answered or cancelled.
func (q *Question) Remove(key uint64) {
	dropped, another := q.drop(key)
	if !dropped {
		return
	}
	delete(q.edits, key)
	if another {
		q.Restart()
	}
	q.changed = true
}

// Clear removes all questions.
func (q *Question) Clear() {
	q.queue = queue{}
	clear(q.edits)
	q.Restart()
	q.changed = true
}

// Restart starts the current question again: it has to be read again and has no keys.
func (q *Question) Restart() {
	q.hold.waitForQuiet()
	q.sight, q.pressed = sight{}, unreadChoice{}
	q.details, q.full, q.note = false, false, ""
}

// Open reports whether a question waits.
func (q *Question) Open() bool { return len(q.waiting) > 0 }

// Len returns the number of waiting questions.
func (q *Question) Len() int { return len(q.waiting) }

// Current returns the question on the screen; false without one.
func (q *Question) Current() (permissions.Question, bool) {
	if !q.Open() {
		return permissions.Question{}, false
	}
	return q.currentQuestion(), true
}

// Asked returns when the question on the screen came; the zero time without one.
func (q *Question) Asked() (at time.Time) {
	if q.Open() {
		at = q.waiting[q.current].at
	}
	return at
}

// Full reports whether the question fills the screen.
func (q *Question) Full() bool { return q.Open() && q.full }

// Appeared reports whether the current question has been on the screen.
func (q *Question) Appeared() bool { return q.Open() && !q.shownAt.IsZero() }

// TypedOver reports whether the draft in the composer was begun while the question was on the screen:
// perhaps by a key that was meant for it.
func (q *Question) TypedOver() bool { return q.Open() && q.undrafted && q.state().Drafting }

// Read reports whether all of the current question has been on the screen.
func (q *Question) Read() bool { return q.read }

// OnScreen returns the range of rows of the question's body on the screen.
func (q *Question) OnScreen() (from, to int) { return q.offset, q.offset + q.page }

// Writes returns the text that the current question would write, and the same without the
// refused hunks.
func (q *Question) Writes() (whole, left string) {
	if w := q.written(); w != nil {
		left, _ = w.remaining()
		return w.text, left
	}
	if cur, ok := q.Current(); ok && cur.Change != nil {
		return cur.Change.New, cur.Change.New
	}
	return "", ""
}

// SuspendKeys drops keys for layer.Quiet: they were meant for something else.
func (q *Question) SuspendKeys() { q.droppedUntil = q.env.Now().Add(layer.Quiet) }

// Grab gives the question the keys if the user can see it, and reports whether it did.
func (q *Question) Grab() bool {
	if !q.Appeared() || q.grabbed || q.state().Covered {
		return false
	}
	q.grab(q.env.Now())
	q.out.Add(Uncover{})
	return true
}

// written returns the user's changes to the current question's write; nil without any.
func (q *Question) written() *write {
	if !q.Open() {
		return nil
	}
	return q.edits[q.currentQuestion().Key]
}

// Edited replaces the text of a write with the user's. It has to be read before it can be
// allowed.
func (q *Question) Edited(e Edited) {
	w := q.edits[e.key]
	if w == nil {
		return
	}
	w.setText(e.text, e.diff)
	if q.currentQuestion().Key == e.key {
		q.read = false
		q.grab(q.env.Now())
		q.redrawn()
	}
}

// NotEdited ends the edit of a write without a change.
func (q *Question) NotEdited(key uint64) {
	if w := q.edits[key]; w != nil {
		w.editing = false
	}
}

// redrawn notes that the body has other rows now. Unless all was read, reading starts
// again at the top.
func (q *Question) redrawn() {
	q.drawn = body{}
	if !q.read {
		q.sight = q.sight.unseen()
	}
}
