package headless

import (
	"bufio"
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/fakeagent"
)

// lines decodes stream-json; every line must be an object with a type.
func lines(t *testing.T, out string) []jsonEvent {
	t.Helper()
	var all []jsonEvent
	for l := range strings.SplitSeq(strings.TrimSuffix(out, "\n"), "\n") {
		var e jsonEvent
		d := json.NewDecoder(strings.NewReader(l))
		d.DisallowUnknownFields()
		if err := d.Decode(&e); err != nil || e.Type == "" {
			t.Fatalf("%s: got %v", l, err)
		}
		all = append(all, e)
	}
	return all
}

// only returns the events of one type.
func only(all []jsonEvent, kind string) []jsonEvent {
	var out []jsonEvent
	for _, e := range all {
		if e.Type == kind {
			out = append(out, e)
		}
	}
	return out
}

func TestStreamJSON(t *testing.T) {
	t.Parallel()
	r := play(t, demoAgent, "think, plan, edit notes.txt and run `echo hi`", format("stream-json"), policy(ApproveAll))
	all := lines(t, r.out)
	if r.code != ExitDone || r.stderr != "" {
		t.Errorf("code %d, stderr %q", r.code, r.stderr)
	}
	if first := all[0]; first.Type != "start" || first.Agent != "test" || first.Version != "1.2" || first.Protocol != 1 || first.Session == "" || first.Cwd != r.dir {
		t.Errorf("got %+v", first)
	}
	last := all[len(all)-1]
	if last.Type != "end" || last.StopReason != "end_turn" || last.Code == nil || *last.Code != 0 || last.Error != "" || last.Seconds <= 0 {
		t.Errorf("got %+v", last)
	}
	text := map[string]string{}
	for _, e := range only(all, "text") {
		text[e.Role] += e.Text
		if e.MessageID == "" {
			t.Errorf("got %+v", e)
		}
	}
	if !strings.Contains(text["agent"], "`notes.txt` has one more line now.") || text["thought"] == "" || len(text) != 2 {
		t.Errorf("got %q", text)
	}
	tools := only(all, "tool")
	edit := tools[0].Tool
	if path := filepath.Join(r.dir, "notes.txt"); edit.Kind != "edit" || edit.Status != "pending" || len(edit.Diffs) != 1 || edit.Diffs[0].Path != path ||
		edit.Diffs[0].Old != "" || edit.Diffs[0].New != "- edited by the demo agent\n" || len(edit.Locations) != 1 || edit.Locations[0] != path {
		t.Errorf("got %+v", edit)
	}
	if run := tools[len(tools)-1].Tool; run.Kind != "execute" || run.Status != "completed" || len(run.Terminals) != 1 || !strings.Contains(run.RawInput, "echo hi") || run.RawOutput == "" {
		t.Errorf("got %+v", run)
	}
	if allowed := only(all, "permission"); len(allowed) != 2 || !*allowed[0].Allowed || allowed[0].By != "--approve-all" || allowed[0].Decision != "Allow" {
		t.Errorf("got %+v", allowed)
	}
	started, output, exit := only(all, "terminal"), only(all, "terminal_output"), only(all, "terminal_exit")
	if len(started) != 1 || started[0].Text != "echo hi" || started[0].Cwd != r.dir || len(output) != 1 || output[0].Text != "hi\n" || len(exit) != 1 || *exit[0].ExitCode != 0 {
		t.Errorf("%+v %+v %+v", started, output, exit)
	}
	if plans := only(all, "plan"); len(plans) < 2 || len(plans[0].Plan) == 0 || plans[len(plans)-1].Plan[0].Status != "completed" {
		t.Errorf("got %+v", plans)
	}
	if usage := only(all, "usage"); len(usage) != 1 || *usage[0].Size != 200_000 || usage[0].Cost != nil {
		t.Errorf("got %+v", usage)
	}
	if title := only(all, "title"); len(title) != 1 || !strings.HasPrefix(title[0].Text, "think, plan") {
		t.Errorf("got %+v", title)
	}
}

func TestStreamJSONDenied(t *testing.T) {
	t.Parallel()
	r := play(t, demoAgent, "run ls", format("stream-json"))
	all := lines(t, r.out)
	denied, end := only(all, "denied"), all[len(all)-1]
	if r.code != ExitDenied || len(denied) != 1 || denied[0].Subject != "Run a command: ls" || denied[0].Flag != "--approve-all" || *end.Code != ExitDenied {
		t.Errorf("code %d, %+v, %+v", r.code, denied, end)
	}
	if settled := only(all, "permission"); len(settled) != 1 || *settled[0].Allowed || settled[0].Decision != "Reject" {
		t.Errorf("got %+v", settled)
	}
}

func TestStreamJSONFailure(t *testing.T) {
	t.Parallel()
	r := play(t, process("dies"), "go", format("stream-json"))
	all := lines(t, r.out)
	end := all[len(all)-1]
	if r.code != ExitAgent || end.Type != "end" || *end.Code != 1 || end.Error != "the agent exited with code 3" || len(end.Stderr) != 2 || end.Stderr[0] != "first" {
		t.Errorf("code %d, %+v", r.code, end)
	}
	// Also before anything has begun.
	if all = lines(t, play(t, process("exits 3"), "go", format("stream-json")).out); len(all) != 1 || all[0].Type != "end" || all[0].Error == "" {
		t.Errorf("got %+v", all)
	}
}

