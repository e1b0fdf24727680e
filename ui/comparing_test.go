package ui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/fakeagent"
	"parley/internal/workspace"
	"parley/ui/uitest"
)

// Random keys, clicks, pauses and sizes in a comparison whose agents ask again and again: what is
// allowed is a question of the page in front, by a key of its own, after a pause on that page or after
// the keys were given to it there.
func TestRandomKeysInAComparison(t *testing.T) {
	t.Parallel()
	keys := strings.Split("yyyyyyaan1122Nfdj xq?/", "")
	keys = append(keys, "f6", "f6", "f6", "alt+w", "alt+w", "alt+a", "alt+a", "tab", "click", "click", "click", "wheel", "esc", "ctrl+u", "ctrl+u", "ctrl+u", "backspace",
		"enter", "ctrl+n", "ctrl+p", "up", "down", "pgdown", "ctrl+s", "ctrl+r", "ctrl+t", "ctrl+o", "f5", "f1", "size")
	sizes := [][2]int{{300, 60}, {140, 40}, {120, 24}, {119, 24}, {80, 24}, {40, 12}, {20, 6}}
	allowed, pressed := 0, 0
	const round = 500
	for n := 0; n < keysPressed(); n += round {
		r := rand.New(rand.NewPCG(13, uint64(n)))
		comparing(t, func(d *driver, _ *Options) {
			d.fake.Turn(func(t *fakeagent.Turn) string {
				for n := 1; !t.Wait(time.Duration(n%7) * 300 * time.Millisecond); n++ {
					t.Ask(push, usual)
				}
				return "cancelled"
			})
		}, func(d *driver) {
			var trace []string
			answered := map[*fakeagent.Agent]int{}
			front, given := d.m.Front, time.Time{}
			since := time.Now().Add(-time.Second)
			last := since
			for range round {
				if d.quit || !d.m.conversing() || d.m.compared(d.m.Front) == nil {
					return
				}
				for _, s := range d.m.Front.Compared() {
					if !s.Busy() && s.Prompts.Queue.Len() == 0 {
						s.Prompts.Submit("go on", false)
					}
				}
				pause := time.Duration(r.IntN(120)) * time.Millisecond
				if r.IntN(3) == 0 {
					pause = time.Duration(r.IntN(1500)) * time.Millisecond
				}
				d.wait(pause)
				key, now := keys[r.IntN(len(keys))], time.Now()
				draft := d.m.Front.Composer.Value()
				pressed++
				trace = append(trace, fmt.Sprintf("%s after %v on %s, draft %q", key, now.Sub(last), front.Agent.Name(), draft))
				switch at := (tea.Mouse{X: r.IntN(d.m.width), Y: r.IntN(d.m.height), Button: tea.MouseLeft}); key {
				case "click":
					d.mouseDown(at.X, at.Y)
					d.mouseUp(at.X, at.Y)
				case "wheel":
					d.send(tea.MouseWheelMsg{X: at.X, Y: at.Y, Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[r.IntN(2)]})
				case "size":
					size := sizes[r.IntN(len(sizes))]
					d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				default:
					d.press(key)
				}
				quiet := now.Sub(since) >= 600*time.Millisecond && now.Sub(last) >= 600*time.Millisecond && draft == ""
				for _, a := range d.Agents() {
					outcomes := a.Outcomes()
					for _, chosen := range outcomes[answered[a]:] {
						wrong := ""
						switch {
						case chosen != "ok" && chosen != "ever":
							continue
						case !strings.Contains("yYaA12", key):
							wrong = "by a key that means something else"
						case a.Name != front.Agent.Name():
							wrong = "while another page was in front"
						case given.IsZero() && !quiet:
							wrong = "while typing"
						}
						if allowed++; wrong != "" {
							d.t.Fatalf("%s: %s was chosen by %q %s:\n%s", a.Name, chosen, key, wrong, strings.Join(trace[max(0, len(trace)-20):], "\n"))
						}
					}
					if len(outcomes) != answered[a] && a.Name == front.Agent.Name() {
						given, quiet = time.Time{}, false
					}
					answered[a] = len(outcomes)
				}
				switch {
				case d.m.Front != front:
					front, since, given = d.m.Front, now, time.Time{}
				case key == "alt+a" || key == "tab" || key == "click" || key == "ctrl+n" || key == "ctrl+p" || quiet:
					given = now
				}
				if key != "size" && key != "wheel" {
					last = now
				}
			}
		})
	}
	t.Logf("%d keys, %d questions allowed", pressed, allowed)
	if allowed < keysPressed()/1000 {
		t.Errorf("%d questions were allowed: this proves nothing", allowed)
	}
}

// The clock of an agent whose page is not on the screen continues in its head.
func TestCompareClocks(t *testing.T) {
	comparing(t, func(d *driver, _ *Options) {
		d.fake.Turn(nil)
		d.other("other").Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
	}, func(d *driver) {
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.sees("done 0s", "running 1s")
		d.wait(10*time.Second + 500*time.Millisecond)
		d.sees("done 0s", "running 11s")
	})
}

