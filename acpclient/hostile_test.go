package acpclient_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/acpclient/acptest"
	"parley/internal/safetext"
)

// Case 193: hostile text wherever an agent can put a string. The strings of events are
// safe to show, except ids, which go back to the agent verbatim.
func TestCase193HostileText(t *testing.T) {
	const evil = "x\x1b]52;c;eA==\x07\x1b[2J\u202e\u009b31m\x00\r"
	verbatim := map[string]bool{"ID": true, "Session": true, "MessageID": true, "ToolID": true, "PlanID": true, "ModeID": true, "Terminal": true,
		"Current": true, "Data": true} // Current is the id of a choice; Data is for an emulator
	quoted, _ := json.Marshal(evil)
	var script strings.Builder
	script.WriteString("handshake\n")
	for _, update := range []string{
		`{"sessionUpdate":"agent_message_chunk","messageId":E,"content":{"type":"text","text":E}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":E,"uri":E,"data":E}}`,
		`{"sessionUpdate":"user_message_chunk","content":{"type":"resource","resource":{"uri":E,"mimeType":E,"text":E}}}`,
		`{"sessionUpdate":"agent_thought_chunk","content":{"type":"resource_link","uri":E,"name":E,"title":E,"mimeType":E}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":E,"x":E}}`,
		`{"sessionUpdate":"tool_call","toolCallId":E,"title":E,"name":E,"kind":E,"status":E,"rawInput":E,"rawOutput":{"a":[E]},"locations":[{"path":E}],` +
			`"content":[{"type":"diff","path":E,"oldText":E,"newText":E},{"type":"terminal","terminalId":E},{"type":E,"a":E},{"type":"content","content":{"type":"text","text":E}}],` +
			`"_meta":{"terminal_info":{"terminal_id":E,"cwd":E},"terminal_output":{"terminal_id":E,"data":E},"terminal_exit":{"terminal_id":E,"signal":E}}}`,
		`{"sessionUpdate":"plan","entries":[{"content":E,"priority":E,"status":E}]}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":E,"description":E,"input":{"hint":E}}]}`,
		`{"sessionUpdate":"current_mode_update","currentModeId":E}`,
		`{"sessionUpdate":"config_option_update","configOptions":[{"id":E,"name":E,"category":E,"type":"select","currentValue":E,"options":[{"value":E,"name":E,"description":E}]}]}`,
		`{"sessionUpdate":"session_info_update","title":E,"updatedAt":E}`,
		`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":1,"currency":E}}`,
		`{"sessionUpdate":"notice","severity":E,"title":E,"description":E}`,
		`{"sessionUpdate":"compaction_update","compactionId":E,"status":E,"summary":[{"type":"text","text":E}],"error":E}`,
		`{"sessionUpdate":"compaction_summary_chunk","compactionId":E,"content":{"type":"text","text":E}}`,
		`{"sessionUpdate":E,"x":E}`,
	} {
		fmt.Fprintf(&script, "< update %s\n", strings.ReplaceAll(update, "E", string(quoted)))
	}
	fmt.Fprintf(&script, "user prompt x\n> {\"id\":\"$p\"}\n< error $p {\"code\":1,\"message\":%s,\"data\":%s}\n", quoted, quoted)
	r := acptest.Run(t, &acptest.Archive{Files: []acptest.File{{Name: "script", Data: []byte(script.String())}}})
	if len(r.Events) < 20 {
		t.Fatalf("only %d events: %q", len(r.Events), r.Lines)
	}
	for _, e := range r.Events {
		acptest.EachString(e, func(path, s string) {
			if !verbatim[path[strings.LastIndexByte(path, '.')+1:]] && safetext.Clean(s) != s {
				t.Errorf("%s is %q", path, s)
			}
		})
	}
	for _, l := range r.Log {
		if safetext.Line(l, 1<<20) != l {
			t.Errorf("the log says %q", l)
		}
	}
}
