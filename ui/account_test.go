package ui

import (
	"testing"
	"time"
)

// Case 212: who has signed in is in the options and in the list of agents, as it is reported.
func TestAccountOnTheScreen(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.offering(`"close":{}`, `"status":{}`)
		d.fake.Answer("auth/status", `{"state":"authenticated","accounts":[{"label":"Team plan","email":"ada@example.org"}]}`)
	}, func(d *driver) {
		d.connected()
		d.press("f4")
		d.sees("Account", "Team plan (ada@example.org)")
		d.Agent().Notify("auth/status_update", `{"state":"dreaming"}`)
		d.soon()
		d.sees("Account", "unknown")
		d.press("enter") // changes the account
		d.sees("Log in to fake", "Own login")
		d.press("esc")
		d.types("/agent\n")
		d.misses("unknown")
		d.Agent().Notify("auth/status_update", `{"state":"authenticated","accounts":[{"label":"API key"}]}`)
		d.soon()
		d.sees("on PATH · API key")
		d.types("oth")
		d.Agent().Notify("auth/status_update", `{"state":"unauthenticated"}`)
		d.soon()
		d.press("esc")
		d.sees("on PATH · signed out")
	})
}

// A login is offered before the first prompt if nobody has signed in; what is being typed keeps the keys.
func TestLoginOfferedBeforeThePrompt(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.offering(`"close":{}`, `"status":{}`)
		d.fake.Answer("auth/status", `{"state":"unauthenticated"}`)
		d.fake.Answer("authenticate", `{}`)
	}, func(d *driver) {
		d.connected()
		d.sees("Log in to fake", "Nobody has signed in", "Own login")
		d.types("dr")
		d.draft("dr")
		d.wait(time.Second)
		d.fake.Answer("auth/status", `{"state":"authenticated"}`)
		d.press("enter")
		d.soon()
		d.sees("Logged in")
		d.misses("Log in to fake")
		d.called("authenticate", 1)
		d.called("auth/status", 2)
		d.draft("dr")
	})
}
