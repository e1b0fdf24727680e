package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/fakeagent"
	"parley/internal/memory"
	"parley/internal/workspace"
)

// two opens a chat with the agent fake and, beside it, one with the agent other;
// the second is on the screen.
func two(t *testing.T, change func(*driver, *Options), f func(d *driver)) {
	t.Helper()
	drive(t, change, func(d *driver) {
		d.connected()
		d.startOther()
		d.connected()
		f(d)
	})
}

// startOther starts the agent other beside the one on the screen.
func (d *driver) startOther() {
	d.t.Helper()
	d.press("ctrl+s", "ctrl+t")
	d.sees("chat with a coding agent in", "Type to filter")
	d.types("oth\n")
}

// got checks the prompts that the n-th agent got.
func (d *driver) got(n int, want string) {
	d.t.Helper()
	if got, _, _ := seen(d.Agents()[n]); got != want {
		d.t.Fatalf("agent %d got %q, want %q", n, got, want)
	}
}

// A command that the user typed is what the page shows, also where its program has the
// name of another agent.
func TestCommandOfAnAgentsName(t *testing.T) {
	drive(t, func(_ *driver, o *Options) {
		o.Agents = append([]workspace.Spec{{Name: "fake", Command: "./fake --mine", Custom: true}}, o.Agents...)
	}, func(d *driver) {
		d.connected()
		d.sees("./fake --mine")
	})
}

// A second agent is started beside the first, and the start screen is left again
// without one.
func TestSecondAgent(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.types("hello\ndraft")
		d.soon()
		d.press("ctrl+s", "ctrl+t")
		d.sees("chat with a coding agent in", "fake --acp", "enter start", "esc back")
		d.misses("esc quit")
		d.press("esc")
		d.sees("You said: hello")
		d.draft("draft")
		d.press("ctrl+u")
		d.types("/agent\n")
		d.sees("Type to filter")
		d.types("oth")
		d.press("esc") // the filter first
		d.sees("fake --acp")
		d.press("ctrl+c") // what is open is not ended by a key that means something else there
		d.soon()
		if d.quit {
			t.Fatal("quit")
		}
		d.sees("You said: hello")
		d.types("draft of fake")
		d.startOther()
		d.connected()
		if len(d.Agents()) != 2 || d.Agents()[1].Name != "other" || d.Agents()[0].Closed() {
			t.Fatalf("%d agents", len(d.Agents()))
		}
		d.sees("other-agent", " other · ")
		d.misses("You said: hello")
		d.draft("")
		d.types("hi\n")
		d.soon()
		d.sees("You said: hi")
		d.got(0, "hello")
		d.got(1, "hi")
		d.switchTo("hello")
		d.sees("You said: hello", " fake · ")
		d.misses("hi")
		d.draft("draft of fake")
		d.press("enter")
		d.soon()
		d.got(0, "hello|draft of fake")
		d.got(1, "hi")
	})
}

// Sessions of the same id on two connections are two sessions.
func TestNoCrossTalk(t *testing.T) {
	two(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Say(t.Agent.Name + " works on " + t.Text)
			t.Agent.Update(t.Session, `{"sessionUpdate":"session_info_update","title":"Title by `+t.Agent.Name+`"}`)
			if t.Wait(5 * time.Second) {
				return "cancelled"
			}
			t.Say(", " + t.Agent.Name + " is done")
			return "end_turn"
		})
	}, func(d *driver) {
		d.types("two\n")
		d.soon()
		d.sees("other works on two")
		d.Agents()[0].Say("s1", "agent", "fake says this by itself")
		d.soon()
		d.misses("fake says")
		d.switchTo("1 ")
		d.sees("fake says this by itself")
		d.misses("other works", "running")
		d.types("one\n")
		d.soon()
		d.sees("fake works on one")
		d.press("esc")
		d.soon()
		for i, want := range []int{1, 0} {
			if _, _, n := seen(d.Agents()[i]); n != want {
				t.Fatalf("agent %d: %d times session/cancel", i, n)
			}
		}
		d.sees("Stopped")
		d.misses("other")
		d.wait(6 * time.Second)
		d.sees("Another session is done: ctrl+s")
		d.press("ctrl+s")
		d.sees("1 Title by fake", "2 • Title by other", "unread")
		d.types("by other\n")
		d.sees("other works on two, other is done")
		d.misses("fake works", "Stopped")
	})
}

