package acpclient

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/thread"
	"parley/acpclient/wire"
)

// contentOf handles updates of one call and returns its content in words, as the last of them left it.
func contentOf(t *testing.T, version int, services Services, messages ...string) string {
	t.Helper()
	var events recorded
	c := testClient(version, &events)
	c.opts.Services = services
	h := (*handler)(c)
	for _, m := range messages {
		jsonrpc.Each([]byte(m), func(m jsonrpc.Message) {
			if m.ID != nil {
				h.Request(jsonrpc.Request{Method: m.Method, Params: m.Params})
			} else {
				h.Notification(m.Method, m.Params)
			}
		})
	}
	shown := thread.New("s1")
	for _, e := range events {
		shown.Apply(e)
	}
	var words []string
	for _, c := range shown.Tool("c").Content {
		switch {
		case c.Diff != nil:
			words = append(words, fmt.Sprintf("diff %q %q", c.Diff.Old, c.Diff.New))
		case c.Terminal != "":
			words = append(words, "terminal")
		case c.Content != nil:
			words = append(words, fmt.Sprintf("text %q", c.Content.Text))
		case c.Changes != nil:
			words = append(words, "changes")
		}
		if c.Kept {
			words[len(words)-1] = "kept " + words[len(words)-1]
		}
		if c.Asked {
			words[len(words)-1] += " asked"
		}
		if c.OldRead {
			words[len(words)-1] += " read"
		}
	}
	return strings.Join(words, ", ")
}

func call(members string) string {
	return update(`{"sessionUpdate":"tool_call","toolCallId":"c",` + members + `}`)
}
func after(members string) string {
	return update(`{"sessionUpdate":"tool_call_update","toolCallId":"c",` + members + `}`)
}
func ask(members string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c",` + members + `},"options":[]}}`
}

