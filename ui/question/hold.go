package question

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/permissions"
	"parley/ui/layer"
)

// PageState is the state of the page that decides whether a question, a form or a web page
// gets the keys.
type PageState struct {
	Covered  bool                // something hides it
	Later    bool                // something else is asked first
	Drafting bool                // there is a draft in the composer
	Focused  bool                // the transcript has the keys
	LastKey  time.Time           // when the last key was pressed
	Beside   bool                // the page is beside the one that has the keys
	Agent    string              // its name
	Browser  bool                // the user has one
	Broker   *permissions.Broker // where answers go
}

// busy reports whether the keys are someone else's until the user hands them over.
func (a PageState) busy() bool { return a.Drafting || a.Focused || a.Beside }

// hold says who has the keys: a question, a form or a web page, or the composer. A form takes them
// when the user gives them to it, or when there is no draft and no key was pressed for layer.Quiet. A
// question takes them as soon as it is on the screen, but holds what allows until then.
type hold struct {
	shownAt      time.Time // when it was first drawn
	grabbed      bool      // the user gave it the keys
	grabbedAt    time.Time
	rested       bool      // a key was handled after it had been quiet
	released     bool      // the user gave the keys back: they are the composer's until it has been quiet
	undrafted    bool      // the composer was empty since it was first drawn: a draft is younger
	droppedUntil time.Time // until then keys are dropped: they were meant for something else
}

// underWay is how long answers are dropped after it appeared, and all keys after a grab: keys that were
// under way must not answer.
const underWay = 80 * time.Millisecond

// appears notes that it has been on the screen.
func (h *hold) appears(now time.Time) {
	if h.shownAt.IsZero() {
		h.shownAt = now
	}
}

// waitForQuiet takes the keys away until no key was pressed for a while.
func (h *hold) waitForQuiet() { *h = hold{droppedUntil: h.droppedUntil} }

func (h *hold) grab(now time.Time) { h.grabbed, h.grabbedAt = true, now }

// Release takes the keys from it.
func (h *hold) Release() { h.grabbed, h.rested, h.released = false, false, true }

// quiet reports whether it has been on the screen for a while without a key.
func (h *hold) quiet(now time.Time, a PageState) bool {
	return !h.shownAt.IsZero() && now.Sub(h.shownAt) >= layer.Quiet && now.Sub(a.LastKey) >= layer.Quiet
}

// waited reports whether it has the keys because no key was pressed for a while.
func (h *hold) waited(now time.Time, a PageState) bool { return !a.busy() && h.quiet(now, a) }

// attends reports whether it has the keys for everything but allowing.
func (h *hold) attends(now time.Time, a PageState) bool {
	return h.grabbed || !a.busy() && (!h.released || h.quiet(now, a))
}

// ready reports whether a key pressed now may allow something: it is not the next letter of a word.
func (h *hold) ready(now time.Time, a PageState) bool { return h.grabbed || h.quiet(now, a) }

// tooEarly reports whether a key comes too early to be meant for it.
func (h *hold) tooEarly(now time.Time) bool {
	return h.grabbed && now.Sub(h.grabbedAt) < underWay || now.Before(h.droppedUntil)
}

// keepKeys lets a key that is no letter give it the keys, unless it may have been meant for something
// else: a space follows a word.
func (h *hold) keepKeys(msg tea.KeyPressMsg, now time.Time, a PageState) {
	if space := msg.Code == tea.KeySpace; space && h.ready(now, a) || !space && msg.Text == "" && h.rested {
		h.grabbed = true
	}
}
