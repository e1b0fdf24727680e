package jsonrpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"parley/acpclient/jsonrpc"
)

// TestReceive holds the cases that are one exchange: what the peer receives and all that
// it writes. The numbers are those of the conformance list.
func TestReceive(t *testing.T) {
	const after = "after" // every case ends with a request that must be answered
	for _, c := range []struct {
		name  string
		in    []string
		out   []string
		notes int
	}{
		{"case 01 string id", []string{request(`"abc"`, "echo", `1`)}, []string{result(`"abc"`, `1`)}, 0},
		{"case 02 id beyond float64", []string{request(`9007199254740993`, "echo", `1`)}, []string{result(`9007199254740993`, `1`)}, 0},
		{"case 03 null id", []string{request(`null`, "echo", `1`)}, []string{result(`null`, `1`)}, 0},
		{"case 04 fraction", []string{request(`1.5`, "echo", `1`)}, []string{result(`1.5`, `1`)}, 0},
		{"case 04 exponent", []string{request(`1e3`, "echo", `1`)}, []string{result(`1e3`, `1`)}, 0},
		{"case 04 escapes in a string id", []string{request(`"a\u0062\/"`, "echo", `1`)}, []string{result(`"a\u0062\/"`, `1`)}, 0},
		{"case 08 unknown request", []string{request(`7`, "foo/bar", `{}`)},
			[]string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found","data":{"method":"foo/bar"}}}`}, 0},
		{"case 09 unknown notifications", []string{note("_x/y", `{}`), note("foo", `{}`), note("$/progress", `{}`)}, nil, 3},
		{"case 10 malformed params of a notification", []string{note("u", `5`), note("u", `{"a":}`), `{"jsonrpc":"2.0","method":"u"}`}, nil, 3},
		{"case 11 malformed params of a request", []string{request(`3`, "strict", `[1]`)}, []string{failure(`3`, `-32602`, `Invalid params`)}, 0},
		{"case 12 one answer to a burst of noise", []string{"WARN old config", "> loading", "{half", note("u", `{}`), "again"}, []string{unreadable, unreadable}, 1},
		{"case 14 an empty object", []string{`{}`}, []string{invalid}, 0},
		{"case 14 a number", []string{`5`}, []string{invalid}, 0},
		{"case 14 a string, null, a boolean", []string{`"x"`, `null`, `true`}, []string{invalid, invalid, invalid}, 0},
		{"case 14 not version 2.0", []string{`{"jsonrpc":"1.0","id":1,"method":"echo"}`, `{"id":1,"method":"echo"}`}, []string{invalid, invalid}, 0},
		{"case 14 an id that is none", []string{request(`{}`, "echo", `1`), request(`[1]`, "echo", `1`), request(`true`, "echo", `1`)}, []string{invalid, invalid, invalid}, 0},
		{"case 14 a method that is none", []string{`{"jsonrpc":"2.0","id":1,"method":5}`}, []string{invalid}, 0},
		{"case 15 response to nothing", []string{result(`99`, `1`), failure(`99`, `-32603`, `x`)}, nil, 0},
		{"case 15 result without id", []string{`{"result":1}`, `{"jsonrpc":"2.0","result":1}`}, nil, 0},
		{"case 15 error without id", []string{`{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`, `{"error":5}`}, nil, 0},
		{"case 15 only an id", []string{`{"jsonrpc":"2.0","id":1}`, `{"id":null}`, `{"id":{}}`}, nil, 0},
		{"a result that is nothing", []string{request(`1`, "nothing", `{}`)}, []string{result(`1`, `{}`)}, 0},
		{"params left out", []string{`{"jsonrpc":"2.0","id":1,"method":"nothing"}`}, []string{result(`1`, `{}`)}, 0},
		{"id last, unknown members", []string{`{"method":"echo","x":[{}],"params":"p","jsonrpc":"2.0","id":1}`}, []string{result(`1`, `"p"`)}, 0},
		{"an error of the work", []string{request(`1`, "broken", `{}`)}, []string{failure(`1`, `-32603`, `unexpected EOF`)}, 0},
		{"a panic of the handler", []string{request(`1`, "panic", `{}`), note("panic", `{}`)}, []string{failure(`1`, `-32603`, `Internal error`)}, 0},
		{"a panic of the work", []string{request(`1`, "panic later", `{}`)}, []string{failure(`1`, `-32603`, `Internal error`)}, 0},
		{"broken JSON inside a request", []string{request(`1`, "echo", `{"a":}`)}, []string{unreadable}, 0},
		{"case 31 requests and a notification", []string{`[` + note("u", `{}`) + `]`}, nil, 1},
		{"case 32 an empty batch", []string{`[]`, ` [ ] `}, []string{emptyBatch, emptyBatch}, 0},
		{"case 33 no messages", []string{`[1,2,3]`}, []string{`[` + invalid + `,` + invalid + `,` + invalid + `]`}, 0},
		{"case 34 one request, one not", []string{`[5,` + request(`"a"`, "foo", `{}`) + `]`},
			[]string{`[` + invalid + `,{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"Method not found","data":{"method":"foo"}}}]`}, 0},
		{"case 35 only notifications", []string{`[` + note("u", `1`) + `,` + note("u", `2`) + `]`}, nil, 2},
		{"case 36 a truncated batch", []string{`[{"jsonrpc":"2.0","method"`}, []string{unreadable}, 0},
		{"case 39 invalid response in a batch", []string{`[{"id":1},{"result":2},{"error":{}}]`}, nil, 0},
		{"an array in a batch", []string{`[[` + request(`1`, "echo", `1`) + `]]`}, []string{`[` + invalid + `]`}, 0},
		{"case 46 cancel for nothing", []string{note("$/cancel_request", `{"requestId":5}`), note("$/cancel_request", `{"requestId":"x"}`)}, nil, 0},
		{"case 47 malformed cancel", []string{note("$/cancel_request", `{}`), note("$/cancel_request", `5`), note("$/cancel_request", `{"requestId":{}}`),
			note("$/cancel_request", `{"requestId":}`), `{"jsonrpc":"2.0","method":"$/cancel_request"}`}, nil, 0},
		{"unknown $/ request", []string{request(`1`, "$/what", `{}`)},
			[]string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found","data":{"method":"$/what"}}}`}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inRig(t, jsonrpc.Options{}, func(r *rig) {
				r.send(c.in...)
				r.expect(c.out...)
				if n := r.noted(); len(n) != c.notes {
					t.Errorf("notifications handled: %q, want %d", n, c.notes)
				}
				r.send(request(`"`+after+`"`, "echo", `"alive"`))
				r.expect(result(`"`+after+`"`, `"alive"`))
			})
		})
	}
}

