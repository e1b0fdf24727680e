package permissions

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"parley/internal/must"
)

// desk is a front end that records what was posted.
type desk struct {
	mu     sync.Mutex
	events []Event
	asked  chan uint64 // receives the keys if the test needs them
}

func (d *desk) post(e Event) {
	d.mu.Lock()
	d.events = append(d.events, e)
	d.mu.Unlock()
	if a, ok := e.(Asked); ok && d.asked != nil {
		d.asked <- a.Question.Key
	}
}

// story returns what was posted, as text.
func (d *desk) story() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for _, e := range d.events {
		switch e := e.(type) {
		case Asked:
			out = append(out, fmt.Sprintf("asked %d in %s", e.Question.Key, e.EventSession()))
		case Settled:
			what := e.Answer.OptionID
			if e.Answer.Cancelled {
				what = "cancelled"
			}
			out = append(out, fmt.Sprintf("settled %d in %s: %s", e.Key, e.EventSession(), what))
		}
	}
	return out
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("posted %q, want %q", got, want)
	}
}

var four = []Option{{ID: "o", Name: "Once", Kind: AllowOnce}, {ID: "a", Name: "Always", Kind: AllowAlways}, {ID: "r", Name: "No", Kind: RejectOnce}, {ID: "never", Name: "Never", Kind: RejectAlways}}

func question(session string) Question { return Question{Session: session, Options: four} }

func settled(t *testing.T, p *Pending) Answer {
	t.Helper()
	select {
	case <-p.done:
		return p.Wait(context.Background())
	default:
		t.Fatal("the question is still open")
		return Answer{}
	}
}

func TestAnswerOnce(t *testing.T) {
	d := &desk{}
	b := NewBroker(d.post, nil)
	p := b.Ask(question("s"))
	if err := b.Answer(p.Question.Key, "none"); !errors.Is(err, ErrNoOption) {
		t.Errorf("an option that was not offered: %v", err)
	}
	must.Do(t, b.Answer(p.Question.Key, "a"))
	if got := settled(t, p); got != (Answer{OptionID: "a", By: "you"}) {
		t.Errorf("answer %+v", got)
	}
	if err := b.Answer(p.Question.Key, "r"); !errors.Is(err, ErrSettled) {
		t.Errorf("second answer: %v", err)
	}
	if err := b.Reject(p.Question.Key); !errors.Is(err, ErrSettled) {
		t.Errorf("late rejection: %v", err)
	}
	b.Cancel(p.Question.Key)
	if err := b.Answer(p.Question.Key+1, "a"); !errors.Is(err, ErrSettled) {
		t.Errorf("a question that never was: %v", err)
	}
	same(t, d.story(), "asked 1 in s", "settled 1 in s: a")
}

// Case 107: option ids are returned unchanged, including odd and empty ones.
func TestOddOptionIDs(t *testing.T) {
	b := NewBroker((&desk{}).post, nil)
	for _, id := range []string{"", " ", "\x1b[2J", "\u202e", "ａ"} {
		p := b.Ask(Question{Options: []Option{{ID: "other", Kind: "odd"}, {ID: id, Kind: "plan_first"}}})
		if err := b.Answer(p.Question.Key, id); err != nil {
			t.Fatalf("%q: got %v", id, err)
		}
		if got := settled(t, p); got.OptionID != id || got.Cancelled {
			t.Errorf("%q became %+v", id, got)
		}
	}
}

// Case 111: answers may come in any order, each for its own question.
func TestAnswersOutOfOrder(t *testing.T) {
	d := &desk{}
	b := NewBroker(d.post, nil)
	p1, p2, p3 := b.Ask(question("s")), b.Ask(question("s")), b.Ask(question("s"))
	b.Answer(p3.Question.Key, "r")
	b.Answer(p1.Question.Key, "o")
	b.Cancel(p2.Question.Key)
	if a1, a2, a3 := settled(t, p1), settled(t, p2), settled(t, p3); a1.OptionID != "o" || !a2.Cancelled || a3.OptionID != "r" {
		t.Errorf("%+v, %+v, %+v", a1, a2, a3)
	}
	same(t, d.story(), "asked 1 in s", "asked 2 in s", "asked 3 in s", "settled 3 in s: r", "settled 1 in s: o", "settled 2 in s: cancelled")
}

