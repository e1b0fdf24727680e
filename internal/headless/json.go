package headless

import (
	"bytes"
	"time"
	"unicode/utf8"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/permissions"
)

// jsonEvent is one line of stream-json. Type determines which fields are set; docs/run.md
// lists them.
type jsonEvent struct {
	Type string `json:"type"`

	Agent    string `json:"agent,omitempty"`
	Version  string `json:"version,omitempty"`
	Protocol int    `json:"protocol,omitempty"`
	Session  string `json:"session,omitempty"` // of a sub-agent's event: its own
	Parent   string `json:"parent,omitempty"`  // the session that has started it
	Cwd      string `json:"cwd,omitempty"`

	Role      string `json:"role,omitempty"`
	MessageID string `json:"messageId,omitempty"`
	From      string `json:"from,omitempty"`
	To        string `json:"to,omitempty"`
	Text      string `json:"text,omitempty"`
	URI       string `json:"uri,omitempty"`

	Tool       *toolEvent `json:"tool,omitempty"`
	ToolCallID string     `json:"toolCallId,omitempty"`

	Terminal string `json:"terminal,omitempty"`
	Replaces bool   `json:"replaces,omitempty"`
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

	Limit *limitEvent      `json:"limit,omitempty"`
	Usage *event.TurnUsage `json:"usage,omitempty"`

	Severity   string   `json:"severity,omitempty"`
	State      string   `json:"state,omitempty"`
	StopReason string   `json:"stopReason,omitempty"`
	Error      string   `json:"error,omitempty"`
	Stderr     []string `json:"stderr,omitempty"`
	Code       *int     `json:"code,omitempty"`
	Seconds    float64  `json:"seconds,omitempty"`
	Background int      `json:"background,omitempty"` // tasks
}

// tokensOf returns what the turns of a session took, nil if the agent has not reported it.
func tokensOf(t *thread.Thread) *event.TurnUsage {
	if t.Spent == (event.TurnUsage{}) {
		return nil
	}
	return &t.Spent
}

// limitEvent is what the agent says about a limit of its account.
type limitEvent struct {
	Status      string     `json:"status"`
	Type        string     `json:"type,omitempty"`
	Utilization float64    `json:"utilization,omitempty"`
	ResetsAt    *time.Time `json:"resetsAt,omitempty"`
}

func limitOf(l *event.RateLimit) *limitEvent {
	if l == nil {
		return nil
	}
	out := &limitEvent{Status: l.Status, Type: l.Type, Utilization: l.Utilization}
	if at := l.ResetsAt.UTC(); !l.ResetsAt.IsZero() {
		out.ResetsAt = &at
	}
	return out
}

// toolEvent is the state of a tool call, with everything that the screen shows.
type toolEvent struct {
	ID          string            `json:"id"`
	Session     string            `json:"session,omitempty"` // the sub-agent's that made it
	Title       string            `json:"title"`
	Kind        string            `json:"kind"`
	Status      string            `json:"status"`
	Locations   []string          `json:"locations,omitempty"`
	Diffs       []diffEvent       `json:"diffs,omitempty"`
	Unread      string            `json:"unread,omitempty"` // the part of a patch that could not be parsed
	Output      string            `json:"output,omitempty"`
	Truncated   bool              `json:"truncated,omitempty"` // Output is incomplete
	ExitCode    *int              `json:"exitCode,omitempty"`
	Signal      string            `json:"signal,omitempty"`
	Attachments []attachmentEvent `json:"attachments,omitempty"`
	Terminals   []string          `json:"terminals,omitempty"`
	RawInput    string            `json:"rawInput,omitempty"`
	RawOutput   string            `json:"rawOutput,omitempty"`
}

// diffEvent is a change of a file, or of its lines from Line on.
type diffEvent struct {
	Path      string `json:"path"`
	OldPath   string `json:"oldPath,omitempty"`
	Operation string `json:"operation,omitempty"`
	FileType  string `json:"fileType,omitempty"`
	Line      int    `json:"line,omitempty"`
	Old       string `json:"old"`
	New       string `json:"new"`
}

