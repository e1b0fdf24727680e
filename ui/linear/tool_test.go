package linear

import (
	"strings"
	"testing"

	"parley/internal/fakeagent"
)

// The end of a command and of its call that come together are told in one line.
func TestEndToldOnce(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			tn.Update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"ls x","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"c"}],"_meta":{"terminal_info":{"terminal_id":"c","cwd":"/w"}}}`)
			tn.Update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"failed","_meta":{"terminal_output":{"terminal_id":"c","data":"no such file\n"},"terminal_exit":{"terminal_id":"c","exit_code":2,"signal":null}}}`)
			tn.Say("That failed.")
			return "end_turn"
		})
	}, func(r *rig) {
		r.fresh()
		r.types("go")
		r.sees("Run 1: ls x, exit code 2, failed, ran without asking, 1 line; /output 1 shows them.", "That failed.", "Turn ended.")
		if n := strings.Count(r.out.text(), "Run 1:"); n != 1 {
			t.Errorf("told %d times:\n%s", n, r.out.text())
		}
	})
}
