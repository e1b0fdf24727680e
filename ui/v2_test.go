package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/internal/fakeagent"

	tea "charm.land/bubbletea/v2"
)

// v2 is an agent of ACP v2 whose turns take three seconds.
func v2(d *driver, _ *Options) { d.fake.Protocol = "2"; d.fake.Turn(slow) }

// Case 143: a turn of v2 ends when the agent says that it is idle.
func TestV2Turn(t *testing.T) {
	drive(t, v2, func(d *driver) {
		d.connected()
		d.sees("fake 2.0")
		d.types("hello\n")
		d.wait(1300 * time.Millisecond)
		d.sees("▌ hello", "working on hello", "running 1s", "esc stop")
		d.misses("held by the agent", "queued")
		d.wait(3 * time.Second)
		d.sees("working on hello, done", "? help")
		d.misses("running")
		if s := d.screen(); strings.Count(s, "▌ hello") != 1 {
			t.Errorf("the prompt is shown more than once:\n%s", s)
		}
	})
}

// Case 159: a prompt typed during a turn is sent at once, shown as held by the agent, and
// added to the transcript when the agent inserts it.
func TestHeldPrompt(t *testing.T) {
	drive(t, v2, func(d *driver) {
		d.connected()
		d.types("one\n")
		d.wait(time.Second)
		d.types("two\nthree\nfour\n")
		d.soon()
		d.prompts("one|two|three|four")
		d.sees(`held by the agent  "two"`, `held by the agent  "three"`, `held by the agent  "four"`, "↑ edit  ⌫ drop")
		d.misses("▌ two", "queued", "enter send")
		if s := d.screen(); !(strings.Index(s, `"two"`) < strings.Index(s, `"three"`) && strings.Index(s, `"three"`) < strings.Index(s, `"four"`)) {
			t.Errorf("not in order:\n%s", s)
		}
		d.wait(3 * time.Second)
		d.sees("working on one, done", "▌ two", "working on two", `held by the agent  "three"`)
		d.misses(`held by the agent  "two"`)
		d.wait(10 * time.Second)
		d.sees("working on four, done", "? help")
		d.misses("held by the agent")
		d.prompts("one|two|three|four")
	})
}

// up withdraws the last held prompt for editing, backspace drops it.
func TestHeldPromptTakenBack(t *testing.T) {
	drive(t, v2, func(d *driver) {
		d.connected()
		d.types("one\n")
		d.soon()
		d.types("two\nthree\nfour\n")
		d.soon()
		d.press("up")
		d.draft("four")
		d.sees("Prompt withdrawn", `"three"`)
		d.misses(`agent  "four"`)
		d.types(", later")
		d.press("ctrl+u", "backspace")
		d.soon()
		d.draft("")
		d.misses(`"three"`)
		d.press("up") // one more is held
		d.soon()
		d.draft("two")
		d.press("ctrl+u", "up")
		d.draft("three") // the prompt is in the history
		d.press("ctrl+u")
		d.wait(4 * time.Second)
		d.sees("working on one, done", "? help")
		d.prompts("one|two|three|four")
		d.misses("▌ two", "▌ three", "▌ four")
	})
}

// An agent that has already inserted the prompt does not return it.
func TestTooLateToTakeBack(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		v2(d, o)
		d.fake.OnPrompt(func(t *fakeagent.Turn) (string, error) {
			if t.N > 1 {
				time.Sleep(time.Second)
			}
			return t.Accept()
		})
	}, func(d *driver) {
		d.connected()
		for i, key := range []string{"up", "backspace"} {
			d.types("one\n")
			d.wait(1100 * time.Millisecond)
			d.types("two\n")
			d.soon()
			d.press(key)
			d.draft("")
			d.wait(10 * time.Second)
			d.sees("▌ two", "working on two, done")
			d.misses("held by the agent")
			d.draft("")
			if s := d.screen(); strings.Count(s, "▌ two") != i+1 {
				t.Errorf("%s:\n%s", key, s)
			}
		}
	})
}

