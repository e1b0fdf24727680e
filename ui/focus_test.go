package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// logged is a machine with a log to read.
type logged struct {
	workspace.Machine
	read func(ctx context.Context, session string, spans []event.Span, request int64) ([]workspace.Message, error)
}

func (m logged) Messages(ctx context.Context, session string, spans []event.Span, request int64) ([]workspace.Message, error) {
	return m.read(ctx, session, spans, request)
}

// talkative is a turn with a tool call between two messages.
func talkative(t *fakeagent.Turn) string {
	t.Say("I look at " + t.Text + ".")
	t.Agent.Update(t.Session, `{"sessionUpdate":"tool_call","toolCallId":"`+fmt.Sprint("c", t.N)+`","title":"Read `+t.Text+`","kind":"read","status":"completed","content":[{"type":"content","content":{"type":"text","text":"`+strings.Repeat(`row\n`, 30)+`last row of `+t.Text+`"}}]}`)
	t.Say("That was " + t.Text + ".")
	return "end_turn"
}

// whenAsked makes the agent take that turn, after a second, for the prompt "ask".
func whenAsked(turn func(*fakeagent.Turn) string) func(*driver, *Options) {
	return func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			if t.Text != "ask" {
				return talkative(t)
			}
			t.Wait(time.Second)
			return turn(t)
		})
	}
}

// withTranscript opens a chat in which two prompts were answered.
func withTranscript(t *testing.T, change func(*driver, *Options), f func(d *driver)) {
	t.Helper()
	drive(t, func(d *driver, o *Options) {
		d.fake.Turn(talkative)
		if change != nil {
			change(d, o)
		}
	}, func(d *driver) {
		d.connected()
		d.types("one\n")
		d.soon()
		d.types("two\n")
		d.soon()
		f(d)
	})
}

// selected checks which row has the mark of the selection: the first of them.
func (d *driver) selected(want string) {
	d.t.Helper()
	for row := range strings.SplitSeq(d.screen(), "\n") {
		if rest, ok := strings.CutPrefix(row, "┃"); ok {
			if !strings.Contains(rest, want) {
				d.t.Fatalf("%q is selected, not %q:\n%s", rest, want, d.screen())
			}
			return
		}
	}
	d.t.Fatalf("nothing is selected, not %q:\n%s", want, d.screen())
}

// tab on an empty composer gives the keys to the transcript.
func TestTranscriptFocus(t *testing.T) {
	withTranscript(t, nil, func(d *driver) {
		d.misses("┃")
		d.press("tab")
		d.selected("That was two.")
		d.press("k")
		d.selected("Read")
		d.press("up")
		d.selected("I look at two.")
		d.press("{")
		d.selected("two")
		d.press("{")
		d.selected("one")
		d.press("}")
		d.selected("two")
		d.press("g")
		d.selected("one")
		d.press("j", "down")
		d.selected("Read")
		d.press("G")
		d.selected("That was two.")
		d.press("home")
		d.selected("one")
		d.press("end")
		d.selected("That was two.")
		d.press("esc")
		d.misses("┃")
		d.sees("? help")
		d.types("typed")
		d.draft("typed")
		d.press("tab") // not while something is typed
		d.misses("┃")
		d.prompts("one|two")
	})
}

// Letters typed there are dropped; keys with another meaning keep it.
func TestTranscriptKeys(t *testing.T) {
	withTranscript(t, nil, func(d *driver) {
		d.press("tab")
		d.types("abefhlmpqrstvwzABC123,") // c, n, N, o, y, . and / have a meaning here
		d.press("?", "backspace", "space", "space")
		d.draft("")
		d.selected("That was two.")
		d.misses("╭ Keys")
		d.press("ctrl+t")
		d.sees("╭ Plan")
		d.press("esc")
		d.misses("╭ Plan")
		d.selected("That was two.") // esc has closed the plan only
		d.press("ctrl+s", "esc")
		d.selected("That was two.")
		d.press("tab")
		d.misses("┃")
		d.draft("")
		d.prompts("one|two")
	})
	drive(t, nil, func(d *driver) { // there is nothing to look at
		d.connected()
		d.press("tab")
		d.types("hello\n")
		d.soon()
		d.prompts("hello")
	})
}

