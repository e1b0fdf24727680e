package record

import (
	"bytes"
	"encoding/json"
	"testing"

	"parley/internal/jsonscan"
)

func TestAppendMessage(t *testing.T) {
	for _, c := range []struct {
		dir      Direction
		in, want string
	}{
		{In, ` {"a":1}` + "\r", `{"a":1}`},
		{In, `{"a":`, `"{\"a\":"`},
		{In, `{"token":"t"`, `"{\"token\":\"[redacted]\""`},
		{Err, "warning: <b>\n", `"warning: <b>"`},
		{Err, `{"env":{"A":"b"}}`, `"{\"env\":{\"A\":\"[redacted]\"}}"`},
		{Err, "", `""`},
		{In, "\xff\x00", `"` + `\ufffd\u0000"`},
	} {
		if got := string(new(log).appendMessage(nil, c.dir, []byte(c.in))); got != c.want {
			t.Errorf("%s %q: got %s, want %s", c.dir, c.in, got, c.want)
		}
	}
}

func FuzzLoose(f *testing.F) {
	f.Add("token=abc --secret 'x' https://u:p@h?key=1")
	f.Add(`{"password": "`)
	f.Fuzz(func(t *testing.T, s string) {
		for _, dir := range []Direction{In, Err} {
			out := new(log).appendMessage(nil, dir, []byte(s))
			if !json.Valid(out) || bytes.IndexByte(out, '\n') >= 0 {
				t.Fatalf("got %q", out)
			}
			if dir == Err && jsonscan.KindOf(out) != jsonscan.String {
				t.Fatalf("got %q", out)
			}
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	chunk := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a few words of an answer, "}}}}`)
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	var out []byte
	for b.Loop() {
		out = new(log).appendMessage(out[:0], In, chunk)
	}
}
