package acpclient

import (
	"context"
	"encoding/json"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// handler handles what the peer receives for the Client.
type handler Client

// Notification implements jsonrpc.Handler.
func (h *handler) Notification(method string, params []byte) {
	c := (*Client)(h)
	switch {
	case method == "session/update":
		c.sessionUpdated(params)
	case method == "elicitation/complete":
		c.elicitationCompleted(params)
	case method == "auth/status_update", method == "_auth/status_update":
		var s wire.AuthStatus
		if err := json.Unmarshal(params, &s); err != nil {
			c.problem("an auth/status_update that cannot be read: "+err.Error(), params)
			return
		}
		c.sink.Post(authStatus(s))
	case len(method) == 0 || method[0] != '_' && method[0] != '$':
		c.problem("a notification that is not known: "+safetext.Line(method, 80), nil)
	}
}

// Request implements jsonrpc.Handler.
func (h *handler) Request(r jsonrpc.Request) jsonrpc.Work {
	c := (*Client)(h)
	if r.Method == "elicitation/create" { // the same in both versions
		if !c.opts.Elicit {
			return nil
		}
		return c.elicitationRequested(r.Params)
	}
	return c.surface.request(c, r)
}

// placed adds the request's message to the context of work; see SpanOf.
func (c *Client) placed(work jsonrpc.Work) jsonrpc.Work {
	asked := c.in.span()
	return func(ctx context.Context) (any, error) { return work(context.WithValue(ctx, spanKey{}, asked)) }
}

// refuse returns work that answers with err.
func refuse(err error) jsonrpc.Work {
	return func(context.Context) (any, error) { return nil, err }
}

func badParams(err error) jsonrpc.Work {
	return refuse(jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Invalid params: %v", err))
}
