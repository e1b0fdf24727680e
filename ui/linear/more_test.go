package linear

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
	"parley/internal/finder"
	"parley/internal/memory"
	"parley/internal/template"
	"parley/internal/workspace"
)

func TestVersion2(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Protocol = "2"
		r.fake.OnPrompt(func(tn *fakeagent.Turn) (string, error) {
			if tn.Text == "refused" {
				return "", fakeagent.Errorf(-32603, "Internal error: too much")
			}
			return tn.AcceptInOrder()
		})
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			tn.Update(`{"sessionUpdate":"agent_message","messageId":"m` + fakeagent.Quote(tn.Text)[1:2] + `","content":[{"type":"text","text":"One. Two."}]}`)
			tn.Wait(time.Second)
			tn.Update(`{"sessionUpdate":"agent_message","messageId":"m` + fakeagent.Quote(tn.Text)[1:2] + `","content":[{"type":"text","text":"One. Two. Three."}]}`)
			tn.Wait(time.Second)
			tn.Update(`{"sessionUpdate":"agent_message","messageId":"m` + fakeagent.Quote(tn.Text)[1:2] + `","content":[{"type":"text","text":"Something else."}]}`)
			return "end_turn"
		})
	}, func(r *rig) {
		r.fresh()
		r.types("go", "refused")
		time.Sleep(10 * time.Second)
		const why = "prompt: the agent answered: Internal error: too much (-32603)"
		r.wants("Sent; the agent reads it when it can.", "Not accepted during a turn: "+why+". The prompt is sent after this turn.",
			"You: go", "fake: One. Two. Three.", "fake, corrected: Something else.", "Turn ended.",
			"Not accepted: "+why+". Queued as prompt 1: refused", "The turn ended with an error: "+why, "Queued: 1 prompt. Press enter to send the first one, /drop drops the last one.")
		r.types("/queue")
		r.wants("1. refused", "Press enter to send the first one.")
	})
}

// onlyFile reads from a project with one file.
func onlyFile(_ context.Context, _ []string, path string, _, _ int) (finder.Mentioned, error) {
	if path != "a.txt" {
		return finder.Mentioned{}, finder.ErrNoFile
	}
	time.Sleep(time.Second)
	return finder.Mentioned{URI: "file:///a.txt", Name: "a.txt"}, nil
}

func TestMentions(t *testing.T) {
	talkTo(t, func(r *rig) { r.opts.ReadFile = onlyFile }, func(r *rig) {
		r.fresh()
		r.types("look at @a.txt and @b.txt", "second")
		r.wants("Queued as prompt 1.")
		r.pause()
		r.wants("You: look at @a.txt and @b.txt", "fake: You said: look at @a.txt and @b.txt", "Turn ended.", "You: second", "fake: You said: second", "Turn ended.")
		if last := r.Agent().Blocks(); !strings.Contains(last[0], `"file:///a.txt"`) || strings.Contains(last[1], "file:") {
			t.Errorf("sent: %q", last)
		}
	})
}

// Prompts still queued when parley ends are printed, not lost.
func TestNotSent(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string { tn.Wait(time.Hour); return "end_turn" })
	}, func(r *rig) {
		r.types("first", "second", "/quit")
		<-r.done
		r.sees("Queued as prompt 1.", "Not sent:\n  second")
	})
}

// The agent is asked to stop twice, then it is ended.
func TestStopThatIsIgnored(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string { <-tn.Agent.Done(); return "end_turn" })
	}, func(r *rig) {
		r.types("go")
		r.fresh()
		r.types("/stop", "/stop")
		r.wants("Stopping.", "Stopping. If it takes longer than 5 seconds, stop again to end the agent.")
		time.Sleep(5 * time.Second)
		r.types("/stop")
		r.sees("Ending fake.", "fake has ended.")
	})
}

// A question does not interrupt a menu that the user opened; it comes after it.
func TestQuestionWaitsForAMenu(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.On("session/new", func(*fakeagent.Call) (string, error) {
			return `{"sessionId":"s1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}}`, nil
		})
		r.fake.Turn(func(tn *fakeagent.Turn) string { tn.Wait(time.Second); tn.Ask(push, usual); return "end_turn" })
	}, func(r *rig) {
		r.types("go", "/mode")
		r.pause()
		r.pause()
		r.types("1")
		if _, outcomes, _ := r.seen(); outcomes != "" {
			t.Fatalf("the question was answered: %s", outcomes)
		}
		r.sees("1. Ask (now)", "Question 1 of 1")
	})
}

// A turn in which the agent says nothing is reported as such.
func TestNothingSaid(t *testing.T) {
	talkTo(t, func(r *rig) { r.fake.Turn(func(*fakeagent.Turn) string { return "end_turn" }) }, func(r *rig) {
		r.wants(r.started()...)
		r.types("hello")
		r.wants("You: hello", "Turn ended: fake said nothing.")
	})
}

