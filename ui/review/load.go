package review

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/linediff"
	"parley/internal/safetext"
	"parley/internal/undo"
	"parley/internal/workspace"
	"parley/ui/widget/diff"
)

// latest as a turn means the latest that has changed files.
const latest = -1

const (
	maxDocuments = 16 // that are kept
	countFor     = 30 * time.Millisecond
	maxColours   = 20_000 // lines of a diff that get colours
	moreColours  = 1000   // lines that get them at once
)

// listed are the changes since a turn.
type listed struct {
	r     *Review
	store *Changes
	first int
	files []*file
	turns []int
	gaps  []string
}

// list lists the changes since a turn.
func (r *Review) list(first int) tea.Cmd {
	store := r.store
	r.asked = first
	return func() tea.Msg {
		from := first
		var turns []int
		for _, c := range store.Changes() {
			turns = append(turns, c.Turn)
		}
		slices.Sort(turns)
		if from == latest && len(turns) > 0 {
			from = turns[len(turns)-1]
		}
		var files []*file
		for _, c := range store.Since(max(from, 0)) {
			f := &file{entry: entry{Change: c, name: filepath.ToSlash(store.Short(c.Path))}}
			if c.From != "" {
				f.was = filepath.ToSlash(store.Short(c.From))
			}
			files = append(files, f)
		}
		slices.SortStableFunc(files, func(a, b *file) int {
			return cmp.Or(cmp.Compare(path.Dir(a.name), path.Dir(b.name)), cmp.Compare(a.name, b.name))
		})
		return listed{r, store, from, files, slices.Compact(turns), store.NotRecorded()}
	}
}

// Refresh lists the changes again.
func (r *Review) Refresh() tea.Cmd { return r.list(r.asked) }

// Handle implements layer.Message.
func (m listed) Handle() tea.Cmd {
	r := m.r
	if r.store != m.store {
		return nil
	}
	r.acting = false
	if len(m.files) == 0 && !r.ready && r.session.Compared() == nil {
		r.Close()
		return r.out.Say(workspace.NoChanges(m.gaps))
	}
	was := map[string]*file{}
	shown := ""
	for _, f := range r.files {
		was[f.Path+"\x00"+f.Version] = f
	}
	if f := r.current(); f != nil {
		shown = f.Path
	}
	if r.asked == latest {
		r.asked = m.first
	}
	same := r.ready && r.first == m.first
	r.ready, r.first, r.turns, r.gaps, r.files = true, m.first, m.turns, m.gaps, nil
	at := 0
	for _, f := range m.files {
		next := f
		if old := was[f.Path+"\x00"+f.Version]; old != nil && same {
			next = old
			next.entry = f.entry
		}
		if f.Path == shown {
			at = len(r.files)
		}
		r.files = append(r.files, next)
	}
	r.tree.plant(r.files, r.at)
	if f := r.current(); f == nil || f.Path != shown || r.at != at {
		r.at = at
		if shown == "" || len(r.files) == 0 || r.files[at].Path != shown {
			r.change, r.top = 0, 0
		}
	}
	r.tree.seek(r.files, r.at)
	if r.absent != "" {
		name := r.absent
		r.absent = ""
		r.Follow(name)
	}
	return tea.Batch(r.Read(), r.count(0))
}

// Read reads the file that is shown, if that was not done yet or it is to be shown otherwise, and
// colours what is visible. It is called after each frame.
func (r *Review) Read() tea.Cmd {
	f := r.current()
	if f == nil || f.reading || f.Undone {
		return nil
	}
	folded := r.foldedHunks(f)
	sides := r.twoColumns()
	if d := f.doc; d != nil && (!d.text || d.whole == r.whole && d.sides == sides && slices.Equal(d.folded, folded)) {
		return r.colour(f)
	}
	f.reading = true
	store, data, old, whole := r.store, f.entry, f.doc, r.whole
	return func() tea.Msg {
		d := &document{whole: whole, sides: sides, folded: folded}
		switch {
		case old == nil:
			d.before, d.after, d.text = store.Texts(data.Change)
		default:
			d.before, d.after, d.text = old.before, old.after, old.text
		}
		if old != nil && old.whole == whole {
			d.diff, d.hunks, d.syntax = old.diff, old.hunks, old.syntax
		} else if d.text {
			d.diff = compare(data, d.before, d.after, whole)
			d.hunks = d.diff.ChangeKeys()
		}
		if d.diff != nil {
			d.sheet = diff.NewSheet(d.diff, sides, folded)
		}
		return loaded{r, f, d}
	}
}

