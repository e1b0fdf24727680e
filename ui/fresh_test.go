package ui

import (
	"fmt"
	"image/color"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/acpclient/thread/threadtest"
	"parley/internal/seeds"
	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/page"
	"parley/ui/uitest"
)

// pagePlayer is a whole screen with a conversation on it, and what has made it.
type pagePlayer struct {
	t      *testing.T
	m      *Model
	now    time.Time
	events []event.Event // that the thread has had
	asked  uint64        // questions so far
	done   []string
}

func newPagePlayer(t *testing.T) *pagePlayer {
	p := &pagePlayer{t: t, now: threadtest.Start}
	p.m = New(Options{FrontEnd: workspace.FrontEnd{Options: workspace.Options{Cwd: "/w", Agents: []workspace.Spec{{Name: "fake", Command: "fake --acp"}}}}, Theme: "dark", Branch: "main"})
	p.m.Now = func() time.Time { return p.now }
	p.m.Choosing = false
	p.m.Front.Agent.SetForTest(&workspace.Connection{Client: &acpclient.Client{}, Session: &acpclient.Session{}, Broker: permissions.NewBroker(func(permissions.Event) {}, nil)}, "")
	p.update(tea.WindowSizeMsg{Width: 60, Height: 16})
	return p
}

// update hands a message over and gives the diffs on the screen their colours, as
// Bubble Tea does in its own time. Nothing else that was started comes to an end.
func (p *pagePlayer) update(msg tea.Msg) {
	p.m.colouring = true // it is done here, at once
	p.m.Update(msg)
	p.m.colouring = false
	for cmd := p.m.colour(); cmd != nil; cmd = p.m.colour() {
		p.m.coloured(cmd().(colouredMsg))
		p.m.present()
	}
}

// event hands an event of the agent's over.
func (p *pagePlayer) event(e event.Event) {
	p.done = append(p.done, fmt.Sprintf("%T", e))
	p.events = append(p.events, e)
	p.m.applyTo(p.m.Front, e)
	p.m.Front.Applied()
	p.m.dirty = true
}

var pageKeys = []string{"tab", "tab", "j", "k", "g", "G", "space", "enter", "d", "u", "{", "}", "esc", "esc", "up", "down", "pgup", "pgdown", "ctrl+home", "ctrl+end",
	"ctrl+o", "ctrl+t", "ctrl+p", "ctrl+s", "f1", "f2", "f3", "f4", "f5", "?", "/", "n", "N", "y", "a", "e", "l", "i", "ctrl+u", "alt+a", "f", "shift+enter", "backspace", "alt+b", "shift+tab", "v"}

