package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// tales are the events of a session that was logged.
func tales(session string) []event.Event {
	in := func(n uint64) event.For {
		return event.For{Session: session, Wire: event.Span{First: n, Last: n}}
	}
	title, kind, status, raw := "Read lex.go", "read", "in_progress", `{"path":"lex.go"}`
	at := time.Date(2026, 2, 27, 18, 5, 0, 0, time.UTC)
	return []event.Event{
		event.TurnStarted{For: event.For{Session: session}, Text: "what is wrong with the lexer?", At: at, Request: 3},
		event.TextArrived{For: in(4), Role: event.Agent, Text: "It counts bytes."},
		event.ToolChanged{For: in(5), ID: "t", Title: &title, Kind: &kind, Status: &status, RawInput: &raw, At: at},
		event.TurnEnded{For: in(6), StopReason: "end_turn", At: at.Add(time.Minute)},
		event.TurnStarted{For: event.For{Session: session}, Text: "fix it", At: at.Add(time.Hour), Request: 7},
		event.TextArrived{For: in(8), Role: event.Agent, Text: "I am on it"},
	}
}

// loggedTwo has logs of two sessions, one of an agent that is not known here.
func loggedTwo(_ *driver, o *Options) {
	o.Logs = func() ([]workspace.Logged, error) {
		return []workspace.Logged{
			{Agent: "fake", Session: "old", Cwd: "/home/ada/src/lexer", Title: "Mend the lexer", Updated: time.Date(2026, 2, 27, 18, 5, 0, 0, time.UTC), Prompts: 2,
				Replay: func(_ context.Context, sink event.Sink) error {
					for _, e := range tales("old") {
						sink.Post(e)
					}
					return nil
				},
				Messages: func(_ context.Context, _ string, spans []event.Span, request int64) ([]workspace.Message, error) {
					if request == 7 {
						return []workspace.Message{{Out: true, JSON: []byte(`{"id":7,"method":"session/prompt"}`)}}, nil
					}
					return nil, errors.New("the log is damaged")
				}},
			{Agent: "elder", Session: "older", Cwd: "/srv/site", Replay: func(context.Context, event.Sink) error { return errors.New("line 3 is no JSON") }},
		}, nil
	}
}

// The log of a typed command is listed under the name that the agent gives itself; the name of
// the program, such as env, says nothing.
func TestLoggedOfACommand(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		loggedTwo(d, o)
		logs := o.Logs
		o.Logs = func() ([]workspace.Logged, error) {
			two, err := logs()
			two[0].Agent, two[0].Name = "env", "Elder Agent"
			return two, err
		}
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.sees("Mend the lexer  Elder Agent")
		d.types("mend\n")
		d.soon()
		d.sees("Read-only log: Elder Agent is not running", " Elder Agent · read-only log")
		d.misses("env ")
	})
}

// Sessions that exist only as logs are listed, searched and read, and accept no prompt.
func TestLogged(t *testing.T) {
	drive(t, loggedTwo, func(d *driver) {
		d.connected()
		d.types("hello\ndraft of fake")
		d.soon()
		d.press("ctrl+s")
		d.soon()
		d.sees("From parley's logs, read-only", "Mend the lexer  fake  ~/src/lexer", "2026-02-27", "Untitled        elder  /srv/site", "3/3")
		d.press("down", "ctrl+d")
		d.sees("Only closed sessions saved by the agent")
		d.press("ctrl+x")
		d.sees("Only an open session can be closed")
		d.types("mend\n")
		d.soon()
		d.sees("▌ what is wrong with the lexer?", "18:05", "It counts bytes.", "Read lex.go", "▌ fix it", "I am on it", " fake · read-only log", "ctrl+s sessions")
		d.misses("hello", "running", "The agent has ended", "opening")
		d.sees("› Read-only log: fake cannot resume sessions · ctrl+s for another")
		d.types("and now")
		d.draft("")
		d.send(tea.PasteMsg{Content: "and now"})
		d.draft("")
		d.types("/nothing\n")
		d.soon()
		d.draft("/nothing")
		d.prompts("hello")
		d.wait(6 * time.Second)
		d.press("ctrl+s")
		d.soon()
		d.sees("2 Mend the lexer", "here · read-only log", "3/3")
		d.misses("Mend the lexer  fake  ~/src/lexer")
		d.press("home", "enter")
		d.sees("You said: hello")
		d.draft("draft of fake")
		d.switchTo("mend")
		d.draft("/nothing")
		d.press("ctrl+s", "end", "up", "ctrl+x")
		d.soon()
		d.sees("You said: hello", "3/3", "Mend the lexer  fake  ~/src/lexer")
		d.misses("2 Mend the lexer")
		d.press("esc")
		d.draft("draft of fake")
		d.press("ctrl+u")
		d.types("more\n")
		d.soon()
		d.prompts("hello|more")
	})
}

