package headless

import (
	"fmt"
	"io"
	"time"

	"parley/acpclient"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/permissions"
)

// event is one line of stream-json. Type tells which fields count; the README
// lists them.
type event struct {
	Type string `json:"type"`

	Agent    string `json:"agent,omitempty"`
	Version  string `json:"version,omitempty"`
	Protocol int    `json:"protocol,omitempty"`
	Session  string `json:"session,omitempty"`
	Cwd      string `json:"cwd,omitempty"`

	Role      string `json:"role,omitempty"`
	MessageID string `json:"messageId,omitempty"`
	Text      string `json:"text,omitempty"`
	URI       string `json:"uri,omitempty"`

	Tool       *toolEvent `json:"tool,omitempty"`
	ToolCallID string     `json:"toolCallId,omitempty"`

	Terminal string `json:"terminal,omitempty"`
	ExitCode *int   `json:"exitCode,omitempty"`
	Signal   string `json:"signal,omitempty"`

	Plan []planEvent `json:"plan,omitempty"`

	Subject  string `json:"subject,omitempty"`
	Decision string `json:"decision,omitempty"`
	By       string `json:"by,omitempty"`
	Allowed  *bool  `json:"allowed,omitempty"`
	Flag     string `json:"flag,omitempty"`

	Used     *uint64  `json:"used,omitempty"`
	Size     *uint64  `json:"size,omitempty"`
	Cost     *float64 `json:"cost,omitempty"`
	Currency string   `json:"currency,omitempty"`

	Severity   string   `json:"severity,omitempty"`
	StopReason string   `json:"stopReason,omitempty"`
	Error      string   `json:"error,omitempty"`
	Stderr     []string `json:"stderr,omitempty"`
	Code       *int     `json:"code,omitempty"`
	Seconds    float64  `json:"seconds,omitempty"`
}

type toolEvent struct {
	ID        string      `json:"id"`
	Title     string      `json:"title"`
	Kind      string      `json:"kind"`
	Status    string      `json:"status"`
	Locations []string    `json:"locations,omitempty"`
	Diffs     []diffEvent `json:"diffs,omitempty"`
	Output    string      `json:"output,omitempty"`
	Terminals []string    `json:"terminals,omitempty"`
	RawInput  string      `json:"rawInput,omitempty"`
	RawOutput string      `json:"rawOutput,omitempty"`
}

type diffEvent struct {
	Path string  `json:"path"`
	Old  *string `json:"old,omitempty"`
	New  string  `json:"new"`
}

type planEvent struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

// maxURL bounds the address of a page in what is printed, in cells.
const maxURL = 2000

var roleName = map[acpclient.Role]string{acpclient.Agent: "agent", acpclient.User: "user", acpclient.Thought: "thought"}

// eventOf is the JSON form of an event; false where it has none.
func eventOf(e acpclient.Event, t *thread.Thread) (event, bool) {
	switch e := e.(type) {
	case acpclient.TextArrived:
		return event{Type: "text", Role: roleName[e.Role], MessageID: e.MessageID, Text: e.Text}, true
	case acpclient.MessageReplaced:
		if !e.Keep {
			return event{Type: "message", Role: roleName[e.Role], MessageID: e.MessageID, Text: e.Text}, true
		}
	case acpclient.ElicitationAsked:
		return event{Type: "elicitation", Text: e.Message, URI: safetext.Line(e.URL, maxURL), Decision: "decline"}, true
	case acpclient.ContentArrived:
		return event{Type: "content", Role: roleName[e.Role], MessageID: e.MessageID, Text: e.Content.Text, URI: e.Content.URI}, true
	case acpclient.ToolChanged:
		if tool := t.Tool(e.ID); tool != nil {
			return event{Type: "tool", Tool: toolOf(tool)}, true
		}
	case acpclient.TerminalStarted:
		return event{Type: "terminal", Terminal: e.ID, Text: e.Command, Cwd: e.Cwd}, true
	case acpclient.TerminalOutput:
		return event{Type: "terminal_output", Terminal: e.ID, Text: string(e.Data)}, true
	case acpclient.TerminalExited:
		return event{Type: "terminal_exit", Terminal: e.ID, ExitCode: e.Code, Signal: e.Signal}, true
	case acpclient.PlanChanged:
		return event{Type: "plan", Plan: planOf(e.Entries)}, true
	case acpclient.PermissionSettled:
		return event{Type: "permission", Subject: e.Subject, Decision: e.Decision, By: e.By, Allowed: &e.Allowed}, true
	case acpclient.UsageChanged:
		ev := event{Type: "usage", Used: &e.Used, Size: &e.Size, Currency: e.Currency}
		if e.Currency != "" {
			ev.Cost = &e.Cost
		}
		return ev, true
	case acpclient.NoticeArrived:
		return event{Type: "notice", Severity: e.Severity, Subject: e.Title, Text: e.Description}, true
	case acpclient.SessionInfoChanged:
		if e.Title != nil {
			return event{Type: "title", Text: *e.Title}, true
		}
	case acpclient.UnknownArrived:
		return event{Type: "unknown", Subject: e.Kind, Text: e.JSON}, true
	}
	return event{}, false
}

