package headless

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/fakeagent"
	"parley/internal/host"
	"parley/internal/must"
)

// ran is the result of a run.
type ran struct {
	code        int
	out, stderr string
	dir         string
}

// play runs a prompt with an agent.
func play(t *testing.T, with agent, prompt string, change ...func(*Options)) ran {
	t.Helper()
	dir := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	var out, stderr bytes.Buffer
	o := Options{
		Host: host.Options{Agent: "test", Version: "test"}, Client: acpclient.Options{Name: "parley", Version: "test", Elicit: true, TerminalLogin: true}, Connect: with,
		Session: acpclient.NewSession{Cwd: dir}, Prompt: prompt, Format: "text", Policy: DenyAll, Stdout: &out, Stderr: &stderr,
	}
	for _, f := range change {
		f(&o)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // only a broken test takes that long
	defer cancel()
	code := Run(ctx, o)
	return ran{code, out.String(), stderr.String(), dir}
}

func format(f string) func(*Options) { return func(o *Options) { o.Format = f } }
func policy(p Policy) func(*Options) { return func(o *Options) { o.Policy = p } }

func (r ran) expect(t *testing.T, code int, out string, stderr ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d", r.code, code)
	}
	if r.out != out {
		t.Errorf("stdout %q, want %q", r.out, out)
	}
	for _, s := range stderr {
		if !strings.Contains(r.stderr, s) {
			t.Errorf("stderr has no %q: %q", s, r.stderr)
		}
	}
	if len(stderr) == 0 && r.stderr != "" {
		t.Errorf("stderr %q", r.stderr)
	}
	for l := range strings.SplitSeq(strings.TrimSuffix(r.stderr, "\n"), "\n") {
		if l != "" && !strings.HasPrefix(l, "parley: ") {
			t.Errorf("stderr line %q", l)
		}
	}
}

func chunk(id, text string) string {
	if id != "" {
		id = fmt.Sprintf(`"messageId":%q,`, id)
	}
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk",%s"content":{"type":"text","text":%s}}`, id, quoted)
}

const (
	toolCall   = `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Look","kind":"read","status":"in_progress"}`
	toolUpdate = `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}`
	thought    = `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}`
)

func TestParagraphs(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		updates []string
		want    string
	}{
		"one message":                     {[]string{chunk("a", "one "), chunk("a", "two")}, "one two\n"},
		"a newline at the end":            {[]string{chunk("a", "one\n")}, "one\n"},
		"many at the end":                 {[]string{chunk("a", "one\n\n\n")}, "one\n"},
		"none between two":                {[]string{chunk("a", "Reading first."), chunk("b", "Now the edit.")}, "Reading first.\n\nNow the edit.\n"},
		"one between two":                 {[]string{chunk("a", "one\n"), chunk("b", "two")}, "one\n\ntwo\n"},
		"two between two":                 {[]string{chunk("a", "one\n\n"), chunk("b", "two")}, "one\n\ntwo\n"},
		"many between two":                {[]string{chunk("a", "one\n\n\n\n"), chunk("b", "\n\ntwo\n\n")}, "one\n\ntwo\n"},
		"in chunks of their own":          {[]string{chunk("a", "one"), chunk("a", "\n"), chunk("a", "\n\n"), chunk("b", "\n"), chunk("b", "\ntwo")}, "one\n\ntwo\n"},
		"blank lines inside stay":         {[]string{chunk("a", "one\n\n"), chunk("a", "\ntwo")}, "one\n\n\ntwo\n"},
		"a tool call between":             {[]string{chunk("", "one"), toolCall, chunk("", "two")}, "one\n\ntwo\n"},
		"a tool call between, same id":    {[]string{chunk("a", "one"), toolCall, chunk("a", "two")}, "one\n\ntwo\n"},
		"a tool update inside":            {[]string{toolCall, chunk("", "one "), toolUpdate, chunk("", "two")}, "one two\n"},
		"a thought between":               {[]string{chunk("", "one"), thought, chunk("", "two")}, "one\n\ntwo\n"},
		"a thought inside a message":      {[]string{chunk("a", "one "), thought, chunk("a", "two")}, "one two\n"},
		"an empty message at the end":     {[]string{chunk("a", "one"), chunk("b", "")}, "one\n"},
		"an empty message first":          {[]string{chunk("a", "\n"), chunk("b", "one")}, "one\n"},
		"an empty message between":        {[]string{chunk("a", "one"), chunk("b", "\n"), chunk("c", "two")}, "one\n\ntwo\n"},
		"control sequences":               {[]string{chunk("a", "\x1b]0;x\x07a\x1b[2J\u202eb\u0007")}, "ab\n"},
		"a control sequence in two parts": {[]string{chunk("a", "a\x1b["), chunk("a", "2Jb")}, "ab\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := play(t, sends(tc.updates...), "go")
			if r.code != ExitDone || r.out != tc.want {
				t.Errorf("code %d, %q, want %q", r.code, r.out, tc.want)
			}
		})
	}
}

