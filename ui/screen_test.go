package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
	"parley/internal/intent"
	"parley/internal/workspace"
	"parley/ui/uitest"
)

func noStart(_ *driver, o *Options) { o.Start = "" }

func TestStartScreen(t *testing.T) {
	drive(t, noStart, func(d *driver) {
		d.sees("chat with a coding agent in ~/src/parser", "installed", "fake --acp", "other-agent", "Type to filter", "Runs  fake --acp", "asks before it writes", "enter start")
		d.types("oth")
		d.sees("oth", "Runs  other-agent")
		d.misses("fake --acp")
		d.press("esc")
		d.sees("fake --acp")
		d.types("abs\n")
		d.sees("absent is not installed: npm i absent")
		d.press("esc")
		d.types("nothing like that\n")
		d.sees("No agent matches")
		d.press("esc")
		d.types("oth\n")
		d.connected()
		d.sees("other 1.2", "other-agent")
	})
}

// A command or a URL can be typed if no name matches; the screen says what is wrong with it, and
// what the agent can access.
func TestStartTyped(t *testing.T) {
	drive(t, func(_ *driver, o *Options) {
		o.Start = ""
		o.TypedAgent = func(line string) (workspace.Spec, error) {
			if strings.Contains(line, "'") {
				return workspace.Spec{}, errors.New("not a command: a quote is not closed")
			}
			return workspace.Spec{Name: "typed", Command: line, Custom: true, Remote: strings.Contains(line, "://")}, nil
		}
	}, func(d *driver) {
		d.sees("Other", "A command", "A URL", "Type it with its arguments")
		d.types("a url\n")
		d.sees("then press enter")
		d.press("esc")
		d.types("wss://far/acp")
		d.sees("Connects to  wss://far/acp", "Access  nothing on this machine")
		d.press("esc")
		d.types("my-agent 'x\n")
		d.sees("a quote is not closed")
		d.press("esc")
		d.types("my-agent --acp")
		d.sees("Runs  my-agent --acp")
		d.press("enter")
		d.connected()
		d.sees("my-agent --acp")
	})
}

// Pasted text on the start screen counts as typed; its line breaks start nothing.
func TestStartPasted(t *testing.T) {
	drive(t, func(_ *driver, o *Options) {
		o.Start = ""
		o.TypedAgent = func(line string) (workspace.Spec, error) {
			return workspace.Spec{Name: "typed", Command: line, Custom: true, Remote: true}, nil
		}
	}, func(d *driver) {
		d.types("ws")
		d.send(tea.PasteMsg{Content: "s://far/\x1b]0;x\x07acp\n"})
		d.sees("Connects to  wss://far/acp")
		d.misses("Starting")
		d.press("enter")
		d.connected()
		d.sees("wss://far/acp")
	})
}

func TestStartScreenQuits(t *testing.T) {
	drive(t, noStart, func(d *driver) {
		d.press("esc")
		d.wait(100 * time.Millisecond)
		if !d.quit {
			t.Error("esc does not quit")
		}
	})
}

// If an agent cannot be started the page says why, with its last output; enter tries again, and
// nothing of the failure remains.
func TestFailedStart(t *testing.T) {
	tries := 0
	drive(t, func(d *driver, _ *Options) {
		d.Dial = func(int, workspace.Spec) error {
			if tries++; tries == 1 {
				return &event.ExitError{Code: 3, Stderr: []string{"panic: no model", "goroutine 1"}, Cause: errors.New("x")}
			}
			return nil
		}
	}, func(d *driver) {
		d.wait(100 * time.Millisecond)
		d.sees("✗ the agent exited with code 3", "│ panic: no model", "Check whether the command works in a terminal: fake --acp", "enter try again", "esc another agent")
		d.press("enter")
		d.connected()
		d.sees("fake 1.2")
		d.misses("Restarted", "started again", "ended")
		d.types("hello\n")
		d.wait(100 * time.Millisecond)
		d.sees("You said: hello")
	})
}

