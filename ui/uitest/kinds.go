package uitest

import (
	"errors"
	"fmt"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// Kind is a conversation that shows one kind of item in one way.
type Kind struct {
	Name   string
	Events []event.Event
	// States means that the last item is also drawn open, closed and selected.
	States bool
	Kind   thread.Kind
}

// Thread returns the conversation.
func (k Kind) Thread() *thread.Thread {
	th := thread.New("s")
	for _, e := range k.Events {
		th.Apply(e)
	}
	return th
}

// markdown has every Markdown element that is drawn differently.
const markdown = "# Heading one\n\nProse with **bold**, *italic*, ***both***, ~~gone~~, `code`, [a link](https://example.org/a) and ![a picture](p.png), long enough for a second row.\nA hard break  \nends here. 日本語も 👩‍👩‍👧 too.\n\n## Heading `two`\n\n" +
	"- one\n- two\n  - nested with **bold**\n    1. deep\n- [x] done\n- [ ] open\n\n9. nine\n10. ten\n\n> A quote that is long enough to be wrapped on a narrow screen, or on most of them.\n> - with a list\n\n" +
	"```go\nfunc Parse(s string) error {\n\treturn fmt.Errorf(\"line %d\", 42) // 漢字\n}\n```\n\n```\nno language\n```\n\n```diff\n-old\n+new\n```\n\n| name | type |\n|---|--:|\n| pos | int |\n| `text` | **string** |\n\n---\n\n<details>kept</details>\n\nhttps://example.org/auto\n"

func turn(text string, events ...event.Event) []event.Event {
	return append([]event.Event{event.TurnStarted{For: in, Text: text, At: at(0)}}, events...)
}

func ended(reason string, events ...event.Event) []event.Event {
	return append(turn("go on", events...), event.TurnEnded{For: in, StopReason: reason, At: at(40)})
}

func failed(err error) []event.Event {
	return append(turn("go on"), event.TurnEnded{For: in, Err: err, At: at(40)})
}

func says(text string) event.Event {
	return event.TextArrived{For: in, MessageID: "m", Text: text}
}

func thinks(text string) event.Event {
	return event.TextArrived{For: in, Role: event.Thought, Text: text, At: at(1), Until: at(13)}
}

// call returns a tool call.
func call(id, kind, status, title string, content ...event.ToolContent) event.ToolChanged {
	return event.ToolChanged{For: in, ID: id, Kind: new(kind), Status: new(status), Title: new(title), Content: &content, At: at(14)}
}

func output(id, data string) event.Event {
	return event.TerminalOutput{For: in, ID: id, Data: []byte(data)}
}

var toolKinds = []string{"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}

// calls returns one tool call of each kind in a turn.
func calls(status string, rest ...event.Event) []event.Event {
	out := turn("go on")
	for _, kind := range toolKinds {
		e := call(kind, kind, status, "Do "+kind)
		e.Locations = &[]event.Location{{Path: Dir + "/" + kind + ".go", Line: 3}}
		out = append(out, e)
		if status == "completed" || status == "failed" {
			out = append(out, event.ToolChanged{For: in, ID: kind, Status: new(status), At: at(17)})
		}
	}
	return append(out, rest...)
}

// Kinds returns all kinds of items, in every way in which they are drawn.
func Kinds() []Kind {
	var out []Kind
	for _, list := range [][]Kind{messageKinds(), toolStates(), diffKinds(), outputKinds(), lineKinds(), endKinds()} {
		out = append(out, list...)
	}
	return out
}

func messageKinds() []Kind {
	return []Kind{
		{"user", turn("make the parser return typed errors"), true, thread.UserMessage},
		{"user, long", turn("日本語 first\n" + numbered(20)), true, thread.UserMessage},
		{"user, refused", ended("refusal", says("I won't.")), false, 0},
		{"agent, every element", ended("end_turn", says(markdown)), true, thread.AgentMessage},
		{"agent, live in a fence", turn("go on", says("So far:\n\n```go\nfunc main() {\n\tpri")), false, 0},
		{"agent, live in a table", turn("go on", says("| a | b |\n|---|---|\n| 1 | 2")), false, 0},
		{"thought", ended("end_turn", thinks("Where to begin? With the tokenizer.\nIt has the positions.")), true, thread.ThoughtMessage},
		{"thought, live", turn("go on", thinks("Where to begin?\nWith the tokenizer.")), true, thread.ThoughtMessage},
	}
}

func toolStates() []Kind {
	cancelled := []event.Event{event.TurnCancelled{For: in}, event.TurnEnded{For: in, StopReason: "cancelled", At: at(40)}}
	end := event.TurnEnded{For: in, StopReason: "end_turn", At: at(40)}
	rejected := calls("pending")
	for i, kind := range toolKinds {
		rejected = append(rejected, event.PermissionRequested{For: in, Key: uint64(i + 1), ToolID: kind},
			event.PermissionAnswered{For: in, Key: uint64(i + 1), ToolID: kind, Subject: "Do " + kind, Decision: "Reject", By: "you", At: at(15)})
	}
	return []Kind{
		{"tools, pending", calls("pending"), false, 0}, {"tools, in progress", calls("in_progress"), false, 0},
		{"tools, completed", calls("completed", end), false, 0}, {"tools, failed", calls("failed", end), false, 0},
		{"tools, rejected", append(rejected, end), false, 0}, {"tools, cancelled", calls("in_progress", cancelled...), false, 0},
		{"tools, unfinished", calls("in_progress", end), false, 0}, {"tools, of an unknown status", calls("frozen"), false, 0},
	}
}

func change(path, old, now string) event.ToolContent {
	return event.ToolContent{Diff: &event.Diff{Path: Dir + "/" + path, Old: old, New: now, OldMissing: old == ""}}
}

func diffKinds() []Kind {
	code := "package parser\n\nimport \"fmt\"\n\n// Parse reads.\nfunc Parse(in string) error {\n\tn, err := expr(in)\n\tif err != nil {\n\t\treturn fmt.Errorf(\"parse: %v\", err)\n\t}\n\treturn nil // 漢字\n}\n"
	typed := strings.NewReplacer(`fmt.Errorf("parse: %v", err)`, `&Error{Op: "parse", Pos: n.pos, Err: err} // keeps the position, the operation and the cause`, "n, err := expr(in)", "node, err := expr(in)").Replace(code)
	grown := "package x\n"
	for i := range 26 {
		grown += fmt.Sprintf("var v%d = %d\n", i, i)
	}
	diff := func(name string, content ...event.ToolContent) Kind {
		return Kind{"diff, " + name, ended("end_turn", call("e", "edit", "completed", "Edit", content...)), true, thread.ToolCall}
	}
	return []Kind{
		diff("words in code", change("lex.go", code, typed)), diff("a new file", change("grown.go", "", grown)),
		diff("nothing", change("same.go", "a\n", "a\n")),
		diff("odd lines", change("odd.txt", "tab\there\nline\r\nend", "tab\t there\nline\nend\n"), change("wide.txt", "日本語です。\n", "日本人です。"+strings.Repeat("とても長い行 ", 12)+"\n")),
		diff("of v2", event.ToolContent{Changes: &event.Changes{PatchFormat: "git_patch",
			Files: []event.FileChange{{Operation: "modify", Path: Dir + "/run.sh"}, {Operation: "modify", Path: Dir + "/logo.png", FileType: "binary"}, {Operation: "move", Path: Dir + "/b.go", OldPath: Dir + "/a.go"}, {Operation: "modify", Path: Dir + "/same.go"}},
			Patch: "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n--- a/run.sh\n+++ b/run.sh\n@@ -1,2 +1,2 @@\n #!/bin/sh\n-make\n+make all\ndiff --git a/logo.png b/logo.png\nBinary files a/logo.png and b/logo.png differ\ndiff --git a/a.go b/b.go\nsimilarity index 100%\nrename from a.go\nrename to b.go\ndiff --git a/same.go b/same.go\n"}}),
	}
}

func outputKinds() []Kind {
	run := func(status string, events ...event.Event) []event.Event {
		start := call("x", "execute", status, "Run tests", event.ToolContent{Terminal: "t"})
		start.RawInput = new(`{"command":"go test ./parser/..."}`)
		return append([]event.Event{start}, events...)
	}
	printed := "\x1b[32mok\x1b[0m  parser/lex 0.3s\r\n" + numbered(20) + "10%\r20%\r\x1b[1;31mFAIL\x1b[0m\n"
	raw := call("x", "other", "completed", "Look up Parse")
	raw.Name, raw.RawInput, raw.RawOutput = new("lookup_symbol"), new(`{"symbol":"Parse","files":["a.go","b.go"]}`), new(`{"stdout":"parser.go:12\nparser.go:40\n"}`)
	tool := func(name string, live bool, events ...event.Event) Kind {
		if live {
			return Kind{name, turn("go on", events...), true, thread.ToolCall}
		}
		return Kind{name, ended("end_turn", events...), true, thread.ToolCall}
	}
	return []Kind{
		tool("output, live", true, run("in_progress", output("t", printed))...),
		tool("output, done", false, run("completed", output("t", printed), event.TerminalExited{For: in, ID: "t", Code: new(0)})...),
		tool("output, failed", false, run("failed", output("t", printed), event.TerminalExited{For: in, ID: "t", Code: new(2)})...),
		tool("output, killed", false, run("completed", event.TerminalExited{For: in, ID: "t", Signal: "SIGKILL"})...),
		tool("text that was read", false, call("x", "read", "completed", "Read", text17())),
		tool("reads in a row", false, readsOf("completed")...),
		tool("reads in a row, live", true, readsOf("in_progress")...),
		tool("text that is found", true, call("x", "search", "in_progress", "Search", text17())),
		tool("a failure", false, call("x", "fetch", "failed", "Fetch the docs", text("no such host: docs.example.org"))),
		tool("input and output", false, raw),
		{"shell, done", append(shellRun(), thread.ShellEnded{For: in, Key: 1, Code: new(1), At: at(9)}), true, thread.ShellCommand},
		{"shell, live", shellRun(), false, 0},
	}
}

// readsOf returns six calls that each read a file. status is that of the last one.
func readsOf(status string) (out []event.Event) {
	for i, name := range []string{"lex.go", "ast.go", "parse.go", "errors.go", "print.go", "walk.go"} {
		e := call(name, "read", "completed", "Read "+name, text17())
		if e.Locations = (&[]event.Location{{Path: Dir + "/" + name}}); i == 5 {
			e.Status = new(status)
		}
		out = append(out, e)
	}
	return out
}

func text17() event.ToolContent { return text(numbered(17)) }

func shellRun() []event.Event {
	return []event.Event{thread.ShellAsked{For: in, Key: 1, Command: "make && ls", Dir: Dir, At: at(0)}, thread.ShellStarted{For: in, Key: 1, At: at(1)}, thread.ShellOutput{For: in, Key: 1, Data: []byte(numbered(14))}}
}

func lineKinds() []Kind {
	settled := func(decision, by string, allowed bool) event.Event {
		return event.PermissionAnswered{For: in, Subject: "Run git push origin HEAD", Decision: decision, Allowed: allowed, By: by, At: at(15)}
	}
	var blocks []event.Event
	for _, c := range []event.Content{
		{Kind: event.ImageContent, MimeType: "image/png", Bytes: 34567}, {Kind: event.AudioContent, MimeType: "audio/wav", Bytes: 3 << 20, Name: "memo"},
		{Kind: event.LinkContent, Name: "lex.go", URI: "file:///home/ada/src/parser/lex.go"}, {Kind: event.ResourceContent, URI: "file:///home/ada/notes.md", Text: "notes"}, {Kind: event.UnknownContent, Name: "smell", Text: "{}"},
	} {
		blocks = append(blocks, event.ContentArrived{For: in, Content: c})
	}
	return []Kind{
		{"decisions", ended("end_turn", settled("Allow once", "you", true), settled("Always allow", "a rule", true), settled("Reject", "you", false), settled("cancelled", "", false)), false, 0},
		{"notice", ended("end_turn", event.UnknownArrived{For: in, Kind: "hologram", JSON: `{"sessionUpdate":"hologram","depth":3}`}), true, thread.Notice},
		{"compaction", ended("end_turn", event.CompactionChanged{For: in, ID: "c", Status: "completed", Summary: new("What happened so far.")}), true, thread.Notice},
		{"blocks", ended("end_turn", blocks...), false, 0},
	}
}

func endKinds() []Kind {
	var out []Kind
	for _, reason := range []string{"end_turn", "cancelled", "max_tokens", "max_turn_requests", "refusal", "tired"} {
		out = append(out, Kind{"end, " + reason, ended(reason), false, 0})
	}
	return append(out,
		Kind{"end, the agent exits", failed(&event.ExitError{Code: 3, Stderr: []string{"panic: no model", "goroutine 1 [running]"}, Cause: errors.New("x")}), false, 0},
		Kind{"end, an error of the agent", failed(&event.AgentError{Message: "overloaded", Detail: "try again in a minute"}), false, 0},
		Kind{"end, the connection is lost", failed(&event.LostError{Cause: errors.New("connection reset by peer")}), false, 0})
}
