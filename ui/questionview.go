package ui

import (
	"fmt"
	"strings"
	"time"

	"parley/permissions"
	"parley/ui/intent"
	"parley/ui/widget"
)

// appears notes when the current question came onto the screen.
func (q *question) appears(now time.Time) {
	if q.open() && q.shownAt.IsZero() {
		q.shownAt = now
	}
}

// rows draws the current question in at most height rows. What is covered by a
// popup has not been read.
func (q *question) rows(width, height int, covered bool) []string {
	now := q.c.m.Now()
	q.appears(now)
	cur := q.waiting[q.current]
	inner := widget.InnerWidth(width)
	body, whole, options := q.parts(cur, inner, height)
	if !covered && height >= 4+len(options) && q.saw(whole) {
		atEnd := q.offset+q.page >= whole
		body, _, options = q.parts(cur, inner, height)
		if atEnd && q.offset+q.page < whole { // the options take more room now
			q.offset = min(whole, len(body)) - q.page
		}
	}
	rows := append([]string(nil), body[q.offset:min(len(body), q.offset+q.page)]...)
	if len(options) > 0 {
		rows = append(rows, widget.Separator)
		rows = append(rows, options...)
	}
	box := widget.Box{Title: q.title(cur), Right: q.right(len(body)), Foot: q.foot(now), Body: rows, Focused: q.Armed(), Ink: q.frame(cur)}
	return box.Rows(width, q.c.m.Theme)
}

// parts returns the body, how many rows of it have to be read, and the options
// below it, and says which rows of the body are on the screen. Options that
// there is no room for are part of the body.
func (q *question) parts(cur permissions.Question, width, height int) (body []string, whole int, options []string) {
	body = q.body(cur, width)
	options = q.optionRows(cur, width)
	if len(options) > max(1, height-5) {
		body, options = append(append(body, ""), options...), nil
	}
	whole = len(body)
	if q.details {
		body = append(body, q.detailRows(cur, width)...)
	}
	q.page = max(1, height-3-len(options)) // borders and the separator
	q.fits = len(body) <= q.page
	q.revealed(cur)
	q.offset = max(0, min(q.offset, len(body)-q.page))
	return body, whole, options
}

func (q *question) title(cur permissions.Question) string {
	name := q.c.Agent.Name()
	if cur.Origin == permissions.FromParley && cur.Why != "" {
		return "parley asks again: " + cur.Why
	}
	if cur.Origin == permissions.FromParley {
		return "parley asks: " + name + " wants this without having asked"
	}
	return name + " asks"
}

func (q *question) right(rows int) string {
	s := ""
	if len(q.waiting) > 1 {
		s = fmt.Sprintf("%d of %d waiting", q.current+1, len(q.waiting))
	}
	if rest := rows - q.offset - q.page; rest > 0 {
		s = strings.TrimSpace(moreRows(rest) + "  " + s)
	}
	return s
}

func (q *question) foot(now time.Time) string {
	cur := q.waiting[q.current]
	switch {
	case q.Armed() && q.note != "":
		return q.note
	case q.full:
		return q.fullFoot(cur)
	case q.Armed() && cur.Change != nil:
		return q.hunkFoot(cur)
	case q.Armed() && q.read:
		return "esc rejects · d details"
	case q.Armed():
		return q.unreadFoot()
	case q.c.focused:
		return "alt+a or tab to answer"
	case q.c.composer.Empty():
		return "alt+a to answer · esc rejects"
	}
	return "keys are off while you type · alt+a to answer · esc rejects"
}

// fullFoot names the keys of the full view.
func (q *question) fullFoot(cur permissions.Question) string {
	keys := q.c.m.Keys
	back := keys.Label(intent.Question, intent.FullScreen)
	if h := q.made[cur.Key]; h != nil && h.on {
		return q.hunkFoot(cur) + " · " + back + " goes back"
	}
	if esc := keys.Label(intent.Question, intent.Reject); esc != "" {
		back += " or " + esc
	}
	all := []string{back + " goes back", "down, pgdn, G"}
	if !q.read {
		all[1] = "read to the end to allow: " + all[1]
	}
	all = append(all, keys.Label(intent.Question, intent.Details)+" details")
	if cur.Change != nil {
		all = append(all, keys.Label(intent.Question, intent.PickHunks)+" hunks", keys.Label(intent.Question, intent.EditText)+" edit")
	}
	return strings.Join(all, " · ")
}
