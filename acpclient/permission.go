package acpclient

import (
	"context"
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// permissionRequested serves session/request_permission. The question is
// posted on the reader goroutine, so it stands where it came between the
// updates; the wait happens elsewhere. A question whose turn has been cancelled
// is answered at once, and so is one without options: front ends are told that
// alone.
func (c *Client) permissionRequested(params []byte) jsonrpc.Work {
	r, err := wire.DecodePermissionRequest(1, params)
	if err != nil {
		return badParams(err)
	}
	s, no := c.known(r.SessionID)
	if no != nil {
		return no
	}
	whole := s.toolChanged(*r.Subject.Tool, len(params))
	if s.cancelling() || len(r.Options) == 0 || c.opts.Services.Permissions == nil {
		s.post(settled(s, 0, whole, r.Options, Decision{Cancelled: true}))
		return cancelled
	}
	asked := c.opts.Services.Permissions.Ask(Question{Session: s.id, Tool: whole, Options: r.Options})
	s.post(event.PermissionRequested{For: s.for_(), Key: asked.Key(), ToolID: whole.ID, At: s.client.clock()})
	if s.cancelling() { // it was not when we asked
		s.cancelQuestions()
	}
	return func(ctx context.Context) (any, error) { return s.answerOf(ctx, asked, whole, r.Options), nil }
}

// cancelled is the work of a question that is put to nobody.
func cancelled(context.Context) (any, error) { return wire.Cancelled(), nil }

// answerOf waits for the decision of a question and tells of it.
func (s *Session) answerOf(ctx context.Context, asked Asked, tool wire.ToolCall, options []wire.PermissionOption) wire.PermissionResponse {
	d := asked.Wait(ctx)
	s.post(settled(s, asked.Key(), tool, options, d))
	if d.Cancelled {
		return wire.Cancelled()
	}
	return wire.Selected(d.OptionID)
}

// maxSubject bounds what a question was about, in runes.
const maxSubject = 200

// subjectOf is what a tool call is about, where nobody says what was shown of it: its
// command, else the files that it changes, and its title only where it names neither.
func subjectOf(tool wire.ToolCall) string {
	if line := event.CommandLine(string(tool.RawInput)); line != "" && (tool.Kind == nil || *tool.Kind != "edit") {
		return line
	}
	var files []string
	if tool.Content != nil {
		for _, c := range *tool.Content {
			if c.Path != "" && !slices.Contains(files, c.Path) {
				files = append(files, c.Path)
			}
			for _, f := range c.Changes {
				if !slices.Contains(files, f.Path) {
					files = append(files, f.Path)
				}
			}
		}
	}
	if len(files) == 0 && tool.Title != nil {
		return *tool.Title
	}
	return strings.Join(files, ", ")
}

func settled(s *Session, key uint64, tool wire.ToolCall, options []wire.PermissionOption, d Decision) event.PermissionAnswered {
	e := event.PermissionAnswered{For: s.own(), Key: key, ToolID: tool.ID, Decision: "cancelled", By: safetext.Line(d.By, 80), At: s.client.clock()}
	if e.Subject = safetext.Line(d.Subject, maxSubject); e.Subject == "" {
		e.Subject = safetext.Line(subjectOf(tool), maxSubject)
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