const emptyBatch = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: a batch holds 1 to 100000 messages"}}`

func TestCase05NumberAndStringIDsAreDifferent(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		r.send(request(`1`, "permission", `{}`), request(`"1"`, "hang", `{}`))
		r.expect()
		r.send(note("$/cancel_request", `{"requestId":"1"}`))
		r.expect(failure(`"1"`, `-32800`, `Request cancelled`))
		r.send(note("$/cancel_request", `{"requestId":1}`))
		r.expect(result(`1`, `"cancelled"`))
	})
}

func TestCase06AnswerWithAnotherSpellingOfOurID(t *testing.T) {
	for _, spelling := range []string{"%d.0", "%de0", "%d"} {
		inRig(t, jsonrpc.Options{}, func(r *rig) {
			r.peer.Begin("first", nil)
			c := r.peer.Begin("second", nil)
			r.written()
			r.send(result(fmt.Sprintf(spelling, c.ID), `"yes"`))
			var got string
			if err := c.Wait(r.t.Context(), &got); err != nil || got != "yes" {
				t.Errorf("%s: got %q, %v", spelling, got, err)
			}
		})
	}
}

func TestCase07SameIDInBothDirections(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		c := r.peer.Begin("ours", map[string]int{})
		id := fmt.Sprint(c.ID)
		r.expect(request(id, "ours", `{}`))
		r.send(request(id, "echo", `"theirs"`))
		r.expect(result(id, `"theirs"`))
		select {
		case <-c.Done():
			t.Fatal("our call ended with their request")
		default:
		}
		r.send(result(id, `"ours"`))
		var got string
		if err := c.Wait(r.t.Context(), &got); err != nil || got != "ours" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestCase08UnknownRequestWhileOneHangs(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		r.send(request(`1`, "hang", `{}`), request(`2`, "echo", `2`))
		r.expect(result(`2`, `2`))
		r.send(note("$/cancel_request", `{"requestId":1}`))
		r.expect(failure(`1`, `-32800`, `Request cancelled`))
	})
}

