package headless

import (
	"strings"
	"testing"

	"parley/internal/fakeagent"
)

// A call of a sub-agent does not divide a message of the agent.
func TestSubagentBesideMessage(t *testing.T) {
	t.Parallel()
	play(t, does(func(t *fakeagent.Turn) string {
		t.Update(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Find it","state":{"state":"idle"}}`)
		t.Update(chunk("m", "hel"))
		t.Agent.Update("kid", `{"sessionUpdate":"tool_call","toolCallId":"c","title":"Look","kind":"read","status":"completed"}`)
		t.Update(chunk("m", "lo"))
		return "end_turn"
	}), "go").expect(t, ExitDone, "hello\n", "parley: sub-agent Find it: [read] Look: completed\n")
}

// What a sub-agent asks is answered like what the agent asks, and what it does is reported as its own
// (case 196).
func TestSubagents(t *testing.T) {
	t.Parallel()
	steps := does(func(t *fakeagent.Turn) string {
		t.Update(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Find it","state":{"state":"running"}}`)
		for _, update := range []string{
			`{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"s1","recipientSessionId":"kid","content":[{"type":"text","text":"look"}]}`,
			chunk("k", "I look."),
			`{"sessionUpdate":"tool_call","toolCallId":"c","title":"Remove","kind":"execute","status":"completed","rawInput":{"command":"rm -rf x"}}`,
		} {
			t.Agent.Update("kid", update)
		}
		t.Agent.Ask(t.Ctx, "kid", `{"toolCallId":"d","title":"Run","kind":"execute","rawInput":{"command":"ls"}}`, `[{"optionId":"n","name":"No","kind":"reject_once"}]`)
		t.Update(chunk("m", "found"))
		return "end_turn"
	})
	r := play(t, steps, "go")
	if r.code != ExitDenied || !strings.HasSuffix(r.out, "found\n") || strings.Contains(r.out, "I look") {
		t.Errorf("code %d, %q", r.code, r.out)
	}
	for _, want := range []string{"parley: sub-agent Find it: [execute] Remove: completed\n", "parley: rm -rf x: ran without asking (sub-agent Find it)\n", ": ls\nparley: sub-agent Find it: ls: rejected (--deny-all)\n"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("stderr has no %q: %q", want, r.stderr)
		}
	}
	streamed := play(t, steps, "go", format("stream-json")).out
	for _, want := range []string{`{"type":"text","session":"kid","parent":"s1","role":"agent"`, `{"type":"tool","session":"kid","parent":"s1","tool":{"id":"c","session":"kid"`, `{"type":"unasked","session":"kid","parent":"s1"`, `{"type":"permission","session":"kid","parent":"s1"`} {
		if !strings.Contains(streamed, want) {
			t.Errorf("stream-json has no %s: %s", want, streamed)
		}
	}
	whole := decodeResult(t, play(t, steps, "go", format("json")).out)
	if len(whole.Tools) != 2 || whole.Tools[0].Session != "kid" || len(whole.Unasked) != 1 || whole.Unasked[0].Session != "kid" || strings.Contains(whole.Answer, "I look") {
		t.Errorf("got %+v", whole)
	}
}
