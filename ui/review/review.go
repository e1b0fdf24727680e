// Package review shows the changes of a session file by file, as a tree and a diff, of which each
// hunk and each file can be kept, undone and staged. It does not know the page.
package review

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/linediff"
	"parley/internal/notes"
	"parley/internal/undo"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/widget/diff"
)

// Effects that a review adds to those of its page.
type (
	OpenFile  event.Location // open the file in the editor
	WriteNote notes.Note     // let the user write a note; its path is the file's, verbatim
	Left      struct{}       // the user has closed the review
)

// Changes are those of a session. Short returns a path as it is shown, safe to show.
type Changes struct {
	workspace.Journal
	Short func(path string) string
}

// Review is the review of one session. As a layer it has all keys while it is open.
type Review struct {
	env     *layer.Env
	out     *layer.Effects
	session *workspace.Session
	hasKeys func() bool // the page has them, and not one beside it
	store   *Changes    // nil while the review is closed

	first int      // the turn that it begins with
	asked int      // the turn that was asked for last; latest until that is known
	turns []int    // that have changed files
	gaps  []string // what is not recorded
	files []*file
	ready bool // the files are listed

	at     int    // the file that is shown
	absent string // the file to show, if it has not changed; at is then the number of files
	change int    // the selected hunk of its diff
	top    int    // the first visible line of its diff

	tree     tree
	inTree   bool // the tree has the keys
	fromTree bool // esc in the diff gives them back to the tree
	sides    bool // the user wants two columns
	unified  bool // the user wants one column
	whole    bool // whole files, not only what is next to a change

	kept, staged map[hunk]bool
	flipped      map[hunk]bool // the user has folded them, or opened them although they are kept
	undone       []undone      // what r does again, the latest last
	acting       bool          // something is being changed
	counting     bool          // files are being compared for their counts

	picked        picked
	search        search
	width, height int // of the last frame
	resized       bool
}

// entry is the change of one file, with its path and its old one as they are shown.
type entry struct {
	undo.Change
	name, was string
}

// file is an entry with what was read of it.
type file struct {
	entry
	counted        bool
	added, removed int
	hunks          []uint64 // what identifies them
	doc            *document
	reading        bool
	unnamed        bool // something wrote it that no tool call named
}

// hunk identifies a hunk of a file; its hash is 0 for a file without hunks.
type hunk struct {
	path string
	hash uint64
}

// document is the content of a file's change, ready to be drawn. It does not change once made.
type document struct {
	before, after string
	text          bool // they are known
	diff          *linediff.Diff
	hunks         []uint64 // what identifies them
	sheet         *diff.Sheet
	syntax        *diff.Syntax
	whole, sides  bool
	folded        []bool
}

// New makes the review of a session. hasKeys reports whether its page has the keys, and not one beside it.
func New(env *layer.Env, out *layer.Effects, session *workspace.Session, hasKeys func() bool) *Review {
	return &Review{env: env, out: out, session: session, hasKeys: hasKeys, tree: tree{folded: map[string]bool{}}, kept: map[hunk]bool{}, flipped: map[hunk]bool{}, staged: map[hunk]bool{}}
}

// Open reports whether the review is on the screen.
func (r *Review) Open() bool { return r.store != nil }

// Start opens the review with the latest turn that has changed files.
func (r *Review) Start(store *Changes) tea.Cmd { return r.StartSince(store, latest) }

// StartSince opens the review with the changes of a turn and all later ones.
func (r *Review) StartSince(store *Changes, turn int) tea.Cmd {
	r.store, r.ready, r.files, r.tree.rows, r.inTree, r.fromTree, r.acting = store, false, nil, nil, false, false, false
	r.search = search{last: r.search.last}
	r.first = turn
	return r.list(turn)
}

// StartAt opens the review with all changes, at the file of that name.
func (r *Review) StartAt(store *Changes, name string) tea.Cmd {
	cmd := r.StartSince(store, 0)
	r.absent = name
	return cmd
}

// Close closes the review. What was kept stays kept.
func (r *Review) Close() {
	r.store, r.files, r.tree.rows, r.undone, r.picked = nil, nil, nil, nil, picked{}
}

// current returns the file that is shown, or nil.
func (r *Review) current() *file {
	if r.at < len(r.files) {
		return r.files[r.at]
	}
	return nil
}

// Shown returns the name of the file that is shown, or "".
func (r *Review) Shown() string {
	if f := r.current(); f != nil {
		return f.name
	}
	return r.absent
}

// Follow shows a file by its name, or says that it has not changed.
func (r *Review) Follow(name string) {
	if !r.ready || name == "" || name == r.Shown() {
		return
	}
	i := slices.IndexFunc(r.files, func(f *file) bool { return f.name == name })
	if i < 0 {
		r.show(len(r.files))
		r.absent = name
		return
	}
	r.show(i)
	r.tree.seek(r.files, r.at)
}

// sheet returns the lines that are shown, or nil.
func (r *Review) sheet() *diff.Sheet {
	if f := r.current(); f != nil && f.doc != nil && !f.Undone {
		return f.doc.sheet
	}
	return nil
}

// keys returns what identifies the hunks of a file, or the file if it has none.
func (f *file) keys() []hunk {
	if len(f.hunks) == 0 {
		return []hunk{{path: f.Path + "\x00" + f.Version}}
	}
	all := make([]hunk, 0, len(f.hunks))
	for _, h := range f.hunks {
		all = append(all, hunk{f.Path, h})
	}
	return all
}

// all reports whether a set has all hunks of a file.
func (f *file) all(set map[hunk]bool) bool {
	return f.counted && !slices.ContainsFunc(f.keys(), func(h hunk) bool { return !set[h] })
}

// Saw implements layer.Viewer.
func (r *Review) Saw(width, height int) {
	r.resized = r.resized || r.width != width || r.height != height
	r.width, r.height = width, height
}

// Resized shows the selected hunk in a frame of another size, and reports whether that scrolled.
func (r *Review) Resized() bool {
	if !r.resized {
		return false
	}
	r.resized = false
	top := r.top
	r.keepPlace()
	return r.top != top
}

// Paste implements layer.Paster.
func (r *Review) Paste(text string) (tea.Cmd, bool) {
	if r.search.typing {
		r.search.text += oneLine(text)
	}
	return nil, true
}

// Wheel implements layer.Wheeler.
func (r *Review) Wheel(rows int) {
	if r.inTree {
		r.showRow(rows)
		return
	}
	r.scroll(rows)
}

// Click implements layer.Clicker: a click on a file shows it, one on a line selects it.
func (r *Review) Click(x, y int, up bool) bool {
	tree, _ := r.columns(r.width)
	if up && x >= tree+2 {
		r.pickRow(y)
	} else if row := r.tree.top(r.bodyHeight(r.height)) + y - 1; up && y > 0 && row < len(r.tree.rows) {
		if r.tree.at = row; r.tree.onDir() {
			r.tree.fold(r.files, r.at)
		} else {
			r.show(r.tree.rows[row].file)
		}
	}
	return true
}