func TestCase13BannerBeforeTheFirstAnswer(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		c := r.peer.Begin("initialize", map[string]int{})
		r.send("\x1b[1;32mWelcome\x1b[0m to the agent", "v1.2", result(fmt.Sprint(c.ID), `{"ok":true}`))
		var got struct{ OK bool }
		if err := c.Wait(r.t.Context(), &got); err != nil || !got.OK {
			t.Errorf("got %v, %v", got, err)
		}
		r.expectProblems(2)
	})
}

func TestCase16ResultAndErrorOrNeither(t *testing.T) {
	for _, body := range []string{`"result":1,"error":{"code":1,"message":"x"}`, `"result":{}, "error":"x"`, `"x":1`, `"error":null`} {
		inRig(t, jsonrpc.Options{}, func(r *rig) {
			c := r.peer.Begin("m", nil)
			r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, c.ID, body))
			if err := c.Wait(r.t.Context(), nil); !errors.Is(err, jsonrpc.ErrInvalidResponse) {
				t.Errorf("%s: got %v", body, err)
			}
		})
	}
}

func TestCase17SecondAnswerIsIgnored(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		c := r.peer.Begin("m", nil)
		id := fmt.Sprint(c.ID)
		r.written()
		r.send(result(id, `1`), result(id, `2`), failure(id, `1`, `x`))
		var got int
		if err := c.Wait(r.t.Context(), &got); err != nil || got != 1 {
			t.Errorf("got %d, %v", got, err)
		}
		r.expect()
		r.expectProblems(2)
	})
}

func TestCase18TwentyMebibytesOnOneLine(t *testing.T) {
	inStream(t, 0, func(w io.WriteCloser, written func() []string, d *desk) {
		data := strings.Repeat("QUJD", 5<<20)
		io.WriteString(w, note("image", `"`+data+`"`)+"\n"+request(`1`, "echo", `1`)+"\n")
		if got := written(); !slices.Equal(got, []string{result(`1`, `1`)}) {
			t.Errorf("wrote %q", got)
		}
		if len(d.notes) != 1 || len(d.notes[0]) != len(data)+len(`image ""`) {
			t.Errorf("%d notifications", len(d.notes))
		}
	})
}

func TestCase19LineOverTheLimit(t *testing.T) {
	inStream(t, 1000, func(w io.WriteCloser, written func() []string, d *desk) {
		io.WriteString(w, note("image", `"`+strings.Repeat("A", 5000)+`"`)+"\n"+request(`1`, "echo", `1`)+"\n")
		want := []string{failure(`null`, `-32600`, `Message too long: the limit is 1000 bytes`), result(`1`, `1`)}
		if got := written(); !slices.Equal(got, want) {
			t.Errorf("wrote %q, want %q", got, want)
		}
	})
}

