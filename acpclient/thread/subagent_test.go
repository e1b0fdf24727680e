package thread

import (
	"slices"
	"testing"
	"time"

	"parley/acpclient/event"
)

func of(session string) event.For { return event.For{Session: session} }

// What a sub-agent does counts in the session that has started it, however deep it is.
func TestSubagentsCount(t *testing.T) {
	th := New("s")
	at := time.Unix(1, 0)
	apply := func(e event.Event) []int { return slices.Clone(th.Apply(e)) }
	apply(event.TurnStarted{For: of("s"), Text: "go", At: at})
	apply(event.SubagentChanged{For: of("s"), ID: "kid", Title: new("Explore"), State: new("running")})
	apply(event.SubagentChanged{For: of("kid"), ID: "grandkid", Title: new("Deeper")})
	row := th.Subagent("kid").Place()
	if got := string(th.Items[row].Text); got != "sub-agent Explore: running" || th.Subagent("grandkid").Place() != row || th.Subagent("grandkid").Parent() != "kid" {
		t.Fatalf("got %q", got)
	}
	before := len(th.Items)
	apply(event.TextArrived{For: of("kid"), Role: event.Agent, Text: "I look."})
	apply(event.ToolChanged{For: of("kid"), ID: "c", Title: new("Read"), Kind: new("read"), Status: new("completed"), At: at})
	if len(th.Items) != before || th.OnlyReads(1) != true {
		t.Errorf("%d items more, only reads: %v", len(th.Items)-before, th.OnlyReads(1))
	}
	places := []event.Location{{Path: "/w/a"}}
	changed := apply(event.ToolChanged{For: of("grandkid"), ID: "c", Title: new("Edit"), Kind: new("edit"), Status: new("completed"), Locations: &places, At: at})
	if th.Unasked != 1 || !slices.Contains(changed, row) || string(th.Items[row].Text) != "sub-agent Explore: running, ⚠ ran without asking: see /trust" {
		t.Errorf("%d unasked, changed %v, the line is %q", th.Unasked, changed, th.Items[row].Text)
	}
	if !th.NamesFile("/w/a") || th.OnlyReads(1) {
		t.Error("what it has changed does not count")
	}
	// A no to the agent is a no to its sub-agents.
	apply(event.ToolChanged{For: of("s"), ID: "r", Title: new("rm"), Kind: new("execute"), RawInput: new(`{"command":"rm x"}`), At: at})
	apply(event.PermissionRequested{For: of("s"), Key: 1, ToolID: "r", At: at})
	apply(event.PermissionAnswered{For: of("s"), Key: 1, ToolID: "r", Subject: "rm x", Decision: "No", By: "you", At: at})
	apply(event.ToolChanged{For: of("kid"), ID: "r", Title: new("rm"), Kind: new("execute"), RawInput: new(`{"command":"rm x"}`), Status: new("completed"), At: at})
	if th.RanDenied != 1 || th.Subagent("kid").Thread.Tool("r").Trust != DeniedByUser {
		t.Errorf("%d ran although they were denied: %v", th.RanDenied, th.Subagent("kid").Thread.Tool("r").Trust)
	}
	var calls []string
	for s, it := range th.Calls {
		name := ""
		if s != nil {
			name = s.Title
		}
		calls = append(calls, name+" "+it.Tool.Title)
	}
	if want := []string{" rm", "Explore Read", "Explore rm", "Deeper Edit"}; !slices.Equal(calls, want) {
		t.Errorf("calls %q, want %q", calls, want)
	}
}

// A question of a sub-agent makes the session wait; its answer is in both transcripts.
func TestSubagentAsks(t *testing.T) {
	th := New("s")
	th.Apply(event.TurnStarted{For: of("s"), Text: "go"})
	th.Apply(event.SubagentChanged{For: of("s"), ID: "kid", Title: new("Explore")})
	th.Apply(event.ToolChanged{For: of("kid"), ID: "c", Title: new("ls"), Kind: new("execute"), RawInput: new(`{"command":"ls"}`)})
	th.Apply(event.PermissionRequested{For: of("kid"), Key: 7, ToolID: "c"})
	if th.State != Waiting {
		t.Errorf("it is %v", th.State)
	}
	th.Apply(event.PermissionAnswered{For: of("kid"), Key: 7, ToolID: "c", Subject: "ls", Decision: "Yes", Allowed: true, By: "you"})
	last := th.Items[len(th.Items)-1]
	if th.State != Running || last.Kind != Decision || last.Answer.Subject != "sub-agent Explore: ls" {
		t.Errorf("it is %v, the last item %+v", th.State, last)
	}
	th.Apply(event.ToolChanged{For: of("kid"), ID: "c", Status: new("completed")})
	if got := th.Subagent("kid").Thread.Tool("c").Trust; got != AllowedByUser || th.Unasked != 0 {
		t.Errorf("trust %v, %d unasked", got, th.Unasked)
	}
	// It has finished, and is told to continue (case 202).
	rows := len(th.Items)
	th.Apply(event.SubagentChanged{For: of("s"), ID: "kid", State: new("idle"), StopReason: "end_turn"})
	done := string(th.Items[th.Subagent("kid").Place()].Text)
	th.Apply(event.SubagentChanged{For: of("s"), ID: "kid", State: new("running")})
	if again := string(th.Items[th.Subagent("kid").Place()].Text); len(th.Items) != rows || done != "sub-agent Explore: done" || again != "sub-agent Explore: running" {
		t.Errorf("%q, then %q", done, again)
	}
	th.Apply(event.Disconnected{})
	if th.State != Ended {
		t.Errorf("it is %v", th.State)
	}
}