func TestAnswerFromAClient(t *testing.T) {
	b := NewBroker((&desk{}).post, nil)
	p := b.Ask(question("s"))
	must.Do(t, b.AnswerFrom("phone", p.Question.Key, "r"))
	if got := settled(t, p); got != (Answer{OptionID: "r", By: "client: phone"}) || !got.ByUser() {
		t.Errorf("answer %+v", got)
	}
	if err := b.AnswerFrom("phone", p.Question.Key, "a"); !errors.Is(err, ErrSettled) {
		t.Errorf("second answer: %v", err)
	}
	for by, want := range map[string]bool{"you": true, "you, earlier in this session": false, "your rule: x": false, "": false, "mode: all": false} {
		if (Answer{By: by}).ByUser() != want {
			t.Errorf("%q: want %v", by, want)
		}
	}
}

func TestReject(t *testing.T) {
	b := NewBroker((&desk{}).post, nil)
	p := b.Ask(question("s"))
	must.Do(t, b.Reject(p.Question.Key))
	if got := settled(t, p); got.OptionID != "r" || got.By != "you" {
		t.Errorf("got %+v", got)
	}
	// The user did not say "never", nor chose an unknown kind.
	p = b.Ask(Question{Options: []Option{{ID: "never", Name: "Never", Kind: RejectAlways}, {ID: "x", Name: "Hm", Kind: "reject"}}})
	must.Do(t, b.Reject(p.Question.Key))
	if got := settled(t, p); !got.Cancelled || got.By != "you" {
		t.Errorf("got %+v", got)
	}
}

