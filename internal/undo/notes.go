package undo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Note says what is not recorded, in a root or in the whole session.
type Note struct {
	Root string // "" for the whole session
	Text string
	Err  error // why; may be nil
}

func (n Note) String() string {
	if n.Err == nil {
		return n.Text
	}
	return n.Text + ": " + n.Err.Error()
}

// unlisted is the Note.Text of a root whose files git does not list.
const unlisted = "unreported files are not recorded"

// note adds a note unless it was added before.
func (j *Journal) note(notes []Note, n Note) []Note {
	j.mu.Lock()
	defer j.mu.Unlock()
	if slices.ContainsFunc(j.notes, func(old Note) bool { return old.Root == n.Root && old.String() == n.String() }) {
		return notes
	}
	if len(j.notes) < maxNotes && !errors.Is(n.Err, context.Canceled) { // when parley ends
		j.notes, j.unsaved = append(j.notes, n), true
	}
	return append(notes, n)
}

// Late notes that the agent got the prompt of a turn that long before BeginTurn returned. There is one note for all
// turns.
func (j *Journal) Late(number int, by time.Duration) {
	j.mu.Lock()
	turns := fmt.Sprintf("turn %d", number)
	if j.lateTurns > 0 {
		turns += fmt.Sprintf(" and of %d before it", j.lateTurns)
		j.notes = slices.DeleteFunc(j.notes, func(n Note) bool { return n.Text == j.lateNote })
	}
	note := fmt.Sprintf("what changed in the first %.1f s of %s is not fully known", by.Seconds()+0.05, turns)
	j.lateTurns, j.lateNote = j.lateTurns+1, note
	j.mu.Unlock()
	j.note(nil, Note{Text: note})
}

// Notes returns what was not recorded in the session, and why.
func (j *Journal) Notes() []Note {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.notes)
}
