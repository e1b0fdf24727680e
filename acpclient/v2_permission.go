package acpclient

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
)

// openQuestion is an open question of v2 with its subject: only questions about the
// foreground end when that is cancelled.
type openQuestion struct {
	about    []event.BackgroundWork // empty: about nothing in particular
	subagent bool                   // of a sub-agent, which ends with the foreground
	cancel   context.CancelFunc
}

// permissionRequestedV2 serves session/request_permission as v1 does. The tool call in
// it is posted first, like an update. The title of the question is never that of the
// tool call.
func (c *Client) permissionRequestedV2(params []byte) jsonrpc.Work {
	r, err := wire.DecodePermissionRequest(2, params)
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
	q := s.questionV2(r, len(params))
	if len(r.Options) == 0 || c.opts.Services.Permissions == nil {
		return cancelled
	}
	ctx, cancel := context.WithCancel(context.Background())
	open := &openQuestion{about: aboutOf(r), subagent: s.parent != nil, cancel: cancel}
	if s.root().turns.openQuestion(open) {
		return cancelled
	}
	asked := c.opts.Services.Permissions.Ask(q)
	s.post(event.PermissionRequested{For: s.wireContext(), Key: asked.Key(), ToolID: q.Tool.ID, At: s.client.clock()})
	c.disk.add(len(params), asked.Judge)
	return func(request context.Context) (any, error) {
		defer s.root().turns.closeQuestion(open)
		defer context.AfterFunc(request, cancel)()
		return s.answerOf(ctx, asked, q.Tool, r.Options), nil
	}
}

// openQuestion adds a question, unless its turn has been cancelled: then it returns true.
func (t *turns) openQuestion(q *openQuestion) (dead bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running && t.cancelled && t.inForeground(q) {
		return true
	}
	t.questions[q] = true
	return false
}

func (t *turns) closeQuestion(q *openQuestion) {
	q.cancel()
	t.mu.Lock()
	delete(t.questions, q)
	t.mu.Unlock()
}

// aboutOf returns what a request is about.
func aboutOf(r wire.PermissionRequest) (about []event.BackgroundWork) {
	if r.Subject.Tool != nil {
		about = append(about, event.BackgroundWork{Type: toolWork, ID: r.Subject.Tool.ID})
	}
	if r.Subject.Type == "command" && r.Subject.ToolCallID != "" {
		about = append(about, event.BackgroundWork{Type: toolWork, ID: r.Subject.ToolCallID})
	}
	if r.Subject.Type == "command" && r.Subject.TerminalID != "" {
		about = append(about, event.BackgroundWork{Type: terminalWork, ID: r.Subject.TerminalID})
	}
	return about
}

// inForeground reports whether a question belongs to the work that session/cancel stops:
// its subject is not in the background. A question about nothing in particular belongs
// to it if there is no background work. It needs mu.
func (t *turns) inForeground(q *openQuestion) bool {
	if q.subagent {
		return true
	}
	if len(q.about) == 0 {
		return len(t.background) == 0
	}
	return !slices.ContainsFunc(q.about, func(w event.BackgroundWork) bool { return slices.Contains(t.background, w) })
}

// cancelForeground cancels the questions of the cancelled work. Others wait for the
// user, or for the agent to withdraw them.
func (t *turns) cancelForeground() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for q := range t.questions {
		if t.inForeground(q) {
			q.cancel()
		}
	}
	if len(t.background) == 0 { // elicitations and tools do not name their subject
		t.session.client.elicits.cancel(t.session.id)
		t.session.offer.Cancel()
	}
}

// questionV2 returns the question for the services. Its Tool is a copy for reading: it
// has the question's title, and file changes as text, so that all of it can be read
// before it is answered.
func (s *Session) questionV2(r wire.PermissionRequest, size int) Question {
	q := Question{Session: s.root().id, Subagent: s.title, Options: r.Options, Title: r.Title, Description: r.Description, Subject: r.Subject.Type}
	switch {
	case r.Subject.Tool != nil:
		q.Tool = s.toolChanged(*r.Subject.Tool, size, true)
	case r.Subject.Type == "command":
		kind := "execute"
		q.Tool.ID, q.Tool.Kind = r.Subject.ToolCallID, &kind
		q.Tool.RawInput, _ = json.Marshal(map[string]string{"command": r.Subject.Command, "cwd": r.Subject.Cwd})
		q.Command, q.Cwd = r.Subject.Command, r.Subject.Cwd
	default:
		q.Tool.RawInput = r.Subject.Raw
	}
	if r.Title != "" {
		q.Tool.Title = &r.Title
	}
	content := []wire.ToolContent{}
	if r.Description != "" {
		content = append(content, textContent(r.Description))
	}
	var places []wire.Location
	if q.Tool.Locations != nil {
		places = slices.Clone(*q.Tool.Locations)
	}
	if q.Tool.Content != nil {
		for _, c := range *q.Tool.Content {
			if c.Type == wire.ChangesContent {
				for _, f := range c.Changes {
					places = append(places, locationsOf(f)...)
				}
				said := textContent(changesText(c))
				said.Changes, said.Patch = c.Changes, c.Patch // for services that check it
				c = said
			}
			content = append(content, c)
		}
	}
	q.Tool.Content, q.Tool.Locations = &content, &places
	return q
}

func textContent(text string) wire.ToolContent {
	return wire.ToolContent{Type: "content", Block: wire.ContentBlock{Type: "text", Text: text}}
}

func locationsOf(f wire.FileChange) (places []wire.Location) {
	for _, p := range []string{f.OldPath, f.Path} {
		if p != "" {
			places = append(places, wire.Location{Path: p})
		}
	}
	return places
}

// changesText spells out a diff of v2: every file, then the patch.
func changesText(c wire.ToolContent) string {
	var b strings.Builder
	for _, f := range c.Changes {
		b.WriteString(f.Operation)
		if f.FileType != "" && f.FileType != "text" {
			b.WriteString(" " + f.FileType)
		}
		if f.OldPath != "" {
			b.WriteString(" " + f.OldPath + " to")
		}
		b.WriteString(" " + f.Path + "\n")
	}
	b.WriteString(c.Patch)
	return b.String()
}
