package transcript

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/ui/uitest"
)

// The answer to the question about a call is in the row of the call, and nothing else takes a row that
// does not have to.
func TestTight(t *testing.T) {
	run := func(status string) event.Event {
		return event.ToolChanged{For: in, ID: "run", Kind: of("execute"), Status: &status, Title: of("ls"), RawInput: of(`{"command":"ls"}`), At: uitest.Start}
	}
	answer := func(id, decision, by string, allowed bool) event.Event {
		return event.PermissionAnswered{For: in, ToolID: id, Subject: "ls", Decision: decision, By: by, Allowed: allowed, At: uitest.Start}
	}
	edit := func(old, now, said string) event.Event {
		return event.ToolChanged{For: in, ID: "edit", Kind: of("edit"), Status: of("completed"), Title: of("a.txt"), At: uitest.Start, Content: &[]event.ToolContent{
			{Diff: &event.Diff{Path: uitest.Dir + "/a.txt", Old: old, New: now}}, {Content: &event.Content{Text: said}}}}
	}
	read := callOf("read", "README.md", "completed", "x\n")
	read.Locations = &[]event.Location{{Path: uitest.Dir + "/README.md", Line: 1}}
	failing := func(id, text string) event.Event {
		return event.ToolChanged{For: in, ID: id, Status: of("failed"), At: uitest.Start, Content: &[]event.ToolContent{{Content: &event.Content{Text: text}}}}
	}
	showing := func(id string) event.Event {
		return event.ToolChanged{For: in, ID: "run", At: uitest.Start, Content: &[]event.ToolContent{{Terminal: id}}}
	}
	exiting := func(code int) event.Event {
		return event.ToolChanged{For: in, ID: "run", ExitCode: &code, At: uitest.Start}
	}
	asking := func(input, output string) event.Event {
		return event.ToolChanged{For: in, ID: "ask", Kind: of("other"), Status: of("completed"), Title: of("list"), RawInput: &input, RawOutput: &output, At: uitest.Start}
	}
	todos := event.ToolChanged{For: in, ID: "todo", Kind: of("other"), Status: of("completed"), Title: of("todowrite"), RawInput: of(`{"todos":[]}`), At: uitest.Start,
		Steps:   []event.PlanEntry{{Content: "Look", Status: "completed"}, {Content: "Change **it**", Status: "in_progress"}, {Content: "Test", Status: "pending"}},
		Content: &[]event.ToolContent{{Content: &event.Content{Text: "Todos have been modified successfully.\n"}}}}
	done := todos
	done.Steps = []event.PlanEntry{{Content: "Look", Status: "completed"}, {Content: "Ask", Status: "cancelled"}}
	thought := event.TextArrived{For: in, Role: event.Thought, Text: "Hm.", At: uitest.Start}
	said := event.TextArrived{For: in, MessageID: "m", Text: "I look."}
	for _, c := range []struct {
		name   string
		events []event.Event
		want   string
	}{
		{"allowed", []event.Event{said, run("pending"), answer("run", "Allow once", "you", true), run("completed")}, "  I look.\n  ✓ Run    ls · allowed 10:42"},
		{"allowed for longer", []event.Event{run("pending"), answer("run", "Always", "you", true), run("completed")}, "  ✓ Run    ls · allowed (Always) 10:42"},
		{"by rule", []event.Event{run("pending"), answer("run", "Allow", "your rule: allow ls", true), run("completed")}, "  ✓ Run    ls · allowed by your rule: allow ls 10:42"},
		{"of parley's own question", []event.Event{run("pending"), answer("", "Allow", "you", true), run("completed")}, "  ✓ Run    ls · allowed 10:42"},
		{"rejected", []event.Event{run("pending"), answer("run", "Reject", "you", false)}, "  ⊘ Run    ls  rejected 10:42"},
		{"rejected, and called failed", []event.Event{run("pending"), answer("run", "Reject", "you", false), failing("run", "The user does not want this.\n")}, "  ⊘ Run    ls  ▸ 1 line  rejected 10:42"},
		{"rejected, and said in a terminal", []event.Event{event.TerminalStarted{For: in, ID: "x", Foreign: true}, showing("x"), run("pending"), answer("run", "Reject", "you", false),
			event.TerminalOutput{For: in, ID: "x", Data: []byte("User refused permission\n")}, run("failed")}, "  ⊘ Run    ls  ▸ 1 line  rejected 10:42"},
		{"failed with an exit code", []event.Event{run("pending"), answer("run", "Allow", "you", true), exiting(3), failing("run", "no such file\n")}, "  ✗ Run    ls  exit 3 · allowed 10:42\n    no such file"},
		{"done with an exit code", []event.Event{run("pending"), answer("run", "Allow", "you", true), exiting(3), run("completed")}, "  ✗ Run    ls  exit 3 · allowed 10:42"},
		{"done with the exit code 0", []event.Event{run("pending"), answer("run", "Allow", "you", true), exiting(0), run("completed")}, "  ✓ Run    ls · allowed 10:42"},
		{"rejected, and run", []event.Event{run("pending"), answer("run", "Reject", "you", false), run("completed")}, "  ⚠ Run    ls  ran although you rejected it · rejected 10:42"},
		{"of no call", []event.Event{answer("", "Allow", "you", true)}, "    ✓ Allowed by you · 10:42 · ls"},
		{"nothing changed", []event.Event{edit("a\n", "a\n", "")}, "  ⚠ Edit   a.txt  ran without asking\n    no changes"},
		{"a sentence about a change", []event.Event{edit("a\n", "b\n", "Wrote file successfully.")}, "  ⚠ Edit   a.txt  +1 −1  ran without asking\n      1     - a\n          1 + b"},
		{"JSON", []event.Event{event.ToolChanged{For: in, ID: "todo", Kind: of("other"), Status: of("completed"), Title: of("2 todos"), At: uitest.Start, Content: &[]event.ToolContent{
			{Content: &event.Content{Text: "[\n  1,\n  2\n]"}}}}}, "  ✓ Tool   2 todos  ▸ 4 lines"},
		{"JSON that is only in the raw output", []event.Event{asking(`{"owner":"x"}`, `{"items":[1,2]}`)}, "  ✓ Tool   list  ▸ 1 line"},
		{"input, and no output", []event.Event{asking(`{"owner":"x"}`, "")}, "  ✓ Tool   list\n    {\"owner\":\"x\"}"},
		{"a todo list", []event.Event{todos}, "  ✓ Plan   1/3 ▸ Change it"},
		{"a todo list that is done", []event.Event{done}, "  ✓ Plan   1/2"},
		{"not JSON", []event.Event{event.ToolChanged{For: in, ID: "todo", Kind: of("other"), Status: of("completed"), Title: of("x"), At: uitest.Start, Content: &[]event.ToolContent{
			{Content: &event.Content{Text: "[1, 2"}}}}}, "  ✓ Tool   x\n    [1, 2"},
		{"a search of which only the tool is named", []event.Event{event.ToolChanged{For: in, ID: "s", Kind: of("search"), Status: of("completed"), Title: of("grep"), RawInput: of(`{"pattern":"alpha"}`), At: uitest.Start}}, "  ✓ Search alpha"},
		{"a page of which only the tool is named", []event.Event{event.ToolChanged{For: in, ID: "s", Kind: of("fetch"), Status: of("completed"), Title: of("webfetch"), RawInput: of(`{"url":"http://x.org/y"}`), At: uitest.Start}}, "  ✓ Fetch  http://x.org/y"},
		{"a search with a title", []event.Event{event.ToolChanged{For: in, ID: "s", Kind: of("search"), Status: of("completed"), Title: of("Find alpha"), RawInput: of(`{"pattern":"alpha"}`), At: uitest.Start}}, "  ✓ Search Find alpha"},
		{"the first line", []event.Event{read}, "  ✓ Read   README.md  ▸ 1 line"},
		{"a thought", []event.Event{run("completed"), thought, said}, "  ⚠ Run    ls  ran without asking\n\n  thought\n\n  I look."},
		{"a thought before a call", []event.Event{thought, run("completed")}, "  thought\n  ⚠ Run    ls  ran without asking"},
	} {
		v := viewOf(turnOf(append(c.events, event.TurnEnded{For: in, StopReason: "end_turn", At: uitest.Start})...), "plain", 80, 40)
		if got := strings.Join(after(v), "\n"); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

// A call that was allowed runs, also where the agent calls it pending until it ends.
func TestAllowedCallRuns(t *testing.T) {
	asked := event.ToolChanged{For: in, ID: "run", Kind: of("execute"), Status: of("pending"), Title: of("ls"), RawInput: of(`{"command":"ls"}`), At: uitest.Start}
	allowed := event.PermissionAnswered{For: in, ToolID: "run", Subject: "ls", Decision: "Allow", By: "you", Allowed: true, At: uitest.Start}
	th := turnOf(asked)
	v := viewOf(th, "plain", 80, 40)
	if got := after(v)[0]; !strings.HasPrefix(got, "  ○ Run    ls") {
		t.Errorf("before: %q", got)
	}
	v.Changed(th.Apply(allowed))
	if got := after(v)[0]; strings.Contains(got, "○") || strings.Contains(got, "waiting") || !strings.Contains(got, "allowed 10:42") {
		t.Errorf("after: %q", got)
	}
}

// Opened, a call says the whole of the answer.
func TestOpenedCallHasTheAnswer(t *testing.T) {
	status := "completed"
	v := viewOf(turnOf(event.ToolChanged{For: in, ID: "run", Kind: of("execute"), Title: of("ls"), RawInput: of(`{"command":"ls"}`), At: uitest.Start},
		event.PermissionAnswered{For: in, ToolID: "run", Subject: "ls", Decision: "Allow", By: "you", Allowed: true, At: uitest.Start.Add(time.Minute)},
		event.ToolChanged{For: in, ID: "run", Status: &status, At: uitest.Start, Content: &[]event.ToolContent{{Content: &event.Content{Text: "a\nb\n"}}}}), "plain", 80, 40)
	v.SetDensity(Everything)
	if got, want := after(v), []string{"  ✓ Run    ls · allowed 10:43", "    ✓ Allowed by you · 10:43 · ls", "    a", "    b"}; !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// Where a diff is not shown, it is not said where it is from.
func TestQuietNamesNoSource(t *testing.T) {
	edit := event.ToolChanged{For: in, ID: "edit", Kind: of("edit"), Status: of("completed"), Title: of("a.txt"), At: uitest.Start, Content: &[]event.ToolContent{
		{Diff: &event.Diff{Path: uitest.Dir + "/a.txt", Old: "a\n", New: "b\n"}, Kept: true, Asked: true}}}
	v := viewOf(turnOf(edit), "plain", 100, 40)
	if got := strings.Join(after(v), "\n"); !strings.Contains(got, "+1 −1  diff from the question") {
		t.Errorf("%s", got)
	}
	v.SetDensity(Quiet)
	if got, want := strings.Join(after(v), "\n"), "  ⚠ Edit   a.txt  +1 −1  ran without asking"; got != want {
		t.Errorf("%s", got)
	}
}

// Quiet shows what is said and the rows of calls, and nothing else: no thoughts, no answers, no output, also
// of what failed.
func TestQuiet(t *testing.T) {
	v := viewOf(turnOf(event.TextArrived{For: in, Role: event.Thought, Text: "Hm.", At: uitest.Start}, says("I look."),
		callOf("read", "gone.go", "failed", "no such file"), event.TextArrived{For: in, Role: event.Thought, MessageID: "t", Text: "Oh.", At: uitest.Start},
		callOf("execute", "x", "failed", "a\nb\n"), event.TurnEnded{For: in, StopReason: "end_turn", At: uitest.Start}), "plain", 80, 40)
	v.SetDensity(Quiet)
	if got, want := after(v), []string{"  I look.", "  ✗ Read   gone.go  failed", "  ✗ Run    Look at x  failed  ran without asking"}; !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// The ground of a prompt parts it from what follows; only a thought keeps its distance.
func TestRightBelowThePrompt(t *testing.T) {
	thought := event.TextArrived{For: in, Role: event.Thought, MessageID: "t", Text: "Hm.", At: uitest.Start}
	for _, c := range []struct {
		name    string
		density Density
		events  []event.Event
		want    string
	}{
		{"words", Normal, []event.Event{says("I look.")}, "  I look."},
		{"a call", Normal, []event.Event{callOf("read", "a.go", "completed", "x\n")}, "  ✓ Read   a.go  ▸ 1 line"},
		{"a thought", Normal, []event.Event{thought, says("I look.")}, "\n  thought\n\n  I look."},
		{"a thought that is not shown", Quiet, []event.Event{thought, says("I look.")}, "  I look."},
	} {
		v := viewOf(turnOf(append(c.events, event.TurnEnded{For: in, StopReason: "end_turn", At: uitest.Start})...), "plain", 80, 40)
		v.SetDensity(c.density)
		if got := strings.Join(linesOf(v.Rows())[1:], "\n"); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}
