package workspace

import (
	"context"
	"errors"
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/linediff"
	"parley/internal/notes"
	"parley/internal/safetext"
	"parley/internal/undo"
)

// errNotRecorded says that files cannot be restored: parley does not watch them.
var errNotRecorded = errors.New("changes are not recorded here")

// Changes counts, lists and restores what the agent changes in a session, by the connection's journal of it.
type Changes struct {
	s       *Session
	counted changedLines
	turns   map[int]int // the numbers in the journal, by the turn of the thread
}

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

// ChangedFile is a file that the agent has changed, with the lines that differ from what it
// was before the session.
type ChangedFile struct {
	Path           string
	Added, Removed int
}

// maxCounted bounds Changes.Files.
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

// Journal returns the record of what the agent changes in the session; nil if there is none, or while the
// session is not open.
func (c *Changes) Journal() Journal {
	if conn := c.s.Agent.conn; c.s.acp != nil && conn != nil {
		return conn.Journal(c.s.acp.ID())
	}
	return nil
}

// Files returns the changed files, at most maxCounted, as Lines does. The caller must not change them.
func (c *Changes) Files() []ChangedFile { return c.counted.files }

// Lines returns how many lines have changed in the session: the last count plus what parley has written
// since.
func (c *Changes) Lines() (added, removed int) {
	m, t := c.counted, c.s.Thread
	return m.added + max(0, t.Added-m.writtenAdded), m.removed + max(0, t.Removed-m.writtenRemoved)
}

// turn reports the start or end of a turn to the journal, and returns its number there, 0 if changes are not
// tracked.
func (c *Changes) turn(begins bool) int {
	if j := c.Journal(); j != nil {
		return j.Turn(begins)
	}
	return 0
}

// List lists the agent's changes in the session by turn, in a task, and calls done with them and what is
// not recorded; see Journal. Both are nil if changes are not tracked.
func (c *Changes) List(done func(changes []undo.Change, notRecorded []string)) {
	j := c.Journal()
	if j == nil {
		done(nil, nil)
		return
	}
	c.s.w.begin(func() Result {
		turns, notes := j.Changes(), j.NotRecorded()
		return after(func() { done(turns, notes) })
	})
}

// Count counts the changed lines, and the files that a turn has changed (0: of none),
// in a task, since it reads the texts. It is reported as LinesCounted. After a turn only what the last
// count did not have is counted.
func (c *Changes) Count(turn int) {
	j := c.Journal()
	if j == nil {
		return
	}
	c.counted.written = nil
	s, open := c.s, c.s.acp
	m := changedLines{writtenAdded: s.Thread.Added, writtenRemoved: s.Thread.Removed, known: map[countKey]ChangedFile{}}
	known := c.counted.known
	if turn == 0 {
		known = nil // after an undo, a change of the same version can begin with another text
	}
	s.w.begin(func() Result {
		files := m.count(j, turn, known)
		return after(func() {
			if s.acp == open {
				written := c.counted.written
				c.counted = m
				for _, f := range written {
					c.counted.add(f)
				}
				s.w.tell(LinesCounted{OfSession{s}, files})
			}
		})
	})
}

