package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// far makes the agent one that runs elsewhere, with these capabilities.
func far(capabilities string) func(*driver, *Options) {
	return func(d *driver, o *Options) {
		o.Agents[0].Command = "wss://far.example.org/acp"
		o.Redial = d.Redial
		o.Agents[0].Remote = true
		d.fake.Capabilities(capabilities)
	}
}

const loads, resumes = `,"agentCapabilities":{"loadSession":true}`, `,"agentCapabilities":{"sessionCapabilities":{"resume":{}}}`

// replays is how a session is loaded: messages of the user and the agent, in turn.
func replays(lines ...string) func(*fakeagent.Call) (string, error) {
	return func(c *fakeagent.Call) (string, error) {
		for i, l := range lines {
			c.Agent.Say("s1", []string{"user", "agent"}[i%2], l)
		}
		return "{}", nil
	}
}

// Case 174: a lost connection is restored. The agent replays the conversation, no prompt is sent
// twice, and the draft and the queue stay.
func TestReconnectByLoading(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		far(loads)(d, o)
		d.fake.Turn(slow)
		d.fake.On("session/load", replays("first", "as the agent remembers it"))
	}, func(d *driver) {
		d.connected()
		d.types("first\n")
		d.soon()
		d.types("second\n")
		d.types("a draft")
		d.sees("working on first", `queued 1  "second"`)
		d.Agent().Close()
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
		if len(d.Agents()) != 2 {
			t.Fatalf("%d connections", len(d.Agents()))
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
		d.fake.Answer("session/resume", "{}")
	}, func(d *driver) {
		d.connected()
		for range 4 {
			d.Agent().Close()
			d.wait(5 * time.Second)
			d.sees("Reconnected")
		}
		d.Agent().Close()
		d.wait(3 * time.Second)
		d.sees("trying again in")
		d.wait(6*time.Second + time.Minute)
		d.Agent().Close()
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
		d.fake.On("session/load", func(c *fakeagent.Call) (string, error) {
			c.Agent.Say("s1", "user", "first")
			<-told
			c.Agent.Say("s1", "agent", "as the agent has it")
			return "{}", nil
		})
	}, func(d *driver) {
		d.connected()
		d.types("first\n")
		d.soon()
		d.Agent().Close()
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
			d.Dial = func(int, workspace.Spec) error {
				if dials++; dials == 3 && !again {
					return errors.New("the server answered 401 Unauthorized")
				}
				return nil
			}
			d.fake.On("session/load", func(c *fakeagent.Call) (string, error) {
				c.Agent.Say("s1", "user", "first")
				if len(d.Agents()) == 2 {
					c.Agent.Say("s1", "agent", "half of")
					time.Sleep(3 * time.Second)
					c.Agent.Close()
				}
				c.Agent.Say("s1", "agent", "as the agent has it")
				return "{}", nil
			})
		}, func(d *driver) {
			d.connected()
			d.types("first\n")
			d.soon()
			d.types("a draft")
			d.Agent().Close()
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
			d.got(len(d.Agents())-1, "")
		})
	}
}

