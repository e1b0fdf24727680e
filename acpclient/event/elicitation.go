package event

import (
	"encoding/json"
	"time"
)

// ElicitationAsked says that the agent asks the user to fill in a form or to open a page
// (elicitation/create). A front end answers once with Answer. ElicitationEnded reports
// every other end: the turn is cancelled, the agent withdraws the question, the
// connection closes.
type ElicitationAsked struct {
	For            // Session is "" if it belongs to a call such as a login
	Key     uint64 // unique on the connection
	ToolID  string // the tool call that waits for it, "" if none is named
	At      time.Time
	Message string // safe to show
	URL     string // verbatim, for a page; "" for a form
	Schema  json.RawMessage
	// Answer settles it; later answers are dropped. It does not block.
	Answer func(ElicitationAnswer)
}

// ElicitationAnswer is the user's answer.
type ElicitationAnswer struct {
	Action  string          // accept, decline or cancel
	Content json.RawMessage // for an accepted form
}

// ElicitationEnded says that a question is over, however it ended.
type ElicitationEnded struct {
	For
	Key uint64
	At  time.Time
}

// ElicitationCompleted says that the user has finished at a page (elicitation/complete).
type ElicitationCompleted struct {
	For
	Key uint64
}