// Stopping the turn returns the held prompts in the order in which they were sent and before
// the draft, whatever the order of the responses.
func TestHeldPromptsComeBackOnStop(t *testing.T) {
	for name, after := range map[string]func(n int) time.Duration{
		"in order":     func(n int) time.Duration { return time.Duration(n) * time.Millisecond },
		"out of order": func(n int) time.Duration { return time.Duration(9-n) * time.Millisecond },
		"slowly":       func(n int) time.Duration { return time.Duration(n) * time.Second },
	} {
		t.Run(name, func(t *testing.T) {
			drive(t, func(d *driver, o *Options) {
				v2(d, o)
				d.fake.OnPrompt(func(t *fakeagent.Turn) (string, error) {
					if t.N == 1 {
						return t.AcceptInOrder()
					}
					if t.Wait(time.Hour) {
						time.Sleep(after(t.N))
					}
					return "", jsonrpc.ErrRequestCancelled
				})
			}, func(d *driver) {
				d.connected()
				d.types("one\n")
				d.soon()
				d.types("two\nthree\nfour\ndraft")
				d.soon()
				d.press("esc")
				d.wait(10 * time.Second)
				d.sees("Stopped", "? help")
				d.draft("two\nthree\nfour\ndraft")
				d.misses("held by the agent", "queued")
				if _, _, n := seen(d.Agent()); n != 1 {
					t.Errorf("%d times session/cancel", n)
				}
				d.press("ctrl+u", "backspace", "ctrl+c")
				d.types("next\n")
				d.wait(4 * time.Second)
				d.prompts("one|two|three|four|next")
			})
		})
	}
}

// While the turn is being stopped, typed prompts are queued after those that the agent holds.
func TestPromptWhileStopping(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		v2(d, o)
		d.fake.Turn(func(t *fakeagent.Turn) string {
			if t.Text == "one" {
				t.Wait(time.Hour)
				time.Sleep(2 * time.Second)
				return "cancelled"
			}
			return slow(t)
		})
	}, func(d *driver) {
		d.connected()
		d.types("one\n")
		d.soon()
		d.press("esc")
		d.soon()
		d.sees("stopping")
		d.types("two\n")
		d.soon()
		d.prompts("one")
		d.sees(`queued 1  "two"`)
		d.wait(3 * time.Second)
		d.sees("Stopped", "enter send")
		d.prompts("one") // the stop paused the queue
		d.press("enter")
		d.wait(5 * time.Second)
		d.prompts("one|two")
		d.sees("working on two, done")
	})
}

// Prompts that the agent holds are shown above those in parley's queue.
func TestHeldAndQueued(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		v2(d, o)
		d.fake.OnPrompt(func(t *fakeagent.Turn) (string, error) {
			if t.Text == "two" {
				t.Wait(time.Hour)
				time.Sleep(4 * time.Second)
				return "", jsonrpc.ErrRequestCancelled
			}
			return t.AcceptInOrder()
		})
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Hour); time.Sleep(3 * time.Second); return "cancelled" })
	}, func(d *driver) {
		d.connected()
		d.types("one\n")
		d.soon()
		d.types("two\n")
		d.soon()
		d.press("esc")
		d.types("three\nfour\n")
		d.soon()
		d.sees(`held by the agent  "two"`, `queued 1  "three"`, `queued 2  "four"`, "1 held · 2 queued")
		if s := d.screen(); !(strings.Index(s, `"two"`) < strings.Index(s, `"three"`) && strings.Index(s, `"three"`) < strings.Index(s, `"four"`)) {
			t.Errorf("not in order:\n%s", s)
		}
		d.press("up") // queued prompts come first
		d.draft("four")
		d.wait(10 * time.Second)
		d.draft("two\nfour")
		d.sees(`queued 1  "three"`)
		d.prompts("one|two")
	})
}

