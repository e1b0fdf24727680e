package workspace

import (
	"slices"

	"parley/acpclient/thread"
)

// changedLines is the last count of changed lines in a session, with the lines that
// parley itself had written by then.
type changedLines struct {
	added, removed               int
	writtenAdded, writtenRemoved int
}

// ChangedLines returns how many lines have changed in the session: the last count plus
// what parley has written since.
func (s *Session) ChangedLines() (added, removed int) {
	m := s.counted
	return m.added + max(0, s.Thread.Added-m.writtenAdded), m.removed + max(0, s.Thread.Removed-m.writtenRemoved)
}

// CountLines counts the changed lines, and the files that a turn has changed (0: of none),
// in a task, since it reads the texts. It is reported as Counted.
func (s *Session) CountLines(turn int) {
	conn, count := s.Agent.conn, s.w.opts.CountLines
	if s.ACP == nil || conn == nil || conn.Changes == nil || count == nil {
		return
	}
	open, id := s.ACP, s.ACP.ID()
	m := changedLines{writtenAdded: s.Thread.Added, writtenRemoved: s.Thread.Removed}
	files := 0
	s.w.begin(func() Result {
		for _, f := range conn.Since(id, 0) {
			if f.Turn == turn && !f.Undone {
				files++
			}
			if before, after, ok := conn.Texts(id, f); ok && !f.Undone {
				added, removed := count(f, before, after)
				m.added, m.removed = m.added+added, m.removed+removed
			}
		}
		return after(func() {
			if s.ACP == open {
				s.counted = m
				s.w.tell(Counted{s, files})
			}
		})
	})
}

// Unnamed returns the changes that something other than parley wrote and that no tool
// call of the conversation named.
func Unnamed(t *thread.Thread, changes []FileChange) (out []FileChange) {
	for _, f := range changes {
		if f.Disk && !f.Undone && !t.Named(f.Path) {
			out = append(out, f)
		}
	}
	return out
}

// lookUnannounced looks for changes in a finished turn in which the agent reported
// nothing that could have made any. They are reported as Unannounced.
func (s *Session) lookUnannounced(turn int) {
	conn := s.Agent.conn
	if turn == 0 || conn.Changes == nil || !s.Thread.Silent(s.Thread.Turn) {
		return
	}
	open, id := s.ACP, s.ACP.ID()
	s.w.begin(func() Result {
		changes := conn.Since(id, turn) // a renamed file counts once
		changes = slices.DeleteFunc(changes, func(f FileChange) bool { return f.Turn != turn })
		return after(func() {
			if n := len(Unnamed(s.Thread, changes)); n > 0 && s.ACP == open {
				s.w.tell(Unannounced{s, n})
			}
		})
	})
}

// Changes lists the agent's changes in the session by turn, in a task, and calls done
// with them, or with nil if changes are not tracked.
func (s *Session) Changes(done func([]FileChange)) {
	conn := s.Agent.conn
	if s.ACP == nil || conn == nil || conn.Changes == nil {
		done(nil)
		return
	}
	id := s.ACP.ID()
	s.w.begin(func() Result {
		turns := conn.Changes(id)
		return after(func() { done(turns) })
	})
}
