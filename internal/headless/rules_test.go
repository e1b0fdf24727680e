package headless

import (
	"strings"
	"testing"

	"parley/internal/must"
	"parley/permissions"
)

// withRules gives a run rules.
func withRules(t *testing.T, text string) func(*Options) {
	t.Helper()
	rules := must.Get(permissions.ParseRules("rules.toml", []byte(text), false))(t)
	book := must.Get(permissions.NewRulebook(rules))(t)
	return func(o *Options) {
		o.Host.Rules = func([]string) (*permissions.Rulebook, error) { return book, nil }
	}
}

// Rules that deny or allow come before the flags. A rule that asks means a denial, because
// no user can answer, unless everything is approved.
func TestRules(t *testing.T) {
	t.Parallel()
	const (
		yes = "y\n"
		no  = "n\n"
	)
	ls := asks(`{"toolCallId":"t","title":"List","kind":"execute","rawInput":{"command":"ls -la"}}`)
	look := asks(`{"toolCallId":"t","title":"Look","kind":"read","rawInput":{"path":"f"}}`)
	for _, c := range []struct {
		agent       agent
		rules       string
		policy      Policy
		code        int
		out, stderr string
	}{
		{ls, "[[allow]]\ncommand = \"ls *\"", DenyAll, ExitDone, yes, "ls -la: allowed by your rule: allow command ls *"},
		{ls, "[[allow]]\ncommand = \"rm *\"", DenyAll, ExitDenied, no, "(--approve-all would allow it)"},
		{ls, "[[deny]]\ncommand = \"ls *\"", ApproveAll, ExitDenied, no, "ls -la: rejected by your rule: deny command ls *"},
		{ls, "[[deny]]\ncommand = \"ls *\"", DenyAll, ExitDenied, no, "by your rule: deny command ls *"},
		{ls, "[[ask]]\ncommand = \"ls *\"", DenyAll, ExitDenied, no, "ls -la (your rule asks: ask command ls *; --approve-all would allow it)"},
		{ls, "[[ask]]\ncommand = \"ls *\"", ApproveAll, ExitDone, yes, "allowed (--approve-all)"},
		{look, "[[ask]]\npath = \"f\"", ApproveReads, ExitDenied, no, "f (your rule asks: ask path f; --approve-all would allow it)"},
		{look, "[[deny]]\npath = \"f\"", ApproveReads, ExitDenied, no, "by your rule: deny path f"},
		{look, "[[allow]]\npath = \"f\"", DenyAll, ExitDone, yes, "by your rule: allow path f"},
	} {
		r := play(t, c.agent, "go", policy(c.policy), withRules(t, c.rules))
		if r.code != c.code || r.out != c.out || !strings.Contains(r.stderr, c.stderr) {
			t.Errorf("%s with %s: exit code %d, want %d; %q; %q, want %q", c.rules, c.policy, r.code, c.code, r.out, r.stderr, c.stderr)
		}
	}
}

// Requests of the agent to parley are judged by the same rules, whether asked about or not.
func TestRulesForFiles(t *testing.T) {
	t.Parallel()
	r := play(t, demoAgent, "edit notes.txt and run ls", policy(ApproveAll), withRules(t, "[[deny]]\npath = \"*.txt\"\nkind = \"edit\""))
	if r.code != ExitDenied || !strings.Contains(r.stderr, "by your rule: deny path *.txt, kind edit") || !strings.Contains(r.out, "Without your permission I left `notes.txt` alone.") {
		t.Errorf("%d %q %q", r.code, r.out, r.stderr)
	}
}
