package acpclient

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
)

// recorded keeps events as they come.
type recorded []Event

func (r *recorded) Post(e Event) { *r = append(*r, e) }

// outcome is what messages came to.
type outcome struct {
	Events []Event
	Log    []LogLine
	Tools  []wire.ToolCall // what permission requests would refer to
	Early  int
}

// handle takes messages as the reader goroutine does: the short way first, or
// the long way alone.
func handle(version int, short bool, messages [][]byte) (o outcome) {
	var events recorded
	c := testClient(version, &events)
	decode := decodeTool(wire.DecodeToolCall)
	if version == 2 {
		decode = decodeToolV2
	}
	h := (*handler)(c)
	for _, m := range messages {
		c.in.current++
		borrowed := bytes.Clone(m)
		if !short || !h.Take(borrowed) {
			jsonrpc.Each(borrowed, func(m jsonrpc.Message) {
				if m.Method != "" && m.ID == nil {
					h.Notification(m.Method, m.Params)
				}
			})
		}
		for i := range borrowed { // what was lent is void
			borrowed[i] = '#'
		}
	}
	o.Events, o.Early = events, len(c.early.waiting)
	o.Log, _ = c.opts.Log.Lines()
	for i := range o.Log {
		o.Log[i].At = time.Time{}
	}
	for _, id := range []string{"s1", "s2"} {
		st := &c.sessions[id].tools
		for _, tool := range st.open {
			o.Tools = append(o.Tools, st.whole(tool.id, decode))
		}
	}
	return o
}

func update(of string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` + of + `}}`
}

// floodSeeds are messages of the kinds that come in floods, and some that only
// look like them.
var floodSeeds = []string{
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

// FuzzHot: the short way tells what the long way tells, whatever comes.
func FuzzHot(f *testing.F) {
	for _, s := range floodSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		messages := bytes.Split(data, []byte("\n"))
		for version := 1; version <= 2; version++ {
			got, want := handle(version, true, messages), handle(version, false, messages)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("v%d, %q: the short way (+) differs from the long one (-):\n%s", version, data, cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })))
			}
		}
	})
}

// FuzzHotText: the same for strings of any bytes, after one that was found by a
// whole pass.
func FuzzHotText(f *testing.F) {
	for _, s := range []string{"", "plain", `\n\"\\`, `\`, `"`, `","x":"`, `\\"`, "\xff\x00", `c","status":"completed","rawOutput":{"a":[1`, `c","locations":[{"path":"/a","line":2.0},{"path":"/b"}],"title":"t","content":[`,
		`c","toolCallId":"d","kind":"read`, `c","locations":[{"path":""}],"rawInput":null,"kind":"comp\u006ceted`, `\ud83c`, `日本`, `"}}},"b":{"a":{"c":{"d":"`,
		`plain, then \u001b[31mred\u001b[0m`, "plain, then a \x7f", `one\r\ntwo`, `plain, then 日本\u202e and e\u0301\u200d`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for version := 1; version <= 2; version++ {
			for _, shape := range []string{
				`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"%s"}}`,
				`{"content":{"text":"%s","type":"text"},"messageId":"m","sessionUpdate":"agent_thought_chunk"}`,
				`{"sessionUpdate":"tool_call_update","_meta":{"terminal_output":{"data":"%s","terminal_id":"t"}},"toolCallId":"c"}`,
				`{"sessionUpdate":"terminal_output_chunk","data":"%s","terminalId":"t"}`,
				`{"sessionUpdate":"tool_call_update","toolCallId":"%s"}`,
				`{"_meta":{"x":1},"sessionUpdate":"tool_call_update","title":"%s","toolCallId":"c"}`,
				`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"%s"}}]}`,
			} {
				messages := [][]byte{[]byte(update(fmt.Sprintf(shape, "b2s="))), []byte(update(strings.Replace(shape, "%s", string(text), 1))), []byte(update(fmt.Sprintf(shape, "cnN0")))}
				got, want := handle(version, true, messages), handle(version, false, messages)
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("v%d, %q: the short way (+) differs from the long one (-):\n%s", version, messages[1], cmp.Diff(want, got))
				}
			}
		}
	})
}

// The messages that make floods do go the short way.
func TestFloodsGoTheShortWay(t *testing.T) {
	for _, c := range []struct {
		version int
		message string
	}{
		{1, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\u001b[1mx 日"}}`},
		{2, `{"sessionUpdate":"agent_thought_chunk","_meta":{"a":{}},"content":{"type":"text","text":"x"},"messageId":"m"}`},
		{1, `{"sessionUpdate":"tool_call","toolCallId":"c","title":"Read \"x\"","kind":"read","status":"pending","locations":[{"path":"/a"}],"rawInput":{}}`},
		{2, `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"content","content":{"type":"text","text":"x"}}]}`},
		{1, `{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"t","data":"x"}}}`},
		{2, `{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"b2s="}`},
	} {
		cl := &Client{sink: gatherer(&recorded{}), in: &counted{}, clock: time.Now, sessions: map[string]*Session{}, surface: v1{}}
		if c.version == 2 {
			cl.surface = v2{}
		}
		cl.sessions["s1"] = &Session{client: cl, id: "s1"}
		for i := range 2 {
			if !(*handler)(cl).Take([]byte(update(c.message))) {
				t.Errorf("v%d, time %d: %s is left to the long way", c.version, i+1, c.message)
			}
		}
	}
}
