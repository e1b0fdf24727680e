package uitest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// Start is when the conversation of Gallery begins; it ends at Now.
var (
	Start = time.Date(2026, 3, 1, 10, 42, 0, 0, time.UTC)
	Now   = Start.Add(100 * time.Second)
)

// Dir is the working directory of the conversation.
const Dir = "/home/ada/src/parser"

var in = event.For{Session: "s"}

func at(seconds int) time.Time { return Start.Add(time.Duration(seconds) * time.Second) }

func text(s string) event.ToolContent {
	return event.ToolContent{Content: &event.Content{Text: s}}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of the file\n", i+1)
	}
	return b.String()
}

const prose = `I'll start with the **tokenizer**, then make ` + "`Parse()`" + ` return typed errors; that takes a few steps, and this sentence is long enough to be wrapped on any screen.

- one
- two
  - three

` + "```go\nfunc Parse(s string) error {\n\treturn nil // 漢字\n}\n```" + `

| name | type |
|---|---|
| pos | int |
`

// Gallery returns a conversation with one item of each kind, its last turn still running.
func Gallery() *thread.Thread {
	th := thread.New("s")
	for _, e := range GalleryEvents() {
		th.Apply(e)
	}
	return th
}

// GalleryEvents returns the events of that conversation.
func GalleryEvents() []event.Event { return slices.Concat(firstTurn(), otherTurns(), lastTurn()) }

// firstTurn has messages and finished tool calls.
func firstTurn() []event.Event {
	tool := func(e event.ToolChanged) event.Event { e.For = in; return e }
	return []event.Event{
		event.TurnStarted{For: in, Text: "make the parser return typed errors\nand 日本語 too, please, everywhere where it makes sense to a reader", At: at(0)},
		event.TextArrived{For: in, Role: event.Thought, Text: "Where to begin? ", At: at(1)},
		event.TextArrived{For: in, Role: event.Thought, Text: "With the tokenizer.\nIt has the positions.", At: at(13)},
		event.TextArrived{For: in, Text: prose},
		tool(event.ToolChanged{ID: "read", Title: new("Read files"), Kind: new("read"), Status: new("completed"), At: at(14),
			Locations: &[]event.Location{{Path: Dir + "/lex.go"}, {Path: Dir + "/parser/ast.go", Line: 12}, {Path: "/etc/hosts"}}, Content: &[]event.ToolContent{text(numbered(17))}}),
		tool(event.ToolChanged{ID: "edit", Title: new("Edit"), Kind: new("edit"), At: at(14), Status: new("in_progress"), Content: &[]event.ToolContent{{Diff: &event.Diff{
			Path: Dir + "/lex.go", Old: "package parser\n\nvar a = 1\n" + numbered(9) + "end\n", New: "package parser\n\nvar a = 2\n" + numbered(9) + "end of it\nand more\n"}}}}),
		event.PermissionRequested{For: in, Key: 1, ToolID: "edit"},
		event.PermissionAnswered{For: in, Key: 1, ToolID: "edit", Subject: "Edit lex.go", Decision: "Allow once", Allowed: true, By: "you", At: at(15)},
		tool(event.ToolChanged{ID: "edit", Status: new("completed"), At: at(16)}),
		tool(event.ToolChanged{ID: "new", Title: new("Write"), Kind: new("edit"), Status: new("completed"), At: at(17), Content: &[]event.ToolContent{
			{Diff: &event.Diff{Path: Dir + "/notes.txt", New: numbered(40), OldMissing: true}}, {Diff: &event.Diff{Path: Dir + "/same.go", Old: "a\n", New: "a\n"}}}}),
		tool(event.ToolChanged{ID: "run", Title: new("Run tests"), Kind: new("execute"), Status: new("in_progress"), RawInput: new(`{"command":"go test ./parser/...","cwd":"/home/ada"}`), At: at(18),
			Content: &[]event.ToolContent{{Terminal: "t1"}}}),
		event.TerminalOutput{For: in, ID: "t1", Data: []byte("\x1b[32mok\x1b[0m  parser/lex 0.3s\r\n" + numbered(30))},
		event.TerminalExited{For: in, ID: "t1", Code: new(0)},
		tool(event.ToolChanged{ID: "run", Status: new("completed"), At: at(30)}),
		tool(event.ToolChanged{ID: "exit", Kind: new("execute"), Title: new("make"), Status: new("failed"), At: at(31), Content: &[]event.ToolContent{{Terminal: "t2"}}}),
		event.TerminalOutput{For: in, ID: "t2", Data: []byte("no rule to make target\n")},
		event.TerminalExited{For: in, ID: "t2", Code: new(2)},
		tool(event.ToolChanged{ID: "killed", Kind: new("execute"), Title: new("sleep 1000"), Status: new("completed"), At: at(31), Content: &[]event.ToolContent{{Terminal: "t3"}}}),
		event.TerminalExited{For: in, ID: "t3", Signal: "SIGKILL"},
		tool(event.ToolChanged{ID: "raw", Name: new("lookup_symbol"), Title: new("Look up Parse"), Kind: new("other"), Status: new("completed"), RawInput: new(`{"symbol":"Parse","files":["a.go","b.go"]}`), RawOutput: new(`{"stdout":"parser.go:12\nparser.go:40\n"}`), At: at(32)}),
		tool(event.ToolChanged{ID: "fail", Title: new("Fetch the docs"), Kind: new("fetch"), Status: new("failed"), At: at(32), Content: &[]event.ToolContent{text("no such host")}}),
		event.TurnEnded{For: in, StopReason: "end_turn", At: at(40)},
	}
}

