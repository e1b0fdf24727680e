package start

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/seeds"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/uitest"
)

// sheet is a page that records what is asked of it.
type sheet struct {
	done []string // commands that were run
	out  layer.Effects
	Page
}

// happened returns what was asked for.
func (s *sheet) happened() []string {
	for _, e := range s.out.Take() {
		switch e := e.(type) {
		case layer.Say:
			s.done = append(s.done, "say "+string(e))
		case layer.Copy:
			s.done = append(s.done, "copy "+e())
		case layer.OpenURL:
			s.done = append(s.done, "open "+string(e))
		}
	}
	return s.done
}

func (s *sheet) wants(t *testing.T, w ...string) {
	t.Helper()
	if done := s.happened(); !slices.Equal(done, w) {
		t.Errorf("%q was done, want %q", done, w)
	}
}

// rig is a login on a sheet, with its own clock.
type rig struct {
	*Login
	sheet
	now time.Time
}

func newRig() *rig {
	r := &rig{now: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)}
	env := newEnv()
	env.Now = func() time.Time { return r.now }
	env.Exec = func(tea.ExecCommand, tea.ExecCallback) tea.Cmd {
		r.done = append(r.done, "run")
		return nil
	}
	r.Page = Page{Browser: true, Top: 1000}
	r.Login = NewLogin(env, &r.sheet.out, func() Page { return r.Page })
	return r
}

func (r *rig) keys(names ...string) {
	for _, name := range names {
		r.Key(press(name))
	}
}

func anAgent() *workspace.Agent { return workspace.New(workspace.Options{}).Front().Agent }

// A list that opens unasked takes keys and pasted text only after a pause. Drawing has no
// influence on that.
func TestLoginWaitsForQuiet(t *testing.T) {
	r := newRig()
	r.Wanted(workspace.LoginWanted{OfAgent: workspace.OfAgent{Agent: anAgent()}, Err: errors.New("see https://login.example.org/a.")})
	r.LastKey = r.now
	for _, tc := range []struct {
		after   time.Duration
		typed   bool
		handled bool
	}{{0, false, false}, {layer.Quiet - 1, true, false}, {layer.Quiet - 1, false, false}, {1, false, true}, {0, true, true}} {
		r.now = r.now.Add(tc.after)
		if tc.typed {
			r.LastKey = r.now
		}
		before := r.offer
		rows, cursor := r.Rows(60, 12)
		if text := uitest.Text(rows); r.list.Filter() == "" && !strings.Contains(text, "login.example.org") || (cursor != nil) != tc.handled || !reflect.DeepEqual(before, r.offer) {
			t.Errorf("cursor %v on\n%s", cursor, text)
		}
		if _, handled := r.Key(press("x")); handled != tc.handled {
			t.Errorf("%+v: handled %v", tc, handled)
		}
		if _, handled := r.Paste("z"); handled != tc.handled {
			t.Errorf("%+v: paste handled %v", tc, handled)
		}
	}
	if r.list.Filter() != "xzxz" {
		t.Errorf("typed %q", r.list.Filter())
	}
	r.Key(press("y"))
	r.wants(t)
	r.keys("esc")
	r.now = r.now.Add(layer.Quiet)
	r.keys("y", "o")
	r.wants(t, "copy https://login.example.org/a", "open https://login.example.org/a")
	r.keys("esc")
	if r.Open() {
		t.Error("esc does not close it")
	}
}

// A command that an agent chose runs only after each of its rows was on the screen. Keys
// that come faster than frames skip no row.
func TestLoginCommandIsReadWhole(t *testing.T) {
	r := newRig()
	asks := func() {
		r.ask(anAgent(), &step{method: event.AuthMethod{ID: "x", Command: &event.AuthCommand{}}, command: workspace.AgentLogin{Line: strings.Repeat("word ", 80)}})
	}
	frame := func() (foot string) {
		before := *r.step
		rows, _ := r.Rows(40, 10)
		if again, _ := r.Rows(40, 10); !slices.Equal(rows, again) || !reflect.DeepEqual(before, *r.step) {
			t.Error("it is drawn otherwise the second time")
		}
		r.Saw(40, 10)
		r.now = r.now.Add(layer.Quiet)
		rows, _ = r.Rows(40, 10)
		return rows[len(rows)-1]
	}
	asks()
	r.keys("y")
	if foot := frame(); !strings.Contains(foot, "read on") {
		t.Errorf("not at the end: %s", foot)
	}
	r.keys("pgdown", "pgdown") // between two frames
	if foot := frame(); !strings.Contains(foot, "read on") {
		t.Errorf("a page was skipped: %s", foot)
	}
	r.keys("y")
	r.wants(t)
	r.keys("pgup")
	frame()
	r.keys("pgdown")
	if foot := frame(); !strings.Contains(foot, "y run") {
		t.Errorf("all of it was read: %s", foot)
	}
	r.keys("y")
	r.wants(t, "run")
	if r.Open() {
		t.Error("it is still there")
	}
	asks()
	frame()
	r.Saw(60, 10) // another layout
	if r.step.read {
		t.Error("read in two halves of different widths")
	}
}

// With random keys, frames and sizes, a command runs only after each of its rows was on the
// screen in one width, the first of them a while ago. Drawing changes nothing.
func TestRandomKeysRunNoUnreadCommand(t *testing.T) {
	keys := []string{"y", "y", "y", "pgdown", "pgdown", "pgup", "j", "k", "up", "down", "n", "x", "enter"}
	runs := 0
	for seed := range seeds.Of(4000) {
		rng := rand.New(rand.NewPCG(1, uint64(seed)))
		r := newRig()
		line := ""
		for n := range 1 + rng.IntN(60) { // no two rows are alike
			line += fmt.Sprintf("word%d ", n)
		}
		r.ask(anAgent(), &step{method: event.AuthMethod{ID: "x", Description: "some words about it", Command: &event.AuthCommand{}}, command: workspace.AgentLogin{Line: line}})
		width, height := 40, 10
		seen, first := map[string]bool{}, time.Time{}
		read := false
		for range 60 {
			if !r.Asks() {
				break
			}
			switch rng.IntN(6) {
			case 0:
				r.now = r.now.Add(time.Duration(rng.IntN(800)) * time.Millisecond)
			case 1:
				if width = 30 + 20*rng.IntN(2); rng.IntN(2) == 0 {
					height = 6 + rng.IntN(10)
				}
			case 2, 3:
				before := *r.step
				rows, _ := r.Rows(width, height)
				if !reflect.DeepEqual(before, *r.step) {
					t.Fatalf("seed %d: drawing has changed it", seed)
				}
				r.Saw(width, height)
				if first.IsZero() {
					first = r.now
				}
				for _, row := range rows {
					seen[row] = true
				}
				whole, _ := r.Rows(width, 200)
				read = read || !slices.ContainsFunc(whole[1:len(whole)-1], func(row string) bool { return !seen[row] })
			default:
				r.Key(press(keys[rng.IntN(len(keys))]))
				if len(r.done) > 0 {
					if runs++; !read || r.now.Sub(first) < layer.Quiet {
						t.Fatalf("seed %d: it runs, read %v, %v after it came up", seed, read, r.now.Sub(first))
					}
				}
			}
		}
	}
	if runs == 0 {
		t.Error("it never runs: the test shows nothing")
	}
}
