package record

import (
	"fmt"
	"strings"
	"testing"
)

func chunkOf(kind, text string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"` + kind + `","content":{"type":"text","text":"` + text + `"}}}}`
}

// What was learned from one message must not let another pass that the passes
// would change, or find broken.
func TestShapes(t *testing.T) {
	first := chunkOf("agent_message_chunk", "one")
	for _, second := range []string{
		chunkOf("agent_message_chunk", ""),
		chunkOf("agent_thought_chunk", `two \"three\" \\`),
		chunkOf("agent_message_chunk", `https://u:p@h/`),
		chunkOf("agent_message_chunk", `https:\/\/u:p@h/`),
		chunkOf("agent_message_chunk", `\u0068ttps://u:p@h/`),
		chunkOf("agent_message_chunk", "h/?token=abc"),
		chunkOf("agent_message_chunk", "-----BEGIN PRIVATE KEY-----abc"),
		chunkOf("agent_message_chunk", "a\nb"),
		chunkOf("agent_message_chunk", `a\qb`),
		chunkOf("agent_message_chunk", `a\`),
		chunkOf("agent_message_chunk", `x","data":"y`),
		chunkOf("agent_message_chunk", `x"},"token":{"a":"secret`),
		chunkOf("agent_message_chunk", "x") + "}",
		strings.Replace(first, `"content"`, `"token"`, 1),
		strings.Replace(first, "{", "{\n", 1),
	} {
		both(t, first, second)
		both(t, second, first)
	}
	long := strings.Repeat("A", 5000)
	both(t, `{"type":"text","data":"`+long+`"}`, `{"type":"image","data":"`+long+`"}`)
	both(t, `{"type":"image","data":"AA"}`, `{"type":"image","data":"`+long+`"}`)
	both(t, `{"env":[{"name":"a","value":""}]}`, `{"env":[{"name":"a","value":"b"}]}`)
	both(t, `{"args":["-a","b"]}`, `{"args":["--token","b"]}`)
	both(t, `{"a":"`+strings.Repeat("x", maxShape)+`","b":1}`, `{"a":"","b":1}`)
	both(t, `"a"`, `"b"`)
	both(t, `1`, `2`)
	both(t, ``, ``)
}

// both writes one message after the other with one log, and each with its own.
func both(t *testing.T, first, second string) {
	t.Helper()
	var l log
	for _, m := range []string{first, second, first} {
		want := string(new(log).appendMessage(nil, In, []byte(m)))
		if got := string(l.appendMessage(nil, In, []byte(m))); got != want {
			t.Fatalf("after %.200q:\n%.200q became %.200q, by itself %.200q", first, m, got, want)
		}
	}
}

func TestShapesAreFound(t *testing.T) {
	var l log
	kinds := []string{"agent_message_chunk", "agent_thought_chunk"}
	for i := range 20 {
		m := chunkOf(kinds[i%2], fmt.Sprintf(`text %d of several, - @ = \n`, i))
		if known := l.shapes.fit([]byte(m)); known != (i > 0) {
			t.Fatalf("message %d is known: %v", i, known)
		}
		l.appendMessage(nil, In, []byte(m))
	}
}

// FuzzShapes: a log that has seen other messages writes what one would that has
// not.
func FuzzShapes(f *testing.F) {
	f.Add(chunkOf("agent_message_chunk", "one"), chunkOf("agent_message_chunk", "two"))
	f.Add(`{"type":"text","data":"A"}`, `{"type":"image","data":"B"}`)
	f.Add(`{"env":[{"name":"a","value":""}],"x":"y"}`, `{"env":[{"name":"b","value":"c"}],"x":""}`)
	f.Add(`{"args":["-a","b"],"x":["y","z"]}`, `{"args":["--token","b"],"x":["--token","z"]}`)
	f.Add(`{"a":"b"}`, `{"a":"b","token":"c"}`)
	f.Fuzz(func(t *testing.T, first, second string) { both(t, first, second) })
}
