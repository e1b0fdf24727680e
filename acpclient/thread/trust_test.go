package thread_test

import (
	"testing"

	"parley/acpclient"
	"parley/acpclient/thread"
)

func TestTrust(t *testing.T) {
	str := func(s string) *string { return &s }
	call := func(id, kind, status string) acpclient.ToolChanged {
		return acpclient.ToolChanged{ID: id, Kind: str(kind), Status: str(status)}
	}
	answer := func(id, subject, by string, allowed bool) acpclient.PermissionSettled {
		decision := "Reject"
		if allowed {
			decision = "Allow"
		}
		return acpclient.PermissionSettled{Key: 7, ToolID: id, Subject: subject, By: by, Allowed: allowed, Decision: decision}
	}
	with := func(e acpclient.ToolChanged, input string, paths ...string) acpclient.ToolChanged {
		if input != "" {
			e.RawInput = &input
		}
		var at []acpclient.Location
		for _, p := range paths {
			at = append(at, acpclient.Location{Path: p})
		}
		e.Locations = &at
		return e
	}
	forbidden := func(e acpclient.ToolChanged) acpclient.ToolChanged { e.Forbidden = true; return e }
	for name, c := range map[string]struct {
		events []acpclient.Event
		want   thread.Trust
	}{
		"asked":                             {[]acpclient.Event{call("c", "edit", "pending"), answer("c", "", "you", true), call("c", "edit", "completed")}, thread.UserAsked},
		"by rule":                           {[]acpclient.Event{call("c", "edit", "pending"), answer("c", "", "your rule: allow path **", true), call("c", "edit", "completed")}, thread.ByRule},
		"by mode":                           {[]acpclient.Event{call("c", "edit", "pending"), answer("c", "", "mode: all", true), call("c", "edit", "completed")}, thread.ByMode},
		"unasked":                           {[]acpclient.Event{call("c", "delete", "completed")}, thread.Unasked},
		"unasked command that failed":       {[]acpclient.Event{call("c", "execute", "failed")}, thread.Unasked},
		"an edit that failed":               {[]acpclient.Event{call("c", "edit", "failed")}, thread.Harmless},
		"not yet":                           {[]acpclient.Event{call("c", "edit", "in_progress")}, thread.Harmless},
		"reads":                             {[]acpclient.Event{call("c", "read", "completed")}, thread.Harmless},
		"rejected, and failed":              {[]acpclient.Event{call("c", "execute", "pending"), answer("c", "", "you", false), call("c", "execute", "failed")}, thread.Harmless},
		"rejected, and done all the same":   {[]acpclient.Event{call("c", "execute", "pending"), answer("c", "", "you", false), call("c", "execute", "completed")}, thread.AgainstUser},
		"rejected, and read all the same":   {[]acpclient.Event{call("c", "read", "pending"), answer("c", "", "you", false), call("c", "read", "completed")}, thread.AgainstUser},
		"denied by rule, and done":          {[]acpclient.Event{call("c", "edit", "pending"), answer("c", "", "your rule: deny path **", false), call("c", "edit", "completed")}, thread.AgainstRule},
		"rejected by mode, and done":        {[]acpclient.Event{call("c", "edit", "pending"), answer("c", "", "mode: plan", false), call("c", "edit", "completed")}, thread.AgainstMode},
		"rejected, then allowed":            {[]acpclient.Event{call("c", "edit", "pending"), answer("c", "", "you", false), answer("c", "", "you", true), call("c", "edit", "completed")}, thread.UserAsked},
		"parley's question rejected":        {[]acpclient.Event{with(call("c", "edit", "pending"), "", "/w/f"), answer("", "/w/f", "you", false), call("c", "edit", "completed")}, thread.AgainstUser},
		"a command of parley's rejected":    {[]acpclient.Event{with(call("c", "execute", "pending"), `{"command":"ls"}`), answer("", "ls", "you", false), call("c", "execute", "failed")}, thread.Harmless},
		"the write rejected, the file read": {[]acpclient.Event{with(call("c", "read", "pending"), "", "/w/f"), answer("", "/w/f", "you", false), call("c", "read", "completed")}, thread.Harmless},
		"a rule denies what ran unasked":    {[]acpclient.Event{forbidden(call("c", "execute", "completed"))}, thread.AgainstRule},
		"a rule denies what was read":       {[]acpclient.Event{forbidden(call("c", "read", "completed"))}, thread.AgainstRule},
		"a rule denies what failed":         {[]acpclient.Event{call("c", "execute", "pending"), answer("c", "", "your rule: deny command *", false), forbidden(call("c", "execute", "failed"))}, thread.Harmless},
		"the user and a rule said no":       {[]acpclient.Event{call("c", "execute", "pending"), answer("c", "", "you", false), forbidden(call("c", "execute", "completed"))}, thread.AgainstUser},
		"nobody answered":                   {[]acpclient.Event{call("c", "edit", "pending"), acpclient.PermissionSettled{Key: 7, ToolID: "c", Decision: "cancelled"}, call("c", "edit", "completed")}, thread.Unasked},
		"an answer about another call":      {[]acpclient.Event{call("c", "edit", "pending"), call("d", "edit", "pending"), answer("d", "", "you", true), call("c", "edit", "completed")}, thread.Unasked},
		"parley asked about the file":       {[]acpclient.Event{with(call("c", "edit", "pending"), "", "/w/f"), answer("", "/w/f", "you", true), call("c", "edit", "completed")}, thread.UserAsked},
		"parley asked about another":        {[]acpclient.Event{with(call("c", "edit", "pending"), "", "/w/f"), answer("", "/w/g", "you", true), call("c", "edit", "completed")}, thread.Unasked},
		"parley asked about the command":    {[]acpclient.Event{with(call("c", "execute", "pending"), `{"command":"ls -l"}`), answer("", "ls -l", "you", true), call("c", "execute", "completed")}, thread.UserAsked},
		"parley asked in an earlier turn":   {[]acpclient.Event{answer("", "ls", "you", true), acpclient.TurnEnded{}, acpclient.TurnStarted{Text: "x"}, with(call("c", "execute", "completed"), `{"command":"ls"}`)}, thread.Unasked},
		"of a history":                      {[]acpclient.Event{acpclient.HistoryBegan{}, call("c", "execute", "completed"), acpclient.HistoryEnded{}}, thread.Harmless},
		"of a history that came late":       {[]acpclient.Event{acpclient.HistoryBegan{}, acpclient.HistoryEnded{}, call("c", "execute", "completed")}, thread.Harmless},
		"after a history, in a turn":        {[]acpclient.Event{acpclient.HistoryBegan{}, acpclient.HistoryEnded{}, acpclient.TurnStarted{Text: "x"}, call("c", "execute", "completed")}, thread.Unasked},
		"after a history, of a held one":    {[]acpclient.Event{acpclient.HistoryBegan{}, acpclient.HistoryEnded{}, acpclient.PromptHeld{Key: 1, Text: "x"}, call("c", "execute", "completed")}, thread.Unasked},
		"after a history, asked about":      {[]acpclient.Event{acpclient.HistoryBegan{}, acpclient.HistoryEnded{}, call("c", "execute", "pending"), acpclient.PermissionAsked{Key: 7, ToolID: "c"}, answer("c", "", "you", true), call("c", "execute", "completed")}, thread.UserAsked},
		"a status that is told once more":   {[]acpclient.Event{call("c", "delete", "completed"), call("c", "delete", "completed")}, thread.Unasked},
		"completed before the answer came":  {[]acpclient.Event{call("c", "edit", "completed"), answer("c", "", "you", true)}, thread.UserAsked},
	} {
		t.Run(name, func(t *testing.T) {
			th := thread.New("s")
			th.Apply(acpclient.TurnStarted{Text: "go"})
			for _, e := range c.events {
				th.Apply(e)
			}
			if got := th.Tool("c").Trust; got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
			want := 0
			if c.want == thread.Unasked {
				want = 1
			}
			if th.Unasked != want {
				t.Errorf("%d unasked, want %d", th.Unasked, want)
			}
			if got := th.Against > 0; got != c.want.Against() {
				t.Errorf("%d against an answer, %v", th.Against, c.want)
			}
		})
	}
}
