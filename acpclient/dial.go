package acpclient

import (
	"context"
	"errors"
	"net/http"
	"strings"

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
	opts.InitializeOnce, opts.RemoteURL, opts.authorizes = true, r.DisplayURL(), r.Authorizes()
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
		return nil, opts.lost(err)
	}
	c := newClient(conn, opts)
	if err := c.start(ctx); err != nil {
		var status *transport.StatusError
		if errors.As(err, &status) {
			err = opts.lost(err)
		}
		return nil, err
	}
	return c, nil
}

// lost returns err as an event.LostError.
func (o *Options) lost(err error) error {
	var already *event.LostError
	if errors.As(err, &already) {
		return err
	}
	return &event.LostError{URL: o.RemoteURL, Cause: err, Advice: o.advice(err)}
}

// advice says what to type about a connection that could not be made, "" if nothing is known.
func (o *Options) advice(err error) string {
	const anyCertificate = ", or accept any certificate with --insecure"
	var status *transport.StatusError
	var tls *transport.TLSError
	var proxy *transport.ProxyError
	switch {
	case errors.As(err, &proxy):
		return "set it to http://HOST:PORT, or unset it"
	case errors.As(err, &status) && status.Unauthorized():
		const send = "set AUTH='Bearer TOKEN' in the environment and add --header-env Authorization=AUTH"
		switch {
		case !o.authorizes:
			return "to send a token, " + send
		case status.Status == http.StatusUnauthorized:
			return "the token differs from the server's: " + send
		}
		return "to send another token, " + send
	case !errors.As(err, &tls):
		return ""
	}
	switch tls.Problem {
	case transport.UnknownAuthority:
		return "trust the authority with --ca-file FILE" + anyCertificate
	case transport.OtherHost:
		return "use a name that the certificate has" + anyCertificate
	case transport.OutOfDate:
		return "renew it on the server, check this machine's clock" + anyCertificate
	case transport.ServerWithoutTLS:
		return "use " + strings.Replace(o.RemoteURL, "s://", "://", 1) + ", which is not encrypted"
	case transport.ServerWithTLS:
		return "use " + strings.Replace(o.RemoteURL, "://", "s://", 1)
	}
	return "accept any certificate with --insecure"
}
