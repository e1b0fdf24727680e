//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"parley/internal/fakeagent"
)

// runRunner is an agent that makes parley run its prompt as a shell command and reports the result.
func runRunner(in io.Reader, out io.Writer) {
	s := &fakeagent.Script{}
	s.Answer("initialize", `{"protocolVersion":1,"agentInfo":{"name":"runner","version":"1"}}`)
	s.Turn(func(t *fakeagent.Turn) string {
		_, script := blocksOf(t)
		quoted := fakeagent.Quote(script)
		card := fmt.Sprintf(`"toolCallId":"c%d"`, t.N)
		t.Update(`{"sessionUpdate":"tool_call",` + card + `,"title":"Run it","kind":"execute","status":"in_progress","rawInput":{"command":` + quoted + `}}`)
		var created struct{ TerminalID string }
		if err := t.Agent.Call(t.Ctx, "terminal/create", `{"sessionId":"s1","command":"sh","args":["-c",`+quoted+`],"attended":true,"tty":true}`, &created); err != nil {
			t.Say("refused: " + err.Error())
			return "end_turn"
		}
		t.Update(fmt.Sprintf(`{"sessionUpdate":"tool_call_update",%s,"content":[{"type":"terminal","terminalId":%q}]}`, card, created.TerminalID))
		ref := fmt.Sprintf(`{"sessionId":"s1","terminalId":%q}`, created.TerminalID)
		var exit json.RawMessage
		var output struct{ Output string }
		t.Agent.Call(t.Ctx, "terminal/wait_for_exit", ref, &exit)
		t.Agent.Call(t.Ctx, "terminal/output", ref, &output)
		t.Agent.Call(t.Ctx, "terminal/release", ref, nil)
		t.Update(`{"sessionUpdate":"tool_call_update",` + card + `,"status":"completed"}`)
		t.Say(fmt.Sprintf("it ended with %s and wrote `%s`.", exit, strings.ReplaceAll(strings.TrimSpace(output.Output), "\n", " / ")))
		return "end_turn"
	})
	fakeagent.Serve(in, out, s)
}
