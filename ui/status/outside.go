package status

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/internal/workspace"
)

// maxTitle bounds the title of the window, in runes: terminals cut or refuse long ones.
const maxTitle = 200

// Sign is the state of a session at a glance.
type Sign int

// The signs.
const (
	Rests Sign = iota
	Works
	Asks  // something waits for the user
	Ended // its agent has ended
)

// SignOf returns the sign of a session; asks says that something waits for the user.
func SignOf(s *workspace.Session, asks bool) Sign {
	switch {
	case asks:
		return Asks
	case s.Thread.State == thread.Ended && !s.ReadOnly:
		return Ended
	case s.Busy():
		return Works
	}
	return Rests
}

// Title returns the title of the window. name is the agent's or the session's, or "".
func (s Sign) Title(name string) string {
	if name == "" {
		return "parley"
	}
	return map[Sign]string{Works: "… ", Asks: "? "}[s] + safetext.Line(name, maxTitle) + " - parley"
}

// Progress returns the state of the terminal's own progress bar; nil for none.
func (s Sign) Progress() *tea.ProgressBar {
	switch s {
	case Asks:
		return tea.NewProgressBar(tea.ProgressBarWarning, 100)
	case Ended:
		return tea.NewProgressBar(tea.ProgressBarError, 100)
	case Works:
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	}
	return nil
}
