package host

import (
	"path/filepath"
	"strings"
	"testing"

	"parley/acpclient/wire"
	"parley/permissions"
)

// What the agents that people use send passes where nothing speaks against it.
func TestInputsOfRealAgents(t *testing.T) {
	r := newRig(t)
	r.setRules("[[allow]]\ncommand = \"go test *\"\n[[allow]]\nhost = \"example.com\"\n[[allow]]\ntool = \"mcp__labmcp__labecho\"\n[[allow]]\nkind = \"edit\"\npath = \"**\"\n[[allow]]\nkind = \"read\"\npath = \"**\"\n[[allow]]\nkind = \"search\"\npath = \"**\"\n")
	for name, tc := range map[string]struct {
		kind, tool, input string
	}{
		"claude Bash":       {"execute", "Bash", `{"command":"go test ./...","description":"Run the tests","timeout":120000,"run_in_background":false}`},
		"claude Write":      {"edit", "Write", `{"file_path":"%r/new-file.txt","content":"one\ntwo\n"}`},
		"claude Edit":       {"edit", "Edit", `{"file_path":"%r/src.txt","old_string":"line two alpha","new_string":"line two BETA","replace_all":false}`},
		"claude MultiEdit":  {"edit", "MultiEdit", `{"file_path":"%r/src.txt","edits":[{"old_string":"a","new_string":"b","replace_all":true}]}`},
		"claude Notebook":   {"edit", "NotebookEdit", `{"notebook_path":"%r/n.ipynb","cell_id":"c","new_source":"x","cell_type":"code","edit_mode":"replace"}`},
		"claude Read":       {"read", "Read", `{"file_path":"%r/src.txt","offset":10,"limit":20}`},
		"claude Grep":       {"search", "Grep", `{"pattern":"func \\w+","path":"%r","glob":"*.go","output_mode":"content","-n":true,"-i":false,"-A":2,"head_limit":10,"type":"go","multiline":false}`},
		"claude Glob":       {"search", "Glob", `{"pattern":"**/*.{ts,tsx}"}`},
		"claude WebFetch":   {"fetch", "WebFetch", `{"url":"https://example.com/page","prompt":"Summarise https://example.com/page"}`},
		"claude MCP":        {"other", "mcp__labmcp__labecho", `{"text":"hello mcp"}`},
		"codex command":     {"execute", "", `{"call_id":"c","turn_id":"1","command":["go","test","./..."],"cwd":"%r","reason":"to see","proposed_execpolicy_amendment":["go","test"],"parsed_cmd":[{"type":"unknown","cmd":"go test ./..."}]}`},
		"codex patch":       {"edit", "", `{"call_id":"c","turn_id":"1","changes":{"%r/a.go":{"type":"update","unified_diff":"@@ -1 +1 @@\n-a\n+b\n","move_path":null}},"reason":null,"grant_root":null}`},
		"gemini shell":      {"execute", "run_shell_command", `{"command":"go test ./...","description":"Run the tests","dir_path":"%r","is_background":false}`},
		"gemini replace":    {"edit", "replace", `{"file_path":"%r/f","instruction":"Change it","old_string":"a","new_string":"b","expected_replacements":1}`},
		"gemini read":       {"read", "read_file", `{"file_path":"%r/f","start_line":1,"end_line":9}`},
		"gemini list":       {"search", "list_directory", `{"dir_path":"%r","ignore":["*.log"],"file_filtering_options":{"respect_git_ignore":true}}`},
		"opencode bash":     {"execute", "", `{"command":"go test ./...","workdir":"%r","timeout":1000,"description":"Run"}`},
		"opencode edit":     {"edit", "", `{"filepath":"%r/f","diff":"Index: %r/f\n===================================================================\n--- %r/f\n+++ %r/f\n@@ -0,0 +1,1 @@\n+one\n"}`},
		"opencode write":    {"edit", "", `{"filePath":"%r/f","oldString":"a","newString":"b","replaceAll":false}`},
		"opencode grep":     {"search", "", `{"pattern":"x","path":"%r","include":"*.go"}`},
		"opencode webfetch": {"fetch", "", `{"url":"https://example.com/page","format":"text","timeout":5}`},
		"cline patch":       {"edit", "apply_patch", `{"input":"*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch"}`},
		"cursor read":       {"read", "read_file", `{"target_file":"f","explanation":"to see","offset":1}`},
	} {
		call := tool(tc.kind, "t", strings.ReplaceAll(tc.input, "%r", filepath.ToSlash(r.root)))
		call.Name = &tc.tool
		if got := r.judged(call); got.Effect != permissions.Allow {
			t.Errorf("%s: %v; %+v", name, got.Effect, got.Verdicts)
		}
	}
}

// An "always" for one thing is none for another: it lets files be written where all
// that it was given for is known, and is the writing of files.
func TestAlwaysIsForEditsAlone(t *testing.T) {
	edit := func(r *rig, input string) wire.ToolCall {
		call := diff(r.path("f"), "x")
		call.RawInput = wire.Raw(input)
		return call
	}
	for input, free := range map[string]bool{
		`{"path":"f","content":"x"}`:                true,
		`{"path":"f","content":"x","sandbox":"no"}`: false,
		`{"path":"f","command":"make"}`:             false,
	} {
		r := newRig(t)
		r.permit(edit(r, input), permissions.AllowAlways)
		if free {
			r.free(r.write(r.path("g"), "y"))
		} else {
			r.refused(r.write(r.path("g"), "y"))
		}
	}
}