// otherTurns has unusual ends of turns, decisions, notices and attachments.
func otherTurns() []event.Event {
	out := []event.Event{
		event.TurnStarted{For: in, Text: "stop this", At: at(41)},
		event.ToolChanged{For: in, ID: "stopped", Title: new("Delete build"), Kind: new("delete"), Status: new("in_progress"), At: at(41)},
		event.TurnCancelled{For: in},
		event.PermissionAnswered{For: in, Subject: "Delete build", Decision: "cancelled", At: at(42)},
		event.TurnEnded{For: in, StopReason: "cancelled", At: at(42)},
		event.TurnStarted{For: in, Text: "leave it", At: at(43)},
		event.ToolChanged{For: in, ID: "left", Title: new("Search for it"), Kind: new("search"), Status: new("in_progress"), At: at(43)},
		event.PermissionAnswered{For: in, Subject: "Search for it", Decision: "Reject", By: "a rule", At: at(44)},
		event.TurnEnded{For: in, StopReason: "max_tokens", At: at(44)},
		event.TurnStarted{For: in, Text: "go on", At: at(45)},
		event.TurnEnded{For: in, StopReason: "max_turn_requests", At: at(46)},
		event.TurnStarted{For: in, Text: "go on", At: at(46)},
		event.TurnEnded{For: in, StopReason: "tired", At: at(47)},
		event.TurnStarted{For: in, Text: "something bad", At: at(48)},
		event.TextArrived{For: in, Text: "I won't."},
		event.TurnEnded{For: in, StopReason: "refusal", At: at(49)},
		event.TurnStarted{For: in, Text: "fall over", At: at(50)},
		event.TurnEnded{For: in, Err: &event.ExitError{Code: 3, Stderr: []string{"panic: no model", "goroutine 1 [running]"}, Cause: errors.New("x")}, At: at(51)},
		event.CompactionChanged{For: in, ID: "c", Status: "completed", Summary: new("What happened so far.")},
		event.UnknownArrived{For: in, Kind: "hologram", JSON: `{"sessionUpdate":"hologram","depth":3}`},
	}
	for _, c := range []event.Content{
		{Kind: event.ImageContent, MimeType: "image/png", Bytes: 34567},
		{Kind: event.AudioContent, MimeType: "audio/wav", Bytes: 3 << 20, Name: "memo"},
		{Kind: event.LinkContent, Name: "lex.go", URI: "file:///home/ada/src/parser/lex.go"},
		{Kind: event.ResourceContent, URI: "file:///home/ada/notes.md", Text: "notes"},
		{Kind: event.UnknownContent, Name: "smell", Text: "{}"},
	} {
		out = append(out, event.ContentArrived{For: in, Content: c})
	}
	return out
}

// lastTurn has every kind of item that is still running.
func lastTurn() []event.Event {
	return []event.Event{
		event.TurnStarted{For: in, Text: "once more", At: at(60)},
		event.ToolChanged{For: in, ID: "p", Title: new("Edit parser/err.go"), Kind: new("edit"), Status: new("pending"), At: at(70)},
		event.ToolChanged{For: in, ID: "i", Kind: new("execute"), Title: new("go vet"), Status: new("in_progress"), At: at(88), Content: &[]event.ToolContent{{Terminal: "t4"}}},
		event.TerminalOutput{For: in, ID: "t4", Data: []byte(numbered(12) + "10%\r20%\r\x1b[31m30%\x1b[0m")},
		event.ToolChanged{For: in, ID: "o", Kind: new("think"), Title: new("Consult the oracle"), Status: new("frozen"), At: at(90), Content: &[]event.ToolContent{text(numbered(8))}},
		event.TextArrived{For: in, Role: event.Thought, Text: "It hangs together.\nOr does it?", At: at(95)},
	}
}
