package workspace

import "slices"

// edit is the place of a prompt that was taken off the queue to be edited: it goes back
// there.
type edit struct {
	on bool
	at int // how many of those that wait are before it
}

// TakeQueued takes the prompt at a place off the queue, to be edited.
func (s *Session) TakeQueued(at int) string {
	text := s.Queued[at]
	s.Queued = slices.Delete(slices.Clone(s.Queued), at, at+1)
	s.edit = edit{true, at}
	return text
}

// Edited is the place of the prompt that is being edited; false where none is.
func (s *Session) Edited() (at int, editing bool) { return s.edit.at, s.edit.on }

// PutBack puts the prompt that is being edited back to its place, or the text after all
// that wait where none is.
func (s *Session) PutBack(text string) {
	at := len(s.Queued)
	if s.edit.on {
		at = max(0, min(s.edit.at, at))
	}
	s.Queued = slices.Insert(slices.Clone(s.Queued), at, text)
	s.edit = edit{}
}

// EndEdit notes that the prompt that is being edited is not to go back.
func (s *Session) EndEdit() { s.edit = edit{} }
