package probe

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/transport"
	"parley/internal/demo"
	"parley/internal/doctor"
	"parley/internal/must"
)

// agentVar makes this test binary an agent with the fault that it names.
const agentVar = "PROBE_TEST_AGENT"

func TestMain(m *testing.M) {
	if fault := os.Getenv(agentVar); fault != "" {
		agent(fault)
		return
	}
	os.Exit(m.Run())
}

// agent serves one client on the standard streams. It has everything that can be advertised, keeps sessions in
// files, and has one fault; "none" has none.
func agent(fault string) {
	if fault == "demo" {
		demo.Run(context.Background(), os.Stdin, os.Stdout, demo.Options{Pace: time.Millisecond})
		return
	}
	a := &faulty{fault: fault, out: bufio.NewWriter(os.Stdout), store: os.Getenv("PROBE_TEST_STORE")}
	if fault == "stdout" {
		a.write("Welcome!")
	}
	if fault == "stderr" {
		fmt.Fprintln(os.Stderr, "loading the model")
	}
	if fault == "start" {
		fmt.Fprintln(os.Stderr, "no key is set")
		os.Exit(3)
	}
	if fault == "children" {
		child := exec.Command("sleep", "60")
		child.Start()
	}
	if fault == "sigterm" {
		ignoreTerm()
	}
	lines := bufio.NewReaderSize(os.Stdin, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		if fault == "size" && len(line) > 64<<10 {
			os.Exit(1)
		}
		a.line(line)
	}
	if fault == "stdin" {
		select {}
	}
}

type faulty struct {
	fault, store string
	out          *bufio.Writer
	prompts      int
	version      int
	turn         json.RawMessage // the id of the running prompt
	asked        json.RawMessage // the id of the prompt that waits for an answer
}

type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ProtocolVersion int
		SessionID       any
		ModeID, Cursor  string
		Prompt          any
	}
	Result json.RawMessage
}

func (a *faulty) write(line string) {
	a.out.WriteString(line + "\n")
	a.out.Flush()
}

func (a *faulty) result(id json.RawMessage, result string) {
	a.write(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + result + `}`)
}

func (a *faulty) fails(id json.RawMessage, code int) {
	a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`, id, code))
}

func (a *faulty) update(update string) {
	a.write(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` + update + `}}`)
}

func (a *faulty) say(role string) {
	a.update(`{"sessionUpdate":"` + role + `_message_chunk","content":{"type":"text","text":"ready"}}`)
}

func (a *faulty) line(line []byte) {
	var r request
	if line[0] == '[' {
		switch a.fault {
		case "batch":
			a.fails(json.RawMessage("null"), -32700)
		case "batch-silent":
		case "batch-dies":
			os.Exit(1)
		default:
			a.write(`[{"jsonrpc":"2.0","id":"batch","error":{"code":-32601,"message":"no"}}]`)
		}
		return
	}
	if err := json.Unmarshal(line, &r); err != nil && !strings.Contains(string(line), `"params":`) {
		if a.fault != "parse" {
			a.fails(json.RawMessage("null"), -32700)
		}
		return
	}
	switch {
	case r.Method == "" && a.asked != nil:
		a.rejected()
	case r.ID == nil:
		a.notification(r)
	default:
		a.request(r)
	}
}

func (a *faulty) notification(r request) {
	switch {
	case r.Method == "session/cancel":
		id := a.turn
		if a.turn = nil; id == nil {
			return
		}
		switch a.fault {
		case "cancel":
			a.result(id, `{"stopReason":"refusal"}`)
		case "cancel-error":
			a.fails(id, -32800)
		case "cancel-never":
		default:
			a.result(id, `{"stopReason":"cancelled"}`)
		}
	case a.fault == "notification" && r.Method == nowhere || a.fault == "cancel-unknown" && r.Method == "$/cancel_request":
		a.fails(json.RawMessage("null"), -32601)
	}
}

