package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
)

var seeds = []string{
	request(`1`, "echo", `{"a":[1,2]}`), request(`null`, "echo", `1`), request(`"x"`, "foo", `{}`), request(`1.50`, "hang", `{}`),
	note("u", `{}`), note("$/cancel_request", `{"requestId":1}`), result(`0`, `{}`), failure(`0`, `1`, `x`), `{"error":{"code":-32700}}`,
	`[]`, `[1,2,3]`, `[` + request(`1`, "echo", `1`) + `,5,` + note("u", `1`) + `]`, `[{"jsonrpc":"2.0","method"`, `{}`, `5`, `null`, ``,
	"\x1b[1mhello\x1b[0m", "noise " + result(`0`, `1`), "\xff\xfe", `{"jsonrpc":"2.0","id":1,"id":2,"method":"echo"}`,
	`{"jsonrpc":"2.0","method":"echo","id":{}}`, `{"\u0069d":1,"jsonrpc":"2.0","method":"panic"}`, `[[[]]]`, `{"jsonrpc":"2.0","id":1e400,"method":"echo"}`,
}

// FuzzReceive sends one message of arbitrary bytes and checks the answer against what
// encoding/json makes of the message.
func FuzzReceive(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		inRig(t, jsonrpc.Options{}, func(r *rig) {
			r.peer.Begin("ours", nil)
			r.written()
			r.send(string(data))
			judge(t, data, r.written())
			r.send(request(`"still alive"`, "echo", `1`))
			r.expect(result(`"still alive"`, `1`))
		})
	})
}

// judge checks the messages that were written in answer to data.
func judge(t *testing.T, data []byte, wrote []string) {
	t.Helper()
	if len(wrote) > 1 {
		t.Fatalf("%d messages answer one: %q", len(wrote), wrote)
	}
	for _, m := range wrote {
		if !json.Valid([]byte(m)) || strings.ContainsAny(m, "\n\r") {
			t.Fatalf("wrote %q, which is no line of JSON", m)
		}
	}
	var entries []json.RawMessage
	if json.Unmarshal(data, &entries) == nil && entries != nil {
		judgeBatch(t, entries, wrote)
		return
	}
	if silent(data) && len(wrote) > 0 {
		t.Fatalf("answered %q", wrote)
	}
	if id := requestID(data); id != nil {
		if len(wrote) == 1 && !bytes.Contains([]byte(wrote[0]), append([]byte(`"id":`), id...)) && !strings.Contains(wrote[0], `"id":null`) {
			t.Fatalf("the answer to id %s is %s", id, wrote[0])
		}
	}
}

func judgeBatch(t *testing.T, entries []json.RawMessage, wrote []string) {
	t.Helper()
	if len(wrote) == 0 {
		return
	}
	if len(entries) == 0 || len(entries) > 100_000 {
		if strings.HasPrefix(wrote[0], "[") {
			t.Fatalf("an array answers an impossible batch: %s", wrote[0])
		}
		return
	}
	loud := 0
	for _, e := range entries {
		if !silent(e) {
			loud++
		}
	}
	answers := arrayItems(t, wrote[0])
	if len(answers) == 0 || len(answers) > loud {
		t.Fatalf("%d answers to %d entries that may have one: %s", len(answers), loud, wrote[0])
	}
}

// silent reports whether a message must not be answered: a notification or a response,
// well formed or not.
func silent(data []byte) bool {
	var m map[string]json.RawMessage
	if json.Unmarshal(data, &m) != nil || m == nil {
		return false
	}
	_, id := m["id"]
	_, res := m["result"]
	_, err := m["error"]
	method, call := m["method"]
	if !call {
		return id || res || err
	}
	var name *string
	sound := json.Unmarshal(method, &name) == nil && name != nil && string(m["jsonrpc"]) == `"2.0"`
	return sound && !id
}

func requestID(data []byte) json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(data, &m) != nil || m["method"] == nil {
		return nil
	}
	return m["id"]
}

// FuzzBatch sends each line as an entry of a batch. The answers must be those that the
// entries get when sent alone, in any order.
func FuzzBatch(f *testing.F) {
	f.Add([]byte(strings.Join(seeds[:9], "\n")))
	for i := range seeds {
		f.Add([]byte(strings.Join(seeds[max(0, i-3):i+1], "\n")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var entries []string
		for line := range strings.SplitSeq(string(data), "\n") {
			// An array alone is a batch, an array inside a batch is an error. A request
			// that hangs would be ended by its neighbours.
			if line = strings.Trim(line, " \t\r"); json.Valid([]byte(line)) && line[0] != '[' && immediate(line) && len(entries) < 50 {
				entries = append(entries, line)
			}
		}
		if len(entries) == 0 {
			return
		}
		var singly []string
		for _, e := range entries {
			singly = append(singly, exchange(t, e)...)
		}
		together := exchange(t, "["+strings.Join(entries, ",")+"]")
		if len(together) > 1 || len(together) == 0 != (len(singly) == 0) {
			t.Fatalf("the batch is answered by %q, its entries by %q", together, singly)
		}
		if len(together) == 1 {
			if got := arrayItems(t, together[0]); !sameSet(got, singly) {
				t.Fatalf("the batch is answered by %q, its entries by %q", got, singly)
			}
		}
	})
}

func immediate(entry string) bool {
	var m struct{ Method any }
	json.Unmarshal([]byte(entry), &m)
	switch fmt.Sprint(m.Method) {
	case "gate", "hang", "permission":
		return false
	}
	return true
}

// exchange returns what a new peer writes in answer to m.
func exchange(t *testing.T, m string) (out []string) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := transport.Pipe()
		r := newRig(t, ours, theirs, jsonrpc.Options{})
		r.send(m)
		out = r.written()
	})
	return out
}
