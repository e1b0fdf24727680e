package headless

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/must"
)

// b64 returns a text as ACP 2 encodes output.
func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// quoted returns a text as JSON.
func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// toolObjects returns the final objects of all calls in the two formats: for stream-json
// the last of each.
func toolObjects(t *testing.T, with agent, change ...func(*Options)) (whole, streamed []*toolEvent) {
	t.Helper()
	r := play(t, with, "go", append(change, format("json"))...)
	if strings.Contains(r.out, "null") {
		t.Errorf("null in %s", r.out)
	}
	for _, e := range only(lines(t, play(t, with, "go", append(change, format("stream-json"))...).out), "tool") {
		if i := slices.IndexFunc(streamed, func(o *toolEvent) bool { return o.ID == e.Tool.ID }); i >= 0 {
			streamed[i] = e.Tool
			continue
		}
		streamed = append(streamed, e.Tool)
	}
	return decodeResult(t, r.out).Tools, streamed
}

// wantTool checks the object of the only call, in both formats.
func wantTool(t *testing.T, with agent, want string, change ...func(*Options)) {
	t.Helper()
	whole, streamed := toolObjects(t, with, change...)
	for format, got := range map[string][]*toolEvent{"json": whole, "stream-json": streamed} {
		if b, _ := json.Marshal(got); string(b) != "["+want+"]" {
			t.Errorf("%s: got %s\nwant %s", format, b, want)
		}
	}
}

// The object of a call includes the output of a command that the agent runs itself, and how
// it ended, whenever they arrive.
func TestToolObjectHasOutputOfTheAgentsTerminal(t *testing.T) {
	t.Parallel()
	const want = `{"id":"c","title":"Run it","kind":"execute","status":"failed","output":"out\nred ü\n","exitCode":3,"terminals":["c"]}`
	call := `{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Run it","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"c"}]}`
	failed := `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed"}`
	exit := `{"sessionUpdate":"terminal_update","terminalId":"c","exitStatus":{"exitCode":3}}`
	snapshot := `{"sessionUpdate":"terminal_update","terminalId":"c","command":"make","output":{"data":"` + b64("out\n\x1b[31mred\x1b[0m ü\n") + `"}}`
	piece := func(s string) string {
		return `{"sessionUpdate":"terminal_output_chunk","terminalId":"c","data":"` + b64(s) + `"}`
	}
	for name, steps := range map[string][]string{
		"snapshot":                 {call, snapshot, exit, failed},
		"snapshot after the call":  {call, failed, snapshot, exit},
		"pieces":                   {call, piece("out\n\x1b[31mred"), piece("\x1b[0m \xc3"), piece("\xbc\n"), exit, failed},
		"pieces, then a snapshot":  {call, piece("what is taken back"), snapshot, exit, failed},
		"before the call shows it": {snapshot, exit, call, failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantTool(t, sendsV2(steps...), want)
		})
	}
	v1 := sends(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"Run it","kind":"execute","status":"pending","content":[{"type":"terminal","terminalId":"c"}],"_meta":{"terminal_info":{"terminal_id":"c"}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"c","data":`+quoted("out\n\x1b[31mred\x1b[0m ü\n")+`}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","_meta":{"terminal_exit":{"terminal_id":"c","exit_code":3,"signal":null}}}`)
	t.Run("version 1", func(t *testing.T) {
		t.Parallel()
		wantTool(t, v1, want)
	})
}

// It includes the output of a command that parley ran for the agent too.
func TestToolObjectHasOutputOfParleysTerminal(t *testing.T) {
	t.Parallel()
	whole, streamed := toolObjects(t, demoAgent, policy(ApproveAll), func(o *Options) { o.Prompt = "run `printf 'a\\rb'; exit 7`" })
	all := append(whole, streamed...)
	if len(all) != 2 {
		t.Fatalf("%d calls", len(all))
	}
	for _, tool := range all {
		if tool.Output != "a\nb" || tool.ExitCode == nil || *tool.ExitCode != 7 {
			t.Errorf("got %+v", tool)
		}
	}
}

