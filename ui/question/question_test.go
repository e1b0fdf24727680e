package question

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/internal/intent"
	"parley/internal/notes"
	"parley/internal/seeds"
	"parley/permissions"
	"parley/ui/layer"
	"parley/ui/theme"
)

// page is a page that shows only what is asked. It has its own clock.
type page struct {
	env      layer.Env
	now      time.Time
	around   PageState
	out      layer.Effects
	broker   *permissions.Broker
	answered []string
	edited   string
	rejected string // what is to be rejected with a reason
	q        *Question
	es       *Elicitations
}

func newPage(t *testing.T) *page {
	keys, err := intent.NewKeymap("", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &page{now: time.Unix(1e9, 0)}
	p.env = layer.Env{Now: func() time.Time { return p.now }, Keys: keys, Theme: theme.Dark()}
	p.broker = permissions.NewBroker(p.posted, nil)
	p.q, p.es = New(&p.env, &p.out, p.PageState), NewElicitations(&p.env, &p.out, p.PageState)
	return p
}

func (p *page) PageState() PageState {
	p.around.Agent, p.around.Browser, p.around.Broker = "fake", true, p.broker
	return p.around
}

// said returns what was said last, and notes pages that were opened.
func (p *page) said() (text string) {
	for _, e := range p.out.Take() {
		switch e := e.(type) {
		case layer.Say:
			text = string(e)
		case layer.OpenURL:
			p.answered = append(p.answered, "open "+string(e))
		case RejectWhy:
			what, quote, isDiff := notes.Request(e.Question)
			p.rejected = fmt.Sprintf("%s|%s|%v", what, quote, isDiff)
		case EditWrite:
			p.edited = e.Text
		}
	}
	return text
}

// ask asks a question, with a key of its own.
func (p *page) ask(q permissions.Question) { p.broker.Ask(q) }

// posted shows a question, and notes how it was answered.
func (p *page) posted(e permissions.Event) {
	switch e := e.(type) {
	case permissions.Asked:
		p.q.Add(e.Question)
	case permissions.Settled:
		line := fmt.Sprint(e.Key, " ", e.Answer.OptionID)
		if e.Answer.Text != nil {
			line += " with " + *e.Answer.Text
		}
		p.answered = append(p.answered, line)
	}
}

var names = map[string]rune{"pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "down": tea.KeyDown, "up": tea.KeyUp, "esc": tea.KeyEscape}

// press presses a key and reports whether the question handled it.
func (p *page) press(name string) bool {
	k := tea.KeyPressMsg{Code: names[name]}
	if k.Code == 0 {
		k = tea.KeyPressMsg{Code: rune(name[0]), Text: name}
	}
	_, handled := p.q.Key(layer.Press{KeyPressMsg: k, Name: k.String(), Want: p.env.Keys.Of(intent.Chat, k.String())})
	p.around.LastKey = p.now
	return handled
}

// see draws a frame and tells the question what it shows.
func (p *page) see(width, height int, covered bool) string {
	var rows []string
	for again := true; again && p.q.Open(); {
		var on Shown
		rows, on = p.q.Rows(width, height, covered)
		again = p.q.Saw(on)
	}
	return strings.Join(rows[:min(len(rows), height)], "\n") // there is no room for more
}

func (p *page) wait(d time.Duration) { p.now = p.now.Add(d) }

// rests waits until the question takes keys without a grab.
func (p *page) rests() { p.wait(time.Second) }

var options = []permissions.Option{
	{ID: "once", Name: "Allow once", Kind: permissions.AllowOnce}, {ID: "ever", Name: "Always allow", Kind: permissions.AllowAlways},
	{ID: "no", Name: "Reject", Kind: permissions.RejectOnce},
}

// command is a question about a command of words words, twenty on a line.
func command(key uint64, words int) permissions.Question {
	var text strings.Builder
	for n := range words {
		text.WriteString(word(n) + map[bool]string{true: "\n", false: " "}[n%20 == 19])
	}
	return permissions.Question{Key: key, Heading: "Run a command", Options: options, Body: []permissions.Part{{Kind: permissions.Command, Text: text.String()}}}
}

func word(n int) string { return fmt.Sprintf("w%d.", n) }

// Drawing a frame does not count as showing it. Only Saw does.
func TestDrawnIsNotShown(t *testing.T) {
	p := newPage(t)
	p.ask(command(1, 3))
	first, _ := p.q.Rows(60, 20, false)
	for range 3 {
		p.rests()
		if again, _ := p.q.Rows(60, 20, false); strings.Join(again, "\n") != strings.Join(first, "\n") {
			t.Fatalf("drawn again, the same is not the same:\n%s", strings.Join(again, "\n"))
		}
		if p.press("y") || p.q.Read() || p.q.Grab() {
			t.Fatal("a question that was not on the screen took a key")
		}
	}
	p.see(60, 20, false)
	if p.press("y"); len(p.answered) > 0 {
		t.Fatal("allowed by a key right after the first frame")
	}
	p.rests()
	if p.press("y"); fmt.Sprint(p.answered) != "[1 once]" {
		t.Errorf("answered %q", p.answered)
	}
}

// Rows under a popup do not count as read.
func TestCoveredIsNotRead(t *testing.T) {
	p := newPage(t)
	p.ask(command(1, 3))
	p.see(60, 20, true)
	p.rests()
	p.press("y")
	if rows, _ := p.q.Rows(60, 20, true); len(p.answered) > 0 || !strings.Contains(strings.Join(rows, "\n"), "Read to the end first") {
		t.Errorf("answered %q:\n%s", p.answered, strings.Join(rows, "\n"))
	}
}

// With random keys and screen sizes, a question is never allowed before all of it was on
// the screen. Frames that were only drawn do not count.
func TestAllowedIsRead(t *testing.T) {
	keys := strings.Fields("a a a pgdown pgdown pgdown pgup down down up d f G j k x 2")
	allowed := 0
	for seed := range uint64(seeds.Of(2000)) {
		r := rand.New(rand.NewPCG(seed, 5))
		p := newPage(t)
		n := 1 + r.IntN(400)
		p.ask(command(1, n))
		shown := map[int]bool{}
		width, height := 30+r.IntN(100), 3+r.IntN(30)
		for range 60 {
			switch r.IntN(6) {
			case 0:
				width, height = 30+r.IntN(150), 3+r.IntN(30)
			case 1:
				p.q.Rows(200, 100, false) // a frame that is not shown
			}
			covered := r.IntN(8) == 0
			if rows := p.see(width, height, covered); !covered {
				for k := range n {
					shown[k] = shown[k] || strings.Contains(rows, word(k))
				}
			}
			p.wait(time.Duration(r.IntN(1500)) * time.Millisecond)
			p.press(keys[r.IntN(len(keys))])
			if len(p.answered) == 0 {
				continue
			}
			if allowed++; p.answered[0] != "1 ever" {
				t.Fatalf("seed %d: answered %q", seed, p.answered)
			}
			for k := range n {
				if !shown[k] {
					t.Fatalf("seed %d: allowed, and %s of %d was never on the screen", seed, word(k), n)
				}
			}
			break
		}
	}
	if allowed < seeds.Of(2000)/10 {
		t.Errorf("%d were allowed: this proves nothing", allowed)
	}
}

// When any question is settled, the one on the screen stays or the next one starts unread.
func TestSettledQuestions(t *testing.T) {
	for _, c := range []struct {
		at     int
		gone   uint64
		want   uint64
		afresh bool
	}{{0, 1, 2, true}, {0, 2, 1, false}, {0, 3, 1, false}, {1, 1, 2, false}, {1, 2, 3, true}, {2, 3, 2, true}, {2, 1, 3, false}, {1, 9, 2, false}} {
		p := newPage(t)
		for key := range uint64(3) {
			p.ask(command(key+1, 2))
		}
		p.q.turnTo(c.at)
		p.see(60, 20, false)
		p.q.Remove(c.gone)
		if cur, ok := p.q.Current(); !ok || cur.Key != c.want || p.q.Read() == c.afresh {
			t.Errorf("at %d, without %d: question %d, read %v", c.at, c.gone, cur.Key, p.q.Read())
		}
	}
}

// Refused hunks are not written, and an edited text has to be read.
func TestHunks(t *testing.T) {
	p := newPage(t)
	cur := permissions.Question{Key: 1, Heading: "Change a file", Options: options, Change: &permissions.Change{Path: "f", Old: "a\nb\nc\nd\ne\nf\ng\nh\ni\n", New: "A\nb\nc\nd\ne\nf\ng\nh\nI\n"}}
	cur.Body = []permissions.Part{{Kind: permissions.Diff, Path: "f", Old: cur.Change.Old, Text: cur.Change.New}}
	p.ask(cur)
	frame := func() string { return p.see(80, 40, false) }
	frame()
	p.q.Grab()
	p.rests()
	for _, key := range []string{"h", " ", "e"} {
		p.press(key)
		p.rests()
	}
	p.said()
	if rows := frame(); !strings.Contains(rows, "hunk 1 of 2: rejected") || p.edited != "a\nb\nc\nd\ne\nf\ng\nh\nI\n" {
		t.Fatalf("%q is to be edited:\n%s", p.edited, rows)
	}
	if p.press("y"); len(p.answered) > 0 {
		t.Fatal("answered while the editor is open")
	}
	p.q.Edited(CompareEdit(cur, "own\n"))
	if p.rests(); p.q.Read() {
		t.Error("what was edited counts as read")
	}
	p.said()
	if rows := frame(); !strings.Contains(rows, "Edited by you") || !strings.Contains(rows, "as edited") {
		t.Errorf("it does not say so:\n%s", rows)
	}
	if p.press("y"); fmt.Sprint(p.answered) != "[1 once with own\n]" {
		t.Errorf("answered %q", p.answered)
	}
}

// A web page is opened only after all of it was on the screen. Then it waits for the agent,
// after everything that waits for the user.
func TestWebPage(t *testing.T) {
	p := newPage(t)
	var got []string
	ask := func(key uint64, message string) event.ElicitationAsked {
		return event.ElicitationAsked{Key: key, Message: message, URL: "https://example.org/login", Answer: func(a event.ElicitationAnswer) { got = append(got, a.Action) }}
	}
	p.es.Add(ask(1, strings.Repeat("Much to say. ", 60)))
	p.es.Add(ask(2, "short"))
	press := func(name string) {
		k := tea.KeyPressMsg{Code: names[name]}
		p.es.First().Key(layer.Press{KeyPressMsg: k, Name: name})
	}
	for range 30 {
		_, _, on := p.es.First().Rows(60, 10, false)
		p.es.First().Saw(on)
		p.rests()
		if press("o"); len(got) > 0 {
			break
		}
		press("pgdown")
	}
	p.said()
	if fmt.Sprint(got, p.answered) != "[accept] [open https://example.org/login]" || p.es.Len() != 2 || !p.es.First().Asks() || !p.es.Wait() {
		t.Fatalf("%q, %q, %d wait", got, p.answered, p.es.Len())
	}
	p.es.Settled(1)
	if p.es.Settled(2); p.es.Len() != 1 || p.es.Wait() {
		t.Errorf("%d wait", p.es.Len())
	}
	p.es.Completed(1)
	if said := p.said(); p.es.First() != nil || said != "Done: example.org" {
		t.Errorf("said %q", said)
	}
}

// The name of an option is never cut: it may say how much it allows.
func TestOptionsWrap(t *testing.T) {
	const name = "Always allow git commands in this directory and everywhere else"
	for _, size := range [][2]int{{24, 8}, {40, 8}, {40, 12}, {80, 12}} {
		p := newPage(t)
		q := command(1, 3)
		q.Options = []permissions.Option{options[0], {ID: "ever", Name: name, Kind: permissions.AllowAlways}, options[2]}
		p.ask(q)
		p.see(size[0], size[1], false)
		p.rests()
		seen := map[string]bool{}
		for range 12 { // the options scroll where there are too many rows of them
			for word := range strings.FieldsSeq(strings.ReplaceAll(ansi.Strip(p.see(size[0], size[1], false)), "│", " ")) {
				seen[word] = true
			}
			p.press("down")
		}
		for word := range strings.FieldsSeq(name) {
			if !seen[word] {
				t.Errorf("%v: %q is not shown", size, word)
			}
		}
	}
}

// Ending many questions in order costs nothing for those that still wait: a stop ends all at once.
func TestManyQuestionsEnd(t *testing.T) {
	p := newPage(t)
	const many = 2000
	for n := range many {
		p.q.Add(permissions.Question{Key: uint64(n), Options: options})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for n := range many {
		p.q.Remove(uint64(n))
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; p.q.Open() || used > many*4096 {
		t.Errorf("open: %v, %d bytes used", p.q.Open(), used)
	}
}

// An option that grants more than is shown has a key of its own and takes none from the others.
func TestLetterOfAWideOption(t *testing.T) {
	all := []permissions.Option{{ID: "once", Kind: permissions.AllowOnce}, {ID: "session", Kind: permissions.AllowAlways}, {ID: "reject", Kind: permissions.RejectOnce}, {ID: "edits", Kind: permissions.AllowAlways, Wide: true}}
	for key, want := range map[string]string{"y": "once", "a": "session", "n": "reject", "A": "edits"} {
		if o, ok := optionFor(all, key); !ok || o.ID != want {
			t.Errorf("%s: %+v", key, o)
		}
	}
	if _, ok := optionFor(all[:3], "A"); ok {
		t.Error("A answers where nothing wide is offered")
	}
}
