package demo

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley/acpclient/jsonrpc"
)

const notes = workDir + "/notes.txt"

func TestRead(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		c.files[workDir+"/main.go"] = "package main\n\n// ```\n"
		tr := c.prompt(c.open(allCaps), "read main.go")
		if len(tr.tools) != 1 || tr.tools[0].kind != "read" || tr.tools[0].path() != "in_progress completed" {
			t.Fatalf("tools: %+v", tr.tools)
		}
		wantText(t, "tool call", tr.tools[0].text(), "````go\npackage main\n\n// ```\n````")
		wantText(t, "prose", tr.prose, "`main.go` has 3 lines")
		if got := tr.updates[slices.IndexFunc(tr.updates, func(u map[string]any) bool { return u["kind"] == "read" })]["locations"]; got.([]any)[0].(map[string]any)["path"] != workDir+"/main.go" {
			t.Errorf("locations: %v", got)
		}
	})
}

func TestReadMissing(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		tr := c.prompt(c.open(allCaps), "read, then run ls")
		if tr.stop != "end_turn" || len(tr.tools) != 2 || tr.tools[0].path() != "in_progress failed" {
			t.Fatalf("%q, tools: %+v", tr.stop, tr.tools)
		}
		wantText(t, "prose", tr.prose, "I could not read `README.md`", "Resource not found", "`ls` ended with exit code 0")
		wantText(t, "tool call", tr.tools[0].text(), "I could not read")
	})
}

func TestEdit(t *testing.T) {
	for _, tc := range []struct {
		name, prompt, path string
		old                any // string, or nil if the file does not exist
		want               string
	}{
		{"missing", "edit", notes, nil, "- edited by the demo agent\n"},
		{"empty", "edit", notes, "", "- edited by the demo agent\n"},
		{"lines", "edit", notes, "one\n", "one\ndemo agent was here (1)\n"},
		{"again", "edit", notes, "demo agent was here (1)\n", "demo agent was here (1)\ndemo agent was here (2)\n"},
		{"no end", "Edit a.txt!", workDir + "/a.txt", "one", "one\ndemo agent was here (1)\n"},
		{"CRLF", "edit", notes, "one\r\ntwo", "one\r\ntwo\r\ndemo agent was here (1)\r\n"},
		{"absolute", "edit /elsewhere/x.txt", "/elsewhere/x.txt", "x\n", "x\ndemo agent was here (1)\n"},
		{"below", "/edit sub/dir/b", workDir + "/sub/dir/b", nil, "- edited by the demo agent\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, Options{}, func(t *testing.T, c *client) {
				if old, ok := tc.old.(string); ok {
					c.files[tc.path] = old
				}
				tr := c.prompt(c.open(allCaps), tc.prompt)
				if got, _ := c.file(tc.path); got != tc.want {
					t.Errorf("file is %q, want %q", got, tc.want)
				}
				if len(tr.tools) != 1 || tr.tools[0].kind != "edit" || tr.tools[0].path() != "pending in_progress completed" {
					t.Fatalf("tools: %+v", tr.tools)
				}
				diff := tr.tools[0].content("diff")
				if diff["path"] != tc.path || diff["oldText"] != tc.old || diff["newText"] != tc.want {
					t.Errorf("diff: %v", diff)
				}
			})
		})
	}
}

