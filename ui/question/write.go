package question

import (
	"fmt"
	"slices"

	"parley/internal/linediff"
	"parley/internal/safetext"
	"parley/internal/text"
	"parley/permissions"
	"parley/ui/widget/diff"
)

// write holds the user's changes to a write that parley asks about: refused hunks, or an
// edited text.
type write struct {
	change    *permissions.Change
	requested *Diff  // what the agent asked for
	selecting bool   // hunks are being selected
	text      string // verbatim: what is written if no hunk is refused
	edited    *Diff  // of the text as the user edited it; nil if it is the agent's
	refused   []bool // by hunk
	at        int    // the selected hunk
	reveal    bool   // scroll to the selected hunk
	editing   bool   // the editor is open or about to be
}

// writes holds the user's changes by the key of the question.
type writes map[uint64]*write

// start returns the changes to a question's write. It adds an empty one if there is none.
func (ws writes) start(cur permissions.Question, ds *diffs) *write {
	if ws[cur.Key] == nil {
		asked := &Diff{lines: linediff.Compare(linediff.Texts{})}
		if i := slices.IndexFunc(cur.Body, func(p permissions.Part) bool { return p.Kind == permissions.Diff }); i >= 0 {
			asked = ds.part(cur.Key, i, cur.Body[i])
		}
		ws[cur.Key] = &write{change: cur.Change, requested: asked, text: cur.Change.New}
	}
	return ws[cur.Key]
}

// changed reports whether the text to write differs from what the agent asked for.
func (w *write) changed() bool {
	return w != nil && (w.edited != nil || slices.Contains(w.refused, true))
}

// picking reports whether hunks are being selected.
func (w *write) picking() bool { return w != nil && w.selecting }

// diff returns the diff of the text with no hunk refused.
func (w *write) diff() *linediff.Diff {
	if w.edited != nil {
		return w.edited.lines
	}
	return w.requested.lines
}

// remaining returns the text to write, without the refused hunks; false if the hunks cannot be
// separated.
func (w *write) remaining() (string, bool) {
	if !slices.Contains(w.refused, true) {
		return w.text, true
	}
	return w.diff().Without(w.change.Old, w.text, w.refused)
}

// toggle starts or stops the selection of hunks and keeps which are refused. It returns
// false if there are no hunks.
func (w *write) toggle(reveal bool) bool {
	if w.selecting {
		w.selecting = false
		return true
	}
	n := len(w.diff().Changes())
	if n == 0 {
		return false
	}
	if len(w.refused) != n {
		w.refused, w.at = make([]bool, n), 0
	}
	w.selecting, w.reveal = true, reveal
	return true
}

// refuse refuses the selected hunk, or accepts a refused one again.
func (w *write) refuse() {
	if w.at < len(w.refused) {
		w.refused[w.at] = !w.refused[w.at]
	}
}

// selectHunk selects another hunk; false if that is not on the screen. Until all was read it
// scrolls at most one page, so that no row is skipped.
func (w *write) selectHunk(hunk int, s *sight) bool {
	switch {
	case hunk < 0 || hunk >= len(s.heads) || hunk >= len(w.refused):
		if hunk > 0 && !s.read { // rows after the last hunk have to be read, too
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

// asAsked drops the user's changes. edited reports whether the text had been edited.
func (w *write) asAsked() (edited bool) {
	edited = w.edited != nil
	*w = write{change: w.change, requested: w.requested, selecting: true, text: w.change.New, refused: make([]bool, len(w.requested.lines.Changes()))}
	return edited
}

// setText sets the text as the user edited it, and its diff.
func (w *write) setText(text string, diff *linediff.Diff) {
	n := len(diff.Changes())
	*w = write{change: w.change, requested: w.requested, selecting: n > 0, text: text, edited: &Diff{lines: diff}, refused: make([]bool, n)}
	if text == w.change.New {
		w.edited = nil
	}
}

// name returns the name of an option, with what is left of the write. A changed write can
// be allowed only once: off reports that the option does nothing.
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
	case refused == 0: // only the text was edited
		return o.Name + ", as edited", false
	case w.edited != nil:
		return fmt.Sprintf("%s: %d of %d hunks, as edited", o.Name, n-refused, n), false
	}
	return fmt.Sprintf("%s: %d of %d hunks", o.Name, n-refused, n), false
}

// rows draws the diff with a row above each hunk that says whether it is refused. heads are
// the indexes of those rows.
func (w *write) rows(l look) (rows []string, heads []int) {
	d := w.requested
	if w.edited != nil {
		rows = text.WrapInk(l.theme.Warn.Paint, "Edited by you: this will be written", "  ", l.width)
		d = w.edited
	}
	drawn, heads := diff.DrawPicks(d.lines, diff.Look{Width: l.width - 2, Syntax: d.syntax, Theme: l.theme}, w.picks(l))
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
		if w.selecting && i == w.at {
			mark = l.theme.Key.Paint("▸ ")
			if !no {
				ink = l.theme.Strong
			}
		}
		picks[i] = diff.Pick{Head: text.Truncate(mark+ink.Paint(words), l.width-2, "…"), Refused: no}
	}
	return picks
}

// Edited is the text of a write as the user edited it, with its diff to the file.
type Edited struct {
	key  uint64 // of the question
	text string
	diff *linediff.Diff
}

// CompareEdit compares a text that the user edited with what the file holds. It may take
// long; any goroutine may call it.
func CompareEdit(cur permissions.Question, text string) Edited {
	none := slices.ContainsFunc(cur.Body, func(p permissions.Part) bool { return p.Kind == permissions.Diff && p.NewFile })
	d := linediff.Texts{Path: cur.Change.Path, Old: safetext.Visible(cur.Change.Old), New: safetext.Visible(text), OldMissing: none}
	return Edited{cur.Key, text, linediff.Compare(d)}
}
