package host

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/acpclient/wire"
	"parley/permissions"
)

// A change is drawn wherever it can be, from whatever the agent sends, and nothing of it
// is listed again.
func TestChangesAreDrawn(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("src.txt"), "line 1\nline two alpha\nline 3\n")
	hunk := "@@ -1,3 +1,3 @@\n line 1\n-line two alpha\n+line two BETA\n line 3\n"
	git := "diff --git " + path + " " + path + "\n--- " + path + "\n+++ " + path + "\n" + hunk
	index := "Index: " + path + "\n===================================================================\n--- " + path + "\n+++ " + path + "\n" + hunk
	input := func(members map[string]any) wire.Raw {
		raw, _ := json.Marshal(members)
		return raw
	}
	// As questions of v2 come to the host: the changes as text, and beside it as they were.
	v2 := func(operation, patch string) wire.ToolCall {
		call := tool("edit", "Edit src.txt", "")
		call.Content = &[]wire.ToolContent{{Type: "content", Block: wire.ContentBlock{Type: "text", Text: operation + " " + path + "\n" + patch}, Patch: patch,
			Changes: []wire.FileChange{{Operation: operation, Path: path, FileType: "text"}}}}
		return call
	}
	claude := v2("modify", git)
	claude.RawInput = input(map[string]any{"file_path": path, "old_string": "alpha", "new_string": "BETA"})
	copilot := tool("edit", "Edit file", "")
	copilot.RawInput = input(map[string]any{"fileName": path, "diff": index})
	pair := tool("edit", "Edit src.txt", "")
	pair.RawInput = input(map[string]any{"file_path": path, "old_string": "two alpha", "new_string": "two BETA"})
	whole := tool("edit", "Write src.txt", "")
	whole.RawInput = input(map[string]any{"file_path": r.path("new.txt"), "content": "all of it\n"})
	for name, c := range map[string]struct {
		call wire.ToolCall
		kind permissions.PartKind
	}{"v2": {claude, permissions.Patch}, "a patch in the input": {copilot, permissions.Patch}, "two texts in the input": {pair, permissions.Diff}, "a text in the input": {whole, permissions.Diff}} {
		q := r.show(c.call)
		if len(q.Body) != 1 || q.Body[0].Kind != c.kind || name != "a text in the input" && q.Words != "" {
			t.Errorf("%s: %q, %+v", name, q.Words, q.Body)
		}
	}
	if d := r.show(pair).Body[0]; d.First != 0 || !strings.Contains(d.Old, "line 1\nline two alpha\n") {
		t.Errorf("%+v", d)
	}
}

// What is not a plain change of text stays as it came, word by word.
func TestOddPatchesAreNotDrawn(t *testing.T) {
	const hunk = "@@ -1 +1 @@\n-old\n+new\n"
	for _, patch := range []string{"", "text", "--- a/f\n+++ b/f\n", "--- a/f\n+++ b/f\n" + hunk + "and run something\n", "rename from a\nrename to b\n",
		"diff --git a/evil b/evil\n--- a/f\n+++ b/f\n" + hunk, "Index: evil\n--- a/f\n+++ b/f\n" + hunk, "*** Begin Patch\n*** Update File: f\n-old\n+new\n*** End Patch"} {
		if files, ok := hunksOf(patch); ok {
			t.Errorf("%q: %+v", patch, files)
		}
	}
	r := newRig(t)
	call := tool("edit", "Edit", "")
	patch := "diff --git a/f b/f\n--- a/f\n+++ b/f\n" + hunk
	call.Content = &[]wire.ToolContent{{Type: "content", Block: wire.ContentBlock{Type: "text", Text: "move g to h\n" + patch}, Patch: patch,
		Changes: []wire.FileChange{{Operation: "move", OldPath: "g", Path: "h"}}}}
	if q := r.show(call); len(q.Body) < 2 || !strings.Contains(screen(q), "move g to h") {
		t.Errorf("%+v", q.Body)
	}
	call = tool("edit", "Edit", `{"path":"f","old_string":"old","new_string":"new","body":"rm -rf /","on_save":"new"}`)
	fields := strings.Join(parts(r.show(call), permissions.Field), " ")
	if !strings.Contains(fields, "body=rm -rf /") || !strings.Contains(fields, "on_save=new") {
		t.Errorf("%q", fields)
	}
}

// What is shown as the command or the words is no text of its own besides.
func TestTextsAreShownOnce(t *testing.T) {
	r := newRig(t)
	call := tool("execute", "Run the tests", `{"command":"go test ./...","description":"Run the tests"}`)
	call.Content = &[]wire.ToolContent{{Type: "content", Block: wire.ContentBlock{Type: "text", Text: "go test ./...\n"}},
		{Type: "content", Block: wire.ContentBlock{Type: "text", Text: "Run the tests"}}, {Type: "content", Block: wire.ContentBlock{Type: "text", Text: "It takes a minute."}}}
	q := r.show(call)
	if got := screen(q); strings.Count(got, "go test ./...") != 1 || strings.Contains(strings.Join(parts(q, permissions.Text), ""), "Run the tests") || !strings.Contains(got, "It takes a minute.") {
		t.Errorf("%q", got)
	}
}
