package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/ui/page"

	tea "charm.land/bubbletea/v2"
)

// asking is a turn that asks one question and says the outcome.
func asking(tool, options string) func(*fakeagent.Turn) string {
	return func(t *fakeagent.Turn) string {
		t.Say("answered: " + t.Ask(tool, options))
		return "end_turn"
	}
}

// withQuestion opens the chat, sends a prompt and waits for its question.
func withQuestion(t *testing.T, tool, options string, f func(d *driver)) {
	t.Helper()
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(asking(tool, options)) }, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.wait(100 * time.Millisecond)
		f(d)
	})
}

func (d *driver) open() int { return d.m.Front.Question.Len() }

func TestQuestionShown(t *testing.T) {
	withQuestion(t, push, usual, func(d *driver) {
		d.sees("fake asks", "Run outside the project: /home/ada/src/parser", "git add -A && git push origin HEAD", `Agent's description: "Commit typed errors"`,
			"y Allow once", "a Always allow", "n Reject", "alt+a to answer · esc reject", "waiting for you", "ctrl+c stop")
		d.rest()
		d.sees("esc reject · d details")
		d.press("d")
		d.sees(`"command": "git add -A && git push origin HEAD"`)
	})
}

// Every way to answer, with the outcome that the agent gets and the line that
// stays in the transcript.
func TestAnswers(t *testing.T) {
	for _, c := range []struct{ key, outcome, line string }{
		{"y", "ok", "· allowed "}, {"a", "ever", "✓ Allowed by you (Always allow) "}, {"n", "no", "rejected "},
		{"1", "ok", "· allowed "}, {"3", "no", "rejected "}, {"esc", "no", "rejected "},
	} {
		t.Run(c.key, func(t *testing.T) {
			withQuestion(t, push, usual, func(d *driver) {
				d.rest()
				d.press(c.key)
				d.wait(100 * time.Millisecond)
				d.outcomes(c.outcome)
				d.sees(c.line, "git add -A && git push origin HEAD", "answered: "+c.outcome)
				d.misses("fake asks")
				d.draft("")
			})
		})
	}
}

// Right after a key nothing can be allowed, and while something is typed no key is for the
// question.
func TestQuestionNotArmed(t *testing.T) {
	withQuestion(t, push, usual, func(d *driver) {
		d.press("y") // too early
		d.sees("Too soon after another key: press y again")
		d.outcomes("")
		d.types("o")
		d.rest()
		d.sees("You are typing")
		d.press("y", "a", "1")
		d.draft("oya1")
		d.outcomes("")
		d.press("alt+a") // gives it the keys, whatever the draft
		d.press("y")     // too close
		d.wait(100 * time.Millisecond)
		d.outcomes("")
		d.draft("oya1")
		d.press("y")
		d.wait(100 * time.Millisecond)
		d.outcomes("ok")
		d.draft("oya1")
	})
}

// The question must have been on the screen for a while as well.
func TestQuestionWantsToBeSeen(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Wait(5 * time.Second)
			return asking(push, usual)(t)
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		for d.open() == 0 {
			d.wait(10 * time.Millisecond)
		}
		d.wait(200 * time.Millisecond) // no key for seconds, but it is new
		d.press("y")
		d.outcomes("")
		d.draft("")
		d.wait(500 * time.Millisecond)
		d.press("y")
		d.outcomes("")
		d.wait(601 * time.Millisecond)
		d.press("y")
		d.wait(100 * time.Millisecond)
		d.outcomes("ok")
	})
}

// tab on the empty composer gives the question the keys, a click does, and
// tab gives them back.
func TestQuestionGrab(t *testing.T) {
	withQuestion(t, push, usual, func(d *driver) {
		d.press("tab", "y", "y", "y")
		d.wait(100 * time.Millisecond)
		d.outcomes("")
		d.draft("")
		d.press("tab", "y")
		d.draft("y")
		d.press("backspace")
		_, top := d.boxTop()
		d.send(tea.MouseClickMsg{X: 5, Y: top + 1, Button: tea.MouseLeft})
		d.wait(100 * time.Millisecond)
		d.press("n")
		d.wait(100 * time.Millisecond)
		d.outcomes("no")
	})
}

