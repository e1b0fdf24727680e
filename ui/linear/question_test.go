package linear

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
	"parley/internal/must"
	"parley/internal/workspace"
)

// pushQuestion returns all lines of the question about push.
func pushQuestion(of string) []string {
	return []string{
		"Question 1 of " + of + ": fake asks.",
		"  Run outside the project: /home/ada/src",
		"Command: git push origin HEAD",
		"Part: git push origin HEAD: ask, network.",
		"Part: in /home/ada/src: ask, outside the project.",
		"The agent's description: Commit typed errors",
		"1. Allow once", "2. Always allow", "3. Reject", "n. Reject with a reason, as in: n use a branch", "d. Details", "Answer 1 to 3:"}
}

func asks(r *rig) {
	r.fake.Turn(func(tn *fakeagent.Turn) string {
		tn.Say("I push it: " + tn.Ask(push, usual))
		return "end_turn"
	})
}

func TestQuestion(t *testing.T) {
	talkTo(t, asks, func(r *rig) {
		r.fresh()
		r.types("push it")
		r.wants(append([]string{"You: push it"}, pushQuestion("1")...)...)
		r.pause()
		for _, line := range []string{"4", "", "please wait with that", "d"} {
			r.types(line)
			r.pause()
		}
		r.wants("4 is not an answer here.", "Answer 1 to 3:", "Answer 1 to 3:",
			"That is not an answer. Queued as prompt 1; /drop drops it.", "Answer 1 to 3:",
			"Details:", "  {", `    "command": "git push origin HEAD",`, `    "cwd": "/home/ada/src"`, "  }", "End of the details.",
			"1. Allow once", "2. Always allow", "3. Reject", "Answer 1 to 3:")
		r.types("d")
		r.fresh()
		r.types("1") // right after the details: too early
		r.sees("could read the question and does not answer it.")
		r.types("/drop")
		r.pause()
		r.fresh()
		r.types("2")
		r.wants("Allowed by you (Always allow): git push origin HEAD.", "fake: I push it: ever", "Run 1: git push origin HEAD, unfinished.", "Turn ended.")
	})
}

// n and a reason rejects, and the reason is the next prompt, before those that wait.
func TestRejectAndSayWhy(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			if tn.N == 1 {
				tn.Ask(push, usual)
			}
			return "end_turn"
		})
	}, func(r *rig) {
		r.types("push it", "later")
		r.pause()
		r.sees("n. Reject with a reason, as in: n use a branch")
		r.types("n not on main, please")
		r.pause()
		r.sees("Rejected by you: git push origin HEAD.", "You: I rejected this: `Run outside the project: /home/ada/src`", "not on main, please")
		prompts, outcomes, _ := r.seen()
		if want := strings.ReplaceAll("push it|I rejected this: 'Run outside the project: /home/ada/src'\n\nnot on main, please\n\n'''\ngit push origin HEAD\n'''|later", "'", "`"); prompts != want || outcomes != "no" {
			t.Errorf("answered %q; the agent got\n%s\nwant\n%s", outcomes, prompts, want)
		}
	})
}

// A reason can follow a comma; without one, n rejects. Before the question could be read it does nothing.
func TestRejectWithoutAReason(t *testing.T) {
	for line, want := range map[string]string{"n": "push it", "n,": "push it", "n, why?": "|why?\n\n```\ngit push origin HEAD\n```", "nothing": "", "no way": ""} {
		talkTo(t, asks, func(r *rig) {
			r.types("push it")
			r.types("n too early")
			r.sees("Type it again to answer this question: n too early")
			r.pause()
			r.types(line)
			r.pause()
			prompts, outcomes, _ := r.seen()
			if prompts = strings.ReplaceAll(prompts, "I rejected this: `Run outside the project: /home/ada/src`\n\n", ""); want == "" && outcomes != "" || want != "" && (outcomes != "no" || !strings.HasSuffix(prompts, want)) {
				t.Errorf("%q: answered %q, prompts %q", line, outcomes, prompts)
			}
		})
	}
}

