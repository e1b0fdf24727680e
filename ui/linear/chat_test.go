package linear

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
)

func TestATurn(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			tn.Update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"let me see"}}`)
			tn.Wait(12 * time.Second)
			tn.Update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":", a parser"}}`)
			tn.Say("I'll start with the tok")
			tn.Say("enizer. It is **small")
			tn.Say("**.\n\n## Next\n")
			tn.Update(`{"sessionUpdate":"plan","entries":[{"content":"read","priority":"low","status":"completed"},{"content":"wire typed errors","priority":"low","status":"in_progress"}]}`)
			tn.Update(`{"sessionUpdate":"tool_call","toolCallId":"e","title":"Edit lex.go","kind":"edit","status":"in_progress","content":[{"type":"diff","path":` + fakeagent.Quote(r.opts.Cwd+"/parser/lex.go") + `,"oldText":"a\nb\n","newText":"a\nc\nd\n"}]}`)
			tn.Update(`{"sessionUpdate":"tool_call_update","toolCallId":"e","status":"completed"}`)
			tn.Update(`{"sessionUpdate":"tool_call","toolCallId":"r","title":"Tests","kind":"execute","status":"in_progress","rawInput":{"command":"go test ./parser/..."}}`)
			tn.Wait(5 * time.Second)
			tn.Update(`{"sessionUpdate":"tool_call_update","toolCallId":"r","status":"failed","content":[{"type":"content","content":{"type":"text","text":"FAIL\nexit status 1\n"}}]}`)
			tn.Say("Done.")
			return "end_turn"
		})
	}, func(r *rig) {
		r.wants(r.started()...)
		r.types("make the parser return typed errors")
		time.Sleep(30 * time.Second)
		r.wants(
			"You: make the parser return typed errors",
			"Thought (12 seconds).",
			"fake: I'll start with the tokenizer. It is small.",
			"  Heading 2: Next",
			"Plan: 1 of 2 done. Now: wire typed errors.",
			"Tool 1: Edit parser/lex.go, plus 2, minus 1, done, ran without asking.",
			"Run 2: go test ./parser/..., running.",
			"Run 2: go test ./parser/..., failed, ran without asking, 5 seconds, 2 lines; /output 2 shows them.",
			"fake: Done.",
			"Turn ended.")
		r.types("/output 1", "/output 2", "/output 7", "/thought", "/plan")
		r.wants(
			"Output of Tool 1: parser/lex.go.",
			"Change of parser/lex.go:",
			"  Line 1: a",
			"  Line 2, removed: b",
			"  Line 2, added: c",
			"  Line 3, added: d",
			"End of the change.",
			"End of output.",
			"Output of Run 2: go test ./parser/....",
			"  FAIL",
			"  exit status 1",
			"End of output.",
			"No output 7: tools are numbered 1 to 2.",
			"Thought (12 seconds).",
			"  let me see, a parser",
			"End of the thought.",
			"Plan, 2 steps:",
			"1. done: read",
			"2. now: wire typed errors")
	})
}

// A sentence is printed when it is complete, not earlier.
func TestSentencesStream(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			for _, piece := range []string{"One", " is", " here. ", "Two", " is", " not"} {
				tn.Say(piece)
			}
			tn.Wait(time.Minute)
			tn.Say(" late.\n\n```go\nx := 1\ny")
			tn.Wait(time.Minute)
			return "end_turn"
		})
	}, func(r *rig) {
		r.fresh()
		r.types("go")
		r.wants("You: go", "fake: One is here.")
	})
}

func TestStreamsToTheEnd(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			tn.Say("One is here. Two is not")
			tn.Wait(time.Minute)
			tn.Say(" late.\n\n```go\nx := 1\ny")
			tn.Wait(time.Minute)
			return "end_turn"
		})
	}, func(r *rig) {
		r.fresh()
		r.types("go")
		time.Sleep(61 * time.Second)
		r.wants("You: go", "fake: One is here. Two is not late.", "  Code, Go:", "  x := 1")
		time.Sleep(time.Minute)
		r.wants("  y", "  End of code.", "Turn ended.")
	})
}

