package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// failure checks the body of a refused POST: a JSON-RPC error.
func failure(t *testing.T, got reply, status, code int, id, message string) {
	t.Helper()
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(got.body), &m); err != nil {
		t.Fatalf("%+v: got %v", got, err)
	}
	if got.status != status || m.Version != "2.0" || string(m.ID) != id || m.Error.Code != code || !strings.Contains(m.Error.Message, message) ||
		got.header.Get("Content-Type") != "application/json" {
		t.Errorf("got %+v; want %d with %d and %q", got, status, code, message)
	}
}

// The status table, for POST.
func TestPostStatus(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		ours := "Acp-Connection-Id: " + c.id
		for _, tc := range []struct {
			name, body string
			headers    []string
			status     int
			code       int
			message    string
		}{
			{"no type", `{}`, []string{ours}, 415, -32600, "application/json"},
			{"another type", `{}`, []string{ours, "Content-Type: text/plain"}, 415, -32600, "application/json"},
			{"nearly", `{}`, []string{ours, "Content-Type: application/json5"}, 415, -32600, "application/json"},
			{"no connection", request("1", "session/new", `{}`), []string{asJSON}, 400, -32600, "missing Acp-Connection-Id"},
			{"an empty connection", request("1", "session/new", `{}`), []string{asJSON, "Acp-Connection-Id: "}, 400, -32600, "missing Acp-Connection-Id"},
			{"unknown connection", request("1", "session/new", `{}`), []string{asJSON, "Acp-Connection-Id: nobody"}, 404, -32600, "unknown Acp-Connection-Id"},
			{"unknown, and a new start", request("1", "initialize", `{}`), []string{asJSON, "Acp-Connection-Id: nobody"}, 404, -32600, "unknown Acp-Connection-Id"},
			{"initialized twice", request("1", "initialize", `{}`), []string{asJSON, ours}, 400, -32600, "already"},
			{"initialized twice, with an escaped method", `{"id":1,"method":"initi\u0061lize"}`, []string{asJSON, ours}, 400, -32600, "already"},
			{"a notification to initialize", `{"jsonrpc":"2.0","method":"initialize"}`, []string{asJSON}, 400, -32600, "with an id"},
			{"initialize with null", request("null", "initialize", `{}`), []string{asJSON}, 400, -32600, "with an id"},
			{"no session", request("1", "session/prompt", `{"sessionId":"s"}`), []string{asJSON, ours}, 400, -32600, "missing Acp-Session-Id"},
			{"no session at all", request("1", "session/prompt", `{}`), []string{asJSON, ours}, 400, -32600, "missing Acp-Session-Id"},
			{"no session, unknown method", request("1", "_x", `{"sessionId":"s"}`), []string{asJSON, ours}, 400, -32600, "missing Acp-Session-Id"},
			{"another session", request("1", "session/prompt", `{"sessionId":"s"}`), []string{asJSON, ours, "Acp-Session-Id: t"}, 400, -32600, "mismatched Acp-Session-Id"},
			{"another session, hidden", `{"id":1,"method":"x","params":{"sessionId":"t","sessionId":"s"}}`, []string{asJSON, ours, "Acp-Session-Id: t"}, 400, -32600, "mismatched"},
			{"two sessions", request("1", "session/prompt", `{"sessionId":"s"}`), []string{asJSON, ours, "Acp-Session-Id: s", "Acp-Session-Id: t"}, 400, -32600, "invalid Acp-Session-Id"},
			{"an endless session", request("1", "session/prompt", `{"sessionId":"s"}`), []string{asJSON, ours, "Acp-Session-Id: " + strings.Repeat("s", 1025)}, 400, -32600, "invalid Acp-Session-Id"},
			{"an endless id", request(`"`+strings.Repeat("1", 1024)+`"`, "session/list", `{}`), []string{asJSON, ours}, 400, -32600, "id"},
			{"no JSON", `{"jsonrpc":`, []string{asJSON, ours}, 400, -32700, "Parse error"},
			{"nothing", ``, []string{asJSON, ours}, 400, -32700, "Parse error"},
			{"two messages", `{"id":1,"method":"a"}{"id":2,"method":"b"}`, []string{asJSON, ours}, 400, -32700, "Parse error"},
			{"a number", `5`, []string{asJSON, ours}, 400, -32600, "object"},
			{"no message", `{"foo":1}`, []string{asJSON, ours}, 400, -32600, "not a request, a notification or a response"},
			{"no method", `{"id":1,"method":5}`, []string{asJSON, ours}, 400, -32600, "not a request, a notification or a response"},
			{"a batch", `[` + request("1", "session/list", `{}`) + `]`, []string{asJSON, ours}, 501, -32603, "batches"},
			{"an empty batch", `[]`, []string{asJSON, ours}, 501, -32603, "batches"},
			{"a batch with initialize", `[` + request("1", "initialize", `{}`) + `]`, []string{asJSON}, 501, -32603, "batches"},
		} {
			failure(t, r.do("POST", tc.body, tc.headers...), tc.status, tc.code, "null", tc.message)
			if t.Failed() {
				t.Fatal(tc.name)
			}
		}
		if n := strings.Count(r.log.String(), "agent started"); n != 1 {
			t.Errorf("%d agents were started", n)
		}
		if got := c.post("", request("1", "session/list", `{}`)); got.status != 202 || got.body != "" {
			t.Errorf("got %+v", got)
		}
		c.open("").want(result("1", `{"to":"session/list"}`)) // and nothing else has reached the agent
	})
}

