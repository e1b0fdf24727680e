package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/fakeagent"
	"parley/internal/tty"
	"parley/ui/page"
	"parley/ui/uitest"
)

// paper records the output to a terminal in inline mode.
type paper struct {
	t       *testing.T
	d       *driver
	printed []string
	live    []string
	cursor  tea.Position
	hidden  bool
}

func (p *paper) Print(rows ...string) {
	p.t.Helper()
	uitest.CheckRows(p.t, rows, p.d.m.width-1)
	for _, r := range rows {
		p.printed = append(p.printed, ansi.Strip(r))
	}
}

func (p *paper) Show(v tea.View, _ bool) {
	p.t.Helper()
	if p.hidden = v.AltScreen; p.hidden {
		return
	}
	p.live = strings.Split(visible(v), "\n")
	uitest.CheckRows(p.t, p.live, p.d.m.width-1)
	if c := v.Cursor; len(p.live) > p.d.m.height-2 || c != nil && (c.Y < 0 || c.Y >= len(p.live) || c.X >= p.d.m.width) {
		p.t.Fatalf("a live part of %d rows, the cursor at %v", len(p.live), c)
	} else if c != nil {
		p.cursor = c.Position
	}
}

func (p *paper) SetTerminal(tty.Profile) {}
func (p *paper) Detach()                 {}
func (p *paper) Attach(tty.Profile)      {}
func (p *paper) below() string           { return ansi.Strip(strings.Join(p.live, "\n")) }
func (p *paper) above() string           { return strings.Join(p.printed, "\n") }
func (p *paper) has(s, text string) bool { return strings.Contains(s, text) }
func (p *paper) count(text string) int   { return strings.Count(p.above(), text) }

// onPaper drives a screen in inline mode.
func onPaper(t *testing.T, change func(*driver, *Options), f func(d *driver, p *paper)) {
	t.Helper()
	p := &paper{t: t}
	drive(t, func(d *driver, o *Options) {
		o.Inline = true
		if change != nil {
			change(d, o)
		}
	}, func(d *driver) {
		p.d = d
		d.m.inline.SetScreen(p.Print)
		d.m.painter = p
		d.connected()
		d.send(page.Refresh{})
		f(d, p)
	})
}

func (p *paper) writes(want ...string) {
	p.t.Helper()
	if got := slices.DeleteFunc(slices.Clone(p.printed), func(r string) bool { return r == "" }); !slices.Equal(got, want) {
		p.t.Fatalf("written:\n%s\nwant:\n%s\nbelow:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), p.below())
	}
}

func (p *paper) shows(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		if p.hidden || !p.has(p.below(), text) {
			p.t.Fatalf("the live part (hidden %v) does not show %q:\n%s", p.hidden, text, p.below())
		}
	}
}

func (p *paper) lacks(text string) {
	p.t.Helper()
	if p.has(p.below(), text) {
		p.t.Fatalf("the live part shows %q:\n%s", text, p.below())
	}
}

const named = "── fake · in ~/src/parser ──"

// What is finished is written, in order and once; what may change is live. The
// blocks of a message are finished one by one, and a tool call when it is over.
func TestInlineWrites(t *testing.T) {
	onPaper(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			tool := func(id, status, kind string) {
				t.Agent.Update(t.Session, fmt.Sprintf(`{"sessionUpdate":"tool_call%s","toolCallId":%q,"title":"call %s","status":%q}`, kind, id, id, status))
			}
			t.Say("first block\n\nsecond ")
			t.Wait(time.Second)
			t.Say("goes on")
			t.Wait(time.Second)
			tool("a", "in_progress", "")
			tool("b", "in_progress", "")
			tool("b", "completed", "_update")
			t.Wait(time.Second)
			tool("a", "completed", "_update")
			t.Say("the last word")
			t.Wait(time.Second)
			return "end_turn"
		})
	}, func(d *driver, p *paper) {
		p.writes(named)
		p.shows("› Ask the agent", "fake", "? help")
		at := d.m.Now().Format("15:04")
		d.types("go\n")
		d.wait(500 * time.Millisecond)
		said := []string{named, "▌ go  " + at, "  first block"}
		p.writes(said...)
		p.shows("  second", "running")
		p.lacks("first block")
		d.wait(time.Second)
		p.writes(said...)
		p.shows("second goes on")
		d.wait(time.Second)
		p.writes(append(said, "  second goes on")...) // b is over, but does not overtake a
		p.shows("call a", "✓ Tool   call b")
		d.wait(time.Second)
		p.writes(append(said, "  second goes on", "  ✓ Tool   call a  1s", "  ✓ Tool   call b")...)
		p.shows("the last word")
		d.wait(time.Second)
		p.writes(append(said, "  second goes on", "  ✓ Tool   call a  1s", "  ✓ Tool   call b", "  the last word")...)
		p.lacks("the last word")
		if v := d.m.View(); v.AltScreen || v.MouseMode != tea.MouseModeNone {
			t.Errorf("alternate screen %v, mouse %v", v.AltScreen, v.MouseMode)
		}
	})
}

