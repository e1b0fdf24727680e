package permissions

import (
	"context"
	"errors"
	"testing"

	"parley/internal/must"
)

// Only an answer that allows a write once can come with a text.
func TestAnswerWith(t *testing.T) {
	d := &desk{}
	b := NewBroker(d.post, nil)
	var recorded []Answer
	b.SetRecord(func(_ Question, a Answer, _ bool) { recorded = append(recorded, a) })
	q := question("s")
	q = granting(q, "writes")
	plain := b.Ask(q)
	q.Change = &Change{Path: "/f", Old: "a", New: "b"}
	p := b.Ask(q)
	for _, c := range []struct {
		p      *Pending
		option string
		want   error
	}{{plain, "o", ErrNoChange}, {p, "a", ErrNoChange}, {p, "r", ErrNoChange}, {p, "none", ErrNoOption}} {
		if err := b.AnswerWith(c.p.Question.Key, c.option, "c"); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.option, err, c.want)
		}
	}
	must.Do(t, b.AnswerWith(p.Question.Key, "o", ""))
	if a := p.Wait(context.Background()); a.Text == nil || *a.Text != "" || a.OptionID != "o" || a.By != "you" {
		t.Errorf("got %+v", a)
	}
	if err := b.AnswerWith(p.Question.Key, "o", "d"); !errors.Is(err, ErrSettled) {
		t.Error(err)
	}
	if len(recorded) != 1 || recorded[0].Text == nil {
		t.Errorf("recorded %+v", recorded)
	}
	if err := b.Answer(plain.Question.Key, "o"); err != nil || plain.Wait(context.Background()).Text != nil {
		t.Error("a plain answer carries a text", err)
	}
	if again := b.Ask(q); !again.shown {
		t.Error("remembered")
	}
}
