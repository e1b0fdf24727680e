package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/seeds"
)

// keysPressed is how many keys the tests of this file press.
func keysPressed() int { return seeds.Of(30_000) }

// typist presses random keys while questions come and go, and decides from the screen alone
// which of them could have been meant for a question.
type typist struct {
	d *driver
	r *rand.Rand

	mu      sync.Mutex
	chosen  []string // options in the order in which they were chosen: "ok-7"
	checked int      // of chosen
	asked   int

	current    int // the question on the screen, -1 without one
	shown      map[int]map[int]bool
	lines      map[int]int // how many lines each question has
	since      time.Time   // current was first on the screen
	deliberate time.Time   // when the keys were given to it; zero: they were not
	byQuiet    bool        // because nobody typed
	lastKey    time.Time
	previous   string   // the last key
	trace      []string // the keys pressed last, for who has to find out why
}

// ask makes the agent ask a question whose lines appear nowhere else. Some questions are
// withdrawn.
func (ty *typist) ask() {
	n, lines, patience := ty.asked, 1+ty.r.IntN(4), time.Duration(ty.r.IntN(20_000))*time.Millisecond
	if ty.r.IntN(3) == 0 {
		lines = 20 + ty.r.IntN(60) // more than there is room for
	}
	ty.asked++
	ty.lines[n] = lines
	var note strings.Builder
	for i := range lines {
		fmt.Fprintf(&note, "Q%d.%d.\n", n, i)
	}
	raw, _ := json.Marshal(map[string]string{"command": "true", "note": note.String()})
	session := ty.d.m.Front.Thread.Session // the palette can open others
	params := fmt.Sprintf(`{"sessionId":%[3]q,"toolCall":{"toolCallId":"t%[1]d","title":"Do it","kind":"execute","rawInput":%[2]s},"options":[`+
		`{"optionId":"ok-%[1]d","name":"Allow","kind":"allow_once"},{"optionId":"ever-%[1]d","name":"Always","kind":"allow_always"},{"optionId":"no-%[1]d","name":"No","kind":"reject_once"}]}`, n, raw, session)
	go func() {
		ctx, over := context.WithTimeout(context.Background(), patience)
		defer over()
		var r struct{ Outcome struct{ OptionID string } }
		if ty.d.Agent().Call(ctx, "session/request_permission", params, &r) == nil && r.Outcome.OptionID != "" {
			ty.mu.Lock()
			ty.chosen = append(ty.chosen, r.Outcome.OptionID)
			ty.mu.Unlock()
		}
	}()
}

var mark = regexp.MustCompile(`Q([0-9]+)\.([0-9]+)\.`)

// looks reads the screen: which question there is, and which of its lines.
func (ty *typist) looks() {
	inside, found := false, -1
	for row := range strings.Lines(ty.d.screen()) {
		switch {
		case strings.HasPrefix(row, "╭ fake asks"):
			inside = true
		case strings.HasPrefix(row, "╰"):
			inside = false
		case inside:
			for _, m := range mark.FindAllStringSubmatch(row, -1) {
				found, _ = strconv.Atoi(m[1])
				line, _ := strconv.Atoi(m[2])
				if ty.shown[found] == nil {
					ty.shown[found] = map[int]bool{}
				}
				ty.shown[found][line] = true
			}
		}
	}
	if found >= 0 && found != ty.current {
		ty.current, ty.since, ty.deliberate, ty.byQuiet = found, time.Now(), time.Time{}, false
	}
}

// presses presses one key and judges the outcome.
func (ty *typist) presses(key string) {
	ty.d.t.Helper()
	ty.looks()
	now := time.Now()
	draft := ty.d.m.Front.Composer.Value()
	quietly := draft == "" && now.Sub(ty.lastKey) >= 600*time.Millisecond && now.Sub(ty.since) >= 600*time.Millisecond
	before, given := ty.current, ty.deliberate
	ty.trace = append(ty.trace, fmt.Sprintf("%s after %v at question %d, draft %q, given %v", key, now.Sub(ty.lastKey), before, draft, !given.IsZero()))
	switch key {
	case "click":
		ty.d.send(tea.MouseClickMsg{X: ty.r.IntN(80), Y: ty.r.IntN(24), Button: tea.MouseLeft})
	default:
		ty.d.press(key)
	}
	ty.judge(key, before, now, given, quietly)
	ty.lastKey, ty.previous = now, key
	ty.looks()
	if ty.current == before && given.IsZero() && quietly {
		ty.deliberate, ty.byQuiet = now, true // it keeps the keys that it got by quiet
	}
	switch key {
	case "alt+a", "tab", "click", "ctrl+n", "ctrl+p":
		if ty.deliberate.IsZero() { // it may have them already; that they can be given back is left out
			ty.deliberate = now
		}
	}
}

