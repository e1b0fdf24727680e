package acpclient_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/must"
	"parley/internal/safetext"
)

// An agent's error text is safe to show wherever it appears.
func TestCase193HostileErrors(t *testing.T) {
	const evil = "x\x1b]52;c;eA==\x07\x1b[2J\u202e\u009b31m\x00\r"
	quoted, _ := json.Marshal(evil)
	q := event.NewQueue()
	failure := fmt.Sprintf(`"error":{"code":-32603,"message":%s,"data":%s}`, quoted, quoted)
	_, c := greet(t, everything, map[string]string{"session/load": failure, "authenticate": failure, "session/set_mode": failure,
		"session/list": fmt.Sprintf(`{"sessions":[{"sessionId":"a","cwd":"/","title":%s,"updatedAt":%s}]}`, quoted, quoted)}, acpclient.Options{Sink: q})
	s := must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"}))(t)
	_, load := c.LoadSession(t.Context(), "old", acpclient.NewSession{Cwd: "/"})
	listed, _ := c.ListSessions(t.Context(), "")
	said := []string{load.Error(), c.Authenticate(t.Context(), "oauth").Error(), s.SetMode(t.Context(), "a").Error(), listed[0].Title}
	for _, e := range q.Drain() {
		if e, ok := e.(event.HistoryEnded); ok {
			said = append(said, e.Err.Error())
		}
	}
	if len(said) != 5 {
		t.Errorf("said: %q", said)
	}
	for _, text := range said {
		if safetext.Line(text, 1000) != text {
			t.Errorf("not safe: %q", text)
		}
	}
}

// A message that is itself JSON, as from gemini, is shown as the text inside.
func TestErrorWhoseMessageIsJSON(t *testing.T) {
	for message, want := range map[string]string{
		"plain": "plain",
		`{"error":{"code":400,"message":"too long","status":"INTERNAL"}}`:  "too long",
		`{"error":{"message":"{\n  \"error\": {\"message\": \"deep\"}}"}}`: "deep",
		`{"error":"short"}`:                   "short",
		`[{"error":{"message":"in a list"}}]`: "in a list",
		`{"message":"outside"}`:               "outside",
		`{"error":{"code":1}}`:                `{"error":{"code":1}}`,
		`{"broken`:                            `{"broken`,
		`{"message":"a\u001b[2Jb"}`:           "ab",
	} {
		quoted, _ := json.Marshal(message)
		_, c := greet(t, everything, map[string]string{"session/new": fmt.Sprintf(`"error":{"code":500,"message":%s}`, quoted)}, acpclient.Options{})
		_, err := c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"})
		if got := fmt.Sprint(err); !strings.HasSuffix(got, "the agent answered: "+want+" (500)") {
			t.Errorf("%s: got %q", message, got)
		}
		_, c = greet(t, everything, map[string]string{"session/new": fmt.Sprintf(`"error":{"code":500,"message":"Internal error","data":{"details":%s}}`, quoted)}, acpclient.Options{})
		_, err = c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"})
		if got := fmt.Sprint(err); !strings.HasSuffix(got, "the agent answered: Internal error: "+want+" (500)") {
			t.Errorf("as the detail, %s: %q", message, got)
		}
	}
}
