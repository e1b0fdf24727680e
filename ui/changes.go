package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/linediff"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/ui/panel"
	"parley/ui/transcript"
)

// changesListed are the changes of a session, in the order in which they were made.
type changesListed struct {
	chat     *chat
	session  string
	changes  []workspace.FileChange // by turn
	could    []error                // why each cannot be restored; nil: it can
	together []workspace.FileChange // those that can be restored, over all turns
	gaps     []string               // what is not recorded
}

// showUndo lists the files that the agent has changed, to restore them.
func (p *panels) showUndo() tea.Cmd {
	c, conn := p.c, p.c.Recorded()
	if conn == nil {
		return c.say(notRecorded)
	}
	session := c.ACP.ID()
	return func() tea.Msg {
		turns := conn.Changes(session)
		m := changesListed{chat: c, session: session, changes: turns, gaps: conn.Gaps(session)}
		done := func(f workspace.FileChange) bool { return f.Undone }
		together := slices.DeleteFunc(conn.Since(session, 0), done)
		for _, r := range conn.Undo(context.Background(), session, slices.DeleteFunc(slices.Clone(turns), done), true) {
			m.could = append(m.could, r.Err)
		}
		for i, r := range conn.Undo(context.Background(), session, together, true) {
			if r.Err == nil && together[i].NoUndoReason == "" {
				m.together = append(m.together, together[i])
			}
		}
		return m
	}
}

const notRecorded = "Changes are not recorded here"

func (m changesListed) handle(*Model) tea.Cmd {
	c, p, conn := m.chat, &m.chat.panels, m.chat.Agent.Conn()
	if len(m.changes) == 0 {
		return c.say(workspace.NoChanges(m.gaps))
	}
	u := panel.Undoable{Together: p.changes(m.together), NotRecorded: m.gaps}
	for _, f := range p.changes(m.changes) {
		if f.Undone {
			u.Undone = append(u.Undone, f)
			continue
		}
		if i := len(u.Changes); f.NoUndoReason == "" && i < len(m.could) && m.could[i] != nil {
			f.NoUndoReason = safetext.Line(m.could[i].Error(), 200)
		}
		u.Changes = append(u.Changes, f)
	}
	does := func(undo bool, do func(context.Context, string, []workspace.FileChange) []workspace.UndoResult) func([]panel.Change) tea.Cmd {
		return func(chosen []panel.Change) tea.Cmd {
			var files []workspace.FileChange
			for _, f := range chosen {
				files = append(files, f.File.(workspace.FileChange))
			}
			return func() tea.Msg { return putBack{c, undo, do(context.Background(), m.session, files)} }
		}
	}
	back := func(ctx context.Context, session string, files []workspace.FileChange) []workspace.UndoResult {
		return conn.Undo(ctx, session, files, false)
	}
	p.show(panel.Undo(u, does(true, back), does(false, conn.Redo), c.say))
	return nil
}

// changes converts changed files to rows of a panel.
func (p *panels) changes(files []workspace.FileChange) []panel.Change {
	var out []panel.Change
	for _, f := range files {
		out = append(out, panel.Change{What: f.Kind + "  " + safetext.Line(p.short(f.Path), 300), Path: f.Path, By: f.By, Turn: f.Turn, Undone: f.Undone, Named: p.c.Thread.NamesFile(f.Path), NoUndoReason: f.NoUndoReason, File: f})
	}
	return out
}

// short returns a path as the transcript shows it, with ~ for the home directory.
func (p *panels) short(path string) string {
	return transcript.ShortenHome(transcript.RelativePath(path, p.c.cwd), p.c.m.opts.Home)
}

// changeShown is a change to read.
type changeShown struct {
	chat   *chat
	source *panel.Reading
}

func (m changeShown) handle(*Model) tea.Cmd {
	m.chat.panels.read(m.source)
	return nil
}

