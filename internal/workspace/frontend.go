package workspace

import (
	"io"

	"parley/internal/memory"
)

// FrontEnd configures a front end: its workspace, and what all front ends have beside it.
type FrontEnd struct {
	Options // its KeepPrompts, Pace and Now are the front end's

	// Start names the agent to start at once; "" lets the user choose.
	Start string
	// Choice is the agent that is offered first then.
	Choice string
	Home   string // shortened to ~ in paths
	// OpenURL starts the user's browser. nil: pages are only shown.
	OpenURL func(url string) error
	// History and Drafts save what was typed, for the project of Cwd. nil: only for this
	// process.
	History memory.HistoryStore
	Drafts  memory.DraftStore
	// RestoreDraft starts the first session with the draft that was saved in the project.
	RestoreDraft bool
	// EndSoon is called when the user has asked twice to quit: it kills what has not ended a
	// moment later. It may be nil.
	EndSoon func()
	// Notices yields messages that belong to no session, such as that something cannot be
	// saved. nil: there are none.
	Notices <-chan string

	Input  io.Reader // nil: the terminal, or the process's own
	Output io.Writer
}
