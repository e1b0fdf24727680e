package acpclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/must"
)

// generatedRig is an engine with one session, s1, and every service.
type generatedRig struct {
	*wireAgent
	schema *schemaV1
	log    *event.Log
	client *acpclient.Client
	events []event.Event // guarded by the agent's mu
}

func newGeneratedRig(t *testing.T) *generatedRig {
	t.Helper()
	a, conn := newWireAgent(t, nil)
	g := &generatedRig{wireAgent: a, schema: schema(t), log: event.NewLog()}
	services := agreeable{}
	c := must.Get(acpclient.Connect(t.Context(), conn, acpclient.Options{Name: "parley", Version: "0", Sink: g, Log: g.log,
		Services: acpclient.Services{FS: services, Terminals: services, Permissions: services}}))(t)
	g.client = c
	must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/project"}))(t)
	g.sent = nil
	return g
}

// Post implements event.Sink.
func (g *generatedRig) Post(e event.Event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.events = append(g.events, e)
}

// exchange sends messages, each followed by a valid update, and checks the results.
// first is the number of the first message.
func (g *generatedRig) exchange(first int, messages []generated) {
	for i, m := range messages {
		g.say(string(m.line), validNeighbour(first+i))
	}
	synctest.Wait()
	g.mu.Lock()
	events, sent := g.events, g.sent
	g.events, g.sent = nil, nil
	g.mu.Unlock()
	select {
	case <-g.client.Done():
		g.t.Fatalf("the connection is over: %v", g.client.Err())
	default:
	}
	lines, _ := g.log.Lines()
	for _, l := range lines {
		if strings.Contains(l.Text, "panic in") {
			g.t.Fatalf("the log says %s", l.Text)
		}
	}
	g.checkNeighbours(first, messages, events)
	g.checkAnswers(messages, sent)
}

// checkNeighbours expects each valid update as it was sent and in order. Events before
// it belong to the message that it followed.
func (g *generatedRig) checkNeighbours(first int, messages []generated, events []event.Event) {
	next, from := 0, 0
	for i, e := range events {
		e, ok := e.(event.TextArrived)
		if !ok || !strings.HasPrefix(e.MessageID, "sound-") {
			continue
		}
		n := first + next
		if next == len(messages) || e.MessageID != fmt.Sprintf("sound-%d", n) || e.Text != fmt.Sprintf("number %d", n) || e.Role != event.Agent {
			g.t.Fatalf("the update after %.2000s\nis %+v", messages[min(next, len(messages)-1)].line, e)
		}
		g.checkEvents(messages[next], events[from:i])
		next, from = next+1, i+1
	}
	if next != len(messages) {
		g.t.Fatalf("the update after %.2000s\nis lost", messages[next].line)
	}
}

// validEvents are the possible events of valid updates. Text may be swallowed whole.
var validEvents = map[string][]event.Event{
	"user_message_chunk":        {event.TextArrived{}, event.ContentArrived{}},
	"agent_message_chunk":       {event.TextArrived{}, event.ContentArrived{}},
	"agent_thought_chunk":       {event.TextArrived{}, event.ContentArrived{}},
	"tool_call":                 {event.ToolChanged{}},
	"tool_call_update":          {event.ToolChanged{}},
	"plan":                      {event.PlanChanged{}},
	"available_commands_update": {event.CommandsChanged{}},
	"current_mode_update":       {event.ModeChanged{}},
	"config_option_update":      {event.ConfigChanged{}},
	"session_info_update":       {event.SessionInfoChanged{}},
	"usage_update":              {event.UsageChanged{}},
	"notice":                    {event.NoticeArrived{}},
	"compaction_update":         {event.CompactionChanged{}},
	"compaction_summary_chunk":  {event.CompactionChanged{}},
}

// checkEvents checks the event of a valid update.
func (g *generatedRig) checkEvents(m generated, events []event.Event) {
	if m.method != "session/update" || !m.sound {
		return
	}
	if bytes.Contains(m.line, []byte(`"compactionId":""`)) {
		return // an empty name counts as none
	}
	events = slices.DeleteFunc(slices.Clone(events), func(e event.Event) bool {
		_, elsewhere := e.(event.PermissionAnswered) // posted when the answer is ready
		return elsewhere
	})
	want := validEvents[m.kind]
	right := slices.ContainsFunc(events, func(e event.Event) bool {
		return slices.ContainsFunc(want, func(w event.Event) bool { return reflect.TypeOf(e) == reflect.TypeOf(w) })
	})
	if !m.known && right {
		g.t.Fatalf("%.2000s\nbelongs to no session, but causes %+v", m.line, events)
	}
	if m.known && !right && (len(events) > 0 || !bytes.Contains(m.line, []byte(`"type":"text"`)) || !strings.HasSuffix(m.kind, "_chunk")) {
		g.t.Fatalf("%.2000s\nends as %+v", m.line, events)
	}
}

