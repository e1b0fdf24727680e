package ui

import (
	"testing"
	"time"
)

// An agent that requires a login and offers none says what to do, and what is typed goes to the draft.
func TestNoWayToLogIn(t *testing.T) {
	g := &guarded{}
	drive(t, func(d *driver, o *Options) { g.set(d, o); d.fake.Capabilities("") }, func(d *driver) {
		d.wait(time.Second)
		d.sees("This agent offers no way to log in here. Log in with its own command in", "enter try again")
		d.misses("╭ Log in")
		d.types("my prompt")
		d.draft("my prompt")
		g.in.Store(true)
		d.press("enter", "enter")
		d.connected()
		d.sees("▌ my prompt")
		d.types("/login\n")
		d.sees("This agent offers no way to log in here.")
	})
}

// The same for a prompt: it waits until the user sends it again.
func TestNoWayToLogInForAPrompt(t *testing.T) {
	g := &guarded{}
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(g.wantsOne) }, func(d *driver) {
		d.connected()
		d.types("my prompt\n")
		d.wait(time.Second)
		d.sees("This agent offers no way to log in here. Log in with its own command in", `queued 1  "my prompt"`)
		d.types("and more")
		d.draft("and more")
		d.press("ctrl+c")
		g.in.Store(true)
		d.press("enter")
		d.wait(time.Second)
		d.misses("queued 1")
		d.sees("You said: my prompt")
	})
}
