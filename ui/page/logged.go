package page

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/workspace"
	"parley/ui/panel"
)

// itemMessagesMsg brings the messages that an item was made from.
type itemMessagesMsg struct {
	page  *Page
	shown []workspace.Message
	err   error
}

// showItemMessages loads the messages of the selected item from the log.
func showItemMessages(c *Page) tea.Cmd {
	it := c.View.Selected()
	if it == nil {
		return nil
	}
	if len(it.Wire) == 0 && it.Request == 0 {
		return c.say("No message of the agent made this")
	}
	behind := c.LookupOf(it.Index)
	if behind == nil {
		return c.say("This session has no log")
	}
	spans, request, ctx := append([]event.Span(nil), it.Wire...), it.Request, c.screen.Workspace.Context()
	return func() tea.Msg {
		shown, err := behind(ctx, spans, request)
		return itemMessagesMsg{c, shown, err}
	}
}

func (msg itemMessagesMsg) Handle() tea.Cmd {
	c := msg.page
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil:
		return c.say(msg.err.Error())
	case len(msg.shown) == 0:
		return c.say("These messages are not in the log")
	}
	messages := make([]panel.Message, 0, len(msg.shown))
	for _, s := range msg.shown {
		messages = append(messages, panel.Message(s))
	}
	c.Panels.Read(panel.Source("Messages", panel.Messages(messages), nil))
	return nil
}

// ignoresTyping reports whether a page read from a log ignores typed or pasted text. It accepts
// commands only.
func (c *Page) ignoresTyping(typed string) bool {
	return c.ReadOnly && c.Composer.Empty() && typed != "" && !strings.HasPrefix(typed, "/")
}