// An agent that loads sessions but lists none continues those in parley's logs.
func TestSessionsOfAnAgentWithoutAList(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.opts.Logs = func() ([]workspace.Logged, error) {
			return []workspace.Logged{{Agent: "other", Session: "o"}, {Agent: "fake", Session: "r1", Dir: "/elsewhere", Title: "A run", Run: true},
				{Agent: "fake", Session: "k1", Cwd: "/w", Dir: r.opts.Cwd, Title: "An old one"}}, nil
		}
		r.fake.Capabilities(`,"agentCapabilities":{"loadSession":true}`)
		r.fake.On("session/load", func(*fakeagent.Call) (string, error) { return "null", nil })
	}, func(r *rig) {
		r.wants(r.started()...)
		r.types("/sessions", "/sessions 2")
		r.pause()
		r.wants("fake does not list sessions; these are from parley's logs:", "Sessions:", "1. new session, open, idle, this one", "2. An old one, in "+r.opts.Cwd, "1 more of parley run in other directories: /sessions all lists them.", "To open one, type /sessions and its number.",
			"Opening An old one, in "+r.opts.Cwd+".", "Now in session: An old one.")
		r.types("/sessions all")
		r.sees("3. A run, in /elsewhere\nTo open one")
	})
}

// A name of parley's runs parley's, and the agent's command of that name has a prefix.
func TestCommandsBesideTheAgents(t *testing.T) {
	talkTo(t, nil, func(r *rig) {
		r.wants(r.started()...)
		r.Agent().Update("s1", `{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"help","description":"Mine"},{"name":"status","description":"Mine"},{"name":"init","description":"Mine.","input":{"hint":"a file"}},{"name":"long","description":"`+strings.Repeat("When ", 60)+`"}]}`)
		r.pause()
		r.types("/help")
		r.sees("/help: ", "/status: Show the status", "Commands of fake:", "  /agent:help: Mine", "  /agent:status: Mine", "  /init: Mine; takes a file", "  /long: When When")
		if n := strings.Count(r.out.text(), "When"); n > 41 {
			t.Errorf("a description is printed at any length: %d words of 60", n)
		}
		r.types("/agent:help")
		r.pause()
		r.wants("You: /help", "fake: You said: /help", "Turn ended.")
		r.types("/init it")
		r.pause()
		r.wants("You: /init it", "fake: You said: /init it", "Turn ended.")
		r.types("/clear")
		r.sees("Opening a new session.")
		r.types("/exit")
		<-r.done
	})
}

// What looks like a command and is none is not sent, unless it comes again.
func TestUnknownCommand(t *testing.T) {
	talkTo(t, nil, func(r *rig) {
		r.wants(r.started()...)
		r.types("/rewiev")
		r.wants("No command /rewiev (did you mean /review?). Enter the same line again to send it as text.")
		r.types("/rewiev")
		r.pause()
		r.wants("You: /rewiev", "fake: You said: /rewiev", "Turn ended.")
		r.types("/usr/bin/x is broken")
		r.pause()
		r.wants("You: /usr/bin/x is broken", "fake: You said: /usr/bin/x is broken", "Turn ended.")
	})
}

// What is typed while the agent starts, or given as the first prompt, means the same as later.
func TestCommandsDuringTheStart(t *testing.T) {
	talkTo(t, func(r *rig) {
		connect := r.opts.Connect
		r.opts.Connect = func(ctx context.Context, a workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
			time.Sleep(3 * time.Second)
			return connect(ctx, a, sink, log)
		}
		r.opts.Prompt = "/hello amy"
		r.opts.Templates = []template.Template{{Name: "hello", Body: "Say hello to $1.", Path: "/c/hello.md"}}
	}, func(r *rig) {
		r.types("/mode", "/rewiev", "last")
		r.sees("Queued as prompt 2: /mode runs when the agent is ready.", "Queued as prompt 3", "Queued as prompt 4")
		time.Sleep(10 * time.Second)
		r.sees("This agent has no modes.", "No command /rewiev (did you mean /review?). Queued as prompt 1. Press enter to send it as text")
		r.types("")
		r.pause()
		if got, _, _ := r.seen(); got != "Say hello to amy.|/rewiev|last" {
			t.Errorf("sent %q", got)
		}
	})
}

