package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/workspace"
	chatview "parley/ui/chat"
	"parley/ui/widget"
)

// trustListed is what has changed on the disk, for who asks what the agent has done.
type trustListed struct {
	chat    *chat
	session string
	changes []workspace.FileChange
}

// showTrust lists what the agent has changed and run in the session, by the word
// that it had for it, and what changed that it did not tell of.
func (c *chat) showTrust() tea.Cmd {
	if c.session == nil || c.link.conn == nil || c.link.conn.Changes == nil {
		return trustListed{chat: c}.take(c.m)
	}
	conn, session := c.link.conn, c.session.ID()
	return func() tea.Msg {
		turns, _ := conn.Changes(session)
		return trustListed{c, session, turns}
	}
}

func (m trustListed) take(*Model) tea.Cmd {
	c := m.chat
	var disk []widget.Item
	for _, f := range slices.Backward(workspace.Unnamed(c.thread, m.changes)) {
		it := changesListed{chat: c}.item(f)
		it.Section, it.Hint = "changed on the disk, and no tool call named it", fmt.Sprintf("turn %d", f.Turn)
		disk = append(disk, it)
	}
	var items []widget.Item
	for _, trust := range thread.Trusts {
		if trust == thread.Unasked { // only what was rejected is worse than what was hidden
			items = append(items, disk...)
		}
		for _, it := range c.thread.Items {
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
		return c.say("the agent has changed and run nothing that it told of")
	}
	c.picker = &picker{title: "what the agent changed and ran", foot: "enter goes there · esc", list: widget.NewList(items), choose: func(it widget.Item) tea.Cmd {
		if f, ok := it.Value.(workspace.FileChange); ok {
			return c.showChange(m.session, f)
		}
		c.goTo(it.Value.(int))
		return nil
	}}
	return nil
}

// unsaidMsg are the changes of a turn in which the agent told of none.
type unsaidMsg struct {
	chat    *chat
	session string
	changes []workspace.FileChange
}

// unsaid looks for changes of a turn that is over, where nothing in it could have
// made any, by what the agent said.
func (c *chat) unsaid(turn int) tea.Cmd {
	if turn == 0 || c.link.conn.Changes == nil || !c.thread.Silent(c.thread.Turn) {
		return nil
	}
	conn, session := c.link.conn, c.session.ID()
	return func() tea.Msg {
		changes, _ := conn.Changes(session)
		return unsaidMsg{c, session, slices.DeleteFunc(changes, func(f workspace.FileChange) bool { return f.Turn != turn })}
	}
}

func (m unsaidMsg) take(*Model) tea.Cmd {
	c := m.chat
	changes := workspace.Unnamed(c.thread, m.changes)
	if len(changes) == 0 || c.session == nil || c.session.ID() != m.session {
		return nil
	}
	c.view.Changed([]int{c.thread.Remark("⚠ "+UnsaidWords(len(changes)), "")})
	return nil
}

// UnsaidWords tell of n files that changed in a turn without a word of it.
func UnsaidWords(n int) string {
	return files(n) + " changed, and the agent told of no change; see /changes"
}

// trustTitle is what a call did, in a line.
func trustTitle(t *thread.Tool) string {
	if cmd := chatview.Command(t.RawInput); cmd != "" && t.Kind == "execute" {
		return t.Kind + "  " + strings.Join(strings.Fields(cmd), " ")
	}
	return t.Kind + "  " + t.Title
}
