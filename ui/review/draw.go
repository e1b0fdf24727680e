package review

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/internal/undo"
	"parley/internal/words"
	"parley/ui/widget/box"
	"parley/ui/widget/diff"
)

// Widths of the parts.
const (
	leastBeside = 100 // of a screen with the tree beside the diff
	mostTree    = 44
)

// columns returns the widths of the tree and of the diff inside of the frame. The tree has 0 where
// only the diff is shown, the diff has 0 where only the tree is.
func (r *Review) columns(width int) (tree, doc int) {
	inner := box.InnerWidth(width)
	switch {
	case width >= leastBeside:
		tree = min(mostTree, inner/3, inner-3-barWidth-diff.NumbersWidth)
		return tree, inner - tree - 3
	case r.inTree:
		return inner, 0
	}
	return 0, inner
}

// bodyHeight returns how many rows the frame has room for, without those of gapRows.
func (r *Review) bodyHeight(height int) int { return max(1, height-2-gapRows(r.gaps, height)) }

// gapRows returns how many rows say what is not recorded.
func gapRows(gaps []string, height int) int { return min(len(gaps), max(0, height-2)/8) }

// twoColumns reports whether the diff is drawn side by side.
func (r *Review) twoColumns() bool {
	_, width := r.columns(r.width)
	return r.sides || !r.unified && width >= diff.SidesWidth
}

// drawing is a review as it is drawn, with so many rows of the tree and of the diff.
type drawing struct {
	*Review
	rows int
}

// Rows draws the review over all of the page.
func (r *Review) Rows(width, height int) ([]string, *tea.Cursor) {
	th := r.env.Theme
	treeWidth, docWidth := r.columns(width)
	n := r.bodyHeight(height)
	d := &drawing{r, n}
	var tree, doc []string
	if treeWidth > 0 {
		tree = d.treeRows(treeWidth)
	}
	if docWidth > 0 {
		doc = d.docRows(docWidth)
	}
	body := make([]string, n)
	for i := range body {
		switch {
		case docWidth == 0:
			body[i] = get(tree, i)
		case treeWidth == 0:
			body[i] = get(doc, i)
		default:
			left := get(tree, i)
			body[i] = left + spaces(treeWidth-text.Width(left)) + th.Border.Paint(" │ ") + get(doc, i)
		}
	}
	for _, line := range r.gaps[:gapRows(r.gaps, height)] {
		body = append(body, th.Dim.Paint(text.Truncate(line, box.InnerWidth(width), "…")))
	}
	foot := d.foot(box.InnerWidth(width) - 2)
	var cursor *tea.Cursor
	if r.search.typing {
		foot = "/" + r.search.text
		cursor = tea.NewCursor(min(width-1, 4+text.Width(foot)), height-1)
	}
	return box.Box{Title: d.title(), Right: d.place(), Foot: foot, Body: body, Focused: r.hasKeys()}.Rows(width, th), cursor
}

func get(rows []string, i int) string {
	if i < len(rows) {
		return rows[i]
	}
	return ""
}

// title says what is reviewed.
func (r *drawing) title() string {
	if !r.ready {
		return "Review"
	}
	added, removed := 0, 0
	for _, f := range r.files {
		if !f.Undone {
			added, removed = added+f.added, removed+f.removed
		}
	}
	title := "Review: " + r.scope()
	if len(r.turns) > 0 {
		title += " · " + words.Count(len(r.files), "file")
	}
	if added+removed > 0 { // else no file has lines that could be compared
		title += fmt.Sprintf(" +%d −%d", added, removed)
	}
	return title
}

// scope says which turns the review covers.
func (r *drawing) scope() string {
	switch n := len(r.turns); {
	case n == 0:
		return "no changes"
	case r.first >= r.turns[n-1]:
		return fmt.Sprintf("turn %d", r.turns[n-1])
	case r.first <= r.turns[0]:
		return "all turns"
	}
	return fmt.Sprintf("since turn %d", r.first)
}

// place says where the reader is.
func (r *drawing) place() string {
	if r.current() == nil {
		return ""
	}
	out := fmt.Sprintf("file %d of %d", r.at+1, len(r.files))
	if s := r.sheet(); s != nil && s.Changes() > 0 {
		out = fmt.Sprintf("hunk %d of %d · ", r.change+1, s.Changes()) + out
	}
	return out
}

// footKey is an action that the footer names, with its keys.
type footKey struct {
	of   []intent.Intent
	does string
}

