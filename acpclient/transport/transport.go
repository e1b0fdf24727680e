// Package transport carries messages to and from an agent: over the pipes of a process
// (Stdio), to a server by Streamable HTTP (HTTP) or WebSocket (WebSocket), or in memory
// (Pipe). It does not interpret the messages; what it needs to know of one is passed in
// Message.
//
// Every Conn has one reader and one writer at a time: Recv and Send may run concurrently,
// but not two calls of either. Close may be called from any goroutine, any number of times.
// Bytes returned by Recv belong to the Conn and are valid until the next Recv; bytes passed
// to Send belong to the caller again when it returns.
package transport

import "errors"

// ErrClosed is returned by Recv and Send after Close was called on this end.
var ErrClosed = errors.New("transport: connection closed")

// Message is one outgoing message and what a transport must know of it.
type Message struct {
	Data    []byte // one JSON text (object or array) without a newline; not kept after Send returns
	Session string // params.sessionId of the message, or of the request that it answers; else ""
	Answer  bool   // it answers a request of the peer
}

// Conn is one connection to a peer.
type Conn interface {
	// Recv blocks for the next message and returns it; the slice is valid until the next Recv. It returns io.EOF at
	// the peer's orderly end and ErrClosed after Close. After a *TooLongError it may be called again; every other
	// error is final.
	Recv() ([]byte, error)
	// Send writes the whole message. After an error the connection can no longer be used.
	Send(Message) error
	// Close ends the connection and unblocks Recv and Send.
	Close() error
}
