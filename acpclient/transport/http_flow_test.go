package transport

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Case 164: every header as in PROTOCOL 5.2, regardless of the user's headers.
func TestCase164Headers(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.redial(Remote{
			URL: "http://ada:secret@127.0.0.1:4242?token=t0ken",
			Header: http.Header{
				"X-Secret-Key": {"k3y"}, "Accept": {"text/html"}, "Content-Type": {"text/plain"},
				"Acp-Session-Id": {"mine"}, "Acp-Connection-Id": {"mine"}, "Last-Event-Id": {"7"}, "Host": {"elsewhere"},
			},
		})
		r.session("s1")
		r.request(1, "session/list", "")
		r.request(2, "session/prompt", "s1")
		synctest.Wait()
		r.h.Close()

		want := func(seen, connection, session string) {
			t.Helper()
			all := r.server.all(seen)
			if len(all) != 1 {
				t.Fatalf("%d of %s", len(all), seen)
			}
			q := all[0]
			headers := map[string]string{
				"Acp-Connection-Id": connection, "Acp-Session-Id": session, "Last-Event-Id": "", "X-Secret-Key": "k3y",
				"Authorization": "Basic YWRhOnNlY3JldA==", "Accept-Encoding": "identity", "Origin": "", "Referer": "",
			}
			switch q.Method {
			case http.MethodPost:
				headers["Content-Type"], headers["Accept"] = "application/json", "application/json, text/event-stream"
			case http.MethodGet:
				headers["Accept"] = "text/event-stream"
			}
			for name, value := range headers {
				if got := q.Header.Values(name); strings.Join(got, "|") != value {
					t.Errorf("%s: %s is %q, want %q", seen, name, got, value)
				}
			}
			if q.URL.Path != "/acp" || q.URL.RawQuery != "token=t0ken" || q.Host != "elsewhere" {
				t.Errorf("%s went to %s of %s", seen, q.URL, q.Host)
			}
		}
		want("POST initialize", "", "")
		want("GET", "conn-1", "")
		want("GET s1", "conn-1", "s1")
		want("POST session/list", "conn-1", "")
		want("POST session/prompt", "conn-1", "s1")
		want("DELETE", "conn-1", "")
	})
}

// Case 167: a stream is open before anything is posted whose answer arrives on it.
func TestCase167StreamsFirst(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onGet = func(w http.ResponseWriter, q *acpRequest) bool {
			time.Sleep(time.Second) // the headers are late, but not too late
			return false
		}
		r.request(0, "initialize", "")
		r.request(1, "session/new", "")
		r.want(result0)
		time.Sleep(999 * time.Millisecond)
		r.wantSeen("POST initialize", "GET")
		time.Sleep(time.Millisecond)
		r.wantSeen("POST initialize", "GET", "POST session/new")
		r.h.OpenSession("s1")
		r.request(2, "session/prompt", "s1")
		r.wantSeen("POST initialize", "GET", "POST session/new", "GET s1")
		time.Sleep(time.Second)
		r.wantSeen("POST initialize", "GET", "POST session/new", "GET s1", "POST session/prompt")
	})
}

