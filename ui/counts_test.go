package ui

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"parley/internal/fakeagent"

	tea "charm.land/bubbletea/v2"
)

// effort counts the work of the screen so far.
type effort struct {
	draws    int // views that did work
	layouts  int // of the transcript
	segments int // of it rendered
}

// effort counts. What the transcript counts is its own affair, and looked at from
// outside.
func (d *driver) effort() effort {
	view := reflect.ValueOf(d.m.Front.View).Elem()
	return effort{d.m.draws, int(view.FieldByName("frames").Int()), int(view.FieldByName("layout").Elem().FieldByName("rendered").Int())}
}

// since returns the work after an earlier count.
func (d *driver) since(e effort) effort {
	now := d.effort()
	return effort{now.draws - e.draws, now.layouts - e.layouts, now.segments - e.segments}
}

// wordy is an agent that answers with many paragraphs.
func wordy(d *driver, _ *Options) {
	d.fake.Turn(func(t *fakeagent.Turn) string {
		for n := range 40 {
			t.Say(fmt.Sprintf("Paragraph %d with `code`, 漢字 and 🎉 in it, long enough to be wrapped on most screens there are.\n\n", n))
		}
		return "end_turn"
	})
}

// Messages that change nothing that can be seen make no new view: what is
// returned is the one of before, without a byte allocated.
func TestNothingNewIsNoView(t *testing.T) {
	drive(t, wordy, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.wait(time.Second)
		d.sees("Paragraph 39")
		before, e := visible(d.m.View()), d.effort()
		type unknown struct{}
		for _, msg := range []tea.Msg{
			unknown{}, nil, tea.FocusMsg{}, tea.BlurMsg{}, tea.FocusMsg{}, tea.KeyReleaseMsg{Code: 'x', Text: "x"}, tickMsg{at: time.Now()},
			tea.MouseMotionMsg{X: 3, Y: 3}, tea.MouseMotionMsg{X: 40, Y: 8}, tea.BackgroundColorMsg{},
			resultMsg{d.m.Front.Agent.NewBatch()},
		} {
			for range 20 {
				d.send(msg)
			}
			if got := d.since(e); got != (effort{}) {
				t.Errorf("20 times %T: %+v", msg, got)
				e = d.effort()
			}
		}
		after := visible(d.m.View())
		if after != before || unsafe.StringData(after) != unsafe.StringData(before) {
			t.Error("the view is not the one of before")
		}
		if n := testing.AllocsPerRun(100, func() { d.m.View() }); n > 0 {
			t.Errorf("the same view again takes %v allocations", n)
		}
	})
}

// However many chunks arrive, the transcript is laid out once per frame, and the chunks between
// two frames are rendered once.
func TestOneLayoutAFrame(t *testing.T) {
	for _, c := range []struct {
		name   string
		chunks int
		pause  time.Duration // after each
	}{{"all at once", 2000, 0}, {"a second of them", 1000, time.Millisecond}, {"slow ones", 20, 50 * time.Millisecond}} {
		t.Run(c.name, func(t *testing.T) {
			drive(t, func(d *driver, _ *Options) {
				d.fake.Turn(func(t *fakeagent.Turn) string {
					t.Say("The first of it.\n\n")
					time.Sleep(time.Second)
					for range c.chunks {
						t.Say("twenty bytes of text")
						time.Sleep(c.pause)
					}
					t.Wait(time.Hour)
					return "end_turn"
				})
			}, func(d *driver) {
				d.connected()
				d.types("go\n")
				d.wait(900 * time.Millisecond)
				d.sees("The first of it.")
				d.settle()
				e, began := d.effort(), time.Now()
				d.wait(300*time.Millisecond + time.Duration(c.chunks)*c.pause)
				d.sees(strings.Repeat("twenty bytes of text", 2))
				got, took := d.since(e), time.Since(began)
				most := min(c.chunks, int(took/(16*time.Millisecond))+1) + int(took/(200*time.Millisecond)) + 2 // and the clock's
				t.Logf("%d chunks in %v: %+v", c.chunks, took, got)
				if got.layouts > most || got.draws > most {
					t.Errorf("%d chunks in %v: %+v, there are %d frames", c.chunks, took, got, most)
				}
				if got.segments > 4*most {
					t.Errorf("%d segments rendered in %d layouts", got.segments, got.layouts)
				}
			})
		})
	}
}

