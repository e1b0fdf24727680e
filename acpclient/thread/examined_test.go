package thread_test

import (
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// What the disk says about a change is shown with it, whether or not an update repeats the change meanwhile
// or later, and never with another change.
func TestExamined(t *testing.T) {
	change := func(path, old, now string) *event.Diff { return &event.Diff{Path: path, Old: old, New: now} }
	says := func(diffs ...*event.Diff) event.ToolChanged {
		items := []event.ToolContent{}
		for _, d := range diffs {
			items = append(items, event.ToolContent{Diff: d})
		}
		return event.ToolChanged{ID: "c", Content: &items}
	}
	piece := func(d *event.Diff) event.ToolChanged {
		return event.ToolChanged{ID: "c", AppendContent: []event.ToolContent{{Diff: d}}}
	}
	added := func(path, line string) event.ToolChanged {
		return event.ToolChanged{ID: "c", Content: &[]event.ToolContent{{Changes: &event.Changes{Files: []event.FileChange{{Operation: "add", Path: path}},
			PatchFormat: "git_patch", Patch: "--- /dev/null\n+++ " + path + "\n@@ -0,0 +1 @@\n+" + line + "\n"}}}}
	}
	at := func(first int, path, old, now string) *event.Diff {
		d := change(path, old, now)
		d.Context = &event.DiffContext{First: first}
		return d
	}
	found := func(diffs ...*event.Diff) event.ToolExamined { return event.ToolExamined{ID: "c", Diffs: diffs} }
	a, b := change("/w/a", "1", "2"), change("/w/b", "", "2")
	for name, test := range map[string]struct {
		events []event.Event
		want   string
	}{
		"at once":            {[]event.Event{says(a, b), found(at(3, "/w/a", "1", "2"), at(4, "/w/b", "x", "2"))}, "/w/a 1>2 @3, /w/b x>2 @4"},
		"one of two":         {[]event.Event{says(a, b), found(at(4, "/w/b", "x", "2"))}, "/w/a 1>2, /w/b x>2 @4"},
		"repeated later":     {[]event.Event{says(b), found(at(4, "/w/b", "x", "2")), says(a, b)}, "/w/a 1>2, /w/b x>2 @4"},
		"repeated meanwhile": {[]event.Event{says(b), says(b), found(at(4, "/w/b", "x", "2"))}, "/w/b x>2 @4"},
		"moved":              {[]event.Event{says(a), found(at(3, "/w/a", "1", "2")), says(a), found(at(5, "/w/a", "1", "2")), says(a)}, "/w/a 1>2 @5"},
		"the same twice":     {[]event.Event{says(a, a), found(at(3, "/w/a", "1", "2"), at(3, "/w/a", "1", "2"))}, "/w/a 1>2 @3, /w/a 1>2 @3"},
		"in pieces":          {[]event.Event{says(a), piece(b), found(at(3, "/w/a", "1", "2")), found(at(4, "/w/b", "x", "2")), piece(a)}, "/w/a 1>2 @3, /w/b x>2 @4, /w/a 1>2"},
		"changed meanwhile":  {[]event.Event{says(a), says(change("/w/a", "1", "3")), found(at(3, "/w/a", "1", "2"))}, "/w/a 1>3"},
		"another old text":   {[]event.Event{says(a), found(at(3, "/w/a", "x", "2"))}, "/w/a 1>2"},
		"without it later":   {[]event.Event{says(b), found(at(4, "/w/b", "x", "2")), says(b), found(at(0, "/w/b", "", "2"))}, "/w/b x>2 @4"},
		"of a patch":         {[]event.Event{added("/w/b", "2"), found(at(4, "/w/b", "x", "2")), added("/w/b", "2")}, "/w/b x>2 @4"},
		"of another patch":   {[]event.Event{added("/w/b", "2"), added("/w/b", "3"), found(at(4, "/w/b", "x", "2"))}, "patch"},
		"another call":       {[]event.Event{says(a), event.ToolExamined{ID: "d", Diffs: []*event.Diff{at(3, "/w/a", "1", "2")}}}, "/w/a 1>2"},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the events stay as they are
				th := thread.New("")
				for _, e := range test.events {
					th.Apply(e)
				}
				var words []string
				for _, c := range th.Tool("c").Content {
					if c.Diff == nil {
						words = append(words, "patch")
						continue
					}
					word := c.Diff.Path + " " + c.Diff.Old + ">" + c.Diff.New
					if c.Diff.Context != nil {
						word += " @" + string(rune('0'+c.Diff.Context.First))
					}
					words = append(words, word)
				}
				if got := strings.Join(words, ", "); got != test.want {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
				if th.Tool("d") != nil {
					t.Error("there is another call")
				}
			}
		})
	}
}
