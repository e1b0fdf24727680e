package ui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
	"parley/internal/undo"
	"parley/internal/undo/undotest"
	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/page"
)

// withTrees lets agents be compared, in directories of their own.
func withTrees(d *driver, o *Options) {
	o.Worktrees = &forest{makes: func(names []string) (all []workspace.Worktree, err error) {
		for _, name := range names {
			dir := filepath.Join(d.Cwd, strings.ReplaceAll(name, " ", "-"))
			err = errors.Join(err, os.Mkdir(dir, 0o700))
			all = append(all, workspace.Worktree{Dir: dir, Branch: "parley/" + name})
		}
		return all, err
	}}
}

// comparing compares the agents fake and other on a screen with two columns. Both ask.
func comparing(t *testing.T, change func(*driver, *Options), f func(d *driver)) {
	t.Helper()
	drive(t, func(d *driver, o *Options) {
		withTrees(d, o)
		d.fake.Turn(asking(push, usual))
		if change != nil {
			change(d, o)
		}
	}, func(d *driver) {
		d.connected()
		d.send(tea.WindowSizeMsg{Width: 140, Height: 40})
		d.types("/compare try it\n")
		d.sees("Compare agents", "[x] fake", "[ ] other")
		d.types("oth\n")
		d.rest()
		f(d)
	})
}

// delayed lets an agent of that name not start in a worktree, after a delay.
func delayed(o *Options, name string, delay time.Duration) {
	connect := o.Connect
	o.Connect = func(ctx context.Context, s workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
		if s.Dir == "" || s.Name != name {
			return connect(ctx, s, sink, log)
		}
		select {
		case <-ctx.Done():
		case <-time.After(delay):
		}
		return nil, errors.New("no such program")
	}
}

// agentCalled returns the agent of that name that was started last.
func (d *driver) agentCalled(name string) *fakeagent.Agent {
	d.t.Helper()
	for _, a := range slices.Backward(d.Agents()) {
		if a.Name == name {
			return a
		}
	}
	d.t.Fatalf("no agent %s was started", name)
	return nil
}

// A message that is too long for a column is wrapped.
func TestCompareMessage(t *testing.T) {
	comparing(t, nil, func(d *driver) {
		d.m.Front.Say("This worktree has the last commit: 12 uncommitted files are not in it, so say what is missing, and the agent will make the rest of it")
		d.send(page.Refresh{})
		d.sees(" This worktree has the last commit: 12 uncommitted", "missing, and the agent will make the rest of it")
		d.m.Front.Say(strings.Repeat("a long message ", 30))
		d.send(page.Refresh{})
		rows := 0
		for row := range strings.SplitSeq(d.screen(), "\n") {
			if strings.Contains(row, "long mes") {
				rows++
			}
		}
		if d.sees("…"); rows != 3 {
			t.Errorf("the message takes %d rows, want 3:\n%s", rows, d.screen())
		}
	})
}

// Agents that are compared are on the screen together; one of them has the keys.
func TestCompare(t *testing.T) {
	comparing(t, nil, func(d *driver) {
		d.sees("fake asks", "other asks", "waits", "alt+w or a click to answer", "│▌ try it")
		d.misses("Making worktrees", "/compare")
		for _, only := range []string{"1 waits · alt+w", "ctrl+c stop"} { // of the one that has the keys
			if n := strings.Count(d.screen(), only); n != 1 {
				t.Errorf("%q is %d times on the screen", only, n)
			}
		}
		for _, name := range []string{"fake", "other"} {
			if prompts, _, _ := seen(d.agentCalled(name)); prompts != "try it" {
				t.Errorf("%s got %q", name, prompts)
			}
		}
		d.rest()
		d.press("y")
		d.wait(time.Second)
		_, answered, _ := seen(d.agentCalled("fake"))
		if _, other, _ := seen(d.agentCalled("other")); answered != "ok" || other != "" {
			t.Errorf("fake was answered %q, other %q", answered, other)
		}
		d.sees("done 2s", "other asks")
		d.press("alt+w", "y") // too soon after coming to it
		d.draft("")
		d.sees("Too soon")
		d.rest()
		d.press("y")
		d.wait(time.Second)
		if _, other, _ := seen(d.agentCalled("other")); other != "ok" {
			t.Errorf("other was answered %q", other)
		}
		d.sees("answered: ok", "│  answered: ok")
		d.types("only you\n")
		d.wait(time.Second)
		if prompts, _, _ := seen(d.agentCalled("other")); prompts != "try it|only you" {
			t.Errorf("other got %q", prompts)
		}
		if prompts, _, _ := seen(d.agentCalled("fake")); prompts != "try it" {
			t.Errorf("fake got %q", prompts)
		}
	})
}

