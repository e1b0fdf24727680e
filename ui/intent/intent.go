// Package intent declares what a user can do, once: the name of each action,
// its keys, its words, its slash command. Dispatch, help, palette and the [keys]
// of the configuration all read it from here.
package intent

// Intent is something the user wants. The zero Intent is nothing.
type Intent int

// The intents, by the place where most of them have their keys.
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
	Turns
	Mode
	Model
	Theme
	Inline
	Mouse
	Login
	Logout
	Approval
	Trust
	FileChanges
	PutBack
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
	Behind
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

	NextHunk
	PreviousHunk
	RefuseHunk
	AllowHunks
	AsAsked

	Close

	CloseEntry
	DeleteEntry
	EditEntry

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

// Context is where a key is pressed. The same key may mean one thing in each.
type Context int

// The contexts. Where several count, the one that is narrower is asked first.
const (
	Always     Context = iota // on every page, whatever is open
	Chat                      // the chat page
	Empty                     // the composer, while nothing is typed
	Draft                     // the composer: what edits
	Transcript                // the transcript, while it has the keys
	Question                  // a question that has the keys
	Hunks                     // one about a write, while its hunks are chosen from: before Question
	Reading                   // something to read that lies over the transcript
	List                      // a list to choose from, beside typing, moving, enter and esc
)

var contextNames = []string{"always", "chat", "empty", "draft", "transcript", "question", "hunks", "reading", "list"}

// String is the name of the context in the configuration.
func (c Context) String() string { return contextNames[c] }

// Title is what help writes above its keys.
func (c Context) Title() string {
	return map[Context]string{Always: "Everywhere", Empty: "Empty composer", Draft: "Composer", Transcript: "Transcript", Question: "Question", Hunks: "Hunks of a write", Reading: "Reading", List: "Lists"}[c]
}

// Contexts are all of them, in the order of the help.
var Contexts = []Context{Chat, Empty, Draft, Transcript, Question, Hunks, Reading, List, Always}

// Action is one thing that can be done in one context.
type Action struct {
	Intent  Intent
	In      Context
	Name    string   // in the configuration: unique in its context
	Keys    []string // as Bubble Tea writes them; none where only the palette or a command leads there
	Help    string
	Command string // its slash command, without the slash
	Quiet   bool   // it stands in no palette: it means nothing but at its key
}