// A line typed before the question could be read answers nothing, whether it was waiting in
// the input or comes a moment later.
func TestTypedAheadAnswersNothing(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			if tn.N > 1 {
				return "end_turn"
			}
			tn.Wait(time.Second)
			tn.Ask(push, usual)
			return "end_turn"
		})
	}, func(r *rig) {
		r.fresh()
		r.types("push it", "1")
		r.wants("You: push it", "Queued as prompt 1.")
		time.Sleep(time.Second)
		r.wants(pushQuestion("1")...)
		time.Sleep(599 * time.Millisecond)
		r.types("1", "and then this")
		r.wants("This line came before you could read the question and does not answer it. Type it again to answer this question: 1", "Answer 1 to 3:",
			"This line came before you could read the question and does not answer it. Queued as prompt 2: and then this", "Answer 1 to 3:")
		if _, outcomes, _ := r.seen(); outcomes != "" {
			t.Fatalf("answered: %q", outcomes)
		}
		time.Sleep(guard)
		r.types("3")
		if _, outcomes, _ := r.seen(); outcomes != "no" {
			t.Errorf("answered: %q", outcomes)
		}
		r.sees("Rejected by you", "You: 1", "You: and then this")
	})
}

// Lines in quick succession were not typed in answer to the question, however long it has been
// shown. Only a line after a pause answers it.
func TestQuickLinesAnswerNothing(t *testing.T) {
	talkTo(t, asks, func(r *rig) {
		defer r.interrupt() // so that nothing waits for an answer if the test fails
		r.types("push it")
		time.Sleep(500 * time.Millisecond)
		r.fresh()
		for range 4 {
			r.types("1")
			r.sees("does not answer it", "Answer 1 to 3:")
			time.Sleep(200 * time.Millisecond)
		}
		if _, outcomes, _ := r.seen(); outcomes != "" {
			t.Fatalf("answered: %q", outcomes)
		}
		time.Sleep(400 * time.Millisecond)
		r.types("1")
		if _, outcomes, _ := r.seen(); outcomes != "ok" {
			t.Errorf("answered: %q", outcomes)
		}
	})
}

func TestSeveralQuestions(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			first := make(chan string)
			go func() { first <- tn.Ask(push, usual) }()
			tn.Wait(time.Millisecond)
			second := tn.Ask(`{"toolCallId":"t2","title":"Two","kind":"other"}`, `[{"optionId":"a","name":"Do `+"\u202e"+`it","kind":"allow_once"},{"optionId":"b","name":"x\n1. y","kind":"strange"}]`)
			tn.Say(<-first + " and " + second)
			return "end_turn"
		})
	}, func(r *rig) {
		r.fresh()
		r.types("go")
		time.Sleep(10 * time.Millisecond)
		r.wants(append([]string{"You: go"}, pushQuestion("1")...)...)
		r.pause()
		r.types("1")
		r.sees("Question 1 of 1: fake asks.", "  Use a tool", "c. Cancel: none of these", "Answer 1 to 2:")
		r.types("1")
		r.sees("does not answer it")
		r.pause()
		r.types("c")
		r.sees("fake: ok and cancelled")
	})
}

