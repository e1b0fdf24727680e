package event

import "time"

// The events for which v1 has no word.

// MessageReplaced creates a message or replaces what it says (user_message,
// agent_message, agent_thought of v2). Chunks that follow are appended to it.
type MessageReplaced struct {
	For
	Role      Role
	MessageID string
	// Keep says that only the message itself was told, not what it says: it
	// stays as it is, empty if it is new.
	Keep        bool
	Text        string    // the texts of its blocks
	Attachments []Content // the blocks that are not text
	At          time.Time
}

// StateChanged is a snapshot of what an agent of v2 says that the session does.
// Turns begin and end with TurnStarted and TurnEnded, as ever: a repeated "idle"
// ends nothing.
type StateChanged struct {
	For
	State      string // running, requires_action, idle, or something newer, which is not idle
	StopReason string // of idle, may be ""
	Err        error  // of the stop reason "error"
	// Background is what goes on whatever the state is; unless BackgroundKnown
	// the agent has not said.
	Background      []BackgroundWork
	BackgroundKnown bool
}

// BackgroundWork names a piece of it. Type: tool_call, terminal, or something
// newer, of which there is no ID.
type BackgroundWork struct{ Type, ID string }

// PromptHeld says that a prompt went out to an agent of v2, which may hold it
// back while it works on another one. It ends with PromptAccepted or
// PromptFailed of the same Key.
type PromptHeld struct {
	For
	Key     uint64
	Text    string
	At      time.Time
	Request int64 // the JSON-RPC id of its session/prompt
}

// PromptAccepted says that a prompt is part of the conversation now: it is the
// user's message of this id. The message may come before or after. Older agents
// tell no id.
type PromptAccepted struct {
	For
	Key       uint64
	MessageID string
}

// PromptFailed says that a prompt is no part of the conversation and will not
// be: its Blocks, verbatim, belong to the user again.
type PromptFailed struct {
	For
	Key       uint64
	Blocks    []Block
	Withdrawn bool // by Withdraw, Cancel or CloseSession
	MidTurn   bool // it went out in the middle of a turn, and the agent may take it afterwards
	Err       error
}

// TerminalChanged creates or changes a terminal of the agent's own (v2). Nil
// means unchanged.
type TerminalChanged struct {
	For
	ID           string
	Command, Cwd *string
	Cols, Rows   int   // 0: unchanged
	Cancelable   *bool // Session.CancelTerminal may be used, now
}

// TerminalReplaced replaces all output of a terminal by a snapshot. What an
// emulator knows of it is void.
type TerminalReplaced struct {
	For
	ID   string
	Data []byte
}