// space and enter open and close the selected entry.
func TestTranscriptOpens(t *testing.T) {
	withTranscript(t, nil, func(d *driver) {
		d.press("tab", "k")
		d.selected("Read")
		for _, key := range []string{"space", "enter"} {
			d.misses("last row of two")
			d.press(key)
			for range 40 { // all of it can be read
				d.press("shift+down")
			}
			d.sees("last row of two")
			d.press(key)
			d.selected("Read")
		}
	})
}

// d and u move by half a page; an entry without hidden rows cannot be opened, and says so.
func TestTranscriptHalfPages(t *testing.T) {
	withTranscript(t, nil, func(d *driver) {
		for i := range 40 {
			d.Agent().Update("s1", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"x%d","title":"Step %d","kind":"think","status":"completed"}`, i, i))
		}
		d.soon()
		d.press("tab", "g", "d")
		d.misses("▌ one", "┃ one")
		d.sees("┃")
		d.press("u")
		d.sees("one")
		for range 10 {
			d.press("d")
		}
		d.selected("Step 39")
		d.press("space")
		d.sees("Nothing to open here")
		d.draft("")
	})
}

// The end of a turn and new text move nothing and take no keys.
func TestTranscriptStays(t *testing.T) {
	withTranscript(t, nil, func(d *driver) {
		d.press("tab", "g")
		d.selected("one")
		for i := range 30 {
			d.Agent().Update("s1", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"x%d","title":"More %d","kind":"think","status":"completed"}`, i, i))
		}
		d.soon()
		d.selected("one")
		d.sees("↓ 30 new · end")
		d.press("G")
		d.selected("More 29")
		d.press("esc")
		d.sees("More 29")
	})
}

// A question that appears takes no key while the transcript has them; alt+a and
// tab hand them over.
func TestQuestionWhileTheTranscriptHasTheKeys(t *testing.T) {
	for _, key := range []string{"alt+a", "tab"} {
		withTranscript(t, whenAsked(asking(push, usual)), func(d *driver) {
			d.types("ask\n")
			d.soon()
			d.press("tab")
			d.wait(3 * time.Second)
			d.sees("fake asks", "alt+a or tab to answer")
			d.press("y", "a", "1", "k", "g", "n")
			d.wait(2 * time.Second)
			d.press("y", "1")
			d.soon()
			d.outcomes("")
			d.sees("fake asks")
			d.press("G", key, "y") // the last too close
			d.misses("┃")
			d.outcomes("")
			d.wait(100 * time.Millisecond)
			d.press("y")
			d.soon()
			d.outcomes("ok")
			d.draft("")
		})
	}
	withTranscript(t, whenAsked(asking(push, usual)), func(d *driver) { // esc goes back to the composer and rejects nothing
		d.types("ask\n")
		d.soon()
		d.press("tab")
		d.wait(3 * time.Second)
		d.press("esc", "y")
		d.soon()
		d.outcomes("")
		d.draft("")
		d.misses("┃")
		d.rest()
		d.press("y")
		d.soon()
		d.outcomes("ok")
	})
}

// So does a form.
func TestFormWhileTheTranscriptHasTheKeys(t *testing.T) {
	withTranscript(t, whenAsked(eliciting(oneField)), func(d *driver) {
		d.types("ask\n")
		d.soon()
		d.press("tab")
		d.wait(3 * time.Second)
		d.sees("Which branch?", "alt+a or tab to answer")
		d.types("kx")
		d.press("esc") // back to the composer
		d.answered("")
		d.press("tab")
		d.wait(100 * time.Millisecond)
		d.types("main\n")
		d.soon()
		d.answered(`{"action":"accept","content":{"branch":"main"}}`)
	})
}

// looked records the requests to the log.
type looked struct {
	session string
	spans   []event.Span
	request int64
}

