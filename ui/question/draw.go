package question

import (
	"fmt"
	"strings"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/internal/words"
	"parley/permissions"
	"parley/ui/widget/box"
	"parley/ui/widget/diff"
)

// Rows draws the current question in at most height rows. If a popup covers it, none of
// them counts as read. Rows changes nothing; pass the Shown to Saw after the frame.
func (q *Question) Rows(width, height int, covered bool) ([]string, Shown) {
	f := q.face()
	f.look = look{lines{box.InnerWidth(width), q.full && width >= diff.SidesWidth}, q.env.Theme}
	f.body, f.heads = q.drawn.cached(f.cur, f.look, &q.diffs, f.write)
	f.sight = q.sight.withLayout(f.lines)
	return f.rows(width, height, covered)
}

// face returns what does not depend on the size of the screen.
func (q *Question) face() face {
	return face{cur: q.currentQuestion(), write: q.written(), sight: q.sight, keys: q.env.Keys, around: q.state(),
		place: q.current + 1, waiting: len(q.waiting), armed: q.Armed() && (q.full || q.rested || q.ready()), undrafted: q.undrafted, full: q.full, details: q.details, note: q.note}
}

// Saw notes what a frame has shown of the question. It reports whether the question looks
// different now and has to be drawn again.
func (q *Question) Saw(on Shown) bool {
	if !on.drawn || !q.Open() || q.currentQuestion().Key != on.key {
		return false
	}
	first := q.shownAt.IsZero()
	q.appears(q.env.Now())
	if !q.state().Drafting {
		q.undrafted = true
	}
	if w := q.written(); w != nil {
		w.reveal = false
	}
	before := q.sight
	q.sight = before.afterFrame(on)
	return first || !q.sight.same(before)
}

// face is everything that the rows of a question are made of.
type face struct {
	look
	cur     permissions.Question
	write   *write   // the user's changes to its write; nil for none
	body    []string // all that has to be read
	heads   []int    // indexes in body of the rows above the hunks
	sight   sight
	keys    *intent.Keymap
	around  PageState
	place   int // its number among those that wait, from 1
	waiting int

	armed, undrafted, full, details bool
	note                            string
}

// rows draws the question in at most height rows and says what they show.
func (f face) rows(width, height int, covered bool) ([]string, Shown) {
	all, options := f.body, f.options()
	if len(options) > max(1, height-5) { // too many to stay in place: they scroll with the rest and have to be read
		all, options = append(append(all, ""), options...), nil
	}
	covered = covered || height < 4+len(options)
	whole := len(all)
	if f.details {
		all = append(all, detailRows(f.cur, f.look)...)
	}
	page := max(1, height-3-len(options)) // borders and the separator
	s := f.sight
	s.offset = f.reveal(page)
	from := s.firstRow(len(all), whole, page)
	rows := append([]string(nil), all[from:min(len(all), from+page)]...)
	if len(options) > 0 {
		rows = append(rows, box.Separator)
		rows = append(rows, options...)
	}
	box := box.Box{Title: f.cur.Title(f.around.Agent), Right: f.right(len(all) - from - page), Foot: f.foot(), Body: rows, Focused: f.armed, Ink: frameInk(f.cur, f.theme)}
	return box.Rows(width, f.theme), Shown{key: f.cur.Key, drawn: true, of: f.lines, offset: from, page: page, body: len(all), whole: whole, heads: f.heads, covered: covered}
}

// reveal returns the scroll offset at which the selected hunk is on the screen.
func (f face) reveal(page int) int {
	w, s := f.write, f.sight
	if w == nil || w.at >= len(f.heads) {
		return s.offset
	}
	moved := w.selecting && s.read && s.of != f.lines && s.of != (lines{})
	if !w.reveal && !moved {
		return s.offset
	}
	head := f.heads[w.at]
	if head < s.offset || s.read && head+min(3, page-1) >= s.offset+page {
		return max(0, head-1)
	}
	return s.offset
}

// right says how many rows follow, and which of several questions this is.
func (f face) right(below int) string {
	s := ""
	if f.waiting > 1 {
		s = fmt.Sprintf("%d of %d waiting", f.place, f.waiting)
	}
	if below > 0 {
		s = strings.TrimSpace(text.MoreRows(below) + "  " + s)
	}
	return s
}

// options lists the options in the agent's order, each with its key. Names that are too
// long for a row are wrapped.
func (f face) options() []string {
	th, s, width := f.theme, f.sight, f.width
	var rows []string
	wrapped := true // the last row is the end of a name: another option does not go there
	add := func(key, name string, off bool) {
		str := th.Key.Paint(key) + " " + name
		if off {
			str = th.Faint.Paint(key + " " + name + " (off)")
		}
		if n := len(rows); !wrapped && text.Width(rows[n-1])+3+text.Width(str) <= width {
			rows[n-1] += "   " + str
			return
		}
		added := text.Wrap(str, width)
		rows, wrapped = append(rows, added...), len(added) > 1
	}
	for i, o := range f.cur.Options {
		name, off := f.write.name(o)
		if s.offers(o) {
			name += " without reading " + words.Count(s.unread(), "row")
		}
		add(keyOf(f.cur.Options, i, o), name, off || !s.read && !harmless(o) && !s.offers(o))
	}
	if key := f.keys.Label(intent.Question, intent.TakeOver); key != "" && f.cur.Attendable {
		add(key, "Run it here with my keyboard", !s.read)
	}
	return rows
}

