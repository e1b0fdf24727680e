package ui

import (
	"path/filepath"
	"testing"
	"time"

	"parley/internal/fakeagent"
)

// connected waits for the chat page.
func (d *driver) connected() {
	d.t.Helper()
	d.wait(100 * time.Millisecond)
	if !d.m.conversing() {
		d.t.Fatalf("not connected:\n%s", d.screen())
	}
}

func (d *driver) prompts(want string) {
	d.t.Helper()
	if got, _, _ := seen(d.Agent()); got != want {
		d.t.Fatalf("the agent got %q, want %q", got, want)
	}
}

func (d *driver) outcomes(want string) {
	d.t.Helper()
	if _, got, _ := seen(d.Agent()); got != want {
		d.t.Fatalf("the questions were answered %q, want %q\n%s", got, want, d.screen())
	}
}

func (d *driver) draft(want string) {
	d.t.Helper()
	if got := d.m.Front.Composer.Value(); got != want {
		d.t.Fatalf("the draft is %q, want %q", got, want)
	}
}

func TestPromptAndAnswer(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.sees("fake 1.2", "fake --acp", "in ~/src/parser", "⎇ main", "? help")
		d.types("hello\n")
		d.wait(50 * time.Millisecond)
		d.sees("▌ hello", "You said: hello")
		d.draft("")
		d.prompts("hello")
		d.press("up")
		d.draft("hello")
	})
}

// slow answers after three seconds, or when it is stopped.
func slow(t *fakeagent.Turn) string {
	t.Say("working on " + t.Text)
	if t.Wait(3 * time.Second) {
		return "cancelled"
	}
	t.Say(", done")
	return "end_turn"
}

// A message after the end of a turn is an entry of its own below the answer.
func TestTextBetweenTurns(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.soon()
		d.Agent().Say("s1", "agent", "[MODE_UPDATE] plan")
		d.soon()
		d.sees("  You said: hello", "  [MODE_UPDATE] plan")
		d.misses("hello[MODE")
	})
}

// Case 100: prompts typed while a turn runs wait, can be edited and dropped.
func TestQueue(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("one\ntwo\nthree\nfour\n")
		d.wait(50 * time.Millisecond)
		d.prompts("one")
		d.sees("running 0s", "queued 1", `"two"`, `"four"`, "↑ edit", "3 queued")
		d.press("backspace") // drops the last
		d.misses(`"four"`)
		d.press("up") // takes the last out
		d.draft("three")
		d.types(" more")
		d.sees(`"two"`, "three more")
		d.wait(3 * time.Second)
		d.prompts("one|two")
		d.draft("three more")
		d.press("enter")
		d.wait(3 * time.Second)
		d.prompts("one|two|three more")
		d.wait(4 * time.Second)
		d.sees("working on three more, done", "? help")
	})
}

// After esc the queue waits for the user, whatever is sent in the meantime: the turn
// of another prompt does not set it going.
func TestStopHoldsTheQueue(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("one\ntwo\nthree\n")
		d.press("esc")
		d.wait(time.Second)
		d.sees("enter send")
		d.types("another\n")
		d.sees(`queued 2  "three"  enter send after this turn`)
		d.wait(10 * time.Second)
		d.prompts("one|another")
		d.press("backspace") // drops three
		d.types("yet another\n")
		d.wait(time.Second)
		d.press("enter")
		d.sees("Queued prompts are sent after this turn")
		d.types("four\n")
		d.misses("enter send")
		d.wait(20 * time.Second)
		d.prompts("one|another|yet another|two|four")
	})
}

