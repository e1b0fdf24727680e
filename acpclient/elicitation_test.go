package acpclient_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/must"
)

// asking is an agent with an open session that sends elicitations.
type asking struct {
	*wireAgent
	client  *acpclient.Client
	session *acpclient.Session
	queue   *event.Queue
}

func inAsking(t *testing.T, elicit bool, f func(*asking)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a, conn := newWireAgent(t, map[string]string{"session/new": `{"sessionId":"s"}`, "session/prompt": ""})
		k := &asking{wireAgent: a, queue: event.NewQueue()}
		k.client = must.Get(acpclient.Connect(t.Context(), conn, acpclient.Options{Sink: k.queue, Elicit: elicit}))(t)
		k.session = must.Get(k.client.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"}))(t)
		defer k.client.Close()
		f(k)
	})
}

// asks sends elicitation/create and returns the resulting event.
func (k *asking) asks(id, params string) *event.ElicitationAsked {
	k.say(`{"jsonrpc":"2.0","id":` + id + `,"method":"elicitation/create","params":` + params + `}`)
	synctest.Wait()
	for _, e := range k.queue.Drain() {
		if e, ok := e.(event.ElicitationAsked); ok {
			return &e
		}
	}
	return nil
}

// answered asserts the last answer to the agent.
func (k *asking) answered(id, part string) {
	k.t.Helper()
	got := k.got("")
	if len(got) == 0 {
		k.t.Fatalf("%s is not answered", id)
	}
	if m := got[len(got)-1]; string(m.ID) != id || !strings.Contains(string(m.Result)+string(m.Error), part) {
		k.t.Errorf("answered %s with %s%s, want %s in the answer to %s", m.ID, m.Result, m.Error, part, id)
	}
}

const (
	askForm = `{"sessionId":"s","mode":"form","message":"Name?\u001b[2J","requestedSchema":{"type":"object","properties":{"n":{"type":"string"}}}}`
	askPage = `{"sessionId":"s","mode":"url","message":"Log in","elicitationId":"e1","url":"https://example.com/x"}`
)

// Case 134: only advertised and known modes are served.
func TestCase134ElicitationModes(t *testing.T) {
	inAsking(t, false, func(k *asking) {
		if e := k.asks("1", askForm); e != nil {
			t.Errorf("asked though nothing was advertised: %+v", e)
		}
		k.answered("1", `"code":-32601`)
	})
	inAsking(t, true, func(k *asking) {
		for id, params := range map[string]string{"1": `{"sessionId":"s","mode":"_x","message":"m"}`, "2": `{"sessionId":"s","message":"m"}`,
			"3": `{"mode":"form","message":"m","requestedSchema":{}}`, "4": `{"sessionId":"s","mode":"form","message":"m"}`} {
			if e := k.asks(id, params); e != nil {
				t.Errorf("%s was asked", params)
			}
			k.answered(id, `"code":-32602`)
		}
	})
}

// Cases 135, 136: the user's answer reaches the agent, once.
func TestCase136ElicitationAnswers(t *testing.T) {
	for action, want := range map[string]string{"accept": `{"action":"accept","content":{"n":"Ada"}}`, "decline": `{"action":"decline"}`, "cancel": `{"action":"cancel"}`} {
		inAsking(t, true, func(k *asking) {
			e := k.asks("7", askForm)
			if e == nil || e.Message != "Name?" || e.URL != "" {
				t.Fatalf("asked %+v", e)
			}
			e.Answer(event.ElicitationAnswer{Action: action, Content: json.RawMessage(`{"n":"Ada"}`)})
			e.Answer(event.ElicitationAnswer{Action: "cancel"})
			k.answered("7", want)
		})
	}
}

// Case 137: a page is accepted without content, and its completion is reported once.
func TestCase137ElicitationPage(t *testing.T) {
	inAsking(t, true, func(k *asking) {
		e := k.asks("1", askPage)
		if e == nil || e.URL != "https://example.com/x" {
			t.Fatalf("asked %+v", e)
		}
		e.Answer(event.ElicitationAnswer{Action: "accept", Content: json.RawMessage(`{"never":1}`)})
		k.answered("1", `{"action":"accept"}`)
		for _, id := range []string{"unknown", "e1", "e1"} {
			k.say(`{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"` + id + `"}}`)
		}
		synctest.Wait()
		done := 0
		for _, ev := range k.queue.Drain() {
			if c, ok := ev.(event.ElicitationCompleted); ok && c.Key == e.Key {
				done++
			}
		}
		if done != 1 {
			t.Errorf("reported %d times that it is complete, want once", done)
		}
	})
}

// Case 139: an elicitation that belongs to a call is shown without a session.
func TestCase139ElicitationOfACall(t *testing.T) {
	inAsking(t, true, func(k *asking) {
		e := k.asks("1", `{"requestId":3,"mode":"form","message":"Code?","requestedSchema":{}}`)
		if e == nil || e.EventSession() != "" {
			t.Fatalf("asked %+v", e)
		}
		e.Answer(event.ElicitationAnswer{Action: "decline"})
		k.answered("1", `"decline"`)
	})
}

// The end of the turn, a withdrawal by the agent, and a turn that was cancelled before
// all cancel an elicitation.
func TestElicitationCancelled(t *testing.T) {
	inAsking(t, true, func(k *asking) {
		k.asks("1", askForm)
		k.say(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`)
		k.answered("1", `"cancel"`)

		k.session.Prompt(event.Block{Text: "x"})
		k.asks("4", askForm)
		k.session.Cancel()
		if n := len(k.got("session/cancel")); n != 1 {
			t.Errorf("cancelled %d times", n)
		}
		k.answered("4", `"cancel"`)
		if e := k.asks("5", askForm); e != nil {
			t.Error("asked in a cancelled turn")
		}
		k.answered("5", `"cancel"`)
	})
}
