package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/must"
)

// Case 176: cookies of every response are sent with all later requests, after a reconnect
// and to a WebSocket too.
func TestCase176Cookies(t *testing.T) {
	inBubble(t, func(r *rig) {
		set := func(w http.ResponseWriter, q *acpRequest) bool {
			name := strings.NewReplacer(" ", "-", "/", "-").Replace(q.String())
			http.SetCookie(w, &http.Cookie{Name: name, Value: "v", Path: "/"})
			if q.String() == "POST refused" {
				return refuse(500)(w, q)
			}
			return false
		}
		r.server.onPost, r.server.onGet, r.server.onDelete = set, set, set
		jar := newJar(t)
		r.redial(Remote{Jar: jar, Header: http.Header{"Cookie": {"mine=1"}}})
		r.session("s1")
		r.request(1, "session/prompt", "s1")
		synctest.Wait()
		r.request(2, "refused", "")
		r.wantError(2)
		r.request(3, "last", "")
		synctest.Wait()
		r.h.Close()
		for seen, want := range map[string]string{
			"POST initialize":     "mine=1",
			"GET":                 "mine=1; POST-initialize=v",
			"GET s1":              "mine=1; POST-initialize=v; GET=v",
			"POST session/prompt": "mine=1; POST-initialize=v; GET=v; GET-s1=v",
			"POST refused":        "mine=1; POST-initialize=v; GET=v; GET-s1=v; POST-session-prompt=v",
			"POST last":           "mine=1; POST-initialize=v; GET=v; GET-s1=v; POST-session-prompt=v; POST-refused=v",
			"DELETE":              "mine=1; POST-initialize=v; GET=v; GET-s1=v; POST-session-prompt=v; POST-refused=v; POST-last=v",
		} {
			if got := r.server.all(seen)[0].Header.Get("Cookie"); got != want {
				t.Errorf("%s: cookies %q, want %q", seen, got, want)
			}
		}

		r.h = r.dial(Remote{Jar: jar})
		r.initialize()
		if got := r.server.all("POST initialize")[1].Header.Get("Cookie"); !strings.Contains(got, "POST-last=v; DELETE=v") {
			t.Errorf("after the reconnect: cookies %q", got)
		}

		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			http.SetCookie(w, &http.Cookie{Name: "upgrade", Value: "v"})
			return refuse(426)(w, q)
		}
		r.redial(Remote{Jar: jar})
		dialled := ""
		r.h.socket = func(_ context.Context, remote *remote) (Conn, error) {
			for _, c := range remote.Jar.Cookies(remote.url) {
				dialled += c.Name + " "
			}
			return nil, errors.New("no")
		}
		r.request(0, "initialize", "")
		r.wantEnd(nil)
		if !strings.Contains(dialled, "POST-last ") || !strings.Contains(dialled, "upgrade ") {
			t.Errorf("the WebSocket is dialled with cookies %q", dialled)
		}
	})
}

func newJar(t *testing.T) http.CookieJar {
	t.Helper()
	ready := must.Get(Remote{URL: "http://x"}.prepare())(t)
	return ready.Jar
}

// Case 184: an answer in the body of the POST's response is received once; other bodies are
// not.
func TestCase184InlineAnswer(t *testing.T) {
	inBubble(t, func(r *rig) {
		bodies := map[int]string{
			1: result(1),
			2: `{"accepted":true}`,
			3: "[" + result(3) + "]",
			4: "[]",
			5: "{\"jsonrpc\":\"2.0\",\r\n \"id\":5, \"result\":{}}",
			6: "not JSON",
			7: "[1]",
		}
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			body, ok := bodies[q.n-1]
			return ok && reply(w, 200+(q.n&1)*2, "", body)
		}
		r.initialize()
		for i := range len(bodies) {
			r.request(i+1, "x", "")
			switch i + 1 {
			case 1:
				r.want(result(1))
			case 3:
				r.want("[" + result(3) + "]")
			case 5:
				r.want(`{"jsonrpc":"2.0",   "id":5, "result":{}}`)
			}
			r.wantNothing(time.Second)
		}
		r.request(8, "y", "")
		r.server.say("", result(8))
		r.want(result(8))
	})
}

