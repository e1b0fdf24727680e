package host

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/wire"
	"parley/permissions"
)

var thirty = strings.Repeat("old line\n", 30)

func jsonOf(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}

// creates is a question of v2 about a file that the agent calls new.
func creates(path, text string) wire.ToolCall {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	patch := "diff --git " + path + " " + path + "\nnew file mode 100644\n--- /dev/null\n+++ " + path + "\n@@ -0,0 +1 @@\n+" + strings.Join(lines, "+") + "\n"
	call := tool("edit", "Write", "")
	call.Content = &[]wire.ToolContent{{Type: "content", Block: wire.ContentBlock{Type: "text", Text: "add " + path + "\n" + patch}, Patch: patch,
		Changes: []wire.FileChange{{Operation: "add", Path: path, FileType: "text"}}}}
	return call
}

// A change without an old text that would replace a file shows what the file holds.
func TestOverwriteShowsTheFile(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("README.md"), thirty)
	whole := tool("edit", "Write README.md", `{"file_path":`+jsonOf(path)+`,"content":"new\n"}`)
	patched := tool("edit", "apply_patch", `{"input":`+jsonOf("*** Begin Patch\n*** Add File: "+path+"\n+new\n*** End Patch")+`}`)
	_, added := acpclient.PatchContents(patched)
	patched.Content = &added
	for name, call := range map[string]wire.ToolCall{"no old text": diff(path, "new\n"), "an empty one": diff(path, "new\n", ""), "input": whole, "patch in the input": patched, "v2": creates(path, "new\n")} {
		q := r.show(call)
		if len(q.Body) != 1 {
			t.Errorf("%s: got %+v", name, q.Body)
		}
		if d := q.Body[0]; q.Heading != "Change README.md (replaces 30 lines)" || d.Kind != permissions.Diff || d.NewFile || d.Old != thirty || d.Text != "new\n" {
			t.Errorf("%s: %q, %+v", name, q.Heading, d)
		}
	}
	claude := creates(path, "new\n") // of v2: it has read the file itself
	claude.RawInput = wire.Raw(`{"file_path":` + jsonOf(path) + `,"content":"new\n"}`)
	(*claude.Content)[0].Changes[0].Operation = "modify"
	(*claude.Content)[0].Patch = "--- " + path + "\n+++ " + path + "\n@@ -1,30 +1 @@\n" + strings.Repeat("-old line\n", 30) + "+new\n"
	if q := r.show(claude); q.Heading != "Change README.md (replaces 30 lines)" || q.Body[0].Kind != permissions.Patch {
		t.Errorf("got %q, %+v", q.Heading, q.Body)
	}
	for _, c := range []struct {
		call wire.ToolCall
		want string
	}{
		{diff(r.path("new.txt"), "new\n"), "Create new.txt"},
		{creates(r.path("new.txt"), "new\n"), "Create new.txt"},
		{diff(r.put(r.path("empty"), ""), "new\n"), "Change empty"},
		{tool("edit", "Add", `{"operation":"append","path":`+jsonOf(path)+`,"content":"new\n"}`), "Change README.md"},
	} {
		if q := r.show(c.call); q.Heading != c.want || strings.Contains(screen(q), "old line") {
			t.Errorf("%s: %q, %+v", c.want, q.Heading, q.Body)
		}
	}
}

