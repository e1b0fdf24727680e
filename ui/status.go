package ui

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/ui/status"
)

// status is the line below the page.
func (c *chat) status() status.Line {
	m := c.m
	form := c.elicits.Current()
	asks := form != nil && form.Asks()
	return status.Line{Session: c.Session, Env: &m.Env, Label: m.label, Approval: c.Approval(), Others: len(m.waiting()), Branch: m.opts.Branch,
		Asks: asks, Question: c.question.Open(), Form: asks && c.elicits.OnScreen() != nil, Browsing: c.focused, Shell: c.shells.Running(), MouseOff: m.mouse.Off(), Leaving: m.Now().Sub(m.quitArmed) < leaveWithin}
}

// outside is what the terminal shows around the screen: a title, and a progress bar.
func (m *Model) outside() (title string, bar *tea.ProgressBar) {
	switch m.page {
	case startPage:
		return status.Rests.Title(""), nil
	case connectingPage:
		return status.Works.Title(m.starting.Name()), nil
	}
	c := m.chat
	sign := status.SignOf(c.Session, c.question.Open() || c.elicits.Current() != nil)
	if m.opts.Progress {
		bar = sign.Progress()
	}
	return sign.Title(cmp.Or(c.Thread.Title, c.Agent.Name())), bar
}

// speaker says what comes from beside the conversations, on the page that is shown.
type speaker struct{ m *Model }

func (s speaker) Free() bool {
	m := s.m
	return !m.quitting && m.page == chatPage && m.chat.toast.At(m.Now()) == ""
}

func (s speaker) Say(line string) tea.Cmd {
	s.m.chat.Agent.Log.Add(event.LogClient, line) // where it can be read again
	return s.m.chat.say(line)
}