// A body that is not needed does not delay later messages, however long it is.
func TestEndlessBody(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			if q.String() != "POST endless" {
				return false
			}
			w.WriteHeader(http.StatusAccepted)
			for q.Context().Err() == nil {
				io.WriteString(w, ".")
				http.NewResponseController(w).Flush()
				time.Sleep(time.Second)
			}
			return true
		}
		r.initialize()
		r.request(1, "endless", "")
		r.request(2, "endless", "")
		r.request(3, "last", "")
		r.wantSeen("POST initialize", "GET", "POST endless", "POST endless", "POST last")
		r.wantNothing(time.Minute)
	})
}

// Older servers answer each request with its own stream.
func TestInlineStream(t *testing.T) {
	inBubble(t, func(r *rig) {
		more := make(chan string)
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			if q.String() != "POST session/prompt" {
				return false
			}
			w.Header().Set("Content-Type", "text/event-stream")
			for text := range more {
				io.WriteString(w, text)
				http.NewResponseController(w).Flush()
			}
			return true
		}
		r.session("s1")
		r.request(1, "session/prompt", "s1")
		more <- "data: " + update("s1", 1) + "\n\n"
		r.want(update("s1", 1))
		r.notify("session/cancel", "s1") // the stream delays nothing
		synctest.Wait()
		if len(r.server.all("POST session/cancel")) != 1 {
			t.Error("session/cancel waits for the end of the turn")
		}
		more <- "data: " + result(1) + "\n\n"
		close(more)
		r.want(result(1))
		r.wantNothing(time.Minute)
	})
}

// If such a stream ends without the answer, it may arrive on another; if it does not, the
// fate of the request is unknown.
func TestInlineStreamWithoutAnswer(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			if q.n > 1 {
				w.Header().Set("Content-Type", "text/event-stream")
				http.NewResponseController(w).Flush()
			}
			return q.n > 1
		}
		r.session("s1")
		r.request(1, "session/prompt", "s1")
		r.request(2, "session/prompt", "s1")
		time.Sleep(20 * time.Second)
		r.server.say("s1", result(1))
		r.want(result(1))
		r.wantError(2, "may have been processed")
		if r.now() != 30*time.Second {
			t.Errorf("after %v", r.now())
		}
	})
}

// initialize may be answered with a stream, too.
func TestInitializeStream(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set(connectionHeader, "c")
			io.WriteString(w, ":\n\ndata: "+result(0)+"\n\n")
			http.NewResponseController(w).Flush()
			<-q.Context().Done()
			return true
		}
		r.request(0, "initialize", "")
		r.want(result(0))
		r.wantSeen("POST initialize", "GET")
	})
}

// dropping returns a handler that drops the connection the first n times.
func dropping(seen string, n int) func(http.ResponseWriter, *acpRequest) bool {
	return func(w http.ResponseWriter, q *acpRequest) bool {
		if q.String() == seen && n > 0 {
			n--
			panic(http.ErrAbortHandler)
		}
		return false
	}
}

