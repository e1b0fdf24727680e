package acpclient

import (
	"context"
	"errors"

	"parley/acpclient/event"
	"parley/acpclient/transport"
	"parley/internal/safetext"
)

// Dial connects to a remote agent (PROTOCOL 5). On an error nothing of the connection
// remains. ctx bounds only the handshake; the connection lives until Close. If the agent
// requires a new connection for another protocol version, Dial makes it. If the
// connection is lost, event.Disconnected has an *event.LostError.
func Dial(ctx context.Context, r transport.Remote, opts Options) (*Client, error) {
	if opts.Log == nil {
		opts.Log = event.NewLog()
	}
	if opts.Agent == "" {
		opts.Agent = r.DisplayURL()
	}
	opts.InitializeOnce, opts.RemoteURL = true, r.DisplayURL()
	log := opts.Log
	r.Log = func(line string) { log.Add(event.LogClient, safetext.Line(line, 500)) }
	for restarts := 0; ; restarts++ {
		c, err := dial(ctx, r, opts)
		var again *ReconnectError
		if !errors.As(err, &again) || restarts == maxRestarts {
			return c, err
		}
		log.Add(event.LogClient, "connecting again: "+safetext.Line(err.Error(), 500))
		opts = again.Options(opts)
	}
}

func dial(ctx context.Context, r transport.Remote, opts Options) (*Client, error) {
	conn, err := transport.Dial(ctx, r)
	if err != nil {
		return nil, lost(r.DisplayURL(), err)
	}
	c := newClient(conn, opts)
	if err := c.start(ctx); err != nil {
		var status *transport.StatusError
		if errors.As(err, &status) {
			err = lost(opts.RemoteURL, err)
		}
		return nil, err
	}
	return c, nil
}

// lost returns err as an event.LostError.
func lost(place string, err error) error {
	var already *event.LostError
	if errors.As(err, &already) {
		return err
	}
	return &event.LostError{URL: place, Cause: err}
}

// openStream and closeStream tell a transport with a stream for each session about a
// session.
func (c *Client) openStream(id string) {
	if s, ok := c.in.Conn.(transport.Streams); ok {
		s.OpenSession(id)
	}
}

func (c *Client) closeStream(id string) {
	if s, ok := c.in.Conn.(transport.Streams); ok {
		s.CloseSession(id)
	}
}
