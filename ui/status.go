package ui

import (
	"cmp"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/ui/status"
)

// outside returns the title and progress bar of the terminal window.
func (m *Model) outside() (title string, bar *tea.ProgressBar) {
	c := m.Front
	switch {
	case m.Choosing:
		return status.Rests.Title(""), nil
	case c.Agent.Opening():
		return status.Works.Title(c.Agent.Name()), nil
	}
	sign := status.SignOf(c.Session, c.Question.Open() || c.Elicits.Current() != nil)
	if m.Options.Terminal.Progress {
		bar = sign.Progress()
	}
	return sign.Title(cmp.Or(c.Title(), c.Agent.Name())), bar
}

// tellDir tells the terminal the directory in which it opens new tabs, if it has changed: that of the page, or where
// the user's own commands have gone.
func (m *Model) tellDir() tea.Cmd {
	dir := m.Front.ShellDir()
	if dir == m.shownDir || m.Choosing {
		return nil
	}
	m.shownDir = dir
	host, _ := os.Hostname()
	return tea.Raw(ansi.NotifyWorkingDirectory(host, filepath.ToSlash(dir)))
}

// notify shows a notice that belongs to no session, on the page on the screen; false if it would not be
// seen, or hide another.
func (m *Model) notify(line string) (said bool) {
	if m.Quitting || !m.conversing() || m.Front.Toasts() {
		return false
	}
	m.Front.Agent.Log.Add(event.LogClient, line) // the log shows it again
	m.Front.Say(line)
	return true
}
