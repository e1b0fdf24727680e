package panel

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/ui/widget"
)

// Call is a tool call that has changed or run something.
type Call struct {
	Title, Paths string
	Trust        thread.Trust
	Ended        time.Time
	Item         int // of the transcript
}

// Trust lists what the agent has changed and run in the session, by whose permission it
// had, and what changed that no call named; nil where there is nothing.
func Trust(calls []Call, unnamed []Change, show func(item int) tea.Cmd, read func(Change) tea.Cmd) *List {
	var items []widget.Item
	for _, trust := range thread.Trusts {
		if trust == thread.Unasked { // only what was rejected is worse than what was hidden
			for _, f := range slices.Backward(unnamed) {
				it := f.item()
				it.Section, it.Hint = "changed on the disk, and no tool call named it", fmt.Sprintf("turn %d", f.Turn)
				items = append(items, it)
			}
		}
		for _, c := range calls {
			if c.Trust != trust {
				continue
			}
			item := widget.Item{Title: c.Title, Detail: c.Paths, Section: trust.Title(), Bad: trust.Against(), Value: c.Item}
			if !c.Ended.IsZero() {
				item.Hint = c.Ended.Format("15:04")
			}
			items = append(items, item)
		}
	}
	if len(items) == 0 {
		return nil
	}
	return &List{Title: "what the agent changed and ran", Foot: "enter goes there · esc", List: widget.NewList(items), Choose: func(it widget.Item) tea.Cmd {
		if f, ok := it.Value.(Change); ok {
			return read(f)
		}
		return show(it.Value.(int))
	}}
}
