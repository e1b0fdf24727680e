package page

import (
	"cmp"
	"errors"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/workspace"
	"parley/ui/panel"
)

// inWorktree starts the agent in a git worktree of that name; without one, in a new one.
func inWorktree(c *Page, name string) tea.Cmd {
	if c.ReadOnly {
		return c.say(c.WhyReadOnly())
	}
	c.Agent.StartInWorktree(name)
	return c.say("Making a worktree…")
}

// showMerge lists what the session's worktree has, and asks whether to merge it with that message; "" is
// the first prompt.
func showMerge(c *Page, message string) tea.Cmd {
	merge := func(u workspace.Unmerged, message string, remove bool) {
		u.Message = message
		outcome := func(err error) {
			if err != nil {
				c.Say(notMerged + err.Error())
				return
			}
			c.Say("Merged into " + u.Into)
			if remove {
				removeMerged(c)
			}
		}
		if err := c.Tree.Merge(u, outcome); err != nil {
			outcome(err)
		}
	}
	return lookAtTree(c, notMerged, c.Tree.CanMerge, func(u workspace.Unmerged, t panel.Tree) *panel.List {
		if u.Makes {
			t.Message = cmp.Or(message, u.Message)
		}
		return panel.Merge(t, func(message string, remove bool) tea.Cmd { merge(u, message, remove); return nil }, func() tea.Cmd {
			c.ReturnTo(func() tea.Cmd { return showMerge(c, message) })
			return c.Do(intent.ShowReview)
		})
	})
}

// removeMerged closes the session and removes its worktree, if that has nothing left.
func removeMerged(c *Page) {
	c.Tree.Unmerged(func(u workspace.Unmerged, err error) {
		switch {
		case err == nil && !u.Empty():
			err = errors.New("it has changed since")
		case err == nil:
			err = c.Tree.Discard(u)
		}
		if err != nil {
			c.Say("Merged, but the worktree is kept: " + err.Error())
		}
	})
}

// showDiscard lists what would be lost with the session's worktree, and asks whether to discard it.
func showDiscard(c *Page) tea.Cmd {
	discard := func(u workspace.Unmerged) {
		if err := c.Tree.Discard(u); err != nil {
			c.Say(notDiscarded + err.Error())
		}
	}
	return lookAtTree(c, notDiscarded, c.Tree.CanDiscard, func(u workspace.Unmerged, t panel.Tree) *panel.List {
		return panel.Discard(t, func() tea.Cmd { discard(u); return nil }, func() tea.Cmd {
			c.ReturnTo(func() tea.Cmd { return showDiscard(c) })
			return c.Do(intent.ShowReview)
		})
	})
}

const notMerged, notDiscarded = "Not merged: ", "Not discarded: "

// lookAtTree opens a list of what the session's worktree has. If can returns an error, or there is no
// worktree, a line that begins with not says so.
func lookAtTree(c *Page, not string, can func(workspace.Unmerged) error, list func(workspace.Unmerged, panel.Tree) *panel.List) tea.Cmd {
	said := c.say("Looking at the worktree…")
	c.Tree.Unmerged(func(u workspace.Unmerged, err error) {
		if err == nil {
			err = can(u)
		}
		if err != nil {
			c.Say(not + err.Error())
			return
		}
		c.DropToast()
		c.Panels.Show(list(u, TreeOf(u)))
	})
	return said
}

// TreeOf returns what a list shows of a worktree, without a message.
func TreeOf(u workspace.Unmerged) panel.Tree {
	t := panel.Tree{Name: u.Name, Into: u.Into, Uncommitted: u.Uncommitted, Commits: u.Commits, Total: u.Total}
	for _, f := range u.Files {
		t.Files = append(t.Files, panel.TreeFile(f))
	}
	t.Added, t.Removed = u.Lines()
	return t
}
