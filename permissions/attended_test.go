package permissions

import (
	"errors"
	"testing"
)

// Only an answer that allows a command of parley once can come with the keyboard.
func TestAnswerAttended(t *testing.T) {
	b := NewBroker((&desk{}).post, nil)
	options := []Option{{ID: "o", Kind: AllowOnce}, {ID: "a", Kind: AllowAlways}, {ID: "r", Kind: RejectOnce}}
	own := b.Ask(Question{Origin: FromParley, Attendable: true, Options: options})
	plain := b.Ask(Question{Origin: FromParley, Options: options})
	agents := b.Ask(Question{Origin: FromAgent, Attendable: true, Options: options})
	for _, c := range []struct {
		p      *Pending
		option string
		want   error
	}{{own, "a", ErrNoAttend}, {own, "r", ErrNoAttend}, {own, "x", ErrNoOption}, {plain, "o", ErrNoAttend}, {agents, "o", ErrNoAttend}, {own, "o", nil}, {own, "o", ErrSettled}} {
		if err := b.AnswerAttended(c.p.Question.Key, c.option); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.option, err, c.want)
		}
	}
	if a := settled(t, own); !a.Attended || a.OptionID != "o" || a.By != "you" {
		t.Errorf("got %+v", a)
	}
	b.Answer(plain.Question.Key, "o")
	if a := settled(t, plain); a.Attended {
		t.Errorf("got %+v", a)
	}
	b = NewBroker((&desk{}).post, func(Question) (Answer, bool) { return Answer{OptionID: "o", Attended: true}, true })
	if a := settled(t, b.Ask(Question{Origin: FromParley, Attendable: true, Options: options})); a.Attended {
		t.Errorf("a policy gave it: %+v", a)
	}
}
