package ui

import (
	"cmp"
	"os"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/internal/words"
	"parley/ui/status"
)

// status returns the status line of the page.
func (c *chat) status() status.Line {
	m := c.m
	asks := c.asks()
	return status.Line{Session: c.Session, Env: &m.Env, Approval: c.Approval(), Others: len(m.waiting()), Branch: c.branch(),
		Asked: c.asked(), Asks: asks, Question: c.question.Open(), Form: asks && c.elicits.OnScreen() != nil, Browsing: c.focused, Shell: c.shells.Running(), ShellDir: c.shellDir(), MouseOff: m.mouse.Off(), Leaving: m.leavingHint(), Beside: m.chat != c}
}

// shellDir returns the directory of the user's shell if that is not the session's, else "".
func (c *chat) shellDir() string {
	if dir := c.shells.Dir(c.LocalDir()); dir != c.LocalDir() {
		return words.ShortenHome(dir, c.m.opts.Home)
	}
	return ""
}

// asks reports whether a form or a page waits for the user, with no question before it.
func (c *chat) asks() bool {
	form := c.elicits.Current()
	return form != nil && form.Asks()
}

// asked returns when the question, form or page came that waits for the user; the zero time if none
// does.
func (c *chat) asked() time.Time {
	if !c.question.Open() && c.asks() {
		return c.elicits.Current().Asked()
	}
	return c.question.Asked()
}

// branch returns the git branch in the session's directory, "" if it is not known.
func (c *chat) branch() string {
	switch c.Dir {
	case "":
		return c.m.opts.Branch
	case c.Agent.Spec.Dir:
		return c.Agent.Spec.Branch
	}
	return ""
}

// outside returns the title and progress bar of the terminal window.
func (m *Model) outside() (title string, bar *tea.ProgressBar) {
	c := m.chat
	switch {
	case m.choosing:
		return status.Rests.Title(""), nil
	case c.Agent.Opening():
		return status.Works.Title(c.Agent.Name()), nil
	}
	sign := status.SignOf(c.Session, c.question.Open() || c.elicits.Current() != nil)
	if m.opts.Progress {
		bar = sign.Progress()
	}
	return sign.Title(cmp.Or(c.Title(), c.Agent.Name())), bar
}

// tellDir tells the terminal the directory of the page, in which it opens new tabs, if it has changed.
func (m *Model) tellDir() tea.Cmd {
	dir := m.chat.LocalDir()
	if dir == m.toldDir || m.choosing {
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
	return !m.quitting && m.conversing() && m.chat.toast.At(m.Now()) == ""
}

func (s narrator) Say(line string) tea.Cmd {
	s.m.chat.Agent.Log.Add(event.LogClient, line) // the log shows it again
	return s.m.chat.say(line)
}