// A command with words that is typed while the agent starts is no prompt for it.
func TestCommandsWithWordsWait(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		withTrees(d, o)
		d.Dial = func(int, workspace.Spec) error { time.Sleep(time.Minute); return nil }
	}, func(d *driver) {
		for _, command := range []string{"/compare try it", "/rename parser", "/worktree fix", "/compare"} {
			d.types(command + "\n")
			d.sees("queued 1  \"" + command + "\"")
			d.press("backspace")
			d.misses("queued")
		}
		d.types("/compare")
		d.press("ctrl+j")
		d.types("try it\n")
		d.wait(2 * time.Minute)
		d.prompts("")
		d.sees("Compare agents", "› /compare try it")
	})
}

// The reviews of a comparison are open together, also that of an agent that has changed nothing.
func TestCompareReviewsWithoutChanges(t *testing.T) {
	comparing(t, changing(map[string][]string{"other": {"b.go"}}), func(d *driver) {
		d.press("f5")
		d.soon()
		d.sees("Review: no changes ──", "M b.go", "+ by other")
		d.press("f6")
		d.sees("Not changed")
		d.press("esc")
		d.misses("Review:")
	})
}

// What a comparison looks like.
func TestGoldenCompare(t *testing.T) {
	t.Parallel()
	comparing(t, nil, func(d *driver) {
		d.golden("compare, two ask")
		d.rest()
		d.press("y")
		d.wait(time.Second)
		d.golden("compare, one has answered")
	})
}

// The picture in the documents: one agent has answered, another one asks.
func TestGoldenComparePicture(t *testing.T) {
	t.Parallel()
	comparing(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Say("I return a typed error from Parse.")
			if t.Agent.Name == "other" {
				return asking(edit(), usual)(t)
			}
			t.Wait(4 * time.Second)
			t.Agent.Update(t.Session, strings.NewReplacer(`{"toolCallId"`, `{"sessionUpdate":"tool_call","toolCallId"`, `"status":"pending"`, `"status":"completed"`).Replace(edit()))
			t.Say("Done: callers can now see **which** operation failed.")
			return "end_turn"
		})
	}, func(d *driver) {
		d.wait(10 * time.Second)
		p := uitest.Page{Name: "120x30-dark", Size: uitest.Size{Width: 120, Height: 30}, Theme: "dark"}
		d.m.Options.Theme = p.Theme
		d.send(tea.WindowSizeMsg{Width: p.Width, Height: p.Height})
		uitest.Section(t, "screens", p, "compare", strings.Split(visible(d.m.View()), "\n"))
	})
}

// Where no lines are added or removed, none are counted.
func TestComparisonWithoutLines(t *testing.T) {
	comparing(t, changing(map[string][]string{"fake": {"a.go"}, "other": nil}), func(d *driver) {
		d.wait(time.Minute)
		d.types("/compare\n")
		d.soon()
		d.sees("╭ Comparison", "1 file   +1 −1", "2 other  done 0s  0 files")
		d.misses("+0 −0")
	})
}

// /compare without a prompt lists the agents and all files with who changed them; a file opens the
// versions of all agents, an agent its page.
func TestComparisonOfFiles(t *testing.T) {
	comparing(t, changing(map[string][]string{"fake": {"a.go"}, "other": {"a.go", "b.go"}}), func(d *driver) {
		d.wait(time.Minute)
		d.types("/compare\n")
		d.soon()
		d.sees("╭ Comparison", "Agents", "1 fake", "done 0s  1 file   +1 −1", "2 other", "done 0s  2 files  +2 −2", "2 files, by agent",
			"a.go     1 ✓ +1 −1  2 ✓ +1 −1", "b.go     1 –        2 ✓ +1 −1")
		d.golden("compare, all files")
		d.send(tea.WindowSizeMsg{Width: 120, Height: 40}) // a list is as wide as the screen, not as its column
		d.sees("a.go     1 ✓ +1 −1  2 ✓ +1 −1", "enter show the agent, or all versions of the file · esc back ─")
		front, x := d.m.Front, 100
		_, y := d.spot("2 ✓ +1 −1")
		d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		d.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
		if d.m.Front != front {
			t.Error("a click on the list brought the page below it to the front")
		}
		d.send(tea.WindowSizeMsg{Width: 140, Height: 40})
		d.press("down", "down", "down", "enter")
		d.soon()
		d.sees("Not changed", "M b.go", "+ by other")
		d.press("esc")
		d.soon()
		d.misses("Review:")
		d.press("home", "down", "enter")
		d.soon()
		if d.m.Front == front || d.m.Front.Agent.Name() != "other" {
			t.Errorf("%s is in front", d.m.Front.Agent.Name())
		}
		d.misses("╭ Comparison")
	})
}
