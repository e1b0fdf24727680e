package event

import "time"

// The events that only v2 has.

// MessageReplaced creates a message or replaces its content (user_message,
// agent_message, agent_thought of v2). Later chunks are appended to it.
type MessageReplaced struct {
	For
	Role      Role
	MessageID string
	// KeepContent means that the update has no content: the message keeps what it has, and is
	// empty if it is new.
	KeepContent bool
	Text        string    // the texts of its blocks
	Attachments []Content // the blocks that are not text
	At          time.Time
}

// StateChanged is an agent's report of the state of a v2 session. Turns begin and end
// with TurnStarted and TurnEnded: a repeated "idle" ends nothing.
type StateChanged struct {
	For
	State      string           // running, requires_action, idle, or a newer value, which is not idle
	StopReason string           // with idle, may be ""
	Err        error            // for the stop reason "error"
	Background []BackgroundWork // continues in any state
}

// BackgroundWork names a piece of background work. Type: tool_call, terminal, or a newer
// value, for which ID is "".
type BackgroundWork struct{ Type, ID string }

// PromptHeld says that a prompt was sent to an agent of v2, which may hold it back while
// it works on another one. PromptAccepted or PromptFailed with the same Key follows.
type PromptHeld struct {
	For
	Key     uint64
	Text    string
	At      time.Time
	Request int64 // the JSON-RPC id of its session/prompt
}

// PromptAccepted says that a prompt is now part of the conversation, as the user's
// message with this id. The message may arrive earlier or later. Older agents send no
// id.
type PromptAccepted struct {
	For
	Key       uint64
	MessageID string
}

// PromptFailed says that a prompt will not be part of the conversation. Its Blocks,
// verbatim, go back to the user.
type PromptFailed struct {
	For
	Key       uint64
	Blocks    []Block
	Withdrawn bool // by Withdraw, Cancel or CloseSession
	MidTurn   bool // it was sent during a turn, and the agent may accept it afterwards
	Err       error
}

// TerminalChanged creates or changes one of the agent's terminals (v2). Nil means
// unchanged.
type TerminalChanged struct {
	For
	ID           string
	Command, Cwd *string
	Cols, Rows   int   // 0: unchanged
	Cancelable   *bool // whether Session.CancelTerminal may be used now
}

// TerminalReplaced replaces all output of a terminal with a snapshot. The state of its
// emulator is void.
type TerminalReplaced struct {
	For
	ID   string
	Data []byte
}