// An agent that ends during the handshake, and another one after it.
func TestAgentGoesWhileStarting(t *testing.T) {
	for _, method := range []string{"initialize", "session/new"} {
		drive(t, func(d *driver, _ *Options) {
			d.fake.On(method, func(c *fakeagent.Call) (string, error) {
				if d.Dials() < 3 {
					c.Agent.Close()
				}
				return c.Default()
			})
		}, func(d *driver) {
			d.wait(time.Second)
			d.sees("✗ ", "enter try again")
			d.press("enter")
			d.wait(time.Second)
			d.sees("✗ ", "enter try again")
			d.press("enter")
			d.connected()
			d.misses("ended", "Restarted", "started again")
			d.types("hello\n")
			d.wait(100 * time.Millisecond)
			d.sees("You said: hello")
		})
	}
}

// esc cancels a start; its result is ignored, and another agent can be chosen.
func TestGiveUpStarting(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		connect, n := o.Connect, 0
		o.Connect = func(ctx context.Context, a workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
			if n++; n == 1 {
				log.Add(event.LogStderr, "warming up")
				<-ctx.Done()
				sink.Post(event.Disconnected{Err: event.ErrClosed})
				time.Sleep(time.Second)
				return nil, ctx.Err()
			}
			return connect(ctx, a, sink, log)
		}
	}, func(d *driver) {
		d.wait(3 * time.Second)
		d.sees("Starting fake  3s", "fake --acp", "warming up", "esc cancel")
		d.press("esc")
		d.sees("Type to filter")
		d.types("oth\n")
		d.wait(3 * time.Second)
		d.connected()
		d.misses("ended", "context canceled")
		d.types("hello\n")
		d.wait(100 * time.Millisecond)
		d.sees("You said: hello")
	})
}

// A prompt from the command line is sent as soon as the session is open.
func TestPromptOption(t *testing.T) {
	drive(t, func(_ *driver, o *Options) { o.Prompt = "from outside" }, func(d *driver) {
		d.connected()
		d.sees("▌ from outside", "You said: from outside")
	})
}

const commands = `{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"test","description":"Run the tests","input":{"hint":"which package"}},{"name":"web","description":"Search the web"},{"name":"help","description":"The agent's own help"}]}`

// Case 93: the agent's commands and parley's own.
func TestCommands(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.Agent().Update("s1", commands)
		d.wait(100 * time.Millisecond)
		d.types("/")
		d.sees("› /sessions", "/new", "/turns", "parley", "tab complete")
		d.misses("/test", "/history") // the agent's are below parley's, and so are seldom ones
		d.press("up")                 // the last one
		d.sees("/test", "Run the tests", "which package", "/web", "The agent's own help")
		d.types("te")
		d.sees("› /test")
		d.press("tab")
		d.draft("/test ")
		d.sees("which package") // the hint in the border
		d.types("lex\n")
		d.wait(100 * time.Millisecond)
		d.prompts("/test lex")
		d.types("/w\n") // completes first
		d.draft("/web")
		d.press("enter")
		d.wait(100 * time.Millisecond)
		d.prompts("/test lex|/web")
		d.types("/te")
		d.Agent().Update("s1", `{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"terraform","description":"Plan it"}]}`)
		d.wait(100 * time.Millisecond)
		d.sees("› /terraform")
		d.misses("Run the tests")
		d.Agent().Update("s1", `{"sessionUpdate":"available_commands_update","availableCommands":[]}`)
		d.wait(100 * time.Millisecond)
		d.misses("/terraform")
		d.types("st\n") // no longer a command
		d.sees("No command /test (did you mean /trust?) · enter again sends it as text")
		d.press("enter")
		d.wait(100 * time.Millisecond)
		d.prompts("/test lex|/web|/test")
		d.types("/l")
		d.press("down", "enter")
		d.draft("/login")
		d.press("ctrl+u")
		d.types("/lo")
		d.sees("/log")
		d.press("esc") // the popup goes, the draft stays
		d.misses("tab complete")
		d.draft("/lo")
		d.types("g\n")
		d.sees("╭ Log", "Nothing yet")
		d.press("esc")
		d.misses("╭ Log")
		d.prompts("/test lex|/web|/test")
		d.types("/quit")
		d.press("enter")
		d.wait(100 * time.Millisecond)
		if !d.quit {
			t.Error("/quit does not quit")
		}
	})
}

