package ui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/fakeagent"
	"parley/internal/workspace"
	"parley/ui/uitest"
)

// keeps are the capabilities of an agent that keeps sessions.
const keeps = `,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{}}}`

// twoKept is a list of two sessions; the second has no title.
const twoKept = `{"sessions":[
	{"sessionId":"k1","cwd":"/home/ada/src/lexer","title":"Fix the lexer","updatedAt":"2026-02-27T18:05:00Z"},
	{"sessionId":"k2","cwd":"/srv/site","updatedAt":"garbage"}]}`

// oneKept is one session, in a directory that is there.
const oneKept = `{"sessions":[{"sessionId":"k1","cwd":"DIR/lexer","title":"Fix the lexer"}]}`

// keeping makes the agent one that keeps these sessions, below DIR.
func keeping(list string) func(*driver, *Options) {
	return func(d *driver, _ *Options) {
		if err := os.MkdirAll(filepath.Join(d.Cwd, "lexer"), 0o755); err != nil {
			d.t.Fatal(err)
		}
		list := strings.ReplaceAll(list, "DIR", d.Cwd)
		d.fake.Capabilities(keeps)
		d.fake.On("session/list", func(*fakeagent.Call) (string, error) { return list, nil })
		for _, m := range []string{"session/close", "session/delete", "session/load", "session/resume"} {
			d.fake.Answer(m, `{}`)
		}
	}
}

// called checks how often the agent was asked for something.
func (d *driver) called(method string, times int) []string {
	d.t.Helper()
	got := d.Agent().Calls(method)
	if len(got) != times {
		d.t.Fatalf("%d times %s, want %d: %q\n%s", len(got), method, times, got, d.screen())
	}
	return got
}

// soon lets answers and frames come.
func (d *driver) soon() { d.t.Helper(); d.wait(50 * time.Millisecond) }

// switchTo shows the session in the overview that the text filters out.
func (d *driver) switchTo(text string) {
	d.t.Helper()
	d.press("ctrl+s")
	d.soon()
	d.types(text)
	d.press("enter")
	d.soon()
}

func TestOverview(t *testing.T) {
	drive(t, keeping(twoKept), func(d *driver) {
		d.connected()
		d.types("draft")
		d.press("ctrl+s")
		d.soon()
		d.sees("╭ Sessions", "Open", "1 New session", "here · idle", "Saved by the agent", "Fix the lexer", "~/src/lexer", "2026-02-27",
			"Untitled", "/srv/site", "3/3", "ctrl+n new · ctrl+t agent")
		d.misses("0001", "garbage")
		d.types("srv") // directories are searched, too
		d.sees("1/3", "Untitled")
		d.misses("Fix the lexer")
		d.press("esc")
		d.sees("3/3")
		d.send(tea.PasteMsg{Content: "lexer\n"}) // goes where typing goes
		d.sees("1/3", "Fix the lexer")
		d.press("esc", "esc")
		d.misses("╭ Sessions")
		d.draft("draft")
		d.press("ctrl+s", "ctrl+c") // closes it and nothing else
		d.misses("╭ Sessions", "quit")
		d.draft("draft")
		d.press("ctrl+u")
		d.types("/sessions\n")
		d.sees("╭ Sessions")
		d.called("session/list", 3)
		d.prompts("")
	})
}

// Sessions are found by what was said in them, and by how their first prompt begins.
func TestSessionsByContent(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		keeping(twoKept)(d, o)
		o.Logs = func() ([]workspace.Logged, error) {
			return []workspace.Logged{{Agent: "fake", Session: "k1", Title: "Fix the lexer", First: "Tokens of Ünicode are cut"}}, nil
		}
	}, func(d *driver) {
		d.connected()
		d.types("count the Bytes\n")
		d.rest()
		d.types("and then\n")
		d.rest()
		d.press("ctrl+s")
		d.soon()
		d.sees("1 count the Bytes  "+strings.Replace(uitest.Dir, "/home/ada", "~", 1), "3/3")
		d.types("ünicode cut")
		d.sees("1/3", "Fix the lexer")
		d.misses("without a title")
		d.press("esc")
		d.types("said bytes") // the agent's words and the user's
		d.sees("1/3", "1 count the Bytes")
		d.press("esc")
		d.types("syntax")
		d.sees("0/3")
	})
}

