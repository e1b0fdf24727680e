package permissions

import (
	"context"
	"errors"
	"testing"
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
	if err := b.AnswerWith(p.Question.Key, "o", ""); err != nil {
		t.Fatal(err)
	}
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

// The record says that the user changed the text, with the digest of the new one.
func TestRecordOfAChange(t *testing.T) {
	dir := t.TempDir()
	r := NewRecord(dir, "run1", nil, func(err error) { t.Error(err) })
	q := question("s")
	q = granting(q, "writes")
	q.Change = &Change{}
	text := "abc"
	r.RecordAnswer(q, Answer{OptionID: "o", By: "you", Text: &text}, true)
	r.RecordAnswer(q, Answer{OptionID: "o", By: "you"}, true)
	r.Close()
	got, err := ReadRecord(dir, "s", 10)
	if err != nil || len(got) != 2 || got[0].Changed != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" || got[1].Changed != "" {
		t.Errorf("%+v, %v", got, err)
	}
}
