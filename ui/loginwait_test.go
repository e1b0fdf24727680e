package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
)

// longAddress is one that no row of a terminal holds.
var longAddress = "https://login.example.org/authorize?client=" + strings.Repeat("0123456789abcdef", 20) + "&end=here"

// whole tells whether a text is on the screen, at breaks of rows too.
func (d *driver) whole(text string) bool {
	var b strings.Builder
	for _, r := range strings.Split(d.screen(), "\n") {
		b.WriteString(strings.Trim(r, " │"))
	}
	return strings.Contains(b.String(), text)
}

// waiting is an agent whose login lasts.
func (g *guarded) waiting() {
	g.auth = func(c *fakeagent.Call) (string, error) {
		<-c.Ctx.Done()
		return "", c.Ctx.Err()
	}
}

// The whole address that an agent prints for a login is on the screen, at any width; it
// is copied and opened by a key, which no draft may be in the middle of.
func TestAddressOfALogin(t *testing.T) {
	var opened []string
	g := &guarded{}
	g.waiting()
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		o.OpenURL = func(url string) error { opened = append(opened, url); return nil }
	}, func(d *driver) {
		d.rest()
		l := d.m.Front.Agent
		l.Log.Add(event.LogStderr, "see http://earlier.example.org/docs")
		d.press("enter")
		d.soon()
		d.misses("earlier.example.org")
		l.Log.Add(event.LogStderr, "Please visit <"+longAddress+">.")
		l.Log.Add(event.LogStderr, "listening on http://127.0.0.1:4711/callback")
		for _, width := range []int{40, 80, 200} {
			d.send(tea.WindowSizeMsg{Width: width, Height: 30})
			d.wait(time.Second)
			if !d.whole(longAddress) || !d.whole("127.0.0.1:4711/callback") {
				t.Errorf("%d columns:\n%s", width, d.screen())
			}
		}
		d.sees("o open login.example.org", "y copy the address", "f2 log", "esc cancel")
		d.types("xy") // typed on
		d.draft("xy")
		d.press("ctrl+u")
		d.rest()
		d.press("y")
		d.soon()
		if d.copied != longAddress {
			t.Errorf("copied %q", d.copied)
		}
		d.sees("Sent 1 line")
		d.rest()
		d.press("o")
		d.soon()
		if len(opened) != 1 || opened[0] != longAddress {
			t.Errorf("opened %q", opened)
		}
		d.sees("Opened in your browser")
		d.press("f2")
		d.sees("╭ Log", "earlier.example.org", "esc close")
		d.press("esc")
		d.misses("╭ Log ─")
		d.press("f2", "f2")
		d.sees("Logging in: In the browser")
	})
}

// The same over a session that is open.
func TestAddressOfALoginForAPrompt(t *testing.T) {
	var opened []string
	g := &guarded{}
	g.in.Store(true)
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		d.fake.Turn(g.wantsOne)
		o.OpenURL = func(url string) error { opened = append(opened, url); return nil }
	}, func(d *driver) {
		d.connected()
		g.waiting()
		g.in.Store(false)
		d.types("again\n")
		d.rest()
		d.press("f2") // the log, in the place of the list
		d.sees("╭ Log ")
		d.misses("╭ Log in")
		d.press("f2")
		d.rest()
		d.press("enter")
		d.soon()
		d.m.Front.Agent.Log.Add(event.LogStderr, "Visit "+longAddress)
		d.wait(time.Second)
		d.sees("╭ Log in to fake: In the browser", "o open login.example.org")
		if !d.whole(longAddress) {
			t.Errorf("cut:\n%s", d.screen())
		}
		d.press("o")
		d.soon()
		if len(opened) != 1 || opened[0] != longAddress {
			t.Errorf("opened %q", opened)
		}
		d.press("f2")
		d.sees("╭ Log ")
		d.press("esc")
		d.press("esc")
		d.soon()
		d.sees("the login was cancelled")
	})
}

