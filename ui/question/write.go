package question

import (
	"fmt"
	"slices"

	"parley/internal/safetext"
	"parley/permissions"
	"parley/ui/widget/diff"
	"parley/ui/widget/text"
)

// write is what the user makes of a write that parley asks about: some of its hunks are
// refused, or the text is another one.
type write struct {
	change  *permissions.Change
	asked   *Diff  // what the agent asked for
	on      bool   // its keys count
	text    string // verbatim: what is written if nothing is refused
	own     *Diff  // of a text that the user has edited; nil: it is what the agent asked for
	refused []bool // by the hunk
	at      int    // the hunk that the keys are about
	reveal  bool   // at is to be brought into sight
	editing bool   // the editor is about to open, or open
}

// writes are what the user makes of the writes of questions, by the question.
type writes map[uint64]*write

// of is the one of a question, which the user begins to make something of.
func (ws writes) of(cur permissions.Question, ds *diffs) *write {
	if ws[cur.Key] == nil {
		asked := &Diff{lines: diff.Compute(diff.Diff{})}
		if i := slices.IndexFunc(cur.Body, func(p permissions.Part) bool { return p.Kind == permissions.Diff }); i >= 0 {
			asked = ds.part(cur.Key, i, cur.Body[i])
		}
		ws[cur.Key] = &write{change: cur.Change, asked: asked, text: cur.Change.New}
	}
	return ws[cur.Key]
}

// changed tells whether something else than what was asked is to be written.
func (w *write) changed() bool { return w != nil && (w.own != nil || slices.Contains(w.refused, true)) }

// picking tells whether hunks are chosen from.
func (w *write) picking() bool { return w != nil && w.on }

// diff is that of what is to be written, before anything is refused.
func (w *write) diff() *diff.Computed {
	if w.own != nil {
		return w.own.lines
	}
	return w.asked.lines
}

// left is the text that is to be written; false where the hunks cannot be taken apart.
func (w *write) left() (string, bool) {
	if !slices.Contains(w.refused, true) {
		return w.text, true
	}
	return w.diff().Without(w.change.Old, w.text, w.refused)
}

// toggle begins to choose from the hunks, or ends it. What was chosen stays. It is false
// where there are none.
func (w *write) toggle(reveal bool) bool {
	if w.on {
		w.on = false
		return true
	}
	n := w.diff().Changes()
	if n == 0 {
		return false
	}
	if len(w.refused) != n {
		w.refused, w.at = make([]bool, n), 0
	}
	w.on, w.reveal = true, reveal
	return true
}

// refuse refuses the hunk that the keys are about, or takes it again.
func (w *write) refuse() {
	if w.at < len(w.refused) {
		w.refused[w.at] = !w.refused[w.at]
	}
}

// to goes to another hunk; false where that is not on the screen. Before all was read
// that leads no further than the next page, so that nothing is passed over.
func (w *write) to(hunk int, s *sight) bool {
	switch {
	case hunk < 0 || hunk >= len(s.heads) || hunk >= len(w.refused):
		if hunk > 0 && !s.read { // what comes after the last one is to be read as well
			s.offset += max(1, s.page)
		}
	case !s.read && s.heads[hunk] >= s.offset+s.page:
		s.offset += max(1, s.page)
	default:
		w.at, w.reveal = hunk, true
		return true
	}
	return false
}

// asAsked forgets what the user has made of it; edited tells whether the text changes.
func (w *write) asAsked() (edited bool) {
	edited = w.own != nil
	*w = write{change: w.change, asked: w.asked, on: true, text: w.change.New, refused: make([]bool, w.asked.lines.Changes())}
	return edited
}

// edited takes the text that the user has made of it, and its diff.
func (w *write) edited(text string, diff *diff.Computed) {
	n := diff.Changes()
	*w = write{change: w.change, asked: w.asked, on: n > 0, text: text, own: &Diff{lines: diff}, refused: make([]bool, n)}
	if text == w.change.New {
		w.own = nil
	}
}

// name is what an option does now; off: nothing, as what was changed can be allowed once
// only.
func (w *write) name(o permissions.Option) (name string, off bool) {
	switch {
	case !w.changed() || !o.Allows():
		return o.Name, false
	case o.Kind != permissions.AllowOnce:
		return o.Name, true
	}
	refused := 0
	for _, no := range w.refused {
		if no {
			refused++
		}
	}
	n := len(w.refused)
	switch {
	case refused == n && (n > 0 || w.text == w.change.Old):
		return "Write nothing", false
	case refused == 0: // then the text is another one
		return o.Name + ", as edited", false
	case w.own != nil:
		return fmt.Sprintf("%s: %d of %d hunks, as edited", o.Name, n-refused, n), false
	}
	return fmt.Sprintf("%s: %d of %d hunks", o.Name, n-refused, n), false
}

// rows draws the diff with a row above each hunk that says what becomes of it. heads are
// the places of those rows.
func (w *write) rows(l look) (rows []string, heads []int) {
	d := w.asked
	if w.own != nil {
		rows = text.WrapInk(l.theme.Warn.Paint, "Edited by you: this will be written", "  ", l.width)
		d = w.own
	}
	drawn, heads := d.lines.DrawPicks(diff.Look{Width: l.width - 2, Syntax: d.syntax, Theme: l.theme}, w.picks(l))
	for i := range heads {
		heads[i] += len(rows)
	}
	for _, r := range drawn {
		rows = append(rows, "  "+r)
	}
	return rows, heads
}

func (w *write) picks(l look) []diff.Pick {
	picks := make([]diff.Pick, len(w.refused))
	for i, no := range w.refused {
		mark, ink, words := "  ", l.theme.Dim, fmt.Sprintf("✓ hunk %d of %d", i+1, len(picks))
		if no {
			ink, words = l.theme.Bad, fmt.Sprintf("✗ hunk %d of %d: rejected", i+1, len(picks))
		}
		if w.on && i == w.at {
			mark = l.theme.Key.Paint("▸ ")
			if !no {
				ink = l.theme.Strong
			}
		}
		picks[i] = diff.Pick{Head: text.Truncate(mark+ink.Paint(words), l.width-2, "…"), Refused: no}
	}
	return picks
}

// Edited is a write's text after the user's editor, compared with what is there now.
type Edited struct {
	key  uint64 // of the question
	text string
	diff *diff.Computed
}

// CompareEdit compares the text that the user has made of a question's write with what
// the file holds. It may take a while. Any goroutine.
func CompareEdit(cur permissions.Question, text string) Edited {
	none := slices.ContainsFunc(cur.Body, func(p permissions.Part) bool { return p.Kind == permissions.Diff && p.OldNone })
	d := diff.Diff{Path: cur.Change.Path, Old: safetext.Visible(cur.Change.Old), New: safetext.Visible(text), OldMissing: none}
	return Edited{cur.Key, text, diff.Compute(d)}
}
