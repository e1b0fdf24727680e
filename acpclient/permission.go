package acpclient

import (
	"context"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// permissionRequested serves session/request_permission. The question is
// posted on the reader goroutine, so it stands where it came between the
// updates; the wait happens elsewhere. A question whose turn has been cancelled
// is answered at once, and so is one without options.
func (c *Client) permissionRequested(params []byte) jsonrpc.Work {
	r, err := wire.DecodePermissionRequest(params)
	if err != nil {
		return badParams(err)
	}
	s, no := c.known(r.SessionID)
	if no != nil {
		return no
	}
	whole := s.toolChanged(r.Tool, len(params))
	if s.cancelling() || len(r.Options) == 0 || c.opts.Services.Permissions == nil {
		return func(context.Context) (any, error) { return wire.Cancelled(), nil }
	}
	asked := c.opts.Services.Permissions.Ask(Question{Session: s.id, Tool: whole, Options: r.Options})
	s.post(PermissionAsked{For: s.for_(), Key: asked.Key(), ToolID: whole.ID})
	if s.cancelling() { // it was not when we asked
		s.cancelQuestions()
	}
	return func(ctx context.Context) (any, error) {
		d := asked.Wait(ctx)
		s.post(settled(s, asked.Key(), whole, r.Options, d))
		if d.Cancelled {
			return wire.Cancelled(), nil
		}
		return wire.Selected(d.OptionID), nil
	}
}

func settled(s *Session, key uint64, tool wire.ToolCall, options []wire.PermissionOption, d Decision) PermissionSettled {
	e := PermissionSettled{For: s.own(), Key: key, ToolID: tool.ID, Decision: "cancelled", By: safetext.Line(d.By, 80), At: s.client.clock()}
	if e.Subject = safetext.Line(d.Subject, 200); e.Subject == "" && tool.Title != nil {
		e.Subject = safetext.Line(*tool.Title, 200)
	}
	if d.Cancelled {
		return e
	}
	for _, o := range options {
		if o.ID == d.OptionID {
			e.Decision = safetext.Line(o.Name, 80)
			e.Allowed = o.Kind == "allow_once" || o.Kind == "allow_always"
		}
	}
	return e
}
