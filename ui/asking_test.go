package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"

	tea "charm.land/bubbletea/v2"
)

// talking is a turn that says a number of lines before it continues with then.
func talking(lines int, then func(*fakeagent.Turn) string) func(*fakeagent.Turn) string {
	return func(t *fakeagent.Turn) string {
		for i := range lines {
			t.Say(fmt.Sprintf("- line %d of the answer\n", i))
		}
		t.Say("- the last words")
		return then(t)
	}
}

// boxTop returns the first row of the question; the rows above it are the transcript's.
func (d *driver) boxTop() (rows []string, top int) {
	d.t.Helper()
	rows = strings.Split(d.screen(), "\n")
	top = slices.IndexFunc(rows, func(r string) bool { return strings.HasPrefix(r, "╭ fake asks") })
	if top < 0 {
		d.t.Fatalf("nothing is asked:\n%s", d.screen())
	}
	return rows, top
}

// A question takes its rows from the transcript: the end of it is right above,
// the call that waits is one line of it, and all of it can be scrolled to.
func TestQuestionTakesRowsFromTheTranscript(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(talking(40, asking(edit(), usual))) }, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.wait(300 * time.Millisecond)
		for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 60}} {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			rows, top := d.boxTop()
			if top == 0 || !strings.Contains(rows[top-1], "parse.go") {
				t.Errorf("%v: the call is not right above the question:\n%s", size, d.screen())
			}
			if size[1] >= 24 && !strings.Contains(strings.Join(rows[:top], "\n"), "the last words") {
				t.Errorf("%v: the agent's last words are not above the question:\n%s", size, d.screen())
			}
			if n := strings.Count(d.screen(), `node, err := expr(in)`); n > 1 {
				t.Errorf("%v: the change is drawn %d times:\n%s", size, n, d.screen())
			}
		}
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		seen := map[string]bool{}
		for range 60 {
			rows, top := d.boxTop()
			for _, r := range rows[:top] {
				seen[strings.TrimSpace(r)] = true
			}
			d.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
		}
		for i := range 40 {
			if !seen[fmt.Sprintf("• line %d of the answer", i)] {
				t.Errorf("line %d cannot be scrolled to", i)
			}
		}
		d.sees("▌ go", "↓ fake asks · end")
	})
}

// Once the question is answered the call shows again what it does.
func TestAskedCallIsDrawnOnce(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Agent.Update(t.Session, strings.Replace(edit(), `{`, `{"sessionUpdate":"tool_call",`, 1))
			t.Wait(time.Second)
			t.Ask(edit(), usual)
			t.Wait(time.Second)
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.send(tea.WindowSizeMsg{Width: 100, Height: 50})
		d.types("go\n")
		once := func(when string) {
			d.t.Helper()
			if n := strings.Count(d.screen(), `node, err := expr(in)`); n != 1 {
				d.t.Fatalf("%s: the change is drawn %d times:\n%s", when, n, d.screen())
			}
		}
		d.wait(500 * time.Millisecond)
		once("before the question")
		d.rest()
		d.sees("fake asks")
		once("with the question")
		d.rest()
		d.press("y")
		d.wait(100 * time.Millisecond)
		d.misses("fake asks")
		once("above the question")
	})
}

// The place of a reader who has scrolled up is kept when a question opens and when it is
// answered.
func TestQuestionLeavesTheReader(t *testing.T) {
	for name, ask := range map[string]func(*fakeagent.Turn) string{"question": asking(push, usual), "form": eliciting(oneField)} {
		t.Run(name, func(t *testing.T) {
			drive(t, func(d *driver, _ *Options) {
				d.fake.Turn(talking(60, func(t *fakeagent.Turn) string { t.Wait(time.Second); return ask(t) }))
			}, func(d *driver) {
				d.connected()
				d.types("go\n")
				d.wait(300 * time.Millisecond)
				d.press("pgup")
				first := strings.Split(d.screen(), "\n")[0]
				d.sees("↓ end")
				d.wait(2 * time.Second)
				rows, _ := d.boxTop()
				if rows[0] != first {
					t.Errorf("the transcript began with %q, now with %q", first, rows[0])
				}
				d.sees("↓ fake asks · end")
				d.press("esc")
				d.wait(100 * time.Millisecond)
				d.misses("╭ fake asks")
				if now := strings.Split(d.screen(), "\n")[0]; now != first {
					t.Errorf("the transcript began with %q, after the answer with %q", first, now)
				}
			})
		})
	}
}

// The keys that scroll reach the transcript while a question has the keys: those
// of the chat always, those of the question where all of it is on the screen.
func TestScrollingPastAQuestion(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(talking(60, asking(push, usual))) }, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.rest()
		for _, key := range []string{"pgup", "shift+up", "ctrl+home"} {
			before := d.screen()
			d.press(key)
			if rows, _ := d.boxTop(); rows[0] == strings.Split(before, "\n")[0] {
				t.Errorf("%s scrolls nothing:\n%s", key, d.screen())
			}
		}
		d.sees("▌ go")
		d.press("ctrl+end")
		d.sees("the last words")
		d.misses("· end ")
		d.press("alt+a")
		d.wait(100 * time.Millisecond)
		d.press("shift+up")
		d.sees("↓ fake asks · end")
		d.outcomes("")
	})
}

// A form leaves the end of the conversation in sight, too.
func TestFormTakesRowsFromTheTranscript(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(talking(40, eliciting(release))) }, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.wait(300 * time.Millisecond)
		for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			if rows, top := d.boxTop(); top == 0 || !strings.Contains(rows[top-1], "the last words") {
				t.Errorf("%v: the agent's last words are not above the form:\n%s", size, d.screen())
			}
		}
	})
}