// compare compares the texts of a file, line by line as they are in the file.
func compare(e entry, before, after string, whole bool) *linediff.Diff {
	return linediff.Compare(linediff.Texts{Path: e.name, Old: safetext.Source(before), New: safetext.Source(after), OldMissing: e.Kind == undo.Created, Whole: whole})
}

// loaded is a file that was read.
type loaded struct {
	r    *Review
	file *file
	doc  *document
}

// Handle implements layer.Message.
func (m loaded) Handle() tea.Cmd {
	r, f := m.r, m.file
	f.doc, f.reading = m.doc, false
	f.unnamed = f.OnDisk() && !r.session.Thread.NamesFile(f.Path)
	if !m.doc.whole {
		f.note(m.doc.diff)
	}
	forget(r.files, r.at)
	if f != r.current() {
		return nil
	}
	r.keepPlace()
	r.arrive()
	return r.Read() // colours it, or lays it out again if the user wants that by now
}

// note notes what the tree shows of a file.
func (f *file) note(d *linediff.Diff) {
	f.counted = true
	if d != nil {
		f.added, f.removed, f.hunks = d.Added, d.Removed, d.ChangeKeys()
	}
}

// foldedHunks returns which hunks of the document of a file are folded; nil if none is.
func (r *Review) foldedHunks(f *file) []bool {
	if f.doc == nil || f.doc.whole != r.whole || len(r.kept)+len(r.flipped) == 0 {
		return nil
	}
	var out []bool
	for i, h := range f.doc.hunks {
		if is := (hunk{f.Path, h}); r.kept[is] != r.flipped[is] {
			if out == nil {
				out = make([]bool, len(f.doc.hunks))
			}
			out[i] = true
		}
	}
	return out
}

// forget drops documents that are far from the file that is shown.
func forget(files []*file, shown int) {
	n := 0
	for _, f := range files {
		if f.doc != nil {
			n++
		}
	}
	for i, f := range files {
		if far := max(i-shown, shown-i); n > maxDocuments && f.doc != nil && far > 1 {
			f.doc = nil
			n--
		}
	}
}

// colour finds out the colours of the code that is visible.
func (r *Review) colour(f *file) tea.Cmd {
	d := f.doc
	end := r.top + max(r.height, 1)
	if d.diff == nil || d.syntax.Covers(min(end, d.diff.Lines())) || end > maxColours || !diff.Colours(r.env.Theme) {
		return nil
	}
	f.reading = true
	return func() tea.Msg {
		made := *d
		made.syntax = diff.Highlight(d.diff, end+moreColours)
		return loaded{r, f, &made}
	}
}

// counted are the counts of some files.
type counted struct {
	r     *Review
	store *Changes
	files []*file
	diffs []*linediff.Diff
	next  int
}

// count compares the files from an index on, for a while, and continues with the next ones.
func (r *Review) count(from int) tea.Cmd {
	store, files := r.store, r.files
	if r.counting {
		return nil
	}
	for from < len(files) && files[from].counted {
		from++
	}
	if from == len(files) {
		return nil
	}
	r.counting = true
	files = slices.Clone(files)
	skip, data := make([]bool, len(files)), make([]entry, len(files))
	for i, f := range files {
		skip[i], data[i] = f.counted, f.entry
	}
	return func() tea.Msg {
		m := counted{r: r, store: store}
		began := time.Now()
		for m.next = from; m.next < len(files) && time.Since(began) < countFor; m.next++ {
			if skip[m.next] {
				continue
			}
			var d *linediff.Diff
			if before, after, ok := store.Texts(data[m.next].Change); ok {
				d = compare(data[m.next], before, after, false)
			}
			m.files, m.diffs = append(m.files, files[m.next]), append(m.diffs, d)
		}
		return m
	}
}

// Handle implements layer.Message.
func (m counted) Handle() tea.Cmd {
	m.r.counting = false
	if m.r.store != m.store {
		return nil
	}
	for i, f := range m.files {
		f.note(m.diffs[i])
	}
	return m.r.count(0)
}