// Of a file that an agent may not read without a question, the question says only that it exists.
func TestOverwriteOfWhatIsNotShown(t *testing.T) {
	r := newRig(t)
	outside := r.put(filepath.Join(r.outside, "f.txt"), "held back\n")
	link := r.path("link.txt")
	if err := os.Symlink(outside, link); err != nil {
		t.Skip(err)
	}
	for path, why := range map[string]string{
		outside: "outside the roots",
		link:    "outside the roots",
		r.put(r.path(".ssh/id_rsa"), "held back"):                       "sensitive",
		r.put(r.path("image.png"), "held back\x00"):                     "not a text file",
		r.put(r.path("huge.txt"), strings.Repeat("held back\n", 1<<18)): "larger than 1 MiB",
	} {
		for _, call := range []wire.ToolCall{diff(path, "new\n"), creates(path, "new\n")} {
			q := r.show(call)
			if got := strings.Join(parts(q, permissions.Warning), "\n"); !strings.HasSuffix(q.Heading, filepath.Base(path)+" (overwrites it)") ||
				!strings.Contains(got, "what it holds is not shown: "+why) || strings.Contains(screen(q), "held back") {
				t.Errorf("%s: %q, %q", path, q.Heading, got)
			}
		}
	}
	r.setRules("[[ask]]\nkind = \"read\"\npath = \"kept.txt\"\n")
	if q := r.show(diff(r.put(r.path("kept.txt"), "held back\n"), "new\n")); strings.Contains(screen(q), "held back") || !strings.Contains(screen(q), "your rules restrict reading it") {
		t.Errorf("got %q", screen(q))
	}
}

// An approval covers the file as it was shown: if it was changed while the question was open, the user is asked
// again.
func TestOverwriteOfAChangedFile(t *testing.T) {
	for name, before := range map[string]string{"an old file": "one\n", "a new file": ""} {
		r := newRig(t)
		path := r.path("f.txt")
		if before != "" {
			r.put(path, before)
		}
		options := []wire.PermissionOption{{ID: "y", Name: "Yes", Kind: permissions.AllowOnce}, {ID: "n", Name: "No", Kind: permissions.RejectOnce}}
		asked := ask(r.services, acpclient.Question{Session: theSession, Tool: diff(path, "new\n"), Options: options})
		decided := make(chan acpclient.Decision, 1)
		go func() { decided <- asked.Wait(t.Context()) }()
		first := r.question()
		r.put(path, "two\nlines\n")
		r.host.Broker().Answer(first.Key, "y")
		second := r.question()
		if d := second.Body[0]; d.Old != "two\nlines\n" || second.Heading != "Change f.txt (replaces 2 lines)" || second.Title("demo") != "demo asks again: the file changed while the question was open" {
			t.Errorf("%s: %q, %+v", name, second.Title("demo"), second)
		}
		r.host.Broker().Answer(second.Key, "y")
		if d := <-decided; d.OptionID != "y" || d.By != "you" || asked.Key() != first.Key {
			t.Errorf("%s: got %+v", name, d)
		}
		r.free(r.write(path, "new\n")) // exactly what was shown
		r.holds(path, "new\n")
	}
}

// A rejection is not asked again, nor is anything once the turn was cancelled.
func TestOverwriteIsNotAskedAgain(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("f.txt"), "one\n")
	options := []wire.PermissionOption{{ID: "y", Name: "Yes", Kind: permissions.AllowOnce}, {ID: "n", Name: "No", Kind: permissions.RejectOnce}}
	for _, answer := range []string{"n", "y"} {
		asked := ask(r.services, acpclient.Question{Session: theSession, Tool: diff(path, "new\n"), Options: options})
		q := r.question()
		r.put(path, "changed before "+answer)
		r.host.Broker().Answer(q.Key, answer)
		if answer == "y" {
			r.services.Permissions.CancelSession(theSession)
		}
		if d := asked.Wait(t.Context()); d.OptionID != answer {
			t.Errorf("%s: got %+v", answer, d)
		}
		if n := count[permissions.Asked](r.sink); n != len(r.keys) {
			t.Errorf("%s: %d questions", answer, n)
		}
	}
}

// Content with nothing to complete is unchanged.
func TestOldTextsOfOtherContent(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("f.txt"), "one\n")
	items := []wire.ToolContent{{Type: "diff", Path: path, Deleted: true}, {Type: "diff", Path: path, NewText: "x", Partial: true}, {Type: "terminal", TerminalID: path}}
	items = append(items, *diff(path, "new\n", "one").Content...)
	if got := r.services.OldTexts(theSession, items); slices.ContainsFunc(got, func(c wire.ToolContent) bool { return c.Overwrites }) {
		t.Errorf("got %+v", got)
	}
}