func decodeResult(t *testing.T, out string) Result {
	t.Helper()
	var r Result
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil || d.More() || !strings.HasSuffix(out, "}\n") {
		t.Fatalf("%q: got %v", out, err)
	}
	return r
}

func TestJSON(t *testing.T) {
	t.Parallel()
	r := play(t, demoAgent, "think, edit notes.txt and run `exit 7`", format("json"), policy(ApproveAll))
	got := decodeResult(t, r.out)
	if r.code != ExitDone || got.Code != ExitDone || got.Agent != "test" || got.Version != "1.2" || got.Session == "" || got.Cwd != r.dir || got.StopReason != "end_turn" || got.Error != "" {
		t.Errorf("code %d, %+v", r.code, got)
	}
	if !strings.Contains(got.Answer, "`notes.txt` has one more line now.") || !strings.Contains(got.Answer, "exit code 7") || got.Thoughts == "" {
		t.Errorf("%q, %q", got.Answer, got.Thoughts)
	}
	if len(got.Tools) != 2 || got.Tools[0].Status != "completed" || got.Tools[1].Status != "failed" || len(got.Tools[0].Diffs) != 1 {
		t.Errorf("got %+v", got.Tools)
	}
	if len(got.Permissions) != 2 || len(got.Denied) != 0 {
		t.Errorf("%+v, %+v", got.Permissions, got.Denied)
	}
}

func TestJSONDeniedAndFailed(t *testing.T) {
	t.Parallel()
	r := play(t, demoAgent, "edit notes.txt", format("json"))
	got := decodeResult(t, r.out)
	if r.code != ExitDenied || got.Code != ExitDenied || len(got.Denied) != 1 || got.Denied[0].Flag != "--approve-all" || !strings.Contains(r.stderr, "--approve-all would allow it") {
		t.Errorf("code %d, %+v, %q", r.code, got, r.stderr)
	}
	r = play(t, process("exits 3"), "go", format("json"))
	got = decodeResult(t, r.out)
	if r.code != ExitAgent || got.Error != "the agent exited with code 3" || len(got.Stderr) != 1 || got.Tools == nil {
		t.Errorf("code %d, %+v", r.code, got)
	}
}

// The object has the tokens, and the cost if the agent reports one.
func TestJSONUsage(t *testing.T) {
	t.Parallel()
	const priced = `{"sessionUpdate":"usage_update","used":1200,"size":200000,"cost":{"amount":0.25,"currency":"USD"}}`
	got := decodeResult(t, play(t, sends(priced, chunk("", "hello")), "go", format("json")).out)
	if got.Used != 1200 || got.Size != 200_000 || got.Cost == nil || *got.Cost != 0.25 || got.Currency != "USD" {
		t.Errorf("got %+v", got)
	}
	const limited = `{"sessionUpdate":"usage_update","used":1,"size":2,"_meta":{"_claude/rateLimit":{"status":"rejected","rateLimitType":"five_hour","resetsAt":4000000000,"utilization":1}}}`
	const inJSON = `"limit":{"status":"rejected","type":"five_hour","utilization":1,"resetsAt":"2096-10-02T07:06:40Z"}`
	answers := func(with string) agent {
		return does(func(t *fakeagent.Turn) string { t.Say("hi"); t.Update(limited); return with })
	}
	r := play(t, answers(""), "go", format("json"))
	if !strings.Contains(r.out, inJSON) || !strings.Contains(r.out, "(-32603); limit reached, resets ") {
		t.Errorf("json: %s", r.out)
	}
	r = play(t, answers(`{"stopReason":"end_turn","usage":{"totalTokens":12,"inputTokens":7,"outputTokens":5}}`), "go", format("stream-json"))
	if !strings.Contains(r.out, inJSON) || !strings.Contains(r.out, `"type":"end","usage":{"total":12,"input":7,"output":5}`) {
		t.Errorf("stream-json: %s", r.out)
	}
	const unpriced = `{"sessionUpdate":"usage_update","used":7,"size":0}`
	got = decodeResult(t, play(t, sends(unpriced, chunk("", "hello")), "go", format("json")).out)
	if got.Used != 7 || got.Cost != nil || got.Currency != "" {
		t.Errorf("without a cost: got %+v", got)
	}
}

// Whatever an agent or a command writes, the lines are plain text to a terminal and decode
// to the exact bytes.
func TestJSONStreamEscapes(t *testing.T) {
	t.Parallel()
	r := play(t, demoAgent, "run `printf '\\033[2J\\302\\233x\\177'`", format("stream-json"), policy(ApproveAll))
	for _, c := range r.out {
		if c < ' ' && c != '\n' || c >= 0x7f && c <= 0x9f {
			t.Fatalf("%q in the output", c)
		}
	}
	if output := only(lines(t, r.out), "terminal_output"); len(output) != 1 || output[0].Text != "\x1b[2J\u009bx\x7f" {
		t.Errorf("got %+v", output)
	}
	var b bytes.Buffer
	const text = "\u009b \u202e \U000e0041 é 漢 <b>&\x00\x7f"
	jsonStream{out: bufio.NewWriter(&b)}.write(text)
	var back string
	if json.Unmarshal(b.Bytes(), &back) != nil || back != text {
		t.Errorf("%q became %q", text, back)
	}
	if b.String() != `"\u009b \u202e \udb40\udc41 é 漢 <b>&\u0000\u007f"`+"\n" {
		t.Error(b.String())
	}
}
