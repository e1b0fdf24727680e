package workspace

import (
	"cmp"
	"io"
	"path"
	"path/filepath"

	"parley/internal/keeper"
	"parley/internal/memory"
	"parley/internal/notify"
	"parley/internal/safetext"
	"parley/internal/words"
)

// FrontEnd configures a front end: its workspace, and what all front ends have beside it.
type FrontEnd struct {
	Options // its KeepPrompts, Pace and Now are the front end's

	// Start names the agent to start at once; "" lets the user choose.
	Start string
	// Choice is the agent that is offered first then.
	Choice string
	Home   string // shortened to ~ in paths
	// TreesDir is the directory of parley's worktrees, which are named by their names. "": there are none.
	TreesDir string
	// Registry is that of agents that can be installed. nil: it is turned off.
	Registry *Registry
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
	// Keeper keeps this parley running without its terminal; nil: nothing does.
	Keeper *keeper.Keeper
	// AttachKept returns what attaches the terminal to a kept session and ends when it leaves. nil: nothing can be attached.
	AttachKept func(name string) Command
	// Notify runs the user's program when something happens that one who looks elsewhere should know. It may be nil.
	Notify *notify.Command
	// Notices yields messages that belong to no session, such as that something cannot be
	// saved. nil: there are none.
	Notices <-chan string

	Input  io.Reader // nil: the terminal, or the process's own
	Output io.Writer
}

// Report tells the keeper, if there is one, what parley does, and whether it draws a screen.
func (f FrontEnd) Report(w *Workspace, screen bool) {
	if f.Keeper != nil {
		status := w.Status()
		status.Screen = screen
		f.Keeper.Report(status)
	}
}

// TellElsewhere tells a user who looks elsewhere of news that is worth it.
func (f FrontEnd) TellElsewhere(n News) {
	if why, line := Notable(n); why != "" {
		f.tell(n.About(), why, line)
	}
}

// TellWaiting tells a user whose terminal has left what waits for an answer.
func (f FrontEnd) TellWaiting(w *Workspace) {
	for _, s := range w.sessions {
		if line := waitsFor(s); line != "" {
			f.tell(s, Waits, line)
		}
	}
}

func (f FrontEnd) tell(s *Session, why Why, line string) {
	if f.Notify != nil {
		f.Notify.Send(s, notify.Note{Session: cmp.Or(f.Keeper.Name(), s.Thread.Session), Agent: s.Agent.Name(), Dir: s.Cwd(), Title: heading(s), Why: string(why), Line: line})
	}
}

// Place returns a directory as it is shown.
func (f FrontEnd) Place(dir string) string {
	place := words.ShortenHome(dir, f.Home)
	if tree, inside := words.WorktreeOf(dir, f.TreesDir); tree != "" {
		place = "worktree " + path.Join(tree, filepath.ToSlash(inside))
	}
	return safetext.Line(place, 200)
}
