package acpclient

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/thread"
)

// Todo lists of tools feed the plan: opencode's todowrite, claude's TodoWrite, codex's update_plan and
// gemini's write_todos. Input that only looks like one does not.
func TestTodos(t *testing.T) {
	for name, test := range map[string]struct{ message, want string }{
		"opencode": {call(`"title":"todowrite","kind":"other","rawInput":{"todos":[{"content":"Look","status":"completed","priority":"high"},{"content":"Change **one**\n file","status":"in_progress","priority":"high"}]}`),
			"completed Look, in_progress Change **one** file"},
		"opencode, the result": {after(`"status":"completed","content":[{"type":"content","content":{"type":"text","text":"[\n {\"content\":\"Look\",\"status\":\"completed\"}\n]"}}]`), "completed Look"},
		"claude":               {call(`"title":"Update todos","kind":"think","rawInput":{"todos":[{"content":"Look","status":"pending","activeForm":"Looking"}]}`), "pending Look"},
		"codex":                {call(`"title":"update_plan","rawInput":{"explanation":"why","plan":[{"step":"Look","status":"in_progress"}]}`), "in_progress Look"},
		"gemini":               {call(`"title":"write_todos","kind":"think","rawInput":{"todos":[{"description":"Look","status":"cancelled"}]}`), "cancelled Look"},
		"failed":               {call(`"title":"t","status":"failed","rawInput":{"todos":[{"content":"Look","status":"pending"}]}`), ""},
		"other states":         {call(`"title":"t","rawInput":{"todos":[{"content":"Look","status":"open"}]}`), ""},
		"no text":              {call(`"title":"t","rawInput":{"todos":[{"id":1,"status":"pending"}]}`), ""},
		"not a list":           {call(`"title":"t","rawInput":{"todos":{"status":"pending"}}`), ""},
		"an escape":            {call(`"title":"t","rawInput":{"todos":[{"content":"a\u001b[2Jb","status":"pending"}]}`), "pending ab"},
	} {
		var events recorded
		c := testClient(1, &events)
		jsonrpc.Each([]byte(test.message), func(m jsonrpc.Message) { (*handler)(c).Notification(m.Method, m.Params) })
		var got []string
		shown := thread.New("s1")
		for _, e := range events {
			shown.Apply(e)
			if e, ok := e.(event.PlanChanged); ok {
				for _, p := range e.Entries {
					got = append(got, fmt.Sprintf("%s %s", p.Status, p.Content))
				}
			}
		}
		if steps := shown.Tool("c").Steps; len(steps) != len(got) {
			t.Errorf("%s: the call has the steps %v", name, steps)
		}
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("%s: %q, want %q", name, s, test.want)
		}
	}
}