// hunks creates a list if there is none, and then changes it in three places. It leaves the questions to
// the client, which can write a part of each.
func TestHunks(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		path := workDir + "/demo.md"
		s := c.open(allCaps)
		tr := c.prompt(s, "hunks")
		if len(tr.tools) != 2 || len(c.called("session/request_permission")) != 0 || len(c.called("fs/write_text_file")) != 2 {
			t.Fatalf("%d tools, calls: %v", len(tr.tools), c.called())
		}
		created, edited := tr.tools[0].content("diff"), tr.tools[1].content("diff")
		if created["oldText"] != nil || created["newText"] != edited["oldText"] || created["path"] != path {
			t.Errorf("created %v\nedited %v", created, edited)
		}
		hunks := func(diff map[string]any) (n int) {
			old, text := strings.Split(diff["oldText"].(string), "\n"), strings.Split(diff["newText"].(string), "\n")
			if len(old) != len(text) {
				t.Fatalf("%d lines become %d", len(old), len(text))
			}
			last := -10
			for i := range old {
				if old[i] != text[i] {
					if i-last < 8 {
						t.Errorf("lines %d and %d are in one hunk", last, i)
					}
					n, last = n+1, i
				}
			}
			return n
		}
		if n := hunks(edited); n != 3 {
			t.Errorf("%d hunks", n)
		}
		again := c.prompt(s, "hunks")
		if len(again.tools) != 1 || hunks(again.tools[0].content("diff")) != 3 {
			t.Errorf("the second time: %+v", again.tools)
		}
		wantText(t, "prose", again.prose, "three places", "`h`")

		c.instead = "a part\n"
		part := c.prompt(s, "hunks")
		if diff := part.tools[0].content("diff"); part.tools[0].path() != "pending in_progress completed" || diff["newText"] != c.instead {
			t.Errorf("a part was written: %s, %v", part.tools[0].path(), diff)
		}
		wantText(t, "prose", part.prose, "only a part")
		c.instead = ""

		c.files[path] = "short\n"
		short := c.prompt(s, "hunks")
		if got, _ := c.file(path); len(short.tools) != 1 || got == "short\n" || !strings.HasPrefix(got, "short") {
			t.Errorf("a short file became %q", got)
		}
		c.denied["fs/write_text_file"] = jsonrpc.Errorf(-32603, "no")
		delete(c.files, path)
		if tr := c.prompt(s, "hunks"); len(tr.tools) != 1 {
			t.Errorf("without a file: %+v", tr.tools)
		}
	})
}

// unasked reports a command that ran, and asks the client for nothing.
func TestUnasked(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		s := c.open(allCaps)
		tr := c.prompt(s, "unasked")
		if len(tr.tools) != 1 || tr.tools[0].kind != "execute" || tr.tools[0].path() != "in_progress completed" || tr.tools[0].raw["command"] != "date" {
			t.Fatalf("tools: %+v", tr.tools)
		}
		if n := len(c.called("session/request_permission", "terminal/create")); n != 0 {
			t.Errorf("%d requests", n)
		}
		wantText(t, "prose", tr.prose, "without asking", "/trust")
	})
}

// Every line of the tour but those of the client's own commands is a prompt that does something.
func TestTour(t *testing.T) {
	for _, line := range Tour {
		if e := errandOf(readPrompt([]promptBlock{{Type: "text", Text: line[0]}})); len(e.wants) != 1 && line[0][0] != '/' {
			t.Errorf("%s: %v", line[0], e.wants)
		}
	}
}

func TestPermissionRequest(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		s := c.open(allCaps)
		c.prompt(s, "edit")
		asked := c.called("session/request_permission")
		if len(asked) != 1 || asked[0].params["sessionId"] != s {
			t.Fatalf("asked: %v", asked)
		}
		var options []string
		for _, o := range asked[0].params["options"].([]any) {
			m := o.(map[string]any)
			options = append(options, m["kind"].(string)+"="+m["name"].(string))
		}
		want := []string{"allow_once=Allow", "allow_always=Always allow edits in this session", "reject_once=Reject"}
		if !slices.Equal(options, want) {
			t.Errorf("options: %q", options)
		}
		call := asked[0].params["toolCall"].(map[string]any)
		if _, has := call["sessionUpdate"]; has || call["status"] != "pending" || call["content"].([]any)[0].(map[string]any)["type"] != "diff" {
			t.Errorf("toolCall: %v", call)
		}
	})
}

