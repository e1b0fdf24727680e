package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/transcript"
)

// shelling reports whether the draft is a shell command.
func (c *chat) shelling() bool { return c.composer.HasPrefix("!") }

// runLine runs the command in the composer after the commands before it.
func (c *chat) runLine() tea.Cmd {
	text := c.composer.Value()
	line := strings.TrimSpace(c.composer.PortableText(strings.TrimPrefix(text, "!")))
	switch {
	case c.ReadOnly:
		return c.say("Read-only log: nothing can be run here")
	case c.m.opts.Shell == nil:
		return c.say("Commands cannot be run here")
	case line == "":
		return c.say("Type ! and a command to run it in your shell")
	}
	c.composer.AddToHistory(text)
	c.composer.Clear()
	run := c.shells.Add(line, c.LocalDir())
	c.view.End()
	return run
}

// onShellEvent applies an event of a command. Its output goes with the next prompt.
func (c *chat) onShellEvent(e event.Event) {
	c.changed = append(c.changed, c.Thread.Apply(e)...)
	c.applied()
	if e, ended := e.(thread.ShellEnded); ended && e.Err == nil {
		if s := c.Thread.Shell(e.Key); s != nil && !s.Started.IsZero() {
			c.Prompts.Carried.Add(transcript.ShellBlock(s))
		}
	}
}
