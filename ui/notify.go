package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/permissions"
)

// Notification is how the terminal is told that the user is wanted.
type Notification string

// The ways there are.
const (
	NotifyNone   Notification = ""
	NotifyBell   Notification = "bell"   // BEL
	NotifyOSC9   Notification = "osc9"   // iTerm2, WezTerm, Ghostty, Windows Terminal
	NotifyOSC777 Notification = "osc777" // foot, urxvt
	NotifyOSC99  Notification = "osc99"  // kitty
)

// away is how long no key must have come, in a terminal that does not report its
// focus, until the user is taken to be elsewhere.
const away = 10 * time.Second

// notifyPause is the shortest time between two notifications.
const notifyPause = 2 * time.Second

// elsewhere tells whether the user does not look at the screen.
func (m *Model) elsewhere() bool {
	if m.focusKnown {
		return !m.focused
	}
	return m.Now().Sub(m.lastInput) >= away
}

// notify tells the user of what an event means, where nobody looks: that a turn
// is over, or that something is asked.
func (m *Model) notify(c *chat, e event.Event) tea.Cmd {
	var what string
	switch e := e.(type) {
	case event.TurnEnded:
		switch {
		case e.StopReason == "cancelled" || c.ACP != nil && c.ACP.Running():
			return nil // the user knows, or it goes on with what was queued
		case e.Err != nil:
			what = "stopped with an error"
		default:
			what = "is done"
		}
	case permissions.Asked, event.ElicitationAsked:
		what = "waits for you"
	default:
		return nil
	}
	now := m.Now()
	if m.opts.Notify == NotifyNone || !m.elsewhere() || now.Sub(m.notified) < notifyPause {
		return nil
	}
	m.notified = now
	return tea.Raw(m.opts.Notify.sequence(c.Agent.Name()+" "+what, c.Thread.Title))
}

// sequence makes the terminal show the text, or ring.
func (n Notification) sequence(text, about string) string {
	clean := func(s string) string { return strings.NewReplacer(";", ",", "\\", "/").Replace(safetext.Line(s, 200)) }
	text, about = clean(text), clean(about)
	whole := strings.TrimSuffix(text+": "+about, ": ")
	switch n {
	case NotifyOSC9:
		return ansi.Notify(whole)
	case NotifyOSC777:
		return fmt.Sprintf("\x1b]777;notify;parley;%s\x1b\\", whole)
	case NotifyOSC99:
		return fmt.Sprintf("\x1b]99;;%s\x1b\\", whole)
	}
	return "\a"
}

// maxWindowTitle bounds the title of the window, in runes: terminals cut or refuse
// long ones.
const maxWindowTitle = 200

// titleOf is the title of the terminal's window: what waits or runs comes first.
func (m *Model) titleOf() string {
	c := m.chat
	switch {
	case m.page == connectingPage:
		return "… " + m.starting.Name() + " - parley"
	case m.page != chatPage:
		return "parley"
	}
	sign := ""
	switch {
	case c.question.Open() || c.elicits.Current() != nil:
		sign = "? "
	case c.Busy():
		sign = "… "
	}
	title := c.Thread.Title
	if title == "" {
		title = c.Agent.Name()
	}
	title = safetext.Line(title, maxWindowTitle)
	return sign + title + " - parley"
}

// progress is what the terminal's own progress bar shows, where it has one: that
// something runs, or waits, or has failed.
func (m *Model) progress() *tea.ProgressBar {
	if !m.opts.Progress || m.page != chatPage {
		return nil
	}
	switch c := m.chat; {
	case c.question.Open() || c.elicits.Current() != nil:
		return tea.NewProgressBar(tea.ProgressBarWarning, 100)
	case c.Thread.State == thread.Ended && !c.ReadOnly:
		return tea.NewProgressBar(tea.ProgressBarError, 100)
	case c.Busy():
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	}
	return nil
}
