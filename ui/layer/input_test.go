package layer

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
)

// taker is a layer that takes some keys and all that is pasted, and writes it down.
type taker struct {
	name, keys string
	did        *[]string
	since      time.Time
	waits      bool
}

func (l taker) Key(p Press) (tea.Cmd, bool) {
	if !strings.Contains(l.keys, p.Name) {
		return nil, false
	}
	*l.did = append(*l.did, l.name+" "+p.Name)
	return nil, true
}

func (l taker) Paste(text string) (tea.Cmd, bool) {
	*l.did = append(*l.did, l.name+" pastes "+text)
	return nil, true
}

func (l taker) WaitsSince() (time.Time, bool) { return l.since, l.waits }

// deck is an input over layers, with a clock that does not move.
type deck struct {
	*Input
	now    time.Time
	did    []string
	layers []Layer
}

func newDeck() *deck {
	d := &deck{now: time.Unix(1000, 0)}
	d.Input = NewInput(&Env{Now: func() time.Time { return d.now }, Keys: intent.Default}, func() []Layer { return d.layers })
	return d
}

func (d *deck) types(text string) {
	for _, r := range text {
		d.Press(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func (d *deck) wants(t *testing.T, want string) {
	t.Helper()
	if got := strings.Join(d.did, "|"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	d.did = nil
}

// What is typed goes to the topmost layer that takes it.
func TestInput(t *testing.T) {
	d := newDeck()
	d.layers = []Layer{nil, taker{name: "top", keys: "ab", did: &d.did}, taker{name: "below", keys: "bc", did: &d.did}}
	d.types("abcd")
	d.Paste("text")
	d.wants(t, "top a|top b|below c|top pastes text")
	if d.Last() != d.now {
		t.Errorf("last %v", d.Last())
	}
}

// What is typed is dropped until nothing has come for a while.
func TestInputMuted(t *testing.T) {
	d := newDeck()
	d.layers = []Layer{taker{keys: "abcd", did: &d.did}}
	d.Mute()
	for range 3 {
		d.now = d.now.Add(Quiet - time.Millisecond)
		d.types("a")
		d.Paste("b")
	}
	d.wants(t, "")
	d.now = d.now.Add(Quiet)
	d.types("c")
	d.wants(t, " c")
}

// It has to stay quiet from the last key on, or from when the last layer that waits has
// appeared.
func TestInputRest(t *testing.T) {
	d := newDeck()
	if d.Rest() != 0 {
		t.Errorf("%v while nothing waits", d.Rest())
	}
	const ms = time.Millisecond
	d.types("x")
	d.now = d.now.Add(100 * ms)
	for _, c := range []struct {
		since time.Time
		want  time.Duration
	}{
		{d.now.Add(-time.Second), Quiet - 100*ms}, // since the key
		{d.now.Add(-50 * ms), Quiet - 50*ms},
		{time.Time{}, Quiet}, // it is about to be drawn
	} {
		d.layers = []Layer{taker{since: d.now.Add(-time.Hour), waits: true}, taker{since: c.since, waits: true}, taker{since: d.now}}
		if got := d.Rest(); got != c.want {
			t.Errorf("waiting since %v ago: %v, want %v", d.now.Sub(c.since), got, c.want)
		}
	}
	d.now = d.now.Add(time.Hour)
	d.layers = d.layers[:1]
	if d.Rest() != 0 {
		t.Errorf("%v after an hour", d.Rest())
	}
}