// A notification is posted once more if the network failed or may have delivered it in
// part; if that fails, the connection ends. A request is never posted again.
func TestNotificationRetried(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onPost = dropping("POST session/cancel", 1)
		r.session("s1")
		r.notify("session/cancel", "s1")
		r.notify("session/cancel", "s1")
		r.wantSeen("POST initialize", "GET", "GET s1", "POST session/cancel", "POST session/cancel", "POST session/cancel")
		r.wantNothing(time.Minute)
	})
	inBubble(t, func(r *rig) {
		r.server.onPost = dropping("POST session/cancel", 2)
		r.session("s1")
		r.notify("session/cancel", "s1")
		if err := r.wantEnd(nil); !strings.Contains(err.Error(), "notification") {
			t.Error(err)
		}
	})
	inBubble(t, func(r *rig) {
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			return q.String() == "POST session/cancel" && refuse(500)(w, q)
		}
		r.session("s1")
		r.notify("session/cancel", "s1")
		var status *StatusError
		if err := r.wantEnd(nil); !errors.As(err, &status) || status.Status != 500 || len(r.server.all("POST session/cancel")) != 1 {
			t.Errorf("got %v", err)
		}
	})
	for _, status := range []int{400, 408} {
		inBubble(t, func(r *rig) {
			r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
				return q.String() == "POST session/cancel" && len(r.server.all("POST session/cancel")) == 1 && refuse(status)(w, q)
			}
			r.session("s1")
			r.notify("session/cancel", "s1")
			r.wantSeen("POST initialize", "GET", "GET s1", "POST session/cancel", "POST session/cancel")
			r.wantNothing(time.Minute)
		})
	}
	inBubble(t, func(r *rig) {
		r.server.onPost = dropping("POST session/prompt", 1)
		r.session("s1")
		r.request(1, "session/prompt", "s1")
		r.wantError(1, "may have been processed")
		r.wantNothing(time.Minute)
		if n := len(r.server.all("POST session/prompt")); n != 1 {
			t.Errorf("sent %d times", n)
		}
	})
}

// An answer is posted once more, twice more if it may have arrived in part, and more often
// if the server says that it did not arrive. One that the server refuses is dropped; one
// that cannot be delivered ends the connection.
func TestAnswerRetried(t *testing.T) {
	for status, want := range map[int]struct {
		posts int
		ends  bool
	}{400: {3, false}, 408: {6, true}, 409: {1, false}, 500: {1, true}, 502: {2, true}, 0: {2, true}} {
		inBubble(t, func(r *rig) {
			r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
				switch {
				case q.String() != "POST answer 7":
					return false
				case status == 0:
					panic(http.ErrAbortHandler)
				}
				return refuse(status)(w, q)
			}
			r.session("s1")
			r.answer(7, "s1")
			if want.ends {
				r.wantEnd(nil)
			} else {
				r.wantNothing(time.Minute)
				if !strings.Contains(r.log(), fmt.Sprint(status)) {
					t.Errorf("the log: %q", r.log())
				}
			}
			if n := len(r.server.all("POST answer 7")); n != want.posts {
				t.Errorf("%d: posted %d times", status, n)
			}
		})
	}
	inBubble(t, func(r *rig) {
		r.server.onPost = dropping("POST answer 7", 1)
		r.session("s1")
		r.answer(7, "s1")
		r.wantNothing(time.Minute)
	})
}

// The answers to a batch are posted one at a time if the server accepts no batches, and as
// errors if they are too large.
func TestAnswerBatch(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool { return q.body[0] == '[' && refuse(501)(w, q) }
		r.initialize()
		r.send(Message{Data: []byte("[" + result(7) + "," + result(8) + "]"), Answer: true})
		r.wantSeen("POST initialize", "GET", "POST answer ", "POST answer 7", "POST answer 8")
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool { return len(q.body) > 1000 && refuse(413)(w, q) }
		r.send(Message{Data: []byte("[" + result(9) + `,{"jsonrpc":"2.0","id":"x","result":"` + strings.Repeat("x", 1000) + `"}]`), Answer: true})
		synctest.Wait()
		all := r.server.all("POST answer ")
		body := all[len(all)-1].body
		if strings.Count(body, `"error"`) != 2 || !strings.Contains(body, `"id":9,`) || !strings.Contains(body, `"id":"x",`) {
			t.Errorf("the answers to the batch: %q", body)
		}
		r.wantNothing(time.Minute)
	})
}