func TestCase20LineEndsBlankLinesAndAnUnfinishedLastLine(t *testing.T) {
	inStream(t, 0, func(w io.WriteCloser, written func() []string, d *desk) {
		io.WriteString(w, "\r\n\n  \n"+note("u", `1`)+"\r\n\r\n"+note("u", `2`)+"\n"+note("u", `3`))
		w.Close()
		if got := written(); len(got) != 0 {
			t.Errorf("wrote %q", got)
		}
		if !slices.Equal(d.notes, []string{"u 1", "u 2", "u 3"}) {
			t.Errorf("handled %q", d.notes)
		}
	})
}

func TestCase21InvalidUTF8(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		r.send(note("u", "\"a\xffb\""), request(`1`, "text", "\"a\xffb\\ud800\""))
		got := r.written()
		if len(got) != 1 || !utf8.ValidString(got[0]) || got[0] != result(`1`, "\"a\ufffdb\ufffd\"") {
			t.Errorf("wrote %q", got)
		}
	})
}

func TestCase22NoNewlineLeavesUs(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		text := "one\r\ntwo\u2028three <&>"
		r.peer.Begin("m", map[string]any{"text": text, "raw": json.RawMessage("{\n\"a\":\r\n1}")})
		r.peer.Notify("n", map[string]any{"text": text})
		r.send(request(`"x"`, "echo", "{\n\"a\":\n[1,\r\n2]}"), "{\n\"jsonrpc\":\"2.0\",\"id\":\n4,\"method\":\"text\",\"params\":\"\\r\\n\\u2028\"}")
		got := r.written()
		if len(got) != 4 {
			t.Fatalf("wrote %q", got)
		}
		for _, m := range got {
			if strings.ContainsAny(m, "\r\n") || !json.Valid([]byte(m)) {
				t.Errorf("%q is not one line of JSON", m)
			}
		}
		var sent struct{ Params struct{ Text string } }
		if json.Unmarshal([]byte(got[0]), &sent); sent.Params.Text != text {
			t.Errorf("the text arrives as %q", sent.Params.Text)
		}
		if !strings.Contains(got[0], "<&>") {
			t.Errorf("escaped for HTML: %s", got[0])
		}
	})
}

func TestCase27NullResultIsSuccess(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		c := r.peer.Begin("session/load", nil)
		r.send(result(fmt.Sprint(c.ID), `null`))
		got := struct{ Kept string }{"as it was"}
		if err := c.Wait(r.t.Context(), &got); err != nil || got.Kept != "as it was" {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

func TestCase29OneByteWrites(t *testing.T) {
	inStream(t, 0, func(w io.WriteCloser, written func() []string, d *desk) {
		for _, c := range []byte(note("u", `"é\n"`) + "\n" + request(`1`, "echo", `1`) + "\n") {
			w.Write([]byte{c})
		}
		if got := written(); !slices.Equal(got, []string{result(`1`, `1`)}) {
			t.Errorf("wrote %q", got)
		}
		if !slices.Equal(d.notes, []string{`u "é\n"`}) {
			t.Errorf("handled %q", d.notes)
		}
	})
}

func TestCase30FloodKeepsOrderAndAnswerComesLast(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		const n = 50_000
		handled := -1
		c := r.peer.BeginThen("prompt", nil, func(json.RawMessage, error) { handled = len(r.desk.notes) })
		for i := range n {
			r.send(note("u", fmt.Sprint(i)))
		}
		r.send(result(fmt.Sprint(c.ID), `{}`))
		if err := c.Wait(r.t.Context(), nil); err != nil || handled != n {
			t.Fatalf("the answer was handled after %d of %d updates: %v", handled, n, err)
		}
		for i, got := range r.noted() {
			if got != fmt.Sprintf("u %d", i) {
				t.Fatalf("update %d is %q", i, got)
			}
		}
	})
}

func TestCase50GivenUpCallIsCancelledAndItsLateAnswerDropped(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		ctx, cancel := context.WithCancelCause(r.t.Context())
		why := errors.New("the user pressed escape")
		c := r.peer.Begin("session/load", map[string]int{})
		cancel(why)
		if err := c.Wait(ctx, nil); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
		r.expect(request(fmt.Sprint(c.ID), "session/load", `{}`), note("$/cancel_request", fmt.Sprintf(`{"requestId":%d}`, c.ID)))
		r.send(result(fmt.Sprint(c.ID), `{}`))
		r.expect()
		r.expectProblems(0)
	})
}