func (a *faulty) request(r request) {
	if a.fault == "ids" && strings.HasPrefix(string(r.ID), `"`) {
		r.ID = json.RawMessage(`"other"`)
	}
	if string(r.ID) == "9007199254740993" && a.fault == "rounds" {
		r.ID = json.RawMessage("9007199254740992")
	}
	session, _ := r.Params.SessionID.(string)
	stored := filepath.Join(a.store, session)
	_, err := os.Stat(stored)
	known := session == "s1" || session != "" && err == nil
	switch r.Method {
	case "initialize":
		a.initialize(r)
	case "session/new":
		switch a.fault {
		case "login":
			a.fails(r.ID, -32000)
		case "session":
			a.result(r.ID, `{}`)
		default:
			os.WriteFile(filepath.Join(a.store, "s1"), nil, 0o600)
			a.result(r.ID, `{"sessionId":"s1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"}]},"configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"big","options":[{"value":"big","name":"Big"}]}]}`)
		}
	case "session/set_mode":
		if r.Params.ModeID != "ask" && a.fault != "modes" {
			a.fails(r.ID, -32602)
			return
		}
		a.result(r.ID, `{}`)
	case "session/set_config_option":
		if a.fault == "options" {
			a.result(r.ID, `{}`)
			return
		}
		a.result(r.ID, `{"configOptions":[]}`)
	case "session/list":
		if a.fault == "list" {
			a.result(r.ID, `{"sessions":[],"nextCursor":"x"}`)
			return
		}
		listed := `{"sessionId":"old","cwd":"/"}`
		if _, err := os.Stat(filepath.Join(a.store, "s1")); err == nil {
			listed += `,{"sessionId":"s1","cwd":"/"}`
		}
		a.result(r.ID, `{"sessions":[`+listed+`]}`)
	case "session/load":
		switch {
		case a.fault == "load" && session == "s1", !known:
			if a.fault == "load-unknown" {
				a.result(r.ID, `{}`)
				return
			}
			a.fails(r.ID, -32002)
		case a.fault == "load-silent":
			a.result(r.ID, `{}`)
		case a.fault == "load-late":
			a.result(r.ID, `{}`)
			a.say("user")
		default:
			a.say("user")
			a.say("agent")
			a.result(r.ID, `{}`)
		}
	case "session/resume":
		if a.fault == "resume" {
			a.say("agent")
		}
		a.result(r.ID, `{}`)
	case "session/fork":
		if a.fault == "fork" {
			a.result(r.ID, `{"sessionId":"s1"}`)
			return
		}
		a.result(r.ID, `{"sessionId":"s2"}`)
	case "session/close":
		if a.fault == "close" {
			a.fails(r.ID, -32601)
			return
		}
		a.result(r.ID, `{}`)
	case "session/delete":
		if a.fault != "delete" {
			os.Remove(stored)
		}
		a.result(r.ID, `{}`)
	case "session/prompt":
		if _, ok := r.Params.Prompt.(string); ok {
			a.fails(r.ID, map[bool]int{true: -32603, false: -32602}[a.fault == "params"])
			return
		}
		if !known && a.fault != "unknown-session" {
			a.fails(r.ID, -32002)
			return
		}
		a.prompt(r)
	default:
		if a.fault == "unknown" {
			a.result(r.ID, `{}`)
			return
		}
		a.fails(r.ID, -32601)
	}
}