// An address that is in the agent's answer to a login, or in what a program wrote that
// failed, is copied and opened by the same keys: at the start and over a session.
func TestAddressOfAFailedLogin(t *testing.T) {
	var opened []string
	failed := func(d *driver) {
		d.rest()
		if !d.whole(longAddress) {
			t.Errorf("cut:\n%s", d.screen())
		}
		d.sees("╭ Log in to fake", "o open login.example.org", "y copy the address")
		d.press("y")
		d.soon()
		if d.copied != longAddress {
			t.Errorf("copied %q", d.copied)
		}
		d.sees("Sent 1 line")
		d.copied = ""
		d.rest()
		d.press("o")
		d.soon()
		if len(opened) != 1 || opened[0] != longAddress {
			t.Errorf("opened %q", opened)
		}
		d.sees("Opened in your browser")
		opened = nil
		d.rest()
		d.types("proxy") // no letter of a search is a key
		d.sees("› proxy")
		if len(opened) != 0 || d.copied != "" {
			t.Errorf("opened %q, copied %q", opened, d.copied)
		}
		d.press("esc") // the filter
		d.rest()
	}
	answer := func(*fakeagent.Call) (string, error) {
		return "", fakeagent.Errorf(-32000, "%s", "Visit "+longAddress+" first.")
	}
	t.Run("start", func(t *testing.T) {
		g := &guarded{auth: answer, exit: []error{errors.New("exit status 1")}, said: []string{"visit " + longAddress}}
		drive(t, func(d *driver, o *Options) {
			g.set(d, o)
			o.OpenURL = func(url string) error { opened = append(opened, url); return nil }
		}, func(d *driver) {
			d.rest()
			d.misses("copy the address")
			d.press("enter")
			d.wait(2 * time.Second)
			failed(d)
			d.types("terminal\n")
			d.soon()
			failed(d)
			d.send(tea.WindowSizeMsg{Width: 60, Height: 40})
			failed(d)
		})
	})
	t.Run("session", func(t *testing.T) {
		g := &guarded{auth: answer}
		g.in.Store(true)
		drive(t, func(d *driver, o *Options) {
			g.set(d, o)
			d.fake.Turn(g.wantsOne)
			o.OpenURL = func(url string) error { opened = append(opened, url); return nil }
		}, func(d *driver) {
			d.connected()
			g.in.Store(false)
			d.types("again\n")
			d.rest()
			d.press("enter")
			d.wait(2 * time.Second)
			failed(d)
		})
	})
}

// So is the address in what a session was refused with, after a moment in which nothing
// was typed.
func TestAddressOfALoginThatIsWanted(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		(&guarded{}).set(d, o)
		d.fake.Fail("session/new", -32000, "See "+longAddress)
	}, func(d *driver) {
		d.press("y")
		d.soon()
		if d.copied != "" {
			t.Errorf("copied %q at once", d.copied)
		}
		d.press("backspace")
		d.rest()
		d.sees("y copy the address")
		d.press("y")
		d.soon()
		if d.copied != longAddress {
			t.Errorf("copied %q", d.copied)
		}
	})
}

// What is said of a way to log in is read whole, also in a narrow window.
func TestLoginDescriptionWraps(t *testing.T) {
	const words = "Opens the page of the company, where you choose a plan, pay, and copy the code that is at its very end"
	drive(t, func(d *driver, o *Options) {
		(&guarded{}).set(d, o)
		d.fake.Capabilities(`,"authMethods":[{"id":"a","name":"By page","description":"` + words + `"},{"id":"b","name":"Short","description":"words"}]`)
	}, func(d *driver) {
		for _, size := range [][2]int{{40, 24}, {80, 24}} {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			d.rest()
			d.sees("By page", "Short", "by the agent")
			if got := strings.Join(strings.Fields(strings.ReplaceAll(d.screen(), "│", " ")), " "); !strings.Contains(got, words) {
				t.Errorf("%d columns:\n%s", size[0], d.screen())
			}
		}
		d.press("down")
		d.misses("very end")
	})
}

// What a login in the terminal wrote last is still there when it has failed.
func TestLastWordsOfALogin(t *testing.T) {
	g := &guarded{exit: []error{errors.New("exit status 1")}, said: []string{"no browser found", "visit " + longAddress}}
	drive(t, g.set, func(d *driver) {
		d.rest()
		d.types("terminal\n")
		d.soon()
		d.sees("login failed: exit status 1", "│ no browser found", "╭ Log in to fake", "In a terminal")
		if !d.whole(longAddress) {
			t.Errorf("cut:\n%s", d.screen())
		}
		d.press("f2")
		d.sees("╭ Log ", "no browser found", "login failed")
	})
}

// So is what one wrote that has ended without an error, if the agent requires a login anyway: before there
// is a session and for a prompt. Once a turn has ended, it is gone.
func TestLastWordsOfALoginInVain(t *testing.T) {
	const still = "The login command ended with exit code 0, but a login is still required"
	g := &guarded{vain: true, said: []string{"set OPENAI_API_KEY", "visit " + longAddress}}
	drive(t, func(d *driver, o *Options) { g.set(d, o); d.fake.Turn(g.wantsOne) }, func(d *driver) {
		again := func() {
			d.rest()
			d.misses(still, "set OPENAI_API_KEY")
			d.types("terminal\n")
			d.soon()
			d.rest()
			d.sees(still, "│ set OPENAI_API_KEY", "╭ Log in to fake", "In a terminal", "y copy the address")
		}
		again()
		g.vain = false
		d.types("terminal\n")
		d.connected()
		d.types("hello\n")
		d.rest()
		g.in.Store(false)
		g.vain = true
		d.types("hello\n")
		d.rest()
		d.misses(still)
		d.types("terminal\n")
		d.soon()
		d.rest()
		d.sees(still, "│ set OPENAI_API_KEY")
	})
}

// An agent of which only a command is known has the name that it gives itself, before there
// is a session too.
func TestLoginNamesTheAgent(t *testing.T) {
	g := &guarded{exit: []error{errors.New("exit status 1")}}
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		o.Agents[0].Custom = true
	}, func(d *driver) {
		d.rest()
		d.misses("Log in to fake")
		d.sees("╭ Log in to Fake")
	})
}