func TestRefused(t *testing.T) {
	for _, tc := range []struct{ name, outcome, option, why string }{
		{"rejected", "selected", "reject_once", "Without your permission"},
		{"cancelled", "cancelled", "", "Without your permission"},
		{"an option never offered", "selected", "allow_everything", "Without your permission"},
		{"an error", "", "", "I could not ask for permission"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, Options{}, func(t *testing.T, c *client) {
				c.files[notes] = "mine\n"
				c.permit = func(context.Context) (string, string) { return tc.outcome, tc.option }
				if tc.outcome == "" {
					c.denied["session/request_permission"] = jsonrpc.Errorf(-32603, "no user")
				}
				tr := c.prompt(c.open(allCaps), "edit notes.txt and run rm -rf x")
				if got, _ := c.file(notes); got != "mine\n" {
					t.Errorf("the file was changed: %q", got)
				}
				if n := len(c.called("fs/write_text_file", "terminal/create")); n != 0 {
					t.Errorf("%d calls without permission", n)
				}
				if tr.stop != "end_turn" || tr.tools[0].path() != "pending failed" || tr.tools[1].path() != "pending failed" {
					t.Fatalf("%q, tools: %+v %+v", tr.stop, tr.tools[0], tr.tools[1])
				}
				wantText(t, "prose", tr.prose, tc.why, "I left `notes.txt` alone.", "I did not run `rm -rf x`.")
				wantText(t, "tool call", tr.tools[0].text(), "I left `notes.txt` alone.")
				if tr.tools[0].content("diff") == nil {
					t.Error("the refused diff is gone")
				}
			})
		})
	}
}

func TestNotAskedAgain(t *testing.T) {
	bubble(t, Options{Pace: -1}, func(t *testing.T, c *client) {
		s := c.open(allCaps)
		asked := func(prompt string) int {
			before := len(c.called("session/request_permission"))
			c.prompt(s, prompt)
			return len(c.called("session/request_permission")) - before
		}
		if n := asked("edit and run ls"); n != 2 {
			t.Errorf("asked %d times at first", n)
		}
		c.permit = func(context.Context) (string, string) { return "selected", "allow_always" }
		if n := asked("edit"); n != 1 {
			t.Errorf("asked %d times after allow_once", n)
		}
		c.permit = func(context.Context) (string, string) { return "selected", "reject_once" }
		if n := asked("edit and run ls"); n != 1 {
			t.Errorf("asked %d times after allow_always for edits", n)
		}
		c.must("session/set_mode", setModeParams{s, "auto"}, nil)
		if n := asked("edit and run ls"); n != 0 {
			t.Errorf("asked %d times in mode auto", n)
		}
		c.must("session/set_mode", setModeParams{s, "ask"}, nil)
		if n := asked("run ls"); n != 1 {
			t.Errorf("asked %d times back in mode ask", n)
		}
		if s = c.newSession(); asked("edit") != 1 {
			t.Error("always holds for another session")
		}
	})
}

// An existing file that cannot be read is never overwritten.
func TestEditUnreadable(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		c.denied["fs/read_text_file"] = jsonrpc.Errorf(-32603, "is too large")
		tr := c.prompt(c.open(allCaps), "edit")
		if n := len(c.called("fs/write_text_file", "session/request_permission")); n != 0 {
			t.Errorf("%d calls after the refusal", n)
		}
		wantText(t, "prose", tr.prose, "I could not read `notes.txt`, so I left it alone", "is too large")
		if len(tr.tools) != 1 || tr.tools[0].path() != "pending failed" {
			t.Errorf("tools: %+v", tr.tools)
		}
	})
}

func TestMissingByText(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		c.denied["fs/read_text_file"] = jsonrpc.Errorf(-32603, "Internal error").WithData(map[string]string{"details": "ENOENT: no such file or directory"})
		tr := c.prompt(c.open(allCaps), "edit")
		if got, _ := c.file(notes); got != "- edited by the demo agent\n" || tr.tools[0].content("diff")["oldText"] != nil {
			t.Errorf("file %q, diff %v", got, tr.tools[0].content("diff"))
		}
	})
}

