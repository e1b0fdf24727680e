package status

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// noticePause is how long a message waits until it is tried again.
const noticePause = time.Second

// notice is a message that belongs to no session.
type notice struct {
	say  func(line string) bool
	line string
	next tea.Cmd // waits for the next message
}

// Listen shows all messages of a channel until it is closed or ctx ends. say shows one; false if it would
// not be seen now or hide another.
func Listen(ctx context.Context, say func(line string) bool, lines <-chan string) tea.Cmd {
	return func() tea.Msg {
		select {
		case line, more := <-lines:
			if !more {
				return nil
			}
			return notice{say, line, Listen(ctx, say, lines)}
		case <-ctx.Done():
			return nil
		}
	}
}

// Handle shows the message, now or later.
func (n notice) Handle() tea.Cmd {
	if !n.say(n.line) {
		return tea.Tick(noticePause, func(time.Time) tea.Msg { return n })
	}
	return n.next
}
