package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/uitest"
)

// edited is a finished v2 call that changed files.
func edited(c *event.Changes) *thread.Thread {
	th := thread.New("s")
	th.Apply(event.HistoryBegan{For: in}) // so that earlier questions are unknown
	kind, title, status := "edit", "Edit", "completed"
	th.Apply(event.ToolChanged{For: in, ID: "t", Title: &title, Kind: &kind, Status: &status, Content: &[]event.ToolContent{{Changes: c}}})
	th.Apply(event.HistoryEnded{For: in})
	return th
}

// patchOf returns a part of a git patch that changes the n-th of 20 lines.
func patchOf(name string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git %s %s\nindex 1..2 100644\n--- %s\n+++ %s\n@@ -%d,7 +%d,7 @@ func Parse\n", name, name, name, name, n, n)
	for i := range 7 {
		if i != 3 {
			fmt.Fprintf(&b, " line %d of the file\n", n+i)
			continue
		}
		fmt.Fprintf(&b, "-the old line %d of it\n+the new line %d of it\n", n+i, n+i)
	}
	return b.String()
}

func file(operation, path string) event.FileChange {
	return event.FileChange{Operation: operation, Path: path}
}

// everyChange returns one of each kind of change to a file.
func everyChange() *event.Changes {
	lex := uitest.Dir + "/lex.go"
	grown := "diff --git /dev/null " + uitest.Dir + "/notes.txt\nnew file mode 100644\n--- /dev/null\n+++ " + uitest.Dir + "/notes.txt\n@@ -0,0 +1,30 @@\n"
	for i := range 30 {
		grown += fmt.Sprintf("+note %d\n", i+1)
	}
	return &event.Changes{
		Files: []event.FileChange{
			file("modify", lex),
			file("add", uitest.Dir+"/notes.txt"),
			{Operation: "move", Path: uitest.Dir + "/parser/ast.go", OldPath: uitest.Dir + "/ast.go"},
			{Operation: "copy", Path: uitest.Dir + "/copy.go", OldPath: lex},
			file("delete", "/etc/motd"),
			{Operation: "add", Path: uitest.Dir + "/logo.png", FileType: "binary"},
			file("modify", uitest.Dir+"/icon.png"),
			file("modify", uitest.Dir+"/run.sh"),
			{Operation: "modify", Path: uitest.Dir + "/link", FileType: "symlink"},
			file("add", uitest.Dir+"/empty"),
			file("modify", uitest.Dir+"/same.go"),
			file("_chown", uitest.Dir+"/owned"),
			file("modify", uitest.Dir+"/unpatched.go"),
		},
		PatchFormat: "git_patch",
		Patch: "hello from the agent\n" + patchOf(lex, 12) + "@@ -88,2 +88,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n" + grown +
			"diff --git " + uitest.Dir + "/ast.go " + uitest.Dir + "/parser/ast.go\nsimilarity index 100%\nrename from " + uitest.Dir + "/ast.go\nrename to " + uitest.Dir + "/parser/ast.go\n" +
			"diff --git /etc/motd /dev/null\ndeleted file mode 100644\n--- /etc/motd\n+++ /dev/null\n@@ -1 +0,0 @@\n-welcome\n" +
			"diff --git " + uitest.Dir + "/logo.png " + uitest.Dir + "/logo.png\nnew file mode 100644\nGIT binary patch\nliteral 3\nKcmYdfNCp4_i2%g_\n\n" +
			"diff --git " + uitest.Dir + "/icon.png " + uitest.Dir + "/icon.png\nBinary files differ\n" +
			"diff --git " + uitest.Dir + "/run.sh " + uitest.Dir + "/run.sh\nold mode 100644\nnew mode 100755\n" +
			"diff --git a/empty b/empty\nnew file mode 100644\nindex 0..1\n" +
			"diff --git a/same.go b/same.go\nindex 1..1\n" +
			"diff --git /etc/passwd /etc/passwd\n--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-root:x:0\n+root::0\n@@@ what is this\n+?\n",
	}
}