// Parley's own commands work there if they need no agent.
func TestCommandsOfALoggedSession(t *testing.T) {
	drive(t, loggedTwo, func(d *driver) {
		d.connected()
		d.switchToLogged("mend")
		for _, c := range []struct{ words, seen string }{
			{"/log\n", "╭ Log"}, {"/plan\n", "╭ Plan"}, {"/help\n", "╭ Keys"}, {"/sessions\n", "╭ Sessions"}, {"/work\n", "╭ Running"},
		} {
			d.types(c.words)
			d.sees(c.seen)
			d.press("esc")
			d.draft("")
		}
		for _, words := range []string{"/login\n", "/logout\n", "/new\n"} {
			d.types(words)
			d.sees("Read-only log: fake cannot")
			d.press("ctrl+u")
			d.wait(6 * time.Second)
		}
		d.types("/options\n")
		d.press("shift+tab", "f3", "esc", "f4", "esc")
		d.wait(time.Second) // twice at once would be the turns
		d.press("esc", "up", "ctrl+c")
		d.sees("Read lex.go")
		d.types("/quit\n")
		d.soon()
		if !d.quit {
			t.Error("/quit does not quit")
		}
	})
}

// switchToLogged opens a session from the logs.
func (d *driver) switchToLogged(text string) {
	d.t.Helper()
	d.press("ctrl+s")
	d.soon()
	d.types(text + "\n")
	d.soon()
}

// The messages of an entry come from the same log.
func TestItemMessagesOfALog(t *testing.T) {
	drive(t, loggedTwo, func(d *driver) {
		d.connected()
		d.switchToLogged("mend")
		d.press("tab", "G", "{")
		d.selected("fix it")
		d.press("i")
		d.soon()
		d.sees("╭ Messages", "from parley", `"method": "session/prompt"`)
		d.press("esc", "j", "i")
		d.soon()
		d.sees("The log is damaged")
		d.press("esc")
		d.types("/x")
		d.draft("/x")
	})
}

// A log that cannot be read says so on its page, with what could be read.
func TestLogThatCannotBeRead(t *testing.T) {
	drive(t, loggedTwo, func(d *driver) {
		d.connected()
		d.switchToLogged("srv")
		d.sees("The log cannot be read: line 3 is no JSON")
		d.press("ctrl+s")
		d.sees("2 New session", "here · read-only log")
		d.press("end", "up", "ctrl+x", "esc")
		d.types("hello\n")
		d.soon()
		d.prompts("hello")
	})
	drive(t, func(_ *driver, o *Options) {
		o.Logs = func() ([]workspace.Logged, error) { return nil, errors.New("the logs cannot be listed") }
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.sees("The logs cannot be listed", "1 New session")
	})
}

// A long replay is cancelled by closing its page.
func TestReplayGivenUp(t *testing.T) {
	gaveUp := false
	drive(t, func(_ *driver, o *Options) {
		o.Logs = func() ([]workspace.Logged, error) {
			return []workspace.Logged{{Agent: "fake", Session: "long", Title: "A long one", Replay: func(ctx context.Context, sink event.Sink) error {
				<-ctx.Done()
				gaveUp = true
				return ctx.Err()
			}}}, nil
		}
	}, func(d *driver) {
		d.connected()
		d.switchToLogged("long")
		d.sees("read-only log")
		d.press("ctrl+s", "end", "ctrl+x")
		d.soon()
		if !gaveUp {
			t.Error("the replay did not stop")
		}
		d.sees("Reading the log was cancelled")
		d.press("esc")
		d.types("hello\n")
		d.soon()
		d.prompts("hello")
	})
}

// A session that the agent has saved and can open is not listed twice; if the agent cannot open
// it, its log can be read.
func TestLoggedAndKept(t *testing.T) {
	list := `{"sessions":[{"sessionId":"old","cwd":"/home/ada/src/lexer","title":"Of the agent"}]}`
	drive(t, func(d *driver, o *Options) { loggedTwo(d, o); keeping(list)(d, o) }, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.sees("Of the agent", "Untitled", "3/3")
		d.misses("Mend the lexer")
	})
	drive(t, func(d *driver, o *Options) {
		loggedTwo(d, o)
		keeping(list)(d, o)
		d.fake.Capabilities(`,"agentCapabilities":{"sessionCapabilities":{"list":{}}}`)
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.sees("Of the agent", "Mend the lexer", "4/4")
	})
}