// The status table, for GET and everything else.
func TestOtherStatus(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		c.open("")
		ours, stream := "Acp-Connection-Id: "+c.id, "Accept: text/event-stream"
		for _, tc := range []struct {
			name, method, path string
			headers            []string
			status             int
			message            string
		}{
			{"no Accept", "GET", "/acp", []string{ours}, 406, "text/event-stream"},
			{"any Accept", "GET", "/acp", []string{ours, "Accept: */*"}, 406, "text/event-stream"},
			{"another Accept", "GET", "/acp", []string{ours, "Accept: application/json"}, 406, "text/event-stream"},
			{"no connection", "GET", "/acp", []string{stream}, 400, "missing Acp-Connection-Id"},
			{"unknown connection", "GET", "/acp", []string{stream, "Acp-Connection-Id: nobody"}, 404, "unknown Acp-Connection-Id"},
			{"an endless session", "GET", "/acp", []string{stream, ours, "Acp-Session-Id: " + strings.Repeat("s", 1025)}, 400, "invalid Acp-Session-Id"},
			{"no receiver twice", "GET", "/acp", []string{"Accept: application/json, Text/Event-Stream;q=0.9", ours}, 409, "receiver"},
			{"delete nobody", "DELETE", "/acp", nil, 400, "missing Acp-Connection-Id"},
			{"delete an unknown connection", "DELETE", "/acp", []string{"Acp-Connection-Id: nobody"}, 404, "unknown Acp-Connection-Id"},
			{"another method", "PUT", "/acp", []string{ours}, 405, "GET, POST, DELETE"},
			{"HEAD", "HEAD", "/acp", []string{ours}, 405, ""},
			{"OPTIONS", "OPTIONS", "/acp", nil, 405, "GET, POST, DELETE"},
			{"another path", "GET", "/", []string{ours, stream}, 404, "/acp"},
			{"a longer path", "GET", "/acp/", []string{ours, stream}, 404, "/acp"},
			{"health by POST", "POST", "/healthz", nil, 405, ""},
		} {
			got := r.doAt(strings.TrimSuffix(r.base, "/acp")+tc.path, tc.method, nil, tc.headers...)
			if got.status != tc.status || !strings.Contains(got.body, tc.message) {
				t.Errorf("%s: %+v; want %d and %q", tc.name, got, tc.status, tc.message)
			}
			if want := map[bool]string{true: "GET, POST, DELETE"}[got.status == 405]; tc.path == "/acp" && got.header.Get("Allow") != want {
				t.Errorf("%s: Allow is %q", tc.name, got.header.Get("Allow"))
			}
		}
		if got := r.doAt(strings.TrimSuffix(r.base, "/acp")+"/healthz", "GET", nil, "Host: monitor.example"); got.status != 200 || got.body != `{"status":"ok"}` {
			t.Errorf("health: %+v", got)
		}
	})
}

func TestDelete(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		main, s := c.open(""), c.open("s")
		ours := "Acp-Connection-Id: " + c.id
		if got := r.do("DELETE", "", ours); got.status != 202 || got.body != "" {
			t.Errorf("got %+v", got)
		}
		main.ends()
		s.ends()
		for _, method := range []string{"DELETE", "GET", "POST"} {
			if got := r.do(method, request("1", "session/list", `{}`), ours, asJSON, "Accept: text/event-stream"); got.status != 404 {
				t.Errorf("%s: got %+v", method, got)
			}
		}
		r.log.wait(t, "connection ended", 1)
	})
}

// The stream of a session that the connection has not mentioned exists, or is 404 in strict
// mode.
func TestStrictSessions(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		main := c.open("")
		if _, status := c.tryOpen("sess-1"); status != 404 {
			t.Errorf("unknown: %d", status)
		}
		c.send("", request("1", "session/new", `{}`))
		main.want(result("1", `{"sessionId":"sess-1"}`))
		c.open("sess-1")
		if _, status := c.tryOpen("old"); status != 404 {
			t.Errorf("unknown: %d", status)
		}
		c.send("old", request("2", "session/load", `{"sessionId":"old"}`))
		c.open("old").want(update("old", "replay 0"))
		c.send("", saying("", update("told", "x"), `{"jsonrpc":"2.0","method":"done"}`))
		main.want(result("2", `{}`), `{"jsonrpc":"2.0","method":"done"}`)
		c.open("told").want(update("told", "x"))
	}, func(o *Options) { o.StrictSessions = true })
}

