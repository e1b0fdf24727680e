package chat

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/thread"
	"parley/acpclient/thread/threadtest"
	"parley/ui/theme"
	"parley/ui/uitest"
)

// afresh is what a view shows that has seen nothing before and stands where v
// stands.
func afresh(v *View) []string {
	f := New(v.thread, v.cwd, v.th)
	f.SetSize(v.width, v.height)
	f.density, f.now, f.spin = v.density, v.now, v.spin
	f.follow, f.top, f.leftAt = v.follow, v.top, v.leftAt
	return f.Rows()
}

// player does what a reader and a terminal may do between two events.
type player struct {
	t    *testing.T
	v    *View
	th   *thread.Thread
	now  time.Time
	done []string
}

func (p *player) do(op byte) {
	p.done = append(p.done, fmt.Sprint(op))
	v := p.v
	switch op % 16 {
	case 0, 1:
		v.Scroll(-1 - int(op)/32)
	case 2:
		v.Scroll(1 + int(op)/32)
	case 3:
		v.Page(-1)
	case 4:
		v.Page(1)
	case 5:
		v.Home()
	case 6:
		v.End()
	case 7:
		v.SetSize(20+int(op)/2, v.height)
	case 8:
		v.SetSize(v.width, 1+int(op)/8)
	case 9:
		v.SetDensity(Density(op/16) % 3)
	case 10:
		p.now = p.now.Add(time.Second)
		v.Tick(p.now)
	case 11:
		if op > 200 {
			v.SetTheme(theme.Pick("light", false, false))
		}
	case 12:
		if op > 240 {
			p.th.Attach("s")
			v.Changed([]int{0})
		}
	}
}

func (p *player) compare() {
	p.t.Helper()
	got := slices.Clone(p.v.Rows())
	if again := p.v.Rows(); !slices.Equal(got, again) {
		p.t.Fatalf("drawn twice without a change:\n%s\n--\n%s", uitest.Text(got), uitest.Text(again))
	}
	uitest.CheckRows(p.t, got, p.v.width)
	if len(got) > p.v.height {
		p.t.Fatalf("%d rows on %d", len(got), p.v.height)
	}
	if want := afresh(p.v); !slices.Equal(got, want) {
		p.t.Fatalf("after %v at %+v (follow %v, %dx%d, %v):\n%s\n-- afresh:\n%s", p.done, p.v.top, p.v.follow, p.v.width, p.v.height, p.v.density, uitest.Text(got), uitest.Text(want))
	}
}

// play mixes events and operations. Every byte of ops belongs to one event.
func play(t *testing.T, events []acpclient.Event, ops []byte) {
	th := thread.New("s")
	p := &player{t: t, th: th, v: viewOf(th, "dark", 44, 11), now: threadtest.Start}
	for i, e := range events {
		p.done = append(p.done, fmt.Sprintf("%T", e)[len("acpclient."):])
		p.v.Changed(th.Apply(e))
		if i < len(ops) {
			p.do(ops[i])
			if ops[i]%3 == 0 {
				continue // several changes in one frame
			}
		}
		p.compare()
	}
	p.compare()
}

// Any order of updates, scrolls and sizes: the view that grew and one made
// afresh show the same.
func FuzzView(f *testing.F) {
	for seed := range uint64(8) {
		data, ops := noise(seed, 400), noise(seed+100, 150)
		f.Add(data, ops)
	}
	f.Fuzz(func(t *testing.T, data, ops []byte) {
		if len(data) > 2000 || len(ops) > 400 {
			t.Skip()
		}
		play(t, threadtest.Events(data), ops)
	})
}

func noise(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 3))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return out
}

func TestIncrementalIsFresh(t *testing.T) {
	for seed := range uint64(150) {
		play(t, threadtest.Events(noise(seed, 900)), noise(seed+1000, 150))
	}
}