// Cases 101 and 115: the questions of one session, and no others.
func TestCancelSession(t *testing.T) {
	d := &desk{}
	b := NewBroker(d.post, nil)
	a1, b1, a2 := b.Ask(question("a")), b.Ask(question("b")), b.Ask(question("a"))
	b.CancelSession("a")
	b.CancelSession("a")
	b.CancelSession("nobody")
	if !settled(t, a1).Cancelled || !settled(t, a2).Cancelled {
		t.Error("not cancelled")
	}
	select {
	case <-b1.done:
		t.Error("the question of another session was settled")
	default:
	}
	same(t, d.story(), "asked 1 in a", "asked 2 in b", "asked 3 in a", "settled 1 in a: cancelled", "settled 3 in a: cancelled")
	if err := b.Answer(b1.Question.Key, "o"); err != nil {
		t.Error(err)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	d := &desk{}
	b := NewBroker(d.post, nil)
	ctx, cancel := context.WithCancel(context.Background())
	p := b.Ask(question("s"))
	cancel()
	if got := p.Wait(ctx); !got.Cancelled || got.By != "" {
		t.Errorf("got %+v", got)
	}
	if err := b.Answer(p.Question.Key, "o"); !errors.Is(err, ErrSettled) {
		t.Errorf("answer after the end: %v", err)
	}
	same(t, d.story(), "asked 1 in s", "settled 1 in s: cancelled")
}

// granting makes a question one of parley's, whose option "a" gives a grant.
func granting(q Question, what string) Question {
	q.Origin, q.Options = FromParley, slices.Clone(q.Options)
	for i := range q.Options {
		if q.Options[i].Kind == AllowAlways {
			q.Options[i].Grant = what
		}
	}
	return q
}

// A rule that asks wins over what was granted before, also where it may be about a part of a line that
// parley cannot read.
func TestAskWinsOverGrants(t *testing.T) {
	for name, c := range map[string]struct {
		rule  Rule
		facts Facts
		asked bool
	}{
		"no rule about it": {Rule{Effect: Confirm, Path: "y"}, Facts{Kind: "edit", Files: []FileFact{{Path: "/w/x", Inside: true, Write: true, Roots: []string{"/w"}}}}, false},
		"a file":           {Rule{Effect: Confirm, Path: "x"}, Facts{Kind: "edit", Files: []FileFact{{Path: "/w/x", Inside: true, Write: true, Roots: []string{"/w"}}}}, true},
		"a command":        {Rule{Effect: Confirm, Command: "rm *"}, lineFacts("rm x"), true},
		"a hidden command": {Rule{Effect: Confirm, Command: "rm *"}, lineFacts("$x y"), true},
		"a hidden file":    {Rule{Effect: Confirm, Path: "x"}, lineFacts("cat $y"), true},
		"a plain command":  {Rule{Effect: Confirm, Command: "rm *"}, lineFacts("ls"), false},
		"a kind":           {Rule{Effect: Confirm, Kind: "execute"}, lineFacts("ls"), true},
	} {
		for _, mode := range []Mode{AskMode, AcceptEdits, AllMode} {
			b := NewBroker((&desk{}).post, nil)
			b.SetRules("s", mustBook(t, []Rule{c.rule, {Effect: Allow, Kind: c.facts.Kind}}))
			b.SetMode("s", mode)
			b.Grant("s", "it")
			q := granting(question("s"), "it")
			q.Kind, q.Facts = c.facts.Kind, c.facts
			if p := b.Ask(q); p.shown != c.asked {
				t.Errorf("%s, mode %v: asked %v", name, mode, p.shown)
			}
		}
	}
}

func TestAlwaysIsRemembered(t *testing.T) {
	d := &desk{}
	b := NewBroker(d.post, nil)
	own := func(session, what string) Question {
		q := question(session)
		return granting(q, what)
	}
	b.Answer(b.Ask(own("s", "writes")).Question.Key, "o")
	if b.Answer(b.Ask(own("s", "writes")).Question.Key, "a") != nil {
		t.Fatal("once was remembered")
	}
	if got := settled(t, b.Ask(own("s", "writes"))); got.OptionID != "a" || got.By != "you, earlier in this session" {
		t.Errorf("got %+v", got)
	}
	asked := len(d.story())
	for _, q := range []Question{own("s", "reads"), own("other", "writes"), own("s", ""), question("s")} {
		b.Cancel(b.Ask(q).Question.Key)
	}
	if n := len(d.story()) - asked; n != 8 {
		t.Errorf("%d events, want 4 questions and 4 answers", n)
	}
	// A remembered answer needs an option that allows.
	q := own("s", "writes")
	q.Options = []Option{{ID: "o", Kind: AllowOnce}, {ID: "r", Kind: RejectOnce}}
	if p := b.Ask(q); b.Answer(p.Question.Key, "o") != nil {
		t.Error("answered with an option of another kind")
	}
	b.Forget("s")
	if err := b.Answer(b.Ask(own("s", "writes")).Question.Key, "r"); err != nil {
		t.Error("forgotten, and not asked")
	}
	b.Grant("s", "reads")
	if got := settled(t, b.Ask(own("s", "reads"))); got.OptionID != "a" {
		t.Errorf("got %+v", got)
	}
}

// For the agent's questions, "always" is for the agent to remember.
func TestAgentsAlwaysIsNotRemembered(t *testing.T) {
	b := NewBroker((&desk{}).post, nil)
	for range 2 {
		if err := b.Answer(b.Ask(question("s")).Question.Key, "a"); err != nil {
			t.Fatal("answered by itself")
		}
	}
}

func TestPolicyAnswersAreNotShown(t *testing.T) {
	d := &desk{}
	b := NewBroker(d.post, ApproveReads("--x", func(Question) (Answer, bool) { return Answer{}, false }))
	q := question("s")
	q.Kind, q.Facts.Files = "read", []FileFact{{Path: "/p/f", Inside: true}}
	if got := settled(t, b.Ask(q)); got != (Answer{OptionID: "o", By: "--x"}) {
		t.Errorf("got %+v", got)
	}
	same(t, d.story())
	q.Kind = "edit"
	b.Ask(q)
	same(t, d.story(), "asked 2 in s")
}

// Asked is posted before Settled, even if the question is settled at the same time.
func TestAskedComesBeforeSettled(t *testing.T) {
	for range 300 {
		d := &desk{}
		b := NewBroker(d.post, nil)
		var all sync.WaitGroup
		p := b.Reserve(question("s"))
		all.Go(func() { p.Ask(question("s")) })
		all.Go(func() {
			for !p.Settled() {
				b.CancelSession("s")
			}
		})
		all.Wait()
		if story := d.story(); len(story) > 0 { // otherwise it was cancelled before it was asked
			same(t, story, "asked 1 in s", "settled 1 in s: cancelled")
		}
	}
}

// Under concurrency, every question is settled once, and its waiter gets the answer that was posted.
func TestEveryQuestionIsSettledOnce(t *testing.T) {
	const askers, each = 8, 60
	d := &desk{asked: make(chan uint64, askers*each)}
	b := NewBroker(d.post, nil)
	answers := sync.Map{} // key -> Answer
	var asking, ending sync.WaitGroup
	stop := make(chan struct{})
	for n := range 4 {
		ending.Go(func() { settleRandomly(b, rand.New(rand.NewPCG(1, uint64(n))), d.asked, stop) })
	}
	for n := range askers {
		asking.Go(func() {
			r := rand.New(rand.NewPCG(2, uint64(n)))
			for range each {
				q := question(fmt.Sprint("s", r.IntN(3)))
				if r.IntN(2) == 0 {
					q = granting(q, "what")
				}
				ctx, cancel := context.WithCancel(context.Background())
				p := b.Ask(q)
				if r.IntN(4) == 0 {
					go cancel()
				}
				if _, twice := answers.LoadOrStore(p.Question.Key, p.Wait(ctx)); twice {
					t.Errorf("key %d was given twice", p.Question.Key)
				}
				cancel()
			}
		})
	}
	asking.Wait()
	close(stop)
	ending.Wait()
	check(t, d, &answers, askers*each)
	if len(b.open) != 0 {
		t.Errorf("%d questions are left", len(b.open))
	}
}

// settleRandomly settles questions in every possible way.
func settleRandomly(b *Broker, r *rand.Rand, asked <-chan uint64, stop <-chan struct{}) {
	var late sync.WaitGroup
	defer late.Wait()
	for {
		var key uint64
		select {
		case key = <-asked:
		case <-stop:
			return
		}
		switch r.IntN(5) {
		case 0:
			b.Answer(key, "a")
		case 1:
			b.Reject(key)
		case 2:
			late.Go(func() { b.Cancel(key) })
			b.Answer(key, "o")
		case 3:
			b.CancelSession(fmt.Sprint("s", r.IntN(3)))
			b.Cancel(key)
		default:
			b.Forget("s0")
			b.Answer(key, "none")
			b.Cancel(key)
		}
	}
}

func check(t *testing.T, d *desk, answers *sync.Map, questions int) {
	t.Helper()
	asked, ended := map[uint64]bool{}, map[uint64]bool{}
	for _, e := range d.events {
		switch e := e.(type) {
		case Asked:
			asked[e.Question.Key] = true
		case Settled:
			if !asked[e.Key] || ended[e.Key] {
				t.Errorf("question %d: asked %v, settled before %v", e.Key, asked[e.Key], ended[e.Key])
			}
			ended[e.Key] = true
			if got, _ := answers.Load(e.Key); got != e.Answer {
				t.Errorf("question %d: waiter heard %+v, front end %+v", e.Key, got, e.Answer)
			}
		}
	}
	if len(asked) != len(ended) {
		t.Errorf("%d asked, %d settled", len(asked), len(ended))
	}
	n := 0
	answers.Range(func(_, a any) bool {
		n++
		if a := a.(Answer); !a.Cancelled && a.OptionID == "" {
			t.Errorf("neither cancelled nor answered: %+v", a)
		}
		return true
	})
	if n != questions {
		t.Errorf("%d of %d questions have an answer", n, questions)
	}
}

// What the user decides while a question is being judged holds for it.
func TestDecidedWhileJudged(t *testing.T) {
	elsewhere, here := rulebook(t, "[[deny]]\npath = \"/x/**\"\n"), rulebook(t, "[[deny]]\npath = \"/w/**\"\n")
	for name, test := range map[string]struct {
		do   func(b *Broker)
		want Answer // zero: it is asked
	}{
		"nothing":   {func(*Broker) {}, Answer{}},
		"a mode":    {func(b *Broker) { b.SetMode("s", AllMode); b.Reconsider("s") }, Answer{OptionID: "a", By: "mode: all"}},
		"a grant":   {func(b *Broker) { b.Grant("s", "it") }, Answer{OptionID: "a", By: "you, earlier in this session"}},
		"a rule":    {func(b *Broker) { b.SetRules("s", here); b.Reconsider("s") }, Answer{OptionID: "r", By: "your rule: deny path /w/**"}},
		"cancelled": {func(b *Broker) { b.CancelSession("s") }, Answer{Cancelled: true}},
		"an answer": {func(b *Broker) {
			if !errors.Is(b.Answer(1, "a"), ErrSettled) || !errors.Is(b.Reject(1), ErrSettled) {
				t.Error("it was answered before it was asked")
			}
		}, Answer{}},
	} {
		t.Run(name, func(t *testing.T) {
			d := &desk{}
			b := NewBroker(d.post, nil)
			b.SetRules("s", elsewhere)
			once := sync.OnceFunc(func() { test.do(b) })
			p := b.Reserve(Question{Session: "s"})
			p.Ask(Question{Session: "s", Kind: "execute", Options: []Option{{ID: "a", Kind: AllowOnce, Grant: "it"}, {ID: "r", Kind: RejectOnce}},
				Facts: Facts{Kind: "execute", Commands: []CommandFact{{Line: "cat f", Dir: "/w"}}, Resolve: func(path string) FileFact {
					once()
					return FileFact{Path: path, Exists: true, Inside: true}
				}}})
			switch {
			case test.want == Answer{}:
				same(t, d.story(), "asked 1 in s")
			case settled(t, p) != test.want:
				t.Errorf("answer %+v, want %+v", settled(t, p), test.want)
			default:
				same(t, d.story())
			}
		})
	}
}