// Cases 101, 105: esc stops the turn and keeps the draft and the queue; enter on the empty
// composer sends the queue.
func TestStop(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("one\ntwo\ndraft")
		d.wait(time.Second)
		d.press("esc")
		d.wait(100 * time.Millisecond)
		if _, _, n := seen(d.Agent()); n != 1 {
			t.Fatalf("%d times session/cancel", n)
		}
		d.sees("Stopped", "two", "enter send", "draft")
		d.prompts("one")
		d.press("esc") // nothing runs
		d.wait(time.Second)
		d.press("esc")
		if _, _, n := seen(d.Agent()); n != 1 {
			t.Fatalf("%d times session/cancel", n)
		}
		d.draft("draft")
		d.press("ctrl+c")
		d.draft("")
		d.press("enter")
		d.wait(100 * time.Millisecond)
		d.prompts("one|two")
	})
}

// Case 106: an agent that does not react to a stop can be ended.
func TestStopUnanswered(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string { <-t.Ctx.Done(); return "end_turn" })
	}, func(d *driver) {
		d.connected()
		d.types("one\n")
		d.wait(time.Second)
		d.press("esc", "esc")
		d.wait(time.Second)
		d.sees("stopping")
		d.misses("end the agent")
		d.wait(5 * time.Second)
		d.sees("end the agent (not responding)")
		d.press("esc")
		d.wait(time.Second)
		d.sees("The agent has ended · enter restarts it")
	})
}

// ctrl+c: stop, then clear the draft; twice within two seconds to quit.
func TestInterruptLadder(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("one\ndraft")
		d.wait(time.Second)
		d.press("ctrl+c")
		d.wait(100 * time.Millisecond)
		d.sees("Stopped", "ctrl+c again to quit")
		d.draft("draft")
		d.wait(2 * time.Second)
		d.misses("again to quit")
		d.press("ctrl+c")
		d.draft("")
		d.sees("ctrl+c again to quit")
		d.press("up")
		d.draft("draft") // kept in the history
		d.misses("again to quit")
		d.press("ctrl+c")
		d.draft("")
		d.wait(2100 * time.Millisecond)
		d.misses("again to quit")
		d.press("ctrl+c")
		d.wait(time.Second)
		if d.quit {
			t.Fatal("quit after one ctrl+c")
		}
		d.press("ctrl+c")
		d.wait(100 * time.Millisecond)
		if !d.quit {
			t.Fatalf("did not quit:\n%s", d.screen())
		}
	})
}

// ctrl+c twice quits although the agent does not stop, and says first what that ends.
func TestInterruptTwice(t *testing.T) {
	for _, asks := range []bool{false, true} {
		soon := 0
		drive(t, func(d *driver, o *Options) {
			o.EndSoon = func() { soon++ }
			d.fake.Turn(func(t *fakeagent.Turn) string {
				for asks && t.Ctx.Err() == nil {
					t.Elicit(oneField)
				}
				<-t.Ctx.Done()
				return "end_turn"
			})
		}, func(d *driver) {
			d.connected()
			d.types("one\nnext\n")
			d.wait(time.Second)
			d.press("ctrl+c")
			d.sees("ctrl+c again to quit · ends the turn · drops the prompt")
			d.wait(time.Second)
			d.press("ctrl+c")
			if d.wait(100 * time.Millisecond); !d.quit || soon != 1 {
				t.Fatalf("quit: %v, %d times:\n%s", d.quit, soon, d.screen())
			}
		})
	}
}

// ctrl+c that copies, or closes what the user has opened, is none of the two that quit.
func TestInterruptClosesOwn(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("one\n")
		d.wait(time.Second)
		for _, open := range []string{"ctrl+s", "?", "f2"} {
			d.press(open, "ctrl+c")
			d.misses("again to quit", "Stopped")
		}
		d.press("ctrl+c")
		d.wait(100 * time.Millisecond)
		d.sees("Stopped", "ctrl+c again to quit")
	})
}

func TestQuitKey(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.types("ab")
		d.press("left", "ctrl+d")
		d.draft("a")
		d.press("backspace", "ctrl+d")
		d.wait(time.Second)
		if !d.quit {
			t.Fatal("ctrl+d on an empty composer does not quit")
		}
	})
}