// A prompt that the agent refuses returns to the composer.
func TestPromptRefused(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		v2(d, o)
		d.fake.OnPrompt(func(t *fakeagent.Turn) (string, error) {
			if strings.HasPrefix(t.Text, "bad") {
				time.Sleep(time.Second)
				return "", fakeagent.Errorf(-32602, "not that")
			}
			return t.AcceptInOrder()
		})
	}, func(d *driver) {
		d.connected()
		d.types("bad one\n")
		d.soon()
		d.sees(`held by the agent  "bad one"`)
		d.types("dra")
		d.wait(2 * time.Second)
		d.draft("bad one\ndra")
		d.sees("Not accepted: prompt: the agent answered: not that", "✗ ")
		d.misses("held by the agent", "▌ bad", "running")
		d.press("ctrl+u", "backspace", "ctrl+u")
		d.types("good\n")
		d.soon()
		d.types("bad two\n") // during a turn
		d.wait(2 * time.Second)
		d.draft("bad two")
		d.sees("working on good", "esc stop")
		d.wait(3 * time.Second)
		d.sees("working on good, done")
	})
}

// ways2 are login methods of v2.
const ways2 = `,"authMethods":[{"methodId":"browser","name":"In the browser","type":"agent"},{"methodId":"tty","name":"In a terminal","type":"terminal","args":["login"]}]`

// All prompts that require a login are kept until after it.
func TestV2LoginForPrompts(t *testing.T) {
	g := &guarded{}
	g.in.Store(true)
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		v2(d, o)
		d.fake.Capabilities(ways2)
		d.fake.OnPrompt(func(t *fakeagent.Turn) (string, error) {
			if !g.in.Load() {
				return "", fakeagent.Errorf(-32000, "who are you?")
			}
			return t.AcceptInOrder()
		})
	}, func(d *driver) {
		d.connected()
		g.in.Store(false)
		d.types("hello\n")
		d.soon()
		d.types("dr") // too soon for the panel that has just opened
		d.press("enter")
		d.rest()
		d.sees("╭ Log in to fake")
		d.press("enter")
		d.wait(2 * time.Second)
		d.sees("working on hello")
		d.wait(10 * time.Second)
		d.sees("▌ hello", "working on hello, done", "▌ dr", "working on dr, done")
	})
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		v2(d, o)
		d.fake.Capabilities(ways2)
		d.fake.OnPrompt(func(t *fakeagent.Turn) (string, error) {
			if t.N == 1 {
				return t.AcceptInOrder()
			}
			if !g.in.Load() {
				time.Sleep(time.Second)
				return "", fakeagent.Errorf(-32000, "who are you?")
			}
			return t.AcceptInOrder()
		})
	}, func(d *driver) {
		g.in.Store(true)
		d.connected()
		d.types("one\n")
		d.soon()
		g.in.Store(false)
		d.types("two\nthree\n") // both held, then refused
		d.wait(2 * time.Second)
		d.sees("╭ Log in to fake")
		d.rest()
		d.press("enter")
		d.wait(20 * time.Second)
		d.sees("working on two, done")
		if s := d.screen(); !strings.Contains(s, "working on three, done") && d.m.Front.Composer.Value() != "three" {
			t.Errorf("the second prompt is lost:\n%s", s)
		}
	})
}

// An agent may start a turn without a prompt.
func TestTurnOfTheAgent(t *testing.T) {
	drive(t, v2, func(d *driver) {
		d.connected()
		d.Agent().State("s1", `"running"`)
		d.Agent().Say("s1", "agent", "the build has failed, I look into it")
		d.wait(2300 * time.Millisecond)
		d.sees("the build has failed", "running 2s", "esc stop")
		d.types("also this\n")
		d.soon()
		d.prompts("also this")
		d.sees("▌ also this")
		d.wait(4 * time.Second)
		d.Agent().State("s1", `"running"`)
		d.soon()
		d.press("esc")
		d.soon()
		if _, _, n := seen(d.Agent()); n != 1 {
			t.Errorf("%d times session/cancel", n)
		}
		d.sees("stopping")
		d.Agent().State("s1", `"idle","stopReason":"cancelled"`)
		d.soon()
		d.sees("? help", "Stopped")
		d.Agent().State("s1", `"idle"`) // a second time
		d.soon()
		d.press("esc", "esc")
		if _, _, n := seen(d.Agent()); n != 1 {
			t.Errorf("%d times session/cancel", n)
		}
	})
}

