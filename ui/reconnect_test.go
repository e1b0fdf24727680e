package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
)

// far makes the agent one that runs elsewhere, with these capabilities.
func far(capabilities string) func(*driver, *Options) {
	return func(d *driver, o *Options) {
		d.place = "wss://far.example.org/acp"
		o.Redial = d.redial
		o.Agents[0].Remote = true
		d.on["initialize"] = hello(capabilities)
	}
}

const loads, resumes = `,"agentCapabilities":{"loadSession":true}`, `,"agentCapabilities":{"sessionCapabilities":{"resume":{}}}`

// Case 174: what is lost comes back. The conversation is what the agent tells, no
// prompt is sent twice, the draft and the queue stay.
func TestReconnectByLoading(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		far(loads)(d, o)
		d.turn = slow
		d.on["session/load"] = func(c *call) (string, error) {
			c.a.sayIn("s1", "user", "first")
			c.a.sayIn("s1", "agent", "as the agent remembers it")
			return `{}`, nil
		}
	}, func(d *driver) {
		d.connected()
		d.types("first\n")
		d.soon()
		d.types("second\n")
		d.types("a draft")
		d.sees("working on first", `queued 1  "second"`)
		d.agent.peer.Close(nil)
		d.soon()
		d.sees("connection lost", "trying again in", "no connection to wss://far.example.org/acp", "what the agent makes of the prompt is not known")
		d.wait(2 * time.Second)
		d.sees("as the agent remembers it", "connected again", `queued 1  "second"`)
		d.misses("working on first", "connection lost", "what the agent makes")
		if n := strings.Count(d.screen(), "first"); n != 1 {
			t.Errorf("%d times the first prompt:\n%s", n, d.screen())
		}
		d.draft("a draft")
		if len(d.agents) != 2 {
			t.Fatalf("%d connections", len(d.agents))
		}
		d.got(0, "first")
		d.got(1, "")
		d.wait(time.Minute)
		d.got(1, "") // nothing goes out by itself
		d.press("ctrl+u")
		d.types("third\n")
		d.wait(4 * time.Second)
		d.got(1, "third")
		d.press("enter")
		d.wait(4 * time.Second)
		d.got(1, "third|second")
	})
}

// Without a replay the transcript stays, and says that something may be missing.
func TestReconnectByResuming(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		far(resumes)(d, o)
		d.on["session/resume"] = func(*call) (string, error) { return `{}`, nil }
	}, func(d *driver) {
		d.connected()
		d.types("first\n")
		d.soon()
		d.agent.peer.Close(nil)
		d.wait(2 * time.Second)
		d.sees("You said: first", "the connection was lost and is back", "connected again")
		d.types("second\n")
		d.soon()
		d.sees("You said: second")
		d.got(1, "second")
	})
}

// The tries are further and further apart; enter does not wait for the next one,
// and questions of the dead connection close.
func TestReconnectTries(t *testing.T) {
	tries, up := 0, false
	drive(t, func(d *driver, o *Options) {
		far(resumes)(d, o)
		d.on["session/resume"] = func(*call) (string, error) { return `{}`, nil }
		d.turn = func(t *turn) string { t.ask(push, usual); return "end_turn" }
		d.dial = func(*agent) error {
			if tries++; tries > 1 && !up {
				return &acpclient.LostError{Place: "wss://far.example.org/acp", Cause: errors.New("connection refused")}
			}
			return nil
		}
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.soon()
		d.sees("fake asks")
		d.agent.peer.Close(nil)
		d.wait(10 * time.Second)
		d.misses("fake asks")
		d.sees("connection lost", "trying again in", "enter now")
		if tries < 4 || tries > 8 {
			t.Errorf("%d tries in ten seconds", tries)
		}
		d.wait(5 * time.Minute)
		if tries > 40 {
			t.Errorf("%d tries in five minutes", tries)
		}
		up = true
		d.types("draft")
		d.press("enter")
		d.soon()
		d.sees("connected again")
		d.draft("draft")
	})
}

// Where trying again is of no use, nobody tries; a session that is gone is said to
// be.
func TestReconnectInVain(t *testing.T) {
	tries := 0
	drive(t, func(d *driver, o *Options) {
		far(loads)(d, o)
		d.dial = func(*agent) error {
			if tries++; tries > 1 {
				return errors.New("the server answered 401 Unauthorized")
			}
			return nil
		}
	}, func(d *driver) {
		d.connected()
		d.agent.peer.Close(nil)
		d.wait(time.Hour)
		if tries != 2 {
			t.Errorf("%d tries", tries)
		}
		d.sees("the agent is gone")
	})
	drive(t, func(d *driver, o *Options) {
		far(loads)(d, o)
		d.on["session/load"] = func(*call) (string, error) { return fails(-32002, "never heard of it") }
	}, func(d *driver) {
		d.connected()
		d.types("first\n")
		d.soon()
		d.agent.peer.Close(nil)
		d.wait(2 * time.Second)
		d.sees("connected again, but the session is not", "never heard of it")
	})
}

// An agent that opens no session again begins another one, when the user says so.
func TestReconnectToNothing(t *testing.T) {
	drive(t, far(""), func(d *driver) {
		d.connected()
		d.types("first\n")
		d.soon()
		d.agent.peer.Close(nil)
		d.wait(2 * time.Second)
		d.sees("You said: first", "connected, without the session: enter begins another one")
		d.press("enter")
		d.wait(time.Second)
		d.connected()
		d.sees("You said: first", "started again: the agent does not remember what stands above")
		d.types("second\n")
		d.soon()
		d.sees("You said: second")
	})
}

// Quitting in the middle of it leaves nothing behind.
func TestQuitWhileReconnecting(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		far(loads)(d, o)
		tries := 0
		d.dial = func(*agent) error {
			if tries++; tries > 1 {
				time.Sleep(time.Minute)
			}
			return nil
		}
	}, func(d *driver) {
		d.connected()
		d.agent.peer.Close(nil)
		d.wait(2 * time.Second)
		d.sees("connecting")
		d.press("ctrl+d")
		d.wait(2 * time.Minute)
		if !d.quit {
			t.Error("it goes on:\n" + d.screen())
		}
	})
}