// What parley run made in other directories is listed only when something is typed.
func TestSessionsOfRuns(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		keeping(twoKept)(d, o)
		o.Logs = func() ([]workspace.Logged, error) {
			return []workspace.Logged{
				{Agent: "fake", Session: "k1", First: "nightly check", Run: true},
				{Agent: "fake", Session: "k2", Run: true, Here: true},
				{Agent: "other", Session: "k1", Title: "A chat elsewhere", Cwd: "/srv"},
				{Agent: "other", Session: "k3", Title: "Nightly build", Cwd: "/srv", Run: true},
			}, nil
		}
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.sees("╭ Sessions · 2 more of parley run in other directories: type run ─", "3/5", "Untitled          /srv/site  parley run", "A chat elsewhere")
		d.misses("Fix the lexer", "Nightly build")
		d.types("nightly")
		d.sees("2/5", "Fix the lexer", "Nightly build")
		d.misses("type run")
		d.press("esc")
		d.types("run")
		d.sees("3/5", "Fix the lexer", "Untitled", "Nightly build")
	})
}

// A session that is not open says how long ago it was used.
func TestSessionsAge(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		keeping(`{"sessions":[{"sessionId":"k1","cwd":"/srv","title":"Fix","updatedAt":"`+time.Now().Add(-3*time.Hour).Format(time.RFC3339)+`"}]}`)(d, o)
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.sees("Fix            /srv", "3 h ago")
	})
}

// That a list is not complete is also said while one searches for what is not in it.
func TestSessionsIncomplete(t *testing.T) {
	const endless = `{"sessions":[{"sessionId":"k1","cwd":"/srv","title":"Fix"},{"sessionId":"k2","cwd":"/srv","title":"Tidy"}],"nextCursor":"x"}`
	drive(t, keeping(endless), func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.sees("Only 2 sessions are listed")
		d.types("more")
		d.sees("No match", "Only 2 sessions are listed")
	})
}

// What the agent cannot do is said, and not asked of it.
func TestAgentKeepsNothing(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.sees("fake does not list sessions", "1 New session")
		d.press("ctrl+d")
		d.sees("Only closed sessions saved by the agent")
		d.press("ctrl+x")
		d.sees("This is the only open session")
		d.press("esc")
		d.called("session/list", 0)
	})
	drive(t, func(d *driver, o *Options) {
		keeping(twoKept)(d, o)
		d.fake.Capabilities(`,"agentCapabilities":{"sessionCapabilities":{"list":{}}}`)
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.types("lexer")
		d.press("ctrl+d")
		d.sees("This agent cannot delete sessions")
		d.press("ctrl+x")
		d.sees("Only an open session can be closed")
		d.press("enter")
		d.soon()
		d.sees("The agent cannot reopen sessions")
		d.called("session/load", 0)
		d.called("session/resume", 0)
		d.called("session/delete", 0)
	})
}

func TestListFails(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		keeping("")(d, o)
		d.fake.Fail("session/list", -32603, "the index is broken")
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.sees("the index is broken", "1 New session")
	})
}

