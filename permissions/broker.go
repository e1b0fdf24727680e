package permissions

import (
	"context"
	"errors"
	"slices"
	"sort"
	"sync"
)

// Errors of Broker.Answer, Broker.AnswerWith and Broker.AnswerAttended.
var (
	ErrSettled  = errors.New("the question has been settled")
	ErrNoOption = errors.New("the question has no such option")
	ErrNoChange = errors.New("only a write that is allowed once can be changed")
	ErrNoAttend = errors.New("only a command that parley runs, allowed once, can have your keyboard")
)

// Policy may answer a question instead of the user; false leaves it open. It is
// called on the goroutine of Ask and must not block.
type Policy func(Question) (Answer, bool)

// Broker holds the open questions. Safe for use by several goroutines.
type Broker struct {
	post   func(Event)
	policy Policy

	mu         sync.Mutex
	lastKey    uint64
	open       map[uint64]*Pending
	remembered map[string]map[string]bool // session -> what was always allowed
	rules      map[string]*Rulebook       // by session
	modes      map[string]Mode            // by session; AskMode where there is none
	record     func(q Question, a Answer, asked bool)
}

// SetRules replaces the rules for questions of a session that are still to come.
func (b *Broker) SetRules(session string, rules *Rulebook) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rules == nil {
		b.rules = map[string]*Rulebook{}
	}
	b.rules[session] = rules
}

// Rules are those of a session; nil where it has none.
func (b *Broker) Rules(session string) *Rulebook {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rules[session]
}

// SetMode says what becomes of the questions of a session that no rule answers.
// Those that are open stay open.
func (b *Broker) SetMode(session string, m Mode) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.modes == nil {
		b.modes = map[string]Mode{}
	}
	b.modes[session] = m
}

// Mode is that of a session.
func (b *Broker) Mode(session string) Mode {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.modes[session]
}

// Reconsider settles the open questions of a session that its rules or its mode
// answer by now.
func (b *Broker) Reconsider(session string) {
	b.mu.Lock()
	var open []*Pending
	for _, p := range b.open {
		if p.Question.Session == session {
			open = append(open, p)
		}
	}
	rules, mode := b.rules[session], b.modes[session]
	b.mu.Unlock()
	sort.Slice(open, func(i, j int) bool { return open[i].Question.Key < open[j].Question.Key })
	for _, p := range open {
		q := p.Question
		q.Judgement = rules.Judge(q.Facts)
		if a, ok := q.settled(false, mode); ok && b.take(q.Key) != nil {
			p.settle(a)
		}
	}
}

// SetRecord has every question told with its answer, once, on the goroutine that
// settles it; asked says that it was put to the user. It must not call the broker. Call it before the first question.
func (b *Broker) SetRecord(record func(q Question, a Answer, asked bool)) { b.record = record }

// NewBroker makes a broker that posts to the front end. policy may be nil. post
// must neither block nor call the broker.
func NewBroker(post func(Event), policy Policy) *Broker {
	return &Broker{post: post, policy: policy, open: map[uint64]*Pending{}, remembered: map[string]map[string]bool{}}
}

// Pending is a question on its way to an answer.
type Pending struct {
	Question Question
	broker   *Broker
	shown    bool // the front end was told
	done     chan struct{}
	answer   Answer
}

// Ask takes a question and returns at once. What comes refused, or rules deny, is
// rejected whatever else would allow it; then count earlier decisions, unless the mode of the session
// rejects it, rules that allow, the mode, and the policy.
func (b *Broker) Ask(q Question) *Pending {
	b.mu.Lock()
	b.lastKey++
	q.Key = b.lastKey
	rules, mode := b.rules[q.Session], b.modes[q.Session]
	earlier := q.Remember != "" && b.remembered[q.Session][q.Remember]
	b.mu.Unlock()
	q.Judgement = rules.Judge(q.Facts)
	p := &Pending{Question: q, broker: b, done: make(chan struct{})}
	if a, ok := q.settled(earlier, mode); ok {
		p.settle(a)
		return p
	}
	if b.policy != nil {
		if a, ok := b.policy(q); ok {
			a.Attended = false // it has no keyboard
			p.settle(a)
			return p
		}
	}
	p.shown = true
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[q.Key] = p
	b.post(Asked{q, b}) // under the lock: Settled comes after it
	return p
}

