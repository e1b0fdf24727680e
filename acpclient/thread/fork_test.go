package thread_test

import (
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// A fork has the conversation, and neither changes the other.
func TestFork(t *testing.T) {
	show := []event.ToolContent{{Terminal: "x"}}
	th := thread.New("s")
	for _, e := range []event.Event{prompt("p"), says(event.Agent, "m", "one"), tool("t", "completed"), tool("u", "pending"),
		event.TerminalStarted{For: in, ID: "x", Command: "make"}, event.ToolChanged{For: in, ID: "t", Content: &show}, event.TerminalOutput{For: in, ID: "x", Data: []byte("early")}, title("T")} {
		th.Apply(e)
	}
	before := sketch(th)
	f := th.Fork(len(th.Items))
	if f.Session != "" || f.State != thread.Idle || f.Title != "T" || f.Turn != th.Turn || f.First() != len(th.Items) {
		t.Errorf("%q, %v, %q, turn %d, first %d", f.Session, f.State, f.Title, f.Turn, f.First())
	}
	const want = "user p\nagent one\ntool t done\ntool u unfinished"
	if got := sketch(f); got != want {
		t.Errorf("the fork has\n%s", got)
	}
	f.Apply(says(event.Agent, "m", "two"))
	f.Apply(tool("u", "completed"))
	if got := sketch(th); got != before {
		t.Errorf("the fork changed the original:\n%s\nwant\n%s", got, before)
	}
	th.Apply(says(event.Agent, "m", " more"))
	th.Apply(tool("u", "completed"))
	th.Apply(event.TerminalOutput{For: in, ID: "x", Data: []byte(" late")})
	if got := sketch(f); got != want+"\nagent two\ntool u done" {
		t.Errorf("the original changed the fork:\n%s", got)
	}
	if term := f.TerminalOf(f.Items[2], "x"); term == nil || string(term.Output) != "early" {
		t.Errorf("the terminal in the fork: %+v", term)
	}
}