func TestQueueAndStop(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			if tn.N == 1 && tn.Wait(time.Minute) {
				return "cancelled"
			}
			return "end_turn"
		})
	}, func(r *rig) {
		r.fresh()
		r.types("first", `second \`, "goes on", "third", "/queue")
		r.wants("You: first", "Queued as prompt 1.", "Queued as prompt 2.", "1. second goes on", "2. third")
		r.interrupt()
		r.wants("Stopping.", "Press ctrl+c again to quit; the turn is still running.", "Turn ended: stopped.", "Queued: 2 prompts. Press enter to send the first one, /drop drops the last one.")
		r.types("/drop", "")
		r.wants("Dropped: third", "You: second", "  goes on", "Turn ended: fake said nothing.")
		if prompts, _, _ := r.seen(); prompts != "first|second \ngoes on" {
			t.Errorf("sent: %q", prompts)
		}
		r.interrupt()
		r.wants("Press ctrl+c again to quit.")
		r.interrupt()
		<-r.done
	})
}

func TestCommands(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.On("session/new", func(*fakeagent.Call) (string, error) {
			return `{"sessionId":"s1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code","description":"writes"}]}}`, nil
		})
		r.fake.On("session/set_mode", func(*fakeagent.Call) (string, error) { return `{}`, nil })
	}, func(r *rig) {
		r.wants(append(r.started(), "Mode: Ask.")...)
		r.Agent().Update("s1", `{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"review","description":"Look at it"}]}`)
		r.types("/mode")
		r.wants("Mode:", "1. Ask (now)", "2. Code: writes", "0. None of these", "Answer 0 to 2:")
		r.types("9", "2")
		r.wants("9 is not an answer here.", "Answer 0 to 2:", "Mode is Code now.")
		r.types("/theme", "/model", "/sessions", "/output", "/stop", "!ls")
		r.wants("/theme is not available in this mode.", "This agent has no models.", "fake does not list sessions.", "Sessions:", "1. new session, open, idle, this one",
			"To open one, type /sessions and its number.", "No output yet.", "Nothing is running.",
			"Not sent: this mode does not run your commands. With a space before the exclamation mark the line goes to the agent.")
		r.types("/agent:review it")
		r.wants("You: /review it", "fake: You said: /review it", "Turn ended.")
		r.types("/help")
		r.sees("/stop: Stop the turn.", "/sessions: ", "Commands of fake:", "  /agent:review: Look at it")
		r.types("/new")
		r.sees("Opening a new session.")
		r.types("/quit")
		<-r.done
	})
}

// What the user types while a session opens is sent in that session. The agent is connected
// throughout.
func TestPromptWhileASessionOpens(t *testing.T) {
	opened := 0
	talkTo(t, func(r *rig) {
		r.fake.On("session/new", func(*fakeagent.Call) (string, error) {
			if opened++; opened == 2 {
				time.Sleep(3 * time.Second)
			}
			return fmt.Sprintf(`{"sessionId":"s%d"}`, opened), nil
		})
	}, func(r *rig) {
		r.wants(r.started()...)
		r.types("/new", "early")
		r.wants("Opening a new session.", "Queued as prompt 1.")
		time.Sleep(5 * time.Second)
		r.sees("You: early", "fake: You said: early", "Turn ended.")
	})
}

func TestChooseAgent(t *testing.T) {
	talkTo(t, func(r *rig) { r.opts.Start, r.opts.Choice = "", "fake" }, func(r *rig) {
		r.wants("parley, line mode, in "+r.opts.Cwd+". /help lists the commands.",
			"To install more agents: parley agents --refresh lists them, and parley agents install NAME installs one.",
			"Which agent? It reads files in this directory, and asks before it writes, runs commands or leaves it.",
			"1. fake, installed: fake --acp (suggested)", "2. absent, not installed: absent", "0. Quit", "Answer 0 to 2:")
		r.types("2", "fake")
		r.wants("absent is not installed: npm i absent", "Answer 0 to 2:", "Starting fake: fake --acp", "Connected: fake 1.2.")
	})
}

// On a terminal the user's line appears after the prompt and is not printed again.
func TestTerminal(t *testing.T) {
	talkTo(t, func(r *rig) { r.tty = true }, func(r *rig) {
		r.wants(strings.Join(r.started(), "\n"), "You: ")
		r.types("hello")
		r.wants("hello", "fake: You said: hello", "Turn ended.", "You: ")
		r.types("/model")
		r.wants("/model", "This agent has no models.", "You: ")
	})
}
