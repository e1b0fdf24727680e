// Package intent declares what a user can do, once: the name of each action,
// its keys and its words. Dispatch and help both read it from here.
package intent

// Intent is something the user wants. The zero Intent is nothing.
type Intent int

// The intents.
const (
	None Intent = iota
	Send
	Stop
	Interrupt
	QuitIfEmpty
	Suspend
	HistoryBack
	HistoryForward
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
	Redraw
	FocusQuestion
	Sessions
	NextMode
	Options
	Background
)

// Binding ties keys to an intent. Keys are written as Bubble Tea writes them.
type Binding struct {
	Intent Intent
	Keys   []string
	Label  string // the keys as help shows them
	Help   string
}

// Chat lists the bindings of the chat screen in the order of the help. Keys
// that edit the draft are the composer's own and stand in Editing.
var Chat = []Binding{
	{Send, []string{"enter"}, "enter", "send; during a turn: queue the prompt"},
	{Stop, []string{"esc"}, "esc", "close what is open, else stop the turn"},
	{Interrupt, []string{"ctrl+c"}, "ctrl+c", "stop; clear the draft; twice to quit"},
	{QuitIfEmpty, []string{"ctrl+d"}, "ctrl+d", "quit, when the composer is empty"},
	{Suspend, []string{"ctrl+z"}, "ctrl+z", "suspend"},
	{HistoryBack, []string{"up"}, "up", "earlier prompts; the queued one first"},
	{HistoryForward, []string{"down"}, "down", "later prompts"},
	{PageUp, []string{"pgup"}, "pgup", "scroll back"},
	{PageDown, []string{"pgdown"}, "pgdn", "scroll on"},
	{ScrollUp, []string{"shift+up", "ctrl+up"}, "shift+up", "scroll back by a row"},
	{ScrollDown, []string{"shift+down", "ctrl+down"}, "shift+down", "scroll on by a row"},
	{Home, []string{"ctrl+home"}, "ctrl+home", "to the beginning"},
	{End, []string{"ctrl+end"}, "ctrl+end", "to the end, and follow it"},
	{CycleDensity, []string{"ctrl+o"}, "ctrl+o", "how much is shown: normal, everything, quiet"},
	{Sessions, []string{"ctrl+s"}, "ctrl+s", "sessions: open, new, close, delete"},
	{NextMode, []string{"shift+tab"}, "shift+tab", "the next mode"},
	{Background, []string{"f3"}, "f3", "work that is going on: tools and commands; ctrl+x stops one (or /work)"},
	{Options, []string{"f4"}, "f4", "mode, model and every other option (or /options)"},
	{TogglePlan, []string{"ctrl+t"}, "ctrl+t", "the plan"},
	{Complete, []string{"tab"}, "tab", "complete a command; on an empty composer: the question, or else the transcript"},
	{FocusQuestion, []string{"alt+a"}, "alt+a", "give the keys to the question"},
	{Redraw, []string{"ctrl+l"}, "ctrl+l", "draw the screen again"},
	{ToggleHelp, []string{"f1"}, "?", "this help, on an empty composer (or f1)"},
	{ToggleLog, []string{"f2"}, "/log", "the agent's stderr and what parley noted (or f2)"},
}

// Note is a line of the help about keys that are not dispatched here.
type Note struct{ Label, Help string }

// Editing lists the composer's own keys.
var Editing = []Note{
	{"shift+enter", "newline (or alt+enter, ctrl+j, \\ enter)"},
	{"ctrl+a ctrl+e", "start, end of the line"},
	{"ctrl+w ctrl+u ctrl+k", "delete the word, to the start, to the end; ctrl+y brings it back"},
	{"alt+b alt+f alt+d", "word back, word on, delete word"},
	{"backspace", "on an empty composer: drop the last queued prompt"},
}

// Transcript lists the keys of the transcript, while it has them.
var Transcript = []Note{
	{"j k", "the next, the previous entry (or down, up)"},
	{"} {", "the next, the previous prompt"},
	{"d u", "half a page on, back"},
	{"g G", "the first, the last entry"},
	{"space", "open or close the entry (or enter)"},
	{"i", "the messages that made it, as JSON"},
	{"x", "stop the tool call, where the agent can"},
	{"esc", "back to the composer (or tab)"},
}

// Question lists the keys of a question that has them.
var Question = []Note{
	{"y a n N", "the answer of that kind, where there is one: allow once, always, reject, always"},
	{"1 … 9 0 b c …", "the answer with that key, whatever its kind"},
	{"esc", "reject"},
	{"d", "everything the agent sent about it"},
	{"up down pgup pgdn", "read on"},
	{"ctrl+n ctrl+p", "the next, the previous question"},
	{"f", "full screen"},
}

var byKey = func() map[string]Intent {
	m := map[string]Intent{}
	for _, b := range Chat {
		for _, k := range b.Keys {
			m[k] = b.Intent
		}
	}
	return m
}()

// Of returns what a key means on the chat screen.
func Of(key string) Intent { return byKey[key] }
