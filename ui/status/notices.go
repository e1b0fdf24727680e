package status

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Speaker says lines to the user.
type Speaker interface {
	// Free tells whether a line would be seen now, and hide no other.
	Free() bool
	Say(line string) tea.Cmd
}

// noticePause is how long a line waits until it is tried again.
const noticePause = time.Second

// notice is a line that comes from beside the conversations.
type notice struct {
	to   Speaker
	line string
	next tea.Cmd // waits for another one
}

// Listen says all lines that come until there are no more or ctx ends.
func Listen(ctx context.Context, to Speaker, lines <-chan string) tea.Cmd {
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

// Handle says the line once there is somewhere to say it.
func (n notice) Handle() tea.Cmd {
	if !n.to.Free() {
		return tea.Tick(noticePause, func(time.Time) tea.Msg { return n })
	}
	return tea.Batch(n.to.Say(n.line), n.next)
}
