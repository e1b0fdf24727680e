package ui

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/fakeagent"
	"parley/internal/keeper"
	"parley/internal/keeper/keepertest"
	"parley/internal/tty"
	"parley/internal/workspace"
	"parley/ui/page"
)

// minder is the keeper of a kept parley.
type minder struct{ *keepertest.Keeper }

func (k *minder) attach(d *driver, environ ...string) { k.Attach(environ...); d.settle() }
func (k *minder) detach(d *driver)                    { k.Detach(); d.settle() }

// canvas is a painter that notes what it is told.
type canvas struct {
	*testing.T
	mu       sync.Mutex
	absent   bool
	shown    int // views, while a terminal is attached
	lost     int // and while none is
	terminal tty.Profile
}

func (c *canvas) Show(tea.View, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.absent {
		c.lost++
	} else {
		c.shown++
	}
}
func (c *canvas) SetTerminal(p tty.Profile) { c.terminal = p }
func (c *canvas) Detach()                   { c.mu.Lock(); defer c.mu.Unlock(); c.absent = true }
func (c *canvas) Attach(p tty.Profile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.absent, c.terminal = false, p
}

// kept drives a kept parley, to which a terminal is attached.
func kept(t *testing.T, change func(*driver, *Options), f func(d *driver, k *minder, c *canvas)) {
	t.Helper()
	for _, name := range keeper.Variables {
		t.Setenv(name, os.Getenv(name))
	}
	t.Setenv("CLICOLOR_FORCE", "1") // the output of a test is no terminal
	var k *minder
	drive(t, func(d *driver, o *Options) {
		k = &minder{}
		k.Keeper, o.Keeper = keepertest.New("parser")
		o.Profile = tty.Of
		if change != nil {
			change(d, o)
		}
	}, func(d *driver) {
		defer k.Close()
		c := &canvas{T: t, absent: true}
		d.m.painter = c
		k.attach(d, "TERM=xterm-256color", "SSH_AUTH_SOCK=/tmp/first")
		d.wait(time.Second)
		f(d, k, c)
	})
}

// While no terminal is attached nothing is drawn, and what arrives is there afterwards.
func TestDetached(t *testing.T) {
	kept(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Wait(time.Minute)
			t.Say("Said to nobody.")
			return "end_turn"
		})
	}, func(d *driver, k *minder, c *canvas) {
		d.types("go on\n")
		if got, _ := k.Status(); got.State != keeper.Running || got.Title != "go on" || got.Agent != "fake" || !got.Screen {
			t.Errorf("got %+v", got)
		}
		d.types("half a dra")
		k.detach(d)
		if said := k.Said(); said != "left" || !c.absent {
			t.Errorf("said %q", said)
		}
		draws, shown := d.m.draws, c.shown
		d.wait(2 * time.Minute)
		if d.m.draws != draws || c.shown != shown || c.lost > 0 {
			t.Errorf("%d frames were drawn and %d shown", d.m.draws-draws, c.shown+c.lost-shown)
		}
		if got, _ := k.Status(); got.State != keeper.Idle {
			t.Errorf("got %+v", got)
		}
		k.attach(d, "TERM=xterm-kitty", "DISPLAY=:1")
		d.send(tea.WindowSizeMsg{Width: 100, Height: 30})
		d.sees("Said to nobody.", "half a dra")
		if c.absent || c.shown == shown || d.m.Options.Terminal.Notify != tty.NotifyOSC99 || c.terminal.Notify != tty.NotifyOSC99 {
			t.Error("the terminal is not the new one")
		}
		if _, ok := os.LookupEnv("SSH_AUTH_SOCK"); ok || os.Getenv("DISPLAY") != ":1" {
			t.Errorf("the environment has SSH_AUTH_SOCK %q, DISPLAY %q", os.Getenv("SSH_AUTH_SOCK"), os.Getenv("DISPLAY"))
		}
		_, before := k.Status()
		d.wait(time.Minute)
		if _, now := k.Status(); now != before {
			t.Errorf("%d reports although nothing happened", now-before)
		}
	})
}

// A question that arrives while nobody is there can be answered, but not by keys typed before it was seen.
func TestAskedWhileDetached(t *testing.T) {
	kept(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Wait(time.Minute)
			t.Ask(push, usual)
			return "end_turn"
		})
	}, func(d *driver, k *minder, c *canvas) {
		d.types("push\n")
		k.detach(d)
		d.wait(2 * time.Minute)
		if got, _ := k.Status(); got.State != keeper.Waiting || !strings.Contains(got.Waits, "git push origin HEAD") {
			t.Errorf("got %+v", got)
		}
		k.attach(d, "TERM=xterm")
		d.sees("git push origin HEAD")
		d.press("y")
		if _, outcomes, _ := seen(d.Agent()); outcomes != "" {
			t.Fatalf("a key typed at once has answered: %s", outcomes)
		}
		d.press("backspace")
		d.rest()
		k.detach(d)
		d.wait(time.Minute)
		k.attach(d, "TERM=xterm")
		d.rest()
		d.press("y")
		d.rest()
		if _, outcomes, _ := seen(d.Agent()); outcomes != "ok" {
			t.Errorf("got %q", outcomes)
		}
	})
}