// A prompt after /compare goes to all of the comparison.
func TestCompareAgain(t *testing.T) {
	comparing(t, func(d *driver, _ *Options) {
		d.fake.Turn(nil)
	}, func(d *driver) {
		d.sees("All are done · f5 shows the diffs · /compare all files · f6 next")
		d.types("/compare and now\n")
		d.wait(time.Second)
		for _, name := range []string{"fake", "other"} {
			if prompts, _, _ := seen(d.agentCalled(name)); prompts != "try it|and now" {
				t.Errorf("%s got %q", name, prompts)
			}
		}
		if n := len(d.Agents()); n != 3 {
			t.Errorf("%d agents were started", n)
		}
	})
}

// The comparison is done, too, when an agent does not start, or ends instead of answering.
func TestCompareWithoutAnAnswer(t *testing.T) {
	const done = "All are done · f5 shows the diffs"
	for _, slow := range []time.Duration{0, 2 * time.Second} {
		comparing(t, func(d *driver, o *Options) {
			d.fake.Turn(nil)
			delayed(o, "fake", slow)
		}, func(d *driver) {
			d.wait(2 * time.Second)
			d.sees("not started", "esc close", done)
			d.misses("another agent")
		})
		comparing(t, func(d *driver, _ *Options) {
			d.fake.Turn(nil)
			d.other("fake").Turn(func(t *fakeagent.Turn) string {
				t.Wait(slow)
				t.Agent.Close()
				return "end_turn"
			})
		}, func(d *driver) {
			d.wait(2 * time.Second)
			d.sees("disconnected", done)
		})
	}
}

// An agent that wants a login waits for the user.
func TestCompareWantsLogin(t *testing.T) {
	comparing(t, func(d *driver, _ *Options) {
		d.fake.Turn(nil)
		d.other("other").Capabilities(`,"authMethods":[{"id":"k","name":"Key"}]`)
		d.other("other").Fail("session/new", -32000, "who are you?")
	}, func(d *driver) {
		d.sees("done 0s", "waits", "Log in to other")
		d.misses("not started", "All are done")
		d.types("not for the login")
		d.draft("not for the login")
		d.press("alt+w", "enter")
		d.sees("waits", "Log in to other")
		if calls := d.agentCalled("other").Calls("authenticate"); len(calls) > 0 {
			t.Errorf("the login has begun: %q", calls)
		}
	})
}

// The draft stays until the agents are chosen, and nothing is compared with itself.
func TestCompareNeedsTwo(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		withTrees(d, o)
		for i := range o.Agents {
			o.Agents[i].About = "Other · Example"
		}
	}, func(d *driver) {
		d.connected()
		d.types("/compare\n")
		d.sees("Type the prompt with it: /compare PROMPT")
		d.types("/compare try it\n\n")
		d.sees("Tick two or more: tab", "/compare try it", "[ ] other  Other · Example  other-agent")
		d.press("down", "tab")
		if n := strings.Count(d.screen(), "[x]"); n != 2 {
			t.Errorf("%d agents are ticked", n)
		}
		d.press("tab", "up", "tab", "enter")
		d.sees("Tick two or more")
		d.press("esc")
		d.misses("Compare agents")
		d.draft("/compare try it")
	})
	drive(t, func(_ *driver, o *Options) {
		o.Worktrees = &forest{makes: func([]string) ([]workspace.Worktree, error) {
			return nil, errors.New("not a git repository: /home/ada")
		}}
	}, func(d *driver) {
		d.connected()
		d.types("/compare try it\noth\n")
		d.soon()
		d.sees("Not compared: not a git repository: /home/ada")
		d.draft("/compare try it")
	})
}