const result0 = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`

// Case 167: a server that withholds the headers of a stream delays each stream once, and
// briefly.
func TestCase167HeadersWithheld(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onGet = func(w http.ResponseWriter, q *acpRequest) bool {
			time.Sleep(20 * time.Second)
			return false
		}
		r.request(0, "initialize", "")
		r.request(1, "session/new", "")
		r.want(result0)
		r.h.OpenSession("s1")
		r.request(2, "session/prompt", "s1")
		r.request(3, "session/prompt", "s1")
		r.server.say("s1", result(2))
		r.want(result(2))
		if r.now() != 20*time.Second {
			t.Errorf("the answer after %v", r.now())
		}
		for seen, at := range map[string]time.Duration{"POST session/new": 2 * time.Second, "GET": 0, "GET s1": 0} {
			if got := r.server.all(seen)[0].at.Sub(r.start); got != at {
				t.Errorf("%s after %v, want %v", seen, got, at)
			}
		}
		for _, q := range r.server.all("POST session/prompt") {
			if got := q.at.Sub(r.start); got != 2*time.Second {
				t.Errorf("a prompt after %v", got)
			}
		}
	})
}

// Case 168: an update right after the answer to session/new is received, in that order.
func TestCase168EarlyUpdate(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			if q.String() == "POST session/new" {
				r.server.say("", `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}`)
				time.AfterFunc(5*time.Millisecond, func() { r.server.say("s1", update("s1", 1)) })
			}
			return false
		}
		r.initialize()
		r.request(1, "session/new", "")
		r.want(`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}`)
		time.Sleep(time.Second)
		r.h.OpenSession("s1")
		r.want(update("s1", 1))
	})
}

// Case 169: an answer may arrive on any stream.
func TestCase169AnswerOnAnyStream(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.session("s1")
		r.request(1, "session/prompt", "s1")
		synctest.Wait()
		r.server.say("", result(1))
		r.want(result(1))
		r.request(2, "session/load", "s1")
		synctest.Wait()
		r.server.say("s1", result(2))
		r.want(result(2))
		if n := r.h.calls.n.Load(); n != 0 {
			t.Errorf("%d requests are taken for open", n)
		}
	})
}

// Case 170: answers go to the session that the request came from.
func TestCase170Answers(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.session("s1")
		r.server.say("s1", `{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s1"}}`)
		r.server.say("", `{"jsonrpc":"2.0","id":8,"method":"elicitation/create","params":{"requestId":1}}`)
		r.h.Recv()
		r.h.Recv()
		r.answer(7, "s1")
		r.answer(8, "")
		synctest.Wait()
		for seen, session := range map[string]string{"POST answer 7": "s1", "POST answer 8": ""} {
			all := r.server.all(seen)
			if len(all) != 1 || all[0].Header.Get(sessionHeader) != session || all[0].Header.Get(connectionHeader) != "conn-1" {
				t.Errorf("%s: %d of them, %v", seen, len(all), all[0].Header)
			}
		}
	})
}

// Case 171: a request for a session that was never opened has a stream for its answer, and
// only until then.
func TestCase171DeleteUnopened(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.initialize()
		r.request(1, "session/delete", "old")
		r.wantSeen("POST initialize", "GET", "GET old", "POST session/delete")
		r.server.say("old", update("old", 1))
		r.want(update("old", 1))
		time.Sleep(time.Minute)
		if r.server.readers("old") != 1 {
			t.Fatal("the stream is closed before the answer came")
		}
		r.server.say("old", result(1))
		r.want(result(1))
		synctest.Wait()
		if r.server.readers("old") != 0 {
			t.Error("the stream is still open")
		}
		r.wantNothing(time.Minute)
		r.wantSeen("POST initialize", "GET", "GET old", "POST session/delete")

		r.request(2, "session/delete", "older") // answered in a batch, on the other stream
		synctest.Wait()
		r.server.say("", "["+update("x", 1)+","+result(2)+"]")
		r.want("[" + update("x", 1) + "," + result(2) + "]")
		synctest.Wait()
		if r.server.readers("older") != 0 {
			t.Error("the second stream is still open")
		}
	})
}

// A closed session keeps its stream for the answer to session/close.
func TestCloseSession(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.session("s1")
		r.request(1, "session/close", "s1")
		r.h.CloseSession("s1")
		synctest.Wait()
		if r.server.readers("s1") != 1 {
			t.Fatal("the stream is closed before the answer came")
		}
		r.server.say("s1", result(1))
		r.want(result(1))
		synctest.Wait()
		if r.server.readers("s1") != 0 {
			t.Error("the stream is still open")
		}
		r.h.OpenSession("s2")
		synctest.Wait()
		r.h.CloseSession("s2")
		synctest.Wait()
		if r.server.readers("s2") != 0 {
			t.Error("the stream of a session without requests is still open")
		}
	})
}

