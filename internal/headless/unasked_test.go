package headless

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/internal/fakeagent"
	"parley/internal/must"
)

// Whatever an agent runs or writes without a question, or against an answer, is reported at
// the end in every format, by command or file.
func TestUnasked(t *testing.T) {
	t.Parallel()
	busy := does(func(t *fakeagent.Turn) string {
		sending(
			`{"sessionUpdate":"tool_call","toolCallId":"a","title":"Look around","kind":"execute","status":"completed","rawInput":{"command":"git push\u001b[2J"}}`,
			`{"sessionUpdate":"tool_call","toolCallId":"b","title":"Tidy up","kind":"edit","status":"completed","locations":[{"path":"/w/f"}]}`,
			`{"sessionUpdate":"tool_call","toolCallId":"c","title":"Read","kind":"read","status":"completed","locations":[{"path":"/w/g"}]}`)(t)
		t.Ask(`{"toolCallId":"d","title":"Clean","kind":"execute","rawInput":{"command":"rm -r x"}}`, yesOrNo)
		return sending(
			`{"sessionUpdate":"tool_call_update","toolCallId":"d","status":"completed"}`,
			`{"sessionUpdate":"tool_call","toolCallId":"e","title":"Lists","kind":"execute","status":"completed","rawInput":{"command":["ls","-l"]}}`)(t)
	})
	rules := withRules(t, "[[deny]]\ncommand = \"ls *\"")
	want := []string{"a git push: ran without asking", "b /w/f: ran without asking", "d rm -r x: ran although it was rejected", "e ls -l: ran although your rule forbids it"}

	r := play(t, busy, "go", rules)
	for _, w := range want {
		if !strings.Contains(r.stderr, "parley: "+w[2:]+"\n") {
			t.Errorf("stderr has no %q: %q", w, r.stderr)
		}
	}
	if told := strings.Count(r.stderr, ": ran "); told != len(want) || r.code != ExitDenied {
		t.Errorf("%d of %d reported, exit code %d: %q", told, len(want), r.code, r.stderr)
	}

	check := func(format string, got []jsonEvent) {
		t.Helper()
		var lines []string
		for _, e := range got {
			lines = append(lines, e.ToolCallID+" "+e.Subject+": "+e.Text)
		}
		if strings.Join(lines, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: got %q, want %q", format, lines, want)
		}
	}
	r = play(t, busy, "go", rules, format("stream-json"))
	check("stream-json", only(lines(t, r.out), "unasked"))

	r = play(t, busy, "go", rules, format("json"))
	var whole struct{ Unasked []jsonEvent }
	must.Do(t, json.Unmarshal([]byte(r.out), &whole))
	check("json", whole.Unasked)
	if !strings.Contains(r.stderr, "parley: "+want[0][2:]+"\n") {
		t.Errorf("with -o json stderr has nothing of it: %q", r.stderr)
	}
}
