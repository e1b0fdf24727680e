package describe

import (
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// A call that creates its files says so, as its question does.
func TestVerbOfCreated(t *testing.T) {
	created, changed := event.ToolContent{Diff: &event.Diff{Path: "/w/a", New: "x", OldMissing: true}}, event.ToolContent{Diff: &event.Diff{Path: "/w/b", Old: "x"}}
	added := event.ToolContent{Changes: &event.Changes{Files: []event.FileChange{{Operation: "add", Path: "/w/c"}}}}
	modified := event.ToolContent{Changes: &event.Changes{Files: []event.FileChange{{Operation: "add", Path: "/w/c"}, {Operation: "modify", Path: "/w/d"}}}}
	text := event.ToolContent{}
	for _, tc := range []struct {
		kind    string
		content []event.ToolContent
		want    string
	}{
		{"edit", nil, "Edit"},
		{"edit", []event.ToolContent{text}, "Edit"},
		{"edit", []event.ToolContent{created, text}, "Create"},
		{"edit", []event.ToolContent{added, created}, "Create"},
		{"edit", []event.ToolContent{created, changed}, "Edit"},
		{"edit", []event.ToolContent{changed, created}, "Edit"},
		{"edit", []event.ToolContent{modified}, "Edit"},
		{"read", []event.ToolContent{created}, "Read"},
	} {
		if got := Verb(&thread.Tool{Kind: tc.kind, Content: tc.content}); got != tc.want {
			t.Errorf("%s of %+v: %q, want %q", tc.kind, tc.content, got, tc.want)
		}
	}
}