func TestChangesGolden(t *testing.T) {
	for width, name := range map[int]string{40: "plain", 80: "dark", 120: "plain"} {
		for _, d := range []Density{Normal, Everything, Quiet} {
			v := viewOf(edited(everyChange()), name, width, 500)
			v.SetDensity(d)
			uitest.CheckRows(t, v.Rows(), width)
			uitest.Golden(t, fmt.Sprintf("changes/%d-%s-%s", width, name, d), v.Rows())
		}
	}
}

func textOf(v *View) string { return uitest.Text(v.Rows()) }

// The head of a call shows the line counts of the patch and names a single file once.
func TestChangesOfOneFile(t *testing.T) {
	lex := uitest.Dir + "/lex.go"
	th := edited(&event.Changes{Files: []event.FileChange{file("modify", lex)}, PatchFormat: "git_patch", Patch: patchOf(lex, 3)})
	v := viewOf(th, "plain", 80, 50)
	got := strings.Split(textOf(v), "\n")
	if len(got) != 9 || !strings.Contains(got[0], "Edit   lex.go") || !strings.HasSuffix(got[0], "+1 −1") || !strings.Contains(got[1], "  3   line 3 of the file") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	// A patch that replaces another is drawn and counted again.
	th.Apply(event.ToolChanged{For: in, ID: "t", Content: &[]event.ToolContent{{Changes: &event.Changes{
		Files: []event.FileChange{file("modify", lex)}, PatchFormat: "git_patch", Patch: patchOf(lex, 3) + strings.TrimPrefix(patchOf("", 40), "diff --git  \nindex 1..2 100644\n---  \n+++  \n")}}}})
	v.Changed([]int{0})
	if got := textOf(v); !strings.Contains(got, "+2 −2") || !strings.Contains(got, "43 + the new line 43") {
		t.Errorf("%s", got)
	}
}

// A change that is too large to compare has no counts, and says so.
func TestChangeTooLargeToCompare(t *testing.T) {
	th := edited(&event.Changes{})
	th.Apply(event.ToolChanged{For: in, ID: "t", Content: &[]event.ToolContent{{Diff: &event.Diff{Path: uitest.Dir + "/big.txt", Old: strings.Repeat("a line of the file\n", 40_000), New: "little\n"}}}})
	got := textOf(viewOf(th, "plain", 80, 50))
	if head, _, _ := strings.Cut(got, "\n"); strings.Contains(got, "+0") || !strings.Contains(head, "too large to compare") {
		t.Errorf("%s", got)
	}
}