// foot names the keys, or what the user has to do before they work.
func (f face) foot() string {
	stop := intent.Hint{Key: intent.Stop, Action: "reject"}
	switch {
	case f.note != "" && (f.armed || !f.around.Drafting && !f.around.Beside):
		return f.note
	case f.around.Beside:
		return f.keys.Label(intent.Chat, intent.NextWaiting) + " or a click to answer"
	case f.full:
		return f.fullFoot()
	case f.armed && f.cur.Change != nil:
		return f.writeFoot()
	case f.armed && f.sight.read:
		return f.keys.Hints(intent.Question, reject, details, why)
	case f.armed && f.sight.ended:
		return f.keys.Hints(intent.Question, intent.Hint{Action: "press twice to allow unread"}, intent.Hint{Key: intent.PageUp, Action: "read"}, reject)
	case f.armed:
		return f.keys.Hints(intent.Question, intent.Hint{Action: "read on to allow: " + f.onward(intent.Last)}, reject)
	case f.around.Focused:
		return toAnswer(f.keys)
	case !f.around.Drafting:
		return f.keys.Hints(intent.Chat, answer, stop)
	case f.undrafted:
		stop.Action = "clear the draft"
	}
	return f.keys.Hints(intent.Chat, typing, answer, stop)
}

// Hints of questions and forms.
var (
	reject  = intent.Hint{Key: intent.Reject, Action: "reject"}
	details = intent.Hint{Key: intent.Details, Action: "details"}
	why     = intent.Hint{Key: intent.RejectWhy, Action: "reject with a reason"}
	answer  = intent.Hint{Key: intent.FocusQuestion, Action: "to answer"}
	typing  = intent.Hint{Action: "You are typing"}
)

// toAnswer names the keys that answer while the transcript has the keys.
func toAnswer(keys *intent.Keymap) string {
	return keys.ChatKey(intent.FocusQuestion) + " or " + keys.Label(intent.Transcript, intent.FocusTranscript) + " to answer"
}

// onward names the keys that show the rest of a question.
func (f face) onward(more ...intent.Intent) string {
	return f.keys.Labels(intent.Question, append([]intent.Intent{intent.ScrollDown, intent.PageDown}, more...)...)
}

// fullFoot names the keys of the full view.
func (f face) fullFoot() string {
	keys := f.keys
	back := keys.Label(intent.Question, intent.FullScreen)
	if f.write.picking() {
		return f.writeFoot() + " · " + back + " back"
	}
	if esc := keys.Label(intent.Question, intent.Reject); esc != "" {
		back += " or " + esc
	}
	all := []string{back + " back", f.onward(intent.Last)}
	if !f.sight.read {
		all = []string{"read on to allow: " + all[1], all[0]}
	}
	all = append(all, keys.Label(intent.Question, intent.Details)+" details")
	if f.cur.Change != nil {
		all = append(all, keys.Label(intent.Question, intent.PickHunks)+" hunks", keys.Label(intent.Question, intent.EditText)+" edit")
	}
	return strings.Join(all, " · ")
}

// writeFoot names the keys of a write.
func (f face) writeFoot() string {
	var all []string
	add := func(in intent.Context, i intent.Intent, words string) {
		if key := f.keys.Label(in, i); key != "" {
			all = append(all, intent.Symbol(key)+" "+words)
		}
	}
	if !f.sight.read {
		all = append(all, "read on to allow")
	}
	w := f.write
	if !w.picking() {
		if !f.sight.read {
			all[0] += ": " + f.onward()
		}
		add(intent.Question, intent.Reject, "reject")
		add(intent.Question, intent.PickHunks, "hunks")
		add(intent.Question, intent.EditText, "edit")
		add(intent.Question, intent.RejectWhy, "reject with a reason")
		return strings.Join(all, " · ")
	}
	if w.at < len(w.refused) && w.refused[w.at] {
		add(intent.Hunks, intent.RefuseHunk, "keep")
	} else {
		add(intent.Hunks, intent.RefuseHunk, "reject")
	}
	if f.sight.read {
		add(intent.Hunks, intent.AllowHunks, "allow the rest")
	}
	add(intent.Hunks, intent.NextHunk, "next")
	add(intent.Hunks, intent.Leave, "back")
	add(intent.Question, intent.EditText, "edit")
	return strings.Join(all, " · ")
}