// A command that the user stopped is reported once, whatever status the agent gives it.
func TestStoppedIsSaidOnce(t *testing.T) {
	for _, end := range []string{"failed", "completed", "cancelled"} {
		talkTo(t, func(r *rig) {
			r.fake.Turn(func(tn *fakeagent.Turn) string {
				tn.Update(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"make","kind":"execute","status":"in_progress","rawInput":{"command":"make all"}}`)
				tn.Wait(time.Minute)
				tn.Update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"half\n"}}]}`)
				go func() {
					time.Sleep(6 * time.Second)
					tn.Update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"` + end + `"}`)
				}()
				return "cancelled"
			})
		}, func(r *rig) {
			r.fresh()
			r.types("go")
			r.interrupt()
			time.Sleep(10 * time.Second)
			r.wants("You: go", "Stopping.", "Press ctrl+c again to quit; the turn is still running.", "Run 1: make all, stopped by you, ran without asking, 1 line; /output 1 shows them.", "Turn ended: stopped.")
		})
	}
}

// A command that keeps running after a stop is reported, and listed until it ends.
func TestStoppedStillRuns(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			tn.Update(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"make","kind":"execute","status":"in_progress","rawInput":{"command":"make all"},"content":[{"type":"terminal","terminalId":"c"}],"_meta":{"terminal_info":{"terminal_id":"c","cwd":"/"}}}`)
			tn.Wait(time.Minute)
			go func() {
				for range 3 {
					time.Sleep(time.Second)
					tn.Update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"c","data":"more\n"}}}`)
				}
				time.Sleep(time.Second)
				tn.Update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_exit":{"terminal_id":"c","exit_code":0}}}`)
			}()
			return "cancelled"
		})
	}, func(r *rig) {
		r.fresh()
		r.types("go")
		r.interrupt()
		time.Sleep(3500 * time.Millisecond)
		r.types("/work")
		r.wants("You: go", "Stopping.", "Press ctrl+c again to quit; the turn is still running.", "Run 1: make all, stopped by you, ran without asking.", "Turn ended: stopped.",
			"Run 1: make all, still running, ran without asking, 1 line; /output 1 shows them.", "Run 1: make all, still running, for 4 seconds.")
		time.Sleep(time.Second)
		r.types("/work")
		r.wants("Run 1: make all, exit code 0, stopped by you, ran without asking, 3 lines; /output 1 shows them.", "Nothing is running.")
	})
}

// A change that is too large to compare has no counts, and says so.
func TestChangeTooLargeToCompare(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			big := strings.Repeat("a line of the file\\n", 60_000)
			tn.Update(`{"sessionUpdate":"tool_call","toolCallId":"e","title":"Edit","kind":"edit","status":"completed","content":[{"type":"diff","path":"/f.txt","oldText":"little","newText":"` + big + `"}]}`)
			return "end_turn"
		})
	}, func(r *rig) {
		r.types("go")
		r.sees("f.txt, too large to compare, ")
	})
}

// If two options have the category model, /model means the one with that name.
func TestModelIsTheOneNamedSo(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.On("session/new", func(*fakeagent.Call) (string, error) {
			return `{"sessionId":"s1","configOptions":[
				{"id":"provider","name":"Provider","category":"model","type":"select","currentValue":"acme","options":[{"value":"acme","name":"Acme Cloud"}]},
				{"id":"model","name":"Model","category":"model","type":"select","currentValue":"big","options":[{"value":"big","name":"Big 7"}]}]}`, nil
		})
	}, func(r *rig) {
		r.fresh()
		r.types("/model")
		r.sees("Model:", "Big 7 (now)")
	})
}