// An update of an item that was already written is shown as a new line if it matters.
func TestInlineAfterwards(t *testing.T) {
	onPaper(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Agent.Update(t.Session, `{"sessionUpdate":"tool_call","toolCallId":"a","title":"call a","status":"completed"}`)
			t.Say("some words")
			a := t.Agent
			go func() {
				time.Sleep(time.Second)
				a.Update(t.Session, `{"sessionUpdate":"tool_call_update","toolCallId":"a","title":"another title"}`)
				t.Say(" and late ones\n\nwith more")
				time.Sleep(time.Second)
				a.Update(t.Session, `{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"failed"}`)
			}()
			return "end_turn"
		})
	}, func(d *driver, p *paper) {
		d.types("go\n")
		d.wait(500 * time.Millisecond)
		n := len(p.printed)
		d.wait(time.Second)
		if got := strings.Join(p.printed[n:], "|"); got != "|  and late ones||  with more" {
			t.Errorf("late words: %q", got)
		}
		n = len(p.printed)
		d.wait(time.Second)
		if got := strings.Join(p.printed[n:], "|"); got != "  ✗ Tool   another title  failed  2s" {
			t.Errorf("late failure: %q", got)
		}
	})
}

// What needs a page has the alternate screen; nothing is written meanwhile, and
// nothing is lost or written twice.
func TestInlinePages(t *testing.T) {
	onPaper(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			for n := range 50 {
				t.Say(fmt.Sprintf("paragraph %d\n\n", n))
				t.Wait(100 * time.Millisecond)
			}
			return "end_turn"
		})
	}, func(d *driver, p *paper) {
		d.types("go\n")
		for _, c := range []struct{ keys, back []string }{
			{[]string{"?"}, []string{"esc"}}, {[]string{"ctrl+p"}, []string{"esc"}}, {[]string{"pgup"}, []string{"ctrl+end"}}, {[]string{"tab"}, []string{"tab"}}, {[]string{"tab", "/"}, []string{"esc", "esc"}},
		} {
			d.wait(time.Second)
			n := len(p.printed)
			d.press(c.keys...)
			if !p.hidden || !d.m.View().AltScreen {
				t.Fatalf("%q opens no page:\n%s", c.keys, d.screen())
			}
			d.wait(500 * time.Millisecond)
			if len(p.printed) != n {
				t.Errorf("while the page of %q is open it wrote %q", c.keys, p.printed[n:])
			}
			d.press(c.back...)
			if p.hidden || d.m.View().AltScreen {
				t.Fatalf("%q does not come back:\n%s", c.back, d.screen())
			}
		}
		d.wait(5 * time.Second)
		for n := range 50 {
			if got := strings.Count(p.above()+"\n", fmt.Sprintf("paragraph %d\n", n)); got != 1 {
				t.Errorf("paragraph %d is shown %d times", n, got)
			}
		}
		if got := strings.Count(p.above(), "paragraph "); got != 50 {
			t.Errorf("%d paragraphs", got)
		}
	})
}

// Switching to the full screen and back writes what was not written yet, and only the end of
// much.
func TestInlineSwitched(t *testing.T) {
	onPaper(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Say("answer to " + t.Text + "\n\n")
			if strings.HasPrefix(t.Text, "much") {
				for n := range 1500 {
					t.Say(fmt.Sprintf("row %d\n\n", n))
				}
			}
			return "end_turn"
		})
	}, func(d *driver, p *paper) {
		d.types("one\n")
		d.wait(100 * time.Millisecond)
		d.types("/inline\n")
		if !p.hidden || !d.m.View().AltScreen {
			t.Fatal("not on the whole screen")
		}
		d.sees("answer to one")
		d.types("two\n")
		d.wait(100 * time.Millisecond)
		if p.count("two") != 0 {
			t.Error("written on the whole screen")
		}
		d.types("/inline\n")
		d.wait(100 * time.Millisecond)
		if p.hidden || p.count("answer to one") != 1 || p.count("answer to two") != 1 || p.count(named) != 2 {
			t.Errorf("back again:\n%s", p.above())
		}
		d.types("/inline\n")
		d.types("three\n")
		d.wait(100 * time.Millisecond)
		d.types("much\n")
		d.wait(time.Second)
		n := len(p.printed)
		d.types("/inline\n")
		d.wait(time.Second)
		fresh := strings.Join(p.printed[n:], "\n")
		if len(p.printed)-n > 2000+1100 || !strings.Contains(fresh, "… 3 earlier entries: pgup shows them") || strings.Contains(fresh, "three") || strings.Count(fresh, "row 1499") != 1 {
			t.Errorf("%d rows, beginning with\n%s", len(p.printed)-n, strings.Join(p.printed[n:min(n+6, len(p.printed))], "\n"))
		}
	})
}