// The last terminal that came counts, however fast they change, and one that left sees no frame.
func TestTerminalsChangeFast(t *testing.T) {
	kept(t, nil, func(d *driver, k *minder, c *canvas) {
		for range 5 {
			k.Detach()
			k.Attach("TERM=foot")
		}
		d.settle()
		if c.absent || c.terminal.Notify != tty.NotifyOSC777 {
			t.Error("the last terminal is not shown anything")
		}
		k.Attach("TERM=xterm")
		k.Detach()
		d.settle()
		if !c.absent || !d.m.terminals.away {
			t.Error("nobody is attached")
		}
	})
}

// A 1x1 terminal attaches, and a larger one after it.
func TestAttachTiny(t *testing.T) {
	kept(t, nil, func(d *driver, k *minder, c *canvas) {
		for _, size := range []tea.WindowSizeMsg{{Width: 1, Height: 1}, {Width: 300, Height: 2}, {Width: 80, Height: 24}} {
			k.detach(d)
			d.send(size) // it may come before the terminal
			k.attach(d, "TERM=xterm")
		}
		d.sees("Ask the agent")
	})
}

// Leaving a kept parley is asked once; what ends it must be chosen.
func TestLeavingKept(t *testing.T) {
	turn := func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string { t.WaitThroughStop(time.Hour); return "end_turn" })
	}
	for _, quit := range [][]string{{"ctrl+c", "ctrl+c"}, {"ctrl+d"}, {"/", "q", "u", "i", "t", "enter"}, {"ctrl+s", "ctrl+x"}} {
		kept(t, turn, func(d *driver, k *minder, c *canvas) {
			d.types("go on\n")
			d.press(quit...)
			d.sees("Leave parley", "Keep running", "parley attach parser", "End")
			if quit[0] != "ctrl+c" {
				d.sees("ends the turn")
			}
			d.press("esc")
			d.press("esc")
			d.misses("Leave parley")
			d.wait(3 * time.Second)
			d.press(quit...)
			d.press("enter")
			if said := k.Said(); said != "" || d.quit {
				t.Fatalf("typing ahead answers: %q", said)
			}
			d.rest()
			d.press("enter")
			if said := k.Said(); said != "detach" || d.m.Quitting {
				t.Errorf("said %q", said)
			}
			d.misses("Leave parley")
			d.wait(3 * time.Second)
			d.press(quit...)
			d.press("ctrl+c")
			d.sees("ctrl+c again keeps it running")
			d.press("ctrl+c")
			if said := k.Said(); said != "detach" || d.m.Quitting {
				t.Errorf("said %q", said)
			}
			d.misses("Leave parley")
			d.wait(3 * time.Second)
			d.press(quit...)
			d.press("down")
			d.rest()
			d.press("enter")
			d.wait(time.Minute)
			if !d.quit {
				t.Error("it has not ended")
			}
		})
	}
	kept(t, func(_ *driver, o *Options) { o.PreferEnd = true }, func(d *driver, k *minder, c *canvas) {
		d.press("ctrl+d")
		d.sees("› End")
		d.rest()
		d.press("enter")
		d.wait(time.Minute)
		if !d.quit || k.Said() != "" {
			t.Error("it has not ended")
		}
	})
	kept(t, func(_ *driver, o *Options) { o.Start = "" }, func(d *driver, k *minder, c *canvas) {
		d.press("esc") // nothing was started that could be kept
		d.wait(time.Minute)
		if !d.quit {
			t.Error("it has not ended")
		}
	})
}

// An agent that is being started is kept, too.
func TestLeavingWhileStarting(t *testing.T) {
	kept(t, func(d *driver, _ *Options) {
		d.fake.On("initialize", func(c *fakeagent.Call) (string, error) { time.Sleep(time.Hour); return "", nil })
	}, func(d *driver, k *minder, c *canvas) {
		if got, _ := k.Status(); got.State != keeper.Starting {
			t.Errorf("got %+v", got)
		}
		d.press("ctrl+d")
		d.sees("Keep running")
		d.rest()
		d.press("enter")
		if said := k.Said(); said != "detach" {
			t.Errorf("said %q", said)
		}
	})
}

func TestDetachAtOnce(t *testing.T) {
	for _, keys := range [][]string{{"/", "d", "e", "t", "a", "c", "h", "enter"}, {"ctrl+z"}} {
		kept(t, nil, func(d *driver, k *minder, c *canvas) {
			d.press(keys...)
			if said := k.Said(); said != "detach" {
				t.Errorf("said %q", said)
			}
		})
	}
	drive(t, nil, func(d *driver) {
		d.connected()
		d.types("/detach\n")
		d.sees("parley --keep")
	})
}

