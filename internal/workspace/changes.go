package workspace

import (
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/linediff"
	"parley/internal/undo"
)

// changedLines is the last count of changed lines in a session, with the lines that
// parley itself had written by then.
type changedLines struct {
	added, removed               int
	writtenAdded, writtenRemoved int
	files                        []ChangedFile  // with what parley has written since
	at                           map[string]int // by path, in files
	written                      []ChangedFile  // since the count was begun
	known                        map[countKey]ChangedFile
}

// countKey identifies a change whose lines were counted.
type countKey struct{ path, version string }

// Journal returns the record of what the agent changes in the session; nil if there is none, or while the
// session is not open.
func (s *Session) Journal() Journal {
	if conn := s.Agent.conn; s.acp != nil && conn != nil && conn.Journal != nil {
		return conn.Journal(s.acp.ID())
	}
	return nil
}

// ChangedFile is a file that the agent has changed, with the lines that differ from what it
// was before the session.
type ChangedFile struct {
	Path           string
	Added, Removed int
}

// ChangedFiles returns the changed files, at most maxCounted, as ChangedLines. The caller must
// not change them.
func (s *Session) ChangedFiles() []ChangedFile { return s.counted.files }

// maxCounted bounds ChangedFiles.
const maxCounted = 1000

// add adds the lines of one write to the list of files.
func (m *changedLines) add(f ChangedFile) {
	if i, ok := m.at[f.Path]; ok {
		m.files[i].Added += f.Added
		m.files[i].Removed += f.Removed
		return
	}
	if len(m.files) < maxCounted {
		if m.at == nil {
			m.at = map[string]int{}
		}
		m.at[f.Path] = len(m.files)
		m.files = append(m.files, f)
	}
}

// wrote counts what parley has written for the agent.
func (m *changedLines) wrote(e event.FileWritten) {
	f := ChangedFile{e.Path, e.Added, e.Removed}
	m.add(f)
	if len(m.written) < maxCounted {
		m.written = append(m.written, f)
	}
}

// ChangedLines returns how many lines have changed in the session: the last count plus
// what parley has written since.
func (s *Session) ChangedLines() (added, removed int) {
	m := s.counted
	return m.added + max(0, s.Thread.Added-m.writtenAdded), m.removed + max(0, s.Thread.Removed-m.writtenRemoved)
}

// CountLines counts the changed lines, and the files that a turn has changed (0: of none),
// in a task, since it reads the texts. It is reported as LinesCounted. After a turn only what the last
// count did not have is counted.
func (s *Session) CountLines(turn int) {
	j := s.Journal()
	if j == nil {
		return
	}
	s.counted.written = nil
	open := s.acp
	m := changedLines{writtenAdded: s.Thread.Added, writtenRemoved: s.Thread.Removed, known: map[countKey]ChangedFile{}}
	known := s.counted.known
	if turn == 0 {
		known = nil // after an undo, a change of the same version can begin with another text
	}
	files := 0
	s.w.begin(func() Result {
		for _, f := range j.Since(0) {
			if f.Turn == turn && !f.Undone {
				files++
			}
			if f.Undone {
				continue
			}
			key := countKey{f.Path, f.Version}
			lines, ok := known[key]
			if !ok {
				var before, after string
				if before, after, ok = j.Texts(f); !ok {
					continue
				}
				lines = ChangedFile{Path: f.Path}
				lines.Added, lines.Removed = linediff.Count(linediff.Texts{Old: before, New: after})
			}
			m.known[key] = lines
			m.added, m.removed = m.added+lines.Added, m.removed+lines.Removed
			m.add(lines)
		}
		return after(func() {
			if s.acp == open {
				written := s.counted.written
				s.counted = m
				for _, f := range written {
					s.counted.add(f)
				}
				s.w.tell(LinesCounted{s, files})
			}
		})
	})
}

// Unnamed returns the changes that something other than parley wrote and that no tool
// call of the conversation named.
func Unnamed(t *thread.Thread, changes []undo.Change) (out []undo.Change) {
	for _, f := range changes {
		if f.OnDisk() && !f.Undone && !t.NamesFile(f.Path) {
			out = append(out, f)
		}
	}
	return out
}

// lookUnannounced looks for changes in a finished turn in which the agent reported
// nothing that could have made any. They are reported as UnreportedFiles.
func (s *Session) lookUnannounced(turn int) {
	j := s.Journal()
	if turn == 0 || j == nil || !s.Thread.OnlyReads(s.Thread.Turn) {
		return
	}
	open := s.acp
	s.w.begin(func() Result {
		changes := j.Since(turn) // a renamed file counts once
		changes = slices.DeleteFunc(changes, func(f undo.Change) bool { return f.Turn != turn })
		return after(func() {
			if n := len(Unnamed(s.Thread, changes)); n > 0 && s.acp == open {
				s.w.tell(UnreportedFiles{s, n})
			}
		})
	})
}

// Changes lists the agent's changes in the session by turn, in a task, and calls done
// with them and what is not recorded; see Journal. Both are nil if changes are not tracked.
func (s *Session) Changes(done func(changes []undo.Change, notRecorded []string)) {
	j := s.Journal()
	if j == nil {
		done(nil, nil)
		return
	}
	s.w.begin(func() Result {
		turns, notes := j.Changes(), j.NotRecorded()
		return after(func() { done(turns, notes) })
	})
}

// NoChanges says that a session has no changes and, if that is so, what is not recorded. It fits on a narrow
// screen.
func NoChanges(notRecorded []string) string {
	if len(notRecorded) == 0 {
		return "No changes recorded in this session"
	}
	if strings.HasPrefix(notRecorded[0], "Changes ") { // none are
		return notRecorded[0]
	}
	return "No changes recorded. " + strings.Join(notRecorded, ". ")
}
