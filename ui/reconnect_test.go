package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
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

// Case 174: a lost connection is restored. The agent replays the conversation, no prompt is sent
// twice, and the draft and the queue stay.
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
		d.sees("Connection lost", "trying again in", "no connection to wss://far.example.org/acp")
		d.misses("may not have got") // its answer has begun
		d.wait(2 * time.Second)
		d.sees("as the agent remembers it", "Reconnected", "The connection was lost during this turn · the agent kept only part", `queued 1  "second"`)
		d.misses("working on first", "Connection lost", "The agent may not")
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
		d.got(1, "") // nothing is sent without the user
		d.press("ctrl+u")
		d.types("third\n")
		d.wait(4 * time.Second)
		d.got(1, "third")
		d.press("enter")
		d.wait(4 * time.Second)
		d.got(1, "third|second")
	})
}

// A connection that is lost at once each time is retried less and less often, until one has held
// for a while.
func TestReconnectsLessAndLessOften(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		far(resumes)(d, o)
		d.on["session/resume"] = func(*call) (string, error) { return "{}", nil }
	}, func(d *driver) {
		d.connected()
		for range 4 {
			d.agent.peer.Close(nil)
			d.wait(5 * time.Second)
			d.sees("Reconnected")
		}
		d.agent.peer.Close(nil)
		d.wait(3 * time.Second)
		d.sees("trying again in")
		d.wait(6*time.Second + time.Minute)
		d.agent.peer.Close(nil)
		d.wait(2 * time.Second)
		d.sees("Reconnected")
		d.misses("trying again in")
	})
}

// Until the agent has replayed the conversation the old one is on the screen; prompts wait for
// the user.
func TestReconnectLoads(t *testing.T) {
	told := make(chan bool)
	drive(t, func(d *driver, o *Options) {
		far(loads)(d, o)
		told = make(chan bool)
		d.on["session/load"] = func(c *call) (string, error) {
			c.a.sayIn("s1", "user", "first")
			<-told
			c.a.sayIn("s1", "agent", "as the agent has it")
			return "{}", nil
		}
	}, func(d *driver) {
		d.connected()
		d.types("first\n")
		d.soon()
		d.agent.peer.Close(nil)
		d.wait(2 * time.Second)
		d.sees("You said: first", " loading")
		d.types("second\n")
		d.sees(`queued 1  "second"`)
		close(told)
		d.rest()
		d.sees("as the agent has it", `queued 1  "second"  enter send`)
		d.misses("You said: first", "loading")
		d.got(1, "")
		d.press("enter")
		d.soon()
		d.got(1, "second")
	})
}

// A connection that is lost during the replay is retried, at once or at the user's request. The
// page stays unchanged.
func TestReconnectLostAgain(t *testing.T) {
	for _, again := range []bool{true, false} {
		dials := 0
		drive(t, func(d *driver, o *Options) {
			far(loads)(d, o)
			dials = 0
			d.dial = func(*agent) error {
				if dials++; dials == 3 && !again {
					return errors.New("the server answered 401 Unauthorized")
				}
				return nil
			}
			d.on["session/load"] = func(c *call) (string, error) {
				c.a.sayIn("s1", "user", "first")
				if len(d.agents) == 2 {
					c.a.sayIn("s1", "agent", "half of")
					time.Sleep(3 * time.Second)
					c.a.peer.Close(nil)
				}
				c.a.sayIn("s1", "agent", "as the agent has it")
				return "{}", nil
			}
		}, func(d *driver) {
			d.connected()
			d.types("first\n")
			d.soon()
			d.types("a draft")
			d.agent.peer.Close(nil)
			d.wait(2 * time.Second)
			d.sees("You said: first")
			d.misses("half of")
			d.wait(10 * time.Second)
			if !again {
				d.sees("You said: first", "Not connected · enter tries again")
				d.press("enter")
				d.wait(time.Second)
			}
			d.sees("as the agent has it")
			d.misses("half of", "ended")
			d.draft("a draft")
			d.got(len(d.agents)-1, "")
		})
	}
}

// Without a replay the transcript stays and says that something may be missing.
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
		d.sees("You said: first", "Reconnected · what the agent did since may be missing here")
		d.types("second\n")
		d.soon()
		d.sees("You said: second")
		d.got(1, "second")
	})
}