// The log can be read from its end to its beginning.
func TestLogOverlay(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		for i := range 100 {
			d.m.Front.Agent.Log.Add(event.LogStderr, "log line "+strings.Repeat("i", i))
		}
		d.m.Front.Agent.Log.Add(event.LogProtocol, "\x1b[2Jnot JSON: \x1b]0;x\a")
		d.press("f2")
		d.sees("╭ Log", "not JSON")
		for range 20 {
			d.press("pgup")
		}
		d.sees("log line \n"[:9])
		d.misses("not JSON")
		for range 20 {
			d.press("pgdown")
		}
		d.sees("not JSON")
		d.press("k")
		d.misses("not JSON")
		d.press("q")
		d.misses("╭ Log")
	})
}

// The help lists every binding, and every binding does something or is the
// composer's.
func TestHelpListsEveryBinding(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.connected()
		d.Agent().Update("s1", commands)
		d.send(tea.WindowSizeMsg{Width: 130, Height: 260})
		d.press("?")
		for _, a := range intent.Actions {
			if keys := intent.Default.Keys(a.In, a.Intent); len(keys) > 0 {
				d.sees(intent.DisplayKey(keys[0]), a.Help)
			}
			if a.Command != "" {
				d.sees("/" + a.Command)
			}
		}
		d.sees("/test", "/log")
		d.send(tea.WindowSizeMsg{Width: 40, Height: 12})
		d.sees("╭ Keys")
		for range 400 {
			d.press("down")
		}
		d.sees("/mouse")
		d.press("esc")
		d.misses("╭ Keys")
		d.types("why?")
		d.draft("why?")
	})
}

func TestPlan(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.press("ctrl+t")
		d.sees("No plan yet")
		d.press("ctrl+t")
		d.types("go\n")
		d.soon()
		d.Agent().Update("s1", `{"sessionUpdate":"plan","entries":[{"content":"read it","priority":"high","status":"completed"},{"content":"**change** it","priority":"low","status":"in_progress"},{"content":"test it","priority":"low","status":"pending"}]}`)
		d.wait(100 * time.Millisecond)
		d.sees("Plan 1/3 ▸ change it")
		d.press("ctrl+t")
		d.sees("✓ read it", "▸ change it", "○ test it")
		d.press("esc")
		d.wait(time.Hour)
		d.misses("Plan ") // its turn is over
		d.press("ctrl+t")
		d.sees("▸ change it")
		d.press("esc")
		d.types("again\n")
		d.soon()
		d.sees("Plan 1/3")
		d.Agent().Update("s1", `{"sessionUpdate":"plan","entries":[]}`)
		d.wait(100 * time.Millisecond)
		d.misses("Plan ")
	})
}

