package workspace

import (
	"path/filepath"

	"parley/internal/notes"
)

// Notes returns what the user has to say about the work and has not sent. The caller must not change them.
func (s *Session) Notes() []notes.Note { return s.notes }

// SetNotes replaces the notes.
func (s *Session) SetNotes(all []notes.Note) { s.notes = all }

// NameOf returns a path as prompts of the session name it: relative to its directory if it is below
// that, with slashes.
func (s *Session) NameOf(path string) string {
	if rel, err := filepath.Rel(s.LocalDir(), path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return filepath.ToSlash(path)
}
