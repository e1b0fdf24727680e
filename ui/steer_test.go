package ui

import (
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
)

// steered answers _session/steering with an outcome after a second.
func steered(outcome string) func(d *driver, _ *Options) {
	return func(d *driver, _ *Options) {
		d.fake.Turn(slow)
		d.fake.On("initialize", func(c *fakeagent.Call) (string, error) {
			whole, err := c.Default()
			return strings.TrimSuffix(whole, "}") + `,"_meta":{"steering":{"supported":true}}}`, err
		})
		d.fake.On("_session/steering", func(*fakeagent.Call) (string, error) {
			time.Sleep(time.Second)
			return `{"outcome":"` + outcome + `"}`, nil
		})
	}
}

// A draft, or the first queued prompt, goes into the running turn, and is shown where the agent took it. Until it
// has, it waits with the queue.
func TestSteer(t *testing.T) {
	drive(t, steered("injected"), func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.soon()
		d.types("first\nsecond\n")
		d.sees("queued 1", "queued 2", "alt+s send now")
		d.types("faster")
		d.press("alt+s")
		d.draft("")
		d.sees("going into the turn", `"faster"`)
		d.prompts("hello")
		if got := d.called("_session/steering", 1)[0]; !strings.Contains(got, `"text":"faster"`) {
			t.Error(got)
		}
		d.wait(1100 * time.Millisecond)
		d.sees("▌ faster", "in the turn ")
		d.misses("going into the turn")
		d.press("alt+s")
		d.sees("going into the turn", `"first"`, "queued 1", `"second"`)
		d.misses("queued 2")
	})
}

// A turn that has ended in the meantime takes nothing: the prompt is the next one. What the agent refuses returns
// to the composer.
func TestSteerTooLate(t *testing.T) {
	drive(t, steered("promptRequired"), func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.soon()
		d.types("later\n")
		d.types("faster")
		d.press("alt+s")
		d.wait(20 * time.Second)
		d.prompts("hello|faster|later")
	})
	drive(t, steered("failed"), func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.soon()
		d.types("faster")
		d.press("alt+s")
		d.wait(1100 * time.Millisecond)
		d.draft("faster")
		d.sees("Not sent: put the prompt into the turn: the agent has not taken it: failed")
	})
}

// Without a turn the key sends. A command is no prompt, and there may be nothing to send.
func TestSteerNothing(t *testing.T) {
	drive(t, steered("injected"), func(d *driver) {
		d.connected()
		d.press("alt+s")
		d.sees("Type a prompt first: alt+s puts it into the running turn")
		d.types("hello")
		d.press("alt+s")
		d.soon()
		d.prompts("hello")
		d.types("/plan")
		d.press("alt+s")
		d.sees("Only a prompt can be put into the running turn")
		d.draft("/plan")
		d.called("_session/steering", 0)
	})
}

// An agent that takes no prompt in a turn: a second press stops the turn and sends it, before those queued.
func TestStopAndSend(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.soon()
		d.types("later\nfaster")
		d.press("alt+s")
		d.sees("takes no prompt in a turn · alt+s again stops the turn and sends it")
		d.draft("faster")
		d.press("alt+s")
		d.draft("")
		d.wait(20 * time.Second)
		d.prompts("hello|faster|later")
		d.called("session/cancel", 1)
		d.called("_session/steering", 0)
	})
}

// The question whether to stop is about one turn.
func TestStopAndSendLater(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.soon()
		d.types("faster")
		d.press("alt+s")
		d.sees("again stops the turn")
		d.press("ctrl+u")
		d.wait(4 * time.Second)
		d.types("again\n")
		d.soon()
		d.types("faster")
		d.press("alt+s")
		d.soon()
		d.called("session/cancel", 0)
		d.draft("faster")
	})
}

// A prompt on its way into the turn is queued if the agent is started again.
func TestSteerAndRestart(t *testing.T) {
	drive(t, steered("injected"), func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.soon()
		d.types("faster")
		d.press("alt+s")
		d.sees("going into the turn")
		d.m.Front.Agent.Restart()
		d.send(nil)
		d.wait(2 * time.Second)
		d.misses("going into the turn")
		d.sees("faster")
	})
}
