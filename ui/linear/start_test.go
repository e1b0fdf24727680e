package linear

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/transport"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

func TestAgentDoesNotStart(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.Dial = func(n int, _ workspace.Spec) error {
			if n == 1 {
				return &event.ExitError{Code: 3, Stderr: []string{"no key"}}
			}
			return nil
		}
	}, func(r *rig) {
		r.wants("parley, line mode, in "+r.opts.Cwd+". /help lists the commands.", "Starting fake: fake --acp",
			"fake did not start: the agent exited with code 3", "Last lines of its stderr:", "  no key",
			"Check whether the command works in a terminal: fake --acp",
			"What next?", "1. Try again", "2. Another agent", "3. Quit", "0. None of these", "Answer 0 to 3:")
		r.types("hello there")
		r.pause()
		r.types("1")
		r.sees("Queued as prompt 1", "Connected: fake 1.2.", "You: hello there", "fake: You said: hello there")
	})
}

// If the agent that was to open a session does not start, parley's log of the session can be read.
func TestReadLogInstead(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.Dial = func(int, workspace.Spec) error { return errors.New("nobody is there") }
		r.opts.Resume = "old"
		r.opts.Logs = func() ([]workspace.Logged, error) {
			return []workspace.Logged{{Agent: "fake", Session: "old", Title: "Parser", Replay: func(_ context.Context, sink event.Sink) error {
				sink.Post(event.TextArrived{For: event.For{Session: "old"}, Role: event.Agent, Text: "as it was logged"})
				return nil
			}}}, nil
		}
	}, func(r *rig) {
		r.sees("fake did not start: nobody is there", "What next?", "1. Try again", "There is a log of the session.", "What next?", "1. Read the log", "2. Try again", "Answer 0 to 4:")
		r.pause()
		r.types("1")
		r.sees("as it was logged")
	})
}

func TestSlowStart(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.On("initialize", func(c *fakeagent.Call) (string, error) { time.Sleep(11 * time.Second); return c.Default() })
	}, func(r *rig) {
		r.types("early")
		time.Sleep(12 * time.Second)
		r.wants("parley, line mode, in "+r.opts.Cwd+". /help lists the commands.", "Starting fake: fake --acp",
			"Queued as prompt 1.", "Still starting, 10 seconds.", "Connected: fake 1.2.", "You: early", "fake: You said: early", "Turn ended.")
	})
}

func TestInsecureAndShared(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.opts.Agents = []workspace.Spec{{Name: "fake", Command: "wss://h/acp", Remote: true, Shared: true, Warning: "any certificate is accepted"}}
	}, func(r *rig) {
		r.sees("Connecting to fake: wss://h/acp", "Warning: any certificate is accepted.", "Notice: fake is remote and can read and write files on this machine.")
	})
}

// Enter restarts an agent that has ended, and queued prompts are sent then.
func TestAgentGoesAway(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			if tn.Text == "die" {
				tn.Agent.Close()
			}
			return "end_turn"
		})
	}, func(r *rig) {
		r.types("die")
		r.sees("The turn ended with an error", "fake has ended. Press enter to restart it")
		r.types("more", "")
		r.sees("Queued as prompt 1: the agent has ended.", "Notice: started again", "Connected", "You: more", "Turn ended: fake said nothing.")
		if prompts, _, _ := r.seen(); prompts != "more" || len(r.Agents()) != 2 {
			t.Errorf("sent to the second of %d: %q", len(r.Agents()), prompts)
		}
	})
}

const methods = `,"authMethods":[{"id":"own","name":"With the browser"},{"id":"key","name":"With a key","type":"env_var","vars":[{"name":"FAKE_KEY","label":"the key","secret":true}]},{"id":"term","name":"In a terminal","type":"terminal"}]`

// locked is an agent that opens a session only after a login.
func locked(r *rig) {
	in := false
	r.fake.Capabilities(methods)
	r.fake.On("authenticate", func(c *fakeagent.Call) (string, error) { in = true; return "{}", nil })
	r.fake.On("session/new", func(c *fakeagent.Call) (string, error) {
		if !in && c.Agent.Env["FAKE_KEY"] != "k1" {
			return "", fakeagent.Errorf(-32000, "who are you?")
		}
		return `{"sessionId":"s1"}`, nil
	})
}

