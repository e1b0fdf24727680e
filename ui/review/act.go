package review

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/notes"
	"parley/internal/safetext"
	"parley/internal/undo"
)

// undone is something that was undone and can be done again.
type undone struct {
	path string
	text *string // what the file held; nil: the whole change
	left string  // what it holds since
}

// maxUndone bounds the undone hunks that can be redone: each keeps two texts.
const maxUndone = 50

// acted is the result of changing or staging something.
type acted struct {
	r      *Review
	store  *Changes
	file   *file
	failed string // what did not happen
	did    string
	err    error
	staged []hunk
	undone *undone
	note   notes.Note // of what was undone
	redo   bool       // something was done again
	redone bool       // the last of undone was
}

const maxError = 200

// Handle implements layer.Message.
func (m acted) Handle() tea.Cmd {
	r := m.r
	if r.store != m.store {
		return nil
	}
	if m.err != nil {
		r.acting = false
		if n := len(r.undone); m.redone && n > 0 && errors.Is(m.err, undo.ErrChangedSince) {
			r.undone = r.undone[:n-1]
		}
		return r.out.Say(m.failed + " " + m.file.name + ": " + safetext.Line(m.err.Error(), maxError))
	}
	for _, h := range m.staged {
		r.staged[h] = true
	}
	said := r.out.Say(m.did + " " + m.file.name)
	if m.staged != nil {
		r.acting = false
		return said
	}
	if u := m.undone; u != nil {
		n := m.note
		n.Path = r.session.NameOf(n.Path)
		r.session.SetNotes(notes.Undo(r.session.Notes(), n))
		if u.text != nil {
			moveNotes(r.session, u.path, *u.text, u.left)
		}
		r.undone = append(r.undone, *m.undone)
		r.undone = slices.Delete(r.undone, 0, max(0, len(r.undone)-maxUndone))
	}
	if n := len(r.undone); m.redone && n > 0 {
		if u := r.undone[n-1]; u.text != nil {
			moveNotes(r.session, u.path, u.left, *u.text)
		}
		r.undone = r.undone[:n-1]
	}
	if m.redo {
		r.session.SetNotes(notes.Redo(r.session.Notes(), r.session.NameOf(m.file.Path)))
	}
	r.session.Changes.Count(0)
	return tea.Batch(said, r.list(r.asked))
}

// act handles the keys that keep, undo and stage. While one of these is under way it drops them,
// until the files are listed again: the diff that is shown is an old one.
func (r *Review) act(want intent.Intent) (cmd tea.Cmd, done bool) {
	f := r.current()
	whole := r.inTree
	switch want {
	case intent.KeepFile, intent.UndoFile, intent.StageFile:
		whole = true
	case intent.KeepHunk, intent.UndoHunk, intent.StageHunk, intent.Again:
	default:
		return nil, false
	}
	switch {
	case f == nil || r.acting:
		return nil, true
	case want == intent.Again:
		return r.again(), true
	case f.Undone:
		return r.out.Say(f.name + " is undone already; " + r.env.Keys.Label(intent.Review, intent.Again) + " redoes its change"), true
	case f.doc == nil && !f.counted:
		return r.out.Say("Still reading " + f.name), true
	}
	hunks := f.hunks
	if f.doc != nil {
		hunks = f.doc.hunks
	}
	switch {
	case len(hunks) < 2:
		whole = true // there is nothing else in it
	case !whole && (f.doc == nil || r.change >= len(hunks)):
		return r.out.Say("Still reading " + f.name), true
	}
	switch want {
	case intent.KeepHunk, intent.KeepFile:
		return r.keep(f, whole), true
	case intent.UndoHunk, intent.UndoFile:
		return r.undo(f, whole), true
	}
	return r.stage(f, whole), true
}

// keep marks a hunk or a file as kept, and shows the next; or takes the mark back.
func (r *Review) keep(f *file, whole bool) tea.Cmd {
	keys := f.keys()
	if !whole {
		keys = []hunk{{f.Path, f.doc.hunks[r.change]}}
	} else if f.doc != nil && f.doc.whole { // joined otherwise, where only blank lines are between
		for _, h := range f.doc.hunks {
			keys = append(keys, hunk{f.Path, h})
		}
	}
	for _, h := range keys {
		delete(r.flipped, h)
	}
	if !slices.ContainsFunc(keys, func(h hunk) bool { return !r.kept[h] }) {
		for _, h := range keys {
			delete(r.kept, h)
		}
		return r.Read()
	}
	for _, h := range keys {
		r.kept[h] = true
	}
	switch {
	case r.inTree:
		r.showRow(1)
	case whole:
		r.nextFile(1)
	default:
		r.nextHunk(1)
	}
	return r.Read()
}