// The status line is one row at every width and drops parts from the right.
func TestStatusLine(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.Agent().Update("s1", `{"sessionUpdate":"config_option_update","configOptions":[{"id":"m","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask 漢字 first"}]},{"id":"model","name":"Model","category":"model","type":"select","currentValue":"o","options":[{"value":"o","name":"opus"}]}]}`)
		d.Agent().Update("s1", `{"sessionUpdate":"usage_update","used":76000,"size":200000,"cost":{"amount":0.414,"currency":"USD"}}`)
		d.types("one\ntwo\n")
		d.wait(time.Second)
		d.send(tea.WindowSizeMsg{Width: 200, Height: 24})
		parts := []string{"fake", "running 1s", "1 queued", "approval: ask", "mode: Ask 漢字 first", "opus", "ctx 38% 76k/200k", "$0.41", "⎇ main"}
		d.sees(strings.Join(parts, " · "), "esc stop")
		for width := 200; width >= 20; width-- {
			line := uitest.Text([]string{d.m.Front.Status(d.m.around(d.m.divided())).Row(width)})
			uitest.CheckRows(t, []string{d.m.Front.Status(d.m.around(d.m.divided())).Row(width)}, width)
			shown := 0
			for shown < len(parts) && strings.Contains(line, parts[shown]) {
				shown++
			}
			for _, p := range parts[shown:] {
				if strings.Contains(line, p) {
					t.Fatalf("width %d dropped %q before %q: %q", width, parts[shown], p, line)
				}
			}
			if shown == 0 || !strings.HasSuffix(line, "esc stop") {
				t.Fatalf("width %d: %q", width, line)
			}
		}
		// Case 94: odd numbers.
		for update, want := range map[string]string{`"used":300,"size":0`: "ctx 300", `"used":5000,"size":1000`: "ctx 500% 5k/1k", `"used":18000000000000000000,"size":1,"cost":null`: "ctx 999%", `"used":0,"size":200000`: "ctx 0% 0/200k"} {
			d.Agent().Update("s1", `{"sessionUpdate":"usage_update",`+update+`}`)
			d.wait(100 * time.Millisecond)
			d.sees(want, "$0.41")
		}
	})
}

// Case 195: the screen follows every size, while text streams in.
func TestResizeWhileStreaming(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			for range 300 {
				t.Say("Some **words** of an answer, 漢字 and `code`.\n\n")
				t.Wait(5 * time.Millisecond)
			}
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		for i := range 100 {
			d.send(tea.WindowSizeMsg{Width: 1 + i*7%170, Height: 1 + i*3%50})
			d.wait(10 * time.Millisecond)
		}
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.wait(5 * time.Second)
		d.sees("Some words of an answer, 漢字 and code.")
	})
}

// A reader who has scrolled up sees how much is new, and esc or ctrl+end return to the end.
func TestScrolledUp(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Say(strings.Repeat("a line\n\n", 40))
			t.Wait(3 * time.Second)
			t.Agent.Update("s1", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Look","status":"completed"}`)
			t.Say("the end of it")
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.wait(time.Second)
		d.press("pgup")
		d.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
		d.sees("↓ end")
		d.wait(5 * time.Second)
		d.sees("↓ 2 new · end")
		d.misses("the end of it")
		d.press("esc")
		d.sees("the end of it")
		d.misses("new · end")
	})
}