func TestLogin(t *testing.T) {
	talkTo(t, locked, func(r *rig) {
		r.sees("fake requires a login", "How do you want to log in to fake?", "1. With the browser, by the agent", "2. With a key, asks for 1 value",
			"3. In a terminal, not supported", "4. Another agent", "Answer 0 to 4:")
		r.types("1")
		r.sees("does not answer it")
		r.pause()
		r.types("3")
		r.pause()
		r.types("1")
		r.sees("parley cannot log in this way: it needs a terminal", "Logging in: With the browser.", "Logged in.", "Connected: fake 1.2.")
	})
}

// What the agent prints for a login is printed while it waits, with complete addresses. An
// agent known only by its command is called by the name that it reports.
func TestAddressOfALogin(t *testing.T) {
	address := "https://login.example.org/?code=" + strings.Repeat("0123456789abcdef", 40)
	var log *event.Log
	talkTo(t, func(r *rig) {
		locked(r)
		r.opts.Agents[0].Custom = true
		connect := r.opts.Connect
		r.opts.Connect = func(ctx context.Context, a workspace.Spec, sink event.Sink, l *event.Log) (*workspace.Connection, error) {
			log = l
			return connect(ctx, a, sink, l)
		}
		r.fake.On("authenticate", func(c *fakeagent.Call) (string, error) {
			log.Add(event.LogStderr, "visit "+address)
			time.Sleep(time.Minute)
			return "", fakeagent.Errorf(-32603, "too late")
		})
	}, func(r *rig) {
		r.sees("How do you want to log in to Fake agent?")
		r.pause()
		r.types("1")
		time.Sleep(5 * time.Second) // the bubble's time
		r.sees("Logging in: With the browser.", "stderr of Fake agent: visit "+address+"\n")
		time.Sleep(time.Minute)
		r.sees("Login failed: log in: the agent answered: too late")
	})
}

func TestLoginWithAKey(t *testing.T) {
	talkTo(t, locked, func(r *rig) {
		r.pause()
		r.fresh()
		r.types("2", "", " k1 ")
		r.wants("The agent is restarted with what you type; parley keeps it in memory only.", "Type the key, FAKE_KEY; /cancel cancels:",
			"An answer is needed.", "Type the key, FAKE_KEY; /cancel cancels:", "Starting fake: fake --acp", "Connected: fake 1.2.")
		if env := r.Agent().Env; env["FAKE_KEY"] != "k1" {
			t.Errorf("started with %d variables", len(env))
		}
		if strings.Contains(r.out.text(), "k1") {
			t.Error("the key is written")
		}
	})
}

// An agent gets the key that the user typed for its login.
func TestLoginWithATypedKey(t *testing.T) {
	talkTo(t, func(r *rig) {
		in := false
		r.fake.Capabilities(`,"authMethods":[{"id":"api-key","name":"API key","_meta":{"api-key":{}}}]`)
		r.fake.On("authenticate", func(c *fakeagent.Call) (string, error) {
			if in = c.Params == `{"_meta":{"api-key":{"apiKey":"k1"}},"methodId":"api-key"}`; !in {
				return "", fakeagent.Errorf(-32603, "FAKE_API_KEY is not set")
			}
			return "{}", nil
		})
		r.fake.On("session/new", func(c *fakeagent.Call) (string, error) {
			if !in {
				return "", fakeagent.Errorf(-32000, "who are you?")
			}
			return c.Default()
		})
	}, func(r *rig) {
		r.pause()
		r.fresh()
		r.types("1", "")
		r.sees("The agent gets what you type and may keep it; parley does not.", "Type the API key; empty uses the one in its environment; /cancel cancels:",
			"set FAKE_API_KEY before you start parley")
		r.pause()
		r.types("1", "k1")
		r.sees("Logged in.", "Connected: fake 1.2.")
		if len(r.Agents()) != 1 {
			t.Error("started again")
		}
	})
}

// A prompt refused for want of a login is sent once after it.
func TestPromptIsRefused(t *testing.T) {
	in := false
	talkTo(t, func(r *rig) {
		r.fake.Capabilities(methods)
		r.fake.On("authenticate", func(c *fakeagent.Call) (string, error) { in = true; return "{}", nil })
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			if !in {
				return "login"
			}
			return "end_turn"
		})
	}, func(r *rig) {
		r.types("hello")
		r.sees("Log in, and the prompt is sent again.", "How do you want to log in to fake?")
		r.pause()
		r.types("1")
		r.sees("Logged in.", "You: hello", "Turn ended: fake said nothing.")
		if prompts, _, _ := r.seen(); prompts != "hello|hello" {
			t.Errorf("sent: %q", prompts)
		}
	})
}

