package host

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/wire"
	"parley/permissions"
)

// A change is drawn, from whatever the agent sends, and not listed again.
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
	// Questions of v2 have the changes as a patch, and also as a list.
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
		if name != "a text in the input" {
			c.call.Locations = &[]wire.Location{{Path: path}}
		}
		q := r.show(c.call)
		if len(q.Body) != 1 || q.Body[0].Kind != c.kind || name != "a text in the input" && q.Description != "" {
			t.Errorf("%s: %q, %+v", name, q.Description, q.Body)
		}
	}
	if d := r.show(pair).Body[0]; d.First != 0 || !strings.Contains(d.Old, "line 1\nline two alpha\n") {
		t.Errorf("got %+v", d)
	}
}

// What is not a plain change of text is shown unchanged.
func TestOddPatchesAreNotDrawn(t *testing.T) {
	const hunk = "@@ -1 +1 @@\n-old\n+new\n"
	for _, patch := range []string{"", "text", "--- a/f\n+++ b/f\n", "--- a/f\n+++ b/f\n" + hunk + "and run something\n", "rename from a\nrename to b\n",
		"diff --git a/evil b/evil\n--- a/f\n+++ b/f\n" + hunk, "Index: evil\n--- a/f\n+++ b/f\n" + hunk, "*** Begin Patch\n*** Update File: f\n-old\n+new\n*** End Patch"} {
		if files, ok := hunksOf(patch); ok {
			t.Errorf("%q: got %+v", patch, files)
		}
	}
	r := newRig(t)
	call := tool("edit", "Edit", "")
	patch := "diff --git a/f b/f\n--- a/f\n+++ b/f\n" + hunk
	call.Content = &[]wire.ToolContent{{Type: "content", Block: wire.ContentBlock{Type: "text", Text: "move g to h\n" + patch}, Patch: patch,
		Changes: []wire.FileChange{{Operation: "move", OldPath: "g", Path: "h"}}}}
	if q := r.show(call); len(q.Body) < 2 || !strings.Contains(screen(q), "move g to h") {
		t.Errorf("got %+v", q.Body)
	}
	call = tool("edit", "Edit", `{"path":"f","old_string":"old","new_string":"new","body":"rm -rf /","on_save":"new"}`)
	fields := strings.Join(parts(r.show(call), permissions.Field), " ")
	if !strings.Contains(fields, "body=rm -rf /") || !strings.Contains(fields, "on_save=new") {
		t.Errorf("got %q", fields)
	}
}

// What is shown as the command or the words is not shown again as text.
func TestTextsAreShownOnce(t *testing.T) {
	r := newRig(t)
	call := tool("execute", "Run the tests", `{"command":"go test ./...","description":"Run the tests"}`)
	call.Content = &[]wire.ToolContent{{Type: "content", Block: wire.ContentBlock{Type: "text", Text: "go test ./...\n"}},
		{Type: "content", Block: wire.ContentBlock{Type: "text", Text: "Run the tests"}}, {Type: "content", Block: wire.ContentBlock{Type: "text", Text: "It takes a minute."}}}
	q := r.show(call)
	if got := screen(q); strings.Count(got, "go test ./...") != 1 || strings.Contains(strings.Join(parts(q, permissions.Text), ""), "Run the tests") || !strings.Contains(got, "It takes a minute.") {
		t.Errorf("got %q", got)
	}
}

// patchCall is a call of cline's apply_patch.
func patchCall(more string, lines ...string) wire.ToolCall {
	text := "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
	quoted, _ := json.Marshal(text)
	title := `apply_patch: {"input":"*** Begin Pa...`
	t := tool("other", title, `{"input":`+string(quoted)+more+`}`)
	if _, drawn := acpclient.PatchContents(t); drawn != nil {
		t.Kind, t.Content = new("edit"), &drawn
	}
	return t
}