// What is typed while the worktrees are made stays.
func TestCompareKeepsTheDraft(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		withTrees(d, o)
		trees := o.Worktrees.(*forest)
		makes := trees.makes
		trees.makes = func(names []string) ([]workspace.Worktree, error) {
			time.Sleep(time.Second)
			return makes(names)
		}
	}, func(d *driver) {
		d.connected()
		d.types("/compare try it\noth\n")
		d.sees("Making worktrees…")
		d.press("ctrl+u")
		d.types("the next one")
		d.wait(5 * time.Second)
		d.sees("You said: try it")
		d.press("ctrl+s")
		d.types("new session\n")
		d.sees("› the next one")
		d.draft("the next one")
	})
}

// Each model of a connected agent can be compared, and is what its session begins with.
func TestCompareModels(t *testing.T) {
	var models []string
	drive(t, func(d *driver, o *Options) {
		withTrees(d, o)
		withOptions(d, o)
		connect := o.Connect
		o.Connect = func(ctx context.Context, s workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
			d.mu.Lock()
			models = append(models, s.Model)
			d.mu.Unlock()
			return connect(ctx, s, sink, log)
		}
	}, func(d *driver) {
		d.connected()
		d.types("/compare try it\n")
		d.sees("[ ] fake · Small 1  fake --acp", "[x] fake · Big 7")
		d.send(tea.WindowSizeMsg{Width: 20, Height: 24})
		d.sees("[ ] fake", "[x] fake")
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.types("small\n")
		d.wait(time.Second)
		slices.Sort(models)
		if want := []string{"", "big", "small"}; !slices.Equal(models, want) {
			t.Errorf("the models are %q, want %q", models, want)
		}
	})
}

// Without room for columns the agents are tabs: f6, a click and alt+w go to another.
func TestCompareInTabs(t *testing.T) {
	comparing(t, nil, func(d *driver) {
		for _, width := range []int{119, 80, 40, 20} {
			d.send(tea.WindowSizeMsg{Width: width, Height: 24})
			d.sees("fake", "other")
			d.misses("│▌ try it")
		}
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.sees("fake asks")
		d.misses("other asks")
		d.press("f6")
		d.sees("other asks")
		d.misses("fake asks")
		d.mouseDown(5, 0)
		d.mouseUp(5, 0)
		d.sees("fake asks")
		d.press("alt+w")
		d.sees("other asks")
		d.send(tea.WindowSizeMsg{Width: 140, Height: 40})
		d.sees("fake asks", "other asks")
		d.press("ctrl+s")
		d.types("try it")
		d.press("ctrl+x", "ctrl+x")
		d.soon()
		d.press("esc", "esc")
		d.soon()
		if d.m.compared(d.m.Front) != nil {
			t.Errorf("one session is compared:\n%s", d.screen())
		}
	})
}

// Whoever goes to another page leaves no list open there.
func TestCompareClosesLists(t *testing.T) {
	comparing(t, nil, func(d *driver) {
		for _, leave := range []func(){
			func() { d.press("f6") },
			func() { d.press("alt+w") },
			func() { d.clickOn("─ alt+w or a click") },
		} {
			for _, list := range []string{"ctrl+s", "ctrl+r"} {
				from := d.m.Front
				d.press(list)
				d.sees("Type to filter")
				leave()
				d.misses("Type to filter")
				if d.m.Front == from {
					t.Errorf("the same page is in front")
				}
			}
		}
	})
}

// A list that is ready after the user has left its page does not open there.
func TestCompareOpensNoListElsewhere(t *testing.T) {
	comparing(t, func(d *driver, o *Options) {
		d.fake.Turn(asking(`{"toolCallId":"t1","title":"x","kind":"execute","rawInput":{"command":"make all"}}`, usual))
		connect := o.Connect
		o.Connect = func(ctx context.Context, s workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
			conn, err := connect(ctx, s, sink, log)
			if err == nil {
				conn.Machine = ruling{conn.Machine, nil, func(string) []permissions.Facts { time.Sleep(time.Second); return nil }}
			}
			return conn, err
		}
	}, func(d *driver) {
		d.rest()
		d.press("r")
		d.wait(2 * time.Second)
		d.sees("New rule")
		d.press("esc")
		d.rest()
		d.press("r", "f6")
		d.wait(2 * time.Second)
		d.misses("New rule")
		d.press("f6")
		d.misses("New rule")
	})
}

