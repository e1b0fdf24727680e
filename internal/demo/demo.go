// Package demo is the built-in agent: the agent's side of ACP v1, without a model or a network. It
// reacts to a few words in a prompt and shows what a client can do: prose, thoughts, plans, files
// read and written through the client, commands run in the client's terminals, and permission
// requests.
//
// One connection carries any number of sessions. Requests are parsed on the peer's reader goroutine
// and handled on separate goroutines; a turn runs on the one of its session/prompt. So sessions
// never wait for each other. All updates of a turn are queued before the answer to its prompt.
// Nothing outlives the connection. The agent itself opens no file and starts no process: it asks
// the client for both.
package demo

import (
	"context"
	"errors"
	"io"
	"syscall"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
)

// DefaultPace is the default time between two chunks of prose.
const DefaultPace = 15 * time.Millisecond

// Options configure the agent. The zero value is usable.
type Options struct {
	// Pace is the time between two chunks of prose. 0 means DefaultPace, a negative value no delay.
	Pace time.Duration
	// Version is what initialize reports; "" means "dev".
	Version string
}

// Run serves one client over in and out, one message per line (the stdio transport of ACP). It
// returns nil when in ends or out has no reader left, without waiting for running turns. Otherwise
// it returns the error that ended the connection, or the cause of ctx. It closes in if in is an
// io.Closer.
func Run(ctx context.Context, in io.Reader, out io.Writer, opts Options) error {
	return Serve(ctx, transport.Streams(in, out), opts)
}

// Serve is Run over any connection. It closes conn.
func Serve(ctx context.Context, conn transport.Conn, opts Options) error {
	if opts.Pace == 0 {
		opts.Pace = DefaultPace
	}
	if opts.Version == "" {
		opts.Version = "dev"
	}
	a := &agent{opts: opts, sessions: map[string]*session{}, unannounced: map[string]bool{}}
	a.peer = jsonrpc.NewPeer(announcingConn{conn, a}, a, jsonrpc.Options{})
	a.peer.Start()
	select {
	case <-a.peer.Done():
		cause := a.peer.Err()
		a.peer.Close(nil)
		if cause == jsonrpc.ErrClosed || isGone(cause) {
			return nil
		}
		return cause
	case <-ctx.Done():
		a.peer.Close(context.Cause(ctx))
		return context.Cause(ctx)
	}
}

// isGone reports whether an error means that the client has left. A client that leaves during a
// turn shows up as a write error as often as a read error.
func isGone(err error) bool {
	for _, gone := range []error{transport.ErrClosed, io.ErrClosedPipe, syscall.EPIPE} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// announcingConn tells the agent which answers were sent, so that it can send updates that must
// follow an answer.
type announcingConn struct {
	transport.Conn
	agent *agent
}

func (c announcingConn) Send(m transport.Message) error {
	err := c.Conn.Send(m)
	if err == nil && m.Answer {
		c.agent.answerSent(m.Data)
	}
	return err
}
