package linear

import (
	"cmp"
	"fmt"
	"slices"

	"parley/internal/words"
	"parley/internal/workspace"
)

// inWorktree starts the agent in front in a git worktree of that name; without one, in a new
// one.
func (l *sessions) inWorktree(name string) {
	l.out.say("Making a worktree.")
	l.w.Front().Agent.StartInWorktree(name)
}

// maxTreeLines bounds how many files, and how many commits, are listed.
const maxTreeLines = 50

// merge lists what the worktree of the session in front has, and asks whether to merge it with that message;
// "" is the first prompt. A notice says what became of it.
func (l *sessions) merge(message string) {
	s := l.w.Front()
	l.look("merged", s, s.Tree.CanMerge, func(u workspace.Unmerged) {
		listed(l.out, u.Files, len(u.Files), func(f workspace.ChangedFile) string {
			line := fmt.Sprintf("Would change: %s, %s added, %d removed", f.Path, words.Count(f.Added, "line"), f.Removed)
			if slices.Contains(u.Uncommitted, f.Path) {
				line += ", not committed yet"
			}
			return line
		})
		l.commits(u)
		if u.Makes {
			u.Message = cmp.Or(message, u.Message)
			l.out.line("Commit message: " + u.Message)
			l.out.say("To change it, answer 0 and type /merge and the message.")
		}
		added, removed := u.Lines()
		title := fmt.Sprintf("Merge %s into %s, %s, %s added, %d removed?", u.Name, u.Into, words.Count(len(u.Files), "file"), words.Count(added, "line"), removed)
		merge := func(merged func(error)) func() {
			return func() {
				if err := s.Tree.Merge(u, merged); err != nil {
					l.out.say("Not merged: %s.", err)
				}
			}
		}
		l.confirm(title, choice{label: "Yes, keep the worktree", do: merge(func(error) {})},
			choice{label: "Yes, then close this session and remove its worktree", do: merge(func(err error) {
				if err == nil {
					l.removeMerged(s)
				}
			})})
	})
}

// removeMerged closes a session and removes its worktree, if that has nothing left.
func (l *sessions) removeMerged(s *workspace.Session) {
	l.look("removed", s, s.Tree.CanDiscard, func(u workspace.Unmerged) {
		if !u.Empty() {
			l.out.say("Not removed: the worktree has changed since.")
			return
		}
		l.discardTree(s, u)
	})
}

// discardTree closes a session and removes its worktree with everything in it.
func (l *sessions) discardTree(s *workspace.Session, u workspace.Unmerged) {
	if err := s.Tree.Discard(u); err != nil {
		l.out.say("Not discarded: %s.", err)
		return
	}
	l.tasks.process()
	l.narrator(l.w.Front()).introduce()
}

// discard lists what would be lost with the worktree of the session in front, and asks whether to
// discard it.
func (l *sessions) discard() {
	s := l.w.Front()
	l.look("discarded", s, s.Tree.CanDiscard, func(u workspace.Unmerged) {
		listed(l.out, u.Uncommitted, len(u.Uncommitted), func(path string) string { return "Would be lost: " + path + ", not committed" })
		l.commits(u)
		l.confirm(fmt.Sprintf("Discard %s, and close this session?", u.Name), choice{label: "Yes, remove its worktree and branch", do: func() { l.discardTree(s, u) }})
	})
}

// look calls do with what the worktree has that is not merged, or says why it cannot be: it was not
// done.
func (l *sessions) look(done string, s *workspace.Session, can func(workspace.Unmerged) error, do func(workspace.Unmerged)) {
	s.Tree.Unmerged(func(u workspace.Unmerged, err error) {
		if err == nil {
			err = can(u)
		}
		if err != nil {
			l.out.say("Not %s: %s.", done, err)
			return
		}
		do(u)
	})
}

func (l *sessions) commits(u workspace.Unmerged) {
	listed(l.out, u.Commits, u.Total, func(line string) string { return "Commit: " + line })
}

// listed prints a line for each of some things, of which there are n.
func listed[T any](out *printer, some []T, n int, line func(T) string) {
	shown := some[:min(len(some), maxTreeLines)]
	for _, one := range shown {
		out.line(line(one) + ".")
	}
	if more := n - len(shown); more > 0 {
		out.say("And %d more.", more)
	}
}

// confirm asks for one of some answers, or none. The question comes some time after the command.
func (l *sessions) confirm(title string, answers ...choice) {
	l.dialogs.menuOr(title, answers, choice{label: "No"}, true)
}
