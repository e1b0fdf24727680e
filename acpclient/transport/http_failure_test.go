package transport

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// reply responds with a JSON body and a connection id, which may be "".
func reply(w http.ResponseWriter, status int, connection, body string) bool {
	if connection != "" {
		w.Header().Set("acp-connection-id", connection)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	io.WriteString(w, body)
	return true
}

// Case 165: an invalid answer to initialize fails cleanly, and a connection that the server
// has made is deleted.
func TestCase165InitializeAnswers(t *testing.T) {
	for _, tc := range []struct {
		name, connection, body string
		want                   string // the message received; "" if the connection ends
		words                  string // text in the final error
	}{
		{"no connection id", "", result(0), "", "Acp-Connection-Id"},
		{"the id of another", "c", result(1), "", "something else"},
		{"the id as text", "c", `{"jsonrpc":"2.0","id":"0","result":{}}`, "", "something else"},
		{"no answer at all", "c", update("s", 1), "", "something else"},
		{"nothing", "c", "", "", "not JSON"},
		{"an empty batch", "c", "[]", "", "is empty"},
		{"a page", "c", "<html>", "", "not JSON"},
		{"alone in a batch", "c", " [ " + result(0) + " ] ", result(0), ""},
		{"laid out", "c", "{\n  \"id\": 0,\r\n  \"result\": {}\n}\n", `{   "id": 0,    "result": {} }`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool { return reply(w, 200, tc.connection, tc.body) }
				r.request(0, "initialize", "")
				if tc.want != "" {
					r.want(tc.want)
					return
				}
				if err := r.wantEnd(nil); !strings.Contains(err.Error(), tc.words) {
					t.Errorf("the end: %v", err)
				}
				if err := r.h.Send(Message{Data: []byte("{}")}); err == nil {
					t.Error("Send takes more")
				}
				r.h.Close()
				if n := len(r.server.all("DELETE")); tc.connection != "" && n != 1 || tc.connection == "" && n != 0 {
					t.Errorf("%d DELETE", n)
				}
			})
		})
	}
}

// Case 166: the agent refuses initialize on a connection that exists. The error is
// received, the connection deleted, and another initialize makes a new connection.
func TestCase166InitializeError(t *testing.T) {
	inBubble(t, func(r *rig) {
		refusal := `{"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"not that version"}}`
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			return q.n == 1 && reply(w, 200, "conn-x", refusal)
		}
		r.request(0, "initialize", "")
		r.want(refusal)
		r.wantSeen("POST initialize", "DELETE")
		if got := r.server.all("DELETE")[0].Header.Get(connectionHeader); got != "conn-x" {
			t.Errorf("DELETE of %q", got)
		}
		r.request(1, "session/list", "")
		r.wantError(1, "initialize")
		r.request(2, "initialize", "")
		r.want(`{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":1}}`)
		r.wantSeen("POST initialize", "DELETE", "POST initialize", "GET")
	})
}

// An error without a connection needs no DELETE.
func TestCase166InitializeErrorAlone(t *testing.T) {
	inBubble(t, func(r *rig) {
		refusal := `{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"no"}}`
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool { return reply(w, 200, "", refusal) }
		r.request(0, "initialize", "")
		r.want(refusal)
		r.h.Close()
		r.wantSeen("POST initialize")
	})
}

// An initialize that fails with a status says why, with the agent's message if there is
// one.
func TestInitializeStatus(t *testing.T) {
	inBubble(t, func(r *rig) {
		refusal := `{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"the agent crashed"}}`
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool { return reply(w, 500, "", refusal) }
		r.request(0, "initialize", "")
		r.want(refusal)
		var status *StatusError
		if err := r.wantEnd(nil); !errors.As(err, &status) || status.Status != 500 {
			t.Errorf("the end: %v", err)
		}
	})
}

// An initialize that a gateway refuses is sent once more, which is harmless.
func TestInitializeThroughGateway(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool { return q.n == 1 && refuse(503)(w, q) }
		r.initialize()
		r.wantSeen("POST initialize", "POST initialize", "GET")
	})
}

