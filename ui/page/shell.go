package page

import (
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/transcript"
)

// shelling reports whether the draft is a shell command.
func (c *Page) shelling() bool { return c.Composer.HasPrefix("!") }

// onShellEvent applies an event of a command. Its output goes with the next prompt.
func (c *Page) onShellEvent(e event.Event) {
	c.changed = append(c.changed, c.Thread.Apply(e)...)
	c.Applied()
	if e, ended := e.(thread.ShellEnded); ended && e.Err == nil {
		if s := c.Thread.Shell(e.Key); s != nil && !s.Started.IsZero() {
			c.Prompts.Carried.Add(transcript.ShellBlock(s))
		}
	}
}
