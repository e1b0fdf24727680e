package host

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/wire"
	"parley/internal/must"
	"parley/permissions"
)

// unasked reports who allows a tool call without the user: the policy that approves reads, and the mode that
// accepts edits.
func (r *rig) unasked(call wire.ToolCall) (reads, edits bool) {
	r.t.Helper()
	options := []wire.PermissionOption{{ID: "y", Kind: "allow_once"}, {ID: "n", Kind: "reject_once"}}
	decide := func(policy permissions.Policy, mode permissions.Mode) bool {
		h := New(Options{Sink: newSink(), Policy: policy})
		defer h.Close()
		must.Do(r.t, h.OpenSession(theSession, []string{r.root}, false))
		h.Broker().SetMode(theSession, mode)
		return ask(h.Services(), acpclient.Question{Session: theSession, Tool: call, Options: options}).Wait(r.t.Context()).OptionID == "y"
	}
	deny := permissions.DenyAll("deny", nil)
	return decide(permissions.ApproveReads("reads", deny), permissions.AskMode), decide(deny, permissions.AcceptEdits)
}

// A search is allowed as a read if it would read nothing sensitive and nothing outside.
func TestUnaskedSearches(t *testing.T) {
	r := newRig(t)
	r.put(filepath.Join(r.outside, "f"), "theirs")
	r.put(r.path("plain/f"), "")
	r.put(r.path("plain/.env"), "") // hidden, so a search skips it
	r.put(r.path("keys/deep/id_rsa"), "")
	r.link(filepath.Join(r.outside, "f"), "links")
	for input, want := range map[string]bool{
		`{"pattern":"x","path":"plain"}`:           true,
		`{"pattern":"x","path":"plain/f"}`:         true,
		`{"pattern":"x","path":"keys"}`:            false,
		`{"pattern":"x","paths":["plain","keys"]}`: false,
		`{"pattern":"x","path":"."}`:               false,
		`{"pattern":"x"}`:                          false,
	} {
		if got, _ := r.unasked(tool("search", "Find", input)); got != want {
			t.Errorf("%s: allowed %v", input, got)
		}
	}
}

