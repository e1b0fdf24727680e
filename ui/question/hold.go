package question

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/ui/layer"
)

// PageState is the state of the page that decides whether a question, a form or a web page
// gets the keys.
type PageState struct {
	Covered  bool      // something hides it
	Later    bool      // something else is asked first
	Drafting bool      // there is a draft in the composer
	Focused  bool      // the transcript has the keys
	LastKey  time.Time // when the last key was pressed
	Beside   bool      // the page is beside the one that has the keys
}

// busy reports whether the keys are someone else's until the user hands them over.
func (a PageState) busy() bool { return a.Drafting || a.Focused || a.Beside }

// hold says whether a question, a form or a web page has the keys: because the user gave
// them to it, or because there is no draft and no key was pressed for layer.Quiet.
type hold struct {
	shownAt      time.Time // when it was first drawn
	grabbed      bool      // the user gave it the keys
	grabbedAt    time.Time
	reading      bool // it got the keys by waiting, and letters were pressed to scroll
	readAt       time.Time
	droppedUntil time.Time // until then keys are dropped: they were meant for something else
}

// dropAfterGrab is how long keys are dropped after a grab: keys that were under way must
// not answer.
const dropAfterGrab = 80 * time.Millisecond

// appears notes that it has been on the screen.
func (h *hold) appears(now time.Time) {
	if h.shownAt.IsZero() {
		h.shownAt = now
	}
}

// waitForQuiet takes the keys away until no key was pressed for a while.
func (h *hold) waitForQuiet() { *h = hold{droppedUntil: h.droppedUntil} }

func (h *hold) grab(now time.Time) { h.grabbed, h.grabbedAt = true, now }

func (h *hold) release() { h.grabbed, h.reading = false, false }

// waited reports whether it has the keys because no key was pressed for a while, or only
// letters that scroll.
func (h *hold) waited(now time.Time, a PageState) bool {
	return !h.shownAt.IsZero() && !a.busy() && (h.reading || now.Sub(h.shownAt) >= layer.Quiet && now.Sub(a.LastKey) >= layer.Quiet)
}

// tooEarly reports whether a key comes too early to be meant for it.
func (h *hold) tooEarly(now time.Time) bool {
	return h.grabbed && now.Sub(h.grabbedAt) < dropAfterGrab || now.Before(h.droppedUntil)
}

const tooFast = "Too fast: press it again in a moment, or alt+a first"

// tooFast reports whether a key that does something may be the next letter of a word, and
// notes its time.
func (h *hold) tooFast(now time.Time) bool {
	if !h.reading || h.grabbed || now.Sub(h.readAt) >= layer.Quiet {
		return false
	}
	h.readAt = now
	return true
}

// keepKeys keeps the keys after one was handled. A letter may begin a word: it can scroll, but
// a letter soon after it is no answer.
func (h *hold) keepKeys(msg tea.KeyPressMsg, now time.Time) {
	if msg.Text == "" || msg.Text == " " {
		h.grabbed = true
		return
	}
	h.reading, h.readAt = !h.grabbed, now
}
