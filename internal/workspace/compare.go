package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// comparison identifies the sessions in which several agents were given the same prompt.
type comparison struct{ prompt string }

// Compare sends a prompt to several agents, each of which is started in a git worktree of its own,
// and shows the session of the first. Making the worktrees may take a while: done is called when that
// is over, with its error.
func (w *Workspace) Compare(prompt string, specs []Spec, done func(error)) {
	if w.opts.Worktrees == nil {
		done(errNoWorktrees)
		return
	}
	names := make([]string, 0, len(specs))
	for _, s := range specs {
		if s.Remote {
			done(errors.New(s.DisplayName() + " does not work on this machine: it cannot be compared"))
			return
		}
		names = append(names, strings.TrimSpace(s.DisplayName()+" "+s.Model))
	}
	ctx := w.conns.ctx
	w.begin(func() Result {
		trees, err := w.opts.Worktrees.Make(ctx, names)
		if err == nil && len(trees) != len(specs) {
			err = fmt.Errorf("%d worktrees for %d agents", len(trees), len(specs))
		}
		return after(func() {
			if w.ending {
				return
			}
			if err == nil {
				w.compare(&comparison{prompt}, trees, specs)
			}
			done(err)
		})
	})
}

func (w *Workspace) compare(c *comparison, trees []Worktree, specs []Spec) {
	var first *Session
	for i, spec := range specs {
		s := w.startIn(trees[i], spec, &c.prompt)
		s.comparison = c
		if first == nil {
			first = s
		}
	}
	w.Show(first)
}

// Compared returns the open sessions that are compared with this one, itself included, in order; nil
// if there is no other.
func (s *Session) Compared() []*Session {
	if s.comparison == nil {
		return nil
	}
	all := slices.DeleteFunc(slices.Clone(s.w.sessions), func(o *Session) bool { return o.comparison != s.comparison })
	if len(all) < 2 {
		return nil
	}
	return all
}