// Cases 107, 109: unknown kinds and doubles by digit only; ids are the agent's,
// whatever they look like; names may be empty.
func TestOddOptions(t *testing.T) {
	options := `[{"optionId":"","name":"One","kind":"allow_once"},{"optionId":" x\u001b","name":"Two","kind":"allow_once"},{"optionId":"m","name":"Maybe","kind":"allow_someday"},{"optionId":"e","name":"","kind":"reject_always"}]`
	for key, want := range map[string]string{"1": "", "2": " x\x1b", "3": "m", "4": "e", "N": "e"} {
		withQuestion(t, push, options, func(d *driver) {
			d.rest()
			d.sees("1 Allow: One", "2 Allow: Two", "3 Maybe", "N ")
			for _, letter := range []string{"9", "n"} { // without a meaning
				d.press(letter, "backspace")
				d.rest()
			}
			if d.open() != 1 {
				t.Fatal("answered by a key that belongs to none")
			}
			d.press("tab")
			d.wait(100 * time.Millisecond)
			d.press("y", "a", "m")
			d.outcomes("")
			if d.open() != 1 {
				t.Fatal("a letter that two options share has answered")
			}
			d.press(key)
			d.wait(100 * time.Millisecond)
			if _, got, _ := seen(d.Agent()); got != want {
				t.Fatalf("%q chose %q, want %q", key, got, want)
			}
		})
	}
}

func longCommand(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "echo line %d\n", i)
	}
	raw, _ := json.Marshal(map[string]string{"command": b.String() + "rm -rf /"})
	return `{"toolCallId":"t1","title":"Tidy up","kind":"execute","rawInput":` + string(raw) + `}`
}

// What does not fit has to be read to its end before it can be allowed;
// rejecting works at once.
func TestReadToTheEnd(t *testing.T) {
	withQuestion(t, longCommand(40), usual, func(d *driver) {
		d.rest()
		d.sees("y Allow once (off)", "more rows ↓", "n Reject")
		d.misses("rm -rf /", "Reject (off)")
		d.press("y", "a", "1", "2")
		d.wait(100 * time.Millisecond)
		d.outcomes("")
		d.sees("Read to the end first")
		for range 60 {
			d.press("down")
		}
		d.sees("rm -rf /", "y Allow once")
		d.misses("(off)")
		d.press("up", "up", "pgup")
		d.press("y")
		d.wait(100 * time.Millisecond)
		d.outcomes("ok")
	})
	withQuestion(t, longCommand(40), usual, func(d *driver) {
		d.rest()
		d.press("n")
		d.wait(100 * time.Millisecond)
		d.outcomes("no")
	})
}

// f gives the question the room of the composer, and back.
func TestFullScreenQuestion(t *testing.T) {
	withQuestion(t, longCommand(40), usual, func(d *driver) {
		d.rest()
		d.press("f")
		d.sees("╭ fake asks", "echo line 14")
		d.misses("› Ask the agent")
		d.press("f")
		d.sees("› Ask the agent")
		d.press("f")
		for range 60 {
			d.press("down")
		}
		d.press("y")
		d.rest()
		d.outcomes("ok")
		d.sees("› Ask the agent")
	})
}

// What lies under help or under a popup has not been seen.
func TestCoveredQuestion(t *testing.T) {
	withQuestion(t, push, usual, func(d *driver) {
		q := d.m.Front.Question
		q.Restart()
		d.types("/")
		d.sees("tab complete")
		d.rest()
		if q.Read() {
			t.Error("read under the popup")
		}
		d.press("backspace", "f1")
		q.Restart()
		d.send(page.Refresh{})
		d.rest()
		d.misses("fake asks")
		if q.Read() || q.Appeared() {
			t.Error("read under the help")
		}
		d.press("y") // dropped
		d.outcomes("")
		d.press("esc")
		d.sees("fake asks")
		d.outcomes("")
	})
}