// A read or edit is allowed as such if all of the call is understood and about files inside.
func TestUnaskedToolCalls(t *testing.T) {
	r := newRig(t)
	r.put(filepath.Join(r.outside, "f"), "theirs")
	r.link(filepath.Join(r.outside, "f"), "link")
	r.link(filepath.Join(r.outside, "f"), "src") // a file named like a member
	const no, reads, edits = 0, 1, 2
	v4a := func(lines ...string) string {
		text, _ := json.Marshal("*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n")
		return string(text)
	}
	for _, tc := range []struct {
		kind, input string
		want        int
	}{
		// Reads.
		{"read", `{"path":"f"}`, reads},
		{"read", `{"path":"f","offset":3,"limit":10,"line":1}`, reads},
		{"read", `{"paths":["f","sub/g"]}`, reads},
		{"read", `{"files":[{"path":"f"},{"file_path":"g","start_line":1}]}`, reads},
		{"read", `{"uri":"file://` + filepath.ToSlash(r.path("f")) + `"}`, reads},
		{"read", `{"path":"f","cwd":"sub"}`, reads},
		{"read", `{"command":"view","path":"f","view_range":[1,2]}`, reads},
		{"search", `{"pattern":"TODO","path":"sub","include":"*.{go,mod}","-n":true,"output_mode":"content"}`, reads},
		{"read", `{"path":"f","nothing":null}`, reads},
		{"search", `{"pattern":".","glob":".env"}`, no},
		{"search", `{"pattern":".","path":"sub","include":"**/.env*"}`, no},
		{"search", `{"pattern":".","glob":"*.{go,pem}"}`, no},
		{"search", `{"pattern":".","globs":["*.go",".ssh/*"]}`, no},
		{"search", `{"pattern":"(a|b).go","path":"sub","glob":"*.go"}`, reads},
		{"search", `{"pattern":"process.env","path":"sub","glob":"*.ts"}`, reads},
		{"search", `{"query":"weather"}`, no}, // no place given
		{"read", `{}`, no},
		{"read", ``, no},
		{"read", `null`, no},
		{"read", `"f"`, no},
		{"read", `["f"]`, no},
		{"read", `{"path":5}`, no},
		{"read", `{"path":["f",5]}`, no},
		{"read", `{"path":[["f"],{"path":"/elsewhere/x"}]}`, no},
		{"read", `{"path":"/elsewhere/x"}`, no},
		{"read", `{"path":"link"}`, no},
		{"read", `{"path":".env"}`, no},
		{"read", `{"path":"f","path":"/elsewhere/x"}`, no},
		{"read", `{"files":["f","/elsewhere/x"]}`, no},
		{"read", `{"files":[{"path":"f"},{"path":"/elsewhere/x"}]}`, no},
		{"read", `{"files":[{"path":"f"},{"where":"/elsewhere/x"}]}`, no},
		{"read", `{"files":{"a":{"b":{"filePath":"/elsewhere/x"}}}}`, no},
		{"read", `{"path":"f","source":"/elsewhere/x"}`, no},
		{"read", `{"path":"f","src":"../x"}`, no},
		{"read", `{"path":"f","uri":"file:///elsewhere/x"}`, no},
		{"read", `{"path":"f","uri":"file://` + filepath.ToSlash(r.path("f")) + `/%2e%2e/%2e%2e/x"}`, no},
		{"read", `{"path":"file://elsewhere/f"}`, no},
		{"read", `{"path":"https://example.com/f"}`, no},
		{"read", `{"path":"File:/elsewhere/x"}`, no},
		{"read", `{"path":"$HOME/x"}`, no},
		{"read", `{"path":" /elsewhere/x"}`, no}, // some agents trim paths
		{"read", `{"path":"\u00a0/elsewhere/x"}`, no},
		{"read", `{"path":"f\n"}`, no},
		{"read", `{"path":"@/elsewhere/x"}`, no}, // or remove this sign
		{"read", `{"path":"\"/elsewhere/x\""}`, no},
		{"read", `{"path":"f","parsed_cmd":[{"cmd":"cat /elsewhere/x"}]}`, no},
		{"read", `{"path":"%USERPROFILE%"}`, no},
		{"read", `{"path":"lin*"}`, no},
		{"read", `{"paths":["{f,/elsewhere/x}"]}`, no},
		{"read", `{"path":"routes/$id/[slug].tsx"}`, reads},
		{"read", `{"path":"f","root":"/elsewhere"}`, no},
		{"read", `{"path":"f","cwd":"/elsewhere"}`, no},
		{"read", `{"path":"f","dir":"~"}`, no},
		{"read", `{"path":"f","zzz":"/elsewhere/x"}`, no},
		{"read", `{"path":"f","zzz":"word"}`, no},
		{"read", `{"path":"f","zzz":true}`, no},
		{"read", `{"path":"f","zzz":false}`, no},
		{"read", `{"path":"f","zzz":{}}`, no},
		{"read", `{"path":"f","description":{"zzz":"word"}}`, no},
		{"read", `{"path":"f","url":"https://example.com"}`, no},
		{"read", `{"path":"f","url":"example.com"}`, no},
		{"read", `{"path":"f","command":"ls"}`, no},
		{"read", `{"path":"f","cmd":["ls"]}`, no},
		{"read", `{"path":"f","Command":"ls"}`, no},
		{"read", `{"path":"f","command":"create"}`, no},
		{"read", `{"path":"f","then":{"command":"ls"}}`, no},
		{"read", `{"path":"f","script":"ls"}`, no},
		{"read", `{"path":"f","content":"new"}`, no},
		{"read", `{"path":"f","new_string":"new"}`, no},
		{"read", `{"path":"f","operation":"delete"}`, no},
		{"read", `{"path":"f","type":"delete"}`, no},
		{"read", `{"path":"f","delete":true}`, no},
		{"read", `{"path":"f","destination":"g"}`, no},
		{"read", `{"path":"f","new_path":"g"}`, no},
		{"read", `{"path":"f","to":"g"}`, no},
		{"read", `{"path":"f","edits":[{"old":"a","new":"b"}]}`, no},
		{"read", `{"path":"f","patch":` + v4a("*** Update File: f", "@@", "-a", "+b") + `}`, no},
		{"read", `{"path":"f","diff":"@@ -1 +1 @@\n-a\n+b"}`, no},
		{"search", `{"pattern":"/elsewhere/*"}`, no},
		{"search", `{"pattern":"../*"}`, no},
		{"search", `{"pattern":"src/../../*"}`, no},
		{"search", `{"pattern":"{/elsewhere,src}/*"}`, no},
		{"search", `{"pattern":"{..,src}/*"}`, no},
		{"search", `{"pattern":"~/*"}`, no},
		{"search", `{"pattern":"x","path":"/elsewhere"}`, no},
		{"search", `{"pattern":"x","url":"https://example.com"}`, no},
		{"fetch", `{"path":"f"}`, no},
		{"other", `{"path":"f"}`, no},
		{"Read", `{"path":"f"}`, no},

		// Edits.
		{"edit", `{"path":"f","content":"/elsewhere/passwd && https://example.com $(rm)"}`, edits},
		{"edit", `{"file_path":"f","old_string":"a","new_string":"b","replace_all":false}`, edits},
		{"edit", `{"filePath":"f","oldString":"a","newString":"b"}`, edits},
		{"edit", `{"path":"f","edits":[{"old_text":"a","new_text":"b"}]}`, edits},
		{"edit", `{"edits":[{"file_path":"f","old_string":"a","new_string":"b"},{"file":"g","old":"","new":"x"}]}`, edits},
		{"edit", `{"notebook_path":"n.ipynb","new_source":"x","cell_type":"code","edit_mode":"insert"}`, edits},
		{"edit", `{"command":"str_replace","path":"f","old_str":"a","new_str":"b"}`, edits},
		{"edit", `{"input":` + v4a("*** Add File: new/x", "+a", "*** Update File: f", "*** Move to: g", "@@", "-a", "+b", "*** Delete File: h") + `}`, edits},
		{"edit", `{"patch":"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"}`, edits},
		{"edit", `{"diff":"diff --git a/f b/g\nsimilarity index 90%\nrename from f\nrename to g\n--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n"}`, edits},
		{"edit", `{"path":"f","diff":"@@ -1 +1 @@\n-a\n+b"}`, edits},
		{"edit", `{"changes":{"f":{"type":"update","unified_diff":"@@ -1 +1 @@\n-a\n+b","move_path":null}},"call_id":"1","reason":null}`, edits},
		{"edit", `{"changes":[{"path":"f","kind":{"type":"update","move_path":null},"diff":"@@ -1 +1 @@\n-a\n+b"}]}`, edits},
		{"edit", `{}`, no},
		{"edit", `{"content":"x"}`, no},
		{"edit", `{"path":"f","content":"x","mode":511}`, no},
		{"edit", `{"path":"f","content":{"zzz":1}}`, no},
		{"edit", `{"path":"f","command":"rm -rf ."}`, no},
		{"edit", `{"path":"f","command":["rm"]}`, no},
		{"edit", `{"path":"f","content":"x","then":"ls && rm x"}`, no},
		{"edit", `{"path":"f","content":"x","url":"https://example.com"}`, no},
		{"edit", `{"path":"f","edits":[{"file_path":"/elsewhere/x","old":"a","new":"b"}]}`, no},
		{"edit", `{"path":"f","edits":[{"old":"a","new":"b","in":"/elsewhere/x"}]}`, no},
		{"edit", `{"path":".git/hooks/pre-commit","content":"x"}`, no},
		{"edit", `{"path":"link","content":"x"}`, no},
		{"edit", `{"path":"f","dest":"/elsewhere/x"}`, no},
		{"edit", `{"path":"f","newPath":"../x"}`, no},
		{"edit", `{"old_path":"f","new_path":".claude/settings.json"}`, no},
		{"edit", `{"input":` + v4a("*** Update File: f", "@@", "-a", "+b", "*** Update File: /elsewhere/x", "@@", "-a", "+b") + `}`, no},
		{"edit", `{"input":` + v4a("*** Update File: f", "*** Move to: ../x", "@@", "-a", "+b") + `}`, no},
		{"edit", `{"input":` + v4a("*** Delete File: .git/config") + `}`, no},
		{"edit", `{"path":"f","input":"change it somehow"}`, no},
		{"edit", `{"path":"f","patch":"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null` + `\n+++ b/../x\n@@ -0,0 +1 @@\n+b\n"}`, no},
		{"edit", `{"path":"f","patch":"--- a/f\n+++ /elsewhere/x\n@@ -1 +1 @@\n-a\n+b\n"}`, no},
		{"edit", `{"path":"f","diff":"diff --git a/f b/f\nrename from f\nrename to ../x\n"}`, no},
		{"edit", `{"path":"f","patch":"--- \"a/\\056\\056/x\"\n+++ \"b/\\056\\056/x\"\n@@ -1 +1 @@\n-a\n+b\n"}`, no},
		{"edit", `{"changes":{"/elsewhere/x":{"type":"add","content":"x"}}}`, no},
		{"edit", `{"changes":{"link":{"type":"add","content":"x"}}}`, no},
		{"edit", `{"path":"f","changes":{"src":{"type":"add","content":"x"}}}`, no},
		{"edit", `{"changes":{"f":{"type":"update","unified_diff":"","move_path":"/elsewhere/x"}}}`, no},
		{"delete", `{"path":"f"}`, no},
		{"move", `{"source":"f","destination":"g"}`, no},
		{"execute", `{"command":"ls"}`, no},
		{"other", `{"path":"f","content":"x"}`, no},
	} {
		gotReads, gotEdits := r.unasked(tool(tc.kind, "Look", tc.input))
		if gotReads != (tc.want == reads) || gotEdits != (tc.want == edits) {
			t.Errorf("%s %s: as a read %v, as an edit %v", tc.kind, tc.input, gotReads, gotEdits)
		}
	}
}

