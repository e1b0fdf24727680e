package acpclient

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
)

// recorded keeps events as they come.
type recorded []event.Event

func (r *recorded) Post(e event.Event) { *r = append(*r, e) }

// handle takes messages as the reader goroutine does.
func handle(version int, messages [][]byte) []event.Event {
	var events recorded
	c := testClient(version, &events)
	h := (*handler)(c)
	for _, m := range messages {
		c.in.current++
		borrowed := bytes.Clone(m)
		jsonrpc.Each(borrowed, func(m jsonrpc.Message) {
			if m.Method != "" && m.ID == nil {
				h.Notification(m.Method, m.Params)
			}
		})
		for i := range borrowed { // what was lent is void
			borrowed[i] = '#'
		}
	}
	return events
}

func update(of string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` + of + `}}`
}

// updateSeeds are messages of the kinds that come in floods, and some that only
// look like them.
var updateSeeds = []string{
	update(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"one "}}`) + "\n" +
		update(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"\u001b[31mtwo\u001b[0m \ud83c\udf89"}}`) + "\n" +
		update(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"\""}}`) + "\n" +
		update(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"\\"}}`) + "\n" +
		update(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"","text":"x"}}`) + "\n" +
		update(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":""}}`) + "\n" +
		update(`{"sessionUpdate":"agent_message_chunk","messageId":"n","content":{"type":"text","text":"three"}}`),
	`{"params":{"update":{"content":{"text":"order ","type":"text","annotations":{"a":[1]}},"_meta":{"x":1},"sessionUpdate":"agent_thought_chunk"},"sessionId":"s1"},"method":"session/update","jsonrpc":"2.0"}` + "\n" +
		`{"params":{"update":{"content":{"text":"is free\u001b[3","type":"text","annotations":{"a":[1]}},"_meta":{"x":1},"sessionUpdate":"agent_thought_chunk"},"sessionId":"s1"},"method":"session/update","jsonrpc":"2.0"}` + "\n" +
		`{"params":{"update":{"content":{"text":"1mor not","type":"text","annotations":{"a":[1]}},"_meta":{"x":1},"sessionUpdate":"agent_thought_chunk"},"sessionId":"s1"},"method":"session/update","jsonrpc":"2.0"}`,
	update(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"Read \u001b[1mx\n","kind":"read","status":"pending","locations":[{"path":"/a","line":3},5],"rawInput":{"a": [1]}}`) + "\n" +
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress","_meta":{"terminal_info":{"cwd":"/"}}}`) + "\n" +
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"a\tb"}},{"type":"content","content":{"type":"text","text":"\u001b]0;x\u0007c"}}],"rawOutput":null}`) + "\n" +
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"d","content":[{"type":"diff","path":"/a","newText":"x"}],"status":"completed"}`) + "\n" +
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","rawOutput":{"ok":true},"title":null,"capabilities":{"cancel":{}}}`),
	update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","_meta":{"terminal_output":{"terminal_id":"t1","data":"ok\r\n"}}}`) + "\n" +
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","_meta":{"terminal_output":{"terminal_id":"t1","data":"\u001b[32mok"}}}`) + "\n" +
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","_meta":{"terminal_output":{"terminal_id":"t1","data":""}}}`) + "\n" +
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","_meta":{"terminal_output":{"data":"x"},"terminal_exit":{"exit_code":1}}}`) + "\n" +
		update(`{"sessionUpdate":"terminal_output_chunk","terminalId":"t1","data":"b2sK"}`) + "\n" +
		update(`{"sessionUpdate":"terminal_output_chunk","terminalId":"t1","data":"b2s"}`) + "\n" +
		update(`{"sessionUpdate":"terminal_output_chunk","data":"","terminalId":"t1"}`),
	update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"cut \u001b[3"}}`) + "\n" + update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed"}`) + "\n" + update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"1m off"}}`),
	update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"cut \u001b[3"}}`) + "\n" + update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"t1","data":"x"}}}`) + "\n" + update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"1m off"}}`),
	update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"cut \u001b[3"}}`) + "\n" + update(`{"sessionUpdate":"terminal_output_chunk","terminalId":"t1","data":"b2s="}`) + "\n" + update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"1m off"}}`),
	update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"cut \u001b[3"}}`) + "\n" + update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}`) + "\n" + update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"1m off"}}`),
	update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":"m"}`) + "\n" + update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"b"},"messageId":"n"}`),
	`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}},"params":{"update":{}}}`,
	`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1"},"params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`,
	update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text"},"content":{"text":"x"}}`),
	update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"t"}},"_meta":{"terminal_output":{"data":"x"}}}`),
	`{"jsonrpc":"2.0","id":1,"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a request"}}}}`,
	`{"jsonrpc":"2.0","method":"session/update","method":"x","params":{"sessionId":"s2","update":{"sessionUpdate":"agent_message_chunk","sessionUpdate":"plan","content":{"type":"text","text":"twice"}}}}`,
	`{"jsonrpc":"1.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`,
	` {"jsonrpc":"2.0","\u006dethod":"session\/update","params":{"sessionId":"\u00731","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"QQ=="}}}} `,
	update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"comp\u200bleted"}`) + "\n" + update(`{"sessionUpdate":"tool_call_update","toolCallId":"c"}`),
	update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":5}}`) + "\n" + update(`{"sessionUpdate":"agent_message_chunk","messageId":null,"content":{"type":"text"}}`),
}

// FuzzUpdates: what an update says does not depend on the order of its members, nor on
// memory that was lent.
func FuzzUpdates(f *testing.F) {
	for _, s := range updateSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var sorted, reversed [][]byte
		for _, m := range bytes.Split(data, []byte("\n")) {
			sorted = append(sorted, ordered(m, 3, func(keys []string) { slices.Sort(keys) }))
			reversed = append(reversed, ordered(m, 3, func(keys []string) { slices.Sort(keys); slices.Reverse(keys) }))
		}
		for version := 1; version <= 2; version++ {
			one, other := handle(version, sorted), handle(version, reversed)
			for _, events := range [][]event.Event{one, other} {
				for i, e := range events {
					if e, ok := e.(event.UnknownArrived); ok { // shows all of it as it came
						e.JSON = ""
						events[i] = e
					}
				}
			}
			if !reflect.DeepEqual(one, other) {
				t.Fatalf("v%d, %q: the order of members counts:\n%s", version, data, cmp.Diff(one, other, cmp.Exporter(func(reflect.Type) bool { return true })))
			}
		}
	})
}

// ordered is JSON with the members of its objects in an order, so many levels deep; what
// is no object stays as it was.
func ordered(raw []byte, depth int, order func([]string)) []byte {
	var members map[string]json.RawMessage
	if depth == 0 || json.Unmarshal(raw, &members) != nil || members == nil {
		return raw
	}
	keys := slices.Collect(maps.Keys(members))
	order(keys)
	out := []byte{'{'}
	for i, k := range keys {
		if i > 0 {
			out = append(out, ',')
		}
		name, _ := json.Marshal(k)
		out = append(append(append(out, name...), ':'), ordered(members[k], depth-1, order)...)
	}
	return append(out, '}')
}