// An answer goes to the agent that asked, although each connection numbers its questions
// from one.
func TestQuestionsOfTwoAgents(t *testing.T) {
	two(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			return asking(strings.Replace(push, "Commit typed errors", "For "+t.Agent.Name, 1), usual)(t)
		})
	}, func(d *driver) {
		d.types("two\n")
		d.soon()
		d.sees("╭ other asks", "For other")
		d.switchTo("1 ")
		d.misses("asks")
		d.types("one\n")
		d.soon()
		d.sees("╭ fake asks", "For fake")
		d.press("ctrl+s")
		d.sees("2 ● two", "waiting for you")
		d.press("esc")
		d.rest()
		d.press("y")
		d.soon()
		if _, got, _ := seen(d.Agents()[0]); got != "ok" {
			t.Fatalf("fake got %q", got)
		}
		if _, got, _ := seen(d.Agents()[1]); got != "" {
			t.Fatalf("other got %q", got)
		}
		d.sees("answered: ok")
		d.switchTo("two")
		d.sees("╭ other asks", "For other")
		d.rest()
		d.press("n")
		d.soon()
		if _, got, _ := seen(d.Agents()[1]); got != "no" {
			t.Fatalf("other got %q", got)
		}
		d.switchTo("one")
		d.misses("answered: no", "asks")
	})
}

// What the other agent wants is said, and marked in the overview.
func TestOtherAgentWaits(t *testing.T) {
	two(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Second); return asking(push, usual)(t) })
	}, func(d *driver) {
		d.types("two\n")
		d.switchTo("1 ")
		d.wait(1500 * time.Millisecond)
		d.sees("1 waits · alt+w")
		d.misses("asks")
		d.press("ctrl+s")
		d.sees("Open", "1 New session  fake", "here · idle", "2 ● two        other", "waiting for you")
	})
}

// The list shows the sessions saved by each agent under its name, and opens each with its agent.
func TestOverviewOfTwoAgents(t *testing.T) {
	two(t, func(d *driver, o *Options) {
		keeping("")(d, o)
		d.fake.On("session/list", func(c *fakeagent.Call) (string, error) {
			title := map[string]string{"fake": "Kept by the first", "other": "Kept by the second"}[c.Agent.Name]
			return `{"sessions":[{"sessionId":"a","title":"` + title + `"},{"sessionId":"same","title":"Of both"}]}`, nil
		})
	}, func(d *driver) {
		d.press("ctrl+s")
		d.soon()
		d.sees("1 New session  fake", "2 New session  other", "Saved by fake", "Kept by the first", "Saved by other", "Kept by the second", "6/6")
		d.types("the first\n")
		d.soon()
		if got := d.Agents()[0].Calls("session/load"); len(got) != 1 || !strings.Contains(got[0], `"sessionId":"a"`) {
			t.Fatalf("fake was asked to load %q", got)
		}
		if got := d.Agents()[1].Calls("session/load"); len(got) != 0 {
			t.Fatalf("other was asked to load %q", got)
		}
		d.sees(" fake · ")
		d.press("ctrl+s")
		d.soon()
		d.sees("3 Kept by the first  fake", "Kept by the second", "6/6") // that of the other is still only kept
		d.types("both")
		d.press("down", "ctrl+d", "ctrl+d")
		d.soon()
		if got := d.Agents()[1].Calls("session/delete"); len(got) != 1 || got[0] != `{"sessionId":"same"}` {
			t.Fatalf("other was asked to delete %q", got)
		}
		if got := d.Agents()[0].Calls("session/delete"); len(got) != 0 {
			t.Fatalf("fake was asked to delete %q", got)
		}
	})
}

// ctrl+n opens another session of the agent on the screen.
func TestNewSessionOfTheOtherAgent(t *testing.T) {
	two(t, nil, func(d *driver) {
		d.types("/new\n")
		d.soon()
		d.types("three\n")
		d.soon()
		d.got(0, "")
		d.got(1, "three")
		d.press("ctrl+s", "home", "enter")
		d.types("/new\n")
		d.soon()
		d.types("four\n")
		d.soon()
		d.got(0, "four")
		d.press("ctrl+s")
		d.sees("1 New session  fake", "2 New session  other", "3 three        other", "4 four         fake")
	})
}

// Closing the last session of an agent ends that agent and no other.
func TestCloseAnAgent(t *testing.T) {
	two(t, nil, func(d *driver) {
		d.types("/new\n")
		d.soon()
		d.press("ctrl+s", "end", "ctrl+x")
		d.soon()
		if d.Agents()[0].Closed() || d.Agents()[1].Closed() {
			t.Fatal("an agent was ended that has a session left")
		}
		d.sees("2/2")
		d.press("down", "ctrl+x")
		d.soon()
		if d.Agents()[0].Closed() || !d.Agents()[1].Closed() {
			t.Fatalf("ended: fake %v, other %v", d.Agents()[0].Closed(), d.Agents()[1].Closed())
		}
		d.sees("1/1", "1 New session")
		d.misses(" other")
		d.press("ctrl+x")
		d.sees("This is the only open session")
		d.press("esc")
		d.types("hello\n")
		d.soon()
		d.sees("You said: hello", " fake · ")
		d.startOther() // and once more
		d.connected()
		d.types("again\n")
		d.soon()
		d.got(2, "again")
	})
}

