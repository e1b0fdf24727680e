package intent

// Group is a heading of the list of all actions, with what is below it, the most used first.
type Group struct {
	Title   string
	Intents []Intent
}

// Groups are the groups of all actions that the list shows.
var Groups = []Group{
	{"Session", []Intent{Sessions, NewSession, Turns, ShowQueue, NextWaiting, AnotherAgent, Compare, NextColumn, InWorktree, Fork, Rename, SearchHistory, Editor, PasteImage, Suspend, Quit}},
	{"Review", []Intent{ShowReview, UndoFiles, ShowNotes, Trust, MergeTree, DiscardTree}},
	{"Agent", []Intent{NextMode, Approval, Model, Mode, Options, Background, Login, Logout}},
	{"View", []Intent{ToggleHelp, CycleDensity, TogglePlan, ToggleLog, SidePanel, Theme, Inline, Mouse, Home, End, Redraw}},
}