// The intervals between the tries grow; enter tries at once, and the questions of the lost
// connection close.
func TestReconnectTries(t *testing.T) {
	tries, up := 0, false
	drive(t, func(d *driver, o *Options) {
		far(resumes)(d, o)
		d.on["session/resume"] = func(*call) (string, error) { return `{}`, nil }
		d.turn = func(t *turn) string { t.ask(push, usual); return "end_turn" }
		d.dial = func(*agent) error {
			if tries++; tries > 1 && !up {
				return &event.LostError{URL: "wss://far.example.org/acp", Cause: errors.New("connection refused")}
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
		d.sees("Connection lost", "trying again in", "enter now")
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
		d.sees("Reconnected · the turn was interrupted; what the agent did since is")
		d.draft("draft")
	})
}

// A connection is not retried if that is useless. The whole reason is in the transcript, once.
func TestReconnectInVain(t *testing.T) {
	t.Parallel()
	tries := 0
	drive(t, func(d *driver, o *Options) {
		far(loads)(d, o)
		d.dial = func(*agent) error {
			if tries++; tries > 1 {
				return errors.New("the server answered 401 Unauthorized; the token differs from the server's: " + strings.Repeat("type this ", 8) + "WHOLE")
			}
			return nil
		}
	}, func(d *driver) {
		d.connected()
		d.agent.peer.Close(nil)
		for n := range 2 { // by itself, and at the user's request
			d.wait(time.Hour)
			if tries != 2+n {
				t.Errorf("%d tries", tries)
			}
			d.sees("✗ the server answered 401 Unauthorized; the token differs", "WHOLE", "Not connected · enter tries again")
			d.misses("The agent has ended")
			if n := strings.Count(d.screen(), "401"); n != 1 {
				t.Errorf("%d times the reason:\n%s", n, d.screen())
			}
			d.press("enter")
		}
	})
}

// If the agent no longer has the session its page stays: one line says so, enter starts a new
// session and keeps the draft, and nothing of the old session is sent again.
func TestSessionGone(t *testing.T) {
	t.Parallel()
	unknown := func(*call) (string, error) { return fails(-32002, "never heard of it") }
	for name, c := range map[string]struct {
		change func(*driver, *Options)
		why    string
	}{
		"load":   {far(loads), "never heard of it"},
		"resume": {far(resumes), "never heard of it"},
		"never":  {far(""), "this agent cannot reopen sessions"},
		"v2": {func(d *driver, o *Options) {
			far("")(d, o)
			d.protocol = "2"
			d.on["initialize"] = hello2("")
		}, "never heard of it"},
	} {
		for _, running := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in a turn: %v", name, running), func(t *testing.T) {
				drive(t, func(d *driver, o *Options) {
					c.change(d, o)
					d.on["session/load"], d.on["session/resume"] = unknown, unknown
					if running {
						d.turn = slow
					}
				}, func(d *driver) {
					d.connected()
					d.types("first\n")
					d.soon()
					answer := "You said: first"
					if running {
						answer = "working on first"
						d.types("second\n")
						d.soon()
					}
					d.types("a draft")
					d.agent.peer.Close(nil)
					d.wait(2 * time.Second)
					d.sees(answer, "Reconnected, but the session is gone: ", c.why, "Reconnected, but the session is gone · enter starts a new one")
					d.draft("a draft")
					d.turn = func(t *turn) string { t.say("You said: " + t.text); return "end_turn" }
					d.wait(time.Hour)
					asked := func() int { return len(d.agent.called("session/load")) + len(d.agent.called("session/resume")) }
					opened := asked()
					d.press("enter")
					d.soon()
					d.sees(answer, "started again: the agent does not remember what is above", "a draft")
					d.misses("enter starts a new one")
					d.draft("a draft")
					d.wait(time.Hour)
					d.got(1, "")
					if n := len(d.agent.called("session/new")); n != 1 || len(d.agents) != 2 {
						t.Errorf("%d new sessions, %d connections", n, len(d.agents))
					}
					if asked() != opened || opened > 1 {
						t.Errorf("the session was asked for %d times, and then %d times", opened, asked())
					}
					d.press("enter")
					d.soon()
					d.sees("You said: a draft")
				})
			})
		}
	}
}

// If no new session can be opened the page says why and stays; the connection may be lost again
// meanwhile.
func TestSessionGoneTwice(t *testing.T) {
	refuse := true
	drive(t, func(d *driver, o *Options) {
		far("")(d, o)
		d.on["session/new"] = func(c *call) (string, error) {
			if len(d.agents) > 1 && refuse {
				return fails(-32603, "no room")
			}
			return newSession("")(c)
		}
	}, func(d *driver) {
		d.connected()
		d.types("first\n")
		d.soon()
		d.agent.peer.Close(nil)
		d.wait(2 * time.Second)
		d.types("a draft\n")
		d.soon()
		d.sees("no room", "You said: first")
		d.wait(10 * time.Second)
		d.sees("Reconnected, but the session is gone · enter starts a new one")
		d.agent.peer.Close(nil)
		d.wait(2 * time.Second)
		if len(d.agents) != 3 {
			t.Fatalf("%d connections", len(d.agents))
		}
		d.sees("Reconnected, but the session is gone · enter starts a new one")
		refuse = false
		d.press("enter")
		d.soon()
		d.draft("a draft")
		d.press("enter")
		d.soon()
		d.sees("You said: first", "You said: a draft")
	})
}

