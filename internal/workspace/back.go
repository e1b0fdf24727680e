package workspace

import (
	"context"
	"errors"
	"slices"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/carried"
	"parley/internal/safetext"
	"parley/internal/undo"
	"parley/permissions"
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
	case s.acp == nil:
		return ErrNotOpen
	case s.Thread.State == thread.Waiting:
		return errors.New("a question is open: answer it first")
	case s.inTurn():
		return errors.New("a turn is running: wait for its end, or stop it")
	case s.Thread.State != thread.Idle:
		return errors.New("the conversation is still being loaded")
	}
	return nil
}

// Restorable is what restoring files to before a turn would do.
type Restorable struct {
	Turn    int           // the number of the turn in the Journal
	Files   []undo.Change // that would be restored, each to what it was before the turn
	Refused []undo.Result // changes that would stay, and why
}

// CanRestore reports in a task, by a call of done, what restoring the files to before the turn of an
// item would do. It changes nothing. It returns why no files can be restored to there.
func (s *Session) CanRestore(item int, done func(Restorable)) error {
	if err := s.atRest(); err != nil {
		return err
	}
	j := s.Journal()
	if j == nil {
		return errNotRecorded
	}
	turn := s.journalTurns[s.turnOf(item)]
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
func (s *Session) Restore(r Restorable, done func([]undo.Result)) error {
	if err := s.atRest(); err != nil {
		return err
	}
	j, ctx := s.Journal(), s.w.conns.ctx
	if j == nil {
		return errNotRecorded
	}
	s.w.begin(func() Result {
		results := j.Undo(ctx, r.Files)
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

// Fork opens a session that continues the conversation after the turn of a prompt, and shows it. An
// agent that can copies the session (session/fork), but only with all of its turns. Else it is a new
// session, and the conversation up to there goes with its next prompt. A notice in the new session says
// which, below a copy of the conversation; title is that of this one. The new session gets the settings of this one and
// its approval mode, unless that allows everything. Fork returns why there can be none now.
func (s *Session) Fork(prompt int, title string) error {
	if err := s.atRest(); err != nil {
		return err
	}
	a, id := s.Agent, s.acp.ID()
	if a.pending != nil {
		return errors.New(openingLine)
	}
	conn, n := a.conn, a.conn.Template
	if cwd := s.acp.Cwd(); cwd != n.Cwd {
		n.Cwd, n.Roots = cwd, nil
	}
	copies, end := conn.Client.Agent().Fork, s.endOf(prompt)
	f := newSession(s.w, a)
	f.Dir, f.inherited, f.unnamed = s.Dir, s.Settings(), true
	if f.approval = s.Approval(); f.approval == permissions.AllMode { // confirmed for that session only
		f.approval = permissions.AskMode
	}
	f.Thread, f.spans = s.Thread.Fork(end), slices.Clone(s.spans)
	open := func(ctx context.Context) (*acpclient.Session, error) { return conn.Client.NewSession(ctx, n) }
	switch {
	case copies && end == len(s.Thread.Items):
		f.forking = true
		open = func(ctx context.Context) (*acpclient.Session, error) { return conn.Client.ForkSession(ctx, id, n) }
	default:
		f.forgotten = end
		told := carried.Conversation(s.Thread.Items[:end])
		if told != "" {
			f.shellOutput = []string{told}
		}
		f.Thread.AddNotice("Forked by copying: your next prompt includes the conversation so far. Both sessions share these files.", told)
	}
	f.Thread.Title, f.began = safetext.Line(title, maxName)+" (fork)", len(f.Thread.Items)
	a.openAnother(f, open)
	return nil
}

// repeated reports whether an event repeats the conversation that a fork begins with: some agents replay
// it before they answer.
func (s *Session) repeated(e event.Event) bool {
	if !s.forking {
		return false
	}
	switch e.(type) {
	case event.TextArrived, event.ContentArrived, event.MessageReplaced, event.ToolChanged,
		event.TerminalStarted, event.TerminalOutput, event.TerminalExited, event.TerminalChanged, event.TerminalReplaced:
		return true
	}
	return false
}

// endOf returns where the turn of a prompt ends: the index of the next turn's first prompt, or how many
// items there are.
func (s *Session) endOf(prompt int) int {
	for _, it := range s.Thread.Items[prompt+1:] {
		if it.IsPrompt() && s.turnOf(it.Index) != s.turnOf(prompt) {
			return it.Index
		}
	}
	return len(s.Thread.Items)
}