// Case 99: an error of the prompt is shown, the next prompt works and the queue
// waits.
func TestPromptFails(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			if t.Text == "bad" {
				t.Wait(time.Second)
				return ""
			}
			return slow(t)
		})
	}, func(d *driver) {
		d.connected()
		d.types("bad\nnext\n")
		d.wait(2 * time.Second)
		d.sees("✗ prompt: the agent answered: Internal error: the model is away (-32603)", "next", "enter send")
		d.prompts("bad")
		d.press("enter")
		d.wait(4 * time.Second)
		d.sees("working on next, done")
	})
}

// The agent ends in the middle of a turn: the error is in the transcript, the draft stays,
// and enter restarts the agent.
func TestDisconnected(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("one\ndraft")
		d.wait(time.Second)
		first := d.Agent()
		first.Close()
		d.wait(time.Second)
		d.sees("✗ ", "The agent has ended · enter restarts it", "draft", "ctrl+c quit")
		d.press("enter")
		d.connected()
		if d.Agent() == first {
			t.Fatal("no other agent was started")
		}
		d.draft("draft")
		d.sees("▌ one", "started again: the agent does not remember what is above", "draft")
		d.misses("The agent has ended")
		d.press("enter")
		d.wait(4 * time.Second)
		d.prompts("draft")
		d.sees("working on draft, done")
	})
}

// Cases 83 and 103: updates after a stop and after the end of the turn are shown.
func TestLateText(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Say("first ")
			t.Wait(time.Hour)
			t.Say("after the stop ")
			go func() {
				time.Sleep(time.Second)
				t.Say("after the end")
			}()
			return "cancelled"
		})
	}, func(d *driver) {
		d.connected()
		d.types("one\n")
		d.wait(time.Second)
		d.press("esc")
		d.wait(2 * time.Second)
		d.sees("first after the stop", "Stopped", "after the end")
		d.misses("first after the stop after the end")
	})
}

// An unchanged screen is the same string and no work.
func TestUnchangedScreen(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver) {
		d.connected()
		d.types("one\n")
		d.wait(5 * time.Second)
		before, draws := visible(d.m.View()), d.m.draws
		for range 5 {
			if visible(d.m.View()) != before {
				t.Fatal("another screen")
			}
		}
		d.wait(time.Minute) // idle: nothing ticks
		if d.m.draws != draws {
			t.Errorf("%d draws in an idle minute", d.m.draws-draws)
		}
	})
}

// While a turn runs the screen is drawn for the clock, not more often.
func TestDrawsWhileWaiting(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
	}, func(d *driver) {
		d.connected()
		d.types("one\n")
		d.wait(time.Second)
		draws := d.m.draws
		d.wait(10 * time.Second)
		if n := d.m.draws - draws; n > 60 {
			t.Errorf("%d draws in ten seconds without news", n)
		}
	})
}

// The transcript says that an agent said nothing in a turn, until it does.
func TestNothingSaid(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(func(*fakeagent.Turn) string { return "end_turn" }) }, func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.soon()
		d.sees("fake said nothing")
		d.Agent().Update("s1", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Look","kind":"read","status":"completed"}`)
		d.soon()
		d.sees("Look")
		d.misses("said nothing")
	})
}

// A worktree of parley's is named, not its place in the state directory.
func TestWelcomeInAWorktree(t *testing.T) {
	for under, want := range map[string]string{"trees/parser-1f/fix": "in worktree fix", "trees/parser-1f/fix/cmd/x": "in worktree fix/cmd/x", "other/fix": "other/fix"} {
		state := t.TempDir()
		drive(t, func(_ *driver, o *Options) {
			o.Cwd, o.TreesDir, o.Home = filepath.Join(state, filepath.FromSlash(under)), filepath.Join(state, "trees"), state
		}, func(d *driver) {
			d.connected()
			d.sees(want)
			d.misses("parser-1f")
		})
	}
}
