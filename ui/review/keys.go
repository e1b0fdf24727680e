package review

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/linediff"
	"parley/internal/undo"
	"parley/ui/layer"
)

// Key takes all keys.
func (r *Review) Key(p layer.Press) (tea.Cmd, bool) {
	if r.search.typing {
		if r.search.key(p) {
			return r.find(1), true
		}
		return nil, true
	}
	want := r.env.Keys.Of(intent.Review, p.Name)
	if cmd, done := r.act(want); done {
		return cmd, true
	}
	if !r.move(want) {
		return r.other(want, p), true
	}
	return r.Read(), true
}

// move handles the keys that only change what is visible.
func (r *Review) move(want intent.Intent) bool {
	page := max(1, r.fits(r.top)-1)
	if step, ok := map[intent.Intent]int{intent.ScrollUp: -1, intent.ScrollDown: 1}[want]; ok && !r.inTree && r.picked.in(r.sheet()) {
		r.pick(step, true) // the selection moves, not the diff
		return true
	}
	switch want {
	case intent.ScrollUp, intent.ScrollDown, intent.PageUp, intent.PageDown, intent.First, intent.Last:
		by := map[intent.Intent]int{intent.ScrollUp: -1, intent.ScrollDown: 1, intent.PageUp: -page, intent.PageDown: page, intent.First: -1 << 30, intent.Last: 1 << 30}[want]
		if r.inTree {
			if want == intent.PageUp || want == intent.PageDown {
				by = by / page * max(1, r.bodyHeight(r.height)-1)
			}
			r.showRow(by)
			return true
		}
		r.scroll(by)
	case intent.NextHunk:
		r.nextHunk(1)
	case intent.PreviousHunk:
		r.nextHunk(-1)
	case intent.NextFile:
		r.nextFile(1)
	case intent.PreviousFile:
		r.nextFile(-1)
	case intent.FocusTree:
		r.inTree, r.fromTree = !r.inTree, r.inTree
		r.tree.seek(r.files, r.at)
	case intent.Fold:
		if !r.inTree {
			r.flip()
		} else {
			r.tree.fold(r.files, r.at)
		}
	case intent.Open:
		if r.inTree && r.tree.onDir() {
			r.tree.fold(r.files, r.at)
		} else {
			r.fromTree = r.fromTree || r.inTree
			r.inTree = false
		}
	case intent.SelectDown, intent.SelectUp:
		r.pick(map[intent.Intent]int{intent.SelectDown: 1, intent.SelectUp: -1}[want], false)
	case intent.SideBySide:
		two := r.twoColumns()
		r.sides, r.unified = !two, two
	case intent.WholeFile:
		r.whole = !r.whole
	default:
		return false
	}
	return true
}

// other handles the remaining keys.
func (r *Review) other(want intent.Intent, p layer.Press) tea.Cmd {
	switch want {
	case intent.Leave:
		switch {
		case r.search.found != nil:
			r.search.found = nil
		case r.picked.in(r.sheet()):
			r.picked = picked{}
		case r.fromTree && !r.inTree:
			r.inTree, r.fromTree = true, false
			r.tree.seek(r.files, r.at)
		default:
			r.Close()
			return r.out.Add(Left{})
		}
	case intent.Search:
		r.search.typing, r.search.text = true, ""
	case intent.SearchNext:
		return r.find(1)
	case intent.SearchPrevious:
		return r.find(-1)
	case intent.OpenFile:
		return r.openFile()
	case intent.Copy:
		if patch := r.current().patch(); patch != nil {
			return r.out.Add(layer.Copy(patch))
		}
		return r.out.Say("Nothing to copy here")
	case intent.EarlierTurn, intent.LaterTurn, intent.AllTurns:
		return r.rescope(want)
	case intent.WriteNote:
		return r.writeNote()
	case intent.ToggleHelp, intent.ShowNotes:
		return r.out.Add(layer.Do(want))
	default:
		switch {
		case p.Want == intent.Interrupt || p.Want == intent.Stop:
			r.Close()
			return r.out.Add(Left{})
		case p.Want == intent.FocusQuestion:
			r.Close()
			return r.out.Add(layer.Do(p.Want))
		case !layer.Printable(p.KeyPressMsg) && p.Want != intent.Send:
			return r.out.Add(layer.Do(p.Want))
		}
	}
	return nil
}

// rescope changes which turns are reviewed.
func (r *Review) rescope(want intent.Intent) tea.Cmd {
	n := len(r.turns)
	if n == 0 {
		return nil
	}
	at, found := slices.BinarySearch(r.turns, r.first)
	if !found {
		at = min(at, n-1)
	}
	switch {
	case want == intent.EarlierTurn:
		at--
	case want == intent.LaterTurn:
		at++
	case at == 0:
		at = n - 1
	default:
		at = 0
	}
	if at < 0 || at >= n {
		return r.out.Say("No other turn has changed files")
	}
	return r.list(r.turns[at])
}

func (r *Review) openFile() tea.Cmd {
	f := r.current()
	if f == nil {
		return nil
	}
	gone := f.Kind == undo.Deleted
	if f.Undone {
		gone = f.Kind == undo.Created || f.Kind == undo.Renamed
	}
	if gone {
		return r.out.Say("There is no such file now: " + f.name)
	}
	line := 1
	if s := r.sheet(); s != nil && s.Len() > 0 {
		line = r.top
		if s.Changes() > 0 && !r.inTree {
			line = s.Begin(r.change)
		}
		line = max(1, s.FileLine(line))
	}
	return r.out.Add(OpenFile{Path: f.Path, Line: line})
}

// patch returns a function that makes the diff of the file as git and patch read it; nil if there is none.
func (f *file) patch() func() string {
	if f == nil || f.Undone || f.doc == nil || f.doc.diff == nil || f.doc.diff.TooLarge || f.doc.diff.Added+f.doc.diff.Removed == 0 {
		return nil
	}
	d, data := f.doc, f.entry
	before, after := linediff.PatchName("a/", cmp.Or(f.was, f.name)), linediff.PatchName("b/", f.name)
	switch f.Kind {
	case undo.Created:
		before = "/dev/null"
	case undo.Deleted:
		after = "/dev/null"
	}
	return func() string {
		return "--- " + before + "\n+++ " + after + "\n" + compare(data, d.before, d.after, false).Unified()
	}
}