// Its time runs from when it begins to work until it ends. A state that is reported again is neither.
func TestSubagentTime(t *testing.T) {
	th, at := New("s"), time.Unix(100, 0)
	state := func(state, ends string, after time.Duration) *Subagent {
		th.Apply(event.SubagentChanged{For: of("s"), ID: "kid", State: &state, StopReason: ends, At: at.Add(after)})
		return th.Subagent("kid")
	}
	state("running", "", 0)
	state("requires_action", "", time.Second)
	if s := state("running", "", 2*time.Second); s.Duration(at.Add(5*time.Second)) != 5*time.Second || !s.Runs() || s.Thread.State != Running {
		t.Errorf("after 5 s it has run for %v, and is %v", s.Duration(at.Add(5*time.Second)), s.Thread.State)
	}
	state("idle", "end_turn", 6*time.Second)
	if s := state("idle", "end_turn", 9*time.Second); s.Duration(at.Add(time.Hour)) != 6*time.Second || s.Runs() || s.Thread.State != Idle {
		t.Errorf("it has run for %v", s.Duration(at.Add(time.Hour)))
	}
	if s := state("", "", 10*time.Second); s.State() != "unknown" || s.Runs() {
		t.Errorf("an unconfirmed state is %q", s.State())
	}
}

// case 206: a message between sessions has one line in each transcript, however it arrives.
func TestMessagesBetweenSessions(t *testing.T) {
	th := New("s")
	th.Apply(event.SubagentChanged{For: of("s"), ID: "kid", Title: new("Explore")})
	th.Apply(event.SessionMessage{For: of("s"), ID: "m", Text: "look\nclo"})
	th.Apply(event.SessionMessage{For: of("s"), ID: "m", From: "s", To: "kid"})
	th.Apply(event.SessionMessage{For: of("s"), ID: "m", Text: "sely"})
	th.Apply(event.SessionMessage{For: of("s"), ID: "r", From: "kid", To: "s", Text: "<tools>Read</tools>\ndone", Replaces: true})
	th.Apply(event.SessionMessage{For: of("kid"), ID: "r", From: "kid", To: "s", Text: "done", Replaces: true})
	if got := th.Items; len(got) != 3 || string(got[1].Text) != "message to sub-agent Explore: look" || got[1].Detail != "look\nclosely" || string(got[2].Text) != "message from sub-agent Explore: done" {
		t.Errorf("%d items: %q (%q), %q", len(got), got[1].Text, got[1].Detail, got[2].Text)
	}
	if kid := th.Subagent("kid").Thread.Items; len(kid) != 1 || string(kid[0].Text) != "message to the session: done" {
		t.Errorf("the sub-agent has %q", kid[0].Text)
	}
}

// With the connection ends what is known of a sub-agent: it no longer runs, and its clock does not either.
func TestSubagentDisconnected(t *testing.T) {
	th := New("s")
	th.Apply(event.TurnStarted{For: of("s"), Text: "go"})
	th.Apply(event.SubagentChanged{For: of("s"), ID: "kid", Title: new("Explore"), State: new("requires_action"), At: time.Unix(100, 0)})
	th.Apply(event.SubagentChanged{For: of("kid"), ID: "grandkid", Title: new("Deeper"), State: new("running"), At: time.Unix(100, 0)})
	th.Apply(event.SubagentChanged{For: of("s"), ID: "ready", Title: new("Read"), State: new("idle"), StopReason: "end_turn"})
	changed := th.Apply(event.Disconnected{})
	kid, deep := th.Subagent("kid"), th.Subagent("grandkid")
	if kid.Runs() || deep.Runs() || kid.State() != "unfinished" || deep.State() != "unfinished" || th.Subagent("ready").State() != "done" {
		t.Errorf("they are %s, %s and %s", kid.State(), deep.State(), th.Subagent("ready").State())
	}
	if took := kid.Duration(time.Unix(900, 0)); took != 0 || kid.Thread.State != Idle || th.State != Ended {
		t.Errorf("after %v: %v, %v", took, kid.Thread.State, th.State)
	}
	if line := string(th.Items[kid.Place()].Text); line != "sub-agent Explore: unfinished" || !slices.Contains(changed, kid.Place()) {
		t.Errorf("%q, and %v changed", line, changed)
	}
	th.Apply(event.SubagentChanged{For: of("s"), ID: "kid", State: new("running"), At: time.Unix(200, 0)})
	if took := kid.Duration(time.Unix(203, 0)); !kid.Runs() || took != 3*time.Second {
		t.Errorf("connected again, it has run for %v", took)
	}
}