// What waited for an agent whose last session is closed is not the draft of another one:
// its own finds it.
func TestQueueOfAClosedAgent(t *testing.T) {
	k := newDisk()
	two(t, func(d *driver, o *Options) { keepingTyped(k)(d, o); d.fake.Turn(slow) }, func(d *driver) {
		d.types("begin\nfor other\n")
		d.press("ctrl+s", "down", "ctrl+x")
		d.sees("press ctrl+x again to stop it")
		d.press("ctrl+x", "esc")
		d.soon()
		d.sees(" fake · ")
		d.misses("for other")
		d.draft("")
	})
	if got := k.draft(memory.Key{Agent: "other", Session: "s1"}); got != "for other" {
		t.Errorf("kept %q, of %v", got, k.drafts)
	}
}

// One agent ends: the other still works, and the first is restarted on its page.
func TestOneAgentGoes(t *testing.T) {
	two(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.types("two\ndraft")
		d.soon()
		d.switchTo("1 ")
		d.types("one\n")
		d.soon()
		d.Agents()[1].Close()
		d.soon()
		d.sees("working on one", "esc stop", "other has ended: ctrl+s")
		d.misses("The agent has ended", "✗")
		d.wait(4 * time.Second)
		d.sees("working on one, done")
		d.press("ctrl+s")
		d.sees("two  other", "disconnected")
		d.press("ctrl+t", "esc")
		d.switchTo("two")
		d.sees("The agent has ended · enter restarts it", "✗ ", "working on two")
		d.press("enter")
		d.connected()
		if len(d.Agents()) != 3 || d.Agents()[2].Name != "other" || d.Agents()[0].Closed() {
			t.Fatalf("%d agents", len(d.Agents()))
		}
		d.sees("started again", "working on two")
		d.draft("draft")
		d.press("enter")
		d.wait(4 * time.Second)
		d.got(2, "draft")
		d.got(0, "one")
		d.switchTo("one")
		d.types("more\n")
		d.wait(4 * time.Second)
		d.got(0, "one|more")
	})
}

// The list of sessions says what is impossible after the agent has ended.
func TestGoneAgentInTheOverview(t *testing.T) {
	two(t, keeping(`{"sessions":[{"sessionId":"k","title":"Kept"}]}`), func(d *driver) {
		d.press("ctrl+s")
		d.soon()
		d.press("esc")
		d.Agents()[1].Close()
		d.soon()
		d.press("ctrl+s", "ctrl+n")
		d.sees("The agent has ended")
		d.wait(6 * time.Second)
		d.press("ctrl+s")
		d.soon()
		d.types("kept")
		d.press("down", "ctrl+d")
		d.sees("The agent has ended")
		d.press("enter")
		d.sees("The agent has ended")
		d.types("/log\n") // needs no agent
		d.sees("╭ Log")
		d.draft("")
		d.press("esc")
		for _, words := range []string{"/new\n", "/login\n", "/logout\n", "/options\n", "a prompt\n"} {
			d.types(words) // enter restarts it
			d.connected()
			d.draft(strings.TrimSpace(words))
			d.press("ctrl+u")
			d.Agent().Close()
			d.soon()
		}
		d.types("/quit\n")
		d.wait(time.Second)
		if !d.quit {
			t.Errorf("/quit does not quit:\n%s", d.screen())
		}
	})
}

// Quitting ends all agents.
func TestQuitEndsBoth(t *testing.T) {
	two(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.types("two\n")
		d.soon()
		d.switchTo("1 ")
		d.press("ctrl+d")
		if s := d.screen(); s != "" && !d.quit {
			d.sees("ending fake, other…")
		}
		d.wait(time.Second)
		if !d.quit || !d.Agents()[0].Closed() || !d.Agents()[1].Closed() {
			t.Fatalf("quit %v; ended: fake %v, other %v", d.quit, d.Agents()[0].Closed(), d.Agents()[1].Closed())
		}
	})
}

func TestGoldenTwoAgents(t *testing.T) {
	t.Parallel()
	two(t, func(d *driver, o *Options) {
		keeping(twoKept)(d, o)
		o.Theme = "dark"
		d.fake.Turn(asking(push, usual))
	}, func(d *driver) {
		d.types("commit what there is\n")
		d.soon()
		d.switchTo("1 ")
		d.press("ctrl+s")
		d.soon()
		d.send(tea.WindowSizeMsg{Width: 40, Height: 12})
		d.golden("agents")
	})
}

// An agent with a tour says on its empty page what to type first.
func TestTour(t *testing.T) {
	drive(t, func(_ *driver, o *Options) {
		o.Agents[0].Tour = [][2]string{{"hunks", "Change a file"}, {"run ls", "Run a command"}}
	}, func(d *driver) {
		d.connected()
		d.sees("Type these one after another:", "    hunks     Change a file", "    run ls    Run a command")
		d.types("hello\n")
		d.soon()
		d.misses("Type these")
	})
}
