package workspace

import "slices"

// edit is the place in the queue of a prompt that the user edits: it returns there.
type edit struct {
	on bool
	at int // queued prompts before it
}

// TakeQueued removes the queued prompt at index at for editing, and returns it.
func (s *Session) TakeQueued(at int) string {
	s.edit = edit{true, at}
	return s.DropQueued(at)
}

// DropQueued removes the queued prompt at index at, and returns it.
func (s *Session) DropQueued(at int) string {
	text := s.Queued[at]
	s.Queued = slices.Delete(slices.Clone(s.Queued), at, at+1)
	return text
}

// MoveQueued moves the queued prompt at index at by n places, as far as there are any, and returns its new index.
func (s *Session) MoveQueued(at, n int) int {
	to := max(0, min(at+n, len(s.Queued)-1))
	s.Queued = slices.Insert(slices.Delete(slices.Clone(s.Queued), at, at+1), to, s.Queued[at])
	return to
}

// Edited returns the place of the prompt that is being edited, false if none is.
func (s *Session) Edited() (at int, editing bool) { return s.edit.at, s.edit.on }

// ReturnEdited returns text to the place of the prompt that is being edited, or queues it last
// if none is.
func (s *Session) ReturnEdited(text string) {
	at := len(s.Queued)
	if s.edit.on {
		at = max(0, min(s.edit.at, at))
	}
	s.Queued = slices.Insert(slices.Clone(s.Queued), at, text)
	s.edit = edit{}
}

// EndEdit forgets the place of the prompt that was being edited.
func (s *Session) EndEdit() { s.edit = edit{} }