// The send queue is bounded: when it is full, Send blocks like a write to a full pipe.
func TestSendBlocks(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			time.Sleep(time.Second)
			return false
		}
		r.h.ordered.limit = 1000
		r.initialize()
		began := r.now()
		data := []byte(requestText(1, "x", ""))
		for range 100 {
			copy(data, `{"jsonrpc":"2.0"`)
			r.send(Message{Data: data})
			copy(data, `################`) // the buffer belongs to the caller again
		}
		if took := r.now() - began; took < 70*time.Second || took > 95*time.Second {
			t.Errorf("100 messages in %v", took)
		}
		time.Sleep(time.Minute)
		for _, q := range r.server.all("POST x") {
			if q.body != requestText(1, "x", "") {
				t.Fatalf("the server got %q", q.body)
			}
		}
		if n := len(r.server.all("POST x")); n != 100 {
			t.Errorf("%d messages", n)
		}
	})
}

// A server that never answers a POST fails the request eventually.
func TestPostWithoutAnswer(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			if q.String() == "POST session/prompt" {
				<-q.Context().Done()
			}
			return false
		}
		r.session("s1")
		r.request(1, "session/prompt", "s1")
		r.wantError(1, "does not answer", "may have been processed")
		if r.now() != 10*time.Minute {
			t.Errorf("after %v", r.now())
		}
	})
}

// No secret appears where it could be shown: in errors, in the log, or in text that a
// server repeats.
func TestSecretsStaySecret(t *testing.T) {
	secrets := []string{"t0ken", "s3cret", "k3y-value", "a%20b%20c", "a b c", "Basic", "bearer-t"}
	remote := Remote{
		URL:    "http://ada:s3cret@127.0.0.1:4242/acp?token=t0ken&x=a%20b%20c",
		Header: http.Header{"X-Key": {"k3y-value"}},
	}
	check := func(t *testing.T, text string) {
		t.Helper()
		for _, s := range secrets {
			if strings.Contains(text, s) {
				t.Errorf("%q is in %q", s, text)
			}
		}
	}
	repeat := func(w http.ResponseWriter, q *acpRequest) bool {
		w.WriteHeader(500)
		fmt.Fprintf(w, "%s %v %s %s", q.URL, q.Header, q.URL.Query(), "s3cret")
		return true
	}
	t.Run("refused", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.redial(remote)
			r.server.onPost = repeat
			r.request(0, "initialize", "")
			var status *StatusError
			err := r.wantEnd(nil)
			if !errors.As(err, &status) || status.Body == "" {
				t.Fatal(err)
			}
			check(t, err.Error()+status.Body)
		})
	})
	t.Run("request", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.redial(remote)
			r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool { return q.n > 1 && repeat(w, q) }
			r.initialize()
			r.request(1, "x", "")
			check(t, r.wantError(1))
		})
	})
	t.Run("unreachable", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.redial(remote)
			r.net.down.Store(true)
			r.request(0, "initialize", "")
			err := r.wantEnd(nil)
			var u *url.Error
			if errors.As(err, &u) {
				t.Error("the error holds the URL")
			}
			if check(t, err.Error()); !strings.Contains(err.Error(), "refused") {
				t.Error(err)
			}
		})
	})
	t.Run("redirect", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.redial(remote)
			r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
				w.Header().Set("Location", "http://[::1]:namedport/"+q.URL.RawQuery)
				w.WriteHeader(307)
				return true
			}
			r.request(0, "initialize", "")
			check(t, r.wantEnd(nil).Error())
		})
	})
	t.Run("streams", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.redial(remote)
			r.server.onGet = func(w http.ResponseWriter, q *acpRequest) bool { return q.session() != "" && repeat(w, q) }
			r.initialize()
			r.request(1, "session/prompt", "s1")
			check(t, r.wantError(1))
			check(t, r.log())
		})
	})
}