// Case 76: odd items of a list are shown safely, on every size.
func TestOddListItems(t *testing.T) {
	long := strings.Repeat("long ", 1000)
	drive(t, keeping(`{"sessions":[{"sessionId":"a","cwd":"/x\u001b[2J/\u202ey","title":"T\u001b]0;x\u0007\u202e\nU"},{"sessionId":"b\u001b[2J","title":"`+long+`","updatedAt":"99"},{"sessionId":"c","title":42,"cwd":7}]}`), func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.sees("T", "long long", "Untitled", "4/4")
		for _, size := range [][2]int{{20, 6}, {40, 12}, {160, 50}, {80, 24}} {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			d.press("down", "ctrl+d")
		}
		d.press("end", "enter")
		d.soon()
		if p := d.called("session/load", 1)[0]; !strings.Contains(p, `"cwd":"`+d.Cwd) {
			t.Errorf("a session without a directory is opened with %s", p)
		}
	})
}

// Cases 78, 80: several sessions of one connection. What comes for one is shown
// there, also when it comes before the answer that names the session.
func TestTwoSessions(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.On("session/new", func(c *fakeagent.Call) (string, error) {
			id := fmt.Sprintf("s%d", c.N)
			c.Agent.Say(id, "agent", "welcome to "+id)
			c.Agent.Update(id, `{"sessionUpdate":"session_info_update","title":"Title of `+id+`"}`)
			return c.Default()
		})
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Say("working on " + t.Text)
			t.Wait(3 * time.Second)
			t.Say(", done with " + t.Text)
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.sees("welcome to s1")
		d.types("one\nqueued here\ndraft of one")
		d.types("") // the draft stays while another is opened
		d.press("ctrl+s", "ctrl+n")
		d.soon()
		d.sees("welcome to s2")
		d.misses("s1", "one", "queued")
		d.draft("")
		d.types("two\ndraft of two")
		d.soon()
		d.sees("working on two", "running 0s")
		d.misses("working on one")
		d.Agent().Say("s1", "agent", " and on")
		d.Agent().Say("s2", "agent", " and so on")
		d.soon()
		d.sees("working on two and so on")
		if got := strings.Join(d.agentPrompts(), "|"); got != "one|two" {
			t.Fatalf("the agent got %q", got)
		}
		d.press("ctrl+s")
		d.sees("1 Title of s1", "running", "2 Title of s2", "here · running")
		d.press("home", "enter")
		d.soon()
		d.sees("working on one and on", `queued 1  "queued here"`)
		d.misses("two")
		d.draft("draft of one")
		d.wait(3 * time.Second) // both turns end, and the queue of this one is sent
		d.sees("done with one", "working on queued here", "Another session is done: ctrl+s")
		d.misses("done with two")
		d.press("ctrl+s")
		d.sees("2 • Title of s2", "unread")
		d.types("s2\n")
		d.sees("done with two")
		d.draft("draft of two")
		d.press("ctrl+s")
		d.misses("unread")
		d.press("esc")
		d.wait(4 * time.Second)
		d.sees("Another session is done")
	})
}

// agentPrompts are the prompts of all sessions.
func (d *driver) agentPrompts() []string {
	p, _, _ := seen(d.Agent())
	return strings.Split(p, "|")
}

// A session that continues with a queued prompt is not done.
func TestQueueInTheBackground(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("one\ntwo\n/new\n")
		d.soon()
		d.wait(3 * time.Second)
		d.prompts("one|two")
		d.misses("Another session is done")
		d.wait(3 * time.Second)
		d.sees("Another session is done")
	})
}

// The clock of a running turn is right when its page is shown again.
func TestClockAfterSwitching(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Hour); return "end_turn" })
	}, func(d *driver) {
		d.connected()
		d.types("one\n/new\n")
		d.wait(5 * time.Second)
		d.press("ctrl+s", "home", "enter")
		d.wait(5 * time.Second)
		d.sees("running 10s")
	})
}

