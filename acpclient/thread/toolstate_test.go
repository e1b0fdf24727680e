package thread_test

import (
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// A stopped call has one final state, and a call that the agent continues after its turn
// is still running until it ends.
func TestToolStates(t *testing.T) {
	str := func(s string) *string { return &s }
	call := func(kind, status string) event.Event {
		return event.ToolChanged{For: in, ID: "a", Kind: str(kind), Status: str(status)}
	}
	shows := event.ToolChanged{For: in, ID: "a", Content: &[]event.ToolContent{{Terminal: "x"}}}
	foreign := event.TerminalStarted{For: in, ID: "x", Foreign: true}
	own := event.TerminalStarted{For: in, ID: "x", Command: "sleep 60"}
	output := event.TerminalOutput{For: in, ID: "x", Data: []byte("more\n")}
	exited := event.TerminalExited{For: in, ID: "x"}
	stop := []event.Event{event.TurnCancelled{For: in}, ended("cancelled")}
	ask, no := event.PermissionRequested{For: in, Key: 1, ToolID: "a"}, event.PermissionAnswered{For: in, Key: 1, ToolID: "a", Decision: "Reject", By: "you"}
	yes := event.PermissionAnswered{For: in, Key: 1, ToolID: "a", Decision: "Allow", By: "you", Allowed: true}
	gone := event.Disconnected{}
	for name, c := range map[string]struct {
		events []event.Event
		want   thread.ToolState
	}{
		"stopping":                             {[]event.Event{call("execute", "in_progress"), stop[0]}, thread.ToolStopping},
		"stopped":                              {append([]event.Event{call("execute", "in_progress")}, stop...), thread.ToolStopped},
		"stopped, then called failed":          {append(append([]event.Event{call("execute", "in_progress")}, stop...), call("execute", "failed")), thread.ToolStopped},
		"stopped, called completed":            {[]event.Event{call("execute", "in_progress"), stop[0], call("execute", "completed"), stop[1]}, thread.ToolStopped},
		"an edit that was done anyway":         {[]event.Event{call("edit", "in_progress"), stop[0], call("edit", "completed"), stop[1]}, thread.ToolDone},
		"stopped, called cancelled":            {[]event.Event{call("think", "in_progress"), stop[0], call("think", "cancelled"), stop[1]}, thread.ToolStopped},
		"cancelled by the agent":               {[]event.Event{call("think", "in_progress"), call("think", "cancelled")}, thread.ToolCancelled},
		"rejected, which ends the turn":        {[]event.Event{call("execute", "pending"), ask, no, stop[1]}, thread.ToolRejected},
		"rejected, called failed":              {[]event.Event{call("execute", "pending"), ask, no, call("execute", "failed")}, thread.ToolRejected},
		"rejected, and done":                   {[]event.Event{call("execute", "pending"), ask, no, call("execute", "completed")}, thread.ToolDone},
		"allowed, and failed":                  {[]event.Event{call("execute", "pending"), ask, yes, call("execute", "failed")}, thread.ToolFailed},
		"stopped, and output continues":        {append(append([]event.Event{foreign, call("execute", "in_progress"), shows}, stop...), output), thread.ToolStillRunning},
		"in the next turn, too":                {append(append([]event.Event{foreign, call("execute", "in_progress"), shows}, stop...), prompt("q"), output, ended("end_turn")), thread.ToolStillRunning},
		"and then exits":                       {append(append([]event.Event{foreign, call("execute", "in_progress"), shows}, stop...), output, exited), thread.ToolStopped},
		"and then is called failed":            {append(append([]event.Event{foreign, call("execute", "in_progress"), shows}, stop...), output, call("execute", "failed")), thread.ToolStopped},
		"and then the agent is gone":           {append(append([]event.Event{foreign, call("execute", "in_progress"), shows}, stop...), output, gone), thread.ToolStopped},
		"output without a terminal":            {append(append([]event.Event{call("execute", "in_progress")}, stop...), content("a", "more")), thread.ToolStillRunning},
		"a command of parley's that runs on":   {append([]event.Event{own, call("execute", "in_progress"), shows}, stop...), thread.ToolStillRunning},
		"after a plain end of the turn":        {[]event.Event{foreign, call("execute", "in_progress"), shows, ended("end_turn"), output}, thread.ToolStillRunning},
		"of a history that broke off":          {[]event.Event{event.HistoryBegan{For: in}, foreign, call("execute", "in_progress"), shows, event.HistoryEnded{For: in}, output}, thread.ToolUnfinished},
		"between turns, and the agent is gone": {[]event.Event{ended("end_turn"), call("execute", "in_progress"), gone}, thread.ToolUnfinished},
	} {
		t.Run(name, func(t *testing.T) {
			th := thread.New("s")
			if !strings.HasPrefix(name, "of a history") {
				th.Apply(prompt("go"))
			}
			for _, e := range c.events {
				th.Apply(e)
			}
			if got := th.Tool("a").State(); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// A command that ran without permission until the user stopped it counts as run.
func TestStoppedWithoutPermission(t *testing.T) {
	th := thread.New("s")
	kind := "execute"
	for _, e := range []event.Event{prompt("go"), tool("a", "in_progress"), event.ToolChanged{For: in, ID: "a", Kind: &kind}, event.TurnCancelled{For: in}, ended("cancelled")} {
		th.Apply(e)
	}
	th.Apply(tool("a", "failed"))
	if got := th.Tool("a").Trust; got != thread.Unasked || th.Unasked != 1 {
		t.Errorf("%v, %d unasked", got, th.Unasked)
	}
}