func TestErrorWithoutAnIDEndsTheOnlyCall(t *testing.T) {
	const idless = `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error","data":"line 1"}}`
	ended := func(c *jsonrpc.Call) bool {
		synctest.Wait()
		select {
		case <-c.Done():
			return true
		default:
			return false
		}
	}
	t.Run("after the grace period", func(t *testing.T) {
		inRig(t, jsonrpc.Options{Grace: time.Second}, func(r *rig) {
			c := r.peer.Begin("m", nil)
			r.send(idless, strings.Replace(idless, "{", `{"id":null,`, 1))
			time.Sleep(999 * time.Millisecond)
			if ended(c) {
				t.Fatal("ended within the grace period")
			}
			time.Sleep(2 * time.Millisecond)
			var e *jsonrpc.Error
			if !ended(c) || !errors.As(c.Wait(r.t.Context(), nil), &e) || e.Code != jsonrpc.CodeParseError || e.Detail() != "line 1" {
				t.Errorf("ended with %v", e)
			}
		})
	})
	t.Run("not if the answer comes", func(t *testing.T) {
		inRig(t, jsonrpc.Options{Grace: time.Second}, func(r *rig) {
			c := r.peer.Begin("m", nil)
			r.send(idless, result(fmt.Sprint(c.ID), `{}`))
			if err := c.Wait(r.t.Context(), nil); err != nil {
				t.Error(err)
			}
			time.Sleep(2 * time.Second)
		})
	})
	t.Run("not with two open", func(t *testing.T) {
		inRig(t, jsonrpc.Options{Grace: time.Second}, func(r *rig) {
			a, b := r.peer.Begin("m", nil), r.peer.Begin("m", nil)
			r.send(idless)
			time.Sleep(2 * time.Second)
			if ended(a) || ended(b) {
				t.Error("one of two was ended")
			}
		})
	})
	t.Run("not for another code", func(t *testing.T) {
		inRig(t, jsonrpc.Options{Grace: time.Second}, func(r *rig) {
			c := r.peer.Begin("m", nil)
			r.send(strings.Replace(idless, "-32700", "-32601", 1)) // the answer to our notification
			time.Sleep(2 * time.Second)
			if ended(c) {
				t.Error("ended")
			}
		})
	})
}

func TestAnswerAfterTerminalOutput(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		c := r.peer.Begin("authenticate", map[string]int{})
		ours := r.written()[0]
		// Of what follows noise on a line only the answer to an open call counts, not
		// the echo of our request.
		r.send("Enter the code: \x1b[31G"+ours, "x "+request(`5`, "echo", `1`), "x "+result(`77`, `1`))
		r.expect(unreadable)
		r.send("\x1b[?1049l" + failure(fmt.Sprint(c.ID), `401`, `no`))
		var e *jsonrpc.Error
		if err := c.Wait(r.t.Context(), nil); !errors.As(err, &e) || e.Code != 401 {
			t.Errorf("got %v", err)
		}
		r.expect()
	})
}

func TestTooManyRequestsAtOnce(t *testing.T) {
	inRig(t, jsonrpc.Options{MaxInFlight: 2}, func(r *rig) {
		r.send(request(`1`, "gate", `{}`), request(`2`, "gate", `{}`), request(`3`, "gate", `{}`))
		r.expect(failure(`3`, `-32603`, `Too many requests at once: at most 2`))
		close(r.gate)
		if got := r.written(); !sameSet(got, []string{result(`1`, `"open"`), result(`2`, `"open"`)}) {
			t.Errorf("wrote %q", got)
		}
		r.send(request(`4`, "echo", `4`))
		r.expect(result(`4`, `4`))
	})
}
