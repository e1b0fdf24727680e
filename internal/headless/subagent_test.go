package headless

import (
	"strings"
	"testing"
)

// What a sub-agent asks is answered like what the agent asks, and what it does is reported as its own
// (case 196).
func TestSubagents(t *testing.T) {
	t.Parallel()
	child := func(update string) string {
		return `out {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"kid","update":` + update + `}}`
	}
	steps := script("greet",
		`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Find it","state":{"state":"running"}}`,
		child(`{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"s","recipientSessionId":"kid","content":[{"type":"text","text":"look"}]}`),
		child(chunk("k", "I look.")),
		child(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"Remove","kind":"execute","status":"completed","rawInput":{"command":"rm -rf x"}}`),
		`request session/request_permission {"sessionId":"kid","toolCall":{"toolCallId":"d","title":"Run","kind":"execute","rawInput":{"command":"ls"}},"options":[{"optionId":"n","name":"No","kind":"reject_once"}]}`,
		chunk("m", "found"), "stop end_turn")
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
	for _, want := range []string{`{"type":"text","session":"kid","parent":"s","role":"agent"`, `{"type":"tool","session":"kid","parent":"s","tool":{"id":"c","session":"kid"`, `{"type":"unasked","session":"kid","parent":"s"`, `{"type":"permission","session":"kid","parent":"s"`} {
		if !strings.Contains(streamed, want) {
			t.Errorf("stream-json has no %s: %s", want, streamed)
		}
	}
	whole := decodeResult(t, play(t, steps, "go", format("json")).out)
	if len(whole.Tools) != 2 || whole.Tools[0].Session != "kid" || len(whole.Unasked) != 1 || whole.Unasked[0].Session != "kid" || strings.Contains(whole.Answer, "I look") {
		t.Errorf("got %+v", whole)
	}
}
