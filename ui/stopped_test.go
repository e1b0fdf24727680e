package ui

import (
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
)

// stopped is an agent that runs a command. When the user stops the turn, it continues to send
// output for a while and finally reports the command as failed.
func stopped(d *driver, _ *Options) {
	d.fake.Turn(func(t *fakeagent.Turn) string {
		up := func(u string) { t.Agent.Update(t.Session, u) }
		up(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"make","kind":"execute","status":"in_progress","rawInput":{"command":"make all"},"content":[{"type":"terminal","terminalId":"c"}],"_meta":{"terminal_info":{"terminal_id":"c","cwd":"/"}}}`)
		up(`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"c","data":"before\n"}}}`)
		t.Wait(time.Minute)
		go func() {
			time.Sleep(2 * time.Second)
			up(`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"c","data":"after\n"}}}`)
			time.Sleep(2 * time.Second)
			up(`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"c","data":"later\n"}}}`)
			time.Sleep(2 * time.Second)
			up(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","_meta":{"terminal_exit":{"terminal_id":"c","exit_code":0}}}`)
		}()
		return "cancelled"
	})
}

// A command that the agent continues after the user's stop is shown as still running, in the
// transcript and in the list of running work, until the agent says that it ended.
func TestStoppedStillRuns(t *testing.T) {
	drive(t, stopped, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.rest()
		d.press("esc")
		d.wait(time.Second)
		d.sees("⚠ Run    make all  stopped by you  ran without asking")
		d.press("f3")
		d.sees("Nothing is running")
		d.press("esc")
		d.wait(2 * time.Second)
		d.sees("⚠ Run    make all  still running", "after", "? help")
		d.press("f3")
		d.sees("make all", "still running, the turn was stopped")
		d.wait(4 * time.Second)
		d.sees("make all", "ended")
		d.press("esc")
		d.sees("make all  exit 0  stopped by you", "later")
		d.misses("failed", "still running")
	})
}

// A stopped command is written to the scrollback once, with one state, unless it keeps
// running.
func TestInlineStopped(t *testing.T) {
	onPaper(t, stopped, func(d *driver, p *paper) {
		d.types("go\n")
		d.rest()
		d.press("esc")
		d.wait(time.Second)
		if n := p.count("make all"); n != 1 || p.count("stopped by you") != 1 {
			t.Errorf("written %d times:\n%s", n, p.above())
		}
		d.wait(10 * time.Second)
		var states []string
		for _, row := range p.printed {
			if _, rest, ok := strings.Cut(row, "make all  "); ok {
				states = append(states, strings.TrimSuffix(rest, "  ran without asking"))
			}
		}
		if got := strings.Join(states, " | "); !strings.HasPrefix(got, "stopped by you | still running | exit 0  stopped by you") || len(states) != 3 {
			t.Errorf("%s\n%s", got, p.above())
		}
	})
	for _, end := range []string{"failed", "completed", "cancelled"} {
		onPaper(t, func(d *driver, _ *Options) {
			d.fake.Turn(func(t *fakeagent.Turn) string {
				t.Agent.Update(t.Session, `{"sessionUpdate":"tool_call","toolCallId":"c","title":"make","kind":"execute","status":"in_progress","rawInput":{"command":"make all"}}`)
				t.Wait(time.Minute)
				time.Sleep(time.Second)
				go func() {
					time.Sleep(2 * time.Second)
					t.Agent.Update(t.Session, `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"`+end+`"}`)
				}()
				return "cancelled"
			})
		}, func(d *driver, p *paper) {
			d.types("go\n")
			d.rest()
			d.press("esc")
			d.wait(time.Second / 2)
			p.shows("stopping")
			d.wait(10 * time.Second)
			if p.count("make all") != 1 || p.count("stopped by you") != 1 {
				t.Errorf("%s:\n%s", end, p.above())
			}
		})
	}
}
