// Package demo is the built-in agent: the agent's side of ACP v1, without a
// model and without a network. It answers to a handful of words in a prompt
// and shows with them what a client can do: prose, thoughts, plans, files read
// and written through the client, commands run in the client's terminals,
// permission asked.
//
// One connection carries any number of sessions. Requests are looked at on the
// reader goroutine of the peer and worked on in goroutines of their own, a turn
// in that of its session/prompt, so sessions never wait for each other. All
// updates of a turn are queued before the answer to its prompt. Nothing is
// kept beyond the connection, and the agent itself opens no file and starts no
// process: all of that is asked of the client.
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

// DefaultPace is the time between two chunks of prose where none is set.
const DefaultPace = 15 * time.Millisecond

// Options of the agent. The zero value is usable.
type Options struct {
	// Pace is the time between two chunks of prose. 0 means DefaultPace, a
	// negative value none at all.
	Pace time.Duration
	// Version is what initialize reports; "dev" where empty.
	Version string
}

// Run serves one client over in and out, one message a line (the stdio
// transport of ACP). It returns nil when in ends or nobody reads out any more,
// at once and without waiting for turns that run, and otherwise the error that
// ended the connection or the cause of ctx. When it returns it has closed in if that is an io.Closer.
func Run(ctx context.Context, in io.Reader, out io.Writer, opts Options) error {
	return Serve(ctx, newLineConn(in, out), opts)
}

// Serve is Run over any connection, which it closes.
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

// isGone tells that the client has left: one that goes in the middle of a turn
// is noticed by writing as often as by reading.
func isGone(err error) bool {
	for _, gone := range []error{transport.ErrClosed, io.ErrClosedPipe, syscall.EPIPE} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// announcingConn tells the agent which answers have left, so that what belongs
// behind an answer can be sent behind it.
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
