package wire

import (
	"fmt"
	"strings"
	"testing"
)

// hotUpdate is a message with an update.
func hotUpdate(format string, args ...any) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` + fmt.Sprintf(format, args...) + `}}`
}

// streams are messages as agents send them one behind the other; n tells apart
// what differs in each.
var streams = map[string]func(n int) []string{
	"text": func(n int) []string {
		return []string{hotUpdate(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"twenty bytes of %04d"}}`, n)}
	},
	"tools": func(n int) []string {
		return []string{
			hotUpdate(`{"sessionUpdate":"tool_call","toolCallId":"call_%d","title":"Read file%d.go","kind":"read","status":"pending","locations":[{"path":"/w/file%d.go","line":%d}],"rawInput":{"path":"/w/file.go","limit":%d}}`, n, n, n, n, n),
			hotUpdate(`{"sessionUpdate":"tool_call_update","toolCallId":"call_%d","status":"in_progress"}`, n),
			hotUpdate(`{"sessionUpdate":"tool_call_update","toolCallId":"call_%d","status":"completed","content":[{"type":"content","content":{"type":"text","text":"%s"}}],"rawOutput":{"ok":true}}`, n, strings.Repeat(`a line of a result\n`, 30)),
		}
	},
	"terminal": func(n int) []string {
		return []string{hotUpdate(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","_meta":{"terminal_output":{"terminal_id":"t1","data":"ok %d\r\n"}}}`, n)}
	},
}

// BenchmarkHot reads a message of a stream.
func BenchmarkHot(b *testing.B) {
	for name, stream := range streams {
		b.Run(name, func(b *testing.B) {
			var messages [][]byte
			for n := range 100 {
				for _, m := range stream(n) {
					messages = append(messages, []byte(m))
				}
			}
			var h Hot
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if !h.Read(messages[i%len(messages)]) {
					b.Fatal("not found")
				}
			}
		})
	}
}