// A key pressed on a transcript that does not change draws the screen once and
// leaves the transcript as it is.
func TestKeysDoNotLayOut(t *testing.T) {
	drive(t, wordy, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.wait(time.Second)
		d.sees("Paragraph 39")
		keys := 0
		for _, c := range []struct {
			what string
			do   func()
		}{
			{"letters", func() { d.types("a draft of words"); keys = 16 }},
			{"the cursor", func() { d.press("left", "left", "right", "home", "end"); keys = 5 }},
			{"backspace", func() { d.press("backspace", "backspace", "ctrl+w"); keys = 3 }},
			{"another row of the composer", func() { d.press("alt+enter"); keys = 1 }},
		} {
			e := d.effort()
			c.do()
			got := d.since(e)
			t.Logf("%s: %+v", c.what, got)
			if got.draws > keys {
				t.Errorf("%s: %d keys, %d views", c.what, keys, got.draws)
			}
			if tall := c.what == "another row of the composer"; got.layouts > 0 && !tall || got.layouts > 1 || got.segments > 2 {
				t.Errorf("%s: got %+v", c.what, got)
			}
		}
		e := d.effort()
		d.press("ctrl+home", "pgdown", "pgdown", "pgup")
		if got := d.since(e); got.layouts > 8 || got.segments > 80 {
			t.Errorf("four pages: %+v", got)
		}
	})
}

// While a question or a form waits, the screen is drawn when its clock changes: each second of the
// first minute, then each minute. A call that still runs moves as always, and so does the rest of
// the turn.
func TestWaitingRests(t *testing.T) {
	for name, wait := range map[string]func(*fakeagent.Turn){"a question": func(t *fakeagent.Turn) { t.Ask(push, usual) }, "a form": func(t *fakeagent.Turn) { t.Elicit(oneField) }} {
		t.Run(name, func(t *testing.T) {
			drive(t, func(d *driver, _ *Options) {
				d.fake.Turn(func(t *fakeagent.Turn) string {
					t.Wait(30 * time.Second) // the clock is the question's, not the turn's
					wait(t)
					t.Wait(time.Minute)
					return "end_turn"
				})
			}, func(d *driver) {
				d.connected()
				d.types("go\n")
				d.wait(30 * time.Second)
				d.rest()
				d.sees("waiting for you 1s")
				d.wait(10 * time.Second)
				d.sees("waiting for you 11s")
				e := d.effort()
				d.wait(30 * time.Second)
				if got := d.since(e); got.draws != 30 {
					t.Errorf("%+v in 30 seconds of the first minute", got)
				}
				d.wait(time.Minute)
				d.sees("waiting for you 1m ")
				e = d.effort()
				d.wait(time.Hour)
				d.sees("waiting for you 1h01m")
				if got := d.since(e); got.draws != 60 {
					t.Errorf("%+v in an hour", got)
				}
				d.press("esc")
				e = d.effort()
				d.wait(10 * time.Second)
				d.sees("running 1h02m")
				if got := d.since(e); got.draws < 40 {
					t.Errorf("%+v in ten seconds of the turn", got)
				}
			})
		})
	}
	running := `{"sessionUpdate":"tool_call","toolCallId":"slow","title":"Build","kind":"execute","status":"in_progress"}`
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Agent.Update(t.Session, running)
			t.Ask(push, usual)
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.rest()
		d.sees("waiting for you")
		d.wait(2 * time.Minute)
		e := d.effort()
		d.wait(10 * time.Second)
		if got := d.since(e); got.draws < 40 {
			t.Errorf("%+v in ten seconds with a call that runs", got)
		}
	})
}
