package review

import (
	"fmt"
	"path"

	"parley/internal/text"
	"parley/internal/undo"
	"parley/ui/theme"
)

// tree is the list of files, by their directories.
type tree struct {
	rows   []treeRow
	at     int             // the selected row
	folded map[string]bool // directories
}

// treeRow is a row of the tree: a directory, or a file in it.
type treeRow struct {
	dir  string
	file int // -1: the directory itself
}

// plant makes the rows for files, of which one is shown.
func (t *tree) plant(files []*file, shown int) {
	t.rows = nil
	last := ""
	for i, f := range files {
		dir := path.Dir(f.name)
		if i == 0 || dir != last {
			t.rows = append(t.rows, treeRow{dir, -1})
			last = dir
		}
		if !t.folded[dir] {
			t.rows = append(t.rows, treeRow{dir, i})
		}
	}
	t.seek(files, shown)
}

// seek selects the row of the file that is shown, or of its directory.
func (t *tree) seek(files []*file, shown int) {
	t.at = min(t.at, max(0, len(t.rows)-1))
	for i, row := range t.rows {
		if row.file == shown || shown < len(files) && row.file < 0 && t.folded[row.dir] && row.dir == path.Dir(files[shown].name) {
			t.at = i
			return
		}
	}
}

// onDir reports whether a directory is selected.
func (t *tree) onDir() bool { return t.at < len(t.rows) && t.rows[t.at].file < 0 }

// fold folds or opens the directory of the selected row.
func (t *tree) fold(files []*file, shown int) {
	if t.at >= len(t.rows) {
		return
	}
	dir := t.rows[t.at].dir
	if t.folded[dir] = !t.folded[dir]; !t.folded[dir] {
		delete(t.folded, dir)
	}
	t.plant(files, shown)
	for i, row := range t.rows {
		if row.dir == dir && row.file < 0 {
			t.at = i
		}
	}
}

// move moves through the rows and returns the file that it comes to; -1 for a directory.
func (t *tree) move(by int) int {
	t.at = max(0, min(len(t.rows)-1, t.at+by))
	if t.at < len(t.rows) {
		return t.rows[t.at].file
	}
	return -1
}

// top returns the first row that is visible where so many fit.
func (t *tree) top(height int) int {
	return max(0, min(t.at-height/2, len(t.rows)-height))
}

var letters = map[undo.Kind]string{undo.Created: "A", undo.Changed: "M", undo.Deleted: "D", undo.Renamed: "R", undo.Mode: "M"}

// treeRows draws the visible rows of the tree.
func (r *drawing) treeRows(width int) (rows []string) {
	th, from := r.env.Theme, r.tree.top(r.rows)
	for i := from; i < min(len(r.tree.rows), from+r.rows); i++ {
		row := r.tree.rows[i]
		if row.file < 0 {
			name, sign := row.dir+"/", "▾ "
			if row.dir == "." {
				name = "./"
			}
			if r.tree.folded[row.dir] {
				sign = "▸ "
			}
			name = text.Truncate(sign+name, width, "…")
			if r.inTree && i == r.tree.at {
				rows = append(rows, th.Selected.Paint(name))
			} else {
				rows = append(rows, th.Dim.Paint(name))
			}
			continue
		}
		rows = append(rows, r.treeFile(r.files[row.file], row.file == r.at, i == r.tree.at, width))
	}
	return rows
}

func (r *drawing) treeFile(f *file, shown, selected bool, width int) string {
	th := r.env.Theme
	mark, counts, plain := "  ", "", ""
	switch {
	case f.Undone:
		plain = "restored"
		if f.Kind == undo.Created {
			plain = "removed"
		}
		counts = th.Dim.Paint(plain)
	case f.counted && f.added+f.removed > 0:
		plain = fmt.Sprintf("+%d −%d", f.added, f.removed)
		counts = th.Good.Paint(fmt.Sprintf("+%d", f.added)) + " " + th.Bad.Paint(fmt.Sprintf("−%d", f.removed))
	}
	if f.all(r.kept) {
		mark = th.Good.Paint("✓ ")
	} else if f.all(r.staged) {
		mark = th.Accent.Paint("● ")
	}
	if shown {
		mark = th.Key.Paint("▸ ")
	}
	noted := ""
	if len(notesOn(r.session, f.Path)) > 0 {
		noted = " " + noteSign
	}
	letter := letters[f.Kind] + " "
	room := width - 4 - text.Width(noted) - text.Width(plain) - 1
	if room < 8 {
		room, counts, plain = width-4-text.Width(noted), "", ""
	}
	name := text.Truncate(path.Base(f.name), max(1, room), "…")
	pad := max(0, width-4-text.Width(name)-text.Width(noted)-text.Width(plain))
	ink := th.Text
	switch {
	case selected && r.inTree:
		ink = th.Selected
	case shown:
		ink = th.Strong
	case f.Undone || f.all(r.kept):
		ink = th.Dim
	}
	return mark + th.Dim.Paint(letter) + ink.Paint(name) + th.Accent.Paint(noted) + spaces(pad) + counts
}

func spaces(n int) string { return fmt.Sprintf("%*s", n, "") }

// paint is the ink of a kind of change.
func paint(kind undo.Kind, th *theme.Theme) theme.Ink {
	switch kind {
	case undo.Created:
		return th.Good
	case undo.Deleted:
		return th.Bad
	}
	return th.Accent
}
