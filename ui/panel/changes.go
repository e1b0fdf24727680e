package panel

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/ui/widget/list"
)

// Change is the change of one file in a turn, or over several.
type Change struct {
	What         string // its kind and its path
	Path         string // verbatim
	By           string // what made it
	Turn         int
	Undone       bool
	Named        bool   // a tool call named the file
	NoUndoReason string // why it cannot be put back; "" if it can
	File         any    // for the caller
}

// item returns the row of a change.
func (f Change) item() list.Item {
	it := list.Item{Title: f.What, Detail: f.By, Section: fmt.Sprintf("Turn %d", f.Turn), Value: f}
	switch {
	case f.Undone:
		it.Hint = "restored"
	case !f.Named:
		it.Hint = "not reported by the agent"
	}
	return it
}

// Undoable is what Undo offers.
type Undoable struct {
	Changes  []Change // the oldest first
	Together []Change // those that can be put back, each file over all turns
	Undone   []Change // those that were put back, in the order to redo them

	NotRecorded []string // what is not recorded; see workspace.Connection
}

// Undo offers to put back the changes of the last turn together, or any of them alone, and
// to redo those that were put back. say shows why a change cannot be put back.
func Undo(u Undoable, putBack, doAgain func([]Change) tea.Cmd, say func(string) tea.Cmd) *List {
	some := func(do func([]Change) tea.Cmd, changes ...Change) func() tea.Cmd {
		return func() tea.Cmd { return do(changes) }
	}
	var items []list.Item
	last := 0
	for _, f := range u.Changes {
		last = max(last, f.Turn)
	}
	var turn []Change
	for _, f := range u.Changes {
		if f.Turn == last && f.NoUndoReason == "" {
			turn = append(turn, f)
		}
	}
	offer := func(what string, changes []Change) {
		if len(changes) > 0 {
			items = append(items, list.Item{Title: fmt.Sprintf("Restore %s: %s", what, CountFiles(len(changes))), Value: some(putBack, changes...)})
		}
	}
	offer("the last turn", turn)
	if len(u.Changes) > 0 && u.Changes[0].Turn != last {
		offer("everything", u.Together)
	}
	for _, f := range slices.Backward(u.Changes) {
		it := f.item()
		it.Value = some(putBack, f)
		if f.NoUndoReason != "" {
			it.Hint, it.Value = f.NoUndoReason, func() tea.Cmd { return say("Not restored: " + f.NoUndoReason) }
		}
		items = append(items, it)
	}
	if n := len(u.Undone); n > 1 {
		items = append(items, list.Item{Title: fmt.Sprintf("Redo all %d changes", n), Section: "Restored", Value: some(doAgain, u.Undone...)})
	}
	for _, f := range u.Undone {
		it := f.item()
		it.Detail = fmt.Sprintf("%s, turn %d", f.By, f.Turn)
		it.Section, it.Hint, it.Value = "Restored", "enter redoes it", some(doAgain, f)
		items = append(items, it)
	}
	items = append(items, notRecorded(u.NotRecorded, func(line string) any { return func() tea.Cmd { return say(line) } })...)
	return &List{Title: "Restore files", Foot: "enter restores · esc closes", List: list.New(items), Choose: With(func(do func() tea.Cmd) tea.Cmd { return do() })}
}

// notRecorded returns rows that say what is not recorded, with the values of their lines.
func notRecorded(lines []string, value func(line string) any) (items []list.Item) {
	for _, line := range lines {
		items = append(items, list.Item{Title: line, Section: "Not recorded", Value: value(line)})
	}
	return items
}

// Restore asks whether to restore files to before a turn. It lists them, and those that cannot be
// restored. review shows the changes.
func Restore(prompt string, files, refused []Change, restore, review func() tea.Cmd) *List {
	paths := map[string]bool{}
	for _, f := range files {
		paths[f.Path] = true
	}
	var items []list.Item
	if n := len(paths); n > 0 {
		items = append(items, list.Item{Title: "Restore " + CountFiles(n), Detail: "the agent is not told, the conversation stays", Value: restore})
	}
	items = append(items, list.Item{Title: "Review the changes", Value: review})
	for _, f := range files {
		it := f.item()
		it.Section, it.Value = "Would be restored (created files are removed)", review
		items = append(items, it)
	}
	for _, f := range refused {
		it := f.item()
		it.Section, it.Hint, it.Detail, it.Value = "Cannot be restored", "", f.NoUndoReason, review
		items = append(items, it)
	}
	return &List{Title: "Restore files to before: " + prompt, Foot: "enter selects · esc closes", List: list.New(items), NeedsConfirmation: true,
		Choose: With(func(do func() tea.Cmd) tea.Cmd { return do() })}
}

// CountFiles is "1 file" or "5 files".
func CountFiles(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

// Call is a tool call that changed or ran something.
type Call struct {
	Title, Paths string
	Trust        thread.Trust
	Ended        time.Time
	Item         int // its index in the transcript
}

// Trust lists what the agent changed and ran in the session, by who allowed it, and the
// changes that no call named, and then what is not recorded. It returns nil if there are none.
func Trust(calls []Call, unnamed []Change, gaps []string, show func(item int) tea.Cmd, read func(Change) tea.Cmd) *List {
	var items []list.Item
	for _, trust := range thread.Trusts {
		if trust == thread.Unasked { // hidden changes come first, except for rejected calls
			for _, f := range slices.Backward(unnamed) {
				it := f.item()
				it.Section, it.Hint = "Changed on disk, not reported by the agent", fmt.Sprintf("turn %d", f.Turn)
				items = append(items, it)
			}
		}
		for _, c := range calls {
			if c.Trust != trust {
				continue
			}
			item := list.Item{Title: c.Title, Detail: c.Paths, Section: trust.Title(), Bad: trust.Denied(), Value: c.Item}
			if !c.Ended.IsZero() {
				item.Hint = c.Ended.Format("15:04")
			}
			items = append(items, item)
		}
	}
	if len(items) == 0 {
		return nil
	}
	items = append(items, notRecorded(gaps, func(string) any { return nil })...)
	return &List{Title: "Trust: what the agent did", Foot: "enter goes there · esc closes", List: list.New(items), Choose: func(it list.Item) tea.Cmd {
		if f, ok := it.Value.(Change); ok {
			return read(f)
		}
		if at, ok := it.Value.(int); ok {
			return show(at)
		}
		return nil
	}}
}