// Case 111: several questions, one at a time, each answered by its own key.
func TestSeveralQuestions(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			done := make(chan string)
			for _, name := range []string{"alpha", "beta", "gamma"} {
				go func() {
					done <- name + "=" + t.Ask(`{"toolCallId":"`+name+`","title":"Do `+name+`","kind":"other"}`, usual)
				}()
				time.Sleep(10 * time.Millisecond)
			}
			t.Say(<-done + " " + <-done + " " + <-done)
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.rest()
		d.sees("Do alpha", "1 of 3 waiting")
		d.press("ctrl+n")
		d.sees("Do beta", "2 of 3 waiting")
		d.press("y") // for the one before
		d.outcomes("")
		d.draft("")
		d.rest()
		d.press("ctrl+p")
		d.sees("Do alpha", "1 of 3 waiting")
		d.rest()
		d.press("ctrl+p")
		d.sees("Do gamma", "3 of 3 waiting")
		d.rest()
		d.press("n")
		d.wait(100 * time.Millisecond)
		d.outcomes("no")
		d.sees("2 of 2 waiting")
		d.rest()
		d.press("y")
		d.rest()
		d.outcomes("no|ok")
		d.misses("of 1 waiting", "of 2 waiting")
		d.press("a")
		d.wait(100 * time.Millisecond)
		d.sees("gamma=no", "beta=ok", "alpha=ever")
	})
}

// Case 101: stopping answers all of them; a question answered elsewhere closes.
func TestQuestionSettledElsewhere(t *testing.T) {
	withQuestion(t, push, usual, func(d *driver) {
		d.press("ctrl+c")
		d.wait(100 * time.Millisecond)
		d.outcomes("cancelled")
		d.misses("fake asks")
		d.sees("– Cancelled", "git add -A && git push origin HEAD")
	})
	withQuestion(t, push, usual, func(d *driver) {
		d.m.Front.Agent.ConnForTest().Broker.CancelSession("s1")
		d.wait(100 * time.Millisecond)
		d.misses("fake asks")
	})
}

// Case 114: hostile names stay on their row and are all there.
func TestHostileOptions(t *testing.T) {
	long, _ := json.Marshal(strings.Repeat("very long ", 1000))
	options := `[{"optionId":"a","name":"Al\u001b[2Jlow\u001b]52;c;aGk=\u0007","kind":"allow_once"},{"optionId":"b","name":"two\nlines","kind":"reject_once"},{"optionId":"c","name":"\u202egnp.exe\u2066","kind":"other"},{"optionId":"d","name":` + string(long) + `,"kind":"x"}]`
	withQuestion(t, push, options, func(d *driver) {
		for _, size := range [][2]int{{20, 6}, {40, 12}, {80, 24}, {200, 60}} {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]}) // look checks every row
		}
		d.sees("y Allow", "n two lines", "3 gnp.exe", "4 very long")
	})
}

// More options than there is room for have to be read, too.
func TestManyOptions(t *testing.T) {
	var options []string
	for i := range 9 {
		options = append(options, fmt.Sprintf(`{"optionId":"o%d","name":"%s %d","kind":"allow_%d"}`, i, strings.Repeat("a name that fills a row ", 2), i, i))
	}
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(asking(push, "["+strings.Join(options, ",")+"]")) }, func(d *driver) {
		d.connected()
		d.send(tea.WindowSizeMsg{Width: 40, Height: 12})
		d.types("go\n")
		d.rest()
		d.press("9")
		d.outcomes("")
		for range 40 {
			d.press("down")
		}
		d.sees("9 a name")
		d.press("9")
		d.wait(100 * time.Millisecond)
		d.outcomes("o8")
	})
}