// Case 150: what the screen shows for changes without a complete or correct patch.
func TestChangesAreTheTruth(t *testing.T) {
	lex, ast := uitest.Dir+"/lex.go", uitest.Dir+"/ast.go"
	moved := event.FileChange{Operation: "move", Path: ast, OldPath: lex}
	for name, c := range map[string]struct {
		changes  event.Changes
		has, not []string
	}{
		"nothing":        {event.Changes{}, []string{"no changes"}, []string{"+0"}},
		"no patch":       {event.Changes{Files: []event.FileChange{file("modify", lex)}}, []string{"modify lex.go"}, []string{"+0", "no changes"}},
		"unknown format": {event.Changes{PatchFormat: "_x", Patch: "a\nb\n"}, []string{"a\n    b"}, []string{"could not", "no changes"}},
		"not a patch":    {event.Changes{Files: []event.FileChange{file("modify", lex)}, PatchFormat: "git_patch", Patch: "- done\n+ all\n"}, []string{"modify lex.go", "cannot be read:", "- done\n    + all"}, []string{"+1"}},
		"another file":   {event.Changes{Files: []event.FileChange{file("modify", lex)}, PatchFormat: "git_patch", Patch: patchOf(ast, 1)}, []string{"modify lex.go\n", "⚠ only in the patch: modify ast.go  +1 −1"}, nil},
		"no files named": {event.Changes{PatchFormat: "git_patch", Patch: patchOf(lex, 1)}, []string{"⚠ only in the patch: modify lex.go"}, nil},
		"relative":       {event.Changes{Files: []event.FileChange{file("modify", lex), file("add", ast)}, PatchFormat: "git_patch", Patch: strings.NewReplacer("--- X", "--- a/lex.go", "+++ X", "+++ b/lex.go").Replace(patchOf("X", 1)) + patchOf("ast.go", 1)}, []string{"modify lex.go  +1 −1", "add ast.go  +1 −1"}, []string{"⚠"}},
		"moved":          {event.Changes{Files: []event.FileChange{moved}, PatchFormat: "git_patch", Patch: strings.Replace(patchOf(ast, 1), "--- "+ast, "--- "+lex, 1)}, []string{"move lex.go to ast.go  +1 −1"}, []string{"⚠"}},
		"moved in two":   {event.Changes{Files: []event.FileChange{moved}, PatchFormat: "git_patch", Patch: "--- " + lex + "\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n--- /dev/null\n+++ " + ast + "\n@@ -0,0 +1 @@\n+x\n"}, []string{"move lex.go to ast.go  +0 −1  +1 −0"}, []string{"⚠"}},
		"moved, not told": {event.Changes{Files: []event.FileChange{file("modify", ast)}, PatchFormat: "git_patch", Patch: strings.Replace(patchOf(ast, 1), "--- "+ast, "--- "+lex, 1)},
			[]string{"modify ast.go\n", "⚠ only in the patch: move lex.go to ast.go"}, nil},
		"quoted": {event.Changes{PatchFormat: "git_patch", Patch: "diff --git \"/w/\\033[2J\\342\\200\\256x\" \"/w/\\033[2J\\342\\200\\256x\"\nold mode 1\nnew mode 2\n"}, []string{"modify /w/x  mode 1 → 2"}, nil},
	} {
		v := viewOf(edited(&c.changes), "plain", 80, 80)
		uitest.CheckRows(t, v.Rows(), 80)
		got := textOf(v)
		for _, s := range c.has {
			if !strings.Contains(got+"\n", s) {
				t.Errorf("%s: no %q in\n%s", name, s, got)
			}
		}
		for _, s := range c.not {
			if strings.Contains(got, s) {
				t.Errorf("%s: %q in\n%s", name, s, got)
			}
		}
	}
}

// The number of rows is bounded, and a file that only the patch mentions is not hidden by
// others.
func TestChangesAreBounded(t *testing.T) {
	var many event.Changes
	many.PatchFormat = "git_patch"
	for i := range 500 {
		name := fmt.Sprintf("%s/file%d.go", uitest.Dir, i)
		many.Files = append(many.Files, file("modify", name))
		many.Patch += patchOf(name, 1+i)
	}
	many.Patch += patchOf("/etc/passwd", 1)
	long := event.Changes{PatchFormat: "git_patch", Patch: "?" + strings.Repeat("x", 1<<20) + "\n" + strings.Repeat("?\n", 100_000)}
	v := viewOf(edited(&many), "plain", 80, 5000)
	got := textOf(v)
	for _, s := range []string{"modify file0.go  +1 −1\n", "    ▸ 4 more\n    modify file8.go  +1 −1  ▸ 8 lines", "modify file19.go  +1 −1  ▸ 8 lines", "▸ 481 more files, ⚠ 1 only in the patch", "+501 −501"} {
		if !strings.Contains(got, s) {
			t.Errorf("no %q in\n%s", s, got)
		}
	}
	if n := strings.Count(got, "\n"); n > changedFiles+changedRows+10 {
		t.Errorf("%d rows", n)
	}
	for _, c := range []*event.Changes{&many, &long} {
		for _, d := range []Density{Normal, Everything} {
			v := viewOf(edited(c), "dark", 40, 10_000)
			v.SetDensity(d)
			uitest.CheckRows(t, v.Rows(), 40)
			if n := len(v.Rows()); n > maxShown+10 {
				t.Errorf("%d rows", n)
			}
		}
	}
	if got := textOf(viewOf(edited(&long), "plain", 40, 5000)); strings.Count(got, "\n") > 2*diffRows || !strings.Contains(got, "▸ 100001 more") {
		t.Errorf("%s", got)
	}
}

