package workspace

import (
	"path/filepath"

	"parley/internal/notes"
	"parley/internal/undo"
)

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
			s.Notes = notes.Undo(s.Notes, notes.Note{Path: path})
		default:
			s.Notes = notes.Redo(s.Notes, path)
		}
	}
}