// foot names the keys of what has the focus: the list of files, selected lines, or the diff. The most
// important come first, as many as fit.
func (r *drawing) foot(width int) string {
	pair := func(next, previous intent.Intent, does string) footKey {
		return footKey{[]intent.Intent{next, previous}, does}
	}
	one := func(i intent.Intent, does string) footKey { return footKey{[]intent.Intent{i}, does} }
	keys := []footKey{pair(intent.NextHunk, intent.PreviousHunk, "hunk"), one(intent.KeepHunk, "keep"), one(intent.UndoHunk, "undo"), one(intent.WriteNote, "note"),
		one(intent.FocusTree, "files"), one(intent.StageHunk, "stage"), pair(intent.NextFile, intent.PreviousFile, "file")}
	if len(r.undone) > 0 {
		keys = slices.Insert(keys, 3, one(intent.Again, "redo"))
	}
	if len(r.turns) > 1 {
		other := "all turns"
		if r.first <= r.turns[0] {
			other = "last turn"
		}
		keys = append(keys, one(intent.AllTurns, other))
	}
	help, leave := intent.Hint{Key: intent.ToggleHelp, Action: "all keys"}, intent.Hint{Key: intent.Leave, Action: "back"}
	switch {
	case r.inTree:
		keys = []footKey{one(intent.Open, "open"), one(intent.KeepHunk, "keep file"), one(intent.UndoHunk, "undo file"), one(intent.StageHunk, "stage file"), one(intent.WriteNote, "note")}
	case r.picked.in(r.sheet()):
		note := "note on these lines"
		if r.notePicked() {
			note = "edit the note"
		}
		keys = []footKey{pair(intent.ScrollDown, intent.ScrollUp, "line"), pair(intent.SelectDown, intent.SelectUp, "select"), one(intent.WriteNote, note)}
		leave.Action = "unselect"
	}
	out, last := "", r.env.Keys.Hints(intent.Review, help, leave)
	for _, k := range keys {
		label := ""
		for _, i := range k.of {
			if l := r.env.Keys.Label(intent.Review, i); l != "" {
				label += l + " "
			}
		}
		if more := label + k.does + " · "; label != "" && text.Width(out+more+last) <= width {
			out += more
		}
	}
	return out + last
}

// docRows draws the file that is shown: its name, and the visible part of the diff.
func (r *drawing) docRows(width int) []string {
	height := r.rows
	th := r.env.Theme
	f := r.current()
	switch {
	case !r.ready:
		return []string{th.Dim.Paint("Looking for changes…")}
	case r.absent != "":
		return []string{th.Strong.Paint(text.Truncate(r.absent, width, "…")), th.Dim.Paint("Not changed")}
	case f == nil:
		return []string{th.Dim.Paint("No changes left here")}
	}
	rows := r.head(f, width)
	s := r.sheet()
	if s == nil || s.Len() == 0 {
		return append(rows, text.WrapInk(th.Dim.Paint, r.note(f), "", width)...)
	}
	l := r.layout(f, s, width)
	l.look.Limit = max(1, height-len(rows))
	for line := min(r.top, s.Len()-1); line < s.Len() && len(rows) < height; line++ {
		rows = append(rows, l.draw(line, func(k int) string { return r.hunkRow(f, k, l.look.Width) })...)
	}
	return rows[:min(len(rows), height)]
}

// head is what is said about a file above its diff.
func (r *Review) head(f *file, width int) []string {
	th := r.env.Theme
	name := f.name
	if f.was != "" {
		name = f.was + " → " + f.name
	}
	about := f.Kind.String()
	switch {
	case f.Modes != "" && f.Kind == undo.Mode:
		about += " " + f.Modes
	case f.Modes != "":
		about += " · mode " + f.Modes
	}
	if f.Link {
		about += " · symbolic link"
	}
	if f.all(r.staged) {
		about += " · staged"
	}
	if n := len(notesOn(r.session, f.Path)); n > 0 {
		about += " · " + words.Count(n, "note")
	}
	about += fmt.Sprintf(" · turn %d · %s", f.Turn, f.By)
	if f.unnamed {
		about += " · not reported by the agent"
	}
	rows := []string{
		text.Truncate(paint(f.Kind, th).Paint(letters[f.Kind])+" "+th.Strong.Paint(name), width, "…"),
		th.Dim.Paint(text.Truncate(about, width, "…")),
	}
	if f.NoUndoReason != "" {
		rows = append(rows, th.Warn.Paint(text.Truncate("Cannot be undone: "+f.NoUndoReason, width, "…")))
	}
	for _, n := range notesOn(r.session, f.Path) {
		if r.noteLine(n) < 0 {
			rows = append(rows, noteRows(above(n), width, th)...)
		}
	}
	return rows
}

// note is what is shown instead of a diff.
func (r *drawing) note(f *file) string {
	size := func(n int64) string {
		if n < 0 {
			return "nothing"
		}
		return words.Bytes(n)
	}
	switch {
	case f.Undone:
		did := "Restored. "
		if f.Kind == undo.Created {
			did = "Removed. "
		}
		return did + r.env.Keys.Label(intent.Review, intent.Again) + " redoes its change."
	case f.doc == nil:
		return "Reading…"
	case f.Kind == undo.Renamed:
		return "Renamed; the content is the same."
	case f.Kind == undo.Mode:
		return "Only the mode has changed: " + f.Modes + "."
	case f.NoUndoReason != "":
		return fmt.Sprintf("The content is not kept: %s before, %s now.", size(f.Before), size(f.After))
	case !f.doc.text:
		return fmt.Sprintf("Binary file: %s before, %s now.", size(f.Before), size(f.After))
	case f.Kind == undo.Created:
		return "A new empty file."
	case f.doc.diff.TooLarge:
		return fmt.Sprintf("Too large to compare: %s before, %s now.", size(f.Before), size(f.After))
	}
	return "Nothing to show: " + size(f.Before) + " before, " + size(f.After) + " now."
}

// hunkRow is the row above a hunk.
func (r *drawing) hunkRow(f *file, k, width int) string {
	th := r.env.Theme
	is := hunk{f.Path, f.doc.hunks[k]}
	words, ink := fmt.Sprintf("hunk %d of %d", k+1, len(f.doc.hunks)), th.DiffHunk
	if r.staged[is] {
		words += " · staged"
	}
	if r.kept[is] {
		words += " · ✓ kept"
	}
	if k < len(f.doc.folded) && f.doc.folded[k] {
		words += " · folded"
	}
	if k == r.change && !r.inTree {
		ink = th.Strong
	}
	return text.Truncate(ink.Paint(words), width, "…")
}