// count adds all changes, known ones without reading them, and returns how many files a turn has changed.
func (m *changedLines) count(j Journal, turn int, known map[countKey]ChangedFile) (files int) {
	for _, f := range j.Since(0) {
		if f.Undone {
			continue
		}
		if f.Turn == turn {
			files++
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
	return files
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
func (c *Changes) lookUnannounced(turn int) {
	s, j := c.s, c.Journal()
	if turn == 0 || j == nil || !s.Thread.OnlyReads(s.Thread.Turn) {
		return
	}
	open := s.acp
	s.w.begin(func() Result {
		changes := j.Since(turn) // a renamed file counts once
		changes = slices.DeleteFunc(changes, func(f undo.Change) bool { return f.Turn != turn })
		return after(func() {
			if n := len(Unnamed(s.Thread, changes)); n > 0 && s.acp == open {
				s.w.tell(UnreportedFiles{OfSession{s}, n})
			}
		})
	})
}

// showRecorded completes the edits of a finished turn whose changes the agent has not shown, such as those that
// opencode makes without asking, from the record of what the turn changed.
func (c *Changes) showRecorded(turn int) {
	s, j := c.s, c.Journal()
	calls := s.Thread.Unshown()
	if turn == 0 || j == nil || len(calls) == 0 {
		return
	}
	open := s.acp
	s.w.begin(func() Result {
		var found []event.ToolExamined
		for _, f := range j.Since(turn) {
			id := calls[f.Path]
			if f.Turn != turn || f.Undone || id == "" || f.Kind != undo.Created && f.Kind != undo.Changed {
				continue
			}
			if before, after, ok := j.Texts(f); ok {
				d := &event.Diff{Path: safetext.Line(f.Path, maxShownPath), Old: safetext.Clean(before), New: safetext.Clean(after), OldMissing: f.Kind == undo.Created}
				if !d.TooLarge() {
					found = append(found, event.ToolExamined{For: event.For{Session: open.ID()}, ID: id, Recorded: d})
				}
			}
		}
		return after(func() {
			if s.acp != open {
				return
			}
			for _, e := range found {
				s.w.tell(ItemsChanged{OfSession{s}, slices.Clone(s.Thread.Apply(e))})
			}
		})
	})
}

// maxShownPath bounds the path of a file that is shown, in bytes.
const maxShownPath = 4096

// Restorable is what restoring files to before a turn would do.
type Restorable struct {
	Turn    int           // the number of the turn in the Journal
	Files   []undo.Change // that would be restored, each to what it was before the turn
	Refused []undo.Result // changes that would stay, and why
}

// CanRestore reports in a task, by a call of done, what restoring the files to before the turn of an
// item would do. It changes nothing. It returns why no files can be restored to there.
func (c *Changes) CanRestore(item int, done func(Restorable)) error {
	s, j := c.s, c.Journal()
	if err := s.AtRest(); err != nil {
		return err
	}
	if j == nil {
		return errNotRecorded
	}
	turn := c.turns[turnOf(s.Thread.Items, item)]
	if turn == 0 {
		return errors.New("this prompt was sent before the session was opened here; /review undoes earlier changes")
	}
	open, ctx := s.acp, s.w.conns.ctx
	s.w.begin(func() Result {
		r := restorable(ctx, j, turn)
		return after(func() {
			if s.acp == open {
				done(r)
			}
		})
	})
	return nil
}

// restorable asks the journal what can be undone since a turn. A file with a change that cannot is
// left alone as a whole: else it would be neither as before the turn nor as it is.
func restorable(ctx context.Context, j Journal, turn int) Restorable {
	r := Restorable{Turn: turn}
	var changes []undo.Change
	for _, f := range j.Since(turn) {
		if !f.Undone {
			changes = append(changes, f)
		}
	}
	refused := map[string]error{}
	for _, u := range j.Preview(ctx, changes) {
		switch {
		case u.Change.NoUndoReason != "":
			refused[u.Change.Path] = errors.New(u.Change.NoUndoReason)
		case u.Err != nil && refused[u.Change.Path] == nil:
			refused[u.Change.Path] = u.Err
		}
	}
	named := map[string]bool{}
	for _, f := range changes {
		switch err := refused[f.Path]; {
		case err == nil:
			r.Files = append(r.Files, f)
		case !named[f.Path]:
			named[f.Path] = true
			r.Refused = append(r.Refused, undo.Result{Change: f, Err: err})
		}
	}
	return r
}

// Restore undoes in a task the changes that CanRestore has listed, and calls done with the results and with
// those that were refused before. A file that changed in between is left alone. It returns why nothing can
// be restored now.
func (c *Changes) Restore(r Restorable, done func([]undo.Result)) error {
	s := c.s
	if err := s.AtRest(); err != nil {
		return err
	}
	j, ctx := c.Journal(), s.w.conns.ctx
	if j == nil {
		return errNotRecorded
	}
	s.w.begin(func() Result {
		results := j.Undo(ctx, r.Files)
		return after(func() { done(append(results, r.Refused...)) })
	})
	return nil
}

// Undone records which files were restored or, if undone is false, that they no longer are, so that
// the user can tell the agent, and counts the lines again.
func (c *Changes) Undone(results []undo.Result, undone bool) {
	s := c.s
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
	c.Count(0)
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
