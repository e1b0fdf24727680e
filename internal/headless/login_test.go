package headless

import (
	"bytes"
	"testing"

	"parley/internal/fakeagent"
)

// If the agent requires a login, the message names its methods and the command to type, and
// JSON names the agent.
func TestLoginIsWanted(t *testing.T) {
	t.Parallel()
	logIn := func(o *Options) { o.LogIn = "parley test" }
	s := &fakeagent.Script{}
	s.Capabilities(`,"authMethods":[{"id":"web","name":"With the browser"},` +
		`{"id":"key","name":"API key","type":"env_var","vars":[{"name":"TEST_KEY"}]},{"id":"tty","name":"In a\u001b[2J terminal","type":"terminal","args":["login"]}]`)
	s.Fail("session/new", -32000, "no such luck")
	want := "test requires a login: open a session: the agent answered: no such luck (-32000); it offers: With the browser, API key (TEST_KEY), In a terminal; to log in type: parley test"
	play(t, follows(s), "go", logIn).expect(t, ExitAgent, "", "parley: "+want+"\n")
	got := decodeResult(t, play(t, follows(s), "go", logIn, format("json")).out)
	if got.Agent != "test" || got.Version != "1.2" || got.Error != want || got.Code != ExitAgent {
		t.Errorf("got %+v", got)
	}
	// In the middle of a turn, and without methods.
	play(t, does(func(t *fakeagent.Turn) string { t.Say("half"); return fakeagent.Login }), "go", logIn).expect(t, ExitAgent, "half\n", "test requires a login: prompt: the agent answered: who are you? (-32000); it offers no way to log in: use its own command")
	if got = decodeResult(t, play(t, process("exits 3"), "go", format("json")).out); got.Agent != "test" {
		t.Errorf("without a connection: %+v", got)
	}
}

// On one terminal, messages of stderr get their own lines.
func TestTextAndNotesShareNoLine(t *testing.T) {
	t.Parallel()
	for want, updates := range map[string][]string{
		"half a \nparley: [read] Look\n\nsentence\nparley: [read] Look: completed\n\nand more\n": {chunk("a", "half a "), toolCall, chunk("a", "sentence\n"), toolUpdate, chunk("b", "and more")},
		"one\nparley: [read] Look\n": {chunk("a", "one\n"), toolCall},
		"parley: [read] Look\none\n": {toolCall, chunk("a", "one\n")},
	} {
		var both bytes.Buffer
		play(t, sends(updates...), "go", func(o *Options) { o.Stdout, o.Stderr, o.OneTerminal = &both, &both, true })
		if both.String() != want {
			t.Errorf("got %q, want %q", both.String(), want)
		}
	}
}