// Cases 193, 194: hostile strings in everything that an agent can send, on
// every screen. look checks each row.
func TestHostileAgent(t *testing.T) {
	t.Parallel()
	for _, h := range []string{`\u001b]52;c;aGk=\u0007`, `\u001b[2J\u001b[31m`, `\u202egnp.exe\u2066`, `a\nb\rc\td`, `\u0090q\u009c\u009b2J`, `\u200b\ufeff\u2028`, `日本👩‍👩‍👧e\u0301\u0301`, strings.Repeat("w", 5000)} {
		drive(t, func(d *driver, _ *Options) {
			d.fake.Turn(func(t *fakeagent.Turn) string {
				for _, u := range []string{
					`{"sessionUpdate":"session_info_update","title":"T H"}`,
					`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"H","description":"H","input":{"hint":"H"}}]}`,
					`{"sessionUpdate":"plan","entries":[{"content":"H","priority":"H","status":"H"}]}`,
					`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"H"}}`,
					`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"H"}}`,
					`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","name":"H","uri":"H"}}`,
					`{"sessionUpdate":"tool_call","toolCallId":"H","title":"H","kind":"H","status":"H","rawInput":{"H":"H"},"rawOutput":"H","locations":[{"path":"H"}],"content":[{"type":"diff","path":"H","oldText":"H","newText":"xH"},{"type":"content","content":{"type":"text","text":"H"}},{"type":"H"},{"type":"terminal","terminalId":"H"}]}`,
					`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":1,"currency":"H"}}`,
					`{"sessionUpdate":"config_option_update","configOptions":[{"id":"H","name":"H","category":"mode","type":"select","currentValue":"H","options":[{"value":"H","name":""}]},{"id":"H2","name":"H","category":"model","type":"select","currentValue":"H","options":[]}]}`,
					`{"sessionUpdate":"current_mode_update","currentModeId":"H"}`,
					`{"sessionUpdate":"H","x":"H"}`,
				} {
					t.Agent.Update("s1", strings.ReplaceAll(u, "H", h))
				}
				t.Ask(strings.ReplaceAll(`{"toolCallId":"q","title":"H","kind":"execute","rawInput":{"command":"H","cwd":"H","H":"H"},"locations":[{"path":"H"}]}`, "H", h), strings.ReplaceAll(`[{"optionId":"H","name":"H","kind":"H"}]`, "H", h))
				return "max_tokens"
			})
		}, func(d *driver) {
			d.connected()
			d.types("go\n")
			d.rest()
			for _, keys := range [][]string{{}, {"d"}, {"1"}, {"ctrl+o"}, {"ctrl+o"}, {"ctrl+t"}, {"esc", "f2"}, {"esc", "?"}, {"esc", "/"}} {
				d.press(keys...)
				for _, size := range [][2]int{{20, 6}, {40, 12}, {80, 24}, {160, 50}} {
					d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				}
				d.wait(700 * time.Millisecond)
			}
		})
	}
}

// The screens as they look.
func TestGoldenScreens(t *testing.T) {
	t.Parallel()
	drive(t, noStart, func(d *driver) { d.golden("start") })
	drive(t, func(_ *driver, o *Options) {
		o.Connect = func(ctx context.Context, _ workspace.Spec, _ event.Sink, log *event.Log) (*workspace.Connection, error) {
			log.Add(event.LogStderr, "warming up")
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}, func(d *driver) { d.wait(2500 * time.Millisecond); d.golden("connecting") })
	drive(t, func(d *driver, _ *Options) {
		d.Dial = func(int, workspace.Spec) error {
			return &event.ExitError{Code: 3, Stderr: []string{"panic: no model", "goroutine 1"}, Cause: errors.New("x")}
		}
	}, func(d *driver) { d.wait(100 * time.Millisecond); d.golden("failed") })
	drive(t, func(d *driver, o *Options) {
		o.Theme = "dark"
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Say("I'll commit what I have.")
			return asking(push, usual)(t)
		})
	}, func(d *driver) { d.connected(); d.types("commit it\n"); d.rest(); d.golden("question") })
	drive(t, func(d *driver, o *Options) {
		o.Theme = "light"
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Agent.Update("s1", `{"sessionUpdate":"plan","entries":[{"content":"read it","priority":"high","status":"completed"},{"content":"wire typed errors through Parse()","priority":"low","status":"in_progress"}]}`)
			t.Agent.Update("s1", `{"sessionUpdate":"usage_update","used":76000,"size":200000,"cost":{"amount":0.41,"currency":"USD"}}`)
			t.Say("Working on it.")
			t.Agent.Update("s1", `{"sessionUpdate":"tool_call","toolCallId":"r","title":"Read lex.go","kind":"read","status":"completed","content":[{"type":"content","content":{"type":"text","text":"a\nb\nc"}}]}`)
			t.Wait(time.Minute)
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.types("typed errors, please\nalso update the README\nand push\nhalf a dra")
		d.wait(2500 * time.Millisecond)
		d.golden("plan")
	})
}
