package event

import (
	"encoding/json"
	"time"
)

// ElicitationAsked says that the agent wants something of the user's: a form to
// be filled in, or a page to be opened (elicitation/create). A front end answers
// once with Answer; whatever else ends it (the turn is cancelled, the agent
// withdraws it, the connection closes) is told with ElicitationSettled.
type ElicitationAsked struct {
	For            // "" when it belongs to a call, such as a login
	Key     uint64 // unique on the connection
	ToolID  string // the call that waits for it, "" where none is named
	At      time.Time
	Message string // safe to show
	URL     string // verbatim, of a page; "" for a form
	Schema  json.RawMessage
	// Answer settles it; later answers are dropped. It does not block.
	Answer func(ElicitationAnswer)
}

// ElicitationAnswer is what the user did.
type ElicitationAnswer struct {
	Action  string          // accept, decline or cancel
	Content json.RawMessage // of an accepted form
}

// ElicitationSettled says that a question is over, however it ended.
type ElicitationSettled struct {
	For
	Key uint64
	At  time.Time
}

// ElicitationCompleted says that what was asked for at a page has happened
// (elicitation/complete).
type ElicitationCompleted struct {
	For
	Key uint64
}