// judge fails when an answer that allows was not meant.
func (ty *typist) judge(key string, current int, now, given time.Time, quietly bool) {
	ty.d.t.Helper()
	ty.mu.Lock()
	fresh := append([]string(nil), ty.chosen[ty.checked:]...)
	ty.checked = len(ty.chosen)
	ty.mu.Unlock()
	for _, option := range fresh {
		kind, id, _ := strings.Cut(option, "-")
		n, _ := strconv.Atoi(id)
		if kind == "no" {
			continue
		}
		wrong := ""
		switch {
		case key != "y" && key != "a" && key != "1" && key != "2":
			wrong = "by a key that means something else"
		case n != current:
			wrong = fmt.Sprintf("while question %d was on the screen", current)
		case len(ty.shown[n]) != ty.lines[n] && !(kind == "ok" && ty.insists(n, now)):
			wrong = fmt.Sprintf("after %d of its %d lines were on the screen", len(ty.shown[n]), ty.lines[n])
		case given.IsZero() && !quietly:
			wrong = "without having been given the keys, and in the midst of typing"
		case !given.IsZero() && now.Sub(given) < 80*time.Millisecond && !quietly && !ty.byQuiet:
			wrong = "by what was typed before it was given the keys"
		}
		if wrong != "" {
			ty.d.t.Fatalf("%s was chosen by %q %s:\n%s", option, key, wrong, strings.Join(ty.trace[max(0, len(ty.trace)-20):], "\n"))
		}
	}
}

// insists tells whether the key before was the same answer, deliberately so, and the end
// of the question was on the screen: then it may be allowed unread.
func (ty *typist) insists(n int, now time.Time) bool {
	return ty.shown[n][ty.lines[n]-1] && (ty.previous == "y" || ty.previous == "1") && now.Sub(ty.lastKey) >= 600*time.Millisecond
}

// typing calls press repeatedly, with a typist at an open chat that is replaced now and then,
// since some keys lead far away or end parley. It returns the number of questions, and what was
// chosen.
func typing(t *testing.T, seed uint64, press func(*typist)) (asked int, chosen []string) {
	t.Helper()
	const round = 500
	for n := 0; n < keysPressed(); n += round {
		drive(t, nil, func(d *driver) {
			d.connected()
			ty := &typist{d: d, r: rand.New(rand.NewPCG(seed, uint64(n))), current: -1, shown: map[int]map[int]bool{}, lines: map[int]int{}}
			for i := 0; i < round && !d.quit && d.m.conversing(); i++ {
				press(ty)
			}
			ty.mu.Lock()
			defer ty.mu.Unlock()
			asked, chosen = asked+ty.asked, append(chosen, ty.chosen...)
		})
		if t.Failed() {
			t.Fatalf("in the round that begins with key %d", n)
		}
	}
	return asked, chosen
}

// passes lets time go by, and questions come.
func (ty *typist) passes(d time.Duration) {
	time.Sleep(d)
	if ty.d.open() < 3 && ty.r.IntN(25) == 0 {
		ty.ask()
	}
	ty.d.settle()
}

// allowing counts the choices that allow.
func allowing(chosen []string) (n int) {
	for _, option := range chosen {
		if !strings.HasPrefix(option, "no-") {
			n++
		}
	}
	return n
}

// With all keys, pauses and the mouse: every allowed question was on the screen from its first
// line to its last, or its end was and the answer was given twice; and the question had the keys,
// because they were given to it or because nothing was typed for long enough.
func TestRandomKeysAllowWhatWasRead(t *testing.T) {
	t.Parallel()
	keys := strings.Split("yyyyaann1122335dfjk xq", "")
	keys = append(keys, "alt+a", "alt+a", "tab", "tab", "click", "esc", "esc", "esc", "ctrl+u", "enter", "backspace", "backspace", "backspace", "ctrl+u", "ctrl+u", "ctrl+n", "ctrl+p",
		"up", "down", "down", "pgup", "pgdown", "pgdown", "pgdown", "ctrl+o", "f1", "ctrl+t", "ctrl+r", "home", "end")
	asked, chosen := typing(t, 12, func(ty *typist) {
		pause := time.Duration(ty.r.IntN(30)) * time.Millisecond
		switch ty.r.IntN(10) {
		case 0, 1, 2:
			pause = time.Duration(ty.r.IntN(700)) * time.Millisecond
		case 3:
			pause = time.Duration(600+ty.r.IntN(900)) * time.Millisecond
		}
		ty.passes(pause)
		ty.presses(keys[ty.r.IntN(len(keys))])
	})
	allowed := allowing(chosen)
	t.Logf("%d questions, %d answered, %d of them allowed", asked, len(chosen), allowed)
	// The race detector presses too few keys for an answer that allows to be sure.
	if !seeds.Raced && allowed < keysPressed()/1000 {
		t.Errorf("%d questions were allowed: this proves nothing", allowed)
	}
}
