package acpclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/acpclient"
	"parley/acpclient/acptest"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/acpclient/transport"
	"parley/internal/must"
)

// v2Agent is the other end of a connection. It gives prepared answers, records what it
// receives, and sends what the test says.
type v2Agent struct {
	t    *testing.T
	conn transport.Conn

	mu      sync.Mutex
	answers map[string]string // by method: a result, or "error CODE DATA"; "" means none
	sent    []rpc
	done    chan struct{}
}

const v2Hello = `{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{"prompt":{"image":{}},"mcp":{"stdio":{}},"delete":{}}}}`

func newV2Agent(t *testing.T, answers map[string]string) (*v2Agent, transport.Conn) {
	a := &v2Agent{t: t, done: make(chan struct{}), answers: map[string]string{
		"initialize": v2Hello, "session/new": `{"sessionId":"s"}`, "session/resume": `{}`, "session/close": `{}`, "session/list": `{"sessions":[]}`,
		"session/delete": `{}`, "tool_call/cancel": `{}`, "terminal/cancel": `{}`, "auth/login": `{}`, "auth/logout": `{}`}}
	maps.Copy(a.answers, answers)
	var ours transport.Conn
	ours, a.conn = transport.Pipe()
	go a.run()
	t.Cleanup(func() {
		a.conn.Close()
		<-a.done
		checkSentV2(t, a.sent)
	})
	return a, ours
}