// A patch without line numbers is drawn at its place in the file, completely, and judged by each file it names.
func TestPatchWithoutNumbers(t *testing.T) {
	r := newRig(t)
	r.put(r.path("src/a.txt"), "1\n2\n3\n4\n5\n6\n7\nold\n9\n")
	q := r.show(patchCall("", "*** Update File: src/a.txt", "@@", " 7", "-old", "+new"))
	if len(q.Body) != 1 || q.Kind != "edit" || q.Description != "" {
		t.Fatalf("%q %+v", q.Description, q.Body)
	}
	if d := q.Body[0]; d.Kind != permissions.Diff || d.Path != "src/a.txt" || d.First != 3 || d.Old != "4\n5\n6\n7\nold\n9\n" || d.Text != "4\n5\n6\n7\nnew\n9\n" {
		t.Errorf("got %+v", d)
	}
	if f := q.Facts.Files; len(f) != 1 || f[0].Path != r.path("src/a.txt") || !f[0].Write || q.Facts.Partial || q.Outside {
		t.Errorf("got %+v", q.Facts)
	}
	if d := r.show(patchCall("", "*** Update File: src/a.txt", "@@", "-not there", "+new")).Body[0]; d.First != -1 || d.Old != "not there\n" {
		t.Errorf("got %+v", d)
	}

	out := filepath.Join(r.outside, "x")
	q = r.show(patchCall("", "*** Add File: n", "+all", "*** Delete File: "+out, "*** Delete File: gone", "*** Update File: src/a.txt", "*** Move to: ../b", "*** Update File: .env", "+A=1"))
	got := screen(q)
	for _, want := range []string{"Delete " + out, "Delete gone", "Move src/a.txt to ../b", "all", "A=1", out + ": outside", "../b: outside", ".env: sensitive"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if !q.Outside || !q.Secret || len(q.Facts.Files) != 6 || len(parts(q, permissions.Field)) != 0 {
		t.Errorf("%+v %q", q.Facts, parts(q, permissions.Field))
	}
}

// Other members of such a call are shown, and so is any part of a patch that is not understood.
func TestPatchWithMore(t *testing.T) {
	r := newRig(t)
	q := r.show(patchCall(`,"run":"rm -rf x"`, "*** Update File: a", "-b", "+c"))
	if fields := parts(q, permissions.Field); len(fields) != 1 || fields[0] != "run=rm -rf x" || !q.Facts.Partial {
		t.Errorf("%q %+v", fields, q.Facts)
	}
	for _, lines := range [][]string{{"*** Update File: a", "-b", "rm -rf x"}, {"*** Delete File: " + r.outside, " rm -rf x"}} {
		q := r.show(patchCall("", lines...))
		if got := screen(q); !strings.Contains(got, lines[1]) || !strings.Contains(got, lines[0]) || len(q.Facts.Files) == 0 {
			t.Errorf("%+v\n%s", q.Facts, got)
		}
	}
	q = r.show(patchCall(`,"input":"*** Begin Patch\n*** Delete File: z\n*** End Patch"`, "*** Update File: a", "-b", "+c"))
	if got := screen(q); !strings.Contains(got, "*** Delete File: z") || !strings.Contains(got, "*** Update File: a") {
		t.Errorf("%s", got)
	}
	// The content of a call may differ from its input.
	call := patchCall("", "*** Delete File: a")
	call.Content = diff("b", "x").Content
	if got := screen(r.show(call)); !strings.Contains(got, "*** Delete File: a") {
		t.Errorf("%s", got)
	}
}

// Rules for paths apply to the files of such a patch.
func TestRulesOfPatches(t *testing.T) {
	r := ruledRig(t, "[[allow]]\nkind = \"edit\"\n[[deny]]\npath = \"private/**\"\n")
	options := []wire.PermissionOption{{ID: "y", Kind: permissions.AllowOnce}, {ID: "n", Kind: permissions.RejectOnce}}
	for line, want := range map[string]string{"*** Delete File: a": "y", "*** Delete File: private/a": "n", "*** Update File: b\n*** Move to: private/b": "n", "*** Add File: src/../private/c": "n"} {
		q := r.host.broker.Ask(r.host.agentQuestion(acpclient.Question{Session: theSession, Tool: patchCall("", line), Options: options}))
		if got := q.Wait(t.Context()); got.OptionID != want {
			t.Errorf("%s: %+v, %+v", line, got, q.Question.Judgement)
		}
	}
}
