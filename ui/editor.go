package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/ui/inline"
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
		chat   *chat
		before string
		edit   Editing
		err    error
	}
	editedMsg struct {
		chat          *chat
		before, after string
		failed, err   error // the editor, and what was tried with the file
	}
)

// edit opens the draft in the user's editor.
func (c *chat) edit() tea.Cmd {
	editor := c.m.opts.Editor
	switch {
	case c.ReadOnly:
		return c.say("this is only a log: there is nothing to write here")
	case editor == nil:
		return c.say("there is no editor here")
	}
	before := c.composer.Value()
	return func() tea.Msg {
		e, err := editor(before)
		return editReadyMsg{c, before, e, err}
	}
}

// handle hands the terminal to the editor.
func (msg editReadyMsg) handle(m *Model) tea.Cmd {
	c, done := msg.chat, msg.edit.Done
	if msg.err != nil {
		return c.say(msg.err.Error())
	}
	if m.quitting || c.composer.Value() != msg.before { // somebody typed on
		again := tea.Cmd(nil)
		if !m.quitting {
			again = c.edit()
		}
		return tea.Batch(again, func() tea.Msg { _, _ = done(); return nil })
	}
	return tea.Exec(inline.Lend(msg.edit.Command), func(failed error) tea.Msg {
		after, err := done()
		return editedMsg{c, msg.before, after, failed, err}
	})
}

// handle puts what was written into the composer. An editor that failed has
// written nothing.
func (msg editedMsg) handle(m *Model) tea.Cmd {
	c := msg.chat
	m.input.Touch() // keys that were meant for the editor answer no question
	switch {
	case msg.failed != nil:
		return c.say("the editor failed, the draft is as it was: " + msg.failed.Error())
	case msg.err != nil:
		return c.say("the draft is as it was: " + msg.err.Error())
	}
	after := strings.TrimSuffix(msg.after, "\n") // editors end the last line
	after = strings.TrimSuffix(after, "\r")
	if after != msg.before {
		c.composer.SetEdited(after)
		c.history.Leave()
		c.refreshPopup()
	}
	return nil
}
