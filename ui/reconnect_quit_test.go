package ui

import (
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// Quitting in the middle of it leaves nothing running.
func TestQuitWhileReconnecting(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		far(loads)(d, o)
		tries := 0
		d.Dial = func(int, workspace.Spec) error {
			if tries++; tries > 1 {
				time.Sleep(time.Minute)
			}
			return nil
		}
	}, func(d *driver) {
		d.connected()
		d.Agent().Close()
		d.wait(2 * time.Second)
		d.sees("connecting")
		d.press("ctrl+d")
		d.wait(2 * time.Minute)
		if !d.quit {
			t.Error("the screen did not quit:\n" + d.screen())
		}
	})
}

// Of several that an agent of version 2 held, each is offered; dropping one leaves the
// others. A second loss forgets nothing.
func TestUnconfirmedHeld(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		far("")(d, o)
		d.fake.Protocol = "2"
		d.fake.Turn(func(tn *fakeagent.Turn) string { tn.Say("half an answer"); tn.Wait(time.Hour); return "cancelled" })
		d.fake.On("session/resume", func(c *fakeagent.Call) (string, error) {
			c.Agent.Update("s1", `{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"one"}]}`)
			c.Agent.Update("s1", `{"sessionUpdate":"agent_message","messageId":"a1","content":[{"type":"text","text":"half an answer"}]}`)
			return "{}", nil
		})
	}, func(d *driver) {
		d.connected()
		d.types("one\ntwo\nthree\n")
		d.soon()
		d.Agent().Close()
		d.wait(2 * time.Second)
		all := []string{"▌ one", "half an answer", "The connection was lost during this turn · the answer may be incomplete", "▌ two", "▌ three", "this prompt may not have arrived", `may not have arrived  "two"`, `may not have arrived  "three"`}
		d.sees(all...)
		d.got(1, "")
		d.Agent().Close()
		d.wait(2 * time.Second)
		d.sees(all...)
		d.press("backspace")
		d.misses(`"three"`)
		d.press("up")
		d.draft("two")
		d.wait(time.Hour)
		d.got(2, "")
	})
}
