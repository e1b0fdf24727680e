package status

import (
	"time"

	"parley/internal/safetext"
)

// Toast is what was just said. The zero Toast is nothing.
type Toast struct {
	text  string
	until time.Time
}

// ToastTime is how long one is shown.
const ToastTime = 5 * time.Second

// NewToast is a text that is said now, on one line and safe for a terminal: errors of the
// system name what an agent has named.
func NewToast(text string, now time.Time) Toast {
	return Toast{safetext.Line(text, 500), now.Add(ToastTime)}
}

// At is what is said at a time; "" for nothing.
func (t Toast) At(now time.Time) string {
	if !now.Before(t.until) {
		return ""
	}
	return t.text
}
