package workspace

import (
	"path/filepath"

	"parley/internal/notes"
	"parley/internal/undo"
)

// Notes returns what the user has to say about the work and has not sent. The caller must not change them.
func (s *Session) Notes() []notes.Note { return s.notes }

// SetNotes replaces the notes.
func (s *Session) SetNotes(all []notes.Note) { s.notes = all }

// AddNotes adds notes that were saved, or written in another session, before those that there are.
func (s *Session) AddNotes(others []notes.Note) { s.notes = notes.Merge(s.notes, others) }

// NameOf returns a path as prompts of the session name it: relative to its directory if it is below
// that, with slashes.
func (s *Session) NameOf(path string) string {
	if rel, err := filepath.Rel(s.LocalDir(), path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return filepath.ToSlash(path)
}

// NoteUndone records which files were restored or, if undone is false, that they no longer are, so that
// the user can tell the agent.
func (s *Session) NoteUndone(results []undo.Result, undone bool) {
	for _, r := range results {
		path := s.NameOf(r.Change.Path)
		switch {
		case r.Err != nil:
		case undone:
			s.notes = notes.Undo(s.notes, notes.Note{Path: path})
		default:
			s.notes = notes.Redo(s.notes, path)
		}
	}
}
