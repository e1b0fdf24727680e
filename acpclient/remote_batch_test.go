package acpclient_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/transport"
	"parley/internal/must"
)

// batched is what the server sends at once: updates, unknown requests, and more updates.
const batched = `[` + batchedUpdate + `,{"jsonrpc":"2.0","id":"a","method":"_one"},` + batchedUpdate + `,{"jsonrpc":"2.0","id":"b","method":"_two"}]`

const batchedUpdate = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`

// batches is a server that answers what it must, sends a batch once a session is open,
// and passes on the messages that are not requests.
type batches struct {
	answers chan string
	say     chan string // on the stream of the session
}

// reply returns the answer to a request, "" for other messages.
func (s *batches) reply(data []byte) (method, answer string) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal(data, &m); m.Method == "" {
		s.answers <- string(data)
		return "", ""
	}
	result := map[string]string{"initialize": `{"protocolVersion":1}`, "session/new": `{"sessionId":"s1"}`}[m.Method]
	return m.Method, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (s *batches) socket(w http.ResponseWriter, req *http.Request) {
	conn, err := websocket.Accept(w, req, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	for {
		_, data, err := conn.Read(req.Context())
		if err != nil {
			return
		}
		method, answer := s.reply(data)
		if answer != "" {
			conn.Write(req.Context(), websocket.MessageText, []byte(answer))
		}
		if method == "session/new" {
			conn.Write(req.Context(), websocket.MessageText, []byte(batched))
		}
	}
}

func (s *batches) http(w http.ResponseWriter, req *http.Request) {
	switch {
	case req.Method == http.MethodGet && req.Header.Get("Acp-Session-Id") == "":
		s.stream(w, req, s.say)
	case req.Method == http.MethodGet:
		all := make(chan string, 1)
		all <- batched
		s.stream(w, req, all)
	case req.Method == http.MethodPost:
		body, _ := io.ReadAll(req.Body)
		method, answer := s.reply(body)
		if method != "initialize" {
			w.WriteHeader(http.StatusAccepted)
			if answer != "" {
				s.say <- answer
			}
			return
		}
		w.Header().Set("Acp-Connection-Id", "c1")
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answer)
	}
}

func (s *batches) stream(w http.ResponseWriter, req *http.Request, messages <-chan string) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	flush()
	for {
		select {
		case m := <-messages:
			fmt.Fprintf(w, "data: %s\n\n", m)
			flush()
		case <-req.Context().Done():
			return
		}
	}
}

// Case 42: a batch in a WebSocket frame or in an event of a stream is handled like a
// batch on a line: completely, with one message of answers.
func TestCase42(t *testing.T) {
	for _, scheme := range []string{"ws", "http"} {
		t.Run(scheme, func(t *testing.T) {
			s := &batches{answers: make(chan string, 10), say: make(chan string, 10)}
			server := httptest.NewServer(http.HandlerFunc(map[string]http.HandlerFunc{"ws": s.socket, "http": s.http}[scheme]))
			defer server.Close()
			q := event.NewQueue()
			c := must.Get(acpclient.Dial(t.Context(), transport.Remote{URL: scheme + strings.TrimPrefix(server.URL, "http"), H2C: "off"},
				acpclient.Options{Name: "parley", Version: "0", Sink: q}))(t)
			defer c.Close()
			must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: t.TempDir()}))(t)
			var answers []struct {
				ID    string
				Error struct{ Code int }
			}
			answer := soon(t, s.answers)
			if json.Unmarshal([]byte(answer), &answers) != nil || len(answers) != 2 || answers[0].ID+answers[1].ID != "ab" && answers[0].ID+answers[1].ID != "ba" ||
				answers[0].Error.Code != -32601 || answers[1].Error.Code != -32601 {
				t.Errorf("answered %s", answer)
			}
			text := ""
			for _, e := range q.Drain() { // the answers came after the whole batch was read
				if e, ok := e.(event.TextArrived); ok {
					text += e.Text
				}
			}
			if text != "xx" {
				t.Errorf("shown %q", text)
			}
		})
	}
}

func soon(t *testing.T, from <-chan string) string {
	t.Helper()
	select {
	case s := <-from:
		return s
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came")
		return ""
	}
}

// The error of a request that could not be sent is the transport's, not the agent's.
func TestUnsentIsNoAnswer(t *testing.T) {
	s := &batches{answers: make(chan string, 10), say: make(chan string, 10)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		if strings.Contains(string(body), "session/new") {
			http.Error(w, "too much at once", http.StatusTooManyRequests)
			return
		}
		req.Body = io.NopCloser(strings.NewReader(string(body)))
		s.http(w, req)
	}))
	defer server.Close()
	c, err := acpclient.Dial(t.Context(), transport.Remote{URL: server.URL, H2C: "off"}, acpclient.Options{Name: "parley", Version: "0", Sink: event.NewQueue()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.NewSession(t.Context(), acpclient.NewSession{Cwd: t.TempDir()})
	if err == nil || strings.Contains(err.Error(), "the agent answered") || !strings.Contains(err.Error(), "429") {
		t.Errorf("got %v", err)
	}
}
