package ui

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/fakeagent"
	"parley/internal/seeds"
)

// What allows nothing works at once, however soon after the last key.
func TestQuestionActsAtOnce(t *testing.T) {
	withQuestion(t, longCommand(40), usual, func(d *driver) {
		d.sees("Run a command")
		d.press("down")
		d.misses("Run a command")
		d.press("G")
		d.sees("rm -rf /")
		d.press("pgup", "d", "f")
		d.misses("› Ask the agent")
		d.press("f", "y") // no key before it gives the question the keys
		d.outcomes("")
		d.sees("Too soon")
		d.press("n")
		d.wait(100 * time.Millisecond)
		d.outcomes("no")
		d.draft("")
	})
	withQuestion(t, push, usual, func(d *driver) {
		d.press("c")
		d.sees("git add -A && git push origin HEAD", "Why")
	})
	drive(t, func(d *driver, _ *Options) { // a key pressed twice rejects one question
		d.fake.Turn(func(t *fakeagent.Turn) string {
			go t.Ask(push, usual)
			return asking(push, usual)(t)
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.wait(100 * time.Millisecond)
		d.press("n", "n")
		d.wait(100 * time.Millisecond)
		d.outcomes("no")
		d.press("n")
		d.wait(100 * time.Millisecond)
		d.outcomes("no|no")
	})
}

// A key that comes too soon after the one that turned to the question says so, in the question.
func TestTooSoonAfterTurningToAQuestion(t *testing.T) {
	withQuestion(t, push, usual, func(d *driver) {
		d.types("oops")
		d.press("alt+a", "y")
		d.outcomes("")
		d.sees("Too soon after another key: press y again")
		d.wait(100 * time.Millisecond)
		d.press("y")
		d.wait(100 * time.Millisecond)
		d.outcomes("ok")
		d.misses("Too soon")
	})
}

// What a question says about a key goes with it.
func TestNoteGoesWithItsQuestion(t *testing.T) {
	for _, last := range []string{"n", "down"} {
		withQuestion(t, longCommand(400), usual, func(d *driver) {
			d.rest()
			d.press("y")
			d.sees("Read to the end first")
			d.press("G")
			d.rest()
			d.press("y")
			d.sees("rows not read: press y again")
			d.press(last)
			d.wait(100 * time.Millisecond)
			d.misses("rows not read", "Read to the end")
		})
	}
}

// A key that questions know, but not this one, is neither typed nor takes the keys from it.
func TestKeyThatThisQuestionLacks(t *testing.T) {
	for key, line := range map[string]string{
		"h": "This question has no hunks", "]": "This question has no hunks", "left": "This question has no hunks", "u": "This question has no hunks",
		"e": "This question has no text to edit", "t": "This command is run by the agent; it cannot take your keyboard",
		"ctrl+n": "No other question is waiting", "ctrl+p": "No other question is waiting", "A": "A is not an answer: press y, a or n",
	} {
		for _, wait := range []time.Duration{0, time.Second} {
			withQuestion(t, push, usual, func(d *driver) {
				d.wait(wait)
				d.press(key)
				d.sees(line)
				d.misses("You are typing")
				d.draft("")
				d.rest()
				d.press("y")
				d.wait(100 * time.Millisecond)
				d.outcomes("ok")
			})
		}
		withQuestion(t, push, usual, func(d *driver) { // what is said goes with the question, also without a key
			d.press(key)
			d.sees(line)
			d.m.Front.Agent.ConnForTest().Broker.CancelSession("s1")
			d.wait(100 * time.Millisecond)
			d.misses("fake asks", line)
		})
	}
}

// esc clears what was typed while the question was there, and rejects only then. A draft that is older
// is the user's.
func TestEscClearsWhatWasTypedOverAQuestion(t *testing.T) {
	withQuestion(t, push, usual, func(d *driver) {
		d.types("oops")
		d.sees("You are typing · alt+a to answer · esc clear the draft")
		d.press("esc")
		d.draft("")
		d.outcomes("")
		d.sees("fake asks", "esc reject")
		d.press("esc")
		d.wait(100 * time.Millisecond)
		d.outcomes("no")
		d.press("up") // not lost
		d.draft("oops")
	})
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Wait(2 * time.Second)
			return asking(push, usual)(t)
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.types("next")
		d.wait(3 * time.Second)
		d.types(" one")
		d.sees("You are typing · alt+a to answer · esc reject")
		d.press("esc")
		d.wait(100 * time.Millisecond)
		d.outcomes("no")
		d.draft("next one")
	})
}