// flip folds the selected hunk, or opens it.
func (r *Review) flip() {
	f := r.current()
	if f == nil || f.doc == nil || r.change >= len(f.doc.hunks) {
		return
	}
	is := hunk{f.Path, f.doc.hunks[r.change]}
	if r.flipped[is] = !r.flipped[is]; !r.flipped[is] {
		delete(r.flipped, is)
	}
}

// only returns which hunks are to be refused, so that only the selected one is left, or all others.
func (r *Review) only(f *file, left bool) []bool {
	refused := make([]bool, len(f.doc.hunks))
	for i := range refused {
		refused[i] = (i == r.change) != left
	}
	return refused
}

func (r *Review) undo(f *file, whole bool) tea.Cmd {
	const failed = "Not undone:"
	if whole {
		did := "Restored"
		if f.Kind == undo.Created {
			did = "Removed"
		}
		return r.do(acted{file: f, failed: failed, did: did, undone: &undone{path: f.Path}, note: f.aboutFile(true)}, func(s *Changes, c undo.Change) error { return s.Undo(context.Background(), []undo.Change{c})[0].Err })
	}
	d := f.doc
	content, ok := d.diff.Without(d.before, d.after, r.only(f, false))
	if !ok {
		return r.out.Say("Not undone: the hunks of " + f.name + " cannot be separated")
	}
	return r.do(acted{file: f, failed: failed, did: "Undid 1 hunk of", undone: &undone{f.Path, &d.after, content}, note: f.aboutLines(d.diff.Excerpt(r.change))}, func(s *Changes, c undo.Change) error { return s.Rewrite(context.Background(), c, content) })
}

// again does again what was undone last, or else the file that is shown.
func (r *Review) again() tea.Cmd {
	const failed = "Not redone:"
	f := r.current()
	var u undone
	last := len(r.undone) > 0
	if last {
		u = r.undone[len(r.undone)-1]
		i := slices.IndexFunc(r.files, func(f *file) bool { return f.Path == u.path && f.Undone == (u.text == nil) })
		if i < 0 {
			r.undone = r.undone[:len(r.undone)-1]
			return r.out.Say("Not redone: it is not among these changes")
		}
		f = r.files[i]
	} else if !f.Undone {
		return r.out.Say("Nothing was undone here")
	}
	return r.do(acted{file: f, failed: failed, did: "Redid", redo: true, redone: last}, func(s *Changes, c undo.Change) error {
		if u.text == nil {
			return s.Redo(context.Background(), []undo.Change{c})[0].Err
		}
		if _, after, ok := s.Texts(c); !ok || after != u.left {
			return undo.ErrChangedSince
		}
		return s.Rewrite(context.Background(), c, *u.text)
	})
}

func (r *Review) stage(f *file, whole bool) tea.Cmd {
	const failed = "Not staged:"
	if whole {
		return r.do(acted{file: f, failed: failed, did: "Staged", staged: f.keys()}, func(s *Changes, c undo.Change) error { return s.Stage(context.Background(), c, nil) })
	}
	d := f.doc
	content, ok := d.diff.Without(d.before, d.after, r.only(f, true))
	if !ok {
		return r.out.Say("Not staged: the hunks of " + f.name + " cannot be separated")
	}
	return r.do(acted{file: f, failed: failed, did: "Staged 1 hunk of", staged: []hunk{{f.Path, d.hunks[r.change]}}}, func(s *Changes, c undo.Change) error { return s.Stage(context.Background(), c, &content) })
}

// do changes something in a command.
func (r *Review) do(m acted, change func(*Changes, undo.Change) error) tea.Cmd {
	m.r, m.store, r.acting = r, r.store, true
	c := m.file.Change
	return func() tea.Msg {
		m.err = change(m.store, c)
		return m
	}
}
