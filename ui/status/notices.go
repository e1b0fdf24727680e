package status

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Narrator shows messages to the user.
type Narrator interface {
	// Free reports whether a message would be seen now and hide no other.
	Free() bool
	Say(line string) tea.Cmd
}

// noticePause is how long a message waits until it is tried again.
const noticePause = time.Second

// notice is a message that belongs to no session.
type notice struct {
	to   Narrator
	line string
	next tea.Cmd // waits for the next message
}

// Listen shows all messages of a channel until it is closed or ctx ends.
func Listen(ctx context.Context, to Narrator, lines <-chan string) tea.Cmd {
	return func() tea.Msg {
		select {
		case line, more := <-lines:
			if !more {
				return nil
			}
			return notice{to, line, Listen(ctx, to, lines)}
		case <-ctx.Done():
			return nil
		}
	}
}

// Handle shows the message when the narrator is free.
func (n notice) Handle() tea.Cmd {
	if !n.to.Free() {
		return tea.Tick(noticePause, func(time.Time) tea.Msg { return n })
	}
	return tea.Batch(n.to.Say(n.line), n.next)
}
