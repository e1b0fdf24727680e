package acpclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	"parley/internal/must"
)

// v2Talk is a client with one session and what a front end would have.
type v2Talk struct {
	*wireAgent
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
		k := &v2Talk{wireAgent: a, queue: event.NewQueue(), log: event.NewLog(), asks: &askList{}, thread: thread.New("s")}
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
	k.wireAgent.update(updates...)
	synctest.Wait()
}

// say sends lines, as update does.
func (k *v2Talk) say(lines ...string) {
	synctest.Wait()
	k.wireAgent.say(lines...)
	synctest.Wait()
}

// answer answers a request, as update does.
func (k *v2Talk) answer(method string, n int, rest string) {
	k.t.Helper()
	k.wireAgent.answer(method, n, rest)
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