// Without a replay the transcript stays and says that something may be missing.
func TestReconnectByResuming(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		far(resumes)(d, o)
		d.fake.Answer("session/resume", `{}`)
	}, func(d *driver) {
		d.connected()
		d.types("first\n")
		d.soon()
		d.Agent().Close()
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
		d.fake.Answer("session/resume", `{}`)
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Ask(push, usual); return "end_turn" })
		d.Dial = func(int, workspace.Spec) error {
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
		d.Agent().Close()
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
		d.Dial = func(int, workspace.Spec) error {
			if tries++; tries > 1 {
				return errors.New("the server answered 401 Unauthorized; the token differs from the server's: " + strings.Repeat("type this ", 8) + "WHOLE")
			}
			return nil
		}
	}, func(d *driver) {
		d.connected()
		d.Agent().Close()
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
	unknown := func(*fakeagent.Call) (string, error) { return "", fakeagent.Errorf(-32002, "never heard of it") }
	for name, c := range map[string]struct {
		change func(*driver, *Options)
		why    string
	}{
		"load":   {far(loads), "never heard of it"},
		"resume": {far(resumes), "never heard of it"},
		"never":  {far(""), "this agent cannot reopen sessions"},
		"v2": {func(d *driver, o *Options) {
			far("")(d, o)
			d.fake.Protocol = "2"
		}, "never heard of it"},
	} {
		for _, running := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in a turn: %v", name, running), func(t *testing.T) {
				drive(t, func(d *driver, o *Options) {
					c.change(d, o)
					d.fake.On("session/load", unknown)
					d.fake.On("session/resume", unknown)
					if running {
						d.fake.Turn(slow)
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
					d.Agent().Close()
					d.wait(2 * time.Second)
					d.sees(answer, "Reconnected, but the session is gone: ", c.why, "Reconnected, but the session is gone · enter starts a new one")
					d.draft("a draft")
					d.fake.Turn(nil)
					d.wait(time.Hour)
					asked := func() int { return len(d.Agent().Calls("session/load")) + len(d.Agent().Calls("session/resume")) }
					opened := asked()
					d.press("enter")
					d.soon()
					d.sees(answer, "started again: the agent does not remember what is above", "a draft")
					d.misses("enter starts a new one")
					d.draft("a draft")
					d.wait(time.Hour)
					d.got(1, "")
					if n := len(d.Agent().Calls("session/new")); n != 1 || len(d.Agents()) != 2 {
						t.Errorf("%d new sessions, %d connections", n, len(d.Agents()))
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
		d.fake.On("session/new", func(c *fakeagent.Call) (string, error) {
			if len(d.Agents()) > 1 && refuse {
				return "", fakeagent.Errorf(-32603, "no room")
			}
			return c.Default()
		})
	}, func(d *driver) {
		d.connected()
		d.types("first\n")
		d.soon()
		d.Agent().Close()
		d.wait(2 * time.Second)
		d.types("a draft\n")
		d.soon()
		d.sees("no room", "You said: first")
		d.wait(10 * time.Second)
		d.sees("Reconnected, but the session is gone · enter starts a new one")
		d.Agent().Close()
		d.wait(2 * time.Second)
		if len(d.Agents()) != 3 {
			t.Fatalf("%d connections", len(d.Agents()))
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
			d.fake.Turn(slow)
			d.fake.On("session/new", func(c *fakeagent.Call) (string, error) {
				if len(d.Agents()) > 1 {
					<-open
				}
				return c.Default()
			})
		}, func(d *driver) {
			d.connected()
			d.types("first\n")
			d.soon()
			if waiting {
				d.types("second\n")
			}
			d.Agent().Close()
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
		d.fake.On("session/load", func(c *fakeagent.Call) (string, error) {
			if refuse {
				return "[]", nil
			}
			return replays("first", "as the agent has it")(c)
		})
	}, func(d *driver) {
		d.connected()
		d.types("first\n")
		d.soon()
		d.Agent().Close()
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
	silent := func(tn *fakeagent.Turn) string { tn.Wait(time.Hour); return "cancelled" }
	for name, c := range map[string]struct {
		change  func(*driver, *Options)
		load    func(*fakeagent.Call) (string, error)
		sees    string
		offered bool
	}{
		"load, not in the history": {far(loads), replays("first", "You said: first"), "The connection was lost · this prompt may not have arrived", true},
		"load, in the history":     {far(loads), replays("first", "You said: first", "second"), "The connection was lost during this turn · the answer may be incomplete", false},
		"load, and answered":       {far(loads), replays("first", "You said: first", "second", "I did"), "The connection was lost during this turn · the agent continued meanwhile", false},
		"resume":                   {far(resumes), replays(), "Reconnected · the last prompt may not have arrived", true},
		"never":                    {far(""), nil, "Reconnected, but the session is gone", true},
	} {
		t.Run(name, func(t *testing.T) {
			drive(t, func(d *driver, o *Options) {
				c.change(d, o)
				d.fake.On("session/load", c.load)
				d.fake.On("session/resume", c.load)
			}, func(d *driver) {
				d.connected()
				d.types("first\n")
				d.soon()
				d.fake.Turn(silent)
				d.types("second\n")
				d.soon()
				d.Agent().Close()
				d.soon()
				d.sees(`may not have arrived  "second"`, "The agent may not have got this prompt; parley does not send it again")
				d.wait(2 * time.Second)
				d.sees("▌ first", "▌ second", c.sees)
				d.fake.Turn(nil)
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
