package probe

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/demo"
)

// agentVar makes this test binary an agent with the fault that it names.
const agentVar = "PROBE_TEST_AGENT"

func TestMain(m *testing.M) {
	if fault := os.Getenv(agentVar); fault != "" {
		agent(fault)
		return
	}
	flag.Parse()
	flag.Set("test.parallel", "8") // the tests wait for processes most of the time
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
	if fault == "garbage" {
		a.write("Loading…")
		io.Copy(io.Discard, os.Stdin)
		return
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
		time.Sleep(time.Hour) // not forever, which Go may take for a deadlock
	}
}

type faulty struct {
	fault, store string
	out          *bufio.Writer
	prompts      int
	delayed      json.RawMessage // the id of a request that is answered when the client has sent more
	version      int
	turn         json.RawMessage // the id of the running prompt
	asked        json.RawMessage // the id of the prompt that waits for an answer
}

type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ProtocolVersion int
		Cwd             any
		SessionID       string
		ModeID, Cursor  string
		Prompt          []struct{ Text string }
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
	if a.version == 2 && json.Unmarshal(line, &r) == nil && a.two(r) {
		return
	}
	r = request{}
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
	case a.delayed != nil && r.Method == extension:
		a.fails(a.delayed, -32602)
		a.delayed = nil
	case a.fault == "notification" && r.Method == extension || a.fault == "cancel-unknown" && r.Method == "$/cancel_request":
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
	session := r.Params.SessionID
	stored := filepath.Join(a.store, session)
	_, err := os.Stat(stored)
	known := session == "s1" || session != "" && err == nil
	switch {
	case r.Method == "initialize":
		a.initialize(r)
		return
	case a.fault == "mute":
		return
	}
	switch r.Method {
	case "session/new":
		if _, ok := r.Params.Cwd.(string); !ok {
			if a.fault == "busy" {
				a.write(`{"jsonrpc":"2.0","method":"_busy"}`)
				a.delayed = r.ID
				return
			}
			a.fails(r.ID, map[bool]int{true: -32603, false: -32602}[a.fault == "params"])
			return
		}
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
		case a.fault == "load-half":
			a.say("user")
			a.result(r.ID, `{}`)
			a.say("agent")
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
		if !known && a.fault != "unknown-session" {
			a.fails(r.ID, -32002)
			return
		}
		a.prompt(r)
	default:
		if a.fault == "unknown-silent" || a.fault == "busy" {
			return
		}
		if a.fault == "unread" && string(r.ID) == bigID {
			a.fails(r.ID, -32601)
			time.Sleep(time.Hour)
		}
		if a.fault == "unknown" || a.fault == "extension" && r.Method == extension {
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
	case a.fault == "two-alone" && version == 1:
		a.write(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"error":{"code":-32022,"message":"no","data":{"requested":1,"supported":[2]}}}`)
		return
	case a.fault == "version-error" && version == 99:
		a.write(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"error":{"code":-32022,"message":"no","data":{"requested":99,"supported":[1]}}}`)
		return
	}
	if strings.HasPrefix(a.fault, "two") && r.Params.ProtocolVersion == 2 {
		a.version = 2
		a.result(r.ID, `{"protocolVersion":2,"info":{"name":"faulty","version":"1.0"},"capabilities":{"session":{"prompt":{},"delete":{}}}}`)
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
	text := r.Params.Prompt[0].Text
	if a.fault == "content" && len(r.Params.Prompt) > 1 {
		a.fails(r.ID, -32602)
		return
	}
	switch {
	case text == "wait" || len(r.Params.Prompt) > 1:
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
	case a.fault == "flood":
		for {
			a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + strings.Repeat("x", 8000) + `"}}`)
		}
	case a.fault == "flood-requests":
		for {
			a.write(`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"t1"},"options":[]}}`)
		}
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

// rejected continues after the answer to a question.
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

// two serves what is different in version 2.
func (a *faulty) two(r request) bool {
	state := func(more string) { a.update(`{"sessionUpdate":"state_update","state":` + more + `}`) }
	switch {
	case r.Method == "session/prompt":
		reason := map[string]string{"two-reason": "done", "two-error": `error","error":{"code":1,"message":"no model"},"x":"`}[a.fault]
		if reason == "" {
			reason = "end_turn"
		}
		if a.fault == "two-result" {
			a.result(r.ID, `{}`)
		} else {
			a.result(r.ID, `{"messageId":"u1"}`)
		}
		state(`"running"`)
		if a.fault == "two-v1" {
			a.update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Write"}`)
		}
		id := `,"messageId":"a1"`
		if a.fault == "two-ids" {
			id = ""
		}
		if a.fault != "two-silent" {
			a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"ready"}` + id + `}`)
		}
		if r.Params.Prompt[0].Text != "wait" && a.fault != "two-endless" {
			state(`"idle","stopReason":"` + reason + `"`)
		}
	case r.Method == "session/cancel" && a.fault == "two-cancel":
	case r.Method == "session/cancel":
		state(`"idle","stopReason":"cancelled"`)
	default:
		return false
	}
	return true
}
