package workspace

import (
	"context"
	"errors"

	"parley/acpclient/thread"
)

// errNotRecorded says that files cannot be restored: parley does not watch them.
var errNotRecorded = errors.New("changes are not recorded here")

// atRest returns why the session cannot be forked, and its files not be restored, at the moment.
func (s *Session) atRest() error {
	switch {
	case s.ReadOnly:
		return errors.New("this is a read-only log")
	case !s.Agent.Live():
		return errors.New(goneLine)
	case s.ACP == nil:
		return ErrNotOpen
	case s.Thread.State == thread.Waiting:
		return errors.New("a question is open: answer it first")
	case s.Busy() || s.sending != nil || len(s.Thread.Held) > 0:
		return errors.New("a turn is running: wait for its end, or stop it")
	case s.Thread.State != thread.Idle:
		return errors.New("the conversation is still being loaded")
	}
	return nil
}

// Restorable is what restoring files to before a turn would do.
type Restorable struct {
	Turn    int          // the number of the turn in Connection.Changes
	Files   []FileChange // that would be restored, each to what it was before the turn
	Refused []UndoResult // changes that would stay, and why
}

// CanRestore reports in a task, by a call of done, what restoring the files to before the turn of an
// item would do. It changes nothing. It returns why no files can be restored to there.
func (s *Session) CanRestore(item int, done func(Restorable)) error {
	if err := s.atRest(); err != nil {
		return err
	}
	conn := s.Agent.conn
	if conn.Changes == nil {
		return errNotRecorded
	}
	turn := s.journalTurns[s.turnOf(item)]
	if turn == 0 {
		return errors.New("this prompt is older than the record of changes, which begins when the session is opened")
	}
	open, id, ctx := s.ACP, s.ACP.ID(), s.w.conns.ctx
	s.w.begin(func() Result {
		r := restorable(ctx, conn, id, turn)
		return after(func() {
			if s.ACP == open {
				done(r)
			}
		})
	})
	return nil
}

// restorable asks the journal what can be undone since a turn. A file with a change that cannot is
// left alone as a whole: else it would be neither as before the turn nor as it is.
func restorable(ctx context.Context, conn *Connection, session string, turn int) Restorable {
	r := Restorable{Turn: turn}
	var changes []FileChange
	for _, f := range conn.Since(session, turn) {
		if !f.Undone {
			changes = append(changes, f)
		}
	}
	refused := map[string]error{}
	for _, u := range conn.Undo(ctx, session, changes, true) {
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
			r.Refused = append(r.Refused, UndoResult{f, err})
		}
	}
	return r
}

// Restore undoes the changes that CanRestore has listed, and calls done in a task of each and of those that were refused before. A file that changed in between is left alone.
// It returns why nothing can be restored now.
func (s *Session) Restore(r Restorable, done func([]UndoResult)) error {
	if err := s.atRest(); err != nil {
		return err
	}
	conn, id, ctx := s.Agent.conn, s.ACP.ID(), s.w.conns.ctx
	s.w.begin(func() Result {
		results := conn.Undo(ctx, id, r.Files, false)
		return after(func() { done(append(results, r.Refused...)) })
	})
	return nil
}

// turnOf returns the turn of the thread that an item belongs to. A prompt that an agent accepts
// between two turns begins the next one.
func (s *Session) turnOf(item int) int {
	items := s.Thread.Items
	turn := items[item].Turn
	for i := item - 1; i >= 0 && items[i].Turn == turn; i-- {
		if items[i].Kind == thread.TurnEnd {
			return turn + 1
		}
	}
	return turn
}
