package envelope

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestOpen(t *testing.T) {
	for msg, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":{"sessionId":"no"},"sessionId":"s"}}`: `id 1 method "m" params {"a":{"sessionId":"no"},"sessionId":"s"} session s`,
		"{ \"params\" :\t{ \"sessionId\" : \"\\u0073\" } , \"method\":\"m\" }":                    `method "m" params { "sessionId" : "\u0073" } session s`,
		`{"i\u0064":1,"id":2,"params":{"sessionId":"a","sessionId":"b"}}`:                         `id 2 params {"sessionId":"a","sessionId":"b"} session b answer`,
		`{"params":{"sessionId":"a"},"params":[1],"method":null}`:                                 `method null params [1]`,
		`{"id":1,"result":{"sessionId":"s"}}`:                                                     `id 1 result {"sessionId":"s"} answer`,
		`{"id":1,"result":null,"error":{"code":1}}`:                                               `id 1 result null error {"code":1} answer failed`,
		`{"id":1,"result":{},"error":null}`:                                                       `id 1 result {} error null answer`,
		`{"error":"text"}`:                                                                        `error "text" answer failed`,
		`{"id":1}`:                                                                                `id 1 answer`,
		`{}`:                                                                                      ``,
		`[{"id":1,"method":"m"},5,{"id":2}]`:                                                      `id 1 method "m"; id 2 answer`,
		`[{"id":1`:                                                                                ``, `{"id":1`: ``, `{"id":1}x`: ``, `"text"`: ``, ``: ``, `{"id":[}`: ``,
	} {
		got := ""
		Each([]byte(msg), func(e Envelope) {
			if got != "" {
				got += ";"
			}
			for i, raw := range [][]byte{e.ID, e.Method, e.Params, e.Result, e.Error} {
				if raw != nil {
					got += fmt.Sprintf(" %s %s", []string{"id", "method", "params", "result", "error"}[i], raw)
				}
			}
			if s := Session(e.Params); s != "" {
				got += " session " + s
			}
			if e.IsAnswer() {
				got += " answer"
			}
			if e.Failed() {
				got += " failed"
			}
		})
		if len(want) > 0 {
			want = " " + want
		}
		if got != want {
			t.Errorf("%s\n got%s\nwant%s", msg, got, want)
		}
	}
}

func TestCalls(t *testing.T) {
	for method, want := range map[string]bool{`"a/b"`: true, `"a\/b"`: true, `"\u0061/b"`: true, `"a/bc"`: false, `"\u0062"`: false, `5`: false, `null`: false} {
		if e, ok := Open([]byte(`{"method":` + method + `}`)); !ok || e.HasMethod("a/b") != want {
			t.Errorf("%s: got %v", method, !want)
		}
	}
}

func TestKey(t *testing.T) {
	for _, same := range [][]string{
		{"1", "1.0", "1e0"}, {"0", "-0"}, {`"a"`, `"\u0061"`}, {"null", "", "true", "{}", "[1]"},
		{"9007199254740993"}, {"9007199254740992"}, {`"1"`}, {"1.5"}, {`""`},
	} {
		for _, raw := range same {
			if Key([]byte(raw)) != Key([]byte(same[0])) {
				t.Errorf("%s is not %s", raw, same[0])
			}
		}
		for _, other := range []string{"2", `"b"`} {
			if Key([]byte(same[0])) == Key([]byte(other)) {
				t.Errorf("%s is %s", same[0], other)
			}
		}
	}
	if Key([]byte("1")) == Key([]byte(`"1"`)) || Key([]byte("9007199254740993")) == Key([]byte("9007199254740992")) || Key([]byte(`""`)) == "" {
		t.Error("ids that differ are taken for one")
	}
}

// FuzzOpen checks that Open finds the same members as encoding/json in valid JSON.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"m","params":{"sessionId":"s"}}`))
	f.Add([]byte(`{"ID":1,"id":null,"params":[],"error":{},"result":"\u00e9"}`))
	f.Fuzz(func(t *testing.T, msg []byte) {
		e, ok := Open(msg)
		var want map[string]json.RawMessage
		if json.Unmarshal(msg, &want) != nil || want == nil {
			return // Open does not validate values
		}
		if !ok {
			t.Fatalf("%s is sound", msg)
		}
		var params map[string]json.RawMessage
		if json.Unmarshal(want["params"], &params) != nil {
			params = nil
		}
		for i, raw := range [][]byte{e.ID, e.Method, e.Params, e.Result, e.Error} {
			name := []string{"id", "method", "params", "result", "error"}[i]
			if string(raw) != string(want[name]) {
				t.Errorf("%s of %s: %s", name, msg, raw)
			}
		}
		var session string
		if json.Unmarshal(params["sessionId"], &session) != nil {
			session = ""
		}
		if Session(e.Params) != session {
			t.Errorf("session of %s: %s", msg, Session(e.Params))
		}
	})
}