// A page that comes to the front writes its name and continues where it was.
func TestInlineSessions(t *testing.T) {
	onPaper(t, nil, func(d *driver, p *paper) {
		d.types("one\n")
		d.wait(100 * time.Millisecond)
		d.types("/new\n")
		d.wait(200 * time.Millisecond)
		d.types("two\n")
		d.wait(100 * time.Millisecond)
		d.press("ctrl+s")
		d.wait(50 * time.Millisecond)
		d.press("down", "enter")
		d.wait(100 * time.Millisecond)
		if n := p.count("── fake · "); n < 2 || p.count("You said: one") != 1 || p.count("You said: two") != 1 {
			t.Errorf("%d pages are named:\n%s\n%s", n, p.above(), d.screen())
		}
	})
}

// A question is shown above the composer and answered there.
func TestInlineQuestion(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {200, 50}} {
		onPaper(t, func(d *driver, _ *Options) { d.fake.Turn(asking(push, usual)) }, func(d *driver, p *paper) {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			d.types("go\n")
			d.rest()
			p.shows("fake asks", "› Ask")
			for range 20 {
				d.press("down") // to its end, where it does not fit
			}
			p.shows("y Allow once")
			d.press("y")
			d.wait(100 * time.Millisecond)
			d.outcomes("ok")
			p.lacks("fake asks")
			if p.count("✓ Allowed by you")+p.count("· allowed ") != 1 || p.count("answered: ok") != 1 {
				t.Errorf("%v:\n%s", size, p.above())
			}
		})
	}
}

// The rest is written at the end, also the unfinished text of a turn.
func TestInlineEnds(t *testing.T) {
	onPaper(t, func(d *driver, _ *Options) { d.fake.Turn(slow) }, func(d *driver, p *paper) {
		d.types("go\n")
		d.wait(100 * time.Millisecond)
		rows := d.m.inline.Last(d.m.Front.InScrollback(d.m.width))
		if got := ansi.Strip(strings.Join(rows, "|")); got != "  working on go" {
			t.Errorf("the rest is %q", got)
		}
	})
}

// Completions of a command are shown below the composer, which does not move.
func TestInlinePopup(t *testing.T) {
	onPaper(t, nil, func(d *driver, p *paper) {
		y := p.cursor.Y
		d.types("/th")
		p.shows("/theme")
		if p.cursor.Y != y || !strings.HasPrefix(ansi.Strip(p.live[p.cursor.Y]), "› /th") || p.cursor.X != 5 {
			t.Errorf("the cursor is at %d,%d:\n%s", p.cursor.X, p.cursor.Y, p.below())
		}
	})
}

// A conversation that is loaded again over another connection is written as the agent
// tells it, with what only parley knows; what was written stays.
func TestInlineReconnect(t *testing.T) {
	onPaper(t, func(d *driver, o *Options) {
		far(loads)(d, o)
		d.fake.On("session/load", func(c *fakeagent.Call) (string, error) {
			c.Agent.Say("s1", "user", "first")
			c.Agent.Say("s1", "agent", "as the agent has it")
			return "{}", nil
		})
	}, func(d *driver, p *paper) {
		d.types("first\n")
		d.soon()
		d.fake.Turn(func(tn *fakeagent.Turn) string { tn.Wait(time.Hour); return "cancelled" })
		d.types("second\n")
		d.soon()
		d.Agent().Close()
		d.wait(2 * time.Second)
		for _, text := range []string{"You said: first", "as the agent has it", "this prompt may not have arrived"} {
			if p.count(text) != 1 {
				t.Errorf("%q was written %d times:\n%s", text, p.count(text), p.above())
			}
		}
		p.shows(`may not have arrived  "second"`)
		d.fake.Turn(nil)
		d.types("third\n")
		d.soon()
		if p.count("You said: third") != 1 {
			t.Errorf("written:\n%s", p.above())
		}
	})
}