// The mouse works in the column in front, and brings another one to the front.
func TestCompareWithMouse(t *testing.T) {
	long := "the words of the agent"
	comparing(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			for range 60 {
				t.Say("line\n\n")
			}
			t.Say(t.Agent.Name + " says " + long)
			return "end_turn"
		})
	}, func(d *driver) {
		d.drags("fake says", long)
		d.hasCopied("fake says " + long)
		d.clickOn("other says")
		if d.m.Front.Agent.Spec.Name != "other" {
			t.Fatalf("%s is in front", d.m.Front.Agent.Spec.Name)
		}
		d.drags("other says", "other says "+long)
		d.hasCopied("other says " + long)
		x, y := d.spot("fake says")
		d.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelUp})
		d.misses("fake says")
		d.sees("other says")
		d.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
		d.sees("fake says")
		for _, press := range []tea.MouseClickMsg{{Button: tea.MouseRight}, {Button: tea.MouseMiddle}, {Button: tea.MouseLeft, Mod: tea.ModShift}} {
			press.X, press.Y = x, y
			d.send(press)
			d.send(tea.MouseReleaseMsg(press))
			if d.m.Front.Agent.Spec.Name != "other" {
				t.Errorf("%v brought %s to the front", press, d.m.Front.Agent.Spec.Name)
			}
		}
		for _, hidden := range []func(){
			func() { d.press("ctrl+s", "ctrl+t") },                      // the list of agents
			func() { d.send(tea.WindowSizeMsg{Width: 80, Height: 40}) }, // tabs
		} {
			hidden()
			d.send(tea.MouseWheelMsg{X: x, Y: 0, Button: tea.MouseWheelUp})
			d.press("esc")
			d.send(tea.WindowSizeMsg{Width: 140, Height: 40})
			d.sees("fake says")
		}
	})
}

// changing lets agents change files in their first turn, by the agent's name.
func changing(names map[string][]string) func(*driver, *Options) {
	return func(d *driver, o *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Say("Done."); return "end_turn" })
		connect := o.Connect
		o.Connect = func(ctx context.Context, s workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
			conn, err := connect(ctx, s, sink, log)
			if err == nil {
				j := &undotest.Journal{Text: func(undo.Change) (string, string, bool) { return "old\n", "by " + s.Name + "\n", true }}
				for _, name := range names[s.Name] {
					j.Files = append(j.Files, undo.Change{Path: s.Dir + "/" + name, Kind: undo.Changed, Turn: 1})
				}
				conn.Machine = recorded{conn.Machine, j}
			}
			return conn, err
		}
	}
}

// The reviews of a comparison are open together, and show the same file.
func TestCompareReviews(t *testing.T) {
	comparing(t, changing(map[string][]string{"fake": {"a.go", "b.go"}, "other": {"b.go", "c.go"}}), func(d *driver) {
		d.press("f5")
		d.soon()
		d.sees("M a.go", "+ by fake", "a.go", "Not changed")
		d.misses("by other", "c.go")
		d.press("}")
		d.soon()
		d.sees("M b.go", "+ by fake", "+ by other")
		d.press("f6", "}")
		d.soon()
		d.sees("M c.go", "+ by other", "Not changed")
		d.misses("by fake")
		d.press("esc")
		d.misses("Review:", "Not changed")
	})
}

// While one of the agents is still starting, or does not start, the others can be used.
func TestCompareWhileStarting(t *testing.T) {
	comparing(t, func(_ *driver, o *Options) { delayed(o, "fake", time.Hour) }, func(d *driver) {
		d.sees("Starting fake", "other asks", "queued 1")
		d.press("alt+w")
		d.rest()
		d.press("y")
		d.wait(time.Second)
		d.sees("Starting fake", "answered: ok")
		d.press("f6", "esc")
		d.soon()
		d.sees("answered: ok")
		d.misses("Starting fake", "Type to filter")
	})
}

// On a low screen, where an agent that starts has no composer, nothing is typed into one.
func TestCompareStartsOnALowScreen(t *testing.T) {
	comparing(t, func(_ *driver, o *Options) { delayed(o, "fake", time.Hour) }, func(d *driver) {
		for _, height := range []int{6, 11, 12, 13, 14} {
			d.send(tea.WindowSizeMsg{Width: 40, Height: height})
			d.sees("Starting fake")
			d.types("hello")
			if draft := d.m.Front.Composer.Value(); (draft != "") != strings.Contains(d.screen(), "› hello") {
				t.Errorf("the draft is %q on a screen of %d rows:\n%s", draft, height, d.screen())
			}
			d.press("ctrl+u")
		}
	})
}