// Case 180: messages arrive in the order they were sent, even if the server accepts a POST
// late.
func TestCase180Order(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			if q.String() == "POST session/prompt" {
				time.Sleep(30 * time.Second)
			}
			return false
		}
		r.session("s1")
		r.request(1, "session/prompt", "s1")
		r.notify("session/cancel", "s1")
		r.request(2, "session/list", "")
		synctest.Wait()
		r.answer(7, "s1")
		synctest.Wait()
		answers := r.server.all("POST answer 7")
		if len(answers) != 1 {
			t.Fatal("the answer waits for the prompt")
		}
		r.wantSeen("POST initialize", "GET", "GET s1", "POST session/prompt", "POST answer 7")
		time.Sleep(30 * time.Second)
		r.wantSeen("POST initialize", "GET", "GET s1", "POST session/prompt", "POST answer 7", "POST session/cancel", "POST session/list")
	})
}

// Case 180: of many messages, some slow, never two are posted at once.
func TestCase180OneAtATime(t *testing.T) {
	inBubble(t, func(r *rig) {
		inside := 0
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			r.server.mu.Lock()
			inside++
			if inside > 1 {
				t.Error("two at once")
			}
			r.server.mu.Unlock()
			time.Sleep(time.Duration(q.n%3) * time.Millisecond)
			r.server.mu.Lock()
			inside--
			r.server.mu.Unlock()
			return false
		}
		r.initialize()
		for i := range 100 {
			r.request(i+1, fmt.Sprintf("m%d", i), "")
		}
		time.Sleep(time.Second)
		seen := r.server.seen()[2:]
		for i, s := range seen {
			if s != fmt.Sprintf("POST m%d", i) {
				t.Fatalf("message %d is %s", i, s)
			}
		}
		if len(seen) != 100 {
			t.Errorf("%d messages", len(seen))
		}
	})
}

// Case 183: updates that arrive on the other stream after the answer to session/load are
// received too.
func TestCase183LateReplay(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.session("s1")
		r.request(1, "session/load", "s1")
		synctest.Wait()
		r.server.say("", result(1))
		r.want(result(1))
		for i := range 3 {
			r.server.say("s1", update("s1", i))
		}
		r.want(update("s1", 0), update("s1", 1), update("s1", 2))
	})
}

// Case 183: history that the answer to session/load overtakes is received before it.
func TestCase183Overtaken(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.session("s1")
		r.request(1, "session/load", "s1")
		synctest.Wait()
		r.server.say("", result(1))
		go func() {
			for i := range 30 {
				time.Sleep(20 * time.Millisecond)
				r.server.say("s1", update("s1", i))
			}
		}()
		for i := range 30 {
			r.want(update("s1", i))
		}
		r.want(result(1))
		if r.now() > time.Second {
			t.Errorf("it took %v", r.now())
		}
		r.request(2, "session/prompt", "s1")
		synctest.Wait()
		r.server.say("", result(2)) // with nothing on the way the answer arrives soon
		r.want(result(2))
		if r.now() > 1100*time.Millisecond {
			t.Errorf("it took until %v", r.now())
		}
	})
}

// Case 185: every request after initialize carries the protocol version.
func TestCase185Version(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.initialize()
		r.h.SetVersion(2)
		r.h.OpenSession("s1")
		r.request(1, "session/prompt", "s1")
		synctest.Wait()
		r.h.Close()
		for seen, want := range map[string]string{"POST initialize": "", "GET": "", "GET s1": "2", "POST session/prompt": "2", "DELETE": "2"} {
			if got := r.server.all(seen)[0].Header.Get(versionHeader); got != want {
				t.Errorf("%s: got %q, want %q", seen, got, want)
			}
		}
	})
}
