// Package transport carries messages to an agent and back: over the pipes of a process (Stdio), to a server by
// Streamable HTTP (HTTP) or a WebSocket (WebSocket), or inside the program (Pipe). It knows nothing of what the messages say; what it has to know of one is handed to it in Message.
//
// Every Conn has one reader and one writer at a time: Recv and Send may run beside each other, but neither beside
// itself. Close may be called from any goroutine, any number of times. Bytes returned by Recv belong to the Conn and
// are valid until the next Recv; bytes given to Send belong to the caller again when it returns.
package transport

import "errors"

// ErrClosed is what Recv and Send return after Close was called on this end.
var ErrClosed = errors.New("transport: connection closed")

// Message is one outgoing message and what a transport has to know of it.
type Message struct {
	Data    []byte // one JSON text (object or array) without a newline; Send does not keep it after it returns
	Session string // params.sessionId of a session-scoped message, or of the request that is answered; else ""
	Answer  bool   // it answers a request of the peer
}

// Conn is one connection to a peer.
type Conn interface {
	// Recv blocks for the next message and returns it; the slice is valid until the next Recv. It returns io.EOF at
	// the peer's orderly end and ErrClosed after Close. After a *TooLongError it may be called again; every other
	// error is final.
	Recv() ([]byte, error)
	// Send writes the whole message or returns an error, after which the connection is of no more use.
	Send(Message) error
	// Close ends the connection and unblocks Recv and Send.
	Close() error
}