func toolOf(tool *thread.Tool) *toolEvent {
	out := &toolEvent{ID: tool.ID, Title: tool.Title, Kind: tool.Kind, Status: tool.Status, RawInput: tool.RawInput, RawOutput: tool.RawOutput}
	for _, l := range tool.Locations {
		place := l.Path
		if l.Line > 0 {
			place = fmt.Sprintf("%s:%d", l.Path, l.Line)
		}
		out.Locations = append(out.Locations, place)
	}
	for _, c := range tool.Content {
		switch {
		case c.Diff != nil:
			d := diffEvent{Path: c.Diff.Path, New: c.Diff.New}
			if !c.Diff.OldMissing {
				d.Old = &c.Diff.Old
			}
			out.Diffs = append(out.Diffs, d)
		case c.Terminal != "":
			out.Terminals = append(out.Terminals, c.Terminal)
		case c.Content != nil:
			out.Output += c.Content.Text
		}
	}
	return out
}

func planOf(entries []acpclient.PlanEntry) []planEvent {
	out := []planEvent{}
	for _, p := range entries {
		out = append(out, planEvent{p.Content, p.Status})
	}
	return out
}

func startEvent(a acpclient.AgentInfo, session, cwd string) event {
	return event{Type: "start", Agent: a.Name, Version: a.Version, Protocol: a.ProtocolVersion, Session: session, Cwd: cwd}
}

func deniedOf(q permissions.Question) event {
	return event{Type: "denied", Subject: subject(q), Flag: hint(q)}
}

func unaskedOf(t *thread.Tool) event {
	return event{Type: "unasked", ToolCallID: t.ID, Subject: did(t), Text: t.Trust.String()}
}

// streamPrinter writes one object per event (-o stream-json).
type streamPrinter struct{ stream jsonStream }

func (p *streamPrinter) started(a acpclient.AgentInfo, session, cwd string) {
	p.stream.write(startEvent(a, session, cwd))
}

func (p *streamPrinter) event(e acpclient.Event, t *thread.Thread) {
	if ev, ok := eventOf(e, t); ok {
		p.stream.write(ev)
	}
}

func (p *streamPrinter) denied(q permissions.Question) { p.stream.write(deniedOf(q)) }

func (p *streamPrinter) unasked(t *thread.Tool) { p.stream.write(unaskedOf(t)) }

func (p *streamPrinter) ended(reason string, err error, code int, took time.Duration, _ *thread.Thread) {
	p.stream.write(endEvent(reason, err, code, took))
}

func endEvent(reason string, err error, code int, took time.Duration) event {
	e := event{Type: "end", StopReason: reason, Code: &code, Seconds: float64(took.Milliseconds()) / 1000}
	if err != nil {
		e.Error, e.Stderr = err.Error(), stderrOf(err)
	}
	return e
}

// jsonPrinter writes one object at the end (-o json).
type jsonPrinter struct {
	stream      jsonStream
	stderr      io.Writer
	start       event
	permissions []event
	refused     []event
	unbidden    []event
}

// result is the object of -o json.
type result struct {
	Agent       string       `json:"agent"`
	Version     string       `json:"version,omitempty"`
	Session     string       `json:"session"`
	Cwd         string       `json:"cwd"`
	Answer      string       `json:"answer"`
	Thoughts    string       `json:"thoughts,omitempty"`
	Tools       []*toolEvent `json:"tools"`
	Plan        []planEvent  `json:"plan,omitempty"`
	Permissions []event      `json:"permissions,omitempty"`
	Denied      []event      `json:"denied,omitempty"`
	Unasked     []event      `json:"unasked,omitempty"`
	StopReason  string       `json:"stopReason,omitempty"`
	Error       string       `json:"error,omitempty"`
	Stderr      []string     `json:"stderr,omitempty"`
	Code        int          `json:"code"`
	Seconds     float64      `json:"seconds"`
}

func (p *jsonPrinter) started(a acpclient.AgentInfo, session, cwd string) {
	p.start = startEvent(a, session, cwd)
}

func (p *jsonPrinter) event(e acpclient.Event, t *thread.Thread) {
	switch e := e.(type) {
	case acpclient.PermissionSettled:
		ev, _ := eventOf(e, t)
		p.permissions = append(p.permissions, ev)
	case acpclient.ElicitationAsked:
		fmt.Fprintf(p.stderr, "parley: %s\n", declinedLine(e))
	}
}

func (p *jsonPrinter) denied(q permissions.Question) {
	p.refused = append(p.refused, deniedOf(q))
	fmt.Fprintf(p.stderr, "parley: %s\n", deniedLine(q))
}

func (p *jsonPrinter) unasked(t *thread.Tool) {
	p.unbidden = append(p.unbidden, unaskedOf(t))
	fmt.Fprintf(p.stderr, "parley: %s\n", unaskedLine(t))
}

func (p *jsonPrinter) ended(reason string, err error, code int, took time.Duration, t *thread.Thread) {
	end := endEvent(reason, err, code, took)
	r := result{Agent: p.start.Agent, Version: p.start.Version, Session: p.start.Session, Cwd: p.start.Cwd, Permissions: p.permissions,
		Denied: p.refused, Unasked: p.unbidden, StopReason: reason, Error: end.Error, Stderr: end.Stderr, Code: code, Seconds: end.Seconds, Tools: []*toolEvent{}}
	for _, it := range t.Items {
		switch it.Kind {
		case thread.AgentMessage:
			r.Answer = joined(r.Answer, string(it.Text))
		case thread.ThoughtMessage:
			r.Thoughts = joined(r.Thoughts, string(it.Text))
		case thread.ToolCall:
			r.Tools = append(r.Tools, toolOf(it.Tool))
		}
	}
	r.Plan = planOf(t.Plan)
	p.stream.write(r)
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n\n" + b
}