// Case 80: a question belongs to its session, and what was typed on another
// page does not answer it.
func TestQuestionOfAnotherSession(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Wait(time.Second)
			return asking(push, usual)(t)
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n/new\n")
		d.wait(2 * time.Second)
		d.sees("1 waits · alt+w")
		d.misses("fake asks")
		d.press("y", "backspace")
		d.rest()
		d.press("y") // there is no question here
		d.wait(time.Second)
		d.outcomes("")
		d.draft("y")
		d.press("ctrl+u", "ctrl+s")
		d.sees("1 ● go", "waiting for you")
		d.press("home", "enter")
		d.sees("fake asks")
		d.press("y") // at once: no answer
		d.outcomes("")
		d.rest() // now it would take it
		d.press("ctrl+s", "end", "enter", "ctrl+s", "home", "enter", "y")
		d.wait(100 * time.Millisecond)
		d.outcomes("") // but not right after another page
		d.draft("")
		d.rest()
		d.press("y")
		d.soon()
		d.outcomes("ok")
		d.sees("answered: ok")
	})
}

// The agent goes with several sessions open: every page says so, and starting
// again keeps the page one looks at and drops the others.
func TestDisconnectedSessions(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("one\n/new\n")
		d.soon()
		d.types("two\ndraft")
		d.soon()
		d.Agent().Close()
		d.soon()
		d.sees("working on two", "✗ ", "The agent has ended · enter restarts it")
		d.press("ctrl+s")
		d.sees("1 • one", "2 two", "disconnected")
		d.press("home", "enter")
		d.sees("working on one", "The agent has ended")
		d.switchTo("2 two")
		d.press("enter")
		d.connected()
		d.sees("working on two", "started again")
		d.misses("The agent has ended", "working on one")
		d.draft("draft")
		d.press("ctrl+s")
		d.sees("1/1", "1 two")
		d.press("esc", "enter")
		d.wait(4 * time.Second)
		d.prompts("draft")
		d.sees("working on draft, done")
	})
}

func TestGoldenSessions(t *testing.T) {
	t.Parallel()
	drive(t, func(d *driver, o *Options) {
		o.Theme = "dark"
		keeping(twoKept)(d, o)
		d.fake.Turn(asking(push, usual))
	}, func(d *driver) {
		d.connected()
		d.types("commit what there is\n")
		d.soon()
		d.types("/new\n")
		d.soon()
		d.types("what is left to do?")
		d.press("ctrl+s")
		d.soon()
		d.golden("sessions")
		d.types("lexer")
		d.press("ctrl+d")
		d.golden("sessions-delete")
		d.press("ctrl+e")
		d.types(" and its tests")
		d.golden("sessions-rename")
	})
}

// The logs are searched for what is typed, and the list shows where it was found.
func TestSessionsByLog(t *testing.T) {
	said := func(text string) func(context.Context, []string, int64) (map[string]string, int64) {
		return func(_ context.Context, words []string, _ int64) (map[string]string, int64) {
			time.Sleep(time.Second)
			found := map[string]string{}
			for _, w := range words {
				if strings.Contains(text, w) {
					found[w] = "…" + text
				}
			}
			return found, 1
		}
	}
	drive(t, func(d *driver, o *Options) {
		keeping(twoKept)(d, o)
		o.Logs = func() ([]workspace.Logged, error) {
			return []workspace.Logged{{Agent: "fake", Session: "k1", Title: "Fix the lexer", Search: said("tokens are cut")}, {Agent: "gone", Session: "k9", Title: "Old", Cwd: "/old", Search: said("syntax trees are cut")}}, nil
		}
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.types("cut")
		d.sees("0/4", "╭ Sessions · searching logs… ─")
		d.wait(1300 * time.Millisecond)
		d.sees("1/4", "Fix the lexer  …tokens are cut", "searching")
		d.wait(time.Second)
		d.sees("2/4", "Fix the lexer  …tokens are cut", "Old            …syntax trees are cut", "╭ Sessions ─")
		d.types(" trees")
		d.wait(3 * time.Second)
		d.sees("1/4", "Old  …syntax trees are cut")
		d.press("ctrl+u")
		d.sees("4/4", "/old")
		d.types("absent")
		d.press("esc", "esc")
		if d.m.Workspace.Searching() != workspace.SearchNone {
			t.Error("the search continues without the list")
		}
	})
}
