package headless

import (
	"hash/maphash"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/permissions"
)

// streamPrinter writes one object per event (-o stream-json).
type streamPrinter struct {
	agent   string
	stream  jsonStream
	encode  encoder
	seed    maphash.Seed
	printed map[string]uint64 // hash of the object last printed for a tool call
}

func (p *streamPrinter) connected(event.AgentInfo) {}

func (p *streamPrinter) started(a event.AgentInfo, session, cwd string) {
	p.encode.dir, p.seed, p.printed = cwd, maphash.MakeSeed(), map[string]uint64{}
	p.stream.write(startEvent(p.agent, a, session, cwd))
}

func (p *streamPrinter) event(e event.Event, t *thread.Thread) {
	if ev, ok := p.encode.event(e, t); ok {
		p.write(ev)
	}
}

func (p *streamPrinter) subagent(e event.Event, s *thread.Subagent) {
	if ev, ok := p.encode.event(e, s.Thread); ok {
		p.write(ev.by(s))
	}
}

// write writes an event, unless it repeats the object last printed for a tool call.
func (p *streamPrinter) write(ev jsonEvent) {
	line := encodeLine(ev)
	if tool := ev.Tool; tool != nil {
		hash := maphash.Bytes(p.seed, line)
		call := tool.Session + " " + tool.ID
		if p.printed[call] == hash {
			return
		}
		p.printed[call] = hash
	}
	p.stream.writeLine(line)
}

func (p *streamPrinter) denied(q permissions.Question) { p.stream.write(deniedOf(q)) }

func (p *streamPrinter) remark(string) {}

func (p *streamPrinter) unasked(t *thread.Tool, by *thread.Subagent) {
	p.stream.write(unaskedOf(t, by))
}

// ended first prints tool calls that have changed since they were last printed, because
// output may arrive later.
func (p *streamPrinter) ended(reason string, err error, code int, took time.Duration, t *thread.Thread) {
	for by, it := range t.Calls {
		p.write(jsonEvent{Type: "tool", Tool: p.encode.tool(it.Tool, t.Of(by))}.by(by))
	}
	p.stream.write(endEvent(reason, err, code, took, t))
}

// jsonPrinter makes one object at the end (-o json).
type jsonPrinter struct {
	done         func(Result)
	note         func(line string) // for stderr
	encode       encoder
	start        jsonEvent
	permissions  []jsonEvent
	notices      []jsonEvent
	refused      []jsonEvent
	unaskedTools []jsonEvent
}

// Result is the object of -o json, which docs/run.md describes.
type Result struct {
	Agent       string           `json:"agent"`
	Version     string           `json:"version,omitempty"`
	Session     string           `json:"session"`
	Cwd         string           `json:"cwd"`
	Answer      string           `json:"answer"`
	Thoughts    string           `json:"thoughts,omitempty"`
	Tools       []*toolEvent     `json:"tools"`
	Plan        []planEvent      `json:"plan,omitempty"`
	PlanText    string           `json:"planText,omitempty"`
	Notices     []jsonEvent      `json:"notices,omitempty"`
	Permissions []jsonEvent      `json:"permissions,omitempty"`
	Denied      []jsonEvent      `json:"denied,omitempty"`
	Unasked     []jsonEvent      `json:"unasked,omitempty"`
	Used        uint64           `json:"used,omitempty"`
	Size        uint64           `json:"size,omitempty"`
	Cost        *float64         `json:"cost,omitempty"`
	Currency    string           `json:"currency,omitempty"`
	Usage       *event.TurnUsage `json:"usage,omitempty"`
	Limit       *limitEvent      `json:"limit,omitempty"`
	StopReason  string           `json:"stopReason,omitempty"`
	Error       string           `json:"error,omitempty"`
	Stderr      []string         `json:"stderr,omitempty"`
	Code        int              `json:"code"`
	Seconds     float64          `json:"seconds"`
	Background  int              `json:"background,omitempty"`
}

func newJSONPrinter(agent string, note func(string), done func(Result)) *jsonPrinter {
	return &jsonPrinter{done: done, note: note, start: jsonEvent{Agent: agent}}
}

func (p *jsonPrinter) connected(a event.AgentInfo) {
	p.start.Version = a.Version
}

func (p *jsonPrinter) started(a event.AgentInfo, session, cwd string) {
	p.start, p.encode.dir = startEvent(p.start.Agent, a, session, cwd), cwd
}

func (p *jsonPrinter) event(e event.Event, t *thread.Thread) {
	switch e := e.(type) {
	case event.PermissionAnswered:
		ev, _ := p.encode.event(e, t)
		p.permissions = append(p.permissions, ev)
	case event.NoticeArrived:
		ev, _ := p.encode.event(e, t)
		p.notices = append(p.notices, ev)
	case event.ElicitationAsked:
		p.note(declinedLine(e))
	}
}

func (p *jsonPrinter) subagent(e event.Event, s *thread.Subagent) {
	switch e := e.(type) {
	case event.PermissionAnswered:
		ev, _ := p.encode.event(e, s.Thread)
		p.permissions = append(p.permissions, ev.by(s))
	case event.NoticeArrived:
		ev, _ := p.encode.event(e, s.Thread)
		p.notices = append(p.notices, ev.by(s))
	}
}

func (p *jsonPrinter) denied(q permissions.Question) {
	p.refused = append(p.refused, deniedOf(q))
	p.note(deniedLine(q))
}

func (p *jsonPrinter) remark(line string) { p.note(line) }

func (p *jsonPrinter) unasked(t *thread.Tool, by *thread.Subagent) {
	p.unaskedTools = append(p.unaskedTools, unaskedOf(t, by))
	p.note(unaskedLine(t, by))
}

func (p *jsonPrinter) ended(reason string, err error, code int, took time.Duration, t *thread.Thread) {
	end := endEvent(reason, err, code, took, t)
	r := Result{Agent: p.start.Agent, Version: p.start.Version, Session: p.start.Session, Cwd: p.start.Cwd, Permissions: p.permissions,
		Denied: p.refused, Unasked: p.unaskedTools, StopReason: reason, Error: end.Error, Stderr: end.Stderr, Code: code, Seconds: end.Seconds, Tools: []*toolEvent{}}
	for _, it := range t.Items {
		switch it.Kind {
		case thread.AgentMessage:
			r.Answer = joined(r.Answer, string(it.Text))
		case thread.ThoughtMessage:
			r.Thoughts = joined(r.Thoughts, string(it.Text))
		}
	}
	for by, it := range t.Calls {
		r.Tools = append(r.Tools, jsonEvent{Tool: p.encode.tool(it.Tool, t.Of(by))}.by(by).Tool)
	}
	r.Plan, r.Notices = planOf(t.Plan), p.notices
	for _, plan := range t.Plans {
		r.PlanText = joined(r.PlanText, plan.Markdown)
	}
	r.Used, r.Size, r.Usage, r.Limit = t.Usage.Used, t.Usage.Size, end.Usage, limitOf(t.Usage.Limit)
	r.Background = end.Background
	if t.Usage.Currency != "" {
		r.Cost, r.Currency = &t.Usage.Cost, t.Usage.Currency
	}
	p.done(r)
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n\n" + b
}