// A change has its text before and after, in either version of ACP, and is never null.
func TestToolObjectHasDiffs(t *testing.T) {
	t.Parallel()
	patch := "diff --git /w/f.go /w/f.go\n--- /w/f.go\n+++ /w/f.go\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -9 +9 @@\n-y\n\\ No newline at end of file\n+z\n" +
		"diff --git /w/old /w/new\nrename from /w/old\nrename to /w/new\n" + "not a patch\n" + "--- /dev/null\n+++ /w/made\n@@ -0,0 +1 @@\n+x\n"
	v2 := sendsV2(
		`{"sessionUpdate":"tool_call_update","toolCallId":"d","title":"Edit","kind":"edit","status":"completed","content":[{"type":"diff","changes":[` +
			`{"operation":"modify","path":"/w/f.go","fileType":"text"},{"operation":"move","path":"/w/new","oldPath":"/w/old"},{"operation":"delete","path":"/w/gone","fileType":"binary"}],` +
			`"patch":{"format":"git_patch","text":` + quoted(patch) + `}}]}`)
	wantTool(t, v2, `{"id":"d","title":"Edit","kind":"edit","status":"completed","diffs":[`+
		`{"path":"/w/f.go","operation":"modify","fileType":"text","line":1,"old":"a\nb\n","new":"a\nc\n"},{"path":"/w/f.go","operation":"modify","fileType":"text","line":9,"old":"y","new":"z\n"},`+
		`{"path":"/w/new","oldPath":"/w/old","operation":"move","old":"","new":""},{"path":"/w/gone","operation":"delete","fileType":"binary","old":"","new":""},`+
		`{"path":"/w/made","operation":"add","line":1,"old":"","new":"x\n"}],"unread":"not a patch\n"}`)

	v1 := sends(`{"sessionUpdate":"tool_call","toolCallId":"d","title":"Edit","kind":"edit","status":"completed","content":[{"type":"diff","path":"/w/f","oldText":null,"newText":"x\n"}]}`)
	wantTool(t, v1, `{"id":"d","title":"Edit","kind":"edit","status":"completed","diffs":[{"path":"/w/f","old":"","new":"x\n"}]}`)

	dir := t.TempDir()
	file := quoted(filepath.Join(dir, "f"))
	must.Do(t, os.WriteFile(filepath.Join(dir, "f"), []byte("1\n2\n3\n4\n5\nbee\n"), 0o600))
	part := sends(`{"sessionUpdate":"tool_call","toolCallId":"d","title":"Edit","kind":"edit","status":"completed","content":[{"type":"diff","path":` + file + `,"oldText":"5\nbee","newText":"5\nwasp"}]}`)
	wantTool(t, part, `{"id":"d","title":"Edit","kind":"edit","status":"completed","diffs":[{"path":`+file+`,"line":5,"old":"5\nbee","new":"5\nwasp"}]}`, func(o *Options) { o.Session.Cwd = dir })
}

// stream-json reports the state of an ACP 2 terminal as it arrives, in complete characters.
func TestStreamJSONOfTerminals(t *testing.T) {
	t.Parallel()
	s := &fakeagent.Script{Protocol: "2"}
	s.Turn(func(t *fakeagent.Turn) string {
		sending(`{"sessionUpdate":"terminal_update","terminalId":"c","command":"make","cwd":"/w"}`,
			`{"sessionUpdate":"terminal_output_chunk","terminalId":"c","data":"`+b64("\xc3")+`"}`)(t)
		t.Wait(2 * time.Millisecond)
		return sending(`{"sessionUpdate":"terminal_output_chunk","terminalId":"c","data":"`+b64("\xbc")+`"}`,
			`{"sessionUpdate":"terminal_update","terminalId":"c","output":{"data":"`+b64("all")+`"}}`,
			`{"sessionUpdate":"terminal_update","terminalId":"c","exitStatus":{"exitCode":0}}`)(t)
	})
	var told []string
	for _, e := range lines(t, play(t, follows(s), "go", format("stream-json")).out) {
		if strings.HasPrefix(e.Type, "terminal") {
			e.Seconds = 0
			b, _ := json.Marshal(e)
			told = append(told, string(b))
		}
	}
	want := []string{`{"type":"terminal","cwd":"/w","text":"make","terminal":"c"}`, `{"type":"terminal_output","text":"ü","terminal":"c"}`,
		`{"type":"terminal_output","text":"all","terminal":"c","replaces":true}`, `{"type":"terminal_exit","terminal":"c","exitCode":0}`}
	if strings.Join(told, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
}

// A denial names what the question showed, not the agent's words.
func TestDeniedBySubject(t *testing.T) {
	t.Parallel()
	for want, ask := range map[string]string{
		"a.go, b.go": `{"toolCallId":"a","title":"Tidy","kind":"edit","content":[{"type":"diff","path":"a.go","oldText":"","newText":"x"},{"type":"diff","path":"b.go","oldText":"","newText":"x"}]}`,
		"/w/notes":   `{"toolCallId":"a","title":"Look","kind":"read","content":[{"type":"content","content":{"type":"text","text":"I only look"}}],"locations":[{"path":"/w/notes"}]}`,
		"git push":   `{"toolCallId":"a","title":"Lab: scripted","kind":"execute","rawInput":{"command":"git push","description":"Lab"}}`,
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			r := play(t, asks(ask), "go")
			if !strings.Contains(r.stderr, ": "+want+" (") || !strings.Contains(r.stderr, "parley: "+want+": rejected (--deny-all)") {
				t.Errorf("got %q", r.stderr)
			}
			whole := decodeResult(t, play(t, asks(ask), "go", format("json")).out)
			if len(whole.Denied) != 1 || !strings.HasSuffix(whole.Denied[0].Subject, ": "+want) || len(whole.Permissions) != 1 || whole.Permissions[0].Subject != want {
				t.Errorf("%+v, %+v", whole.Denied, whole.Permissions)
			}
		})
	}
}
