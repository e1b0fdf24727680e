package ui

import (
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
)

// Case 72: a session is loaded with its own directory, and replayed updates are history.
func TestLoad(t *testing.T) {
	answer := make(chan bool)
	drive(t, func(d *driver, o *Options) {
		keeping(oneKept)(d, o)
		answer = make(chan bool)
		d.fake.On("session/load", func(c *fakeagent.Call) (string, error) {
			c.Agent.Say("k1", "user", "what is wrong ")
			c.Agent.Say("k1", "user", "with the lexer?")
			c.Agent.Say("k1", "agent", "It counts **bytes**.")
			c.Agent.Update("k1", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read lex.go","kind":"read","status":"completed"}`)
			c.Agent.Say("k1", "user", "fix it")
			c.Agent.Say("k1", "agent", "Fixed.")
			<-answer
			return `null`, nil
		})
	}, func(d *driver) {
		d.connected()
		d.types("draft of one")
		d.switchTo("lexer")
		d.sees("▌ what is wrong with the lexer?", "It counts bytes.", "Read", "▌ fix it", "Fixed.", " loading")
		d.misses("running", "esc stop")
		if s := d.screen(); !(strings.Index(s, "what is wrong") < strings.Index(s, "It counts") && strings.Index(s, "Read") < strings.Index(s, "fix it") && strings.Index(s, "fix it") < strings.Index(s, "Fixed.")) {
			t.Errorf("not in order:\n%s", s)
		}
		if p := d.called("session/load", 1)[0]; !strings.Contains(p, `"sessionId":"k1"`) || !strings.Contains(p, `"cwd":"`+d.Cwd+`/lexer"`) || !strings.Contains(p, `"mcpServers":[]`) {
			t.Error(p)
		}
		d.press("ctrl+s")
		d.sees("2 Fix the lexer", "here · loading")
		d.misses("Saved by the agent") // it is open, not kept
		d.press("esc")
		d.types("and now?\n") // waits until it is open
		d.prompts("")
		d.sees(`queued 1  "and now?"`)
		close(answer)
		d.rest()
		d.prompts("and now?")
		d.sees("▌ and now?", "You said: and now?")
		d.misses("loading", "queued")
		d.switchTo("1 new")
		d.misses("Fixed.")
		d.draft("draft of one")
	})
}

// Cases 73, 79: the page of a session that cannot be loaded closes; the page that it was opened
// from is unchanged, and gets what was typed meanwhile.
func TestLoadFails(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		keeping(oneKept)(d, o)
		d.fake.On("session/load", func(c *fakeagent.Call) (string, error) {
			c.Agent.Say("k1", "user", "half of it")
			time.Sleep(time.Second)
			return "", fakeagent.Errorf(-32603, "the file is corrupt")
		})
	}, func(d *driver) {
		d.connected()
		d.types("hello\n/new\n")
		d.soon()
		d.press("ctrl+s", "home", "enter")
		d.sees("You said: hello")
		d.switchTo("lexer")
		d.sees("half of it")
		d.types("for the lexer\nmore")
		d.wait(2 * time.Second)
		d.sees("Load the session: the agent answered: the file is corrupt", "You said: hello")
		d.misses("half of it")
		d.draft("for the lexer")
		d.press("up")
		d.draft("more")
		d.Agent().Say("k1", "agent", "a late word")
		d.soon()
		d.misses("a late word")
		d.press("ctrl+s")
		d.sees("3/3", "Fix the lexer") // kept again, not open
		d.misses("3 Fix the lexer")
		d.prompts("hello")
	})
}

// Case 74: without load a session is resumed.
func TestResume(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		keeping(oneKept)(d, o)
		d.fake.Capabilities(`,"agentCapabilities":{"sessionCapabilities":{"list":{},"resume":{}}}`)
		d.fake.Answer("session/resume", `{"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask first"}]}}`)
	}, func(d *driver) {
		d.connected()
		d.switchTo("lexer")
		d.called("session/load", 0)
		d.called("session/resume", 1)
		d.sees("Ask first")
		d.misses("loading")
		d.types("go on\n")
		d.soon()
		d.sees("You said: go on")
	})
}