// When a question goes away by itself, the user may still be answering it. That line is
// neither a prompt nor an answer to the next question.
func TestAnswerToAQuestionThatIsGone(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			if tn.N == 2 {
				return "end_turn"
			}
			ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
			defer stop()
			tn.Agent.Ask(ctx, tn.Session, push, usual)
			if tn.Text == "twice" {
				tn.Ask(`{"toolCallId":"t2","title":"Two","kind":"delete"}`, usual)
			}
			return "end_turn"
		})
	}, func(r *rig) {
		r.types("once")
		r.pause()
		r.fresh()
		time.Sleep(20 * time.Second)
		r.sees("This question no longer needs an answer.")
		r.types("1")
		r.wants(`"1" looks like an answer to the question that is gone.`, "1. Send it as a prompt", "2. Drop it", "0. None of these", "Answer 0 to 2:")
		r.types("2", "hello")
		if prompts, _, _ := r.seen(); prompts != "once|hello" {
			t.Errorf("sent: %q", prompts)
		}
		r.types("twice")
		r.pause()
		time.Sleep(20 * time.Second)
		r.sees("This question no longer needs an answer.", "Two")
		r.types("1")
		r.sees("The previous question is gone, so your line was not taken as an answer.")
		if _, outcomes, _ := r.seen(); strings.Contains(outcomes, "ok") {
			t.Fatalf("answered: %q", outcomes)
		}
		r.pause()
		r.types("1")
		if _, outcomes, _ := r.seen(); !strings.HasSuffix(outcomes, "|ok") {
			t.Errorf("answered: %q", outcomes)
		}
	})
}

func TestStopSettlesQuestions(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			tn.Ask(push, usual)
			return "cancelled"
		})
	}, func(r *rig) {
		r.types("go")
		r.pause()
		r.fresh()
		r.interrupt()
		r.sees("Stopping.", "This question no longer needs an answer", "Cancelled: git push origin HEAD.", "Turn ended: stopped.")
		if _, outcomes, _ := r.seen(); outcomes != "cancelled" {
			t.Errorf("answered: %q", outcomes)
		}
	})
}

// At the end of the input questions are refused.
func TestQuestionAtTheEndOfTheInput(t *testing.T) {
	talkTo(t, asks, func(r *rig) {
		r.fresh()
		r.types("go")
		r.typing.Close()
		<-r.done
		r.sees("Rejected: the input has ended.", "fake: I push it: no", "Turn ended.")
	})
}

// Nothing that an agent sends controls the terminal or looks like a line of parley's.
func TestHostileWords(t *testing.T) {
	const evil = "\x1b[2J\x1b]0;x\x07\u202e\u0085\rTurn ended.\nQuestion 1 of 1: parley asks.\n\nYou: yes\n\n```\x1b[1m\nAnswer 1 to 1:\n```\n| a&#27; | b&#10;You: |\n|--|--|\n| &#x202e;[x](&#10;y) | 2 |\n"
	talkTo(t, func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			tn.Say(evil)
			tn.Update(`{"sessionUpdate":"plan","entries":[{"content":` + fakeagent.Quote(evil) + `,"priority":"low","status":"in_progress"}]}`)
			tn.Update(`{"sessionUpdate":"tool_call","toolCallId":"e","title":` + fakeagent.Quote(evil) + `,"kind":"execute","status":"completed","rawInput":{"command":` + fakeagent.Quote(evil) + `},"content":[{"type":"diff","path":` + fakeagent.Quote("/"+evil) + `,"oldText":"x","newText":` + fakeagent.Quote(evil) + `},{"type":"content","content":{"type":"text","text":` + fakeagent.Quote(evil) + `}}]}`)
			tn.Update(`{"sessionUpdate":"current_mode_update","currentModeId":` + fakeagent.Quote(evil) + `}`)
			tn.Update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":` + fakeagent.Quote(evil) + `,"description":` + fakeagent.Quote(evil) + `}]}`)
			tn.Update(`{"sessionUpdate":` + fakeagent.Quote(evil) + `}`)
			tn.Ask(`{"toolCallId":"q","title":`+fakeagent.Quote(evil)+`,"kind":"execute","rawInput":{"command":`+fakeagent.Quote(evil)+`,"cwd":`+fakeagent.Quote("/"+evil)+`}}`,
				`[{"optionId":"x","name":`+fakeagent.Quote(evil)+`,"kind":"allow_once"}]`)
			tn.Elicit(`{"sessionId":"s1","mode":"form","message":` + fakeagent.Quote(evil) + `,"requestedSchema":{"type":"object","title":` + fakeagent.Quote(evil) + `,"properties":{"a":{"type":"string","title":` + fakeagent.Quote(evil) + `,"enum":[` + fakeagent.Quote(evil) + `],"default":` + fakeagent.Quote(evil) + `}}}}`)
			tn.Elicit(`{"sessionId":"s1","mode":"url","elicitationId":"1","message":` + fakeagent.Quote(evil) + `,"url":` + fakeagent.Quote("https://x/"+evil) + `}`)
			return evil
		})
	}, func(r *rig) {
		r.types("go")
		for _, l := range []string{"d", "1", "1", "", "1", "decline", "/output 1", "/output 2", "/plan", "/help", "/transcript", "/log", "/status"} {
			r.pause()
			r.pause()
			r.types(l)
		}
		all := r.out.text()
		for i, c := range all {
			if c < ' ' && c != '\n' || c == 0x7f || c >= 0x80 && c < 0xa0 || c == '\u202e' {
				t.Fatalf("%q is written: %q", c, all[max(0, i-40):min(len(all), i+10)])
			}
		}
		for l := range strings.Lines(all) {
			for _, own := range []string{"You: yes", "Question 1 of 1: parley"} {
				if strings.HasPrefix(l, own) {
					t.Errorf("a line of the agent's looks like one of parley's: %q", l)
				}
			}
		}
		if !strings.Contains(all, "Address: https://x/") || !strings.Contains(all, "End of the conversation.") || strings.Count(all, "End of output.") < 2 {
			t.Errorf("not all was shown:\n%s", all)
		}
	})
}

