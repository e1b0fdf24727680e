package start

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/workspace"
	"parley/ui/layer"
)

// handled runs a command and handles the messages that it returns, but for those of time.
func handled(t *testing.T, cmd tea.Cmd) {
	t.Helper()
	for cmd != nil {
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for _, c := range msg[:1] { // the second draws the progress
				handled(t, c)
			}
			return
		case drawn:
			return
		case layer.Message:
			cmd = msg.Handle()
		default:
			return
		}
	}
}

func TestInstallFromTheRegistry(t *testing.T) {
	env := newEnv()
	now := env.Now()
	env.Now = func() time.Time { return now }
	scripted := workspace.Spec{Name: "scripted", About: "Says what it is told", Missing: "parley agents install scripted"}
	var done []string
	failed := error(nil)
	r := &workspace.Registry{
		Kept: func() workspace.Listing {
			done = append(done, "read")
			return workspace.Listing{Agents: []workspace.Spec{{Name: "earlier", About: "Was fetched before", Missing: "x"}}, Fetched: now.Add(-time.Hour)}
		},
		Fetch: func(context.Context) (workspace.Listing, string, error) {
			done = append(done, "fetch")
			return workspace.Listing{Agents: []workspace.Spec{scripted, {Name: "old", Missing: "x"}}, Fetched: now}, "a note", failed
		},
		Plan: func(_ context.Context, name string) (workspace.InstallPlan, error) {
			done = append(done, "plan "+name)
			var plan func(scripts string) workspace.InstallPlan
			plan = func(scripts string) workspace.InstallPlan {
				return workspace.InstallPlan{Facts: [][2]string{{"Downloads", "https://example.com/" + strings.Repeat("long/", 30)}, {"Size", "3 MB"}, {"Scripts", scripts}},
					Scripts: scripts == "with scripts",
					Toggle:  func() workspace.InstallPlan { return plan("with scripts") },
					Install: func(_ context.Context, tell func(string)) (workspace.Spec, error) {
						tell("Downloading: 1 MB of 3 MB")
						done = append(done, "install "+name+strings.TrimPrefix(" "+scripts, " without scripts"))
						return workspace.Spec{Name: name, Command: "scripted acp"}, failed
					}}
			}
			return plan("without scripts"), nil
		},
	}
	s := NewAgents(env, Choices{Agents: []workspace.Spec{{Name: "ann"}, {Name: "old", Missing: "npm i old"}}, Registry: r, Dir: "~"}, workspace.New(workspace.Options{}),
		func(a workspace.Spec, _ bool) tea.Cmd { done = append(done, "start "+a.Name); return nil }, func(bool) tea.Cmd { return nil })
	screen := func(width, height int) string {
		rows, _ := s.Rows(width, height)
		if len(rows) != height {
			t.Errorf("%d rows of %d", len(rows), height)
		}
		s.Saw(width, height)
		return ansi.Strip(strings.Join(rows, "\n"))
	}
	shows := func(want string) {
		t.Helper()
		if got := screen(80, 24); !strings.Contains(got, want) {
			t.Fatalf("no %q in\n%s", want, got)
		}
	}
	typed := func(keys ...string) (cmd tea.Cmd) {
		for _, k := range keys {
			cmd, _ = s.Key(press(k))
		}
		return cmd
	}
	// An index can be large: it is read beside the screen.
	cmd := s.Open()
	screen(80, 24)
	if len(done) > 0 {
		t.Errorf("before the first frame: %q", done)
	}
	handled(t, cmd)
	shows("Was fetched before")
	s.list.SetFilter("regis")
	shows("fetched 1 h ago")
	cmd = typed("enter")
	shows("Fetching the registry…")
	handled(t, cmd)
	shows("Says what it is told")
	if !s.shop.installs(s.choices.Agents[1]) || s.shop.installs(s.choices.Agents[0]) {
		t.Error("what the registry can install is not what is missing and known to it")
	}

	s.list.SetFilter("scripted")
	cmd = typed("enter")
	shows("Looking up how to install scripted…")
	handled(t, cmd)
	shows("https://example.com/")
	if typed("y") != nil || s.shop.running {
		t.Error("a key right after the plan has appeared installs")
	}
	now = now.Add(layer.Quiet)
	shows("y install")
	typed("esc")
	shows("Not installed: enter shows")
	shows("enter install…")

	// On a low screen all of it must have been seen.
	handled(t, typed("enter"))
	screen(40, 8)
	now = now.Add(layer.Quiet)
	if !strings.Contains(screen(40, 8), "read on to install") || typed("y") != nil {
		t.Error("a plan is accepted that was not seen")
	}
	for range 10 {
		typed("pgdown")
		screen(40, 8)
	}
	if got := screen(40, 8); !strings.Contains(got, "y install") || !strings.Contains(got, "3 MB") {
		t.Errorf("at the end:\n%s", got)
	}
	failed = errors.New("no checksum matches")
	handled(t, typed("y"))
	shows("no checksum matches")
	failed = nil

	handled(t, typed("enter"))
	shows("Size")
	now = now.Add(layer.Quiet)
	cmd = typed("y")
	shows("esc stop")
	s.shop.tell("Downloading: 1 MB of 3 MB")
	shows("Downloading: 1 MB of 3 MB")
	handled(t, cmd)
	if got := strings.Join(done[len(done)-2:], ", "); got != "install scripted, start scripted" {
		t.Errorf("%q", done)
	}

	// Scripts of packages run only if the user says so, and what they change must have been seen.
	s.list.SetFilter("old")
	handled(t, typed("enter"))
	shows("without scripts")
	shows("s let scripts run")
	now = now.Add(layer.Quiet)
	shows("y install")
	typed("s")
	if typed("y") != nil {
		t.Error("y installs before the changed plan was on the screen")
	}
	shows("with scripts")
	shows("s run no scripts")
	if typed("y") != nil {
		t.Error("y installs right after the plan has changed")
	}
	now = now.Add(layer.Quiet)
	cmd = typed("y")
	if typed("s") != nil {
		t.Error("the plan changes while it is carried out")
	}
	handled(t, cmd)
	if got := strings.Join(done[len(done)-2:], ", "); got != "install old with scripts, start old" {
		t.Errorf("%q", done)
	}

	// One that npx starts can be installed, too.
	s.choices.Agents = append(s.choices.Agents, workspace.Spec{Name: "fetched", Command: "npx -y fetched@1", Where: "through npx"})
	s.Open()
	s.list.SetFilter("fetched")
	shows("enter start   alt+i install…")
	handled(t, typed("alt+i"))
	shows("without scripts")
	now = now.Add(layer.Quiet)
	shows("y install")
	handled(t, typed("y"))
	if got := strings.Join(done[len(done)-2:], ", "); got != "install fetched, start fetched" {
		t.Errorf("%q", done)
	}
	s.list.SetFilter("ann")
	if cmd := typed("alt+i"); cmd != nil || strings.Contains(screen(80, 24), "alt+i") {
		t.Error("one that npx does not start is offered")
	}

	// What has been stopped changes nothing when it ends.
	s.Open()
	s.list.SetFilter("regis")
	cmd = typed("enter", "esc")
	handled(t, cmd)
	failed = errors.New("too late")
	s.list.SetFilter("regis")
	cmd = typed("enter")
	typed("esc")
	handled(t, cmd)
	if got := screen(80, 24); strings.Contains(got, "too late") || s.shop.open() {
		t.Errorf("a stopped fetch shows\n%s", got)
	}
}
