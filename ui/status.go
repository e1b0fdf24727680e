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
	if m.Options.Progress {
		bar = sign.Progress()
	}
	return sign.Title(cmp.Or(c.Title(), c.Agent.Name())), bar
}

// tellDir tells the terminal the directory of the page, in which it opens new tabs, if it has changed.
func (m *Model) tellDir() tea.Cmd {
	dir := m.Front.LocalDir()
	if dir == m.toldDir || m.Choosing {
		return nil
	}
	m.toldDir = dir
	host, _ := os.Hostname()
	return tea.Raw(ansi.NotifyWorkingDirectory(host, filepath.ToSlash(dir)))
}

// narrator shows notices that belong to no session, on the page on the screen.
type narrator struct{ m *Model }

func (s narrator) Free() bool {
	m := s.m
	return !m.Quitting && m.conversing() && !m.Front.Toasts()
}

func (s narrator) Say(line string) tea.Cmd {
	s.m.Front.Agent.Log.Add(event.LogClient, line) // the log shows it again
	s.m.Front.Say(line)
	return nil
}