// remote is a remote agent that stores its sessions.
func remote(r *rig) {
	r.opts.Agents = []workspace.Spec{{Name: "fake", Command: "ws://h/acp", Remote: true}}
	r.opts.Redial = r.Redial
	r.fake.Capabilities(`,"agentCapabilities":{"loadSession":true}`)
	r.fake.On("session/load", func(c *fakeagent.Call) (string, error) {
		for _, u := range []string{`"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"first"}`, `"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"one"}`,
			`"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"lose it"}`, `"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"done all the same"}`} {
			c.Agent.Update(c.ID, "{"+u+"}")
		}
		return "{}", nil
	})
	r.fake.Turn(func(tn *fakeagent.Turn) string {
		if tn.Text == "lose it" {
			tn.Agent.Close()
		}
		tn.Say("one")
		return "end_turn"
	})
}

// The reason why the connection cannot be made again is said once, with what to type.
func TestReconnectInVain(t *testing.T) {
	talkTo(t, func(r *rig) {
		remote(r)
		r.Dial = func(n int, _ workspace.Spec) error {
			if n > 1 {
				return &event.LostError{URL: "ws://h/acp", Cause: &transport.StatusError{Op: "connect to ws://h/acp", Status: 401}, Advice: "type this"}
			}
			return nil
		}
	}, func(r *rig) {
		r.types("lose it")
		r.sees("Connection lost. Retrying in 1 second; press enter to retry now.")
		time.Sleep(time.Minute)
		r.wants("Not connected: no connection to ws://h/acp: the server answered 401 Unauthorized; type this",
			"What next?", "1. Try again", "2. Another agent", "3. Quit", "0. None of these", "Answer 0 to 3:")
	})
}

func TestConnectionIsLost(t *testing.T) {
	talkTo(t, func(r *rig) {
		remote(r)
		r.Dial = func(n int, _ workspace.Spec) error {
			if n == 2 {
				return &event.LostError{URL: "ws://h/acp", Cause: errors.New("refused")}
			}
			return nil
		}
	}, func(r *rig) {
		r.types("first", "lose it")
		r.sees("The agent may not have got this prompt; parley does not send it again.", "Connection lost. Retrying in 1 second; press enter to retry now.")
		r.types("meanwhile", "")
		r.sees("Queued as prompt 1: there is no connection.", "Still no connection.")
		r.types("")
		time.Sleep(time.Minute)
		r.wants("Reconnected.", "Notice: 1 earlier prompt; /transcript shows everything. The last one:", "You: lose it", "fake: done all the same",
			"Notice: The connection was lost during this turn · the agent continued meanwhile.", "You: meanwhile", "fake: one", "Turn ended.")
		if prompts, _, _ := r.seen(); prompts != "meanwhile" {
			t.Errorf("sent again: %q", prompts)
		}
		r.types("/transcript")
		r.sees("You: first\nfake: one\nYou: lose it\nfake: done all the same\nNotice: The connection was lost during this turn · the agent continued meanwhile.\nYou: meanwhile")
	})
}

func TestSessions(t *testing.T) {
	talkTo(t, func(r *rig) {
		remote(r)
		r.fake.Capabilities(`,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{}}}`)
		r.fake.On("session/list", func(*fakeagent.Call) (string, error) {
			return `{"sessions":[{"sessionId":"k1","cwd":` + fakeagent.Quote(r.opts.Cwd) + `,"title":"An old one","updatedAt":"2026-01-02T03:04:05Z"}]}`, nil
		})
	}, func(r *rig) {
		r.types("hello")
		r.fresh()
		r.types("/sessions", "/sessions 3", "/sessions 2")
		time.Sleep(time.Second) // until the history is complete
		r.wants("Sessions:", "1. hello, open, idle, this one", "2. An old one, in "+r.opts.Cwd+", 2026-01-02 03:04", "To open one, type /sessions and its number.", "No session 3.",
			"Opening An old one, in "+r.opts.Cwd+", 2026-01-02 03:04.", "Now in session: An old one.", "Notice: 1 earlier prompt; /transcript shows everything. The last one:", "You: lose it", "fake: done all the same")
		r.types("/sessions 1")
		r.wants("Now in session: hello.")
		r.types("more")
		r.wants("You: more", "fake: one", "Turn ended.")
		r.typing.Close()
		<-r.done
		if r.left.Session != "s1" || r.left.Agent.Name != "fake" {
			t.Errorf("left %+v", r.left)
		}
	})
}

func TestSignalEndsIt(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string { tn.Wait(time.Hour); return "end_turn" })
	}, func(r *rig) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Run(ctx, r.opts); err != nil {
			t.Error(err)
		}
	})
}
