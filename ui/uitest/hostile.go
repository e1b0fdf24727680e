package uitest

import "strings"

// HostileStrings are strings that a hostile peer may send in any field. Each begins with a
// word that tests search for.
var HostileStrings = map[string]string{
	"sequences":   "Zq\x1b]52;c;eA==\x07\x1b[2J\x1b[1;1H\u009b31m\x1b]0;title\x1b\\\x1bPq\x1b\\\x00\r\x08\x7f;a\\b",
	"unfinished":  "Zq\x1b]0;never ends \x1b[38;5;",
	"bidi":        "Zq\u202e\u2066abc\u2069\u200f\u061c \u05d0\u05d1 end",
	"zero width":  "Zq\u200b\u2060\ufeff\u00ad\u200d\u2063\U000e0041\U000e007f\u034f\u115f\u3164 end",
	"many lines":  "Zq\n\n\nb\tc\r\nd\u2028e\u2029f\x0bg\x85h",
	"long":        "Zq" + strings.Repeat("W", 3000),
	"wide":        "Zq" + strings.Repeat("漢字", 700) + strings.Repeat("👨‍👩‍👧‍👦", 50),
	"marks":       "Zq" + strings.Repeat("e"+strings.Repeat("\u0301", 300), 20),
	"of our own":  "Zq │ ╭─╮ › ▌ y allow once · esc reject ✓ \x1b[0m",
	"only blanks": "Zq" + strings.Repeat(" ", 500) + "\u00a0\u2003\u3000",
}

// HostileUpdates are updates by protocol version, "" for v1. E is the place of each JSON
// string.
var HostileUpdates = map[string][]string{"": {
	`{"sessionUpdate":"agent_message_chunk","messageId":E,"content":{"type":"text","text":E}}`,
	`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":E,"uri":E,"data":E}}`,
	`{"sessionUpdate":"user_message_chunk","content":{"type":"resource","resource":{"uri":E,"mimeType":E,"text":E}}}`,
	`{"sessionUpdate":"agent_thought_chunk","content":{"type":"resource_link","uri":E,"name":E,"title":E,"mimeType":E}}`,
	`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":E}}`,
	`{"sessionUpdate":"agent_message_chunk","content":{"type":E,"x":E}}`,
	`{"sessionUpdate":"tool_call","toolCallId":E,"title":E,"name":E,"kind":E,"status":E,"rawInput":E,"rawOutput":{"a":[E]},"locations":[{"path":E}],` +
		`"content":[{"type":"diff","path":E,"oldText":E,"newText":E},{"type":"terminal","terminalId":E},{"type":E,"a":E},{"type":"content","content":{"type":"text","text":E}}],` +
		`"_meta":{"terminal_info":{"terminal_id":E,"cwd":E},"terminal_output":{"terminal_id":E,"data":E},"terminal_exit":{"terminal_id":E,"signal":E}}}`,
	`{"sessionUpdate":"tool_call","toolCallId":"run","title":E,"kind":"execute","status":"completed","rawInput":{"command":E,"cwd":E}}`,
	`{"sessionUpdate":"tool_call","toolCallId":"edit","title":E,"kind":"edit","status":"failed","rawInput":{"path":E},"locations":[{"path":E}]}`,
	`{"sessionUpdate":"tool_call","toolCallId":"goes on","title":E,"kind":"fetch","status":"in_progress"}`,
	`{"sessionUpdate":"plan","entries":[{"content":E,"priority":E,"status":E},{"content":E,"priority":"high","status":"pending"}]}`,
	`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":E,"description":E,"input":{"hint":E}},{"name":"zq","description":E,"input":{"hint":E}}]}`,
	`{"sessionUpdate":"current_mode_update","currentModeId":E}`,
	`{"sessionUpdate":"config_option_update","configOptions":[{"id":E,"name":E,"category":E,"type":"select","currentValue":E,"options":[{"value":E,"name":E,"description":E},{"value":"w","name":E}]},` +
		`{"id":"m","name":E,"category":"mode","type":"select","currentValue":E,"options":[{"value":E,"name":E,"description":E}]},{"id":"l","name":E,"category":"model","type":"select","currentValue":E,"options":[{"group":E,"name":E,"options":[{"value":E,"name":E}]}]},` +
		`{"id":"b","name":E,"description":E,"type":"boolean","currentValue":true},{"id":"o","name":E,"type":E,"currentValue":E}]}`,
	`{"sessionUpdate":"session_info_update","title":E,"updatedAt":E}`,
	`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":1,"currency":E}}`,
	`{"sessionUpdate":"notice","severity":E,"title":E,"description":E}`,
	`{"sessionUpdate":"compaction_update","compactionId":E,"status":E,"summary":[{"type":"text","text":E}],"error":E}`,
	`{"sessionUpdate":"compaction_summary_chunk","compactionId":E,"content":{"type":"text","text":E}}`,
	`{"sessionUpdate":"subagent_update","sessionId":E,"title":E,"description":E,"state":{"state":E,"stopReason":E}}`,
	`{"sessionUpdate":"session_message","messageId":E,"senderSessionId":E,"recipientSessionId":E,"content":[{"type":"text","text":E},{"type":E}]}`,
	`{"sessionUpdate":E,"x":E}`,
}, "2": {
	`{"sessionUpdate":"user_message","messageId":"u7","content":[{"type":"text","text":E},{"type":E,"text":E}]}`,
	`{"sessionUpdate":"agent_message","messageId":E,"content":[{"type":"text","text":E},{"type":"image","mimeType":E,"uri":E,"data":E},{"type":"resource_link","uri":E,"name":E}]}`,
	`{"sessionUpdate":"agent_message_chunk","messageId":E,"content":{"type":"text","text":E}}`,
	`{"sessionUpdate":"agent_thought","messageId":"t7","content":[{"type":"text","text":E}]}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":E,"title":E,"name":E,"kind":E,"status":E,"rawInput":{"command":E},"rawOutput":E,"locations":[{"path":E}],"capabilities":{"cancel":{}},` +
		`"content":[{"type":"diff","changes":[{"operation":E,"path":E,"oldPath":E,"fileType":E},{"operation":"move","path":E,"oldPath":E}],"patch":{"format":E,"text":E}},{"type":"terminal","terminalId":E}]}`,
	`{"sessionUpdate":"tool_call_content_chunk","toolCallId":E,"content":{"type":"content","content":{"type":"text","text":E}}}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"goes on","title":E,"kind":"execute","status":"in_progress","capabilities":{"cancel":{}}}`,
	`{"sessionUpdate":"terminal_update","terminalId":E,"command":E,"cwd":E,"capabilities":{"cancel":{}},"exitStatus":{"signal":E}}`,
	`{"sessionUpdate":"terminal_update","terminalId":"t1","command":E,"cwd":E,"capabilities":{"cancel":{}}}`,
	`{"sessionUpdate":"terminal_update","terminalId":"t1","output":{"data":"G1sySlp"}}`,
	`{"sessionUpdate":"terminal_update","terminalId":"t1","output":{"data":"G1sySlpx"}}`,
	`{"sessionUpdate":"terminal_output_chunk","terminalId":"t1","data":"G1sySlpx"}`,
	`{"sessionUpdate":"plan_update","plan":{"planId":E,"type":"items","entries":[{"content":E,"priority":E,"status":E}]}}`,
	`{"sessionUpdate":"plan_update","plan":{"planId":"text","type":"markdown","content":E}}`,
	`{"sessionUpdate":"subagent_update","sessionId":E,"title":E,"description":E,"state":{"state":E,"stopReason":E}}`,
	`{"sessionUpdate":"session_message","messageId":E,"senderSessionId":E,"recipientSessionId":E,"content":[{"type":"text","text":E},{"type":E}]}`,
	`{"sessionUpdate":"plan_update","plan":{"planId":E,"type":E,"content":E}}`,
	`{"sessionUpdate":"state_update","state":E,"background":[{"type":"terminal","terminalId":"t1"},{"type":"tool_call","toolCallId":E},{"type":E}]}`,
}}