// Patches of many calls do not accumulate.
func TestPatchesAreDropped(t *testing.T) {
	th := thread.New("s")
	kind, status := "edit", "completed"
	for i := range 3 * maxPatches {
		id, name := fmt.Sprint(i), fmt.Sprintf("/w/%d", i)
		th.Apply(event.ToolChanged{For: in, ID: id, Kind: &kind, Status: &status, Content: &[]event.ToolContent{{Changes: &event.Changes{
			Files: []event.FileChange{file("modify", name)}, PatchFormat: "git_patch", Patch: patchOf(name, 1)}}}})
	}
	v := viewOf(th, "plain", 80, 5000)
	if got := textOf(v); strings.Count(got, "+1 −1") != 3*maxPatches {
		t.Errorf("%s", got)
	}
	if len(v.layout.cache.patches) > maxPatches {
		t.Errorf("%d kept", len(v.layout.cache.patches))
	}
}

// A deleted file is named if its content is unknown.
func TestDeletedFile(t *testing.T) {
	th := thread.New("s")
	th.Apply(event.TurnStarted{For: in, Text: "go", At: uitest.Start})
	th.Apply(event.ToolChanged{For: in, ID: "e", Kind: of("edit"), Title: of("Edit"), Status: of("completed"), Content: &[]event.ToolContent{
		{Diff: &event.Diff{Path: uitest.Dir + "/gone.go", OldMissing: true, Deleted: true}}}})
	if got := ansi.Strip(strings.Join(viewOf(th, "dark", 60, 20).Rows(), "\n")); !strings.Contains(got, "delete gone.go") {
		t.Errorf("%s", got)
	}
}

// A finished call says where its diff is from if not from the agent's last update; where it is narrow, it does not.
func TestDiffSource(t *testing.T) {
	d := &event.Diff{Path: uitest.Dir + "/a.go", Old: "1\n", New: "2\n"}
	for _, test := range []struct {
		content event.ToolContent
		status  string
		width   int
		want    string
	}{
		{event.ToolContent{Diff: d}, "completed", 80, ""},
		{event.ToolContent{Diff: d, Kept: true}, "completed", 80, "+1 −1  diff from before the edit"},
		{event.ToolContent{Diff: d, Kept: true, Asked: true}, "completed", 80, "+1 −1  diff from the question"},
		{event.ToolContent{Diff: d, Kept: true, OldRead: true}, "completed", 80, "+1 −1  old text from disk"},
		{event.ToolContent{Diff: d, OldRead: true}, "pending", 80, ""},
		{event.ToolContent{Diff: d, Kept: true}, "completed", 40, ""},
	} {
		th := thread.New("s")
		th.Apply(event.TurnStarted{For: in, Text: "go", At: uitest.Start})
		th.Apply(event.ToolChanged{For: in, ID: "e", Kind: of("edit"), Title: of("Edit a.go"), Status: &test.status, Content: &[]event.ToolContent{test.content}})
		got := textOf(viewOf(th, "plain", test.width, 20))
		if said := strings.Contains(got, "diff from") || strings.Contains(got, "from disk"); said != (test.want != "") || !strings.Contains(got, test.want) {
			t.Errorf("%d columns, want %q:\n%s", test.width, test.want, got)
		}
	}
}
