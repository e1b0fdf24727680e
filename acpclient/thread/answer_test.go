package thread_test

import (
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// An answer belongs to the call that it is about: by the call's id, or, if parley itself has asked, by the
// command or the file. An answer about no call that runs is an entry of its own.
func TestAnswerOfCall(t *testing.T) {
	call := func(id, status, input string) event.Event {
		kind := "execute"
		return event.ToolChanged{ID: id, Kind: &kind, Status: &status, RawInput: &input}
	}
	const ls, pwd = `{"command":"ls"}`, `{"command":"pwd"}`
	for name, c := range map[string]struct {
		events []event.Event
		call   string // that has an answer
		by     string
	}{
		"by id":              {[]event.Event{call("c", "pending", ls), event.PermissionAnswered{ToolID: "c", By: "you", Allowed: true}}, "c", "you"},
		"by command":         {[]event.Event{call("c", "pending", ls), call("d", "pending", pwd), event.PermissionAnswered{Subject: "ls", By: "you"}}, "c", "you"},
		"the newest":         {[]event.Event{call("c", "pending", ls), call("d", "pending", ls), event.PermissionAnswered{Subject: "ls", By: "you"}}, "d", "you"},
		"the first of two":   {[]event.Event{call("c", "pending", ls), event.PermissionAnswered{ToolID: "c", By: "you"}, event.PermissionAnswered{ToolID: "c", By: "mode: all"}}, "c", "you"},
		"changed":            {[]event.Event{call("c", "pending", ls), event.PermissionAnswered{ToolID: "c", By: "you"}, event.PermissionAnswered{ToolID: "c", By: "mode: all", Allowed: true}}, "c", "mode: all"},
		"after it has ended": {[]event.Event{call("c", "completed", ls), event.PermissionAnswered{ToolID: "c", By: "you"}}, "", ""},
		"of no call":         {[]event.Event{call("c", "pending", ls), event.PermissionAnswered{Subject: "rm", By: "you"}}, "", ""},
	} {
		th := thread.New("s")
		th.Apply(event.TurnStarted{Text: "go"})
		for _, e := range c.events {
			th.Apply(e)
		}
		for _, it := range th.Items {
			switch {
			case it.Tool != nil && it.Tool.ID != c.call && it.Tool.Answer != nil:
				t.Errorf("%s: call %s has an answer", name, it.Tool.ID)
			case it.Tool != nil && it.Tool.ID == c.call && (it.Tool.Answer == nil || it.Tool.Answer.By != c.by):
				t.Errorf("%s: %+v", name, it.Tool.Answer)
			case it.Kind == thread.Decision && it.OnCall != (c.call != ""):
				t.Errorf("%s: on a call: %v", name, it.OnCall)
			}
		}
	}
}
