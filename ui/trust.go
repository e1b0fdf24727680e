package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/workspace"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// showTrust lists what the agent has changed and run in the session, by the word
// that it had for it, and what changed that it did not tell of.
func (c *chat) showTrust() tea.Cmd {
	c.Changes(c.showTrusted)
	return nil
}

func (c *chat) showTrusted(changes []workspace.FileChange) {
	var disk []widget.Item
	for _, f := range slices.Backward(workspace.Unnamed(c.Thread, changes)) {
		it := changesListed{chat: c}.item(f)
		it.Section, it.Hint = "changed on the disk, and no tool call named it", fmt.Sprintf("turn %d", f.Turn)
		disk = append(disk, it)
	}
	var items []widget.Item
	for _, trust := range thread.Trusts {
		if trust == thread.Unasked { // only what was rejected is worse than what was hidden
			items = append(items, disk...)
		}
		for _, it := range c.Thread.Items {
			if it.Tool == nil || it.Tool.Trust != trust {
				continue
			}
			item := widget.Item{Title: trustTitle(it.Tool), Detail: strings.Join(it.Tool.Paths(), " "), Section: trust.Title(), Bad: trust.Against(), Value: it.Index}
			if !it.Tool.Ended.IsZero() {
				item.Hint = it.Tool.Ended.Format("15:04")
			}
			items = append(items, item)
		}
	}
	if len(items) == 0 {
		c.Say("the agent has changed and run nothing that it told of")
		return
	}
	c.picker = &picker{title: "what the agent changed and ran", foot: "enter goes there · esc", list: widget.NewList(items), choose: func(it widget.Item) tea.Cmd {
		if f, ok := it.Value.(workspace.FileChange); ok {
			return c.showChange(c.Thread.Session, f)
		}
		c.goTo(it.Value.(int))
		return nil
	}}
}

// UnsaidWords tell of n files that changed in a turn without a word of it.
func UnsaidWords(n int) string {
	return files(n) + " changed, and the agent told of no change; see /changes"
}

// trustTitle is what a call did, in a line.
func trustTitle(t *thread.Tool) string {
	if cmd := transcript.Command(t.RawInput); cmd != "" && t.Kind == "execute" {
		return t.Kind + "  " + strings.Join(strings.Fields(cmd), " ")
	}
	return t.Kind + "  " + t.Title
}