// Bodies over the limit are refused, with and without a Content-Length.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		body := request("1", "_x", `{"text":"`+strings.Repeat("x", 1<<20)+`"}`)
		failure(t, c.post("", body), 413, -32600, "null", "too large")
		unknown := struct{ io.Reader }{strings.NewReader(body)} // of unknown length
		failure(t, r.doAt(r.base, "POST", unknown, asJSON, "Acp-Connection-Id: "+c.id), 413, -32600, "null", "too large")
		c.send("", request("2", "session/list", `{}`))
		c.open("").want(result("2", `{"to":"session/list"}`))
	}, func(o *Options) { o.Limits.Message = 1 << 20 })
}

// Failures of an agent before it has answered initialize.
func TestInitializeFails(t *testing.T) {
	t.Parallel()
	initialize := request(`"i"`, "initialize", `{}`)
	for _, tc := range []struct {
		name    string
		change  func(*Options)
		status  int
		message string
	}{
		{"it cannot be started", func(o *Options) {
			o.Start = func(Client, *slog.Logger) (Agent, error) { return nil, errors.New("secret reason") }
		}, 500, "cannot start the agent"},
		{"it dies", mode("dies"), 500, "exit code 7"},
		{"it is silent", func(o *Options) { mode("mute")(o); o.Limits.Initialize = 50 * time.Millisecond }, 504, "in time"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "h1", tc.change)
			got := r.do("POST", initialize, asJSON)
			failure(t, got, tc.status, -32603, `"i"`, tc.message)
			if got.header.Get("Acp-Connection-Id") != "" || strings.Contains(got.body, "secret") {
				t.Errorf("got %+v", got)
			}
			r.log.wait(t, "connection ended", 1)
			if tc.name == "it dies" {
				r.log.wait(t, `stderr="no licence"`, 1)
			}
		})
	}
}

// If an agent refuses, its error is the answer and the connection is over.
func TestInitializeRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		got := r.do("POST", request("5", "initialize", `{}`), asJSON)
		if got.status != 200 || got.body != `{"jsonrpc":"2.0","id":5,"error":{"code":-32022,"message":"no such version"}}` {
			t.Errorf("got %+v", got)
		}
		id := got.header.Get("Acp-Connection-Id")
		if id == "" {
			t.Error("no id")
		}
		r.log.wait(t, "connection ended", 1)
		if got := r.do("DELETE", "", "Acp-Connection-Id: "+id); got.status != 404 {
			t.Errorf("got %+v", got)
		}
	}, mode("refuses"))
}

// If a client gives up while the agent starts, no agent is left.
func TestInitializeAbandoned(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		ctx, cancel := contextWithCancel(t)
		failed := make(chan error, 1)
		go func() {
			res, err := r.http.Do(r.request(ctx, r.base, "POST", strings.NewReader(request("1", "initialize", `{}`)), asJSON))
			if err == nil {
				res.Body.Close()
			}
			failed <- err
		}()
		r.log.wait(t, "agent started", 1)
		cancel()
		if <-failed == nil {
			t.Error("it was answered")
		}
		r.log.wait(t, "the client went away before", 1)
	}, mode("mute"))
}

func TestTooManyConnections(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1", func(o *Options) { o.Limits.Connections = 2 })
	a := r.connect()
	r.socket()
	got := r.do("POST", request("1", "initialize", `{}`), asJSON)
	failure(t, got, 503, -32603, "null", "limit of connections")
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if _, res, err := r.dial(); err == nil || res.StatusCode != 503 {
		t.Errorf("a WebSocket: %v", err)
	}
	r.do("DELETE", "", "Acp-Connection-Id: "+a.id)
	r.log.wait(t, "connection ended", 1)
	r.connect()
}

func TestTooManySessions(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1", func(o *Options) { o.Limits.Sessions = 2 })
	c := r.connect()
	main, a := c.open(""), c.open("a")
	b := c.open("b")
	if _, status := c.tryOpen("c"); status != 429 {
		t.Errorf("a stream too many: %d", status)
	}
	failure(t, c.post("c", request("1", "session/prompt", `{"sessionId":"c"}`)), 429, -32600, "null", "sessions")
	c.send("", saying("", update("c", "1"), update("a", "2"))) // there is no stream for c
	main.want(update("c", "1"))
	a.want(update("a", "2"))
	b.close()
	r.log.wait(t, "stream ends", 1)
	c.send("c", request("1", "session/prompt", `{"sessionId":"c"}`)) // takes the place of b, where nothing waits
	c.open("c").want(result("1", `{"to":"session/prompt"}`))
}

// Requests that an agent never answers do not pile up.
func TestTooManyOpenRequests(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1")
	c := r.connect()
	r.server.mu.Lock()
	routes := &r.server.byID[c.id].routes
	r.server.mu.Unlock()
	routes.mu.Lock()
	for i := range maxOpen {
		routes.clientRequests[fmt.Sprint("x", i)] = ""
	}
	routes.mu.Unlock()
	failure(t, c.post("", request("1", "session/list", `{}`)), 429, -32600, "null", "unanswered")
	c.send("", `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`) // which must get through
}
