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
	Detach
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
	Subagents

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
	Usage
	ShowReview
	UndoFiles
	ShowNotes
	ShowQueue
	Steer
	SideQuestion
	Quote
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
	ArchiveEntry
	ShowArchived
	InstallEntry
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

// Actions are all actions, in the order of the help.
var Actions = []Action{
	{Intent: Send, In: Chat, Name: "send", Keys: []string{"enter"}, Help: "Send the prompt; during a turn, queue it"},
	{Intent: Stop, In: Chat, Name: "stop", Keys: []string{"esc"}, Help: "Close what is open, or stop the turn; twice while idle: list prompts"},
	{Intent: Interrupt, In: Chat, Name: "interrupt", Keys: []string{"ctrl+c"}, Help: "Stop; clear the draft; twice to quit"},
	{Intent: QuitIfEmpty, In: Chat, Name: "quit-if-empty", Keys: []string{"ctrl+d"}, Help: "Quit, if the composer is empty"},
	{Intent: HistoryBack, In: Chat, Name: "history-back", Keys: []string{"up"}, Help: "Previous prompt; the queued one first"},
	{Intent: HistoryForward, In: Chat, Name: "history-forward", Keys: []string{"down"}, Help: "Next prompt"},
	{Intent: SearchHistory, In: Chat, Name: "search-history", Keys: []string{"ctrl+r"}, Help: "Search prompt history", Command: "history"},
	{Intent: Editor, In: Chat, Name: "editor", Keys: []string{"ctrl+g"}, Help: "Edit draft in $EDITOR", Command: "editor"},
	{Intent: PasteImage, In: Chat, Name: "paste-image", Keys: []string{"ctrl+v"}, Help: "Attach image from clipboard", Needs: LiveAgent},
	{Intent: Palette, In: Chat, Name: "palette", Keys: []string{"ctrl+p"}, Help: "Show all actions"},
	{Intent: PageUp, In: Chat, Name: "page-up", Keys: []string{"pgup"}, Help: "Scroll up"},
	{Intent: PageDown, In: Chat, Name: "page-down", Keys: []string{"pgdown"}, Help: "Scroll down"},
	{Intent: ScrollUp, In: Chat, Name: "scroll-up", Keys: []string{"shift+up", "ctrl+up"}, Help: "Scroll up by a row"},
	{Intent: ScrollDown, In: Chat, Name: "scroll-down", Keys: []string{"shift+down", "ctrl+down"}, Help: "Scroll down by a row"},
	{Intent: Home, In: Chat, Name: "home", Keys: []string{"ctrl+home"}, Help: "Go to the beginning"},
	{Intent: End, In: Chat, Name: "end", Keys: []string{"ctrl+end"}, Help: "Jump to the end"},
	{Intent: CycleDensity, In: Chat, Name: "density", Keys: []string{"ctrl+o"}, Help: "Change detail level: normal, everything, quiet", Command: "density"},
	{Intent: Sessions, In: Chat, Name: "sessions", Keys: []string{"ctrl+s"}, Help: "Show sessions: open, new, rename, close, delete", Command: "sessions", Also: "resume", InLines: "List sessions, or open the one with that number; archive and a number archives one, archived lists those, unarchive and a number takes one out"},
	{Intent: NextWaiting, In: Chat, Name: "next-waiting", Keys: []string{"alt+w"}, Help: "Go to the next session that waits for you"},
	{Intent: NewSession, In: Chat, Name: "new-session", Help: "New session", Needs: LiveAgent, Command: "new", Also: "clear"},
	{Intent: AnotherAgent, In: Chat, Name: "another-agent", Help: "New session with another agent: with the conversation, or without", Command: "agent", Args: "[NAME]", InLines: "New session with another agent, which replaces this one"},
	{Intent: InWorktree, In: Chat, Name: "worktree", Help: "New session in a git worktree", Needs: LiveAgent, Command: "worktree", Args: "[NAME]"},
	{Intent: MergeTree, In: Chat, Name: "merge", Help: "Merge this session's worktree (shows changes first)", Needs: LiveAgent, Command: "merge", Args: "[MESSAGE]"},
	{Intent: DiscardTree, In: Chat, Name: "discard", Help: "Discard this session and its worktree (shows changes first)", Needs: LiveAgent, Command: "discard"},
	{Intent: Compare, In: Chat, Name: "compare", Help: "Compare agents on one prompt", Needs: LiveAgent, Command: "compare", Args: "PROMPT"},
	{Intent: NextColumn, In: Chat, Name: "next-column", Keys: []string{"f6"}, Help: "Go to the next agent that is compared"},
	{Intent: Rename, In: Chat, Name: "rename", Help: "Rename this session", Needs: AnySession, Command: "rename", Args: "NAME"},
	{Intent: Fork, In: Chat, Name: "fork", Help: "Fork this session: continue in a copy of it", Needs: LiveAgent, Command: "fork", InLines: "Continue in a copy of this session, or after the prompt with that number"},
	{Intent: Turns, In: Chat, Name: "turns", Help: "Jump to a prompt: go there, edit and resend, restore files, fork", Command: "turns", InLines: "List the prompts"},
	{Intent: NextMode, In: Chat, Name: "next-mode", Keys: []string{"shift+tab"}, Help: "Switch to the agent's next mode", Needs: LiveAgent},
	{Intent: Subagents, In: Chat, Name: "subagents", Help: "Show sub-agents: read what one did, stop it", Command: "subagents", InLines: "Read what a sub-agent did"},
	{Intent: Background, In: Chat, Name: "work", Keys: []string{"f3"}, Help: "Show what is running; ctrl+x stops one", Command: "work", InLines: "List what is running"},
	{Intent: Options, In: Chat, Name: "options", Keys: []string{"f4"}, Help: "Change options: mode, model and others", Needs: LiveAgent, Command: "options"},
	{Intent: Mode, In: Chat, Name: "mode", Help: "Switch mode", Needs: LiveAgent, Command: "mode"},
	{Intent: Model, In: Chat, Name: "model", Help: "Switch model", Needs: LiveAgent, Command: "model"},
	{Intent: TogglePlan, In: Chat, Name: "plan", Keys: []string{"ctrl+t"}, Help: "Show the plan", Command: "plan"},
	{Intent: Complete, In: Chat, Name: "complete", Keys: []string{"tab"}, Help: "Complete a command or file"},
	{Intent: FocusQuestion, In: Chat, Name: "question", Keys: []string{"alt+a"}, Help: "Answer the question"},
	{Intent: Approval, In: Chat, Name: "approval", Keys: []string{"alt+m"}, Help: "Change approval mode: ask, accept edits, read only, all", Needs: LiveAgent, Command: "approval"},
	{Intent: Trust, In: Chat, Name: "trust", Help: "Show what the agent changed and ran", Command: "trust"},
	{Intent: Usage, In: Chat, Name: "usage", Help: "Show usage: tokens, cost, limit", Command: "usage"},
	{Intent: ShowReview, In: Chat, Name: "review", Keys: []string{"f5"}, Help: "Review changed files: keep, undo, stage", Needs: LiveAgent, Command: "review", Also: "changes", InLines: "List changed files, or show the changes of the one with that name"},
	{Intent: ShowNotes, In: Chat, Name: "notes", Help: "Show your notes: edit, drop, make one prompt of them", Needs: LiveAgent, Command: "notes", InLines: "List your notes; send makes one prompt of them, drop and a number drops one"},
	{Intent: ShowQueue, In: Chat, Name: "queue", Keys: []string{"alt+q"}, Help: "Show queued prompts: edit, move, drop", Command: "queue"},
	{Intent: Steer, In: Chat, Name: "steer", Keys: []string{"alt+s", "ctrl+enter"}, Help: "Send into the running turn: the draft, or the first queued prompt", Needs: LiveAgent, Command: "steer", Args: "[PROMPT]", InLines: "Put a prompt, or the first queued one, into the running turn"},
	{Intent: SideQuestion, In: Chat, Name: "btw", Keys: []string{"f7"}, Help: "Ask a side question: answered beside the turn, not part of the session", Needs: LiveAgent, Command: "btw", Args: "[QUESTION]", InLines: "Ask a side question; without one, read the last answer"},
	{Intent: UndoFiles, In: Chat, Name: "put-back", Help: "Restore files that the agent changed", Needs: LiveAgent, Command: "undo", InLines: "Restore files that the agent changed, or to before the prompt with that number"},
	{Intent: Theme, In: Chat, Name: "theme", Help: "Switch theme", Command: "theme"},
	{Intent: SidePanel, In: Chat, Name: "side-panel", Help: "Show or hide the side panel", Command: "side"},
	{Intent: Inline, In: Chat, Name: "inline", Help: "Switch between full screen and inline", Command: "inline"},
	{Intent: Mouse, In: Chat, Name: "mouse", Help: "Turn mouse support on or off", Command: "mouse"},
	{Intent: Login, In: Chat, Name: "login", Help: "Log in to the agent", Needs: LiveAgent, Command: "login"},
	{Intent: Logout, In: Chat, Name: "logout", Help: "Log out of the agent", Needs: LiveAgent, Command: "logout"},
	{Intent: ToggleLog, In: Chat, Name: "log", Keys: []string{"f2"}, Help: "Show the log: the agent's stderr, and parley's notes", Command: "log"},
	{Intent: ToggleHelp, In: Chat, Name: "help", Keys: []string{"f1"}, Help: "Show help", Command: "help"},
	{Intent: Detach, In: Chat, Name: "detach", Help: "Detach: keep running in the background", Command: "detach"},
	{Intent: Quit, In: Chat, Name: "quit", Help: "Quit", Command: "quit", Also: "exit"},

	{Intent: ToggleHelp, In: Empty, Name: "help", Keys: []string{"?"}, Help: "Show help"},
	{Intent: FocusTranscript, In: Empty, Name: "transcript", Keys: []string{"tab"}, Help: "Go to the question or the transcript"},
	{Intent: EditQueued, In: Empty, Name: "edit-queued", Keys: []string{"up"}, Help: "Edit the last queued prompt"},
	{Intent: DropQueued, In: Empty, Name: "drop-queued", Keys: []string{"backspace"}, Help: "Drop the last queued prompt"},

	{Intent: Newline, In: Draft, Name: "newline", Keys: []string{"shift+enter", "alt+enter", "ctrl+j"}, Help: "Insert a new line (or \\ enter)"},
	{Intent: CharLeft, In: Draft, Name: "left", Keys: []string{"left"}, Help: "Move left"},
	{Intent: CharRight, In: Draft, Name: "right", Keys: []string{"right"}, Help: "Move right"},
	{Intent: LineUp, In: Draft, Name: "up", Keys: []string{"up"}, Help: "Move up"},
	{Intent: LineDown, In: Draft, Name: "down", Keys: []string{"down"}, Help: "Move down"},
	{Intent: LineStart, In: Draft, Name: "line-start", Keys: []string{"ctrl+a", "home"}, Help: "Move to the start of the line"},
	{Intent: LineEnd, In: Draft, Name: "line-end", Keys: []string{"ctrl+e", "end"}, Help: "Move to the end of the line"},
	{Intent: WordLeft, In: Draft, Name: "word-left", Keys: []string{"alt+b", "ctrl+left", "alt+left"}, Help: "Move back a word"},
	{Intent: WordRight, In: Draft, Name: "word-right", Keys: []string{"alt+f", "ctrl+right", "alt+right"}, Help: "Move forward a word"},
	{Intent: DraftStart, In: Draft, Name: "start", Keys: []string{"ctrl+home"}, Help: "Move to the start of the draft"},
	{Intent: DraftEnd, In: Draft, Name: "end", Keys: []string{"ctrl+end"}, Help: "Move to the end of the draft"},
	{Intent: DeleteBack, In: Draft, Name: "delete-back", Keys: []string{"backspace", "shift+backspace", "ctrl+h"}, Help: "Delete backward"},
	{Intent: DeleteForward, In: Draft, Name: "delete-forward", Keys: []string{"delete", "ctrl+d"}, Help: "Delete forward"},
	{Intent: KillBlankLeft, In: Draft, Name: "kill-to-blank", Keys: []string{"ctrl+w"}, Help: "Delete back to a space"},
	{Intent: KillWordLeft, In: Draft, Name: "kill-word-left", Keys: []string{"alt+backspace", "ctrl+backspace"}, Help: "Delete the previous word"},
	{Intent: KillWordRight, In: Draft, Name: "kill-word-right", Keys: []string{"alt+d", "ctrl+delete", "alt+delete"}, Help: "Delete the next word"},
	{Intent: KillToStart, In: Draft, Name: "kill-to-start", Keys: []string{"ctrl+u"}, Help: "Delete to the start of the line"},
	{Intent: KillToEnd, In: Draft, Name: "kill-to-end", Keys: []string{"ctrl+k"}, Help: "Delete to the end of the line"},
	{Intent: Yank, In: Draft, Name: "yank", Keys: []string{"ctrl+y"}, Help: "Paste what was deleted"},
	{Intent: Undo, In: Draft, Name: "undo", Keys: []string{"ctrl+_"}, Help: "Undo"},

	{Intent: Next, In: Transcript, Name: "next", Keys: []string{"j", "down"}, Help: "Next entry"},
	{Intent: Previous, In: Transcript, Name: "previous", Keys: []string{"k", "up"}, Help: "Previous entry"},
	{Intent: NextPrompt, In: Transcript, Name: "next-prompt", Keys: []string{"}"}, Help: "Next prompt"},
	{Intent: PreviousPrompt, In: Transcript, Name: "previous-prompt", Keys: []string{"{"}, Help: "Previous prompt"},
	{Intent: HalfDown, In: Transcript, Name: "half-down", Keys: []string{"d"}, Help: "Half a page down"},
	{Intent: HalfUp, In: Transcript, Name: "half-up", Keys: []string{"u"}, Help: "Half a page up"},
	{Intent: First, In: Transcript, Name: "first", Keys: []string{"g", "home"}, Help: "First entry"},
	{Intent: Last, In: Transcript, Name: "last", Keys: []string{"G", "end"}, Help: "Last entry"},
	{Intent: Open, In: Transcript, Name: "open", Keys: []string{"space", "enter"}, Help: "Open or close the entry"},
	{Intent: Copy, In: Transcript, Name: "copy", Keys: []string{"y"}, Help: "Copy the entry, its code, patch or command"},
	{Intent: OpenFile, In: Transcript, Name: "open-file", Keys: []string{"o"}, Help: "Open its file in $EDITOR"},
	{Intent: Search, In: Transcript, Name: "search", Keys: []string{"/"}, Help: "Search the transcript (a capital letter makes it case-sensitive)"},
	{Intent: SearchNext, In: Transcript, Name: "search-next", Keys: []string{"n"}, Help: "Next match"},
	{Intent: SearchPrevious, In: Transcript, Name: "search-previous", Keys: []string{"N"}, Help: "Previous match"},
	{Intent: WriteNote, In: Transcript, Name: "note", Keys: []string{".", "c"}, Help: "Write a note that quotes the entry"},
	{Intent: ShowMessages, In: Transcript, Name: "messages", Keys: []string{"i"}, Help: "Show its JSON messages"},
	{Intent: StopTool, In: Transcript, Name: "stop-tool", Keys: []string{"x"}, Help: "Stop the tool call"},
	{Intent: FocusTranscript, In: Transcript, Name: "composer", Keys: []string{"tab"}, Help: "Go to the question or back to the composer"},
	{Intent: Leave, In: Transcript, Name: "leave", Keys: []string{"esc"}, Help: "Back to the composer"},

	{Intent: Reject, In: Question, Name: "reject", Keys: []string{"esc"}, Help: "Reject"},
	{Intent: RejectWhy, In: Question, Name: "reject-why", Keys: []string{"c"}, Help: "Reject with a reason, which is the next prompt"},
	{Intent: Details, In: Question, Name: "details", Keys: []string{"d"}, Help: "Show everything the agent sent about it"},
	{Intent: FullScreen, In: Question, Name: "full-screen", Keys: []string{"f"}, Help: "Full screen"},
	{Intent: MakeRule, In: Question, Name: "rule", Keys: []string{"r"}, Help: "Make a rule for questions like this"},
	{Intent: PickHunks, In: Question, Name: "hunks", Keys: []string{"h"}, Help: "Choose hunks of a write"},
	{Intent: EditText, In: Question, Name: "edit", Keys: []string{"e"}, Help: "Edit the text in $EDITOR before it is written"},
	{Intent: TakeOver, In: Question, Name: "keyboard", Keys: []string{"t"}, Help: "Allow a command once, with your keyboard"},
	{Intent: ScrollUp, In: Question, Name: "up", Keys: []string{"up", "k"}, Help: "Scroll up"},
	{Intent: ScrollDown, In: Question, Name: "down", Keys: []string{"down", "j"}, Help: "Scroll down"},
	{Intent: PageUp, In: Question, Name: "page-up", Keys: []string{"pgup"}, Help: "Page up"},
	{Intent: PageDown, In: Question, Name: "page-down", Keys: []string{"pgdown", "space"}, Help: "Page down"},
	{Intent: Last, In: Question, Name: "last", Keys: []string{"G", "end"}, Help: "Go to the end"},
	{Intent: NextQuestion, In: Question, Name: "next", Keys: []string{"ctrl+n"}, Help: "Next question"},
	{Intent: PreviousQuestion, In: Question, Name: "previous", Keys: []string{"ctrl+p"}, Help: "Previous question"},
	{Intent: Leave, In: Question, Name: "leave", Keys: []string{"tab", "alt+a"}, Help: "Back to the composer"},

	{Intent: NextHunk, In: Hunks, Name: "next", Keys: []string{"right", "]"}, Help: "Next hunk"},
	{Intent: PreviousHunk, In: Hunks, Name: "previous", Keys: []string{"left", "["}, Help: "Previous hunk"},
	{Intent: RefuseHunk, In: Hunks, Name: "refuse", Keys: []string{"space"}, Help: "Reject or keep the hunk"},
	{Intent: AllowHunks, In: Hunks, Name: "allow", Keys: []string{"enter"}, Help: "Allow the rest, once"},
	{Intent: AsAsked, In: Hunks, Name: "as-asked", Keys: []string{"u"}, Help: "Back to what the agent asked for"},
	{Intent: Leave, In: Hunks, Name: "leave", Keys: []string{"esc"}, Help: "Back to the question"},

	{Intent: NextHunk, In: Review, Name: "next-hunk", Keys: []string{"]", "right"}, Help: "Next hunk"},
	{Intent: PreviousHunk, In: Review, Name: "previous-hunk", Keys: []string{"[", "left"}, Help: "Previous hunk"},
	{Intent: NextFile, In: Review, Name: "next-file", Keys: []string{"}"}, Help: "Next file"},
	{Intent: PreviousFile, In: Review, Name: "previous-file", Keys: []string{"{"}, Help: "Previous file"},
	{Intent: ScrollDown, In: Review, Name: "down", Keys: []string{"j", "down"}, Help: "Scroll down; in the tree: next file"},
	{Intent: ScrollUp, In: Review, Name: "up", Keys: []string{"k", "up"}, Help: "Scroll up; in the tree: previous file"},
	{Intent: PageDown, In: Review, Name: "page-down", Keys: []string{"space", "pgdown"}, Help: "Page down"},
	{Intent: PageUp, In: Review, Name: "page-up", Keys: []string{"b", "pgup"}, Help: "Page up"},
	{Intent: First, In: Review, Name: "first", Keys: []string{"g", "home"}, Help: "Go to the beginning"},
	{Intent: Last, In: Review, Name: "last", Keys: []string{"G", "end"}, Help: "Go to the end"},
	{Intent: KeepHunk, In: Review, Name: "keep", Keys: []string{"a"}, Help: "Keep or unkeep the hunk, then go to the next"},
	{Intent: KeepFile, In: Review, Name: "keep-file", Keys: []string{"A"}, Help: "Keep the file and go to the next"},
	{Intent: UndoHunk, In: Review, Name: "undo", Keys: []string{"u"}, Help: "Undo the hunk"},
	{Intent: UndoFile, In: Review, Name: "undo-file", Keys: []string{"U"}, Help: "Undo all changes of the file"},
	{Intent: Again, In: Review, Name: "redo", Keys: []string{"r"}, Help: "Redo what was undone last"},
	{Intent: StageHunk, In: Review, Name: "stage", Keys: []string{"s"}, Help: "Stage the hunk in git"},
	{Intent: StageFile, In: Review, Name: "stage-file", Keys: []string{"S"}, Help: "Stage the file in git"},
	{Intent: WriteNote, In: Review, Name: "note", Keys: []string{"c"}, Help: "Write a note on the hunk, or on the selected lines"},
	{Intent: SelectDown, In: Review, Name: "select-down", Keys: []string{"J", "shift+down"}, Help: "Select lines, downwards"},
	{Intent: SelectUp, In: Review, Name: "select-up", Keys: []string{"K", "shift+up"}, Help: "Select lines, upwards"},
	{Intent: ShowNotes, In: Review, Name: "notes", Keys: []string{"C"}, Help: "Show your notes: edit, drop, make one prompt of them"},
	{Intent: SideBySide, In: Review, Name: "side-by-side", Keys: []string{"v"}, Help: "Side by side, or in one column"},
	{Intent: WholeFile, In: Review, Name: "whole-file", Keys: []string{"w"}, Help: "The whole file, or only what has changed"},
	{Intent: FocusTree, In: Review, Name: "tree", Keys: []string{"tab"}, Help: "Go to the list of files, or to the diff"},
	{Intent: Fold, In: Review, Name: "fold", Keys: []string{"z"}, Help: "Fold or open the hunk, or a directory"},
	{Intent: Open, In: Review, Name: "open", Keys: []string{"enter"}, Help: "In the tree: fold a directory, or go to the diff"},
	{Intent: EarlierTurn, In: Review, Name: "earlier", Keys: []string{"<"}, Help: "Begin with an earlier turn"},
	{Intent: LaterTurn, In: Review, Name: "later", Keys: []string{">"}, Help: "Begin with a later turn"},
	{Intent: AllTurns, In: Review, Name: "all-turns", Keys: []string{"t"}, Help: "All turns, or only the last"},
	{Intent: Search, In: Review, Name: "search", Keys: []string{"/"}, Help: "Search all diffs (a capital letter makes it case-sensitive)"},
	{Intent: SearchNext, In: Review, Name: "search-next", Keys: []string{"n"}, Help: "Next match"},
	{Intent: SearchPrevious, In: Review, Name: "search-previous", Keys: []string{"N"}, Help: "Previous match"},
	{Intent: OpenFile, In: Review, Name: "open-file", Keys: []string{"o"}, Help: "Open the file in $EDITOR, at the hunk"},
	{Intent: Copy, In: Review, Name: "copy", Keys: []string{"y"}, Help: "Copy the patch of the file"},
	{Intent: ToggleHelp, In: Review, Name: "help", Keys: []string{"?"}, Help: "Show help"},
	{Intent: Leave, In: Review, Name: "leave", Keys: []string{"esc", "q"}, Help: "Close"},

	{Intent: Close, In: Reading, Name: "close", Keys: []string{"esc", "q", "enter"}, Help: "Close"},
	{Intent: SideQuestion, In: Reading, Name: "ask", Keys: []string{"a"}, Help: "Side question: ask another"},
	{Intent: Quote, In: Reading, Name: "quote", Keys: []string{"c"}, Help: "Side question: quote the answer in the prompt"},
	{Intent: ScrollUp, In: Reading, Name: "up", Keys: []string{"up", "k"}, Help: "Scroll up"},
	{Intent: ScrollDown, In: Reading, Name: "down", Keys: []string{"down", "j"}, Help: "Scroll down"},

	{Intent: NewSession, In: List, Name: "new-session", Keys: []string{"ctrl+n"}, Help: "Sessions: new session"},
	{Intent: InWorktree, In: List, Name: "worktree", Keys: []string{"alt+n"}, Help: "Sessions: new session in a git worktree"},
	{Intent: AnotherAgent, In: List, Name: "another-agent", Keys: []string{"ctrl+t"}, Help: "Sessions: new session with another agent"},
	{Intent: CloseEntry, In: List, Name: "close", Keys: []string{"ctrl+x"}, Help: "Sessions: close; running: stop; notes, queue: drop"},
	{Intent: TakeOver, In: List, Name: "take-over", Keys: []string{"ctrl+r"}, Help: "Running: take a command over with your keyboard"},
	{Intent: DeleteEntry, In: List, Name: "delete", Keys: []string{"ctrl+d"}, Help: "Sessions: delete, after asking"},
	{Intent: ArchiveEntry, In: List, Name: "archive", Keys: []string{"alt+a"}, Help: "Sessions: archive, or take out of the archive"},
	{Intent: ShowArchived, In: List, Name: "archived", Keys: []string{"alt+v"}, Help: "Sessions: show or hide those that are archived"},
	{Intent: InstallEntry, In: List, Name: "install", Keys: []string{"alt+i"}, Help: "Agents: install one that npx would fetch, after asking"},
	{Intent: Copy, In: List, Name: "copy", Keys: []string{"ctrl+y"}, Help: "Prompts: copy"},
	{Intent: Tick, In: List, Name: "tick", Keys: []string{"tab"}, Help: "Compare: tick an agent"},
	{Intent: EditEntry, In: List, Name: "edit", Keys: []string{"ctrl+e"}, Help: "Sessions: rename; prompts: edit and resend"},
	{Intent: MoveUp, In: List, Name: "move-up", Keys: []string{"alt+up"}, Help: "Queue: send earlier"},
	{Intent: MoveDown, In: List, Name: "move-down", Keys: []string{"alt+down"}, Help: "Queue: send later"},
	{Intent: Fork, In: List, Name: "fork", Keys: []string{"ctrl+f"}, Help: "Prompts: continue from there in another session"},
	{Intent: UndoFiles, In: List, Name: "restore", Keys: []string{"ctrl+o"}, Help: "Prompts: restore files to before that turn, after asking"},

	{Intent: Suspend, In: Always, Name: "suspend", Keys: []string{"ctrl+z"}, Help: "Suspend parley; detach from a kept one"},
	{Intent: Redraw, In: Always, Name: "redraw", Keys: []string{"ctrl+l"}, Help: "Redraw the screen"},
}

// Answers are the keys that answer a question. They depend on the options that the agent
// offers, and cannot be changed.
var Answers = []struct{ Label, Help string }{
	{"y a n N", "Answer of that kind: allow once, allow always, reject, reject always"},
	{"1 … 9 0 b c …", "Answer with that key"},
}

// Group is a heading of the list of all actions, with what is below it, the most used first.
type Group struct {
	Title   string
	Intents []Intent
}

// Groups are the groups of all actions that the list shows.
var Groups = []Group{
	{"Session", []Intent{Sessions, NewSession, Turns, ShowQueue, Steer, SideQuestion, NextWaiting, AnotherAgent, Compare, NextColumn, InWorktree, Fork, Rename, SearchHistory, Editor, PasteImage, Suspend, Detach, Quit}},
	{"Review", []Intent{ShowReview, UndoFiles, ShowNotes, Trust, MergeTree, DiscardTree}},
	{"Agent", []Intent{NextMode, Approval, Model, Mode, Options, Background, Subagents, Usage, Login, Logout}},
	{"View", []Intent{ToggleHelp, CycleDensity, TogglePlan, ToggleLog, SidePanel, Theme, Inline, Mouse, Home, End, Redraw}},
}
