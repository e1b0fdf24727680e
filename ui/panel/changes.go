package panel

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/internal/undo"
	"parley/internal/words"
	"parley/ui/widget/list"
)

// Naming says how changed files are shown: by a short path that is safe to show, and whether a tool call
// has named the file.
type Naming struct {
	Short func(path string) string
	Named func(path string) bool
}

// item returns the row of a change.
func (n Naming) item(c undo.Change) list.Item {
	it := list.Item{Title: c.Kind.String() + "  " + n.Short(c.Path), Detail: c.By.String(), Section: fmt.Sprintf("Turn %d", c.Turn), Value: c}
	switch {
	case c.Undone:
		it.Hint = "restored"
	case !n.Named(c.Path):
		it.Hint = "not reported by the agent"
	}
	return it
}

// Undoable is what Undo offers.
type Undoable struct {
	Changes    []undo.Change // the oldest first
	Everything []undo.Change // those that can be put back, each file over all turns
	Undone     []undo.Change // those that were put back, in the order to redo them

	NotRecorded []string // what is not recorded; see workspace.Journal
}

// Undo offers to put back the changes of the last turn together, or any of them alone, and
// to redo those that were put back. say shows why a change cannot be put back.
func Undo(n Naming, u Undoable, putBack, doAgain func([]undo.Change) tea.Cmd, say func(string) tea.Cmd) *List {
	some := func(do func([]undo.Change) tea.Cmd, changes ...undo.Change) func() tea.Cmd {
		return func() tea.Cmd { return do(changes) }
	}
	var items []list.Item
	last := 0
	for _, f := range u.Changes {
		last = max(last, f.Turn)
	}
	var turn []undo.Change
	for _, f := range u.Changes {
		if f.Turn == last && f.NoUndoReason == "" {
			turn = append(turn, f)
		}
	}
	offer := func(what string, changes []undo.Change) {
		if len(changes) > 0 {
			items = append(items, list.Item{Title: fmt.Sprintf("Restore %s: %s", what, words.Count(len(changes), "file")), Value: some(putBack, changes...)})
		}
	}
	offer("the last turn", turn)
	if len(u.Changes) > 0 && u.Changes[0].Turn != last {
		offer("everything", u.Everything)
	}
	for _, f := range slices.Backward(u.Changes) {
		it := n.item(f)
		it.Value = some(putBack, f)
		if f.NoUndoReason != "" {
			it.Hint, it.Value = f.NoUndoReason, func() tea.Cmd { return say("Not restored: " + f.NoUndoReason) }
		}
		items = append(items, it)
	}
	if all := len(u.Undone); all > 1 {
		items = append(items, list.Item{Title: fmt.Sprintf("Redo all %d changes", all), Section: "Undone", Value: some(doAgain, u.Undone...)})
	}
	for _, f := range u.Undone {
		it := n.item(f)
		it.Detail = fmt.Sprintf("%s, turn %d", f.By, f.Turn)
		it.Section, it.Hint, it.Value = "Undone", "enter redo", some(doAgain, f)
		items = append(items, it)
	}
	items = append(items, notRecorded(u.NotRecorded, func(line string) any { return func() tea.Cmd { return say(line) } })...)
	return &List{Title: "Restore files", Foot: "enter restore · esc close", List: list.New(items), Choose: With(func(do func() tea.Cmd) tea.Cmd { return do() })}
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
func Restore(n Naming, prompt string, files []undo.Change, refused []undo.Result, restore, review func() tea.Cmd) *List {
	paths := map[string]bool{}
	for _, f := range files {
		paths[f.Path] = true
	}
	var items []list.Item
	if len(paths) > 0 {
		items = append(items, list.Item{Title: "Restore " + words.Count(len(paths), "file"), Detail: "the agent is not told, the conversation stays", Value: restore})
	}
	items = append(items, list.Item{Title: "Review the changes", Value: review})
	for _, f := range files {
		it := n.item(f)
		it.Section, it.Value = "Would be restored (created files are removed)", review
		items = append(items, it)
	}
	for _, r := range refused {
		it := n.item(r.Change)
		it.Section, it.Hint, it.Detail, it.Value = "Cannot be restored", "", safetext.Line(r.Err.Error(), 200), review
		items = append(items, it)
	}
	return &List{Title: "Restore files to before: " + prompt, Foot: "enter select · esc close", List: list.New(items), NeedsConfirmation: true,
		Choose: With(func(do func() tea.Cmd) tea.Cmd { return do() })}
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
func Trust(n Naming, calls []Call, unnamed []undo.Change, gaps []string, show func(item int) tea.Cmd, read func(undo.Change) tea.Cmd) *List {
	var items []list.Item
	for _, trust := range thread.Trusts {
		if trust == thread.Unasked { // hidden changes come first, except for rejected calls
			for _, f := range slices.Backward(unnamed) {
				it := n.item(f)
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
	return &List{Title: "Trust: what the agent did", Foot: "enter go there · esc close", List: list.New(items), Choose: func(it list.Item) tea.Cmd {
		if f, ok := it.Value.(undo.Change); ok {
			return read(f)
		}
		if at, ok := it.Value.(int); ok {
			return show(at)
		}
		return nil
	}}
}
