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

// permissionRequested serves session/request_permission. The question is posted on the
// reader goroutine, so it keeps its place between the updates; the wait happens
// elsewhere. A question is answered at once if its turn has been cancelled or if it has
// no options; front ends only get the record of it.
func (c *Client) permissionRequested(params []byte) jsonrpc.Work {
	r, err := wire.DecodePermissionRequest(1, params)
	if err != nil {
		return badParams(err)
	}
	s, no := c.sessions.known(r.SessionID)
	if no == nil {
		no = c.disk.crowded()
	}
	if no != nil {
		return no
	}
	whole := s.toolChanged(*r.Subject.Tool, len(params), true)
	if s.cancelling() || len(r.Options) == 0 || c.opts.Services.Permissions == nil {
		s.post(answeredEvent(s, 0, whole, r.Options, Decision{Cancelled: true}))
		return cancelled
	}
	asked := c.opts.Services.Permissions.Ask(Question{Session: s.root().id, Subagent: s.title, Tool: whole, Options: r.Options})
	s.post(event.PermissionRequested{For: s.wireContext(), Key: asked.Key(), ToolID: whole.ID, At: s.client.clock()})
	c.disk.add(len(params), asked.Judge)
	if s.cancelling() { // since the check above
		s.root().cancelQuestions()
	}
	return func(ctx context.Context) (any, error) { return s.answerOf(ctx, asked, whole, r.Options), nil }
}

// cancelled is the work for a question that is not shown.
func cancelled(context.Context) (any, error) { return wire.Cancelled(), nil }

// answerOf waits for the decision of a question and posts it.
func (s *Session) answerOf(ctx context.Context, asked PendingQuestion, tool wire.ToolCall, options []wire.PermissionOption) wire.PermissionResponse {
	d := asked.Wait(ctx)
	s.post(answeredEvent(s, asked.Key(), tool, options, d))
	if d.Cancelled {
		return wire.Cancelled()
	}
	return wire.Selected(d.OptionID)
}

// maxSubject bounds the subject of a question, in runes.
const maxSubject = 200

// subjectOf returns the subject of a tool call if the decision does not name one: its
// command, else the files that it changes, else its title.
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

func answeredEvent(s *Session, key uint64, tool wire.ToolCall, options []wire.PermissionOption, d Decision) event.PermissionAnswered {
	e := event.PermissionAnswered{For: s.localContext(), Key: key, ToolID: tool.ID, Decision: "cancelled", By: safetext.Line(d.By, 80), At: s.client.clock()}
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
