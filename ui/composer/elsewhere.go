package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Editing is an editor that is ready to be run on a text.
type Editing struct {
	Command tea.ExecCommand
	// Done returns the text as it is now and removes the file, after the editor or
	// in place of it. It may wait.
	Done func() (string, error)
}

// Messages of editing a draft elsewhere.
type (
	editReadyMsg struct {
		composer *Composer
		before   string
		edit     Editing
		err      error
	}
	editedMsg struct {
		composer      *Composer
		before, after string
		failed, err   error // the editor, and what was tried with the file
	}
)

// Edit opens the draft in the user's editor.
func (c *Composer) Edit() tea.Cmd {
	editor := c.store.opts.Editor
	switch {
	case c.host.Session().ReadOnly:
		return c.host.Say("Read-only log: no draft here")
	case editor == nil:
		return c.host.Say("No editor found: set $EDITOR")
	}
	before := c.Value()
	return func() tea.Msg {
		e, err := editor(before)
		return editReadyMsg{c, before, e, err}
	}
}

// Handle hands the terminal to the editor.
func (msg editReadyMsg) Handle() tea.Cmd {
	c, done := msg.composer, msg.edit.Done
	discard := func() tea.Msg { _, _ = done(); return nil }
	switch {
	case msg.err != nil:
		return c.host.Say(msg.err.Error())
	case c.store.opts.Screen.Quitting():
		return discard
	case c.Value() != msg.before: // somebody typed on
		return tea.Batch(c.Edit(), discard)
	}
	return c.store.opts.Env.Exec(msg.edit.Command, func(failed error) tea.Msg {
		after, err := done()
		return editedMsg{c, msg.before, after, failed, err}
	})
}

// Handle puts what was written into the composer. An editor that failed has
// written nothing.
func (msg editedMsg) Handle() tea.Cmd {
	c := msg.composer
	c.host.Typed() // in the editor
	switch {
	case msg.failed != nil:
		return c.host.Say("The editor failed; the draft is unchanged: " + msg.failed.Error())
	case msg.err != nil:
		return c.host.Say("The draft is unchanged: " + msg.err.Error())
	}
	after := strings.TrimSuffix(msg.after, "\n") // editors end the last line
	after = strings.TrimSuffix(after, "\r")
	if after != msg.before {
		c.SetEdited(after)
		c.Refresh()
	}
	return nil
}
