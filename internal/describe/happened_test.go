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

func TestUndone(t *testing.T) {
	same := func(path string) string { return path }
	a, b := undo.Change{Path: "a"}, undo.Change{Path: "b"}
	if said, refused := Undone([]undo.Result{{Change: a}, {Change: a}, {Change: b}}, true, "", same); said != "Restored 2 files (the agent was not told)" || refused != nil {
		t.Errorf("%q, %q", said, refused)
	}
	said, refused := Undone([]undo.Result{{Change: a}, {Change: b, Err: errors.New("it has changed since")}}, false, "", same)
	if said != "Redid the changes to 1 of 2 files" || !slices.Equal(refused, []string{"b: it has changed since"}) {
		t.Errorf("%q, %q", said, refused)
	}
}
