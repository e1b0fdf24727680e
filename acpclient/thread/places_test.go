package thread_test

import (
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// An unanswered question does not make its call a rejected one; a no does.
func TestUnansweredIsNotRejected(t *testing.T) {
	for decision, want := range map[string]bool{"cancelled": false, "Reject": true} {
		th := thread.New("s")
		status := "pending"
		th.Apply(event.ToolChanged{For: event.For{Session: "s"}, ID: "t", Status: &status})
		th.Apply(event.PermissionRequested{For: event.For{Session: "s"}, Key: 1, ToolID: "t"})
		th.Apply(event.PermissionAnswered{For: event.For{Session: "s"}, Key: 1, ToolID: "t", Decision: decision})
		if got := th.Items[0].Tool.Rejected; got != want {
			t.Errorf("%q: rejected %v", decision, got)
		}
	}
}

// Places come from the changes first, then from the locations.
func TestPlaces(t *testing.T) {
	tool := &thread.Tool{Locations: []event.Location{{Path: "/p/b.go", Line: 3}}}
	tool.Content = []event.ToolContent{{Diff: &event.Diff{Path: "/p/a.go"}}, {Changes: &event.Changes{Files: []event.FileChange{{Path: "/p/c.go"}}}}}
	got := tool.Files()
	if len(got) != 3 || got[0].Path != "/p/a.go" || got[1].Path != "/p/c.go" || got[2] != (event.Location{Path: "/p/b.go", Line: 3}) {
		t.Errorf("got %+v", got)
	}
}