// Notices begin with their severity. A plan that is text is printed as text, and a sub-agent's
// line says what it does.
func TestNoticesPlansAndSubagents(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Protocol = "2"
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			tn.Update(`{"sessionUpdate":"notice","severity":"warning","title":"Deprecated model","description":"use another."}`)
			tn.Update(`{"sessionUpdate":"subagent_update","sessionId":"child","title":"Find the parser","state":{"state":"running"}}`)
			tn.Update(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"# Typed errors\n\nRead the **lexer**."}}`)
			tn.Update(`{"sessionUpdate":"subagent_update","sessionId":"child","state":{"state":"idle","stopReason":"end_turn"}}`)
			return "end_turn"
		})
	}, func(r *rig) {
		r.fresh()
		r.types("go")
		r.pause()
		r.wants("Warning: Deprecated model: use another.", "Notice: sub-agent Find the parser: running.", "You: go",
			"Plan: Typed errors. /plan reads all of it.", "Notice: sub-agent Find the parser: done.", "Turn ended.")
		r.types("/plan")
		r.wants("Plan: Heading 1: Typed errors", "  Read the lexer.")
	})
}

// Another agent can get the conversation with its first prompt.
func TestHandOver(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.opts.Agents = append(r.opts.Agents, workspace.Spec{Name: "other", Command: "other --acp"})
	}, func(r *rig) {
		r.types("/agent nobody", "/agent absent")
		r.sees("No agent nobody: /agent lists them.", "absent is not installed: npm i absent.")
		r.types("hello")
		r.pause()
		r.types("/agent other")
		r.sees("Take the conversation along (1 prompt, ")
		r.types("1")
		r.pause()
		r.sees("Connected: other")
		r.types("go on")
		r.pause()
		if got := r.Agent().Prompts(); len(got) != 1 || !strings.HasPrefix(got[0], "This is our conversation so far") || !strings.Contains(got[0], "hello") {
			t.Errorf("it was told %q", got)
		}
	})
}

// A side question is answered while the turn runs.
func TestSideQuestion(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			if tn.Text == "go" {
				tn.Wait(time.Minute)
			}
			tn.Say("It is a lexer.")
			return "end_turn"
		})
	}, func(r *rig) {
		r.types("/btw")
		r.sees("No question: /btw and a text.")
		r.types("go", "/btw what is lex.go?")
		r.pause()
		r.sees("Asked beside the session.", "The answer to your side question:", "You: what is lex.go?", "fake: It is a lexer.", "End of the answer.")
		r.types("/btw")
		r.sees("fake: It is a lexer.")
	})
}

// A prompt goes into the running turn where the agent takes one.
func TestSteer(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string { tn.Wait(time.Minute); return "end_turn" })
		r.fake.On("initialize", func(c *fakeagent.Call) (string, error) {
			whole, err := c.Default()
			return strings.TrimSuffix(whole, "}") + `,"_meta":{"steering":{"supported":true}}}`, err
		})
		r.fake.On("_session/steering", func(*fakeagent.Call) (string, error) { return `{"outcome":"injected"}`, nil })
	}, func(r *rig) {
		r.types("/steer faster")
		r.sees("No turn is running: type the prompt without /steer.")
		r.types("go", "/steer")
		r.sees("No prompt: /steer and a text, or queue one first.")
		r.types("/steer faster")
		r.sees("You: faster")
		r.types("slower", "/steer")
		r.sees("You: slower")
		if got := r.Agent().Calls("_session/steering"); len(got) != 2 {
			t.Errorf("sent %q", got)
		}
	})
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string { tn.Wait(time.Minute); return "end_turn" })
	}, func(r *rig) {
		r.types("go", "/steer faster")
		r.sees("fake takes no prompt in a turn. /stop stops it, then the prompt can be sent.")
	})
}

// The conversation of a sub-agent is printed when the user chooses it.
func TestSubagentRead(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Protocol = "2"
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			tn.Update(`{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Find the parser","state":{"state":"running"}}`)
			tn.Agent.Update("kid", `{"sessionUpdate":"user_message_chunk","messageId":"u","content":{"type":"text","text":"find it"}}`)
			tn.Agent.Update("kid", `{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"It is in lex.go."}}`)
			tn.Update(`{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"state":"idle","stopReason":"end_turn"}}`)
			return "end_turn"
		})
	}, func(r *rig) {
		r.types("/subagents")
		r.sees("No sub-agents in this session.")
		r.types("go")
		r.pause()
		r.fresh()
		r.types("/subagents")
		r.sees("Sub-agents:", "1. Sub-agent Find the parser: done")
		r.types("1")
		r.sees("The conversation of sub-agent Find the parser:", "Task: find it", "fake: It is in lex.go.", "End of the conversation.")
	})
}

// The agent's stderr is printed only on failure, and then only what was written since the turn
// began.
func TestStderrIsReadOnlyOfFailures(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.On("initialize", func(c *fakeagent.Call) (string, error) {
			c.Agent.Log.Add(event.LogStderr, "(node:1) DeprecationWarning: punycode")
			time.Sleep(3 * time.Second)
			return c.Default()
		})
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			tn.Agent.Log.Add(event.LogStderr, "said in turn "+tn.Text)
			if tn.Text == "two" {
				return ""
			}
			return "end_turn"
		})
	}, func(r *rig) {
		time.Sleep(5 * time.Second)
		r.wants(r.started()...)
		r.types("one")
		r.wants("You: one", "Turn ended: fake said nothing.")
		r.types("two")
		r.wants("You: two", "The turn ended with an error: prompt: the agent answered: Internal error: the model is away (-32603)", "Last lines of its stderr:", "  said in turn two")
	})
}

// A session is called as its user calls it, until the name is removed.
func TestRename(t *testing.T) {
	dir := t.TempDir()
	talkTo(t, func(r *rig) { r.opts.Names = memory.NewNames(dir) }, func(r *rig) {
		r.wants(r.started()...)
		r.types("/rename Lexer\x07 errors", "/sessions", "/rename")
		r.wants("This session is called: Lexer errors.", "fake does not list sessions.", "Sessions:", "1. Lexer errors, open, idle, this one", "To open one, type /sessions and its number.",
			"This session is called: new session.")
		r.types("/rename again")
		r.wants("This session is called: again.")
		if of, err := memory.NewNames(dir).Load(); err != nil || of("fake", "s1") != "again" {
			t.Errorf("the stored name is %q, %v", of("fake", "s1"), err)
		}
	})
}
