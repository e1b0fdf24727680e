package ui

import (
	"context"
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/intent"
	"parley/internal/workspace"
)

// failing is an agent other that cannot be started.
func failing(d *driver, _ *Options) {
	d.Dial = func(_ int, s workspace.Spec) error {
		if s.Name != "other" {
			return nil
		}
		return &event.ExitError{Code: 3, Stderr: []string{"no model"}, Cause: errors.New("x")}
	}
}

// A start that fails goes back to the chat that was open.
func TestSecondAgentFails(t *testing.T) {
	drive(t, failing, func(d *driver) {
		d.connected()
		d.types("hello\ndraft")
		d.soon()
		d.startOther()
		d.soon()
		d.sees("✗ the agent exited with code 3", "no model", "enter try again", "esc another agent")
		d.press("enter")
		d.soon()
		d.sees("✗ the agent exited with code 3")
		d.press("esc")
		d.sees("Type to filter")
		d.press("esc")
		d.sees("You said: hello", " fake · ")
		d.draft("draft")
		d.press("ctrl+s")
		d.sees("1/1")
		d.press("esc", "enter")
		d.soon()
		d.got(0, "hello|draft")
	})
}

// A start can be cancelled, too; an agent that still starts is ended.
func TestSecondAgentGivenUp(t *testing.T) {
	for _, key := range []string{"esc", "ctrl+c"} {
		drive(t, func(d *driver, o *Options) {
			connect := o.Connect
			o.Connect = func(ctx context.Context, a workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
				if a.Name == "other" {
					time.Sleep(3 * time.Second) // it does not look at ctx
					ctx = context.Background()
				}
				return connect(ctx, a, sink, log)
			}
			d.fake.Turn(slow)
		}, func(d *driver) {
			d.connected()
			d.types("one\n")
			d.startOther()
			d.wait(1300 * time.Millisecond)
			d.sees("Starting other  1s", "esc cancel")
			d.press(key)
			d.sees("Type to filter", "esc back")
			d.press("esc")
			d.sees("working on one", "running")
			d.wait(5 * time.Second)
			d.sees("working on one, done", " fake · ")
			if d.quit {
				t.Fatal("quit")
			}
			if len(d.Agents()) != 2 || !d.Agents()[1].Closed() || d.Agents()[0].Closed() {
				t.Fatalf("%s: the second agent is still there", key)
			}
			d.press("ctrl+s")
			d.sees("1/1")
		})
	}
}

// A dead agent whose start is given up is still there to be started.
func TestRestartGivenUp(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		connect, n := o.Connect, 0
		o.Connect = func(ctx context.Context, a workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
			if n++; n == 2 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return connect(ctx, a, sink, log)
		}
	}, func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.soon()
		d.Agent().Close()
		d.soon()
		d.press("enter")
		d.wait(time.Second)
		d.sees("Starting fake")
		d.press("esc", "esc")
		d.sees("You said: hello", "The agent has ended · enter restarts it")
		d.misses("opening")
		d.types("draft")
		d.press("enter")
		d.connected()
		d.draft("draft")
		d.press("enter")
		d.soon()
		d.sees("You said: draft")
	})
}

// The second agent needs a login; the first continues meanwhile.
func TestSecondAgentWantsALogin(t *testing.T) {
	g := &guarded{}
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		d.fake.Turn(slow)
		d.other("fake").Turn(slow)
	}, func(d *driver) {
		d.connected()
		d.types("one\n")
		d.startOther()
		d.soon()
		d.sees("Bitte anmelden", "╭ Log in to other", "In the browser")
		d.press("esc", "esc")
		d.sees("Type to filter")
		d.press("esc")
		d.sees("working on one", " fake · ")
		d.startOther()
		d.press("enter") // one too many chooses nothing
		d.rest()
		d.sees("╭ Log in to other")
		d.press("enter")
		d.wait(5 * time.Second)
		d.connected()
		d.types("two\n")
		d.wait(4 * time.Second)
		d.sees("working on two, done", " other · ")
		d.got(0, "one")
		d.switchTo("one")
		d.sees("working on one, done")
	})
}

// What is typed while the agent starts is there when it is there: sent where
// enter was pressed, else as a draft; it survives a start that fails.
func TestTypingAhead(t *testing.T) {
	fails := true
	drive(t, func(d *driver, o *Options) {
		d.Dial = func(int, workspace.Spec) error {
			time.Sleep(3 * time.Second)
			if fails {
				return errors.New("no model today")
			}
			return nil
		}
	}, func(d *driver) {
		d.wait(time.Second)
		d.sees("Starting fake", "it is sent when the agent is ready")
		d.types("/log\n")
		d.sees("╭ Log")
		d.press("esc")
		d.types("first thing\n")
		d.types("second")
		d.send(tea.PasteMsg{Content: " thing"})
		d.press("ctrl+a", "x", "delete", "s")
		d.sees(`queued 1  "first thing"`, "› xs")
		d.misses("enter send")
		d.wait(3 * time.Second)
		d.sees("no model today", `queued 1  "first thing"`)
		fails = false
		d.press("enter") // again, and no prompt
		d.wait(time.Second)
		d.press("ctrl+u", "ctrl+k")
		d.types("and this")
		d.wait(3 * time.Second)
		d.connected()
		d.sees("You said: first thing")
		d.draft("and this")
		d.got(0, "first thing")
	})
}

// Who wants to leave need not wait for the agent.
func TestQuitWhileStarting(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.Dial = func(int, workspace.Spec) error { time.Sleep(time.Minute); return nil }
	}, func(d *driver) {
		d.wait(time.Second)
		d.types("/quit\n")
		d.wait(2 * time.Minute)
		if !d.quit {
			t.Error("the screen did not quit:\n" + d.screen())
		}
	})
}

// On the page of an agent that starts keys mean what the configuration says, and the page
// names them.
func TestKeysWhileStarting(t *testing.T) {
	keys, err := intent.NewKeymap("", intent.Changes{"chat": {"stop": {"ctrl+g"}, "send": {"alt+s"}}})
	if err != nil {
		t.Fatal(err)
	}
	fails := false
	drive(t, func(d *driver, o *Options) {
		o.Keys = keys
		d.Dial = func(int, workspace.Spec) error {
			time.Sleep(3 * time.Second)
			if fails {
				return errors.New("no model today")
			}
			return nil
		}
	}, func(d *driver) {
		fails = true
		d.wait(time.Second)
		d.sees("ctrl+g cancel")
		d.types("first thing")
		d.press("alt+s")
		d.sees(`queued 1  "first thing"`)
		d.press("esc")
		d.wait(3 * time.Second)
		d.sees("no model today", "alt+s try again", "ctrl+g another agent")
		fails = false
		d.press("alt+s")
		d.wait(4 * time.Second)
		d.connected()
		d.got(0, "first thing")
	})
}
