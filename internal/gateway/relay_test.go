package gateway

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/internal/envelope"
)

func TestHeaderSafe(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{"a": true, "sess_1-2.3:4/5 6": true, strings.Repeat("x", 1024): true,
		"": false, " a": false, "a ": false, "a\n": false, "a\x7f": false, "é": false, strings.Repeat("x", 1025): false} {
		if headerSafe(id) != want {
			t.Errorf("got %q", id)
		}
	}
}

// FuzzRelayed checks that, whatever an agent writes, the relayed message is one line of
// UTF-8 with the same content, finds a stream, and causes no panic.
func FuzzRelayed(f *testing.F) {
	for _, s := range []string{`{}`, "{\"a\":\r1}", "[1,\"\xff\"]", update("s", "x"), `[` + update("s", "x") + `,` + result("1", `{"sessionId":"n"}`) + `]`,
		`{"id":0,"result":{}}`, `{"method":"$/cancel_request","params":{"requestId":[]}}`, `{"method":5,"id":{}}`, "null", "{"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 {
			return
		}
		before := bytes.Clone(line)
		msg, err := relayed(line)
		if !bytes.Equal(line, before) {
			t.Fatal("the agent's bytes were changed")
		}
		if err != nil {
			return
		}
		if bytes.ContainsAny(msg, "\r\n") || !utf8.Valid(msg) {
			t.Fatalf("got %q", msg)
		}
		if json.Valid(line) && utf8.Valid(line) {
			var a, b bytes.Buffer
			if json.Compact(&a, line) != nil || json.Compact(&b, msg) != nil || a.String() != b.String() {
				t.Fatalf("%q became %q", line, msg)
			}
		}
		s := New(Options{})
		c := &connection{server: s, log: slog.New(slog.DiscardHandler), ended: make(chan struct{})}
		c.main = newMailbox(1<<20, 1<<20, &c.buffered, nil)
		c.routes.open([]byte("0"))
		c.route(msg)
		if e, ok := envelope.Open(msg); ok {
			c.register(&e, []string{"s"})
			c.register(&e, nil)
		}
	})
}
