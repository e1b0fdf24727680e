package wire

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"parley/internal/jsonscan"
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

// Behind the first of its sort, every message of a stream is found by what the
// others were like, and the same is found in it.
func TestHotReaderKnowsStreams(t *testing.T) {
	for name, stream := range streams {
		var r HotReader
		for n := range 20 {
			for i, m := range stream(n) {
				before := r.next
				got := clone(r.Read([]byte(m)))
				if learned := r.next != before; learned != (n == 0) {
					t.Errorf("%s %d/%d: a whole pass: %v", name, n, i, learned)
				}
				if want := clone(new(HotReader).Read([]byte(m))); got == nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s %d/%d:\n%+v, not\n%+v", name, n, i, got, want)
				}
			}
		}
	}
}

// What is like another message but for something that counts is not taken for it.
func TestHotReaderKnowsTheDifference(t *testing.T) {
	call := hotUpdate(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","kind":"read","status":"pending","locations":[{"path":"/a","line":3},{"path":"/b"}],"rawInput":{"a":1},"rawOutput":"x","content":[{"type":"content","content":{"type":"text","text":"a"}}]}`)
	chunk := hotUpdate(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"a"}}`)
	long := strings.Repeat("g", 100<<10)
	var all []string
	for _, edit := range [][2]string{{"", ""}, {`"c"`, `"\u0063"`}, {`"c"`, `5`}, {`"c"`, `""`}, {`"t"`, `null`}, {`"t"`, `5`}, {`"read"`, `null`}, {`"/a"`, `""`}, {`"/a"`, `7`}, {`3`, `null`}, {`3`, `-1`},
		{`3`, `99999999999`}, {`3`, `3,"line":4`}, {`{"a":1}`, `null`}, {`{"a":1}`, `{"a":1`}, {`{"a":1}`, `{"a":tru}`}, {`"x"`, `null`}, {`"a"}}]`, `"a"}},{"type":"diff"}]`}, {`"a"}}]`, long + `"}}]`},
		{`"type":"text"`, `"type":"image"`}, {"tool_call", "tool_call_update"}, {"tool_call", "plan"}, {`"s1"`, `"s2"`}, {`"2.0"`, `"2"`}, {`}}`, `},"id":1}`}, {`"title"`, `"toolCallId":"d","title"`}} {
		all = append(all, strings.Replace(call, edit[0], edit[1], 1))
	}
	for _, edit := range [][2]string{{"", ""}, {`"m"`, `null`}, {`"m"`, `""`}, {`"m"`, `"\n"`}, {`"a"}`, `"a","text":"b"}`}, {`"a"`, `"a\"`}, {`"a"`, `"a"x`}, {`"a"`, `"` + long + `"`}, {`"a"`, `"` + long + `","x":"` + long + `"`},
		{"message_chunk", "thought_chunk"}, {`"messageId":"m",`, ``}} {
		all = append(all, strings.Replace(chunk, edit[0], edit[1], 1))
	}
	for _, first := range all {
		for _, second := range all {
			same(t, first, second)
		}
	}
}

// same tells whether a reader that has seen the first message finds in the second
// what one does that has not. What is no string in the end of a message may be found
// by it alone: who decodes that finds out.
func same(t *testing.T, first, second string) {
	t.Helper()
	var r HotReader
	r.Read([]byte(first))
	got, want := clone(r.Read([]byte(second))), clone(new(HotReader).Read([]byte(second)))
	if got != nil && (got.Chunk != nil && !jsonscan.Valid(got.Chunk) || got.Data != nil && !jsonscan.Valid(got.Data)) {
		return
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("after %.300s\n%.300s\nfound %+v, not\n%+v", first, second, got, want)
	}
}

// clone is what h holds, in memory of its own; lists without items are nil.
func clone(h *Hot) *Hot {
	if h == nil {
		return nil
	}
	c := *h
	c.Call.Texts, c.Call.Places = nil, nil
	for _, text := range h.Call.Texts {
		c.Call.Texts = append(c.Call.Texts, bytes.Clone(text))
	}
	for _, p := range h.Call.Places {
		c.Call.Places = append(c.Call.Places, HotPlace{Path: bytes.Clone(p.Path), Line: p.Line})
	}
	for _, raw := range []*[]byte{&c.Session, &c.Update, &c.Chunk, &c.MessageID, &c.ToolID, &c.TerminalID, &c.Data, &c.Call.Title, &c.Call.Name, &c.Call.Kind, &c.Call.Status, &c.Call.RawInput, &c.Call.RawOutput} {
		*raw = bytes.Clone(*raw)
	}
	return &c
}

// FuzzHotReader: what was read before makes no difference.
func FuzzHotReader(f *testing.F) {
	for _, stream := range streams {
		f.Add(strings.Join(stream(1), "\n"), strings.Join(stream(2), "\n"))
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		for _, a := range strings.Split(first, "\n") {
			for _, b := range strings.Split(second, "\n") {
				same(t, a, b)
			}
		}
	})
}

// BenchmarkHotReader reads a message of a stream.
func BenchmarkHotReader(b *testing.B) {
	for name, stream := range streams {
		b.Run(name, func(b *testing.B) {
			var messages [][]byte
			for n := range 100 {
				for _, m := range stream(n) {
					messages = append(messages, []byte(m))
				}
			}
			var r HotReader
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if r.Read(messages[i%len(messages)]) == nil {
					b.Fatal("not found")
				}
			}
		})
	}
}