// The letters of a word allow nothing, whatever its first one means to the question.
func TestAWordAllowsNothing(t *testing.T) {
	for word, want := range map[string]string{"dynamic": "no", "fly": "", "jay": "", "d y a": ""} {
		withQuestion(t, push, usual, func(d *driver) {
			d.rest()
			for _, r := range word {
				d.press(string(r))
				d.wait(90 * time.Millisecond)
			}
			d.outcomes(want)
			d.press("ctrl+c")
		})
	}
	withQuestion(t, push, usual, func(d *driver) {
		d.rest()
		d.press("d", "j", "k")
		d.rest()
		d.press("y")
		d.wait(100 * time.Millisecond)
		d.outcomes("ok")
	})
}

// The full view is a layer: keys without a meaning there do nothing, in particular not in the
// hidden composer, and esc leaves the view before it rejects.
func TestFullScreenIsALayer(t *testing.T) {
	withQuestion(t, push, usual, func(d *driver) {
		d.rest()
		d.press("f")
		d.misses("› Ask the agent")
		d.sees("f or esc back")
		d.press("x", "enter", "Q", "/", "?", "backspace", "ctrl+w", "x", "enter")
		d.send(tea.PasteMsg{Content: "pasted"})
		d.rest()
		d.misses("› Ask the agent", "queued")
		d.draft("")
		d.outcomes("")
		d.sees("f or esc back")
		d.press("esc")
		d.sees("› Ask the agent", "fake asks")
		d.types("yo") // typed right after it
		d.outcomes("")
		d.draft("o")
		d.press("ctrl+u")
		d.rest()
		d.press("f", "tab") // back to the composer, which is there again
		d.sees("› Ask the agent")
		d.types("half a draft")
		d.draft("half a draft")
		d.press("alt+a")
		d.wait(100 * time.Millisecond)
		d.press("f", "x", "enter", "f")
		d.draft("half a draft")
		d.press("f")
		d.rest()
		d.press("y") // answers count there
		d.wait(100 * time.Millisecond)
		d.outcomes("ok")
		d.sees("› half a draft")
		d.misses("queued")
	})
}

// A key that answers other questions but not this one is not typed, and the
// question says which keys it takes. They still do.
func TestKeyThatIsNoAnswer(t *testing.T) {
	options := `[{"optionId":"one","name":"Allow once","kind":"allow_once"},{"optionId":"dir","name":"Allow once, and this directory","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]`
	for _, key := range []string{"y", "a", "N", "7"} {
		withQuestion(t, push, options, func(d *driver) {
			d.rest()
			d.press(key)
			d.draft("")
			d.outcomes("")
			d.send(tea.WindowSizeMsg{Width: 40, Height: 24})
			d.sees(key + " is not an answer: press 1, 2 or n")
			d.press("1") // it may be a word
			d.outcomes("")
			d.draft("")
			d.rest()
			d.press("2")
			d.wait(100 * time.Millisecond)
			d.outcomes("dir")
		})
	}
	withQuestion(t, push, options, func(d *driver) { // while something is typed they are letters
		d.types("w")
		d.rest()
		d.types("ay")
		d.draft("way")
	})
}

// pressAtRandom presses keys after pauses that are too short to allow anything, and calls each after
// every one.
func (d *driver) pressAtRandom(seed uint64, n int, keys []string, each func()) {
	r := rand.New(rand.NewPCG(seed, seed))
	for range seeds.Of(n) {
		pause := time.Duration(r.IntN(20)) * time.Millisecond
		if r.IntN(50) == 0 {
			pause = time.Duration(r.IntN(599)) * time.Millisecond
		}
		if pause > 0 {
			time.Sleep(pause)
			d.settle()
		}
		d.press(keys[r.IntN(len(keys))])
		each()
	}
}

// No stream of keys allows anything without a pause or a key that turns to the
// question: thousands of keys while questions come and go.
func TestTypingNeverAllows(t *testing.T) {
	t.Parallel()
	keys := []string{"y", "a", "n", "N", "1", "2", "3", "enter", "space", "backspace", "up", "down", "left", "right", "esc", "esc", "esc", "pgup", "pgdown", "ctrl+n", "ctrl+p",
		"d", "f", "j", "k", "/", "?", "ctrl+o", "ctrl+t", "ctrl+l", "ctrl+u", "ctrl+w", "ctrl+k", "ctrl+y", "shift+enter", "f1", "f2", "home", "end", "ctrl+home", "ctrl+end", "delete", "Y", "A", "é"}
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			for range 3 {
				go t.Ask(push, usual)
				if t.Wait(700 * time.Millisecond) {
					return "cancelled"
				}
			}
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		asked := 0
		d.pressAtRandom(5, 30_000, keys, func() { asked = max(asked, d.open()) })
		_, outcomes, _ := seen(d.Agent())
		if strings.Contains(outcomes, "ok") || strings.Contains(outcomes, "ever") {
			t.Fatalf("typing has allowed something: %s", outcomes)
		}
		if asked == 0 {
			t.Fatalf("no question was ever there: %q", outcomes)
		}
	})
}
