package acpclient_test

import (
	"errors"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/must"
)

func (k *v2Talk) childAsks(id, child string) {
	k.say(`{"jsonrpc":"2.0","id":"` + id + `","method":"session/request_permission","params":{"sessionId":"` + child + `","title":"May I?","subject":{"type":"command","command":"rm -rf x","cwd":"/w"},` + options + `}}`)
	k.settle()
}

// cases 196, 200 and 201 in v2: sub-agents need no capability. What one asks is asked in the session that
// the user has opened, and ends with the turn of that, whatever runs in the background.
func TestSubagentsOfV2(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.session.Prompt(event.Block{Text: "go"})
		k.update(running, `{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Explore","state":{"state":"running"}}`)
		k.childAsks("first", "kid")
		if len(k.asks.open) != 1 || k.asks.open[0].Session != "s" || k.asks.open[0].Subagent != "Explore" {
			t.Fatalf("asked %+v", k.asks.open)
		}
		k.asks.open[0].done <- acpclient.Decision{OptionID: "y", By: "you"}
		if got := k.outcome("first"); got != `{"outcome":{"outcome":"selected","optionId":"y"}}` {
			t.Errorf("answered %s", got)
		}
		k.say(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"kid","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}`)
		k.settle()
		sub := k.thread.Subagent("kid")
		if sub == nil || sub.State() != "done" || len(k.ends()) != 0 || !k.session.Running() {
			t.Fatalf("the sub-agent is %+v, %d turns have ended", sub, len(k.ends()))
		}
		k.update(`{"sessionUpdate":"subagent_update","sessionId":"kid","state":null}`)
		k.settle()
		if sub = k.thread.Subagent("kid"); sub.State() != "unknown" {
			t.Errorf("an unconfirmed state is shown as %q", sub.State())
		}
		k.update(`{"sessionUpdate":"state_update","state":"running","background":[{"type":"tool_call","toolCallId":"c"}]}`)
		k.childAsks("second", "kid")
		k.session.Cancel()
		k.settle()
		if got := k.outcome("second"); got != `{"outcome":{"outcome":"cancelled"}}` {
			t.Errorf("after the cancel: %q", got)
		}
	})
}

// The sub-agents of a closed session are gone with it.
func TestSubagentsOfAClosedSession(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.update(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Explore"}`)
		must.Do(t, k.client.CloseSession(t.Context(), k.session))
		k.childAsks("late", "kid")
		if got := k.outcome("late"); len(k.asks.open) != 0 || got == "" || got == `{"outcome":{"outcome":"cancelled"}}` {
			t.Errorf("asked %d questions, answered %q", len(k.asks.open), got)
		}
	})
}

// case 198: a sub-agent is cancelled only if the agent allows it, by a cancel with its id.
func TestSubagentCancelled(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.update(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Explore"}`)
		k.settle()
		if err := k.session.CancelSubagent("kid"); !errors.Is(err, acpclient.ErrUnsupported) {
			t.Errorf("one that allows nothing: %v", err)
		}
		k.update(`{"sessionUpdate":"subagent_update","sessionId":"kid","capabilities":{"cancel":{}}}`)
		k.settle()
		if err := k.session.CancelSubagent("kid"); err != nil || !k.thread.Subagent("kid").Cancelable {
			t.Error(err)
		}
		k.settle()
		if got := k.got("session/cancel"); len(got) != 1 || !strings.Contains(string(got[0].Params), `"sessionId":"kid"`) {
			t.Errorf("sent %v", got)
		}
		k.update(`{"sessionUpdate":"subagent_update","sessionId":"kid","capabilities":null}`)
		k.settle()
		for _, id := range []string{"kid", "s", "nobody"} {
			if err := k.session.CancelSubagent(id); !errors.Is(err, acpclient.ErrUnsupported) {
				t.Errorf("%s: %v", id, err)
			}
		}
	})
}

// What a sub-agent is told is a message of its user, in pieces too; its answer is a message between sessions.
func TestMessagesToSubagents(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.update(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Explore","state":{"state":"running"}}`)
		in := func(session, update string) {
			k.say(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + session + `","update":` + update + `}}`)
		}
		in("kid", `{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"s","recipientSessionId":"kid"}`)
		in("kid", `{"sessionUpdate":"session_message_chunk","messageId":"m","content":{"type":"text","text":"look clo"}}`)
		in("kid", `{"sessionUpdate":"session_message_chunk","messageId":"m","content":{"type":"text","text":"sely"}}`)
		in("s", `{"sessionUpdate":"session_message","messageId":"r","senderSessionId":"kid","recipientSessionId":"s","content":[{"type":"text","text":"\u001b[31mfound"},{"type":"image","data":"","mimeType":"image/png"}]}`)
		k.settle()
		if kid := k.thread.Subagent("kid").Thread.Items; len(kid) != 1 || string(kid[0].Text) != "look closely" || kid[0].Kind != thread.UserMessage {
			t.Errorf("it was told %d items", len(kid))
		}
		if last := k.thread.Items[len(k.thread.Items)-1]; string(last.Text) != "message from sub-agent Explore: found[image]" {
			t.Errorf("it answered %q", last.Text)
		}
	})
}
