package describe

import (
	"errors"
	"slices"
	"testing"

	"parley/acpclient/thread"
	"parley/internal/undo"
)

func TestTurnEnd(t *testing.T) {
	for want, end := range map[string]thread.End{
		"":                    {StopReason: "end_turn"},
		"Claude said nothing": {StopReason: "end_turn", Empty: true},
		"the agent ended the turn without a stop reason": {NoReason: true},
		"stopped":        {StopReason: "cancelled"},
		"stopped: tired": {StopReason: "tired"},
	} {
		if got := TurnEnd(&end, "Claude"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestChanged(t *testing.T) {
	for want, c := range map[string]undo.Change{
		"changed a on disk":                {Kind: undo.Changed, By: undo.OnDisk},
		"created a via parley":             {Kind: undo.Created},
		"deleted a via parley and on disk": {Kind: undo.Deleted, By: undo.Both},
		"changed the mode of a on disk":    {Kind: undo.Mode, By: undo.OnDisk},
	} {
		if got := Changed(c, "a"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestUndone(t *testing.T) {
	same := func(path string) string { return path }
	a, b := undo.Change{Path: "a"}, undo.Change{Path: "b"}
	if said, refused := Undone([]undo.Result{{Change: a}, {Change: a}, {Change: b}}, true, "", same); said != "Restored 2 files (the agent was not told)" || refused != nil {
		t.Errorf("%q, %q", said, refused)
	}
	created := undo.Change{Path: "new", Kind: undo.Created}
	for _, c := range []struct {
		of   []undo.Change
		to   string
		want string
	}{
		{[]undo.Change{created, {Path: "new"}}, "", "Removed new (the agent was not told)"},
		{[]undo.Change{a, a}, "", "Restored a (the agent was not told)"},
		{[]undo.Change{created, created, {Path: "more", Kind: undo.Created}}, "", "Removed 2 files (the agent was not told)"},
		{[]undo.Change{created, a, b}, "", "Restored 2 files and removed 1 file (the agent was not told)"},
		{[]undo.Change{created}, " to before x", "Restored 1 file to before x (the agent was not told)"},
	} {
		var results []undo.Result
		for _, change := range c.of {
			results = append(results, undo.Result{Change: change})
		}
		if said, _ := Undone(results, true, c.to, same); said != c.want {
			t.Errorf("%q, want %q", said, c.want)
		}
	}
	said, refused := Undone([]undo.Result{{Change: a}, {Change: b, Err: errors.New("it has changed since")}}, false, "", same)
	if said != "Redid 1 of 2 files" || !slices.Equal(refused, []string{"b: it has changed since"}) {
		t.Errorf("%q, %q", said, refused)
	}
}
