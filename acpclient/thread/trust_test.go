package thread_test

import (
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

func TestTrust(t *testing.T) {
	str := func(s string) *string { return &s }
	call := func(id, kind, status string) event.ToolChanged {
		return event.ToolChanged{ID: id, Kind: str(kind), Status: str(status)}
	}
	answer := func(id, subject, by string, allowed bool) event.PermissionAnswered {
		decision := "Reject"
		if allowed {
			decision = "Allow"
		}
		return event.PermissionAnswered{Key: 7, ToolID: id, Subject: subject, By: by, Allowed: allowed, Decision: decision}
	}
	with := func(e event.ToolChanged, input string, paths ...string) event.ToolChanged {
		if input != "" {
			e.RawInput = &input
		}
		var at []event.Location
		for _, p := range paths {
			at = append(at, event.Location{Path: p})
		}
		e.Locations = &at
		return e
	}
	forbidden := event.ToolExamined{ID: "c", Forbidden: true}
	edit := func(id, status, text string) event.ToolChanged {
		e := with(call(id, "edit", status), "", "/w/f")
		e.Content = &[]event.ToolContent{{Diff: &event.Diff{Path: "/w/f", Old: "a", New: text}}}
		return e
	}
	run := func(id, status string) event.ToolChanged {
		return with(call(id, "execute", status), `{"command":"ls"}`)
	}
	for name, c := range map[string]struct {
		events []event.Event
		want   thread.Trust
	}{
		"asked":                             {[]event.Event{call("c", "edit", "pending"), answer("c", "", "you", true), call("c", "edit", "completed")}, thread.AllowedByUser},
		"asked at a client":                 {[]event.Event{call("c", "edit", "pending"), answer("c", "", "client: phone", true), call("c", "edit", "completed")}, thread.AllowedByUser},
		"rejected at a client, and done":    {[]event.Event{call("c", "edit", "pending"), answer("c", "", "client: phone", false), call("c", "edit", "completed")}, thread.DeniedByUser},
		"by rule":                           {[]event.Event{call("c", "edit", "pending"), answer("c", "", "your rule: allow path **", true), call("c", "edit", "completed")}, thread.AllowedByRule},
		"by mode":                           {[]event.Event{call("c", "edit", "pending"), answer("c", "", "mode: all", true), call("c", "edit", "completed")}, thread.AllowedByMode},
		"unasked":                           {[]event.Event{call("c", "delete", "completed")}, thread.Unasked},
		"unasked command that failed":       {[]event.Event{call("c", "execute", "failed")}, thread.Unasked},
		"an edit that failed":               {[]event.Event{call("c", "edit", "failed")}, thread.Harmless},
		"not yet":                           {[]event.Event{call("c", "edit", "in_progress")}, thread.Harmless},
		"reads":                             {[]event.Event{call("c", "read", "completed")}, thread.Harmless},
		"rejected, and failed":              {[]event.Event{call("c", "execute", "pending"), answer("c", "", "you", false), call("c", "execute", "failed")}, thread.Harmless},
		"rejected, and done anyway":         {[]event.Event{call("c", "execute", "pending"), answer("c", "", "you", false), call("c", "execute", "completed")}, thread.DeniedByUser},
		"rejected, and read anyway":         {[]event.Event{call("c", "read", "pending"), answer("c", "", "you", false), call("c", "read", "completed")}, thread.DeniedByUser},
		"denied by rule, and done":          {[]event.Event{call("c", "edit", "pending"), answer("c", "", "your rule: deny path **", false), call("c", "edit", "completed")}, thread.DeniedByRule},
		"rejected by mode, and done":        {[]event.Event{call("c", "edit", "pending"), answer("c", "", "mode: plan", false), call("c", "edit", "completed")}, thread.DeniedByMode},
		"rejected, then allowed":            {[]event.Event{call("c", "edit", "pending"), answer("c", "", "you", false), answer("c", "", "you", true), call("c", "edit", "completed")}, thread.AllowedByUser},
		"parley's question rejected":        {[]event.Event{with(call("c", "edit", "pending"), "", "/w/f"), answer("", "/w/f", "you", false), call("c", "edit", "completed")}, thread.DeniedByUser},
		"a command of parley's rejected":    {[]event.Event{with(call("c", "execute", "pending"), `{"command":"ls"}`), answer("", "ls", "you", false), call("c", "execute", "failed")}, thread.Harmless},
		"the write rejected, the file read": {[]event.Event{with(call("c", "read", "pending"), "", "/w/f"), answer("", "/w/f", "you", false), call("c", "read", "completed")}, thread.Harmless},
		"a rule denies what ran unasked":    {[]event.Event{call("c", "execute", "completed"), forbidden}, thread.DeniedByRule},
		"a rule denies what was read":       {[]event.Event{call("c", "read", "completed"), forbidden}, thread.DeniedByRule},
		"a rule denies what failed":         {[]event.Event{call("c", "execute", "pending"), answer("c", "", "your rule: deny command *", false), call("c", "execute", "failed"), forbidden}, thread.Harmless},
		"the user and a rule said no":       {[]event.Event{call("c", "execute", "pending"), answer("c", "", "you", false), call("c", "execute", "completed"), forbidden}, thread.DeniedByUser},
		"unanswered":                        {[]event.Event{call("c", "edit", "pending"), event.PermissionAnswered{Key: 7, ToolID: "c", Decision: "cancelled"}, call("c", "edit", "completed")}, thread.Unasked},
		"unanswered, and it failed":         {[]event.Event{call("c", "execute", "pending"), event.PermissionAnswered{Key: 7, ToolID: "c", Decision: "cancelled"}, call("c", "execute", "failed")}, thread.Harmless},
		"unanswered, and it ended so":       {[]event.Event{call("c", "execute", "in_progress"), event.PermissionAnswered{Key: 7, ToolID: "c", Decision: "cancelled"}, event.TurnEnded{}}, thread.Harmless},
		"it failed before it was cancelled": {[]event.Event{call("c", "execute", "pending"), event.PermissionRequested{Key: 7, ToolID: "c"}, call("c", "execute", "failed"), event.PermissionAnswered{Key: 7, ToolID: "c", Decision: "cancelled"}}, thread.Harmless},
		"it ended before it was cancelled":  {[]event.Event{call("c", "execute", "in_progress"), event.PermissionRequested{Key: 7, ToolID: "c"}, event.TurnEnded{}, event.PermissionAnswered{Key: 7, ToolID: "c", Decision: "cancelled"}}, thread.Harmless},
		"it failed before a yes came":       {[]event.Event{call("c", "execute", "pending"), event.PermissionRequested{Key: 7, ToolID: "c"}, call("c", "execute", "failed"), answer("c", "", "you", true)}, thread.AllowedByUser},
		"done before it was cancelled":      {[]event.Event{call("c", "execute", "pending"), event.PermissionRequested{Key: 7, ToolID: "c"}, call("c", "execute", "completed"), event.PermissionAnswered{Key: 7, ToolID: "c", Decision: "cancelled"}}, thread.Unasked},
		"an answer about another call":      {[]event.Event{call("c", "edit", "pending"), call("d", "edit", "pending"), answer("d", "", "you", true), call("c", "edit", "completed")}, thread.Unasked},
		"rejected, and done by another":     {[]event.Event{run("d", "pending"), answer("d", "ls", "you", false), call("d", "execute", "failed"), run("c", "completed")}, thread.DeniedByUser},
		"rejected, and done next turn":      {[]event.Event{run("d", "pending"), answer("d", "ls", "you", false), event.TurnEnded{}, event.TurnStarted{Text: "x"}, run("c", "completed")}, thread.Unasked},
		"an edit rejected, done by another": {[]event.Event{edit("d", "pending", "b"), answer("d", "", "you", false), call("d", "edit", "failed"), edit("c", "completed", "b")}, thread.DeniedByUser},
		"an edit rejected, another done":    {[]event.Event{edit("d", "pending", "b"), answer("d", "", "you", false), edit("c", "completed", "c")}, thread.Unasked},
		"rejected, allowed, done once more": {[]event.Event{run("d", "pending"), answer("d", "ls", "you", false), run("e", "pending"), answer("e", "ls", "you", true), run("c", "completed")}, thread.Unasked},
		"allowed, and done by another":      {[]event.Event{run("d", "pending"), answer("d", "ls", "you", true), run("c", "completed")}, thread.Unasked},
		"parley asked about the file":       {[]event.Event{with(call("c", "edit", "pending"), "", "/w/f"), answer("", "/w/f", "you", true), call("c", "edit", "completed")}, thread.AllowedByUser},
		"parley asked about another":        {[]event.Event{with(call("c", "edit", "pending"), "", "/w/f"), answer("", "/w/g", "you", true), call("c", "edit", "completed")}, thread.Unasked},
		"parley asked about the command":    {[]event.Event{with(call("c", "execute", "pending"), `{"command":"ls -l"}`), answer("", "ls -l", "you", true), call("c", "execute", "completed")}, thread.AllowedByUser},
		"parley asked in an earlier turn":   {[]event.Event{answer("", "ls", "you", true), event.TurnEnded{}, event.TurnStarted{Text: "x"}, with(call("c", "execute", "completed"), `{"command":"ls"}`)}, thread.Unasked},
		"of a history":                      {[]event.Event{event.HistoryBegan{}, call("c", "execute", "completed"), event.HistoryEnded{}}, thread.Harmless},
		"of a history that came late":       {[]event.Event{event.HistoryBegan{}, event.HistoryEnded{}, call("c", "execute", "completed")}, thread.Harmless},
		"after a history, in a turn":        {[]event.Event{event.HistoryBegan{}, event.HistoryEnded{}, event.TurnStarted{Text: "x"}, call("c", "execute", "completed")}, thread.Unasked},
		"after a history, of a held one":    {[]event.Event{event.HistoryBegan{}, event.HistoryEnded{}, event.PromptHeld{Key: 1, Text: "x"}, call("c", "execute", "completed")}, thread.Unasked},
		"after a history, asked about":      {[]event.Event{event.HistoryBegan{}, event.HistoryEnded{}, call("c", "execute", "pending"), event.PermissionRequested{Key: 7, ToolID: "c"}, answer("c", "", "you", true), call("c", "execute", "completed")}, thread.AllowedByUser},
		"a status that is told once more":   {[]event.Event{call("c", "delete", "completed"), call("c", "delete", "completed")}, thread.Unasked},
		"completed before the answer came":  {[]event.Event{call("c", "edit", "completed"), answer("c", "", "you", true)}, thread.AllowedByUser},
	} {
		t.Run(name, func(t *testing.T) {
			th := thread.New("s")
			th.Apply(event.TurnStarted{Text: "go"})
			for _, e := range c.events {
				th.Apply(e)
			}
			if got := th.Tool("c").Trust; got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
			want := 0
			if c.want == thread.Unasked {
				want = 1
			}
			if th.Unasked != want {
				t.Errorf("%d unasked, want %d", th.Unasked, want)
			}
			if got := th.RanDenied > 0; got != c.want.Denied() {
				t.Errorf("%d against an answer, %v", th.RanDenied, c.want)
			}
		})
	}
}
