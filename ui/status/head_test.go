package status

import (
	"strings"
	"testing"

	"parley/acpclient/thread"
	"parley/ui/uitest"
)

// A head has as much of the name and of the state as there is room for.
func TestHead(t *testing.T) {
	for _, tc := range []struct {
		name  string
		width int
		want  string
	}{
		{"fake", 40, " fake                             waits"},
		{"a name that is long", 30, " a name that is long    waits"},
		{"a name that is long", 22, " a name that …  waits"},
		{"漢字漢字漢字漢字", 22, " 漢字漢字漢字…  waits"},
		{"third", 7, " third"},
		{"fake", 5, " fa…"},
		{"fake", 3, " f"},
	} {
		line := aLine()
		line.Agent.Spec.Name, line.Thread.State = tc.name, thread.Idle
		h := Head{Session: line.Session, Env: line.Env, Waits: true}
		row := h.Row(tc.width)
		uitest.CheckRows(t, []string{row}, tc.width)
		if got := uitest.Text([]string{row}); got != tc.want {
			t.Errorf("%s in %d cells: got %q, want %q", tc.name, tc.width, got, tc.want)
		}
	}
}

// The id of a model is the agent's.
func TestHeadOfAHostileModel(t *testing.T) {
	line := aLine()
	line.Session.Agent.Spec.Model = "big\x1b[2J\u202e\n"
	row := Head{Session: line.Session, Env: line.Env}.Row(60)
	if got := uitest.Text([]string{row}); strings.ContainsAny(got, "\x1b\u202e\n") || !strings.Contains(got, "fake · big") {
		t.Errorf("got %q", got)
	}
}