// A second initialize makes a new connection in place of the first: servers refuse a second
// one on the same connection.
func TestSecondInitialize(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.session("s1")
		r.request(1, "initialize", "")
		r.want(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}`)
		r.wantSeen("POST initialize", "GET", "GET s1", "DELETE", "POST initialize", "GET")
		if got := r.server.all("DELETE")[0].Header.Get(connectionHeader); got != "conn-1" {
			t.Errorf("DELETE of %q", got)
		}
		if got := r.server.all("GET")[1].Header.Get(connectionHeader); got != "conn-2" {
			t.Errorf("the stream of %q", got)
		}
		if r.server.readers("s1") != 0 {
			t.Error("a stream of the old connection is open")
		}
	})
}

// Case 172: a server that does not know the session yet learns of it from session/load;
// then its stream is requested again.
func TestCase172UnknownSession(t *testing.T) {
	inBubble(t, func(r *rig) {
		loaded := false
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			loaded = loaded || q.String() == "POST session/load"
			return false
		}
		r.server.onGet = func(w http.ResponseWriter, q *acpRequest) bool {
			return q.session() != "" && !loaded && refuse(404)(w, q)
		}
		r.initialize()
		r.h.OpenSession("s1")
		r.request(1, "session/load", "s1")
		synctest.Wait()
		if r.now() != 0 || len(r.server.all("POST session/load")) != 1 {
			t.Errorf("after %v: %q", r.now(), r.server.seen())
		}
		r.server.say("", result(1))
		r.want(result(1))
		r.server.say("s1", update("s1", 1))
		r.want(update("s1", 1))
		if r.now() > time.Second {
			t.Errorf("the replay came after %v", r.now())
		}
		r.wantNothing(time.Minute)
	})
}

// Case 172: the time that the server has to learn of the session starts when session/load
// is sent.
func TestCase172LoadedLate(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onGet = func(w http.ResponseWriter, q *acpRequest) bool {
			return q.session() != "" && r.now() < 15*time.Second && refuse(404)(w, q)
		}
		r.initialize()
		r.h.OpenSession("s1")
		time.Sleep(8 * time.Second)
		r.request(1, "session/load", "s1")
		r.server.say("s1", result(1))
		r.want(result(1))
	})
}

// Case 172: the server never knows the session. Its requests fail, nothing else does, and
// its stream is not requested again until a message is sent for the session.
func TestCase172NeverKnown(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onGet = func(w http.ResponseWriter, q *acpRequest) bool { return q.session() != "" && refuse(404)(w, q) }
		r.initialize()
		r.request(1, "session/resume", "s1")
		r.wantError(1, "404", "refuses the stream")
		if r.now() < 10*time.Second || r.now() > 13*time.Second {
			t.Errorf("given up after %v", r.now())
		}
		n := len(r.server.all("GET s1"))
		r.wantNothing(time.Minute)
		if len(r.server.all("GET s1")) != n {
			t.Error("it is asked for again and again")
		}
		r.request(2, "session/list", "")
		r.server.say("", result(2))
		r.want(result(2))
		if n := len(r.server.all("POST session/resume")); n != 1 {
			t.Errorf("%d session/resume", n)
		}
	})
}

// Case 173: a stream that still has a reader, which is already gone, is requested again.
func TestCase173Conflict(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onGet = func(w http.ResponseWriter, q *acpRequest) bool {
			return (q.session() != "" || q.n < 3) && time.Since(r.start) < 5*time.Second && refuse(409)(w, q)
		}
		r.request(0, "initialize", "")
		r.request(1, "session/prompt", "s1")
		r.server.say("s1", result(1))
		r.want(result0, result(1))
		if n := len(r.server.all("GET s1")); n < 4 || n > 12 {
			t.Errorf("%d tries in five seconds", n)
		}
	})
}

// Case 173: if the conflict persists, only that session fails.
func TestCase173ConflictForever(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onGet = func(w http.ResponseWriter, q *acpRequest) bool { return q.session() == "s1" && refuse(409)(w, q) }
		r.session("s2")
		r.request(1, "session/prompt", "s1")
		r.request(2, "session/prompt", "s2")
		r.wantError(1, "409")
		if r.now() < 10*time.Second || r.now() > 15*time.Second {
			t.Errorf("given up after %v", r.now())
		}
		r.server.say("s2", result(2))
		r.want(result(2))
		r.wantNothing(time.Minute)
	})
}

// Case 174: the server has forgotten the connection. The connection ends and nothing is
// sent again.
func TestCase174Gone(t *testing.T) {
	for _, status := range []int{404, 410} {
		inBubble(t, func(r *rig) {
			r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
				return q.String() == "POST session/prompt" && refuse(status)(w, q)
			}
			r.session("s1")
			r.request(1, "session/prompt", "s1")
			err := r.wantEnd(ErrGone)
			var cause *StatusError
			if !errors.As(err, &cause) || cause.Status != status {
				t.Errorf("the end: %v", err)
			}
			r.h.Close()
			r.wantSeen("POST initialize", "GET", "GET s1", "POST session/prompt")
		})
	}
}

// Case 181: the server was restarted, which shows on its streams.
func TestCase181ServerRestart(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onGet = func(w http.ResponseWriter, q *acpRequest) bool { return q.n > 2 && refuse(404)(w, q) }
		r.session("s1")
		r.server.say("s1", update("s1", 1))
		r.want(update("s1", 1))
		r.server.cut("")
		r.server.cut("s1")
		r.wantEnd(ErrGone)
	})
}

// Case 181: closing sends a DELETE.
func TestCase181Quit(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.session("s1")
		r.request(1, "session/prompt", "s1")
		r.notify("session/cancel", "s1")
		r.h.Close() // the queue is posted before the DELETE
		r.wantSeen("POST initialize", "GET", "GET s1", "POST session/prompt", "POST session/cancel", "DELETE")
		if _, err := r.h.Recv(); err != ErrClosed {
			t.Errorf("Recv: %v", err)
		}
		if err := r.h.Send(Message{Data: []byte("{}")}); err != ErrClosed {
			t.Errorf("Send: %v", err)
		}
	})
}

// Case 181: a connection made while the client closes is deleted too, if that does not take
// too long.
func TestCase181QuitEarly(t *testing.T) {
	for wait, deletes := range map[time.Duration]int{300 * time.Millisecond: 1, time.Minute: 0} {
		inBubble(t, func(r *rig) {
			r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
				time.Sleep(wait)
				return false
			}
			r.request(0, "initialize", "")
			synctest.Wait()
			if r.h.Close(); r.now() > 500*time.Millisecond {
				t.Errorf("Close took %v", r.now())
			}
			if n := len(r.server.all("DELETE")); n != deletes {
				t.Errorf("%d DELETE", n)
			}
		})
	}
}

// Case 181: Close does not wait for a server that does not answer; Recv and Send return at
// once.
func TestCase181QuitWithoutResponse(t *testing.T) {
	inBubble(t, func(r *rig) {
		hang := func(w http.ResponseWriter, q *acpRequest) bool {
			<-q.Context().Done()
			return true
		}
		r.server.onDelete = hang
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool { return q.n > 1 && hang(w, q) }
		r.session("s1")
		r.h.ordered.limit = 100
		r.request(1, "session/prompt", "s1")
		r.request(2, "session/prompt", "s1")
		ends := make(chan time.Duration, 2)
		go func() { r.h.Recv(); ends <- r.now() }()
		go func() {
			for r.h.Send(Message{Data: make([]byte, 90)}) == nil { // until it blocks
			}
			ends <- r.now()
		}()
		synctest.Wait()
		r.h.Close()
		if a, b := <-ends, <-ends; a != 0 || b != 0 {
			t.Errorf("Recv and Send ended after %v and %v", a, b)
		}
		if r.now() != 1500*time.Millisecond {
			t.Errorf("Close took %v", r.now())
		}
	})
}

// Case 175: without credentials everything fails, and nothing is tried again.
func TestCase175Unauthorized(t *testing.T) {
	for _, status := range []int{401, 403} {
		for _, where := range []string{"POST initialize", "GET", "GET s1", "POST session/prompt", "POST session/cancel", "POST answer 7"} {
			inBubble(t, func(r *rig) {
				no := func(w http.ResponseWriter, q *acpRequest) bool { return q.String() == where && refuse(status)(w, q) }
				r.server.onPost, r.server.onGet = no, no
				r.request(0, "initialize", "")
				synctest.Wait()
				r.h.OpenSession("s1")
				synctest.Wait()
				for _, m := range []Message{
					{Data: []byte(requestText(1, "session/prompt", "s1")), Session: "s1"},
					{Data: []byte(`{"jsonrpc":"2.0","method":"session/cancel"}`)},
					{Data: []byte(result(7)), Answer: true},
				} {
					r.h.Send(m) // fails once the connection has ended
				}
				if where != "POST initialize" {
					r.want(result0)
				}
				var refused *StatusError
				if err := r.wantEnd(nil); !errors.As(err, &refused) || !refused.Unauthorized() || refused.Status != status || refused.Body != "because\n" {
					t.Errorf("%d for %s: %v", status, where, err)
				}
				time.Sleep(time.Minute)
				if n := len(r.server.all(where)); n != 1 {
					t.Errorf("%s %d times", where, n)
				}
			})
		}
	}
}

// Case 175: any other refusal fails only that request, and the error says what is known
// about it.
func TestCase175RequestFails(t *testing.T) {
	const perhaps = "may have been processed"
	for _, tc := range []struct {
		status  int
		body    string
		words   []string
		perhaps bool
	}{
		{400, "Mismatched Acp-Session-Id", []string{`"details":"Mismatched Acp-Session-Id"`}, false},
		{400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}`, []string{`"details":"no batches"`, `\"code\":-32600`}, false},
		{409, "x", nil, false},
		{413, "<html>\n", []string{"too large"}, false},
		{429, "", nil, true},
		{500, "x", nil, false},
		{501, "x", []string{"does not support"}, false},
		{502, strings.Repeat("y", 100_000), []string{`"body":"` + strings.Repeat("y", 8<<10) + `"`}, true},
		{503, "", nil, true},
		{504, "", nil, true},
		{301, "", []string{"redirect"}, false},
	} {
		inBubble(t, func(r *rig) {
			r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
				if q.String() != "POST session/prompt" {
					return false
				}
				w.WriteHeader(tc.status)
				io.WriteString(w, tc.body)
				return true
			}
			r.session("s1")
			r.request(1, "session/prompt", "s1")
			text := r.wantError(1, append(tc.words, fmt.Sprintf(`"status":%d`, tc.status), fmt.Sprintf("answered %d", tc.status))...)
			if strings.Contains(text, perhaps) != tc.perhaps {
				t.Errorf("%d: %.300s", tc.status, text)
			}
			r.request(2, "session/list", "")
			r.server.say("", result(2))
			r.want(result(2))
			r.wantNothing(time.Minute)
			if n := len(r.server.all("POST session/prompt")); n != 1 {
				t.Errorf("%d: sent %d times", tc.status, n)
			}
		})
	}
}