type attachmentEvent struct {
	Name     string `json:"name,omitempty"`
	URI      string `json:"uri,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
	Bytes    int    `json:"bytes,omitempty"`
}

type planEvent struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

// maxURL bounds a printed URL, in cells.
const maxURL = 2000

var roleName = map[event.Role]string{event.Agent: "agent", event.User: "user", event.Thought: "thought"}

// said returns a text that an update may omit.
func said(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// encoder makes the JSON form of events, for both formats.
type encoder struct {
	dir  string            // of the session; names in patches are relative to it
	part map[string][]byte // incomplete character at the end of the output, by terminal
}

// event returns the JSON form of an event. It reports false if there is none.
func (c *encoder) event(e event.Event, t *thread.Thread) (jsonEvent, bool) {
	switch e := e.(type) {
	case event.TextArrived:
		return jsonEvent{Type: "text", Role: roleName[e.Role], MessageID: e.MessageID, Text: e.Text}, true
	case event.MessageReplaced:
		if !e.KeepContent {
			return jsonEvent{Type: "message", Role: roleName[e.Role], MessageID: e.MessageID, Text: e.Text}, true
		}
	case event.ElicitationAsked:
		return jsonEvent{Type: "elicitation", Text: e.Message, URI: safetext.Line(e.URL, maxURL), Decision: "decline"}, true
	case event.ContentArrived:
		return jsonEvent{Type: "content", Role: roleName[e.Role], MessageID: e.MessageID, Text: e.Content.Text, URI: e.Content.URI}, true
	case event.ToolChanged:
		return c.toolEvent(e.ID, t)
	case event.ToolExamined:
		return c.toolEvent(e.ID, t)
	case event.TerminalStarted:
		return jsonEvent{Type: "terminal", Terminal: e.ID, Text: e.Command, Cwd: e.Cwd}, true
	case event.TerminalChanged:
		if term := t.Terminal(e.ID); e.Command != nil || e.Cwd != nil {
			return jsonEvent{Type: "terminal", Terminal: e.ID, Text: term.Command, Cwd: term.Cwd}, true
		}
	case event.TerminalOutput:
		text := c.whole(e.ID, e.Data)
		return jsonEvent{Type: "terminal_output", Terminal: e.ID, Text: text}, text != ""
	case event.TerminalReplaced:
		delete(c.part, e.ID)
		return jsonEvent{Type: "terminal_output", Terminal: e.ID, Text: string(e.Data), Replaces: true}, true
	case event.TerminalExited:
		return jsonEvent{Type: "terminal_exit", Terminal: e.ID, ExitCode: e.Code, Signal: e.Signal}, !e.Cleared
	case event.PlanChanged:
		return jsonEvent{Type: "plan", Plan: planOf(e.Entries), Text: e.Markdown}, true
	case event.SubagentChanged:
		return jsonEvent{Type: "subagent", Session: e.ID, Subject: said(e.Title), Text: said(e.Description), State: said(e.State), StopReason: e.StopReason}, true
	case event.SessionMessage:
		return jsonEvent{Type: "session_message", MessageID: e.ID, From: e.From, To: e.To, Text: e.Text, Replaces: e.Replaces}, true
	case event.PermissionAnswered:
		return jsonEvent{Type: "permission", Subject: e.Subject, Decision: e.Decision, By: e.By, Allowed: &e.Allowed}, true
	case event.UsageChanged:
		ev := jsonEvent{Type: "usage", Used: &e.Used, Size: &e.Size, Currency: e.Currency, Limit: limitOf(e.Limit)}
		if e.Currency != "" {
			ev.Cost = &e.Cost
		}
		return ev, true
	case event.NoticeArrived:
		return jsonEvent{Type: "notice", Severity: e.Severity, Subject: e.Title, Text: e.Description}, true
	case event.SessionInfoChanged:
		if e.Title != nil {
			return jsonEvent{Type: "title", Text: *e.Title}, true
		}
	case event.UnknownArrived:
		return jsonEvent{Type: "unknown", Subject: e.Kind, Text: e.JSON}, true
	}
	return jsonEvent{}, false
}

// toolEvent returns the state of a call as an event.
func (c *encoder) toolEvent(id string, t *thread.Thread) (jsonEvent, bool) {
	tool := t.Tool(id)
	if tool == nil {
		return jsonEvent{}, false
	}
	return jsonEvent{Type: "tool", Tool: c.tool(tool, t)}, true
}

// whole returns output up to the last complete character. The rest is returned with the
// next piece.
func (c *encoder) whole(id string, data []byte) string {
	data = append(c.part[id], data...)
	end := len(data)
	for i := 1; i < utf8.UTFMax && i <= len(data); i++ {
		if last := data[len(data)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				end = len(data) - i
			}
			break
		}
	}
	if c.part == nil {
		c.part = map[string][]byte{}
	}
	c.part[id] = bytes.Clone(data[end:])
	return string(data[:end])
}

func planOf(entries []event.PlanEntry) []planEvent {
	out := []planEvent{}
	for _, p := range entries {
		out = append(out, planEvent{p.Content, p.Status})
	}
	return out
}

func startEvent(agent string, a event.AgentInfo, session, cwd string) jsonEvent {
	return jsonEvent{Type: "start", Agent: agent, Version: a.Version, Protocol: a.ProtocolVersion, Session: session, Cwd: cwd}
}

func deniedOf(q permissions.Question) jsonEvent {
	return jsonEvent{Type: "denied", Subject: subject(q), Flag: hint(q)}
}

func unaskedOf(t *thread.Tool, by *thread.Subagent) jsonEvent {
	return jsonEvent{Type: "unasked", ToolCallID: t.ID, Subject: did(t), Text: t.Trust.String()}.by(by)
}

// by returns the event as one of a sub-agent, unless that is nil.
func (e jsonEvent) by(s *thread.Subagent) jsonEvent {
	if s != nil {
		e.Session, e.Parent = s.ID, s.Parent()
		if e.Tool != nil {
			e.Tool.Session = s.ID
		}
	}
	return e
}

func endEvent(reason string, err error, code int, took time.Duration, t *thread.Thread) jsonEvent {
	e := jsonEvent{Type: "end", Usage: tokensOf(t), Background: t.InBackground(), StopReason: reason, Code: &code, Seconds: float64(took.Milliseconds()) / 1000}
	if err != nil {
		e.Error, e.Stderr = err.Error(), stderrOf(err)
	}
	return e
}