// The content of a call counts as much as its input.
func TestUnaskedContent(t *testing.T) {
	r := newRig(t)
	read := func(content ...wire.ToolContent) wire.ToolCall {
		call := tool("read", "Read", `{"path":"f"}`)
		call.Content = &content
		return call
	}
	edit := diff("f", "x")
	edit.RawInput = wire.Raw(`{"path":"f","command":"rm x"}`)
	outside := diff(r.path("f"), "x", "y")
	outside.Locations = &[]wire.Location{{Path: filepath.Join(r.outside, "f")}}
	uri := tool("read", "Read", "")
	uri.Locations = &[]wire.Location{{Path: "file:/elsewhere/x"}}
	many := tool("read", "Read", "")
	var places []wire.Location
	for range maxPaths + 1 {
		places = append(places, wire.Location{Path: r.path("f" + strings.Repeat("x", len(places)))})
	}
	many.Locations = &places
	for name, tc := range map[string]struct {
		call         wire.ToolCall
		reads, edits bool
	}{
		"a read with words":        {read(wire.ToolContent{Type: "content", Block: wire.ContentBlock{Type: "text", Text: "look"}}), true, false},
		"a read with a change":     {read((*diff("g", "x").Content)...), false, true},
		"a read with v2's changes": {read(wire.ToolContent{Type: "content", Changes: []wire.FileChange{{Operation: "modify", Path: "g"}}}), false, false},
		"only a patch of v2":       {read(wire.ToolContent{Type: "content", Patch: "binary"}), false, false},
		"one of v2 elsewhere":      {read(wire.ToolContent{Type: "content", Patch: "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n"}), false, false},
		"an unknown type":          {read(wire.ToolContent{Type: "hologram", Raw: wire.Raw(`{"type":"hologram"}`)}), false, false},
		"an edit":                  {diff("f", "x"), false, true},
		"an edit with a command":   {edit, false, false},
		"an edit that leads out":   {outside, false, false},
		"a URI that leads out":     {uri, false, false},
		"a change at a URI":        {diff("file:/elsewhere/x", "x"), false, false},
		"more than is looked up":   {many, false, false},
	} {
		if reads, edits := r.unasked(tc.call); reads != tc.reads || edits != tc.edits {
			t.Errorf("%s: as a read %v, as an edit %v", name, reads, edits)
		}
	}
	q := r.show(read(wire.ToolContent{Type: "hologram", Raw: wire.Raw(`{"type":"hologram","of":"x"}`)}))
	if got := parts(q, permissions.Field); !slices.Contains(got, `hologram={"type":"hologram","of":"x"}`) {
		t.Errorf("what it shows is nowhere: %q", got)
	}
}