// Case 175: messages larger than servers accept are not sent.
func TestCase175TooLarge(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.session("s1")
		huge := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s1","x":%q}}`, strings.Repeat("x", 15<<20))
		r.send(Message{Data: []byte(huge), Session: "s1"})
		r.wantError(1, "too large")
		r.send(Message{Data: []byte(`{"jsonrpc":"2.0","id":7,"result":"` + strings.Repeat("x", 15<<20) + `"}`), Session: "s1", Answer: true})
		synctest.Wait()
		answers := r.server.all("POST answer 7")
		if len(answers) != 1 || !strings.Contains(answers[0].body, `"error":{"code":-32603,"message":"the answer is too large`) {
			t.Fatalf("the server got %d answers", len(answers))
		}
		r.wantSeen("POST initialize", "GET", "GET s1", "POST answer 7")
	})
}

// A session id that cannot be sent in a header fails the session's requests before anything
// is sent.
func TestSessionIDsInvalidInHeaders(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.initialize()
		for i, id := range []string{"a\r\nX: y", "a\nb", "sitzung-ä", strings.Repeat("x", 1025), " a", "a ", "a\tb", "a\x7f"} {
			r.h.OpenSession(id)
			r.send(Message{Data: []byte(requestText(i+1, "session/prompt", "?")), Session: id})
			r.wantError(i+1, "cannot be sent over HTTP")
			r.send(Message{Data: []byte(`{"jsonrpc":"2.0","method":"session/cancel"}`), Session: id})
			r.send(Message{Data: []byte(result(7)), Session: id, Answer: true})
			r.h.CloseSession(id)
		}
		r.wantSeen("POST initialize", "GET")
		good := strings.Repeat("x", 1022) + " ~"
		r.request(99, "session/prompt", good)
		r.wantSeen("POST initialize", "GET", "GET "+good, "POST session/prompt")
	})
}