func TestDemoDenied(t *testing.T) {
	t.Parallel()
	for _, p := range []Policy{DenyAll, ApproveReads, ""} {
		r := play(t, demoAgent, "edit notes.txt and run ls", policy(p))
		if r.code != ExitDenied || !strings.Contains(r.out, "Without your permission I left `notes.txt` alone.") {
			t.Errorf("%s: code %d, %q", p, r.code, r.out)
		}
		for _, want := range []string{
			"parley: not allowed: Create notes.txt (--approve-all would allow it)\n",
			"parley: not allowed: Run a command: ls (--approve-all would allow it)\n",
		} {
			if !strings.Contains(r.stderr, want) {
				t.Errorf("%s: stderr has no %q: %q", p, want, r.stderr)
			}
		}
		if _, err := os.Stat(filepath.Join(r.dir, "notes.txt")); err == nil {
			t.Errorf("%s: written", p)
		}
	}
}

func TestDemoApproved(t *testing.T) {
	t.Parallel()
	r := play(t, demoAgent, "edit notes.txt and run `echo hi > ran`", policy(ApproveAll))
	if r.code != ExitDone || !strings.Contains(r.out, "`notes.txt` has one more line now.\n\n") || strings.Contains(r.out, "\n\n\n") || strings.HasSuffix(r.out, "\n\n") {
		t.Errorf("code %d, %q", r.code, r.out)
	}
	for name, want := range map[string]string{"notes.txt": "- edited by the demo agent\n", "ran": "hi\n"} {
		if got, err := os.ReadFile(filepath.Join(r.dir, name)); string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	// It says who allowed it (case 113), and each question was asked once.
	if n := strings.Count(r.stderr, "allowed (--approve-all)"); n != 2 || strings.Contains(r.stderr, "not allowed") {
		t.Errorf("%d approvals in %q", n, r.stderr)
	}
}

func TestReadsAreFree(t *testing.T) {
	t.Parallel()
	secret := func(o *Options) {
		os.WriteFile(filepath.Join(o.Session.Cwd, ".env"), []byte("TOKEN=secret"), 0o600)
		os.WriteFile(filepath.Join(o.Session.Cwd, "f.txt"), []byte("free"), 0o600)
	}
	r := play(t, demoAgent, "read f.txt", secret)
	if r.code != ExitDone || !strings.Contains(r.out, "`f.txt` has 1 line.") {
		t.Errorf("code %d, %q %q", r.code, r.out, r.stderr)
	}
	for _, p := range []Policy{DenyAll, ApproveReads} {
		r := play(t, demoAgent, "read .env", secret, policy(p), format("stream-json"))
		if r.code != ExitDenied || strings.Contains(r.out, "TOKEN") || !strings.Contains(r.out, `"flag":"--approve-all"`) {
			t.Errorf("%s: code %d, %q", p, r.code, r.out)
		}
	}
	if r = play(t, demoAgent, "read .env", secret, policy(ApproveAll), format("stream-json")); r.code != ExitDone || !strings.Contains(r.out, "TOKEN") {
		t.Errorf("code %d, %q", r.code, r.out)
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	inside := `{"toolCallId":"t","title":"Look","kind":"read","rawInput":{"path":"f"}}`
	r := play(t, asks(inside), "go")
	r.expect(t, ExitDenied, "n\n", "not allowed: Read f (--approve-reads would allow it)")
	r = play(t, asks(inside), "go", policy(ApproveReads))
	r.expect(t, ExitDone, "y\n", "parley: f: allowed (--approve-reads)")
	r = play(t, asks(`{"toolCallId":"t","title":"Look","kind":"read","rawInput":{"path":"/elsewhere/x"}}`), "go", policy(ApproveReads))
	r.expect(t, ExitDenied, "n\n", "(--approve-all would allow it)")
	r = play(t, asks(`{"toolCallId":"t","title":"\u001b[2Jx","kind":"execute","rawInput":{"command":"a\u001b[2J\nb"}}`), "go")
	r.expect(t, ExitDenied, "n\n", `: a<\x1b>[2J … (--approve-all would allow it)`)
}

// --approve-reads allows nothing that is only called a read, and does not suggest itself
// for that.
func TestApproveReads(t *testing.T) {
	t.Parallel()
	const yes, no = "y\n", "n\n"
	for _, c := range []struct {
		tool    string
		allowed bool
	}{
		{`"kind":"read","rawInput":{"files":[{"path":"f"},{"path":"sub/g","offset":1}]}`, true},
		{`"kind":"search","rawInput":{"pattern":"TODO"}`, true},
		{`"kind":"read","locations":[{"path":"f"}]`, true},
		{`"kind":"read"`, false},
		{`"kind":"read","rawInput":{"files":["f","/elsewhere/x"]}`, false},
		{`"kind":"read","rawInput":{"path":"f","command":"touch ran"}`, false},
		{`"kind":"read","rawInput":{"path":"f","url":"https://example.com/?x"}`, false},
		{`"kind":"read","rawInput":{"path":"f","content":"y"}`, false},
		{`"kind":"read","rawInput":{"path":"f","odd":false}`, false},
		{`"kind":"read","rawInput":{"path":"f"},"content":[{"type":"diff","path":"f","newText":"y"}]`, false},
		{`"kind":"read","rawInput":{"path":"f"},"content":[{"type":"hologram"}]`, false},
		{`"kind":"search","rawInput":{"pattern":"/elsewhere/*"}`, false},
		{`"kind":"search","rawInput":{"pattern":"x","path":".git"}`, false},
	} {
		look := asks(`{"toolCallId":"t","title":"Look",` + c.tool + `}`)
		if c.allowed {
			play(t, look, "go", policy(ApproveReads)).expect(t, ExitDone, yes, ": allowed (--approve-reads)")
			play(t, look, "go").expect(t, ExitDenied, no, "(--approve-reads would allow it)")
		} else {
			play(t, look, "go", policy(ApproveReads)).expect(t, ExitDenied, no, "(--approve-all would allow it)")
		}
	}
}

// The exit code and the message tell how a turn ended.
func TestStopReasons(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{"max_tokens": "the answer reached the model's token limit", "refusal": "the agent refused", "cancelled": "stopped", "a\x1b[2Jb": "ab"} {
		play(t, does(func(t *fakeagent.Turn) string { t.Say("half"); return reason }), "go").expect(t, ExitAgent, "half\n", "the turn ended: "+want)
	}
	play(t, does(func(*fakeagent.Turn) string { return `{"stopReason":""}` }), "go").expect(t, ExitAgent, "", "ended the turn without a stop reason")
	// Some agents stop when they are denied something: that is the reason then.
	r := play(t, does(func(t *fakeagent.Turn) string {
		t.Say(t.Ask(`{"toolCallId":"t","title":"x"}`, yesOrNo))
		return "cancelled"
	}), "go")
	r.expect(t, ExitDenied, "n\n", "not allowed: Use a tool: x", "the turn ended: stopped")
}

// A turn without any output is reported, with where to look: some agents end like that if they
// cannot reach the model.
func TestNothingSaid(t *testing.T) {
	t.Parallel()
	empty := sends(chunk("m", "\n"))
	const said = " said nothing (perhaps it cannot reach its model)"
	play(t, empty, "go").expect(t, ExitAgent, "", "parley: test"+said+"\n")
	play(t, empty, "go", func(o *Options) { o.Custom = true }).expect(t, ExitAgent, "", "parley: Fake agent"+said+"\n")
	logged := func(o *Options) { o.Log = "/logs/x.jsonl" }
	play(t, process("is quiet"), "go", logged).
		expect(t, ExitAgent, "", "parley: test"+said+"; its messages are in /logs/x.jsonl\nparley: stderr: 401 from the model\n")
	got := decodeResult(t, play(t, process("is quiet"), "go", format("json")).out)
	if got.Error != "test"+said || got.Code != ExitAgent || got.StopReason != "end_turn" || len(got.Stderr) != 1 || got.Stderr[0] != "401 from the model" {
		t.Errorf("got %+v", got)
	}
	plan := `{"sessionUpdate":"plan","entries":[{"content":"think","priority":"high","status":"pending"}]}`
	for name, update := range map[string]string{"plan": plan, "notice": `{"sessionUpdate":"notice","severity":"info","title":"Busy"}`, "unknown": `{"sessionUpdate":"new"}`,
		"mode": `{"sessionUpdate":"current_mode_update","currentModeId":"plan"}`} {
		if r := play(t, sends(update), "go"); r.code != ExitDone || strings.Contains(r.stderr, "said nothing") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	late := func(t *fakeagent.Turn) string {
		time.AfterFunc(2*time.Millisecond, func() { t.Say("after the turn") })
		return "end_turn"
	}
	play(t, does(late), "go").expect(t, ExitDone, "after the turn\n")
	play(t, sends(toolCall, toolUpdate), "go").expect(t, ExitDone, "", "[read] Look")
	play(t, sends(thought), "go").expect(t, ExitDone, "")
	play(t, sendsV2(), "go").expect(t, ExitAgent, "", "test"+said)
}

func TestAgentErrors(t *testing.T) {
	t.Parallel()
	play(t, does(func(t *fakeagent.Turn) string { t.Say("half"); return fakeagent.Login }), "go").expect(t, ExitAgent, "half\n", "prompt: the agent answered: who are you? (-32000)")
	play(t, process("dies"), "go").expect(t, ExitAgent, "half\n", "the agent exited with code 3", "parley: stderr: first\n", "parley: stderr: out of memory\n")
	play(t, process("exits 3"), "go").expect(t, ExitAgent, "", "the agent exited with code 3", "stderr: no login")
	play(t, process("exits 0"), "go").expect(t, ExitAgent, "", "the agent exited with code 0")
	missing := func(ctx context.Context, opts acpclient.Options) (*acpclient.Client, error) {
		return acpclient.Launch(ctx, acpclient.AgentCommand{Path: "/no/such/agent"}, opts)
	}
	play(t, missing, "go").expect(t, ExitAgent, "", "\"/no/such/agent\": command not found")
}

func TestGarbage(t *testing.T) {
	t.Parallel()
	play(t, process("babbles"), "go").expect(t, ExitDone, "still here\n")
	if r := play(t, process("prints"), "go"); r.code != ExitAgent || r.out != "" {
		t.Errorf("got %+v", r)
	}
}

// Promise 1: nothing is lost, and nothing follows the answer.
func TestFlood(t *testing.T) {
	t.Parallel()
	const n = 50_000
	var want strings.Builder
	for i := range n {
		fmt.Fprintf(&want, "%d ", i)
	}
	r := play(t, does(func(t *fakeagent.Turn) string {
		for i := range n {
			t.Update(chunk("m", fmt.Sprintf("%d ", i)))
		}
		return "end_turn"
	}), "go")
	if r.code != ExitDone || r.out != want.String()+"\n" {
		t.Errorf("code %d, %d bytes, want %d", r.code, len(r.out), want.Len()+1)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	timeout := func(o *Options) { o.Timeout = 1500 * time.Millisecond } // longer than a busy machine takes to start the agent
	hangs := &fakeagent.Script{}
	hangs.On("initialize", func(c *fakeagent.Call) (string, error) { <-c.Ctx.Done(); return "", c.Ctx.Err() })
	for name, c := range map[string]struct {
		agent agent
		said  string
	}{
		"in the middle":    {does(halfUntilCancelled), "half\n"},
		"at the beginning": {follows(hangs), ""},
		"still running, as it ignores session/cancel": {does(func(t *fakeagent.Turn) string { t.Say("half"); <-t.Ctx.Done(); return "" }), "half\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, c.agent, "go", timeout).expect(t, ExitTimeout, c.said, "no answer within 1.5s (--timeout)")
		})
	}
}

func halfUntilCancelled(t *fakeagent.Turn) string {
	t.Say("half")
	<-t.Stopped()
	return "cancelled"
}

// signal is a writer that reports writes.
type signal struct {
	text  bytes.Buffer
	first chan struct{}
}

func (s *signal) Write(p []byte) (int, error) {
	if s.text.Len() == 0 {
		close(s.first)
	}
	return s.text.Write(p)
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, turn := range []func(*fakeagent.Turn) string{
		halfUntilCancelled,
		func(t *fakeagent.Turn) string { halfUntilCancelled(t); t.Agent.Close(); return "" },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		out, stderr := &signal{first: make(chan struct{})}, &bytes.Buffer{}
		dir := t.TempDir()
		code := make(chan int)
		go func() {
			code <- Run(ctx, Options{Connect: does(turn),
				Session: acpclient.NewSession{Cwd: dir}, Prompt: "go", Format: "text", Stdout: out, Stderr: stderr})
		}()
		select {
		case <-out.first:
		case <-time.After(time.Minute):
			t.Fatal("no output")
		}
		cancel()
		if got := <-code; got != ExitInterrupted || out.text.String() != "half\n" || stderr.String() != "parley: stopping; ctrl+c again ends it at once\nparley: interrupted\n" {
			t.Errorf("code %d, want %d; %q %q", got, ExitInterrupted, &out.text, stderr)
		}
	}
}