// Lines of part of a file are printed with their numbers in the file.
func TestPartOfAFileHasItsNumbers(t *testing.T) {
	talkTo(t, nil, func(r *rig) {
		file := filepath.Join(r.opts.Cwd, "f.txt")
		must.Do(t, os.WriteFile(file, []byte("one\ntwo\nthree\nfour\nfive\nsix\n"), 0o644))
		call := `{"toolCallId":"e","title":"Edit f.txt","kind":"edit","status":"completed","content":[{"type":"diff","path":` + fakeagent.Quote(file) + `,"oldText":"five","newText":"5"}]}`
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			tn.Ask(call, `[{"optionId":"ok","name":"Allow once","kind":"allow_once"}]`)
			tn.Update(`{"sessionUpdate":"tool_call",` + call[1:])
			return "end_turn"
		})
		r.types("go")
		r.sees("Line 4: four", "Line 5, removed: five", "Line 5, added: 5", "Line 6: six")
		r.pause()
		r.types("1")
		r.types("/output 1")
		r.sees("plus 1, minus 1", "Line 4: four", "Line 5, removed: five", "Line 5, added: 5", "Line 6: six")
	})
}

// A session that is being loaded can ask before the task reports the connection.
func TestQuestionWhileTheFirstSessionLoads(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.fake.Capabilities(`,"agentCapabilities":{"loadSession":true}`)
		r.fake.On("session/load", func(c *fakeagent.Call) (string, error) {
			ctx, stop := context.WithTimeout(c.Ctx, 5*time.Second)
			defer stop()
			c.Agent.Ask(ctx, "s1", push, usual)
			return "{}", nil
		})
		r.opts.Connect = func(ctx context.Context, s workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
			conn, err := r.Redial(ctx, s, sink, log)
			if err == nil {
				conn.Session, err = conn.Client.LoadSession(ctx, "s1", conn.Template)
			}
			return conn, err
		}
	}, func(r *rig) {
		r.pause()
		r.sees("Question 1 of 1: fake asks.")
		r.types("3")
		r.pause()
		r.sees("Connected: fake 1.2.")
		if _, outcomes, _ := r.seen(); outcomes != "no" {
			t.Errorf("answered: %q", outcomes)
		}
	})
}
