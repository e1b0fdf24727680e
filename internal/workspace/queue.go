package workspace

import "slices"

// edit is the place in the queue of a prompt that the user edits: it returns there.
type edit struct {
	on bool
	at int // queued prompts before it
}

// Queued returns the prompts that wait for the turn to end, the oldest first.
func (s *Session) Queued() []string { return s.queued }

// Paused reports whether the queue waits for the user, because a turn was stopped or failed, say.
func (s *Session) Paused() bool { return s.paused }

// Pause makes queued prompts wait for the user. An empty queue is not paused.
func (s *Session) Pause() { s.paused = len(s.queued) > 0 }

// PutBack puts a prompt that was not sent first in the queue, and pauses the queue.
func (s *Session) PutBack(text string) {
	s.queued, s.paused = append([]string{text}, s.queued...), true
}

// Adopt puts the prompts that wait in a session that was removed before those that wait in this one.
func (s *Session) Adopt(removed *Session) {
	s.queued, s.paused = append(slices.Clip(removed.queued), s.queued...), s.paused || removed.paused
	s.unconfirmed = append(slices.Clip(removed.unconfirmed), s.unconfirmed...)
}

// Unconfirmed returns the prompts that may not have arrived, the oldest first.
func (s *Session) Unconfirmed() UnconfirmedPrompts { return s.unconfirmed }

// TakeUnconfirmed removes and returns the oldest prompt that may not have arrived, or the newest; false if
// there is none.
func (s *Session) TakeUnconfirmed(newest bool) (UnconfirmedPrompt, bool) {
	return s.unconfirmed.Remove(newest)
}

// ShellOutput returns what goes with the next prompt: output of the user's commands, the conversation that a
// fork continues.
func (s *Session) ShellOutput() []string { return s.shellOutput }

// AddShellOutput adds the output of a command.
func (s *Session) AddShellOutput(block string) { s.shellOutput = append(s.shellOutput, block) }

// ReturnShellOutput adds what went with a prompt that the user has got back.
func (s *Session) ReturnShellOutput(blocks []string) {
	s.shellOutput = append(slices.Clip(blocks), s.shellOutput...)
}

// DropShellOutput removes the newest command output that would go with the next prompt;
// false if there is none.
func (s *Session) DropShellOutput() bool {
	n := len(s.shellOutput)
	if n == 0 {
		return false
	}
	s.shellOutput = s.shellOutput[:n-1]
	return true
}

// TakeQueued removes the queued prompt at index at for editing, and returns it.
func (s *Session) TakeQueued(at int) string {
	s.edit = edit{true, at}
	return s.DropQueued(at)
}

// DropQueued removes the queued prompt at index at, and returns it.
func (s *Session) DropQueued(at int) string {
	text := s.queued[at]
	s.queued = slices.Delete(slices.Clone(s.queued), at, at+1)
	return text
}

// MoveQueued moves the queued prompt at index at by n places, as far as there are any, and returns its new index.
func (s *Session) MoveQueued(at, n int) int {
	to := max(0, min(at+n, len(s.queued)-1))
	s.queued = slices.Insert(slices.Delete(slices.Clone(s.queued), at, at+1), to, s.queued[at])
	return to
}

// Edited returns the place of the prompt that is being edited, false if none is.
func (s *Session) Edited() (at int, editing bool) { return s.edit.at, s.edit.on }

// ReturnEdited returns text to the place of the prompt that is being edited, or queues it last
// if none is.
func (s *Session) ReturnEdited(text string) {
	at := len(s.queued)
	if s.edit.on {
		at = max(0, min(s.edit.at, at))
	}
	s.queued = slices.Insert(slices.Clone(s.queued), at, text)
	s.edit = edit{}
}

// EndEdit forgets the place of the prompt that was being edited.
func (s *Session) EndEdit() { s.edit = edit{} }