// Another agent is started beside a page that is read from a log.
func TestAgentBesideALoggedSession(t *testing.T) {
	drive(t, loggedTwo, func(d *driver) {
		d.connected()
		d.switchToLogged("mend")
		d.startOther()
		d.connected()
		d.types("hi\n")
		d.soon()
		d.got(1, "hi")
		d.switchTo("mend")
		d.sees("I am on it", "read-only log")
		d.switchTo("1 ")
		d.types("hello\n")
		d.soon()
		d.got(0, "hello")
	})
}

// A log is as hostile as its agent was.
func TestHostileLog(t *testing.T) {
	for _, h := range []string{"\x1b]52;c;aGk=\x07", "\x1b[2J", "\u202egnp.exe\u2066", "a\nb\rc", strings.Repeat("w", 5000)} {
		drive(t, func(_ *driver, o *Options) {
			o.Logs = func() ([]workspace.Logged, error) {
				return []workspace.Logged{{Agent: "fake", Session: h, Cwd: h, Title: "Odd", Replay: func(context.Context, event.Sink) error { return nil },
					Messages: func(context.Context, string, []event.Span, int64) ([]workspace.Message, error) { return nil, nil }}}, nil
			}
		}, func(d *driver) {
			d.connected()
			d.press("ctrl+s")
			d.soon()
			d.sees("Odd")
			d.types("odd\n")
			d.soon()
			d.sees("read-only log")
		})
	}
}

func TestGoldenLogged(t *testing.T) {
	t.Parallel()
	drive(t, func(d *driver, o *Options) { loggedTwo(d, o); o.Theme = "light" }, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.golden("logs")
		d.types("mend\n")
		d.soon()
		d.golden("logged")
	})
}

// A session that the agent cannot open again is offered from its log.
func TestResumeFromTheLog(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		loggedTwo(d, o)
		o.Resume = "old"
		d.Dial = func(int, workspace.Spec) error {
			return fmt.Errorf("%w: the agent cannot reopen sessions", event.ErrNoSession)
		}
	}, func(d *driver) {
		d.soon()
		d.sees("the agent cannot reopen sessions", "ctrl+r read its log", "enter start a new one")
		d.types("a draft")
		d.press("ctrl+r")
		d.soon()
		d.sees("read-only log")
		d.misses("Starting fake")
		d.draft("a draft")
		if n := len(d.m.Workspace.Sessions()); n != 1 {
			t.Errorf("%d pages", n)
		}
	})
	drive(t, func(d *driver, o *Options) {
		loggedTwo(d, o)
		o.Resume = "never heard of"
		d.Dial = func(int, workspace.Spec) error { return errors.New("no such session") }
	}, func(d *driver) {
		d.soon()
		d.sees("no such session", "enter try again")
		d.misses("parley's log")
		d.press("ctrl+r")
		d.sees("enter try again")
	})
}

// An agent that can load sessions but not list them can open those in parley's logs. One that
// it refuses is read from the log, with the reason.
func TestLoggedOfAnAgentWithoutAList(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		loggedTwo(d, o)
		d.fake.Capabilities(loads)
		d.fake.On("session/load", func(c *fakeagent.Call) (string, error) {
			c.Agent.Say("old", "agent", "as the agent has it")
			return "null", nil
		})
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.sees("fake does not list sessions; those in parley's logs can be opened", "From parley's logs", "Mend the lexer  fake", "From parley's logs, read-only", "Untitled        elder")
		d.types("mend\n")
		d.soon()
		d.sees("as the agent has it")
		d.misses("I am on it", "read-only log")
		d.types("go on\n")
		d.wait(200 * time.Millisecond)
		d.prompts("go on")
	})
	drive(t, func(d *driver, o *Options) {
		loggedTwo(d, o)
		o.Agents[0].Custom = true
		d.fake.Capabilities(loads)
		d.fake.Fail("session/load", -32603, "Invalid session")
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.types("mend\n")
		d.soon()
		d.sees("I am on it", "Read-only log: Fake agent refused it: Invalid session (-32603)")
		d.wait(6 * time.Second)
		d.sees("read-only log")
		d.types("go on\n")
		d.sees("Read-only log: Fake agent refused it: Invalid session (-32603)")
		d.draft("")
	})
}
