package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/words"
)

// Editing is a prepared run of the user's editor on a text.
type Editing struct {
	Command tea.ExecCommand
	// Done returns the text and removes the file. Call it after the editor, or to cancel. It
	// may block.
	Done func() (string, error)
}

// Messages of editing a draft in the user's editor.
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
		failed, err   error // of the editor, and of reading the file
	}
)

// Edit opens the draft in the user's editor.
func (c *Composer) Edit() tea.Cmd {
	editor := c.store.opts.Editor
	switch {
	case c.state().ReadOnly:
		return c.out.Say("Read-only log: no draft here")
	case editor == nil:
		return c.out.Say("No editor found: set $EDITOR")
	}
	before := c.Value()
	return func() tea.Msg {
		e, err := editor(before)
		return editReadyMsg{c, before, e, err}
	}
}

// Handle lends the terminal to the editor.
func (msg editReadyMsg) Handle() tea.Cmd {
	c, done := msg.composer, msg.edit.Done
	discard := func() tea.Msg { _, _ = done(); return nil }
	switch {
	case msg.err != nil:
		return c.out.Say(words.Sentence(msg.err.Error()))
	case c.state().Quitting:
		return discard
	case c.Value() != msg.before: // the draft has changed since
		return tea.Batch(c.Edit(), discard)
	}
	return c.store.opts.Env.Exec(msg.edit.Command, func(failed error) tea.Msg {
		after, err := done()
		return editedMsg{c, msg.before, after, failed, err}
	})
}

// Handle puts the edited text into the composer, unless the editor failed.
func (msg editedMsg) Handle() tea.Cmd {
	c := msg.composer
	c.out.Add(Typed{}) // in the editor
	switch {
	case msg.failed != nil:
		return c.out.Say("The editor failed; the draft is unchanged: " + msg.failed.Error())
	case msg.err != nil:
		return c.out.Say("The draft is unchanged: " + msg.err.Error())
	}
	after := strings.TrimSuffix(msg.after, "\n") // editors add it to the last line
	after = strings.TrimSuffix(after, "\r")
	if after != msg.before {
		c.SetEdited(after)
		c.Refresh()
	}
	return nil
}
