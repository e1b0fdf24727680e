package question

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/ui/layer"
)

// Around is what the page around what is asked is doing.
type Around struct {
	Covered  bool      // something lies over what is asked, which cannot be seen
	Later    bool      // something else is asked first
	Drafting bool      // there is a draft in the composer
	Focused  bool      // the transcript has the keys
	LastKey  time.Time // when a key came last
}

// busy tells whether keys belong elsewhere until the user gives them.
func (a Around) busy() bool { return a.Drafting || a.Focused }

// hold says whether what is asked has the keys: because the user gave them to it, or
// because nothing has been typed for a while and nothing is being typed.
type hold struct {
	shownAt   time.Time // when it was first drawn
	grabbed   bool      // it was given the keys
	grabbedAt time.Time
	reading   bool // it got them by waiting, and letters were pressed to read on
	readAt    time.Time
	deaf      time.Time // keys are dropped until then: they were typed for something else
}

// dropAfterGrab is how long keys are dropped after what is asked was given the keys:
// what had been typed before must not answer it.
const dropAfterGrab = 80 * time.Millisecond

// appears notes that it is on the screen.
func (h *hold) appears(now time.Time) {
	if h.shownAt.IsZero() {
		h.shownAt = now
	}
}

// afresh makes it wait for quiet again.
func (h *hold) afresh() { *h = hold{deaf: h.deaf} }

func (h *hold) grab(now time.Time) { h.grabbed, h.grabbedAt = true, now }

func (h *hold) release() { h.grabbed, h.reading = false, false }

// waited tells whether it has the keys because it was quiet, or letters were pressed
// since then to read on.
func (h *hold) waited(now time.Time, a Around) bool {
	return !h.shownAt.IsZero() && !a.busy() && (h.reading || now.Sub(h.shownAt) >= layer.Quiet && now.Sub(a.LastKey) >= layer.Quiet)
}

// drops tells whether a key is too early to be meant for it.
func (h *hold) drops(now time.Time) bool {
	return h.grabbed && now.Sub(h.grabbedAt) < dropAfterGrab || now.Before(h.deaf)
}

const tooFast = "Too fast: press it again in a moment, or alt+a first"

// tooFast tells whether a key that does something may be the next letter of a word,
// and notes that it came.
func (h *hold) tooFast(now time.Time) bool {
	if !h.reading || h.grabbed || now.Sub(h.readAt) >= layer.Quiet {
		return false
	}
	h.readAt = now
	return true
}

// keep holds on to keys that were got by waiting. Letters may be the beginning of a
// word: one can read on with them, but the next is no answer.
func (h *hold) keep(msg tea.KeyPressMsg, now time.Time) {
	if msg.Text == "" || msg.Text == " " {
		h.grabbed = true
		return
	}
	h.reading, h.readAt = !h.grabbed, now
}