func (a *faulty) initialize(r request) {
	a.version = 1
	switch version := r.Params.ProtocolVersion; {
	case a.fault == "version" && version == 99, a.fault == "version-one" && version == 1, a.fault == "version-two" && version == 2:
		a.version = 99
	case a.fault == "version-error" && version == 99:
		a.write(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"error":{"code":-32022,"message":"no","data":{"requested":99,"supported":[1]}}}`)
		return
	}
	capability := `{}`
	if a.fault == "capabilities" {
		capability = `true`
	}
	auth := `[{"id":"key","name":"Key"}]`
	if a.fault == "auth" {
		auth = `[{"name":"Key"}]`
	}
	a.result(r.ID, fmt.Sprintf(`{"protocolVersion":%d,"agentInfo":{"name":"faulty","version":"1.0"},"authMethods":%s,"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true,"audio":true,"embeddedContext":true},"mcpCapabilities":{"http":true},"sessionCapabilities":{"list":{},"resume":{},"fork":{},"close":%s,"delete":{}}}}`, a.version, auth, capability))
}

func (a *faulty) prompt(r request) {
	a.prompts++
	text := r.Params.Prompt.([]any)[0].(map[string]any)["text"].(string)
	if a.fault == "content" && len(r.Params.Prompt.([]any)) > 1 {
		a.fails(r.ID, -32602)
		return
	}
	switch {
	case text == "wait" || len(r.Params.Prompt.([]any)) > 1:
		a.turn = r.ID
		a.say("agent")
		return
	case text == "ask":
		a.asked = r.ID
		if a.fault != "unannounced" {
			a.update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Write"}`)
		}
		options := `[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`
		if a.fault == "options-empty" {
			options = `[]`
		}
		a.write(`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"t1"},"options":` + options + `}}`)
		if a.fault == "impatient" {
			a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`)
		}
		return
	case a.fault == "offered":
		a.write(`{"jsonrpc":"2.0","id":"t","method":"terminal/create","params":{"sessionId":"s1","command":"ls"}}`)
	case a.fault == "methods":
		a.write(`{"jsonrpc":"2.0","method":"craft/thing"}`)
	case a.fault == "stranger":
		a.write(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"plan","entries":[]}}}`)
	case a.fault == "shape":
		a.update(`{"content":[]}`)
	case a.fault == "tools":
		a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t9","status":"completed"}`)
	case a.fault == "crash":
		fmt.Fprintln(os.Stderr, "panic: nil map")
		os.Exit(2)
	}
	switch a.fault {
	case "silent":
	case "error":
		a.fails(r.ID, -32603)
		return
	default:
		a.say("agent")
	}
	reason := "end_turn"
	if a.fault == "reason" {
		reason = "done"
	}
	a.result(r.ID, `{"stopReason":"`+reason+`"}`)
	if a.fault == "late" {
		a.say("agent")
	}
}

// rejected goes on after the answer to a question.
func (a *faulty) rejected() {
	id := a.asked
	a.asked = nil
	switch a.fault {
	case "disobedient":
		a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`)
	case "writes":
		os.WriteFile("rejected.txt", nil, 0o600)
	case "unannounced":
		a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"failed"}`)
	}
	a.result(id, `{"stopReason":"end_turn"}`)
}

// examine runs the probe on this test binary as an agent.
func examine(t *testing.T, fault string, adjust func(*Options)) []doctor.Finding {
	t.Helper()
	self := must.Get(os.Executable())(t)
	store, dir := t.TempDir(), must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	must.Do(t, os.WriteFile(filepath.Join(store, "old"), nil, 0o600))
	grace := 10 * time.Second
	if fault == "stdin" || fault == "sigterm" {
		grace = 300 * time.Millisecond
	}
	o := Options{Dir: dir, Prompt: "Reply with the word ready.", CancelPrompt: "wait", PermissionPrompt: "ask", Grace: grace, Patience: DefaultPatience}
	o.Patience.Quiet, o.Patience.Answer = 60*time.Millisecond, 60*time.Millisecond
	if fault == "cancel-never" {
		o.Patience.Cancel = 300 * time.Millisecond
	}
	if fault == "ids" {
		o.Patience.Call = 300 * time.Millisecond
	}
	o.Dial = func(context.Context) (transport.Conn, error) {
		return transport.StartStdio(transport.StdioOptions{Command: self, Dir: dir, Grace: grace,
			Env: append(os.Environ(), agentVar+"="+fault, "PROBE_TEST_STORE="+store)})
	}
	if adjust != nil {
		adjust(&o)
	}
	return must.Get(Run(context.Background(), o))(t)
}

// failures returns the checks that do not pass.
func failures(all []doctor.Finding) (names []string) {
	for _, f := range all {
		if f.State == doctor.Warn || f.State == doctor.Fail {
			names = append(names, string(f.State)+" "+f.Check+": "+f.Text)
		}
	}
	return names
}

func TestFaultless(t *testing.T) {
	t.Parallel()
	all := examine(t, "none", func(o *Options) { o.Large = true })
	if wrong := failures(all); len(wrong) > 0 {
		t.Errorf("got %q", wrong)
	}
	for _, f := range all {
		if f.State == doctor.Skip {
			t.Errorf("skipped: %s, %s", f.Check, f.Text)
		}
	}
	if len(all) != len(checks) {
		t.Errorf("%d findings of %d checks", len(all), len(checks))
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	all := examine(t, "demo", func(o *Options) { o.CancelPrompt, o.PermissionPrompt, o.Large = "long", "edit notes.txt", true })
	if wrong := failures(all); len(wrong) > 0 {
		t.Errorf("got %q", wrong)
	}
	for _, name := range []string{"session/cancel", "permissions", "prompt of 1 MB", "SIGTERM"} {
		if i := slices.IndexFunc(all, func(f doctor.Finding) bool { return f.Check == name }); runtime.GOOS != "windows" && all[i].State != doctor.Pass {
			t.Errorf("%s: %+v", name, all[i])
		}
	}
}

// Every violation is found by the check of its rule, and by no other.
func TestFaults(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		"stdout":          "fail stdout: 4 of ",
		"version":         "fail offer of version 99: answers version 99, which does not exist",
		"version-two":     "fail offer of version 2: answers version 99, which does not exist",
		"version-one":     "fail initialize: answers version 99 to an offer of 1",
		"start":           "fail initialize: the agent ended: exit code 3; its stderr ends: no key is set",
		"capabilities":    "warn capabilities: of another type than the protocol says: sessionCapabilities.close",
		"auth":            "fail auth methods: a method has no id or no name",
		"unknown":         "fail unknown method: want error -32601, got a result",
		"notification":    "fail unknown notification: it was answered; notifications must not be",
		"cancel-unknown":  "fail unknown $/cancel_request: it was answered; notifications must not be",
		"params":          "warn bad parameters: want error -32602, got error -32603, no",
		"unknown-session": "fail unknown session: a session that does not exist was accepted",
		"ids":             `fail ids: a request with the id "doctor-\u00e9 1" got no answer in time`,
		"rounds":          "warn ids: 9007199254740993 comes back as 9007199254740992: numbers beyond 2^53 are rounded",
		"size":            "fail message of 1 MB: the end of the connection",
		"list":            "fail session/list: nextCursor is the cursor of the request: the list never ends",
		"login":           "warn session/new: a login is required: no",
		"session":         "fail session/new: the result has no sessionId",
		"modes":           "warn session/set_mode: a mode that does not exist was accepted",
		"options":         "fail session/set_config_option: the result has no configOptions",
		"error":           "fail session/prompt: error -32603, no",
		"crash":           "fail session/prompt: the end of the connection",
		"reason":          `fail session/prompt: the stop reason "done" is none of the protocol`,
		"silent":          "warn session/prompt: the turn ends without any text, as it does where errors of the model are swallowed",
		"content":         "fail kinds of content: a prompt with a link, image, audio, embeddedContext: error -32602, no",
		"cancel-error":    "fail session/cancel: want the stop reason cancelled, got error -32800, no",
		"cancel-never":    "fail session/cancel: the turn had not ended 0.3 s after session/cancel",
		"options-empty":   "fail permissions: a request has no options",
		"impatient":       "fail permissions: the tool call was completed before it was answered",
		"disobedient":     "fail permissions: the tool call was completed although it was rejected",
		"writes":          "fail permissions: files were changed although it was rejected: rejected.txt (0 bytes",
		"unannounced":     "warn order of updates: a tool_call_update without a tool_call before it: only the question announced it",
		"late":            "fail order of updates: an update after the answer of its turn",
		"tools":           "fail order of updates: a tool_call_update without a tool_call before it",
		"shape":           "fail shape of updates: an update has no sessionId or no sessionUpdate",
		"stranger":        "fail shape of updates: an update of a session that was not opened",
		"stdin":           "fail end of stdin: it still ran 0.3 s later, and had to be killed",
		"children":        "warn end of stdin: what the agent has started outlives it; warn SIGTERM: what the agent has started outlives it",
		"sigterm":         "fail SIGTERM: it still ran 0.3 s later, and had to be killed",
		"load":            "warn session/load: the session that has just had a prompt: error -32002, no; another one can be loaded",
		"load-silent":     "fail session/load: what the user had said was not told before the answer",
		"load-late":       "fail session/load: what was said is told after the answer",
		"load-unknown":    "fail session/load, unknown: a session that does not exist was accepted",
		"resume":          "fail session/resume: what was said is told again, as only session/load does",
		"fork":            "fail session/fork: the result has no new sessionId",
		"close":           "fail session/close: error -32601, no",
		"delete":          "fail session/delete: a deleted session is still listed",
		"parse":           "warn parse error: text that is not JSON gets no answer; want error -32700",
		"batch":           "warn batch: want an array, or error -32600",
		"batch-silent":    "warn batch: no answer; want an array, or error -32600",
		"batch-dies":      "fail batch: a request after it got the end of the connection",
		"offered":         "fail requests of the agent: terminal/create was not offered",
		"methods":         "warn requests of the agent: craft/thing is no method of the protocol; extensions begin with an underscore",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			got := failures(examine(t, fault, nil))
			if len(got) != 1+strings.Count(want, "; warn ") || !strings.HasPrefix(strings.Join(got, "; "), want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// An agent that does not answer is given up.
func TestDeaf(t *testing.T) {
	t.Parallel()
	o := Options{Dir: t.TempDir(), Patience: Patience{Start: 50 * time.Millisecond}}
	o.Dial = func(context.Context) (transport.Conn, error) {
		ours, theirs := transport.Pipe()
		go func() {
			for {
				if _, err := theirs.Recv(); err == io.EOF {
					return
				}
			}
		}()
		return ours, nil
	}
	all := must.Get(Run(context.Background(), o))(t)
	if len(all) != 1 || all[0].State != doctor.Fail || all[0].Text != "no answer in time to an offer of version 1" {
		t.Errorf("got %+v", all)
	}
}

// Without prompts, nothing that needs one is sent.
func TestNoPrompt(t *testing.T) {
	t.Parallel()
	all := examine(t, "error", func(o *Options) { o.Prompt = "" })
	if wrong := failures(all); len(wrong) > 0 {
		t.Errorf("got %q", wrong)
	}
}