// A prompt sent while the new session opens is meant for it; prompts queued before are not.
func TestSessionGoneTypedAhead(t *testing.T) {
	for _, waiting := range []bool{false, true} {
		open := make(chan bool)
		drive(t, func(d *driver, o *Options) {
			far("")(d, o)
			open = make(chan bool)
			d.turn = slow
			d.on["session/new"] = func(c *call) (string, error) {
				if len(d.agents) > 1 {
					<-open
				}
				return newSession("")(c)
			}
		}, func(d *driver) {
			d.connected()
			d.types("first\n")
			d.soon()
			if waiting {
				d.types("second\n")
			}
			d.agent.peer.Close(nil)
			d.wait(2 * time.Second)
			d.press("enter")
			d.soon()
			d.types("third\n")
			d.sees(" opening", `"third"`)
			close(open)
			d.soon()
			if d.misses(" opening"); waiting {
				d.got(1, "")
			} else {
				d.got(1, "third")
			}
		})
	}
}

// A session that does not open for another reason can be tried again.
func TestSessionDoesNotOpen(t *testing.T) {
	refuse := true
	drive(t, func(d *driver, o *Options) {
		far(loads)(d, o)
		d.on["session/load"] = func(c *call) (string, error) {
			if refuse {
				return "[]", nil
			}
			c.a.sayIn("s1", "user", "first")
			c.a.sayIn("s1", "agent", "as the agent has it")
			return "{}", nil
		}
	}, func(d *driver) {
		d.connected()
		d.types("first\n")
		d.soon()
		d.agent.peer.Close(nil)
		d.wait(2 * time.Second)
		d.sees("You said: first", "Reconnected, but the session did not open · enter tries again")
		refuse = false
		d.types("a draft\n")
		d.wait(time.Second)
		d.sees("as the agent has it")
		d.misses("did not open")
		d.draft("a draft")
		d.got(1, "")
	})
}

// Prompts that may not have arrived are offered for sending again, and never sent without the
// user, however the session is reopened.
func TestUnconfirmedPrompt(t *testing.T) {
	t.Parallel()
	silent := func(tn *turn) string { tn.until(time.Hour); return "cancelled" }
	tells := func(lines ...string) func(*call) (string, error) {
		return func(c *call) (string, error) {
			for i, l := range lines {
				c.a.sayIn("s1", []string{"user", "agent"}[i%2], l)
			}
			return "{}", nil
		}
	}
	for name, c := range map[string]struct {
		change  func(*driver, *Options)
		load    func(*call) (string, error)
		sees    string
		offered bool
	}{
		"load, not in the history": {far(loads), tells("first", "You said: first"), "The connection was lost · this prompt may not have arrived", true},
		"load, in the history":     {far(loads), tells("first", "You said: first", "second"), "The connection was lost during this turn · the answer may be incomplete", false},
		"load, and answered":       {far(loads), tells("first", "You said: first", "second", "I did"), "The connection was lost during this turn · the agent continued meanwhile", false},
		"resume":                   {far(resumes), tells(), "Reconnected · the last prompt may not have arrived", true},
		"never":                    {far(""), nil, "Reconnected, but the session is gone", true},
	} {
		t.Run(name, func(t *testing.T) {
			drive(t, func(d *driver, o *Options) {
				c.change(d, o)
				d.on["session/load"], d.on["session/resume"] = c.load, c.load
			}, func(d *driver) {
				d.connected()
				d.types("first\n")
				d.soon()
				d.turn = silent
				d.types("second\n")
				d.soon()
				d.agent.peer.Close(nil)
				d.soon()
				d.sees(`may not have arrived  "second"`, "The agent may not have got this prompt; parley does not send it again")
				d.wait(2 * time.Second)
				d.sees("▌ first", "▌ second", c.sees)
				d.turn = func(t *turn) string { t.say("You said: " + t.text); return "end_turn" }
				if !c.offered {
					d.misses("may not have arrived")
					return
				}
				d.sees(`may not have arrived  "second"`, "↑ edit  ⌫ drop")
				if d.press("enter"); name == "never" { // a new session
					d.soon()
				}
				d.press("enter")
				d.wait(time.Hour)
				d.got(1, "")
				d.press("up")
				d.draft("second")
				d.misses(`may not have arrived  "second"`)
				d.press("enter")
				d.soon()
				d.got(1, "second")
				d.sees("You said: second")
			})
		})
	}
}