// A turn that runs before its session is open cannot be stopped yet.
func TestStopWhileOpening(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		v2(d, o)
		keeping(oneKept)(d, o)
		d.fake.On("initialize", nil)
		d.fake.On("session/resume", func(c *fakeagent.Call) (string, error) {
			c.Agent.Say("k1", "agent", "as I said")
			c.Agent.State("k1", `"running"`)
			time.Sleep(time.Second)
			return `{}`, nil
		})
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.types("lexer\n")
		d.soon()
		d.sees("as I said", "running")
		d.press("esc")
		d.press("ctrl+c")
		d.sees("The session is not open yet")
		d.wait(6 * time.Second)
		d.press("esc")
		d.soon()
		d.sees("stopping")
		if _, _, n := seen(d.Agent()); n != 1 {
			t.Errorf("%d times session/cancel", n)
		}
	})
}

// Prompts of v1, and of a session that is still being opened, are queued by parley.
func TestV1StillQueues(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("one\ntwo\n")
		d.soon()
		d.prompts("one")
		d.sees(`queued 1  "two"`)
		d.misses("held by the agent")
	})
	drive(t, func(d *driver, o *Options) {
		v2(d, o)
		d.fake.On("session/new", func(c *fakeagent.Call) (string, error) {
			if c.N == 2 {
				time.Sleep(time.Second)
			}
			return c.Default()
		})
	}, func(d *driver) {
		d.connected()
		d.types("/new\none\ntwo\n")
		d.soon()
		d.prompts("")
		d.sees(`queued 1  "one"`, `queued 2  "two"`)
		d.wait(2 * time.Second)
		d.sees("working on one")
		d.wait(10 * time.Second)
		d.prompts("one|two")
		d.sees("working on two, done")
	})
}

const twoPlans = `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"%s","entries":[%s]}}`

func step(text, status string) string {
	return fmt.Sprintf(`{"content":"%s","priority":"high","status":"%s"}`, text, status)
}

// With several plans the line shows the one that changed last, ctrl+t shows all.
func TestSeveralPlans(t *testing.T) {
	drive(t, func(d *driver, o *Options) { v2(d, o); d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.soon()
		d.Agent().Update("s1", fmt.Sprintf(twoPlans, "build", step("compile it", "completed")+","+step("link it", "in_progress")))
		d.soon()
		d.sees("Plan 1/2 ▸ link it")
		d.misses("plans")
		d.Agent().Update("s1", fmt.Sprintf(twoPlans, "docs", step("write it", "pending")))
		d.soon()
		d.sees("Plan 0/1 of 2 plans ▸ write it")
		d.press("ctrl+t")
		d.sees("Plan 1 of 2", "build", "✓ compile it", "▸ link it", "Plan 2 of 2", "docs", "○ write it")
		d.Agent().Update("s1", fmt.Sprintf(twoPlans, "build", step("compile it", "completed")+","+step("link it", "completed")))
		d.soon()
		d.sees("✓ link it")
		d.press("ctrl+t")
		d.misses("✓ compile it")
		d.Agent().Update("s1", `{"sessionUpdate":"plan_removed","planId":"build"}`)
		d.soon()
		d.sees("Plan 0/1 ▸ write it")
		d.Agent().Update("s1", `{"sessionUpdate":"plan_removed","planId":"docs"}`)
		d.soon()
		d.misses("Plan ")
	})
}

func TestGoldenHeldPrompts(t *testing.T) {
	t.Parallel()
	drive(t, func(d *driver, o *Options) { v2(d, o); o.Theme = "dark" }, func(d *driver) {
		d.connected()
		d.types("typed errors, please\n")
		d.soon()
		d.types("also update the README\n")
		d.Agent().State("s1", `"running","background":[{"type":"terminal","terminalId":"t"}]`)
		d.send(tea.PasteMsg{Content: "and push"})
		d.soon()
		d.golden("held")
	})
}
