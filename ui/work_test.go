package ui

import (
	"testing"
	"time"

	"parley/internal/fakeagent"

	tea "charm.land/bubbletea/v2"
)

// working is an agent of v2 with a running turn: one tool call that can be stopped alone, one
// that cannot, and work in the background.
func working(d *driver, o *Options) {
	v2(d, o)
	d.fake.Turn(func(t *fakeagent.Turn) string {
		for _, u := range []string{
			`{"sessionUpdate":"tool_call_update","toolCallId":"fg","title":"Run the tests","kind":"execute","status":"in_progress","rawInput":{"command":"go test ./..."},"capabilities":{"cancel":{}}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"hard","title":"Think hard","kind":"think","status":"in_progress"}`,
			`{"sessionUpdate":"terminal_update","terminalId":"t1","command":"npm run dev","cwd":"/home/ada/src/parser","capabilities":{"cancel":{}}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"bg","title":"Serve","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"t1"}]}`,
			`{"sessionUpdate":"terminal_update","terminalId":"t2","command":"make watch","cwd":"/home/ada/src/parser"}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"done","title":"Read lex.go","kind":"read","status":"completed"}`,
			background,
		} {
			t.Agent.Update("s1", u)
		}
		t.Wait(time.Hour)
		return "cancelled"
	})
	d.fake.On("tool_call/cancel", func(c *fakeagent.Call) (string, error) {
		c.Agent.Update("s1", `{"sessionUpdate":"tool_call_update","toolCallId":"fg","status":"cancelled"}`)
		return `{}`, nil
	})
	d.fake.Fail("terminal/cancel", -32603, "it does not listen")
}

const background = `{"sessionUpdate":"state_update","state":"running","background":[{"type":"terminal","terminalId":"t1"},{"type":"terminal","terminalId":"t2"},{"type":"_index"}]}`

func withWork(t *testing.T, f func(d *driver)) {
	t.Helper()
	drive(t, working, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.wait(100 * time.Millisecond)
		f(d)
	})
}

// Cases 153, 154: running work is listed, in the turn and in the background, and can be stopped
// alone if the agent allows it.
func TestWork(t *testing.T) {
	withWork(t, func(d *driver) {
		d.sees("3 in the background")
		d.press("f3")
		d.sees("╭ Running", "go test ./...", "in this turn · ctrl+x stop", "Think hard", "Serve", "in the background · ctrl+x stop", "make watch", "index", "5/5")
		d.misses("│   Read lex.go")
		d.types("hard")
		d.press("ctrl+x")
		d.sees("This agent cannot stop it alone; esc stops the turn")
		d.press("esc")
		d.types("go test")
		d.press("ctrl+x")
		d.soon()
		if got := d.called("tool_call/cancel", 1); got[0] != `{"sessionId":"s1","toolCallId":"fg"}` {
			t.Error(got)
		}
		d.called("terminal/cancel", 0)
		d.sees("go test ./...", "ended") // it keeps its place while the list is open
		d.press("esc", "esc")
		d.wait(6 * time.Second)
		d.types("/work\n")
		d.sees("4/4")
		d.misses("│   go test", "│ › go test")
		d.types("serve")
		d.press("ctrl+x")
		d.soon()
		if got := d.called("terminal/cancel", 1); got[0] != `{"sessionId":"s1","terminalId":"t1"}` {
			t.Error(got)
		}
		d.press("esc", "esc")
		d.sees("Stop the command: the agent answered: it does not listen")
		d.press("f3")
		d.types("watch")
		d.press("ctrl+x")
		d.sees("This agent cannot stop it alone")
		d.press("enter")
		d.sees("The agent sent no details")
		d.called("terminal/cancel", 1)
		d.called("tool_call/cancel", 1)
		if _, _, n := seen(d.Agent()); n != 0 {
			t.Error("the turn was stopped")
		}
	})
}

// Work in the background continues after the turn, and the list says so.
func TestWorkAfterTheTurn(t *testing.T) {
	withWork(t, func(d *driver) {
		d.press("esc")
		d.soon()
		d.Agent().State("s1", `"idle","stopReason":"cancelled","background":[{"type":"terminal","terminalId":"t1"}]`)
		d.soon()
		d.sees("1 in the background", "? help")
		d.press("f3")
		d.sees("1/1", "Serve", "in the background")
		d.press("esc")
		d.Agent().State("s1", `"idle","background":[]`)
		d.soon()
		d.misses("in the background")
		d.press("f3")
		d.sees("Nothing is running")
		d.press("enter", "ctrl+x")
		d.soon()
		d.called("terminal/cancel", 0)
	})
	drive(t, nil, func(d *driver) {
		d.connected()
		d.types("/work\n")
		d.sees("Nothing is running")
	})
}

// enter selects a piece of work in the transcript, and x stops it there.
func TestWorkInTheTranscript(t *testing.T) {
	withWork(t, func(d *driver) {
		d.press("f3")
		d.types("go test")
		d.press("enter")
		d.sees("┃")
		if it := d.m.Front.View.Selected(); it == nil || it.Tool == nil || it.Tool.ID != "fg" {
			t.Fatalf("selected %+v", it)
		}
		d.press("x")
		d.soon()
		d.sees("Asked the agent to stop it")
		d.called("tool_call/cancel", 1)
		d.press("x")
		d.soon()
		d.sees("It has ended")
		d.press("j", "x")
		d.sees("This agent cannot stop it alone; esc stops the turn")
		d.press("g", "x")
		d.sees("x stops a tool call, esc the turn")
		d.called("tool_call/cancel", 1)
		d.called("terminal/cancel", 0)
		d.draft("")
		d.press("esc")
		d.types("x")
		d.draft("x")
	})
}

// A v1 agent has work in its turn, too; none of it can be stopped alone.
func TestWorkOfV1(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Agent.Update("s1", `{"sessionUpdate":"tool_call","toolCallId":"a","title":"Look around","kind":"search","status":"in_progress"}`)
			t.Wait(time.Hour)
			return "cancelled"
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.soon()
		d.press("f3")
		d.sees("Look around", "in this turn", "1/1")
		d.misses("· ctrl+x stop ")
		d.press("ctrl+x")
		d.sees("This agent cannot stop it alone")
		d.called("tool_call/cancel", 0)
		d.press("esc", "esc")
		d.soon()
		d.sees("stopped")
		d.press("f3")
		d.sees("Nothing is running")
	})
}

func TestGoldenWork(t *testing.T) {
	t.Parallel()
	drive(t, func(d *driver, o *Options) { working(d, o); o.Theme = "dark" }, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.soon()
		d.press("f3")
		d.send(tea.WindowSizeMsg{Width: 40, Height: 12})
		d.golden("work")
	})
}