// Cases 79, 115: ctrl+x closes a session, after a second press if its turn is running. Later
// updates for it are dropped, also while another session is being opened.
func TestClose(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		keeping(`{"sessions":[]}`)(d, o)
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Ask(push, usual); return "cancelled" })
		d.fake.On("session/new", func(c *fakeagent.Call) (string, error) {
			if c.N == 3 {
				time.Sleep(time.Second)
			}
			return c.Default()
		})
	}, func(d *driver) {
		d.connected()
		d.types("/new\n")
		d.soon()
		d.types("two\n")
		d.soon()
		d.press("ctrl+s", "end", "ctrl+x")
		d.sees("Its turn is still running: press ctrl+x again")
		d.press("up", "down", "ctrl+x") // something else came between
		d.called("session/close", 0)
		d.press("ctrl+x", "ctrl+n")
		d.soon()
		if p := d.called("session/close", 1)[0]; p != `{"sessionId":"s2"}` {
			t.Error(p)
		}
		if _, outcomes, cancels := seen(d.Agent()); outcomes != "cancelled" || cancels != 1 {
			t.Errorf("%q, %d times session/cancel", outcomes, cancels)
		}
		d.Agent().Say("s2", "agent", "a word from the grave")
		d.wait(2 * time.Second)
		d.misses("grave", "two", "Stopped")
		d.Agent().Say("s3", "agent", "hello from the third")
		d.soon()
		d.sees("hello from the third")
		d.press("ctrl+s")
		d.sees("2/2", "1 New session", "2 New session")
		d.press("ctrl+x", "ctrl+x") // the other one first, then it is the only one
		d.soon()
		d.sees("This is the only open session")
		d.called("session/close", 2)
	})
}

// Case 79: without session/close a session is only forgotten.
func TestCloseWithoutTheCapability(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.types("/new\n")
		d.soon()
		d.press("ctrl+s", "ctrl+x")
		d.soon()
		d.sees("1/1", "Closed")
		d.called("session/close", 0)
		d.Agent().Say("s1", "agent", "late")
		d.soon()
		d.misses("late")
	})
}

// Case 77 and more: ctrl+d deletes after a second press, for the session that
// was asked about, even when the list has moved.
func TestDelete(t *testing.T) {
	list := `{"sessions":[{"sessionId":"a","title":"Same","cwd":"/a"},{"sessionId":"b","title":"Same","cwd":"/b"},{"sessionId":"c","title":"Other","cwd":"/c"}]}`
	drive(t, func(d *driver, o *Options) {
		keeping(list)(d, o)
		d.fake.On("session/list", func(*fakeagent.Call) (string, error) { return list, nil })
		d.fake.On("session/delete", func(c *fakeagent.Call) (string, error) {
			list = strings.Replace(list, `"sessionId":"`+c.ID+`","title":"Same"`, `"title":"gone"`, 1)
			return "", fakeagent.Errorf(-32002, "no such session") // already deleted
		})
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.press("down", "down", "ctrl+d") // the second of that title
		d.sees(`Delete "Same"? Press ctrl+d again to confirm`)
		d.m.Workspace.List() // a list comes in between
		d.run(d.m.sync())
		d.soon()
		d.press("ctrl+d")
		d.soon()
		if p := d.called("session/delete", 1)[0]; p != `{"sessionId":"b"}` {
			t.Fatalf("deleted %s", p)
		}
		d.sees("Deleted", "/a", "3/3")
		d.misses("/b")
		d.press("down", "ctrl+d", "ctrl+x", "ctrl+d", "down", "ctrl+d", "esc")
		d.soon()
		d.called("session/delete", 1)
	})
	drive(t, func(d *driver, o *Options) {
		keeping(twoKept)(d, o)
		d.fake.Fail("session/delete", -32603, "it is locked")
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.types("lexer")
		d.press("ctrl+d", "ctrl+d")
		d.soon()
		d.sees("Delete the session: the agent answered: it is locked", "Fix the lexer")
	})
}

// Opening a session can fail, and can be cancelled if the agent never answers.
func TestNewSessionFails(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.On("session/new", func(c *fakeagent.Call) (string, error) {
			switch c.N {
			case 2:
				return "", fakeagent.Errorf(-32603, "no more of them")
			case 3:
				<-c.Ctx.Done()
				return "", c.Ctx.Err()
			}
			return c.Default()
		})
	}, func(d *driver) {
		d.connected()
		d.types("hello\n/new\n")
		d.soon()
		d.sees("Open a session: the agent answered: no more of them", "You said: hello")
		d.types("/new\n")
		d.soon()
		d.sees("opening")
		d.types("too early\ndraft")
		d.prompts("hello")
		d.types(" ")
		d.press("ctrl+u")
		d.types("/new\n")
		d.sees("A session is already being opened")
		d.press("ctrl+s")
		d.sees("2/2")
		d.press("end", "ctrl+x")
		d.soon()
		d.sees("You said: hello", "was cancelled")
		d.draft("too early")
		d.press("ctrl+u")
		d.types("/new\n")
		d.soon()
		d.types("fourth\n")
		d.soon()
		d.sees("You said: fourth")
		d.misses("hello")
	})
}