func (g *generatedRig) checkAnswers(messages []generated, sent []rpc) {
	answers := map[string][]rpc{}
	for _, m := range sent {
		if m.Method != "" || m.Version != "2.0" {
			g.t.Fatalf("the engine sent %+v", m)
		}
		answers[string(m.ID)] = append(answers[string(m.ID)], m)
	}
	cut := 0
	cancelled := map[string]bool{}
	for _, m := range messages {
		if m.cut {
			cut++
		}
		if p, ok := m.params.(map[string]any); ok && m.method == "$/cancel_request" {
			if id, ok := p["requestId"].(json.RawMessage); ok {
				cancelled[string(id)] = true
			}
		}
	}
	for _, m := range messages {
		if m.id == "" {
			continue
		}
		if n := len(answers[m.id]); n != 1 {
			g.t.Fatalf("%d answers to %.2000s", n, m.line)
		}
		g.checkAnswer(m, answers[m.id][0], cancelled[m.id])
		delete(answers, m.id)
	}
	if len(answers["null"]) > cut {
		g.t.Fatalf("%d messages were no JSON, and %d were called so", cut, len(answers["null"]))
	}
	for _, a := range answers["null"] {
		if code := codeOf(a); code != -32700 && code != -32600 {
			g.t.Fatalf("answered without an id: %s", a.Error)
		}
	}
	delete(answers, "null")
	for id, more := range answers {
		g.t.Fatalf("%d unexpected answers with id %s: %s %s", len(more), id, more[0].Result, more[0].Error)
	}
}

func codeOf(a rpc) int {
	var e struct{ Code int }
	json.Unmarshal(a.Error, &e)
	return e.Code
}

// checkAnswer checks the answer to one request.
func (g *generatedRig) checkAnswer(m generated, a rpc, cancelled bool) {
	unserved := notServed[m.kind] != "" || m.method != m.kind
	code := codeOf(a)
	var ok bool
	switch {
	case unserved:
		ok = code == -32601
	case g.mustRefuse(m):
		ok = code == -32602
	case a.Error == nil:
		ok = m.known || strings.HasPrefix(m.method, "terminal/")
		if err := g.schema.validate(g.schema.definition("client", m.method, "Response"), a.Result); err != nil {
			g.t.Fatalf("%.2000s\nis answered by %s: %v", m.line, a.Result, err)
		}
	case m.sound && m.known:
		ok = cancelled && code == -32800
	default:
		ok = code == -32602 || cancelled && code == -32800
	}
	if !ok {
		g.t.Fatalf("%.2000s\nis answered by result %s, error %s", m.line, a.Result, a.Error)
	}
}

// mustRefuse reports whether a request would touch this machine without saying clearly
// what it wants.
func (g *generatedRig) mustRefuse(m generated) bool {
	if m.sound || !strings.HasPrefix(m.method, "fs/") && !strings.HasPrefix(m.method, "terminal/") {
		return false
	}
	params, _ := json.Marshal(m.params)
	var members map[string]json.RawMessage
	if json.Unmarshal(params, &members) == nil {
		delete(members, "_meta") // its content does not count
		for _, list := range []string{"args", "env"} {
			if string(members[list]) == "null" { // the same as absent
				delete(members, list)
			}
		}
		params, _ = json.Marshal(members)
	}
	sent := decode(m.line).Params
	if sent == nil {
		return true
	}
	_, err := g.schema.parse(g.schema.definition("client", m.method, "Request"), params)
	return err != nil
}

// agreeable are services that do what they are asked.
type agreeable struct{}

func (agreeable) ReadTextFile(wire.ReadTextFileRequest) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return "text\n", nil }
}

func (agreeable) WriteTextFile(wire.WriteTextFileRequest) func(context.Context) error {
	return func(context.Context) error { return nil }
}

func (agreeable) Create(wire.CreateTerminalRequest) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return "t1", nil }
}

func (agreeable) Output(wire.TerminalRef) (wire.TerminalOutputResponse, error) {
	return wire.TerminalOutputResponse{Output: "out"}, nil
}

func (agreeable) WaitForExit(context.Context, wire.TerminalRef) (wire.ExitStatus, error) {
	code := 0
	return wire.ExitStatus{ExitCode: &code}, nil
}

func (agreeable) Kill(wire.TerminalRef) error    { return nil }
func (agreeable) Release(wire.TerminalRef) error { return nil }
func (agreeable) CancelSession(string)           {}

func (agreeable) Ask(q acpclient.Question) acpclient.PendingQuestion {
	if len(q.Options) == 0 {
		return chosen{Cancelled: true}
	}
	return chosen{OptionID: q.Options[0].ID, By: "you"}
}

// chosen is a question that is already answered.
type chosen acpclient.Decision

func (c chosen) Key() uint64                             { return 1 }
func (c chosen) Judge()                                  {}
func (c chosen) Wait(context.Context) acpclient.Decision { return acpclient.Decision(c) }
