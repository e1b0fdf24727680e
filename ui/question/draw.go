package question

import (
	"fmt"
	"strings"
	"time"

	"parley/permissions"
	"parley/ui/intent"
	"parley/ui/widget"
)

// Rows draws the current question in at most height rows. What is covered, by a popup,
// cannot be read. It writes nothing: the Shown is for Saw, after the frame.
func (q *Question) Rows(width, height int, covered bool) ([]string, Shown) {
	cur, th := q.now(), q.env.Theme
	inner := widget.InnerWidth(width)
	of := lines{inner, q.full && width >= widget.SidesWidth}
	s := q.sight.as(of)
	all, heads := q.body(cur, of, th)
	options := q.optionRows(cur, s, inner)
	if len(options) > max(1, height-5) { // those there is no room for have to be read as well
		all, options = append(append(all, ""), options...), nil
	}
	covered = covered || height < 4+len(options)
	whole := len(all)
	if q.details {
		all = append(all, detailRows(cur, look{of, th})...)
	}
	page := max(1, height-3-len(options)) // borders and the separator
	s.offset = q.reveal(s, of, heads, page)
	from := s.from(len(all), whole, page)
	rows := append([]string(nil), all[from:min(len(all), from+page)]...)
	if len(options) > 0 {
		rows = append(rows, widget.Separator)
		rows = append(rows, options...)
	}
	now := q.env.Now()
	box := widget.Box{Title: q.title(cur), Right: q.right(len(all) - from - page), Foot: q.foot(cur, now), Body: rows, Focused: q.armed(now), Ink: frameInk(cur, th)}
	return box.Rows(width, th), Shown{key: cur.Key, drawn: true, of: of, offset: from, page: page, body: len(all), whole: whole, heads: heads, covered: covered}
}

// Saw is to be called after a frame with what it shows of the question. It tells whether
// the question is drawn otherwise now.
func (q *Question) Saw(on Shown) bool {
	if !on.drawn || !q.Open() || q.now().Key != on.key {
		return false
	}
	first := q.shownAt.IsZero()
	q.appears(q.env.Now())
	if w := q.written(); w != nil {
		w.reveal = false
	}
	before := q.sight
	q.sight = before.see(on)
	return first || !q.sight.same(before)
}

// reveal is the first row on the screen that brings the hunk that the keys are about into
// sight.
func (q *Question) reveal(s sight, of lines, heads []int, page int) int {
	w := q.written()
	if w == nil || w.at >= len(heads) {
		return s.offset
	}
	moved := w.on && s.read && s.of != of && s.of != (lines{})
	if !w.reveal && !moved {
		return s.offset
	}
	head := heads[w.at]
	if head < s.offset || s.read && head+min(3, page-1) >= s.offset+page {
		return max(0, head-1)
	}
	return s.offset
}

func (q *Question) title(cur permissions.Question) string {
	name := q.host.Agent()
	if cur.Origin == permissions.FromParley && cur.Why != "" {
		return "parley asks again: " + cur.Why
	}
	if cur.Origin == permissions.FromParley {
		return "parley asks: " + name + " wants this without having asked"
	}
	return name + " asks"
}

// right says how many rows come below, and which of the questions this is.
func (q *Question) right(below int) string {
	s := ""
	if len(q.waiting) > 1 {
		s = fmt.Sprintf("%d of %d waiting", q.current+1, len(q.waiting))
	}
	if below > 0 {
		s = strings.TrimSpace(widget.MoreRows(below) + "  " + s)
	}
	return s
}

// optionRows lists the options in the agent's order, each with its key.
func (q *Question) optionRows(cur permissions.Question, s sight, width int) []string {
	th := q.env.Theme
	var rows []string
	line := ""
	add := func(key, name string, off bool) {
		text := th.Key.Paint(key) + " " + name
		if off {
			text = th.Faint.Paint(key + " " + name + " (off)")
		}
		text = widget.Truncate(text, width, "…")
		switch {
		case line == "":
			line = text
		case widget.Width(line)+3+widget.Width(text) <= width:
			line += "   " + text
		default:
			rows = append(rows, line)
			line = text
		}
	}
	for i, o := range cur.Options {
		name, off := q.made[cur.Key].name(o)
		if s.offers(o) {
			name += " without reading " + widget.RowsOf(s.unread())
		}
		add(keyOf(cur.Options, i, o), name, off || !s.read && !harmless(o) && !s.offers(o))
	}
	if key := q.env.Keys.Label(intent.Question, intent.TakeOver); key != "" && cur.Attends {
		add(key, "Run it here, with my keyboard", !s.read)
	}
	return append(rows, line)
}

// foot names the keys, or says what has to be done first.
func (q *Question) foot(cur permissions.Question, now time.Time) string {
	around, armed := q.host.Around(), q.armed(now)
	switch {
	case armed && q.note != "":
		return q.note
	case q.full:
		return q.fullFoot(cur)
	case armed && cur.Change != nil:
		return q.writeFoot(cur)
	case armed && q.read:
		return "esc rejects · d details"
	case armed && q.ended:
		return "pressed twice it is allowed unread · pgup reads it · esc rejects"
	case armed:
		return "read to the end to allow: down, pgdn, G · esc rejects"
	case around.Focused:
		return "alt+a or tab to answer"
	case !around.Drafting:
		return "alt+a to answer · esc rejects"
	}
	return "keys are off while you type · alt+a to answer · esc rejects"
}

// fullFoot names the keys of the full view.
func (q *Question) fullFoot(cur permissions.Question) string {
	keys := q.env.Keys
	back := keys.Label(intent.Question, intent.FullScreen)
	if q.made[cur.Key].picking() {
		return q.writeFoot(cur) + " · " + back + " goes back"
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

// writeFoot names the keys of a write.
func (q *Question) writeFoot(cur permissions.Question) string {
	var all []string
	add := func(in intent.Context, i intent.Intent, words string) {
		if key := q.env.Keys.Label(in, i); key != "" {
			all = append(all, strings.NewReplacer("right", "→", "left", "←").Replace(key)+" "+words)
		}
	}
	if !q.read {
		all = append(all, "read to the end to allow")
	}
	w := q.made[cur.Key]
	if !w.picking() {
		if !q.read {
			all[0] += ": down, pgdn"
		}
		add(intent.Question, intent.Reject, "rejects")
		add(intent.Question, intent.PickHunks, "hunks")
		add(intent.Question, intent.EditText, "edit")
		return strings.Join(all, " · ")
	}
	if w.at < len(w.refused) && w.refused[w.at] {
		add(intent.Hunks, intent.RefuseHunk, "takes it")
	} else {
		add(intent.Hunks, intent.RefuseHunk, "refuses")
	}
	add(intent.Hunks, intent.NextHunk, "next")
	add(intent.Question, intent.EditText, "edit")
	add(intent.Hunks, intent.Leave, "back")
	if q.read {
		add(intent.Hunks, intent.AllowHunks, "allows what is left")
	}
	return strings.Join(all, " · ")
}