// A program has the terminal while terminals leave and come.
func TestTerminalsDuringProgram(t *testing.T) {
	kept(t, nil, func(d *driver, k *minder, c *canvas) {
		hold := make(chan struct{})
		d.run(d.m.Exec(program(func() { <-hold }), func(error) tea.Msg { return page.Refresh{} }))
		k.detach(d)
		if said := k.Said(); said != "left" {
			t.Errorf("said %q", said)
		}
		k.attach(d, "TERM=xterm-kitty")
		close(hold)
		d.settle()
		if c.absent || c.terminal.Notify != tty.NotifyOSC99 {
			t.Error("the terminal is not the new one")
		}
	})
}

type program func()

func (p program) Run() error        { p(); return nil }
func (program) SetStdin(io.Reader)  {}
func (program) SetStdout(io.Writer) {}
func (program) SetStderr(io.Writer) {}

// The kept sessions are listed first, on the first page and with the others. enter attaches, or says how one that has
// ended is resumed.
func TestKeptSessions(t *testing.T) {
	all := []keeper.Session{
		{Name: "site", Live: true, Status: keeper.Status{Agent: "claude", Dir: "/home/ada/site", Title: "New page", State: keeper.Waiting, Waits: "Run a command: make"}},
		{Name: "api", Live: true, Status: keeper.Status{Agent: "claude", Dir: "/home/ada/api", State: keeper.Idle}},
		{Name: "old", Why: "killed", Status: keeper.Status{Agent: "claude", Dir: "/home/ada/old", State: keeper.Running, Resume: []string{"claude", "--resume", "c1"}}},
		{Name: "mine", Status: keeper.Status{Agent: "fake", Dir: t.TempDir(), Resume: []string{"fake", "--resume", "c2"}}},
	}
	var attached []string
	change := func(d *driver, o *Options) {
		o.Kept = func() ([]keeper.Session, error) { return all, nil }
		o.AttachKept = func(name string) workspace.Command {
			return program(func() { attached = append(attached, name) })
		}
		d.fake.Capabilities(`,"agentCapabilities":{"loadSession":true}`)
		d.fake.Answer("session/load", "{}")
	}
	drive(t, func(d *driver, o *Options) { change(d, o); o.Start, o.Choice = "", "fake" }, func(d *driver) {
		d.sees("Kept", "› site", "waiting for you", "Run a command: make", "api", "fake")
		d.types("site\n")
		if fmt.Sprint(attached) != "[site]" {
			t.Errorf("attached %q", attached)
		}
		d.press("esc")
		d.types("old\n")
		d.sees("parley claude --resume c1")
	})
	drive(t, func(d *driver, o *Options) { // only what waits comes before the agent, which enter starts
		change(d, o)
		o.Start, o.Choice = "", "fake"
		o.Kept = func() ([]keeper.Session, error) { return all[1:], nil }
	}, func(d *driver) { d.sees("Kept", "api", "› fake") })
	attached = nil
	drive(t, change, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.sees("Kept", "site", "Run a command: make", "waiting for you")
		d.press("home", "enter")
		if fmt.Sprint(attached) != "[site]" {
			t.Errorf("attached %q", attached)
		}
		d.press("ctrl+s")
		d.types("old")
		d.press("ctrl+e", "ctrl+x", "ctrl+d")
		d.press("enter")
		d.sees("Resume: parley claude --resume c1")
		d.press("ctrl+s")
		d.types("mine\n")
		d.wait(time.Second)
		if calls := d.Agent().Calls("session/load"); len(calls) != 1 || !strings.Contains(calls[0], "c2") {
			t.Errorf("loaded %q", calls)
		}
	})
	kept(t, change, func(d *driver, k *minder, c *canvas) {
		d.press("ctrl+s")
		d.types("api\n")
		if said := k.Said(); said != "switch api" {
			t.Errorf("said %q", said)
		}
	})
}

// What a user sees of what is kept: the question when leaving, the list of sessions, the first page.
func TestGoldenKept(t *testing.T) {
	list := func(_ *driver, o *Options) {
		o.Kept = func() ([]keeper.Session, error) {
			return []keeper.Session{
				{Name: "site", Live: true, Status: keeper.Status{Agent: "claude", Dir: "/home/ada/site", Title: "New page", State: keeper.Waiting, Waits: "Run a command: make"}},
				{Name: "api", Live: true, Status: keeper.Status{Agent: "codex", Dir: "/home/ada/src/api", Title: "Faster tests", State: keeper.Running}},
				{Name: "old", Status: keeper.Status{Agent: "claude", Dir: "/home/ada/old", Title: "Old"}},
			}, nil
		}
	}
	kept(t, list, func(d *driver, _ *minder, _ *canvas) {
		d.press("ctrl+d")
		d.golden("leaving what is kept")
		d.press("esc", "ctrl+s", "home")
		d.golden("sessions that are kept")
	})
	drive(t, func(d *driver, o *Options) { list(d, o); o.Start, o.Choice = "", "fake" }, func(d *driver) {
		d.golden("first page with what is kept")
	})
}
