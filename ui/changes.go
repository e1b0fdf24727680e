package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// changesListed are the changes of a session.
type changesListed struct {
	chat    *chat
	session string
	changes []workspace.FileChange
	could   []error                // of each: what putting it back would meet
	all     []workspace.FileChange // together, those that can be put back
	undo    bool                   // to put them back
	undone  []workspace.FileChange // those that were
}

// showChanges lists what the agent has changed; with undo, what of it can be put
// back, to be chosen.
func (c *chat) showChanges(undo bool) tea.Cmd {
	if c.ACP == nil || c.Agent.Conn() == nil || c.Agent.Conn().Changes == nil {
		return c.say("changes are not watched here")
	}
	conn, session := c.Agent.Conn(), c.ACP.ID()
	return func() tea.Msg {
		m := changesListed{chat: c, session: session, undo: undo}
		turns, together := conn.Changes(session)
		if m.changes = turns; !undo {
			return m
		}
		m.changes = nil
		for _, f := range turns {
			if f.Undone {
				m.undone = append(m.undone, f)
			} else {
				m.changes = append(m.changes, f)
			}
		}
		together = slices.DeleteFunc(together, func(f workspace.FileChange) bool { return f.Undone })
		for _, r := range conn.PutBack(context.Background(), session, m.changes, true) {
			m.could = append(m.could, r.Err)
		}
		for i, r := range conn.PutBack(context.Background(), session, together, true) {
			if r.Err == nil && together[i].Why == "" {
				m.all = append(m.all, together[i])
			}
		}
		return m
	}
}

func (m changesListed) handle(*Model) tea.Cmd {
	c := m.chat
	if len(m.changes)+len(m.undone) == 0 {
		return c.say("nothing was changed that parley knows of; in a directory without git that is what was written through it")
	}
	if m.undo {
		c.picker = m.undoPicker()
	} else {
		c.picker = m.listPicker()
	}
	return nil
}

// item is the row of a change.
func (m changesListed) item(f workspace.FileChange) widget.Item {
	c := m.chat
	it := widget.Item{Title: f.Kind + "  " + safetext.Line(c.short(f.Path), 300), Detail: f.By, Section: fmt.Sprintf("turn %d", f.Turn), Value: f}
	switch {
	case f.Undone:
		it.Hint = "put back"
	case !c.Thread.Named(f.Path):
		it.Hint = "no tool call named it"
	}
	return it
}

// short is a path as the transcript shows it, the home directory cut.
func (c *chat) short(path string) string {
	return transcript.Home(transcript.Short(path, c.m.opts.Cwd), c.m.opts.Home)
}

// changeShown is a change to be read.
type changeShown struct {
	chat   *chat
	source *source
}

func (m changeShown) handle(*Model) tea.Cmd {
	m.chat.source, m.chat.overlay, m.chat.scroll = m.source, sourceOverlay, 0
	return nil
}

// showChange shows what a file held before and after.
func (c *chat) showChange(session string, f workspace.FileChange) tea.Cmd {
	conn, path := c.Agent.Conn(), safetext.Line(c.short(f.Path), 300)
	return func() tea.Msg {
		s := &source{title: f.Kind + " " + path}
		say := func(line string) { s.lines = append(s.lines, sourceLine{line, true}) }
		say(f.By)
		if f.Why != "" {
			say("it cannot be put back: " + safetext.Line(f.Why, 300))
		}
		before, after, ok := conn.Texts(session, f)
		if !ok {
			say("what it held is not kept")
			return changeShown{c, s}
		}
		s.diff = widget.Compute(widget.Diff{Path: path, Old: safetext.Clean(before), New: safetext.Clean(after), OldMissing: f.Kind == "created"})
		return changeShown{c, s}
	}
}

func (m changesListed) listPicker() *picker {
	var items []widget.Item
	for _, f := range slices.Backward(m.changes) {
		items = append(items, m.item(f))
	}
	return &picker{title: "what changed", foot: "enter shows it · esc · /undo puts it back", list: widget.NewList(items), choose: func(it widget.Item) tea.Cmd {
		return m.chat.showChange(m.session, it.Value.(workspace.FileChange))
	}}
}

// undoPicker offers the changes of the last turn together, and each by itself; and
// those that were put back, to be done again.
func (m changesListed) undoPicker() *picker {
	var items []widget.Item
	last := 0
	for _, f := range m.changes {
		last = max(last, f.Turn)
	}
	var turn []workspace.FileChange
	for i, f := range m.changes {
		if f.Turn == last && m.whyNot(i) == "" {
			turn = append(turn, f)
		}
	}
	offer := func(what string, changes []workspace.FileChange) {
		if len(changes) > 0 {
			items = append(items, widget.Item{Title: fmt.Sprintf("put back %s: %s", what, files(len(changes))), Value: changes})
		}
	}
	offer("the last turn", turn)
	if len(m.changes) > 0 && m.changes[0].Turn != last {
		offer("everything", m.all)
	}
	for i, f := range slices.Backward(m.changes) {
		it := m.item(f)
		it.Value = []workspace.FileChange{f}
		if why := m.whyNot(i); why != "" {
			it.Hint, it.Value = why, why
		}
		items = append(items, it)
	}
	if n := len(m.undone); n > 1 {
		items = append(items, widget.Item{Title: fmt.Sprintf("do all of it again: %d changes", n), Section: "put back", Value: again(m.undone)})
	}
	for _, f := range m.undone { // in the order in which they can be done again
		it := m.item(f)
		it.Detail = fmt.Sprintf("%s, turn %d", f.By, f.Turn)
		it.Section, it.Hint, it.Value = "put back", "enter does it again", again{f}
		items = append(items, it)
	}
	return &picker{title: "put back what the agent changed", foot: "enter puts it back · esc", list: widget.NewList(items), choose: func(it widget.Item) tea.Cmd {
		conn, c := m.chat.Agent.Conn(), m.chat
		switch chosen := it.Value.(type) {
		case []workspace.FileChange:
			return func() tea.Msg {
				return putBack{c, "put back", conn.PutBack(context.Background(), m.session, chosen, false)}
			}
		case again:
			return func() tea.Msg {
				return putBack{c, "changed again", conn.DoAgain(context.Background(), m.session, chosen)}
			}
		}
		return c.say(fmt.Sprintf("left as it is: %v", it.Value))
	}}
}

// again are changes that were put back, and may be done again.
type again []workspace.FileChange

// whyNot says why a change cannot be put back; "" where it can.
func (m changesListed) whyNot(i int) string {
	if why := m.changes[i].Why; why != "" {
		return why
	}
	if i < len(m.could) && m.could[i] != nil {
		return safetext.Line(m.could[i].Error(), 200)
	}
	return ""
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

// putBack is the end of an undo, or of one that was taken back.
type putBack struct {
	chat    *chat
	what    string // was done
	results []workspace.PutBack
}

func (m putBack) handle(*Model) tea.Cmd {
	done, left := 0, []string{}
	for _, r := range m.results {
		if r.Err == nil {
			done++
			continue
		}
		left = append(left, safetext.Line(m.chat.short(r.Change.Path)+": "+r.Err.Error(), 200))
	}
	text := files(done) + " " + m.what + "; the agent does not know of it"
	if len(left) > 0 {
		text = fmt.Sprintf("%s %s, %s left alone: %s", files(done), m.what, files(len(left)), strings.Join(left, "; "))
	}
	m.chat.CountLines()
	return m.chat.say(text)
}