// showChange shows the content of a file before and after a change.
func (p *panels) showChange(session string, change panel.Change) tea.Cmd {
	c, conn, f := p.c, p.c.Agent.Conn(), change.File.(workspace.FileChange)
	path := safetext.Line(p.short(f.Path), 300)
	return func() tea.Msg {
		lines := []panel.Line{{Text: f.By, Head: true}}
		if f.NoUndoReason != "" {
			lines = append(lines, panel.Line{Text: "Cannot restore it: " + safetext.Line(f.NoUndoReason, 300), Head: true})
		}
		var d *linediff.Diff
		if before, after, ok := conn.Texts(session, f); ok {
			d = linediff.Compare(linediff.Texts{Path: path, Old: safetext.Clean(before), New: safetext.Clean(after), OldMissing: f.Kind == "created"})
		} else {
			lines = append(lines, panel.Line{Text: "Its old content was not kept", Head: true})
		}
		return changeShown{c, panel.Source(f.Kind+" "+path, lines, d)}
	}
}

// putBack is the result of an undo or a redo.
type putBack struct {
	chat    *chat
	undo    bool // else a redo
	results []workspace.UndoResult
}

func (m putBack) handle(*Model) tea.Cmd {
	did := "Redid the changes to"
	if m.undo {
		did = "Restored"
	}
	m.chat.NoteUndone(m.results, m.undo)
	said, _ := m.chat.panels.outcome(did, "", m.results)
	m.chat.CountLines(0)
	return m.chat.say(said)
}

// maxNamed is how many refused files a line names.
const maxNamed = 3

// outcome says in one line what became of changes that were undone or redone, to where unless that is
// "", and returns a line for each that was refused.
func (p *panels) outcome(did, to string, results []workspace.UndoResult) (said string, refused []string) {
	files := map[string]bool{} // several changes may be of the same file
	for _, r := range results {
		files[r.Change.Path] = true
		if r.Err != nil {
			refused = append(refused, safetext.Line(p.short(r.Change.Path)+": "+r.Err.Error(), 200))
		}
	}
	n := len(files) - len(refused)
	if len(refused) == 0 {
		return did + " " + panel.CountFiles(n) + to + " (the agent was not told)", nil
	}
	named := strings.Join(refused[:min(len(refused), maxNamed)], "; ")
	if more := len(refused) - maxNamed; more > 0 {
		named += fmt.Sprintf("; and %d more", more)
	}
	return fmt.Sprintf("%s %d of %s%s: %s", did, n, panel.CountFiles(len(files)), to, named), refused
}

// UnreportedChanges says that n files changed in a turn without any tool call naming them.
func UnreportedChanges(n int) string {
	return panel.CountFiles(n) + " changed, but the agent reported no change; see /review"
}

// showTrust lists what the agent has changed and run in the session, by who allowed it,
// and changes that it did not report.
func (p *panels) showTrust() tea.Cmd {
	p.c.Changes(func(changes []workspace.FileChange, gaps []string) {
		c := p.c
		var calls []panel.Call
		for sub, it := range c.Thread.Calls {
			t, place, title := it.Tool, it.Index, verbed(it.Tool)
			if sub != nil {
				place, title = sub.Place(), title+"  ("+sub.Name()+")"
			}
			calls = append(calls, panel.Call{Title: title, Paths: strings.Join(t.Paths(), " "), Trust: t.Trust, Ended: t.Ended, Item: place})
		}
		l := panel.Trust(calls, p.changes(workspace.Unnamed(c.Thread, changes)), gaps, p.goTo, func(f panel.Change) tea.Cmd { return p.showChange(c.Thread.Session, f) })
		if l == nil {
			said := "Nothing changed or run in this session"
			if len(gaps) > 0 {
				said = workspace.NoChanges(gaps)
			}
			c.Say(said)
			return
		}
		p.show(l)
	})
	return nil
}

// verbed returns what a call did on one line: "Run  make all". A title such as "Edit notes.txt" begins
// with its verb.
func verbed(t *thread.Tool) string {
	verb, title := transcript.Verb(t), strings.Join(strings.Fields(doing(t)), " ")
	if strings.HasPrefix(title, verb+" ") {
		return title
	}
	return verb + "  " + title
}
