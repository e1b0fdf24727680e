package page

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/transcript"
)

// shelling reports whether the draft is a shell command.
func (c *Page) shelling() bool { return c.Composer.HasPrefix("!") }

// runLine runs the command in the composer after the commands before it.
func (c *Page) runLine() tea.Cmd {
	text := c.Composer.Value()
	line := strings.TrimSpace(c.Composer.PortableText(strings.TrimPrefix(text, "!")))
	switch {
	case c.ReadOnly:
		return c.say("Read-only log: nothing can be run here")
	case c.screen.Options.Shell == nil:
		return c.say("Commands cannot be run here")
	case line == "":
		return c.say("Type ! and a command to run it in your shell")
	}
	c.Composer.AddToHistory(text)
	c.Composer.Clear()
	run := c.shells.Add(line, c.LocalDir())
	c.View.End()
	return run
}

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
