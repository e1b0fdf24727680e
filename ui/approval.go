package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/panel"
	"parley/ui/widget"
)

// approvalWords say what a mode does.
var approvalWords = map[permissions.Mode]string{
	permissions.AskMode:      "what no rule answers is asked",
	permissions.AcceptEdits:  "files inside the session's directories are written without asking",
	permissions.ReadOnlyMode: "what writes or runs something is rejected",
	permissions.AllMode:      "everything is allowed, in this session, until parley ends",
}

// ApprovalWords says what a mode does.
func ApprovalWords(m permissions.Mode) string { return approvalWords[m] }

// approval is what becomes of the session's questions.
func (c *chat) approval() permissions.Mode {
	if c.ACP == nil || c.Agent.Conn() == nil || c.ReadOnly {
		return permissions.AskMode
	}
	return c.Agent.Conn().Broker.Mode(c.ACP.ID())
}

// showApproval lets the user choose the mode; that everything is allowed has to be
// said twice.
func (c *chat) showApproval() tea.Cmd {
	if c.ACP == nil || c.Agent.Conn() == nil {
		return c.say(workspace.ErrNotOpen.Error())
	}
	var items []widget.Item
	at := 0
	for i, m := range permissions.Modes {
		items = append(items, widget.Item{Title: m.String(), Detail: approvalWords[m], Value: m})
		if m == c.approval() {
			at = i
		}
	}
	list := &panel.List{Title: "what becomes of questions", Foot: "enter chooses · esc", List: widget.NewList(items), Choose: func(it widget.Item) tea.Cmd {
		if m := it.Value.(permissions.Mode); m != permissions.AllMode || c.approval() == m {
			return c.approve(m)
		}
		c.panels.show(&panel.List{Title: "allow everything in this session?", Foot: "enter chooses · esc", Choose: func(it widget.Item) tea.Cmd {
			return c.approve(it.Value.(permissions.Mode))
		}, List: widget.NewList([]widget.Item{
			{Title: "no", Detail: "leave it as it is", Value: c.approval()},
			{Title: "yes, everything", Detail: "commands and files, without a question; rules that deny still do", Value: permissions.AllMode},
		})})
		return nil
	}}
	list.List.Move(at)
	c.panels.show(list)
	return nil
}

// approve sets the mode, and has it answer what is open.
func (c *chat) approve(m permissions.Mode) tea.Cmd {
	broker, session := c.Agent.Conn().Broker, c.ACP.ID()
	broker.SetMode(session, m)
	return tea.Batch(c.say(m.String()+": "+approvalWords[m]), func() tea.Msg {
		broker.Reconsider(session) // it looks at files
		return nil
	})
}
