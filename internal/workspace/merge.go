package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"parley/acpclient/thread"
	"parley/internal/words"
)

// Unmerged is what a worktree has that is not merged. All texts are safe to show.
type Unmerged struct {
	Name, Branch string
	Dir          string        // its root
	Into         string        // the branch that a merge goes to; "" if none is checked out
	Commits      []string      // one line each, the newest first; at most some
	Total        int           // how many commits there are
	Uncommitted  []string      // files that a merge commits
	Files        []ChangedFile // that a merge changes
	Makes        bool          // a merge makes a commit
	Message      string        // of that commit
	Refused      string        // why it cannot be merged now, "" if it can
}

// Empty reports whether there is nothing to merge, and nothing would be lost with the worktree.
func (u Unmerged) Empty() bool { return u.Total == 0 && len(u.Uncommitted) == 0 }

// Lines returns how many lines a merge adds and removes.
func (u Unmerged) Lines() (added, removed int) {
	for _, f := range u.Files {
		added, removed = added+f.Added, removed+f.Removed
	}
	return added, removed
}

// OwnTree is the worktree of a session, to be merged or discarded.
type OwnTree struct {
	s      *Session
	prompt string // the first one sent since the worktree was merged, as it was typed
}

// Unmerged looks in a task at what merging the session's worktree would bring, and calls done with
// it, or with the reason why it cannot be merged or discarded. It changes nothing.
func (t *OwnTree) Unmerged(done func(Unmerged, error)) {
	s := t.s
	if err := t.owned(); err != nil {
		done(Unmerged{}, err)
		return
	}
	trees, ctx, dir, prompt := s.w.opts.Worktrees, s.w.conns.ctx, s.LocalDir(), t.prompt
	s.w.begin(func() Result {
		u, err := trees.Unmerged(ctx, dir, prompt)
		return after(func() { done(u, err) })
	})
}

// Merge merges what Unmerged has shown, with a message that may be another one, in a task, and calls done with the outcome, which is also a
// notice in the thread. The worktree stays: the agent works in it. It returns why nothing is merged.
func (t *OwnTree) Merge(u Unmerged, done func(error)) error {
	s := t.s
	if err := t.CanMerge(u); err != nil {
		return err
	}
	trees, dir, fastForward := s.w.opts.Worktrees, s.LocalDir(), false
	s.w.complete(func(ctx context.Context) (err error) {
		fastForward, err = trees.Merge(ctx, dir, u)
		return err
	}, func(err error) {
		note := u.merged(fastForward)
		if err != nil {
			note = "Not merged: " + err.Error()
		} else {
			t.prompt = ""
		}
		s.w.tell(ItemsChanged{OfSession{s}, []int{s.Thread.AddNotice(note, "")}})
		done(err)
	})
	return nil
}

// complete runs work in a task and calls done with its error. Closing the workspace waits for it: git
// would leave half a merge.
func (w *Workspace) complete(work func(context.Context) error, done func(error)) {
	w.begin(func() Result {
		err := errEnding
		if w.conns.enter() {
			err = work(context.WithoutCancel(w.conns.ctx))
			w.conns.underway.Done()
		}
		return after(func() { done(err) })
	})
}

// merged describes a merge: "Merged fix into main (fast-forward): 3 files, +20 −5".
func (u Unmerged) merged(fastForward bool) string {
	how := ""
	if fastForward {
		how = " (fast-forward)"
	}
	said := fmt.Sprintf("Merged %s into %s%s: %s", u.Name, u.Into, how, words.Count(len(u.Files), "file"))
	if added, removed := u.Lines(); added+removed > 0 {
		said += fmt.Sprintf(", +%d −%d", added, removed)
	}
	return said
}

// CanDiscard returns why the session cannot be closed, and its worktree not be removed, at the moment.
func (t *OwnTree) CanDiscard(u Unmerged) error {
	s := t.s
	switch err := t.owned(); {
	case err != nil:
		return err
	case s.Waiting():
		return ErrNotOpen
	case len(s.w.sessions) == 1:
		return errors.New("it is the only session: quit, and discard it then")
	case len(t.shared(u.Dir)) > 0:
		return errors.New("another session works in this worktree: close it first")
	case len(s.Agent.Sessions()) > 1:
		return errors.New("this agent has another session: close it first")
	}
	return nil
}

// Discard closes the session and, when its agent has ended, removes its worktree with everything that
// Unmerged has shown. The outcome is reported as Said. It returns why nothing is closed or removed.
func (t *OwnTree) Discard(u Unmerged) error {
	s := t.s
	if err := t.CanDiscard(u); err != nil {
		return err
	}
	w, trees, dir, conn := s.w, s.w.opts.Worktrees, s.LocalDir(), s.Agent.conn
	s.Close()
	w.complete(func(ctx context.Context) error {
		w.conns.end(conn)
		return trees.Discard(ctx, dir, u)
	}, func(err error) {
		if err != nil {
			w.say("Not discarded: " + err.Error())
			return
		}
		w.say("Discarded " + u.Name)
	})
	return nil
}

// owned returns why the session's directory cannot be merged or removed at the moment, as far as
// the session knows.
func (t *OwnTree) owned() error {
	s := t.s
	switch {
	case s.w.opts.Worktrees == nil:
		return errNoWorktrees
	case s.ReadOnly:
		return errors.New("this is a read-only log")
	case s.Agent.Spec.Remote:
		return errRemote
	case s.Thread.State == thread.Waiting:
		return errors.New("a question is open: answer it first")
	case s.inTurn():
		return errors.New("a turn is running: stop it first")
	}
	return nil
}

// CanMerge returns why what Unmerged has shown cannot be merged at the moment, nil if it can.
func (t *OwnTree) CanMerge(u Unmerged) error {
	switch err := t.owned(); {
	case err != nil:
		return err
	case u.Refused != "":
		return errors.New(u.Refused)
	case u.Empty():
		return fmt.Errorf("%s has all of %s", u.Into, u.Name)
	case slices.ContainsFunc(t.shared(u.Dir), (*Session).inTurn):
		return errors.New("a turn is running in another session of this worktree: stop it first")
	}
	return nil
}

// inTurn reports whether a turn is running or about to.
func (s *Session) inTurn() bool {
	return s.Busy() || s.Prompts.sending != nil || len(s.Thread.Held) > 0
}

// shared returns the other sessions that work in a directory.
func (t *OwnTree) shared(dir string) (others []*Session) {
	s := t.s
	for _, o := range s.w.sessions {
		own := o.LocalDir()
		rel, err := filepath.Rel(dir, own)
		if o != s && !o.ReadOnly && !o.Agent.Spec.Remote && (own == s.LocalDir() || err == nil && filepath.IsLocal(rel)) {
			others = append(others, o)
		}
	}
	return others
}