// do is what a user or a terminal does, as a byte says.
func (p *pagePlayer) do(op byte, rest byte) {
	p.done = append(p.done, fmt.Sprintf("%d/%d", op, rest))
	if p.now = p.now.Add(time.Duration(rest) * 10 * time.Millisecond); op < 140 {
		p.update(keyPress(pageKeys[int(op)%len(pageKeys)]))
		return
	}
	at := tea.Mouse{X: int(rest) % p.m.width, Y: int(rest) / 7 % p.m.height, Button: tea.MouseLeft}
	switch op % 12 {
	case 0, 1:
		p.update(tea.WindowSizeMsg{Width: 1 + int(rest)*3/4, Height: p.m.height})
	case 2:
		p.update(tea.WindowSizeMsg{Width: p.m.width, Height: 1 + int(rest)/5})
	case 3:
		p.update(tea.MouseWheelMsg{Button: tea.MouseWheelUp, X: at.X, Y: at.Y})
	case 4:
		p.update(tea.MouseWheelMsg{Button: tea.MouseWheelDown, X: at.X, Y: at.Y})
	case 5:
		p.update(tea.MouseClickMsg(at))
		at.X, at.Y = int(rest)*5%p.m.width, int(rest)*3%p.m.height
		p.update(tea.MouseMotionMsg(at))
		p.update(tea.MouseReleaseMsg(at))
	case 6:
		p.update(tickMsg{p.now, p.m.timers.due})
	case 7:
		for _, r := range "/theme" {
			p.update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
		p.update(keyPress("enter"))
		for range rest % 6 {
			p.update(keyPress("down"))
		}
	case 8:
		p.update(tea.BackgroundColorMsg{Color: color.Gray{Y: rest}})
	case 9:
		p.update(profileOf([]string{"TrueColor", "ANSI", "ANSI256", "Ascii"}[rest%4]))
	case 10:
		if p.m.Front.Agent.ConnForTest() == nil { // another agent is being started
			return
		}
		p.asked++
		p.m.applyTo(p.m.Front, permissions.Asked{Broker: p.m.Front.Agent.ConnForTest().Broker, Question: permissions.Question{Key: p.asked, Heading: "Change a file", Options: []permissions.Option{{ID: "y", Name: "Allow", Kind: permissions.AllowOnce}},
			Body: []permissions.Part{{Kind: permissions.Diff, Path: "/w/x.go", Old: "var a = 1\n", Text: fmt.Sprintf("var a = %d\n", rest)}}}})
		p.update(page.Refresh{})
	case 11:
		p.m.applyTo(p.m.Front, permissions.Settled{Key: p.asked - uint64(rest%2)})
		p.update(page.Refresh{})
	}
}

// profileOf returns the message for a terminal with a colour profile.
func profileOf(name string) (msg tea.ColorProfileMsg) {
	for n := range uint64(16) {
		reflect.ValueOf(&msg).Elem().Field(0).SetUint(n)
		if msg.String() == name {
			return msg
		}
	}
	panic("no profile " + name)
}

// afresh returns what a new model in the same state shows, with a thread rebuilt from the same
// events.
func (p *pagePlayer) afresh() string {
	th := thread.New("")
	for _, e := range p.events {
		th.Apply(e)
	}
	m, session := *p.m, *p.m.Front.Session
	session.Thread = th
	c := p.m.Front.Afresh(&m.Screen, &session)
	m.Front, m.dirty, m.last, m.colouring = c, true, drawing{}, false
	m.pages = pages{screen: &m.Screen, made: map[*workspace.Session]*page.Page{p.m.Front.Session: c}}
	m.restack()
	m.present()
	for cmd := m.colour(); cmd != nil; cmd = m.colour() {
		m.coloured(cmd().(colouredMsg))
		m.present()
	}
	return visible(m.View())
}

// differ shows two screens with what is not the same in them.
func (p *pagePlayer) differ(a, b string) string {
	styles := uitest.NewStyles(p.m.Theme)
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	var out strings.Builder
	for i := range max(len(left), len(right)) {
		x, y := "(nothing)", "(nothing)"
		if i < len(left) {
			x = styles.Row(left[i])
		}
		if i < len(right) {
			y = styles.Row(right[i])
		}
		if out.WriteString(x + "\n"); x != y {
			out.WriteString(y + "   <- afresh\n")
		}
	}
	return out.String()
}

func (p *pagePlayer) compare() {
	p.t.Helper()
	got := visible(p.m.View())
	rows := strings.Split(got, "\n")
	uitest.CheckRows(p.t, rows, p.m.width)
	if len(rows) > p.m.height {
		p.t.Fatalf("after %v: %d rows on %d", p.done, len(rows), p.m.height)
	}
	p.m.dirty = true
	if again := visible(p.m.View()); again != got {
		p.t.Fatalf("after %v: drawn twice, the same is not the same:\n%s", p.done, p.differ(got, again))
	}
	if want := p.afresh(); got != want {
		p.t.Fatalf("after %v, %dx%d:\n%s", p.done, p.m.width, p.m.height, p.differ(got, want))
	}
}

// inGo makes every diff one of Go, which has colours.
func inGo(e event.Event) event.Event {
	tool, ok := e.(event.ToolChanged)
	if !ok || tool.Content == nil {
		return e
	}
	content := slices.Clone(*tool.Content)
	for i, c := range content {
		if c.Diff != nil {
			d := *c.Diff
			d.Path, d.New = d.Path+".go", "var a = 1\n"+d.New
			content[i].Diff = &d
		}
	}
	tool.Content = &content
	return tool
}

// playPage mixes events with what a user does: two bytes of ops for each event.
func playPage(t *testing.T, data, ops []byte) {
	p := newPagePlayer(t)
	for i, e := range threadtest.Events(data) {
		p.event(inGo(e))
		if 2*i+1 < len(ops) {
			p.do(ops[2*i], ops[2*i+1])
			if ops[2*i]%4 == 0 {
				continue // several changes in one frame
			}
		} else {
			p.update(page.Refresh{})
		}
		p.compare()
	}
	p.update(page.Refresh{})
	p.compare()
}

func pageNoise(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 9))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return out
}

// Whatever comes in, and whatever a user does, in any order: the screen that grew
// is the one that is drawn at once.
func TestPageIsFresh(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds.Of(60)) {
		playPage(t, pageNoise(seed, 600), pageNoise(seed+1000, 240))
	}
}

// FuzzPage takes short steps, so that there can be many; long ones are those of
// TestPageIsFresh.
func FuzzPage(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(pageNoise(seed, 16), pageNoise(seed+100, 12))
	}
	f.Fuzz(func(t *testing.T, data, ops []byte) {
		playPage(t, data[:min(len(data), 32)], ops[:min(len(ops), 24)])
	})
}