// The inputs of common agents pass.
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

// Rules also match a path as requested.
func TestPathsAsAsked(t *testing.T) {
	r := newRig(t)
	r.put(r.path("real/f"), "x")
	r.link(r.path("real"), "link")
	asked, resolved := r.path("link/f"), r.path("real/f")
	q := r.host.agentQuestion(acpclient.Question{Session: theSession, Tool: tool("read", "t", `{"path":"link/./f"}`)})
	for name, file := range map[string]permissions.FileFact{
		"of a tool call": q.Facts.Files[0],
		"looked up":      r.host.disk(theSession).Resolve(asked),
	} {
		if file.RequestedPath != asked || file.Path != resolved {
			t.Errorf("%s: got %+v", name, file)
		}
	}
	if file := r.host.disk(theSession).Resolve("~/x"); file.RequestedPath != "" {
		t.Errorf("a path that leads to an unknown place: got %+v", file)
	}
}

// An "always" covers writes only if it was given for a completely known call that writes files.
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
			r.free(r.write(r.path("f"), "y"))
		} else {
			r.refused(r.write(r.path("f"), "y"))
		}
	}
}

// A .. after a link leads to the parent of its target, in relative and absolute paths.
func TestUnaskedPathsThroughLinks(t *testing.T) {
	r := newRig(t)
	r.put(filepath.Join(r.outside, "sub/f"), "theirs")
	r.put(filepath.Join(r.outside, "f"), "theirs")
	r.put(r.path("dir/f"), "ours")
	r.link(filepath.Join(r.outside, "sub"), "l")
	for path, want := range map[string]bool{"dir/../dir/f": true, "l/../f": false, r.root + "/l/../f": false, "../f": false} {
		if got, _ := r.unasked(tool("read", "Read", `{"path":"`+path+`"}`)); got != want {
			t.Errorf("%s: allowed %v", path, got)
		}
	}
}

// A pattern that means a sensitive file which exists is about that file.
func TestPatternsOfSensitiveFiles(t *testing.T) {
	r := newRig(t)
	r.put(r.path("sub/.env"), "A=1\n")
	r.put(r.path("sub/x.go"), "")
	for pattern, secret := range map[string]bool{
		".en?": true, ".[e]nv": true, "**/.*": true, "?env": true, "[.]env": true, ".e*": true, "*env": true, "sub/.e*": true, "s*/.en?": true, "**/sub/.[!x]*": true, "./sub/.en?": true, "[": true, ".EN?": true,
		"*": false, "**": false, "**/*": false, "*.go": false, "sub/*": false, "*/x.go": false, "x?go": false, ".en??": false, "sub/**": false, "other/.e*": false,
	} {
		input, _ := json.Marshal(map[string]any{"pattern": "x", "glob": pattern})
		if q := r.show(tool("search", "Grep", string(input))); q.Secret != secret {
			t.Errorf("%q: secret %v: %+v", pattern, q.Secret, q.Facts.Files)
		}
	}
}