func TestResults(t *testing.T) {
	const (
		notes   = `{"type":"diff","path":"/w/notes.txt","oldText":"old\n","newText":"new\n"}`
		blind   = `{"type":"diff","path":"/w/notes.txt","newText":"new\n"}`
		wrote   = `{"type":"content","content":{"type":"text","text":"Wrote file successfully."}}`
		git     = `\ndiff --git a/w/notes.txt b/w/notes.txt\nindex 0000000..0000000 100644\n--- a/w/notes.txt\n+++ b/w/notes.txt\n`
		hunk    = `@@ -1,3 +1,3 @@\n one\n-an old line\n+an new line\n two\n`
		created = `\ndiff --git a/w/notes.txt b/w/notes.txt\ncreate file mode 100644\nindex 0000000..0000000\n--- a/dev/null\n+++ b/w/notes.txt\n@@ -1,0 +1,1 @@\n+new\n\n`
	)
	text := func(s string) string { return `{"type":"content","content":{"type":"text","text":"` + s + `"}}` }
	terminal := `"content":[{"type":"terminal","terminalId":"c"}]`
	ran := `"status":"completed","rawOutput":{"call_id":"c","stdout":"out\n","formatted_output":"out and err\n","exit_code":0}`
	started := call(`"title":"ls","kind":"execute","status":"in_progress","rawInput":{"command":["ls"]},"_meta":{"terminal_info":{"terminal_id":"c","cwd":"/w"}},` + terminal)
	for name, test := range map[string]struct {
		messages []string
		want     string
	}{
		"opencode, a write that was asked about": {[]string{call(`"title":"write","kind":"edit","status":"pending"`), ask(`"kind":"edit","content":[` + notes + `]`),
			after(`"status":"completed","content":[` + wrote + `]`)}, `kept diff "old\n" "new\n" asked, text "Wrote file successfully."`},
		"another sentence in between": {[]string{call(`"kind":"edit","content":[` + notes + `]`), after(`"content":[` + text("writing") + `]`), after(`"status":"completed"`)},
			`kept diff "old\n" "new\n", text "writing"`},
		"a rejected write": {[]string{call(`"kind":"edit"`), ask(`"content":[` + notes + `]`), after(`"status":"failed","content":[` + text("rejected") + `]`)}, `text "rejected"`},
		"another diff at the end": {[]string{call(`"kind":"edit","content":[` + notes + `]`), after(`"status":"completed","content":[` + blind + `,` + text("x") + `,{"type":"diff","path":"/w/b","newText":"b"}]`)},
			`diff "old\n" "new\n", text "x", diff "" "b"`},
		"the question reads the file": {[]string{call(`"kind":"edit","content":[` + blind + `]`), ask(`"title":"Write"`), after(`"status":"in_progress","content":[` + blind + `]`), after(`"status":"completed"`)},
			`diff "read\n" "new\n" read`},
		"copilot, an edit of a part": {[]string{call(`"kind":"edit","content":[{"type":"diff","path":"/w/notes.txt","oldText":"old","newText":"new"}]`), after(`"status":"completed","content":[` + text(git+hunk) + `]`)},
			`diff "old" "new"`},
		"copilot, a new file":        {[]string{call(`"kind":"edit","content":[` + blind + `]`), after(`"status":"completed","content":[` + blind + `,` + text(created) + `]`)}, `diff "" "new\n"`},
		"a patch that says more":     {[]string{call(`"kind":"edit","status":"completed","content":[` + notes + `,` + text(git+hunk) + `]`)}, `diff "old\n" "new\n", text "` + git + hunk + `"`},
		"a patch of another file":    {[]string{call(`"kind":"edit","status":"completed","content":[` + notes + `,` + text(strings.ReplaceAll(git, "notes", "other")+`@@ -1 +1 @@\n-old\n+new\n`) + `]`)}, `diff "old\n" "new\n", text "` + strings.ReplaceAll(git, "notes", "other") + `@@ -1 +1 @@\n-old\n+new\n"`},
		"codex-zed, a short command": {[]string{started, after(ran)}, `terminal, text "out and err\n"`},
		"with output on the way":     {[]string{started, after(`"_meta":{"terminal_output":{"terminal_id":"c","data":"out"}}`), after(ran)}, `terminal`},
		"with output at the end":     {[]string{started, after(ran + `,"_meta":{"terminal_output":{"terminal_id":"c","data":"out"}}`)}, `terminal`},
		"in a terminal of parley's":  {[]string{call(`"kind":"execute",` + terminal), after(ran)}, `terminal`},
		"without a terminal":         {[]string{call(`"kind":"execute"`), after(`"status":"failed","rawOutput":{"formatted_output":"","stdout":"only this"}`)}, `text "only this"`},
		"with other content":         {[]string{call(`"kind":"execute"`), after(`"content":[` + text("said") + `],` + ran)}, `text "said"`},
		"still running":              {[]string{call(`"kind":"execute"`), after(`"rawOutput":{"stdout":"x"}`)}, ``},
		"output that is no text":     {[]string{call(`"kind":"execute"`), after(`"status":"completed","rawOutput":{"stdout":["x"],"formatted_output":7}`)}, ``},
		"output that is no object":   {[]string{call(`"kind":"execute"`), after(`"status":"completed","rawOutput":"stdout"`)}, ``},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(_ string, items []wire.ToolContent) []wire.ToolContent {
				items = append([]wire.ToolContent(nil), items...)
				for i, c := range items {
					if old := "read\n"; c.Type == "diff" && c.OldText == nil {
						items[i].OldText, items[i].Overwrites = &old, true
					}
				}
				return items
			}
			if got := contentOf(t, 1, Services{OldTexts: read}, test.messages...); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// In v2 the changes of a finished call stay, too.
func TestResultsOfV2(t *testing.T) {
	changes := `"content":[{"type":"diff","changes":[{"operation":"modify","path":"/w/a"}],"patch":{"format":"git_patch","text":"--- /w/a\n+++ /w/a\n@@ -1 +1 @@\n-a\n+b\n"}}]`
	got := contentOf(t, 2, Services{}, after(`"kind":"edit",`+changes), after(`"status":"completed","content":[{"type":"content","content":{"type":"text","text":"done"}}]`))
	if got != `kept changes, text "done"` {
		t.Errorf("got %s", got)
	}
}

// The exit code of a command is found in the raw output of the agents that call every command completed.
func TestExitCodes(t *testing.T) {
	for raw, want := range map[string]int{
		`{"output":"x","metadata":{"output":"x","exit":3,"truncated":false}}`: 3,                      // opencode
		`{"exit_code":2,"stdout":""}`:                                         2, `{"exitCode":0}`: 0, // codex, the demo
		`{"output":"exit 3"}`: -1, `"exit"`: -1, `{"exit":"3"}`: -1, `{"metadata":7}`: -1, `null`: -1,
	} {
		for kind, want := range map[string]int{"execute": want, "fetch": -1} {
			var events recorded
			c := testClient(1, &events)
			jsonrpc.Each([]byte(call(`"kind":"`+kind+`","status":"completed","rawOutput":`+raw)), func(m jsonrpc.Message) { (*handler)(c).Notification(m.Method, m.Params) })
			shown := thread.New("s1")
			for _, e := range events {
				shown.Apply(e)
			}
			got := -1
			if code := shown.Tool("c").ExitCode; code != nil {
				got = *code
			}
			if got != want {
				t.Errorf("%s, %s: %d, want %d", kind, raw, got, want)
			}
		}
	}
}