// settled answers a question without the user, where it can.
func (q *Question) settled(earlier bool, mode Mode) (Answer, bool) {
	if q.Refused != "" {
		return reject(*q, q.Refused), true
	}
	if q.Judgement.Effect == Deny {
		return reject(*q, "your rule: "+q.Judgement.By()), true
	}
	byMode := mode.settle(q)
	if earlier && q.Judgement.Effect != Confirm && byMode != Deny {
		if o, ok := choose(*q, AllowAlways); ok {
			return Answer{OptionID: o.ID, By: "you, earlier in this session"}, true
		}
	}
	if q.Judgement.Effect == Allow {
		if o, ok := choose(*q, AllowOnce); ok { // not "always": that would be the agent's rule
			return Answer{OptionID: o.ID, By: "your rule: " + q.Judgement.By()}, true
		}
	}
	switch byMode {
	case Allow:
		if o, ok := choose(*q, AllowOnce); ok {
			return Answer{OptionID: o.ID, By: "mode: " + mode.String()}, true
		}
	case Deny:
		return reject(*q, "mode: "+mode.String()), true
	}
	return Answer{}, false
}

// reject is the question's own no, or cancelled.
func reject(q Question, by string) Answer {
	if o, ok := choose(q, RejectOnce); ok {
		return Answer{OptionID: o.ID, By: by}
	}
	return Answer{Cancelled: true, By: by}
}

// settle is called by whoever took the question out of open, or before it got
// there: once.
func (p *Pending) settle(a Answer) {
	p.answer = a
	if p.broker.record != nil {
		p.broker.record(p.Question, a, p.shown)
	}
	close(p.done)
	if p.shown {
		p.broker.post(Settled{Session: p.Question.Session, Key: p.Question.Key, Answer: a})
	}
}

// Wait blocks until the question is settled. When ctx ends first, the question
// is cancelled.
func (p *Pending) Wait(ctx context.Context) Answer {
	select {
	case <-p.done:
	case <-ctx.Done():
		p.broker.Cancel(p.Question.Key)
		<-p.done
	}
	return p.answer
}

// take removes an open question; nil when it is settled.
func (b *Broker) take(key uint64) *Pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.open[key]
	delete(b.open, key)
	return p
}

// Answer settles the question with one of its options, for the user.
func (b *Broker) Answer(key uint64, optionID string) error {
	return b.answer(key, Answer{OptionID: optionID})
}

// AnswerWith is Answer, but text is to be written in place of what the question
// asks for. Only a question with a Change takes one, with an option that allows
// once: nothing that the user wrote for this file says anything of later ones.
func (b *Broker) AnswerWith(key uint64, optionID, text string) error {
	return b.answer(key, Answer{OptionID: optionID, Text: &text})
}

// AnswerAttended is Answer, but the command gets the user's keyboard. Only a
// question with Attends takes it, with an option that allows once.
func (b *Broker) AnswerAttended(key uint64, optionID string) error {
	return b.answer(key, Answer{OptionID: optionID, Attended: true})
}

func (b *Broker) answer(key uint64, a Answer) error {
	b.mu.Lock()
	p := b.open[key]
	if p == nil {
		b.mu.Unlock()
		return ErrSettled
	}
	var chosen *Option
	for i := range p.Question.Options {
		if p.Question.Options[i].ID == a.OptionID {
			chosen = &p.Question.Options[i]
			break
		}
	}
	if chosen == nil {
		b.mu.Unlock()
		return ErrNoOption
	}
	if a.Text != nil && (p.Question.Change == nil || chosen.Kind != AllowOnce) {
		b.mu.Unlock()
		return ErrNoChange
	}
	if a.Attended && (!p.Question.Attends || p.Question.Origin != FromParley || chosen.Kind != AllowOnce) {
		b.mu.Unlock()
		return ErrNoAttend
	}
	delete(b.open, key)
	if q := p.Question; q.Remember != "" && chosen.Kind == AllowAlways {
		b.remember(q.Session, q.Remember)
	}
	b.mu.Unlock()
	a.By = "you"
	p.settle(a)
	return nil
}

