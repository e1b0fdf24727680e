package acpclient

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// A giant is not copied on its way, and comes out the same: from either way, and
// from a Queue with pieces around it.
func TestGiantsComeOutTheSame(t *testing.T) {
	for _, letters := range []string{"plain text é ", `esc\n\u00e9\ud83c\udf89 `, `\u001b[31mred\u001b[0m `, "\xff bytes "} {
		body := strings.Repeat(letters, giant/len(letters)+100)
		chunk := `{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"`
		messages := [][]byte{
			[]byte(update(chunk + `before\u001b[3"}}`)),
			[]byte(update(chunk + body + `"}}`)),
			[]byte(update(chunk + body + `\x"}}`)),
			[]byte(update(chunk + `behind"}}`)),
			[]byte(update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"` + body + `","rawOutput":"` + body + `","content":[{"type":"content","content":{"type":"text","text":"` + body + `"}}]}`)),
		}
		for version := 1; version <= 2; version++ {
			got, want := handle(version, true, messages), handle(version, false, messages)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("v%d: the short way differs from the long one for %q", version, letters)
			}
			q := NewQueue()
			for _, e := range want.Events {
				q.Post(e)
			}
			if text, queued := textOf(want.Events), textOf(q.Take()); len(text) < giant/8 || text != queued {
				t.Errorf("v%d: %d bytes of text, from the queue %d", version, len(text), len(queued))
			}
		}
	}
}

func textOf(events []Event) (text string) {
	for _, e := range events {
		if e, ok := e.(TextArrived); ok {
			text += e.Text
		}
	}
	return text
}

// A short string of a call shares its memory with what came in the same message
// and is short; what is long is by itself.
func TestStringsOfACallShareNothingLong(t *testing.T) {
	long := strings.Repeat("x", maxShared+1)
	o := handle(1, true, [][]byte{[]byte(update(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"short","rawOutput":{"a":1},` +
		`"content":[{"type":"content","content":{"type":"text","text":"` + long + `"}},{"type":"content","content":{"type":"text","text":"too"}}]}`))})
	e := o.Events[0].(ToolChanged)
	title, raw, texts := *e.Title, *e.RawOutput, *e.Content
	at := func(s string) uintptr { return uintptr(unsafe.Pointer(unsafe.StringData(s))) }
	if at(raw) != at(title)+uintptr(len(title)) || at(texts[1].Content.Text) != at(raw)+uintptr(len(raw)) {
		t.Error("short strings of one message share no memory")
	}
	if d := at(texts[0].Content.Text) - at(title); d < 100 {
		t.Errorf("a long text lies %d bytes behind the title", d)
	}
}
