package page

import (
	"fmt"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/words"
	"parley/ui/panel"
	"parley/ui/transcript"
	"parley/ui/widget/list"
)

// Messages for opening a file in the editor.
type (
	fileReadyMsg struct {
		page    *Page
		command tea.ExecCommand
		err     error
	}
	fileLeftMsg struct {
		page *Page
		err  error
	}
)

// openFile opens the file of the selected entry. It lists them if there are several.
func openFile(c *Page) tea.Cmd {
	it := c.View.Selected()
	if it == nil {
		return nil
	}
	files := transcript.Files(c.View.Calls(it)...)
	switch {
	case len(files) == 0:
		return c.say("Nothing to open here")
	case c.Agent.Spec.Remote && !c.Agent.Spec.Shared:
		return c.say("The file is on the agent's machine: " + files[0].Path)
	case len(files) == 1:
		return openAt(c, files[0])
	}
	items := make([]list.Item, 0, len(files))
	for _, f := range files {
		title := words.RelativePath(f.Path, c.cwd)
		if f.Line > 0 {
			title += fmt.Sprintf(":%d", f.Line)
		}
		items = append(items, list.Item{Title: title, Value: f})
	}
	c.Panels.Show(&panel.List{Title: "Files", Foot: "enter open · esc close", List: list.New(items), Choose: panel.With(with(c, openAt))})
	return nil
}

// openAt finds the file and prepares the editor.
func openAt(c *Page, at event.Location) tea.Cmd {
	open := c.screen.Options.OpenFile
	if open == nil {
		return c.say("No editor found: set $EDITOR")
	}
	path := at.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.cwd, path)
	}
	return func() tea.Msg {
		command, err := open(path, at.Line)
		return fileReadyMsg{c, command, err}
	}
}

// Handle hands the terminal to the editor.
func (msg fileReadyMsg) Handle() tea.Cmd {
	switch {
	case msg.err != nil:
		return msg.page.say(msg.err.Error())
	case msg.page.screen.Quitting:
		return nil
	}
	return msg.page.screen.Exec(msg.command, func(err error) tea.Msg { return fileLeftMsg{msg.page, err} })
}

// Handle says when the editor has failed.
func (msg fileLeftMsg) Handle() tea.Cmd {
	msg.page.screen.Input.Touch() // keys meant for the editor answer no question
	if msg.err != nil {
		return msg.page.say("The editor failed: " + msg.err.Error())
	}
	return nil
}
