package acpclient

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/internal/must"
)

// recorded collects events.
type recorded []event.Event

func (r *recorded) Post(e event.Event) { *r = append(*r, e) }

// handle handles messages as the reader goroutine does, and overwrites the memory of
// each afterwards.
func handle(version int, messages [][]byte) []event.Event {
	return handleWith(version, messages, func(lent []byte) {
		for i := range lent {
			lent[i] = '#'
		}
	})
}

func handleWith(version int, messages [][]byte, after func(lent []byte)) []event.Event {
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
		after(borrowed)
	}
	return events
}

func update(of string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` + of + `}}`
}

// seeds returns updateSeeds, the updates of the scripts, and one of each kind from each
// recording of a real agent, if there are any. It uses a tenth of the files, or all of
// them with PARLEY_LONG.
func seeds(t testing.TB) (all [][]byte) {
	for _, s := range updateSeeds {
		all = append(all, []byte(s))
	}
	scripts, _ := filepath.Glob("../testdata/acp/*.txtar")
	if len(scripts) < 50 {
		t.Fatalf("only %d scripts", len(scripts))
	}
	for i, path := range scripts {
		if left(i) {
			continue
		}
		all = append(all, updatesIn(t, path, func(line []byte) string {
			of, _ := strings.CutPrefix(string(line), "< update ")
			return of
		}))
	}
	dir := os.Getenv("ACP_TRANSCRIPT_DIR")
	if dir == "" {
		dir = "../../shared/acp/transcripts"
	}
	recordings, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	for i, path := range recordings {
		if left(i) {
			continue
		}
		seen := map[string]bool{}
		all = append(all, updatesIn(t, path, func(line []byte) string {
			var entry struct{ Line string }
			var m struct {
				Params struct{ Update json.RawMessage }
			}
			var kind struct{ SessionUpdate string }
			json.Unmarshal(line, &entry)
			json.Unmarshal([]byte(entry.Line), &m)
			if json.Unmarshal(m.Params.Update, &kind); seen[kind.SessionUpdate] {
				return ""
			}
			seen[kind.SessionUpdate] = true
			return string(m.Params.Update)
		}))
	}
	return all
}

func left(i int) bool { return i%10 != 0 && os.Getenv("PARLEY_LONG") == "" }

// updatesIn returns the updates in a file; of extracts the message of a line.
func updatesIn(t testing.TB, path string, of func(line []byte) string) []byte {
	data := must.Get(os.ReadFile(path))(t)
	var all []string
	in := bufio.NewScanner(bytes.NewReader(data))
	in.Buffer(nil, len(data)+1)
	for in.Scan() {
		if u := of(in.Bytes()); json.Valid([]byte(u)) {
			all = append(all, update(u))
		}
	}
	return []byte(strings.Join(all, "\n"))
}

// updateSeeds are messages of the kinds that arrive in large numbers, and some that only
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
	update(`{"sessionUpdate":"tool_call","toolCallId":"c","rawInput":{"input":"*** Begin Patch\n*** Update File: a.go\n@@\n-a\n+b\n*** End Patch"}}`) + "\n" + update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"apply_patch"}`),
	update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":5}}`) + "\n" + update(`{"sessionUpdate":"agent_message_chunk","messageId":null,"content":{"type":"text"}}`),
}
