package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/permissions"
	"parley/ui/layer"
	"parley/ui/widget"
)

// seen is how much of a question's body has been on the screen.
type seen struct {
	rows  int  // from the beginning, without a gap
	whole int  // that there are to read
	ended bool // the end has been shown, though not all that comes before

	pressed   string // the option that was chosen unread, and is to be chosen again
	pressedAt time.Time
}

// saw notes the rows of the body that are on the screen, and tells whether what the
// options say changes with that.
func (q *question) saw(whole int) bool {
	s := &q.seen
	before := *s
	s.whole = whole
	if q.offset <= s.rows {
		s.rows = max(s.rows, q.offset+q.page)
	}
	s.ended = s.ended || q.offset+q.page >= whole
	read := q.read
	q.read = q.read || s.rows >= whole
	return q.read != read || s.ended != before.ended
}

// unread tells whether an option can be chosen although not all was read: to allow it
// once, after the end was shown.
func (q *question) unread(o permissions.Option) bool {
	return !q.read && q.seen.ended && o.Kind == permissions.AllowOnce
}

// insists tells whether an option was chosen unread for the second time. A key that is
// held down chooses it once.
func (q *question) insists(o permissions.Option) bool {
	s, now := &q.seen, q.c.m.Now()
	sure := s.pressed == o.ID && now.Sub(s.pressedAt) >= layer.Quiet
	s.pressed, s.pressedAt = o.ID, now
	return sure
}

// mayAllow tells whether an option that allows may be chosen now, and else what to say.
func (q *question) mayAllow(cur permissions.Question, o permissions.Option) (bool, tea.Cmd) {
	switch {
	case q.read:
		return true, nil
	case !q.unread(o):
		q.seen.pressed = ""
		return false, q.c.say("read to the end first: down, pgdn")
	case q.insists(o):
		return true, nil
	}
	key := letterOf(cur.Options, o)
	if key == "" {
		key = "the same key"
	}
	return false, q.c.say(fmt.Sprintf("%s were not read: %s again allows it all the same", rowsOf(q.seen.whole-q.seen.rows), key))
}

// unreadFoot says what has to be done before something can be allowed.
func (q *question) unreadFoot() string {
	if q.seen.ended {
		return "pressed twice it is allowed unread · pgup reads it · esc rejects"
	}
	return "read to the end to allow: down, pgdn, G · esc rejects"
}

func rowsOf(n int) string {
	if n == 1 {
		return "1 row"
	}
	return widget.Grouped(n) + " rows"
}

// moreRows says how many rows come below those that are shown.
func moreRows(n int) string { return strings.Replace(rowsOf(n), " ", " more ", 1) + " ↓" }