func TestRunCommand(t *testing.T) {
	one, two := 0, 2
	for _, tc := range []struct {
		name   string
		exit   exitResult
		status string
		says   string
	}{
		{"success", exitResult{ExitCode: &one}, "completed", "`ls -la` ended with exit code 0 and wrote 2 lines."},
		{"failure", exitResult{ExitCode: &two}, "failed", "`ls -la` ended with exit code 2"},
		{"signal", exitResult{Signal: "SIGKILL"}, "failed", "`ls -la` was ended by signal SIGKILL"},
		{"nothing known", exitResult{}, "failed", "`ls -la` was ended and"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, Options{}, func(t *testing.T, c *client) {
				c.exit = func(context.Context) any { return tc.exit }
				tr := c.prompt(c.open(allCaps), "run ls -la.")
				if len(tr.tools) != 1 || tr.tools[0].kind != "execute" || tr.tools[0].path() != "pending in_progress "+tc.status {
					t.Fatalf("tools: %+v", tr.tools)
				}
				if got := tr.tools[0].content("terminal"); got["terminalId"] != "term-1" {
					t.Errorf("content: %v", tr.tools[0].contents)
				}
				if raw := tr.tools[0].raw; raw["command"] != "ls -la" || raw["cwd"] != workDir {
					t.Errorf("rawInput: %v", raw)
				}
				wantText(t, "prose", tr.prose, tc.says)
				var order []string
				for _, k := range c.called() {
					order = append(order, strings.TrimPrefix(k.method, "terminal/"))
				}
				if got := strings.Join(order, " "); got != "session/request_permission create wait_for_exit output release" {
					t.Errorf("calls: %s", got)
				}
				if p := c.called("terminal/create")[0].params; p["command"] != "ls -la" || p["args"] != nil || p["cwd"] != workDir {
					t.Errorf("terminal/create: %v", p)
				}
			})
		})
	}
}

func TestClientErrors(t *testing.T) {
	for _, tc := range []struct{ method, prompt, says string }{
		{"fs/write_text_file", "edit", "I could not write `notes.txt`: read-only (-32603)."},
		{"terminal/create", "run ls", "I could not run `ls`: read-only"},
		{"terminal/wait_for_exit", "run ls", "I lost sight of `ls`"},
		{"terminal/output", "run ls", "I could not get the output of `ls`"},
		{"terminal/release", "run ls", "I could not release the terminal"},
	} {
		t.Run(tc.method, func(t *testing.T) {
			bubble(t, Options{}, func(t *testing.T, c *client) {
				c.denied[tc.method] = jsonrpc.Errorf(-32603, "read-only")
				tr := c.prompt(c.open(allCaps), tc.prompt)
				wantText(t, "prose", tr.prose, tc.says)
				if last := tr.tools[0].statuses; tr.stop != "end_turn" || last[len(last)-1] != "failed" {
					t.Errorf("%q, %v", tr.stop, last)
				}
				created := len(c.called("terminal/create")) > 0 && tc.method != "terminal/create"
				if released := len(c.called("terminal/release")); created != (released == 1) {
					t.Errorf("released %d times", released)
				}
			})
		})
	}
}

func TestEditAndRun(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		tr := c.prompt(c.open(allCaps), "edit notes.txt and run ls")
		if got, _ := c.file(notes); got != "- edited by the demo agent\n" {
			t.Errorf("file: %q", got)
		}
		if p := c.called("terminal/create"); len(p) != 1 || p[0].params["command"] != "ls" {
			t.Errorf("terminal/create: %v", p)
		}
		if len(tr.tools) != 2 || tr.tools[0].path() != "pending in_progress completed" || tr.tools[1].path() != "pending in_progress completed" || tr.late != 0 {
			t.Errorf("tools: %+v", tr.tools)
		}
	})
}

func TestMissingCapabilities(t *testing.T) {
	for _, tc := range []struct{ caps, lacks string }{
		{`{}`, "`fs/read_text_file` `terminal/create`"},
		{`{"fs":{"readTextFile":true}}`, "`fs/write_text_file` `terminal/create`"},
		{`{"fs":{"writeTextFile":true},"terminal":true}`, "`fs/read_text_file`"},
	} {
		bubble(t, Options{}, func(t *testing.T, c *client) {
			tr := c.prompt(c.open(tc.caps), "edit notes.txt and run ls")
			for what := range strings.FieldsSeq(tc.lacks) {
				wantText(t, "prose", tr.prose, "this client does not offer "+what)
			}
			if n := len(c.called("fs/write_text_file")); n != 0 || tr.stop != "end_turn" {
				t.Errorf("%s: %d writes, %q", tc.caps, n, tr.stop)
			}
			if strings.Contains(tc.lacks, "terminal") == (len(c.called("terminal/create")) == 1) {
				t.Errorf("%s: got %v", tc.caps, c.called())
			}
		})
	}
}
