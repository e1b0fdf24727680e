package acpclient_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/must"
)

// restless is an agent of v1 that says things without being asked.
type restless struct {
	*wireAgent
	queue   *event.Queue
	client  *acpclient.Client
	session *acpclient.Session
	thread  *thread.Thread
	ends    []event.TurnEnded
}

// claudeCan is what an agent answers to initialize that can do all that parley asks for.
const claudeCan = `{"loadSession":true,"auth":{"status":{}},"sessionCapabilities":{"list":{},"title":{},"archive":{},"status":{},"systemPrompt":{}}}`

// withRestless runs a test with an agent of v1. answers are its results by method.
func withRestless(t *testing.T, name string, answers map[string]string, test func(r *restless)) {
	synctest.Test(t, func(t *testing.T) {
		all := map[string]string{
			"initialize":     fmt.Sprintf(`{"protocolVersion":1,"agentCapabilities":%s,"agentInfo":{"name":%q,"version":"1"},"_meta":{"steering":{"supported":true}}}`, claudeCan, name),
			"session/new":    `{"sessionId":"s"}`,
			"session/prompt": `{"stopReason":"end_turn"}`,
			"session/load":   `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":` + hello + `}}` + "\n{}",
		}
		maps.Copy(all, answers)
		a, conn := newWireAgent(t, all)
		r := &restless{wireAgent: a, queue: event.NewQueue(), thread: thread.New("s")}
		r.client = must.Get(acpclient.Connect(t.Context(), conn, acpclient.Options{Sink: r.queue}))(t)
		defer func() { r.client.Close(); synctest.Wait() }()
		r.session = must.Get(r.client.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"}))(t)
		test(r)
	})
}

func (r *restless) says(updates ...string) {
	r.update(updates...)
	r.settle()
}

// last is the last message that the agent has got.
func (r *restless) last() string {
	r.settle()
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.sent[len(r.sent)-1]
	return fmt.Sprintf("%q %s", m.Method, m.Params)
}

func (r *restless) prompt() error {
	err := r.session.Prompt(event.Block{Text: "go"})
	r.settle()
	return err
}

func (r *restless) settle() []event.Event {
	synctest.Wait()
	events := r.queue.Drain()
	for _, e := range events {
		r.thread.Apply(e)
		if e, ok := e.(event.TurnEnded); ok {
			r.ends = append(r.ends, e)
		}
	}
	return events
}

// shown is the conversation, one line for each item.
func (r *restless) shown() (all []string) {
	for _, it := range r.thread.Items {
		switch it.Kind {
		case thread.TurnEnd:
			all = append(all, "end: "+it.End.StopReason)
		case thread.ToolCall:
			all = append(all, it.Tool.Title)
		default:
			all = append(all, string(it.Text))
		}
	}
	return all
}

const (
	hello = `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"The build is green."}}`
	mark  = `{"sessionUpdate":"usage_update","used":5,"size":10,"_meta":{"_claude/origin":{"kind":"task-notification"}}}`
)

// case 207: what claude says outside a turn begins one, which its mark ends.
func TestOwnTurn(t *testing.T) {
	withRestless(t, "@agentclientprotocol/claude-agent-acp", nil, func(r *restless) {
		r.prompt()
		r.says(`{"sessionUpdate":"tool_call_update","toolCallId":"old","status":"completed"}`)
		if r.session.Running() {
			t.Error("an update of an earlier call began a turn")
		}
		r.says(hello, `{"sessionUpdate":"tool_call","toolCallId":"c","title":"Look","kind":"read"}`)
		if !r.session.Running() || r.thread.State != thread.Running || r.thread.Turn != 2 {
			t.Fatalf("running %v, %s, turn %d", r.session.Running(), r.thread.State, r.thread.Turn)
		}
		if err := r.prompt(); !errors.Is(err, acpclient.ErrTurnRunning) {
			t.Errorf("a prompt meanwhile: %v", err)
		}
		r.says(`{"sessionUpdate":"usage_update","used":5,"size":10}`, `{"sessionUpdate":"usage_update","used":5,"size":10,"_meta":{"_claude/origin":{"kind":"human"}}}`)
		if !r.session.Running() {
			t.Error("another report of the usage ended the turn")
		}
		r.says(mark)
		if r.session.Running() || r.thread.State != thread.Idle {
			t.Errorf("running %v, %s", r.session.Running(), r.thread.State)
		}
		want := []string{"go", "end: end_turn", "", "the agent began this turn by itself: a background task has ended", "The build is green.", "Look", "end: end_turn"}
		if got := r.shown(); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		if err := r.prompt(); err != nil {
			t.Errorf("afterwards: %v", err)
		}
		r.says(mark) // the end of nothing
		if n := len(r.ends); n != 3 {
			t.Errorf("%d turns have ended", n)
		}
	})
}

// Stopping such a turn ends it at once, because no answer follows; what still comes belongs to it.
func TestOwnTurnStopped(t *testing.T) {
	withRestless(t, "@agentclientprotocol/claude-agent-acp", nil, func(r *restless) {
		r.says(hello)
		r.session.Cancel()
		r.settle()
		if r.session.Running() || len(r.ends) != 1 || r.ends[0].StopReason != "cancelled" || !strings.Contains(r.last(), "session/cancel") {
			t.Fatalf("running %v, ends %+v, sent %s", r.session.Running(), r.ends, r.last())
		}
		if r.says(hello); r.session.Running() {
			t.Error("its last words began another turn")
		}
		if r.says(mark, hello); !r.session.Running() {
			t.Error("after its mark the agent can begin no other turn")
		}
	})
}

// Other agents do not say when they have finished: what they say late begins nothing that would never end.
func TestLateWordsOfOthers(t *testing.T) {
	withRestless(t, "gemini-cli", nil, func(r *restless) {
		r.prompt()
		r.says(hello)
		if r.session.Running() || r.thread.State != thread.Idle || !strings.Contains(strings.Join(r.shown(), "\n"), "The build is green.") {
			t.Errorf("running %v, %s: %q", r.session.Running(), r.thread.State, r.shown())
		}
	})
}

// The history of a loaded session begins no turn.
func TestHistoryIsNoOwnTurn(t *testing.T) {
	withRestless(t, "claude-agent-acp", nil, func(r *restless) {
		s, err := r.client.LoadSession(r.t.Context(), "old", acpclient.NewSession{Cwd: "/"})
		if err != nil || s.Running() {
			t.Errorf("running, or %v", err)
		}
	})
}

// In v2 the agent reports that it works; without a prompt it has begun by itself.
func TestOwnTurnOfV2(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.update(running, `{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"Done."}}`)
		k.settle()
		if got := string(k.thread.Items[0].Text); got != "the agent began this turn by itself" {
			t.Errorf("it begins with %q", got)
		}
		k.update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)
		k.settle()
		before := len(k.thread.Items)
		k.update(running, `{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"from elsewhere"}]}`,
			`{"sessionUpdate":"agent_message_chunk","messageId":"n","content":{"type":"text","text":"Yes."}}`)
		k.settle()
		if got := string(k.thread.Items[before].Text); got != "from elsewhere" || len(k.thread.Items) != before+2 {
			t.Errorf("another client's prompt begins with %q", got)
		}
	})
}
