package gateway

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// said is what a pass finds in a message of an agent, as far as alike may know it;
// false where the message is none that alike may take.
func said(msg []byte) (envelope, string, bool) {
	e, err := parse(msg)
	session := text(e.session)
	ok := err == nil && e.id == nil && !e.isAnswer() && !e.named("$/cancel_request") && headerSafe(session)
	return e, session, ok
}

// FuzzAlike: what alike says of a message, a pass over it says too.
func FuzzAlike(f *testing.F) {
	chunk := func(text string) string { return update("s", text) }
	f.Add(chunk("one"), chunk("another"), chunk(`a third \" one`))
	f.Add(chunk("one"), chunk("another"), chunk(`x","sessionId":"t`))
	f.Add(update("s", "x"), update("t", "x"), update("u", "x"))
	f.Add(`{"method":"a","params":{"sessionId":"s"}}`, `{"method":"b","params":{"sessionId":"s"}}`, `{"method":"$/cancel_request","params":{"sessionId":"s"}}`)
	f.Add(`{"method":"a","params":{"sessionId":"s"},"x":1}`, `{"method":"a","params":{"sessionId":"s"},"y":1}`, `{"method":"a","params":{"sessionId":"s"},"id":1}`)
	f.Add(`{"method":"a","params":{"sessionId":"s","a":"x"}}`, `{"method":"a","params":{"sessionId":"s","a":"\"}}"}}`, `{"method":"a","params":{"sessionId":"s","a":"\\"}}`)
	f.Add(`{"method":"a","method":"b","params":{"sessionId":"s","sessionId":"t"}}`, `{"method":"z","method":"b","params":{"sessionId":"s","sessionId":"t"}}`,
		`{"method":"a","method":"b","params":{"sessionId":"s","sessionId":"t"}}`)
	f.Fuzz(func(t *testing.T, one, two, three string) {
		var a alike
		for _, msg := range []string{one, two, three, two, one} {
			msg := slices.Clip([]byte(msg))
			e, session, ok := said(msg)
			if got, known := a.find(msg); known {
				if !ok || got != session {
					t.Fatalf("%q behind %q and %q: session %q, and %q, %v in a pass", msg, one, two, got, session, ok)
				}
				continue
			}
			if !ok {
				session = ""
			}
			a.misses = 1 // each is compared
			a.learn(msg, &e, session)
		}
	})
}

func TestFloodIsKnownByItsLike(t *testing.T) {
	var a alike
	known := 0
	for i := range 1000 {
		msg := []byte(update("s", fmt.Sprintf("chunk %d, said \\\"once\\\" ", i)))
		e, session, ok := said(msg)
		if !ok {
			t.Fatalf("%s", msg)
		}
		if got, found := a.find(msg); found && got == "s" {
			known++
			continue
		}
		a.learn(msg, &e, session)
	}
	if known < 950 {
		t.Errorf("only %d of 1000", known)
	}
	for name, msg := range map[string]string{
		"another session": update("t", "chunk"),
		"with an id":      strings.Replace(update("s", "chunk"), `{"jsonrpc"`, `{"id":7,"jsonrpc"`, 1),
		"another member":  strings.Replace(update("s", "chunk"), `chunk`, `x","sessionId":"t`, 1),
		"cut":             strings.TrimSuffix(update("s", "chunk"), "}"),
	} {
		if _, found := a.find([]byte(msg)); found {
			t.Errorf("%s: %s", name, msg)
		}
	}
}

func BenchmarkRoute(b *testing.B) {
	msg := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"twenty bytes of text"}}}}`)
	e, session, _ := said(msg)
	b.Run("pass", func(b *testing.B) {
		for b.Loop() {
			said(msg)
		}
	})
	b.Run("alike", func(b *testing.B) {
		var a alike
		a.learn(msg, &e, session)
		other := []byte(strings.Replace(string(msg), "twenty", "TWENTY", 1))
		e, session, _ := said(other)
		a.learn(other, &e, session)
		for b.Loop() {
			if _, ok := a.find(msg); !ok {
				b.Fatal("not known")
			}
		}
	})
}
