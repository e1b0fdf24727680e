package jsonrpc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient/jsonrpc"
)

// A call has its id before it is queued, and nothing is sent before that.
func TestReserve(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		first := r.peer.Reserve("first", nil)
		second := r.peer.Begin("second", nil)
		r.expect(request(fmt.Sprint(second.ID), "second", "null"))
		if first.ID == second.ID {
			t.Errorf("both are %d", first.ID)
		}
		first.Queue(map[string]int{"a": 1})
		r.expect(request(fmt.Sprint(first.ID), "first", `{"a":1}`))
		r.send(result(fmt.Sprint(first.ID), `{}`))
		<-first.Done()
		late := r.peer.Reserve("late", nil)
		r.peer.Close(nil)
		late.Queue(nil)
		if err := late.Wait(r.t.Context(), nil); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
}

// The function given to BeginThen can tell whether an answer ended the call.
func TestAnswered(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		answered := map[string]bool{}
		begin := func(name string, params any) *jsonrpc.Call {
			var c *jsonrpc.Call
			c = r.peer.Reserve(name, func(json.RawMessage, error) { answered[name] = c.Answered() })
			c.Queue(params)
			return c
		}
		r.send(result(fmt.Sprint(begin("result", nil).ID), `{}`))
		synctest.Wait()
		r.send(failure(fmt.Sprint(begin("error", nil).ID), `-1`, `no`))
		synctest.Wait()
		begin("unsound", func() {})
		begin("nameless", nil)
		r.send(`{"jsonrpc":"2.0","error":{"code":-32700,"message":"what"}}`)
		time.Sleep(2 * jsonrpc.DefaultGrace) // of the bubble
		begin("closed", nil)
		synctest.Wait()
		r.peer.Close(nil)
		want := map[string]bool{"result": true, "error": true, "unsound": false, "nameless": false, "closed": false}
		if fmt.Sprint(answered) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", answered, want)
		}
	})
}

// Each splits recorded messages as a Peer does.
func TestEach(t *testing.T) {
	for data, want := range map[string][]string{
		request(`1`, "m", `{"sessionId":"s"}`):                     {`request 1 m s`},
		request(`"x"`, "m", `{}`):                                  {`request "x m `},
		request(`1`, "m", `{"sessionId":"s","sessionId":"t"}`):     {`request 1 m t`}, // the last one counts
		note("n", `{}`):                                            {`note n`},
		result(`1`, `{"a":1}`):                                     {`answer 1 {"a":1} <nil>`},
		failure(`1.0`, `-5`, `no`):                                 {`answer 1  no (-5)`},
		`{"jsonrpc":"2.0","id":1}`:                                 {`answer 1  the peer sent an invalid response: neither a result nor an error`},
		`[` + note("a", `{}`) + `,5,` + result(`2`, `null`) + `]`:  {`note a`, `answer 2 null <nil>`},
		"\x1b[1m" + result(`1`, `{}`):                              {`answer 1 {} <nil>`},
		`"noise {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}"`:     {`answer 3 {} <nil>`},
		"noise " + note("n", `{}`):                                 nil,
		"noise " + request(`1`, "m", `{}`):                         nil,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":tru}}`: nil,
		`{"id":1,"method":"m"}`:                                    nil, // without a version
		``:                                                         nil, `5`: nil, `null`: nil, `"`: nil, `[`: nil, `[[]]`: nil, "\xff": nil,
	} {
		var got []string
		jsonrpc.Each([]byte(data), func(m jsonrpc.Message) {
			switch {
			case m.Method == "":
				got = append(got, fmt.Sprintf("answer %s %s %v", m.Key(), m.Result, m.Err))
			case m.ID == nil:
				got = append(got, "note "+m.Method)
			default:
				got = append(got, fmt.Sprintf("request %s %s %s", m.Key(), m.Method, m.Session()))
			}
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", data, got, want)
		}
	}
}
