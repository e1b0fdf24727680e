//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// runner is an agent that makes parley run its prompt as a shell command and reports the result.
type runner struct {
	agent
	calls map[string]chan json.RawMessage
}

func runRunner(in io.Reader, out io.Writer) {
	r := &runner{agent: agent{out: bufio.NewWriter(out), session: "s1"}, calls: map[string]chan json.RawMessage{}}
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		var answer struct{ Result, Error json.RawMessage }
		if json.Unmarshal(line, &m) != nil || json.Unmarshal(line, &answer) != nil {
			continue
		}
		switch m.Method {
		case "initialize":
			r.answer(m.ID, `{"protocolVersion":1,"agentInfo":{"name":"runner","version":"1"}}`)
		case "session/new":
			r.cwd = m.Params.Cwd
			r.answer(m.ID, `{"sessionId":"s1"}`)
		case "session/prompt":
			go r.turn(m)
		case "":
			r.mu.Lock()
			call := r.calls[string(m.ID)]
			r.mu.Unlock()
			if answer.Result == nil {
				answer.Result = answer.Error
			}
			call <- answer.Result
		}
	}
}

// call sends parley a request and returns the answer.
func (r *runner) call(method, params string, args ...any) json.RawMessage {
	r.mu.Lock()
	id := fmt.Sprint(len(r.calls) + 1)
	answer := make(chan json.RawMessage, 1)
	r.calls[id] = answer
	r.mu.Unlock()
	r.line(`{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":`+params+`}`, args...)
	return <-answer
}

func (r *runner) turn(m message) {
	script := ""
	for _, b := range m.Params.Prompt {
		script += b.Text
	}
	quoted, _ := json.Marshal(script)
	r.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":"c%s","title":"Run it","kind":"execute","status":"in_progress","rawInput":{"command":%s}}}}`, m.ID, quoted)
	var created struct{ TerminalID string }
	reply := r.call("terminal/create", `{"sessionId":"s1","command":"sh","args":["-c",%s],"attended":true,"tty":true}`, quoted)
	if json.Unmarshal(reply, &created); created.TerminalID == "" {
		r.say("refused: " + string(reply))
		r.answer(m.ID, `{"stopReason":"end_turn"}`)
		return
	}
	r.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"c%s","content":[{"type":"terminal","terminalId":%q}]}}}`, m.ID, created.TerminalID)
	ref := fmt.Sprintf(`{"sessionId":"s1","terminalId":%q}`, created.TerminalID)
	exit := r.call("terminal/wait_for_exit", ref)
	var output struct{ Output string }
	json.Unmarshal(r.call("terminal/output", ref), &output)
	r.call("terminal/release", ref)
	r.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"c%s","status":"completed"}}}`, m.ID)
	shown := strings.ReplaceAll(strings.TrimSpace(output.Output), "\n", " / ")
	r.say(fmt.Sprintf("it ended with %s and wrote `%s`.", exit, shown))
	r.answer(m.ID, `{"stopReason":"end_turn"}`)
}
