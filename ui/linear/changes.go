package linear

import (
	"context"
	"fmt"
	"strings"

	"parley/internal/describe"
	"parley/internal/linediff"
	"parley/internal/safetext"
	"parley/internal/undo"
	"parley/internal/words"
	"parley/internal/workspace"
)

// changes lists and undoes the agent's changes in a session.
type changes struct {
	dialogs *dialogs
	tasks   *tasks
	journal workspace.Journal
	in      *workspace.Session
	cwd     string // paths are shown relative to it
}

// withChanges calls do with the changes of a session, if they are tracked.
func withChanges(ds *dialogs, tasks *tasks, s *workspace.Session, do func(changes)) {
	j := s.Changes.Journal()
	if j == nil {
		ds.out.say("Changes are not tracked in this session.")
		return
	}
	do(changes{ds, tasks, j, s, s.Cwd()})
}

// review lists the changed files of the session with the lines that were added and removed, or prints
// the changes of the files whose name ends in a word.
func (c changes) review(name string) {
	c.tasks.run(func(context.Context) func() {
		var lines []string
		var diffs []linediff.Texts
		for _, f := range c.journal.Since(0) {
			path := words.RelativePath(f.Path, c.cwd)
			if name != "" && !strings.HasSuffix(path, name) && !strings.HasSuffix(f.Path, name) {
				continue
			}
			line := fmt.Sprintf("Turn %d: %s", f.Turn, changeLine(f, c.cwd))
			before, after, ok := c.journal.Texts(f)
			d := linediff.Texts{Path: path, Old: safetext.Source(before), New: safetext.Source(after), OldMissing: f.Kind == undo.Created}
			switch added, removed := linediff.Count(d); {
			case f.Undone:
			case !ok:
				line += ", its content is no text or was not kept"
			case added+removed > 0:
				line += fmt.Sprintf(", %s added, %d removed", words.Count(added, "line"), removed)
				diffs = append(diffs, d)
			}
			lines = append(lines, line+".")
		}
		notes := c.journal.NotRecorded()
		return func() {
			out := c.dialogs.out
			switch {
			case len(lines) == 0 && name != "":
				out.say("No changed file is named %s; /review lists them.", safetext.Line(name, 200))
			case len(lines) == 0:
				out.say("%s.", workspace.NoChanges(notes))
			default:
				defer out.notRecorded(notes)
			}
			for _, l := range lines {
				out.say("%s", l)
			}
			if name == "" && len(diffs) > 0 {
				out.say("/review FILE shows the changed lines, /undo restores files.")
				return
			}
			for _, d := range diffs {
				out.change(d)
			}
		}
	})
}

// undo offers to restore the files of the last turn.
func (c changes) undo() {
	c.tasks.run(func(ctx context.Context) func() {
		turns := c.journal.Changes()
		var last, undone []undo.Change // of the last turn with changes that are not undone
		for _, f := range turns {
			switch {
			case f.Undone:
				undone = append(undone, f)
			case len(last) > 0 && f.Turn > last[0].Turn:
				last = []undo.Change{f}
			case len(last) == 0 || f.Turn == last[0].Turn:
				last = append(last, f)
			}
		}
		could, notes := c.journal.Preview(ctx, last), c.journal.NotRecorded()
		return func() {
			switch {
			case len(turns) == 0:
				c.dialogs.out.say("%s.", workspace.NoChanges(notes))
			case len(last) == 0:
				c.offerAgain(undone)
			default:
				c.offerUndo(could)
			}
		}
	})
}

// notRecorded says what is not recorded; see workspace.Journal.
func (p *printer) notRecorded(lines []string) {
	for _, line := range lines {
		p.say("%s.", line)
	}
}

// changeLine describes a change in words: "changed notes.txt on disk".
func changeLine(f undo.Change, cwd string) string {
	line := describe.Changed(f, safetext.Line(words.RelativePath(f.Path, cwd), 300))
	if f.From != "" {
		line += ", was " + safetext.Line(words.RelativePath(f.From, cwd), 300)
	}
	if f.Modes != "" {
		line += ", mode " + f.Modes
	}
	switch {
	case f.Undone && f.Kind == undo.Created:
		line += ", removed"
	case f.Undone:
		line += ", restored"
	}
	return line
}

// offerUndo asks before it restores the files of the last turn.
func (c changes) offerUndo(could []undo.Result) {
	out := c.dialogs.out
	var can []undo.Change
	for _, p := range could {
		why := p.Change.NoUndoReason
		if why == "" && p.Err != nil {
			why = p.Err.Error()
		}
		if why != "" {
			out.say("Cannot be restored: %s: %s.", changeLine(p.Change, c.cwd), safetext.Line(why, 200))
			continue
		}
		can = append(can, p.Change)
		out.say("Can be restored: %s.", changeLine(p.Change, c.cwd))
	}
	if len(can) == 0 {
		out.say("Nothing to restore.")
		return
	}
	c.dialogs.confirm(fmt.Sprintf("Restore what the last turn changed, %s?", words.Count(len(can), "file")), "Yes", "No", func() {
		c.apply(true, func(ctx context.Context) []undo.Result { return c.journal.Undo(ctx, can) })
	})
}

// offerAgain asks before it redoes changes that were undone.
func (c changes) offerAgain(undone []undo.Change) {
	for _, f := range undone {
		c.dialogs.out.say("Undone: %s.", changeLine(f, c.cwd))
	}
	c.dialogs.confirm(fmt.Sprintf("All changes were undone. Redo them, %s?", words.Count(len(undone), "file")), "Yes", "No", func() {
		c.apply(false, func(ctx context.Context) []undo.Result { return c.journal.Redo(ctx, undone) })
	})
}

// apply runs change in a task and reports the outcome.
func (c changes) apply(undone bool, change func(context.Context) []undo.Result) {
	c.tasks.run(func(ctx context.Context) func() {
		done := change(ctx)
		return func() { reportUndo(c.dialogs.out, c.in, undone, done) }
	})
}

// reportUndo reports what became of changes that were undone or redone.
func reportUndo(out *printer, s *workspace.Session, undone bool, done []undo.Result) {
	s.Changes.Undone(done, undone)
	said, refused := describe.Undone(done, undone, "", func(path string) string { return safetext.Line(words.RelativePath(path, s.Cwd()), 300) })
	for _, r := range refused {
		out.say("Not changed: %s.", r)
	}
	out.say("%s.", said)
}