// i shows the messages that an item was made from.
func TestItemMessages(t *testing.T) {
	var asked []looked
	var shown []workspace.Message
	var failure error
	at := time.Date(2026, 3, 1, 10, 42, 7, 0, time.UTC)
	withTranscript(t, func(d *driver, _ *Options) {
		d.Change = func(c *workspace.Connection) {
			c.Machine = logged{c.Machine, func(_ context.Context, session string, spans []event.Span, request int64) ([]workspace.Message, error) {
				asked = append(asked, looked{session, spans, request})
				return shown, failure
			}}
		}
	}, func(d *driver) {
		shown = []workspace.Message{{At: at, JSON: []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"x":"\u001b[2J","rows":[` + strings.Repeat("1,", 50) + `2]}}`)}, {At: at.Add(time.Second), Out: true, OmittedBefore: 7, JSON: []byte("not JSON\x1b[2J\x07")}}
		d.press("tab", "k", "i")
		d.soon()
		d.sees("╭ Messages", "10:42:07.000  from the agent", `"method": "session/update"`)
		d.misses("from parley")
		if len(asked) != 1 || asked[0].session != "s1" || len(asked[0].spans) == 0 || asked[0].spans[0].First == 0 {
			t.Fatalf("asked for %+v", asked)
		}
		for _, size := range [][2]int{{20, 6}, {40, 12}, {160, 50}, {80, 24}} {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]}) // look checks every row
		}
		for range 20 {
			d.press("pgdown")
		}
		d.sees("… 7 more messages", "10:42:08.000  from parley", "not JSON")
		d.press("k", "up")
		for range 20 {
			d.press("pgup")
		}
		d.sees("from the agent")
		d.press("esc")
		d.misses("╭ Messages")
		d.selected("Read") // and the transcript has the keys again
		d.press("{", "i")
		d.soon()
		if last := asked[len(asked)-1]; last.request == 0 {
			t.Errorf("of the prompt: %+v", last)
		}
		d.press("esc")
		shown = nil
		d.press("i")
		d.soon()
		d.sees("These messages are not in the log")
		d.misses("╭ Messages")
		failure = errors.New("the log is gone")
		d.press("i")
		d.soon()
		d.sees("The log is gone")
		d.misses("╭ Messages")
	})
}

// It says so if there is no log, or no message made the entry.
func TestItemWithoutMessages(t *testing.T) {
	withTranscript(t, nil, func(d *driver) {
		d.press("tab", "i")
		d.soon()
		d.sees("This session has no log")
		d.misses("╭ Messages")
		d.press("esc")
		d.Agent().Close()
		d.soon()
		d.press("enter")
		d.connected()
		d.press("tab", "G")
		d.selected("started again")
		d.press("i")
		d.sees("No message of the agent made this")
	})
}

// A very long message is cut, and says so.
func TestLongItemMessage(t *testing.T) {
	withTranscript(t, func(d *driver, _ *Options) {
		d.Change = func(c *workspace.Connection) {
			c.Machine = logged{c.Machine, func(context.Context, string, []event.Span, int64) ([]workspace.Message, error) {
				return []workspace.Message{{JSON: []byte(`"` + strings.Repeat("日", 200<<10) + `"`)}}, nil
			}}
		}
	}, func(d *driver) {
		d.press("tab", "i")
		d.soon()
		d.sees("╭ Messages", "日日日")
		d.send(tea.WindowSizeMsg{Width: 160, Height: 50})
		for range 60 {
			d.press("pgdown")
		}
		d.sees("more bytes")
	})
}

func TestGoldenItemMessages(t *testing.T) {
	t.Parallel()
	withTranscript(t, func(d *driver, o *Options) {
		o.Theme = "dark"
		d.Change = func(c *workspace.Connection) {
			c.Machine = logged{c.Machine, func(context.Context, string, []event.Span, int64) ([]workspace.Message, error) {
				return []workspace.Message{{At: time.Date(2026, 3, 1, 10, 42, 7, 5e6, time.UTC), JSON: []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":"c2","title":"Read two","locations":[]}}}`)}}, nil
			}}
		}
	}, func(d *driver) {
		d.press("tab", "k")
		d.golden("focus")
		d.press("i")
		d.soon()
		d.golden("messages")
	})
}