// HostileForms are forms that the agent asks the user to fill in.
var HostileForms = []string{
	`{"sessionId":"s1","mode":"form","message":E,"requestedSchema":{"type":"object","title":E,"description":E,"properties":{
	E:{"type":"string","title":E,"description":E,"default":E},"n":{"type":"integer","title":E,"description":E,"minimum":1},"b":{"type":"boolean","title":E,"default":true},
	"w":{"type":"string","title":E,"oneOf":[{"const":E,"title":E},{"const":"s","title":E}],"default":E},"p":{"type":"array","title":E,"items":{"type":"string","enum":[E,"x"]}},
	"secret":{"type":"string","title":E,"format":"password"}},"required":[E,"n"]}}`,
	`{"sessionId":"s1","mode":"url","elicitationId":E,"message":E,"url":"https://example.org/?q=Zq"}`,
	`{"sessionId":"s1","mode":"url","elicitationId":"e2","message":E,"url":E}`,
}

// HostileTool is the tool call of a permission request, HostileOptions its options.
const (
	HostileTool    = `{"toolCallId":"asked","title":E,"name":E,"kind":"execute","status":"pending","rawInput":{"command":E,"cwd":E,E:E},"locations":[{"path":E}],"content":[{"type":"content","content":{"type":"text","text":E}},{"type":"diff","path":E,"oldText":E,"newText":E}]}`
	HostileOptions = `[{"optionId":E,"name":E,"kind":"allow_once"},{"optionId":"ever","name":E,"kind":"allow_always"},{"optionId":"no","name":E,"kind":"reject_once"}]`
)