func (a *v2Agent) run() {
	defer close(a.done)
	for {
		data, err := a.conn.Recv()
		if err != nil {
			return
		}
		m := decode(bytes.Clone(data))
		a.mu.Lock()
		a.sent = append(a.sent, m)
		answer := a.answers[m.Method]
		a.mu.Unlock()
		if m.Method == "" || m.ID == nil || answer == "" {
			continue
		}
		for line := range strings.SplitSeq(answer, "\n") { // lines before the answer
			switch {
			case strings.HasPrefix(line, "error "):
				code, data, _ := strings.Cut(line[6:], " ")
				a.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"no","data":%s}}`, m.ID, code, data))
			case strings.HasPrefix(line, `{"sessionUpdate"`):
				a.update(line)
			default:
				a.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, line))
			}
		}
	}
}

// say sends lines.
func (a *v2Agent) say(lines ...string) {
	for _, l := range lines {
		a.conn.Send(transport.Message{Data: []byte(l)})
	}
}

// update sends updates of the session s.
func (a *v2Agent) update(updates ...string) {
	for _, u := range updates {
		a.say(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + u + `}}`)
	}
}

// got returns the messages received with a method; the answers for "".
func (a *v2Agent) got(method string) (out []rpc) {
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range a.sent {
		if m.Method == method {
			out = append(out, m)
		}
	}
	return out
}

// answer answers the n-th request of a method.
func (a *v2Agent) answer(method string, n int, rest string) {
	a.t.Helper()
	got := a.got(method)
	if len(got) <= n {
		a.t.Fatalf("%s was sent %d times", method, len(got))
	}
	a.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, got[n].ID, rest))
}

// v2Talk is a client with one session and what a front end would have.
type v2Talk struct {
	*v2Agent
	client  *acpclient.Client
	session *acpclient.Session
	queue   *event.Queue
	log     *event.Log
	asks    *askList
	thread  *thread.Thread
	events  []event.Event
	tapped  []acptest.Tapped
}

// talkV2 runs a test in a bubble with an agent of v2.
func talkV2(t *testing.T, answers map[string]string, test func(*testing.T, *v2Talk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a, conn := newV2Agent(t, answers)
		k := &v2Talk{v2Agent: a, queue: event.NewQueue(), log: event.NewLog(), asks: &askList{}, thread: thread.New("s")}
		k.client = must.Get(acpclient.Connect(t.Context(), conn, acpclient.Options{Name: "parley", Version: "0", Protocol: "2", Sink: k.queue, Log: k.log,
			Services: acpclient.Services{Permissions: k.asks}, Tap: k.tap}))(t)
		defer k.client.Close()
		k.session = must.Get(k.client.NewSession(t.Context(), acpclient.NewSession{Cwd: "/w"}))(t)
		test(t, k)
		k.settle()
		k.checkReplay()
	})
}

// update sends updates of the session after parley's messages have arrived and before it
// sends more, because a log does not show how two messages cross.
func (k *v2Talk) update(updates ...string) {
	synctest.Wait()
	k.v2Agent.update(updates...)
	synctest.Wait()
}

// say sends lines, as update does.
func (k *v2Talk) say(lines ...string) {
	synctest.Wait()
	k.v2Agent.say(lines...)
	synctest.Wait()
}

// answer answers a request, as update does.
func (k *v2Talk) answer(method string, n int, rest string) {
	k.t.Helper()
	k.v2Agent.answer(method, n, rest)
	synctest.Wait()
}

func (k *v2Talk) tap(out bool, n uint64, data []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tapped = append(k.tapped, acptest.Tapped{At: time.Now(), Out: out, N: n, Data: bytes.Clone(data)})
}

// checkReplay compares the thread with a replay of what the tap has seen, at the end of
// every test.
func (k *v2Talk) checkReplay() {
	k.mu.Lock()
	defer k.mu.Unlock()
	var over error
	for _, e := range k.events {
		if e, ok := e.(event.Disconnected); ok {
			over = e.Err
		}
	}
	checkReplay(k.t, "s", 0, threadOf("s", k.events), over, k.tapped)
}

// settle waits until all goroutines are idle and applies the events.
func (k *v2Talk) settle() []event.Event {
	synctest.Wait()
	events := k.queue.Drain()
	for _, e := range events {
		if _, over := e.(event.Disconnected); over || e.EventSession() == "s" || k.thread.Subagent(e.EventSession()) != nil {
			k.thread.Apply(e)
		}
	}
	k.events = append(k.events, events...)
	return events
}

// lines returns the messages and attachments of the thread.
func (k *v2Talk) lines() string {
	k.settle()
	var out []string
	for _, it := range k.thread.Items {
		switch {
		case it.Kind == thread.UserMessage:
			out = append(out, "user "+string(it.Text))
		case it.Kind == thread.AgentMessage:
			out = append(out, "agent "+string(it.Text))
		case it.Kind == thread.ThoughtMessage:
			out = append(out, "thought "+string(it.Text))
		case it.Kind == thread.Attachment && !it.Blank():
			out = append(out, "attachment "+it.Attachment.URI)
		}
	}
	return strings.Join(out, " | ")
}

// ends returns the turns that have ended.
func (k *v2Talk) ends() (out []event.TurnEnded) {
	k.settle()
	for _, e := range k.events {
		if e, ok := e.(event.TurnEnded); ok {
			out = append(out, e)
		}
	}
	return out
}

func (k *v2Talk) wantLines(want string) {
	k.t.Helper()
	if got := k.lines(); got != want {
		k.t.Errorf("the thread says\n%s\nwant\n%s", got, want)
	}
}

func (k *v2Talk) wantState(want thread.State) {
	k.t.Helper()
	if k.settle(); k.thread.State != want {
		k.t.Errorf("state %v, want %v", k.thread.State, want)
	}
}

// askList is acpclient.Permissions.
type askList struct {
	mu   sync.Mutex
	open []*askedOne
}

type askedOne struct {
	acpclient.Question
	key  uint64
	done chan acpclient.Decision
}

func (l *askList) Ask(q acpclient.Question) acpclient.PendingQuestion {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := &askedOne{q, uint64(len(l.open) + 1), make(chan acpclient.Decision, 1)}
	l.open = append(l.open, a)
	return a
}

func (l *askList) CancelSession(string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.open {
		select {
		case a.done <- acpclient.Decision{Cancelled: true}:
		default:
		}
	}
}

func (a *askedOne) Key() uint64 { return a.key }

func (a *askedOne) Judge() {}

func (a *askedOne) Wait(ctx context.Context) acpclient.Decision {
	select {
	case d := <-a.done:
		return d
	case <-ctx.Done():
		return acpclient.Decision{Cancelled: true}
	}
}

var loadSchemaV2 = sync.OnceValues(func() (*schemaV1, error) {
	data, err := os.ReadFile(filepath.Join(shared("ACP_SCHEMA_DIR", "schema"), "v2", "schema.json"))
	if err != nil {
		return nil, err
	}
	s := &schemaV1{compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return s, s.compiler.AddResource("acp.json", doc)
})

// validV2 validates against a definition of v2. Members are checked if the definition
// lists them all.
func validV2(s *schemaV1, def string, value json.RawMessage) error {
	if err := s.validate(def, value); err != nil && !strings.HasPrefix(err.Error(), def+" knows no member") {
		return err
	}
	var members map[string]json.RawMessage
	json.Unmarshal(value, &members)
	for key := range members {
		if _, listed := s.Defs[def].Properties[key]; !listed && s.Defs[def].Properties != nil && !slices.Contains([]string{"type", "value"}, key) {
			return fmt.Errorf("%s knows no member %s", def, key)
		}
	}
	return nil
}

// checkSentV2 validates the client's messages, unless it began with v1.
func checkSentV2(t *testing.T, sent []rpc) {
	s, err := loadSchemaV2()
	if err != nil {
		return // TestSchemaV2 says so
	}
	for _, m := range sent {
		def, value := "", m.Params
		switch {
		case m.Method == "initialize" && !bytes.Contains(m.Params, []byte(`"protocolVersion":2`)):
			return
		case m.Method != "" && m.ID != nil:
			def = s.definition("agent", m.Method, "Request")
		case m.Method != "":
			def = s.definition("agent", m.Method, "Notification")
		case m.Error != nil:
			def, value = "Error", m.Error
		default: // parley serves nothing else
			def, value = "RequestPermissionResponse", m.Result
		}
		if def == "" {
			t.Errorf("no schema of v2 has %s", m.Method)
		} else if err := validV2(s, def, value); err != nil {
			t.Errorf("the client sent %s %s: %v", m.Method, value, err)
		}
	}
}
