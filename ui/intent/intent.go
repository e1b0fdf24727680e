// Package intent declares once what a user can do: the name of each action, its keys, help
// text and slash command. Dispatch, help, palette and the [keys] table of the configuration
// all use this.
package intent

// Intent is something the user wants. The zero Intent is nothing.
type Intent int

// The intents, grouped by the context of their keys.
const (
	None Intent = iota

	Send
	Stop
	Interrupt
	QuitIfEmpty
	Suspend
	Redraw
	HistoryBack
	HistoryForward
	SearchHistory
	Editor
	PasteImage
	CycleDensity
	TogglePlan
	ToggleHelp
	ToggleLog
	PageUp
	PageDown
	ScrollUp
	ScrollDown
	Home
	End
	Complete
	Palette
	FocusQuestion
	Sessions
	NextWaiting
	NextMode
	Options
	Background

	NewSession
	AnotherAgent
	Rename
	InWorktree
	Compare
	NextColumn
	Tick
	MergeTree
	DiscardTree
	Fork
	Turns
	Mode
	Model
	Theme
	SidePanel
	Inline
	Mouse
	Login
	Logout
	Approval
	Trust
	ShowReview
	UndoFiles
	ShowNotes
	ShowQueue
	Quit

	FocusTranscript
	EditQueued
	DropQueued

	Next
	Previous
	NextPrompt
	PreviousPrompt
	HalfDown
	HalfUp
	First
	Last
	Open
	ShowMessages
	StopTool
	Copy
	OpenFile
	Search
	SearchNext
	SearchPrevious
	Leave

	Reject
	Details
	FullScreen
	NextQuestion
	PreviousQuestion
	MakeRule
	PickHunks
	EditText
	TakeOver
	RejectWhy

	NextHunk
	PreviousHunk
	RefuseHunk
	AllowHunks
	AsAsked

	NextFile
	PreviousFile
	KeepHunk
	KeepFile
	UndoHunk
	UndoFile
	Again
	StageHunk
	StageFile
	SideBySide
	WholeFile
	Fold
	FocusTree
	EarlierTurn
	LaterTurn
	AllTurns
	WriteNote
	SelectDown
	SelectUp

	Close

	CloseEntry
	DeleteEntry
	EditEntry
	MoveUp
	MoveDown

	Newline
	CharLeft
	CharRight
	LineUp
	LineDown
	LineStart
	LineEnd
	WordLeft
	WordRight
	DraftStart
	DraftEnd
	DeleteBack
	DeleteForward
	KillBlankLeft
	KillWordLeft
	KillWordRight
	KillToStart
	KillToEnd
	Yank
	Undo
)

// NeedsAgent reports whether an action does nothing without a live agent.
func (i Intent) NeedsAgent() bool {
	switch i {
	case NewSession, InWorktree, MergeTree, DiscardTree, Compare, Fork, Approval, ShowReview, ShowNotes, UndoFiles, NextMode, Options, Mode, Model, Login, Logout, PasteImage:
		return true
	}
	return false
}

// Context is where a key is pressed. A key can have a different meaning in each.
type Context int

// The contexts. If several apply, the narrower one comes first.
const (
	Always     Context = iota // on every page, whatever is open
	Chat                      // the chat page
	Empty                     // the composer, while nothing is typed
	Draft                     // editing in the composer
	Transcript                // the transcript, while it has the keys
	Question                  // a question that has the keys
	Hunks                     // a question about a write, while its hunks are chosen: before Question
	Review                    // the review of changed files
	Reading                   // a text over the transcript
	List                      // a list, besides typing, moving, enter and esc
)

var contextNames = []string{"always", "chat", "empty", "draft", "transcript", "question", "hunks", "review", "reading", "list"}

// String returns the name of the context in the configuration.
func (c Context) String() string { return contextNames[c] }

// Title returns the heading of its keys in the help.
func (c Context) Title() string {
	return map[Context]string{Always: "Everywhere", Empty: "Empty composer", Draft: "Composer", Transcript: "Transcript", Question: "Question", Hunks: "Hunks of a write", Review: "Review", Reading: "Reading", List: "Lists"}[c]
}

// Contexts are all contexts, in the order of the help.
var Contexts = []Context{Chat, Empty, Draft, Transcript, Question, Hunks, Review, Reading, List, Always}

// Action is one thing that can be done in one context.
type Action struct {
	Intent  Intent
	In      Context
	Name    string   // in the configuration: unique in its context
	Keys    []string // as Bubble Tea writes them; none if only the palette or a command does it
	Help    string
	Command string // its slash command, without the slash
	Quiet   bool   // not in the palette: it only makes sense with its key
}
