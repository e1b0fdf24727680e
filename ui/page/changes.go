package page

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/describe"
	"parley/internal/linediff"
	"parley/internal/safetext"
	"parley/internal/undo"
	"parley/internal/workspace"
	"parley/ui/panel"
)

// changesListed are the changes of a session, in the order in which they were made.
type changesListed struct {
	page     *Page
	journal  workspace.Journal
	undoable panel.Undoable
}

// showUndo lists the files that the agent has changed, to restore them.
func showUndo(c *Page) tea.Cmd {
	j := c.Changes.Journal()
	if j == nil {
		return c.say(notRecorded)
	}
	return func() tea.Msg {
		u := panel.Undoable{NotRecorded: j.NotRecorded()}
		for _, f := range j.Changes() {
			if f.Undone {
				u.Undone = append(u.Undone, f)
			} else {
				u.Changes = append(u.Changes, f)
			}
		}
		for i, r := range j.Preview(context.Background(), u.Changes) {
			if u.Changes[i].NoUndoReason == "" && r.Err != nil {
				u.Changes[i].NoUndoReason = safetext.Line(r.Err.Error(), 200)
			}
		}
		changed := slices.DeleteFunc(j.Since(0), func(f undo.Change) bool { return f.Undone })
		for _, r := range j.Preview(context.Background(), changed) {
			if r.Err == nil && r.Change.NoUndoReason == "" {
				u.Everything = append(u.Everything, r.Change)
			}
		}
		return changesListed{c, j, u}
	}
}

func (m changesListed) Handle() tea.Cmd {
	c := m.page
	if len(m.undoable.Changes)+len(m.undoable.Undone) == 0 {
		return c.say(workspace.NoChanges(m.undoable.NotRecorded))
	}
	does := func(undone bool, do func(context.Context, []undo.Change) []undo.Result) func([]undo.Change) tea.Cmd {
		return func(chosen []undo.Change) tea.Cmd {
			return func() tea.Msg { return putBack{c, undone, do(context.Background(), chosen)} }
		}
	}
	c.Panels.Show(panel.Undo(naming(c), m.undoable, does(true, m.journal.Undo), does(false, m.journal.Redo), c.say))
	return nil
}

// naming says how changed files are listed.
func naming(c *Page) panel.Naming {
	return panel.Naming{Short: c.short, Named: c.Thread.NamesFile}
}

// changeShown is a change to read.
type changeShown struct {
	page   *Page
	source *panel.Reading
	from   *panel.List
}

func (m changeShown) Handle() tea.Cmd {
	m.page.Panels.opens(m.source, m.from)
	m.page.Panels.Read(m.source)
	return nil
}

// showChange shows the content of a file before and after a change.
func showChange(c *Page, f undo.Change) tea.Cmd {
	j, path, from := c.Changes.Journal(), c.short(f.Path), c.Panels.List()
	if j == nil {
		return c.say(notRecorded)
	}
	return func() tea.Msg {
		lines := []panel.Line{{Text: f.By.String(), Head: true}}
		if f.NoUndoReason != "" {
			lines = append(lines, panel.Line{Text: "Cannot restore it: " + f.NoUndoReason, Head: true})
		}
		var d *linediff.Diff
		if before, after, ok := j.Texts(f); ok {
			d = linediff.Compare(linediff.Texts{Path: path, Old: safetext.Clean(before), New: safetext.Clean(after), OldMissing: f.Kind == undo.Created})
		} else {
			lines = append(lines, panel.Line{Text: "Its old content was not kept", Head: true})
		}
		return changeShown{c, panel.Source(f.Kind.String()+" "+path, lines, d), from}
	}
}

// putBack is the result of an undo or a redo.
type putBack struct {
	page    *Page
	undone  bool // else redone
	results []undo.Result
}

func (m putBack) Handle() tea.Cmd {
	m.page.Changes.Undone(m.results, m.undone)
	said, refused := describe.Undone(m.results, m.undone, "", m.page.short)
	m.page.Changes.Count(0)
	return m.page.say(withRefused(said, refused))
}

// withRefused adds the first refused files to a line.
func withRefused(said string, refused []string) string {
	const most = 3
	if len(refused) == 0 {
		return said
	}
	said += ": " + strings.Join(refused[:min(len(refused), most)], "; ")
	if more := len(refused) - most; more > 0 {
		said += fmt.Sprintf("; and %d more", more)
	}
	return said
}

// showTrust lists what the agent has changed and run in the session, by who allowed it,
// and changes that it did not report.
func showTrust(c *Page) tea.Cmd {
	c.Changes.List(func(changes []undo.Change, gaps []string) {
		var calls []panel.Call
		for sub, it := range c.Thread.Calls {
			t, place, title := it.Tool, it.Index, verbed(it.Tool)
			if sub != nil {
				place, title = sub.Place(), title+"  ("+sub.Name()+")"
			}
			calls = append(calls, panel.Call{Title: title, Paths: strings.Join(t.Paths(), " "), Trust: t.Trust, Ended: t.Ended, Item: place})
		}
		l := panel.Trust(naming(c), calls, workspace.Unnamed(c.Thread, changes), gaps, c.goTo, with(c, showChange))
		if l == nil {
			said := "Nothing changed or run in this session"
			if len(gaps) > 0 {
				said = workspace.NoChanges(gaps)
			}
			c.Say(said)
			return
		}
		c.Panels.Show(l)
	})
	return nil
}