// Reject settles the question as the user's no: with the option that rejects
// once where there is one, else as cancelled.
func (b *Broker) Reject(key uint64) error {
	b.mu.Lock()
	p := b.open[key]
	b.mu.Unlock()
	if p == nil {
		return ErrSettled
	}
	if o, ok := choose(p.Question, RejectOnce); ok {
		return b.Answer(key, o.ID)
	}
	if p = b.take(key); p == nil {
		return ErrSettled
	}
	p.settle(Answer{Cancelled: true, By: "you"})
	return nil
}

// Cancel settles the question as cancelled; nothing happens when it is settled.
func (b *Broker) Cancel(key uint64) {
	if p := b.take(key); p != nil {
		p.settle(Answer{Cancelled: true})
	}
}

// CancelSession cancels every open question of a session, oldest first.
func (b *Broker) CancelSession(session string) {
	b.mu.Lock()
	var keys []uint64
	for key, p := range b.open {
		if p.Question.Session == session {
			keys = append(keys, key)
		}
	}
	b.mu.Unlock()
	sort.Slice(keys, func(i, j int) bool { return keys[i] < keys[j] })
	for _, key := range keys {
		b.Cancel(key)
	}
}

// Remember lets later questions with this Remember pass for the session.
func (b *Broker) Remember(session, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.remember(session, what)
}

func (b *Broker) remember(session, what string) {
	if b.remembered[session] == nil {
		b.remembered[session] = map[string]bool{}
	}
	b.remembered[session][what] = true
}

// Forget drops what was remembered for a session, its rules and its mode.
func (b *Broker) Forget(session string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.remembered, session)
	delete(b.modes, session)
	delete(b.rules, session)
}

// choose finds the first option of a kind.
func choose(q Question, kind string) (Option, bool) {
	for _, o := range q.Options {
		if o.Kind == kind {
			return o, true
		}
	}
	return Option{}, false
}

// ApproveAll is the policy that allows everything that offers an allowing
// option, once rather than always. by names it in the answers. A command line that
// could not be read is rejected where a rule denies what it might hold.
func ApproveAll(by string) Policy {
	return func(q Question) (Answer, bool) {
		if q.Judgement.Hides == Deny {
			return reject(q, "your rules deny what this line may hold: parley cannot read all of it"), true
		}
		return allow(q, by)
	}
}

// OnlyReads tells whether a question is about reading or searching files inside the
// session's directories and nothing else. What it is called is not enough: one that
// shows a change, or has a command, a host or anything that is not understood, does
// more than read.
func OnlyReads(q Question) bool {
	return (q.Kind == "read" || q.Kind == kindSearch) && q.onlyFiles() &&
		!slices.ContainsFunc(q.Facts.Files, func(f FileFact) bool { return f.Write }) &&
		!slices.ContainsFunc(q.Judgement.Verdicts, func(v Verdict) bool { return v.Why != "" })
}

// ApproveReads allows what OnlyReads and leaves everything else to next.
func ApproveReads(by string, next Policy) Policy {
	return func(q Question) (Answer, bool) {
		if OnlyReads(q) {
			if a, ok := allow(q, by); ok {
				return a, true
			}
		}
		return next(q)
	}
}

// DenyAll rejects everything and tells told (may be nil) what it was.
func DenyAll(by string, told func(Question)) Policy {
	return func(q Question) (Answer, bool) {
		if told != nil {
			told(q)
		}
		return reject(q, by), true
	}
}

func allow(q Question, by string) (Answer, bool) {
	for _, kind := range []string{AllowOnce, AllowAlways} {
		if o, ok := choose(q, kind); ok {
			return Answer{OptionID: o.ID, By: by}, true
		}
	}
	return Answer{}, false
}
