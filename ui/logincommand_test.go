package ui

import (
	"errors"
	"strings"
	"testing"

	"parley/internal/fakeagent"

	tea "charm.land/bubbletea/v2"
)

// A command that the agent names is shown as it is, and runs only by a key of its
// own, after it could be read.
func TestLoginByACommand(t *testing.T) {
	k := &locked{}
	k.exit = []error{errors.New("exit status 3"), nil}
	drive(t, func(d *driver, o *Options) { k.set(d, o); o.Prompt = "from outside" }, func(d *driver) {
		d.rest()
		d.types("own\ny\ny\n") // typed on
		d.sees("╭ Log in to fake: In its own way", "fake wants to run its own command", "  fake-login --now a b", "Runs /usr/bin/fake-login", "In /home/ada", `Agent's description: "Fake Login"`, "esc back")
		d.misses("y run")
		d.rest()
		d.sees("y run · esc back")
		d.press("enter", "space", "tab", "down")
		d.soon()
		if len(k.runs) != 0 || len(k.prepared) != 1 {
			t.Fatalf("ran %q", k.runs)
		}
		d.press("y")
		d.soon()
		d.sees("login failed: exit status 3", "╭ Log in to fake ")
		if len(k.started) != 1 {
			t.Fatal("started again")
		}
		first := d.Agent()
		d.types("own\n")
		d.rest()
		d.press("y")
		d.soon()
		d.connected()
		if d.Agent() == first || strings.Join(k.runs, "|") != "fake-login --now a b|fake-login --now a b" {
			t.Errorf("ran %q", k.runs)
		}
		d.called("authenticate", 0)
		d.prompts("from outside")
	})
}

// Hidden characters in a command are spelled out, a long command must be read to its
// end; one that is not there cannot be agreed to.
func TestHostileLoginCommand(t *testing.T) {
	words := strings.Repeat("word ", 300)
	for _, tc := range []struct{ args, program string }{
		{`"` + words + `","\u001b[2J\u202ee\nx"`, "/opt/a\nin /home\x1b[31m"},
		{`"\u200bx","\r"`, "/opt/\u2066b"},
	} {
		k := &locked{}
		drive(t, func(d *driver, o *Options) {
			k.set(d, o)
			k.program = tc.program
			d.fake.Capabilities(`,"authMethods":[{"id":"x","name":"X\u001b[2J","_meta":{"terminal-auth":{"command":"c","args":[` + tc.args + `],"label":"\u001b]0;y\u0007L"}}}]`)
		}, func(d *driver) {
			d.rest()
			d.press("enter")
			d.rest()
			all := ""
			long := strings.Contains(tc.args, "word")
			if long {
				d.sees("more rows ↓", "read on to run")
				d.press("y")
				d.soon()
			}
			if len(k.runs) != 0 {
				t.Fatal("ran before it was read")
			}
			for range 40 {
				all += d.screen()
				d.press("down")
			}
			for _, size := range [][2]int{{20, 6}, {40, 12}, {160, 50}, {80, 24}} {
				d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]}) // look checks every row
			}
			d.sees("y run")
			want := []string{`<U+200B>x`, `<\r>`, `<U+2066>b`}
			if long {
				want = []string{`<\x1b>[2J<U+202E>e`, `<\n>in /home<\x1b>[31m`}
			}
			for _, w := range want {
				if !strings.Contains(all, w) {
					t.Errorf("no %q in\n%s", w, all)
				}
			}
			d.press("y")
			d.soon()
			if len(k.runs) != 1 {
				t.Errorf("ran %d times", len(k.runs))
			}
		})
	}
	k := &locked{unfound: errors.New("find program \"c\u202e\": not found")}
	drive(t, k.set, func(d *driver) {
		d.rest()
		d.types("own\n")
		d.sees(`find program "c<U+202E>": not found`, "╭ Log in to fake ")
		d.rest()
		d.press("y")
		d.soon()
		if len(k.runs) != 0 {
			t.Error("ran")
		}
	})
}

// Where nothing runs commands of others, the method is the agent's own.
func TestLoginByACommandNotOffered(t *testing.T) {
	k := &locked{}
	drive(t, func(d *driver, o *Options) {
		k.set(d, o)
		o.AgentLogin = nil
		d.fake.On("authenticate", func(*fakeagent.Call) (string, error) { k.in.Store(true); return `{}`, nil })
	}, func(d *driver) {
		d.rest()
		d.misses("runs a command")
		d.types("own\n")
		d.connected()
		d.called("authenticate", 1)
	})
}

// An agent that runs elsewhere has no environment here and no command.
func TestLoginElsewhere(t *testing.T) {
	k := &locked{}
	drive(t, func(d *driver, o *Options) { k.set(d, o); o.Agents[0].Remote = true }, func(d *driver) {
		d.rest()
		d.sees("not supported: the agent is remote")
		d.misses("asks for")
		d.press("enter")
		d.sees("Unsupported login method: the agent is remote")
		d.misses("▸ API key")
	})
}
