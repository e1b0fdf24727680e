package review

import (
	"fmt"
	"path"

	"parley/internal/text"
	"parley/internal/undo"
	"parley/ui/theme"
)

// treeRow is a row of the tree: a directory, or a file in it.
type treeRow struct {
	dir  string
	file int // -1: the directory itself
}

// plant makes the rows of the tree.
func (r *Review) plant() {
	r.tree = nil
	last := ""
	for i, f := range r.files {
		dir := path.Dir(f.name)
		if i == 0 || dir != last {
			r.tree = append(r.tree, treeRow{dir, -1})
			last = dir
		}
		if !r.folded[dir] {
			r.tree = append(r.tree, treeRow{dir, i})
		}
	}
	r.seek()
}

// seek selects the row of the file that is shown, or of its directory.
func (r *Review) seek() {
	r.row = min(r.row, max(0, len(r.tree)-1))
	f := r.current()
	for i, row := range r.tree {
		if row.file == r.at || f != nil && row.file < 0 && r.folded[row.dir] && row.dir == path.Dir(f.name) {
			r.row = i
			return
		}
	}
}

// fold folds or opens the directory of a row.
func (r *Review) fold(row int) {
	dir := r.tree[row].dir
	if r.folded[dir] = !r.folded[dir]; !r.folded[dir] {
		delete(r.folded, dir)
	}
	r.plant()
	for i, t := range r.tree {
		if t.dir == dir && t.file < 0 {
			r.row = i
		}
	}
}

// moveInTree moves through the rows and shows the file that it comes to.
func (r *Review) moveInTree(by int) {
	r.row = max(0, min(len(r.tree)-1, r.row+by))
	if r.row < len(r.tree) && r.tree[r.row].file >= 0 {
		r.show(r.tree[r.row].file)
	}
}

// treeTop returns the first row that is visible where so many fit.
func (r *Review) treeTop(height int) int {
	return max(0, min(r.row-height/2, len(r.tree)-height))
}

var letters = map[undo.Kind]string{undo.Created: "A", undo.Changed: "M", undo.Deleted: "D", undo.Renamed: "R", undo.Mode: "M"}

// treeRows draws the visible rows.
func (r *Review) treeRows(width, height int) (rows []string) {
	th, from := r.env.Theme, r.treeTop(height)
	for i := from; i < min(len(r.tree), from+height); i++ {
		row := r.tree[i]
		if row.file < 0 {
			name, sign := row.dir+"/", "▾ "
			if row.dir == "." {
				name = "./"
			}
			if r.folded[row.dir] {
				sign = "▸ "
			}
			name = text.Truncate(sign+name, width, "…")
			if r.inTree && i == r.row {
				rows = append(rows, th.Selected.Paint(name))
			} else {
				rows = append(rows, th.Dim.Paint(name))
			}
			continue
		}
		rows = append(rows, r.treeFile(r.files[row.file], row.file == r.at, i == r.row, width))
	}
	return rows
}

func (r *Review) treeFile(f *file, shown, selected bool, width int) string {
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
	if len(r.host.Notes(f.Path)) > 0 {
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
