package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/gittest"
	"parley/ui/uitest"
)

// sources are messages of every sort; what is copied of them is what was written.
var sources = map[string]string{
	"prose":  "Some *words* that are long enough to be wrapped on a narrow screen, with `code` and a [link](https://example.com/a/b).\n\nA second paragraph.",
	"cjk":    "日本語の長い文章です。折り返しても改行は入りません。全角文字が続くと幅は二倍になります。\n\n中文也是一樣，這一段文字很長，需要換行顯示在窄的螢幕上。",
	"emoji":  "Done 👩‍💻 🇩🇪 👍🏽 — é with a mark, and ﷽ wide things, going on long enough to be wrapped somewhere 🎉🎉🎉🎉🎉🎉.",
	"table":  "| name | what it does, at some length, so that it has to be wrapped | n |\n|---|---|---|\n| 日本 | the first of them, which is long as well | 1 |\n| b | second | 2 |",
	"nested": "1. one\n   - two, which goes on for a while so that it is wrapped on a narrow screen\n     - three\n\n       with a paragraph\n2. four\n\n   ```sh\n   make all\n   ```",
	"code":   "Look:\n\n```go\nfunc f() {\n\tif x {\n\t\treturn \"a long line of code that does not fit into a narrow screen at all\" // 漢字\n\t}\n\n}\n```\n\nAnd that is it.",
	"quote":  "> quoted words that go on and on until they are wrapped on a screen that is narrow\n> and more\n\nnot quoted",
}

func messageOf(text string) *thread.Thread {
	th := thread.New("s")
	th.Apply(event.TurnStarted{For: in, Text: "first", At: uitest.Start})
	th.Apply(event.TextArrived{For: in, Text: text})
	return th
}

func TestCopyMessages(t *testing.T) {
	for name, text := range sources {
		th := messageOf(text)
		v := viewOf(th, "dark", 30, 10)
		v.Rows()
		if got := v.Copyable(th.Items[1]).All(); got != text {
			t.Errorf("%s: got %q", name, got)
		}
	}
	th := thread.New("s")
	prompt := "do this:\n\n\tindented   words  \n日本語 👍🏽"
	th.Apply(event.TurnStarted{For: in, Text: prompt, At: uitest.Start})
	if got := viewOf(th, "dark", 20, 10).Copyable(th.Items[0]).All(); got != prompt {
		t.Errorf("a prompt: %q", got)
	}
}

func toolOf(e event.ToolChanged, more ...event.Event) (*thread.Thread, *View) {
	th := thread.New("s")
	e.For, e.ID = in, "t"
	th.Apply(event.TurnStarted{For: in, Text: "p", At: uitest.Start})
	for _, m := range more {
		th.Apply(m)
	}
	th.Apply(e)
	return th, viewOf(th, "dark", 60, 20)
}

func of[T any](v T) *T { return &v }

func TestCopyCommands(t *testing.T) {
	th, v := toolOf(event.ToolChanged{Kind: of("execute"), Title: of("Run it"), Status: of("completed"), RawInput: of(`{"command":"go test ./... | tail -3"}`),
		Content: &[]event.ToolContent{{Terminal: "x"}}}, event.TerminalOutput{For: in, ID: "x", Data: []byte("\x1b[32mok\x1b[0m  a/b\t1s\r\n10%\r100%\r\n" + strings.Repeat("w", 200) + "\r\n\x1b]0;title\x07end\r\n")})
	c := v.Copyable(th.Items[1])
	if got := c.Command(); got != "go test ./... | tail -3" {
		t.Errorf("the command: %q", got)
	}
	want := "$ go test ./... | tail -3\nok  a/b 1s\n100%\n" + strings.Repeat("w", 200) + "\nend"
	if got := c.All(); got != want {
		t.Errorf("all: %q, want %q", got, want)
	}
	if c.Patch != nil || len(c.Codes) > 0 {
		t.Error("there is neither a patch nor code")
	}
	big := strings.Repeat("\x1b[31ma row of output\x1b[0m\r\n", 60_000)
	th, v = toolOf(event.ToolChanged{Kind: of("execute"), Title: of("`make`"), Content: &[]event.ToolContent{{Terminal: "x"}}}, event.TerminalOutput{For: in, ID: "x", Data: []byte(big)})
	c = v.Copyable(th.Items[1])
	if got := c.All(); strings.Count(got, "a row of output\n") != 59_999 || strings.Contains(got, "\x1b") || c.Command() != "make" {
		t.Errorf("much output: %d bytes, command %q", len(got), c.Command())
	}
	for raw, want := range map[string]string{`{"command":["git","commit","-m","two words"]}`: `git commit -m 'two words'`, `{"cmd":"ls"}`: "ls", `{"command":["bash","-lc","a | b"]}`: "bash -lc 'a | b'", `{}`: ""} {
		if got := describe.Command(raw); got != want {
			t.Errorf("the command of %s: got %q, want %q", raw, got, want)
		}
	}
}

// The patch of an edit is one that git applies.
func TestCopyPatch(t *testing.T) {
	lines := func(words ...string) string { return strings.Join(words, "\n") + "\n" }
	for name, d := range map[string]event.Diff{
		"change":  {Old: lines("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"), New: lines("a", "B", "c", "d", "e", "f", "g", "h", "i", "j", "k", "L", "m")},
		"new":     {New: lines("a", "日本"), OldMissing: true},
		"emptied": {Old: lines("a", "b"), New: ""},
		"deleted": {Old: lines("a", "b"), Deleted: true},
		"ended":   {Old: "a\nb", New: "a\nb\n"},
		"unended": {Old: "a\nb\n", New: "a\nb"},
		"blanks":  {Old: lines("a"), New: lines("a", "", " ", "b\t")},
	} {
		dir := t.TempDir()
		file := "some dir/x.txt"
		d.Path = filepath.Join(uitest.Dir, file)
		th, v := toolOf(event.ToolChanged{Kind: of("edit"), Title: of("Edit"), Content: &[]event.ToolContent{{Diff: &d}}})
		patch := v.Copyable(th.Items[1]).Patch
		if patch == nil {
			t.Errorf("%s: no patch", name)
			continue
		}
		if !d.OldMissing {
			if err := os.MkdirAll(filepath.Join(dir, "some dir"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte(d.Old), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := gittest.Command(t, dir, "apply", "-")
		cmd.Stdin = strings.NewReader(patch())
		out, err := cmd.CombinedOutput()
		got, _ := os.ReadFile(filepath.Join(dir, file))
		if err != nil || string(got) != d.New {
			t.Errorf("%s: %v %s: %q, want %q\n%s", name, err, out, got, d.New, patch())
		}
	}
	changes := &event.Changes{PatchFormat: "git_patch", Patch: "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", Files: []event.FileChange{{Operation: "modify", Path: uitest.Dir + "/x"}}}
	th, v := toolOf(event.ToolChanged{Kind: of("edit"), Title: of("Edit"), Content: &[]event.ToolContent{{Changes: changes}}})
	if got := v.Copyable(th.Items[1]).Patch(); got != changes.Patch {
		t.Errorf("a patch of the agent's: %q", got)
	}
	same := event.Diff{Path: "/x", Old: "a", New: "a"}
	th, v = toolOf(event.ToolChanged{Kind: of("edit"), Title: of("Edit"), Content: &[]event.ToolContent{{Diff: &same}}})
	if v.Copyable(th.Items[1]).Patch != nil {
		t.Error("a patch of nothing")
	}
}
