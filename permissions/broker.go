package permissions

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"
	"sync"
)

// Errors of [Broker.Answer], [Broker.AnswerWith], [Broker.AnswerAttended] and [Broker.Reject].
var (
	ErrSettled  = errors.New("the question has been settled")
	ErrNoOption = errors.New("the question has no such option")
	ErrNoChange = errors.New("only a write that is allowed once can be changed")
	ErrNoAttend = errors.New("this command cannot take your keyboard")
)

// Policy answers a question instead of the user, or returns false to leave it open. It is
// called on the goroutine of Ask.
type Policy func(Question) (Answer, bool)

// Broker holds the open questions and settles each exactly once. It is safe for concurrent use.
type Broker struct {
	post   func(Event)
	policy Policy

	mu       sync.Mutex
	lastKey  uint64
	open     map[uint64]*Pending
	sessions map[string]*settings
	record   func(q Question, a Answer, asked bool)
}

// settings decide the questions of a session.
type settings struct {
	rules   *Rulebook
	mode    Mode
	granted []string // see Option.Grant
}

// session returns the settings of a session, whose fields mu guards.
func (b *Broker) session(id string) *settings {
	if b.sessions[id] == nil {
		b.sessions[id] = &settings{}
	}
	return b.sessions[id]
}

// SetRules sets the rules for future questions of a session.
func (b *Broker) SetRules(session string, rules *Rulebook) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.session(session).rules = rules
}

// Rules returns the rules of a session; nil if it has none.
func (b *Broker) Rules(session string) *Rulebook {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.session(session).rules
}

// SetMode sets the mode of a session, which decides questions that no rule answers. Questions
// that are already open stay open; see [Broker.Reconsider].
func (b *Broker) SetMode(session string, m Mode) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.session(session).mode = m
}

// Mode returns the mode of a session.
func (b *Broker) Mode(session string) Mode {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.session(session).mode
}

// Reconsider settles those open questions of a session that its present rules or mode answer.
func (b *Broker) Reconsider(session string) {
	b.mu.Lock()
	var open []*Pending
	for _, p := range b.open {
		if p.shown && p.Question.Session == session {
			open = append(open, p)
		}
	}
	now := *b.session(session)
	b.mu.Unlock()
	sort.Slice(open, func(i, j int) bool { return open[i].Question.Key < open[j].Question.Key })
	for _, p := range open {
		q := p.Question
		q.Judgement = now.rules.Judge(q.Facts)
		if a, ok := q.settled(nil, now.mode); ok && b.removeOpen(q.Key) != nil {
			p.publish(a)
		}
	}
}

// SetRecord registers a function that is called once for each question with its answer, on the
// goroutine that settles it. asked reports whether the user was asked. The function must not
// call the broker. SetRecord must be called before the first question.
func (b *Broker) SetRecord(record func(q Question, a Answer, asked bool)) { b.record = record }

// NewBroker returns a broker that sends its events to post, which must neither block nor call
// the broker. policy may be nil.
func NewBroker(post func(Event), policy Policy) *Broker {
	return &Broker{post: post, policy: policy, open: map[uint64]*Pending{}, sessions: map[string]*settings{}}
}

// Pending is a question that waits for its answer.
type Pending struct {
	Question Question
	key      uint64
	broker   *Broker
	shown    bool // Asked was posted; guarded by the broker's mu until it is settled, like Question
	done     chan struct{}
	answer   Answer
}

// Ask is [Broker.Reserve] and [Pending.Ask].
func (b *Broker) Ask(q Question) *Pending {
	p := b.Reserve(q)
	p.Ask(q)
	return p
}

// Reserve gives a question its key. It returns at once; Ask follows, with everything there is to say
// about the question. Until then it can only be cancelled.
func (b *Broker) Reserve(q Question) *Pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lastKey++
	q.Key = b.lastKey
	p := &Pending{Question: q, key: q.Key, broker: b, done: make(chan struct{})}
	b.open[q.Key] = p
	return p
}

// Ask judges the question, which may wait for the disk. The first of these that applies settles it:
// RefusedBy is set or a rule denies it; a grant, unless the mode rejects it or a rule that asks may
// be about it; a rule that allows it; the mode; the policy. Otherwise Ask posts [Asked].
func (p *Pending) Ask(q Question) {
	b := p.broker
	q.Key = p.key
	b.mu.Lock()
	for judged := false; !judged; {
		rules := b.session(q.Session).rules
		b.mu.Unlock()
		q.Judgement = rules.Judge(q.Facts)
		b.mu.Lock()
		judged = rules == b.session(q.Session).rules
	}
	var earlier *Option
	if i := slices.IndexFunc(q.Options, func(o Option) bool { return slices.Contains(b.session(q.Session).granted, o.Grant) }); i >= 0 {
		earlier = &q.Options[i]
	}
	a, ok := q.settled(earlier, b.session(q.Session).mode)
	if !ok && b.policy != nil {
		b.mu.Unlock()
		a, ok = b.policy(q)
		a.Attended = false // the question offers no terminal
		b.mu.Lock()
	}
	if b.open[p.key] == nil { // cancelled
		b.mu.Unlock()
		return
	}
	p.Question = q
	if p.shown = !ok; ok {
		delete(b.open, p.key)
		b.mu.Unlock()
		p.publish(a)
		return
	}
	defer b.mu.Unlock()
	b.post(Asked{q, b}) // under the lock, so that Settled follows it
}

// settled returns the answer that rules, the mode or an option that was granted earlier give without
// the user, if they give one.
func (q *Question) settled(earlier *Option, mode Mode) (Answer, bool) {
	if q.RefusedBy != "" {
		return reject(*q, q.RefusedBy), true
	}
	if q.Judgement.Effect == Deny {
		return reject(*q, "your rule: "+q.Judgement.By()), true
	}
	byMode := mode.decide(q)
	if earlier != nil && max(q.Judgement.Effect, q.Judgement.MayHide) < Confirm && byMode != Deny {
		return Answer{OptionID: earlier.ID, By: "you, earlier in this session"}, true
	}
	if q.Judgement.Effect == Allow && (mode != SideMode || !q.changes()) {
		if o, ok := choose(*q, AllowOnce); ok { // not "always": the agent would remember that as its own rule
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

// reject answers with the question's own option for "no", or cancels it.
func reject(q Question, by string) Answer {
	if o, ok := choose(q, RejectOnce); ok {
		return Answer{OptionID: o.ID, By: by}
	}
	return Answer{Cancelled: true, By: by}
}

// publish records the answer and passes it on. Its caller has removed the question from open, or never added
// it, so it runs once for each question.
func (p *Pending) publish(a Answer) {
	p.answer = a
	if p.broker.record != nil {
		p.broker.record(p.Question, a, p.shown)
	}
	close(p.done)
	if p.shown {
		p.broker.post(Settled{Session: p.Question.Session, Key: p.Question.Key, Answer: a})
	}
}

// Settled reports whether the question has its answer.
func (p *Pending) Settled() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Wait blocks until the question is settled. If ctx ends first, it cancels the question.
func (p *Pending) Wait(ctx context.Context) Answer {
	select {
	case <-p.done:
	case <-ctx.Done():
		p.broker.Cancel(p.key)
		<-p.done
	}
	return p.answer
}

// removeOpen removes an open question and returns it; nil if it is already settled.
func (b *Broker) removeOpen(key uint64) *Pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.open[key]
	delete(b.open, key)
	return p
}

// Answer settles the question with one of its options, on behalf of the user.
func (b *Broker) Answer(key uint64, optionID string) error {
	return b.answer(key, Answer{OptionID: optionID})
}

// AnswerWith is like [Broker.Answer], but text is written instead of what was asked. The
// question must have a Change, and the option must allow once: the user's text for this file
// says nothing about later ones.
func (b *Broker) AnswerWith(key uint64, optionID, text string) error {
	return b.answer(key, Answer{OptionID: optionID, Text: &text})
}

// AnswerAttended is like [Broker.Answer], but the command gets the user's keyboard. The
// question must have Attendable set, and the option must allow once.
func (b *Broker) AnswerAttended(key uint64, optionID string) error {
	return b.answer(key, Answer{OptionID: optionID, Attended: true})
}

// AnswerFrom is like [Broker.Answer] for the user at another client, whose name must be safe to show.
func (b *Broker) AnswerFrom(client string, key uint64, optionID string) error {
	return b.answer(key, Answer{OptionID: optionID, By: byClient + client})
}

func (b *Broker) answer(key uint64, a Answer) error {
	b.mu.Lock()
	p := b.open[key]
	if p == nil || !p.shown {
		b.mu.Unlock()
		return ErrSettled
	}
	chosen, err := p.Question.chosen(a)
	if err == nil {
		delete(b.open, key)
		if chosen.Grant != "" {
			b.grant(p.Question.Session, chosen.Grant)
		}
	}
	if b.mu.Unlock(); err != nil {
		return err
	}
	a.By = cmp.Or(a.By, "you")
	p.publish(a)
	return nil
}

// chosen returns the option of an answer, or why it is not possible.
func (q *Question) chosen(a Answer) (Option, error) {
	i := slices.IndexFunc(q.Options, func(o Option) bool { return o.ID == a.OptionID })
	switch {
	case i < 0:
		return Option{}, ErrNoOption
	case a.Text != nil && (q.Change == nil || q.Options[i].Kind != AllowOnce):
		return Option{}, ErrNoChange
	case a.Attended && (!q.Attendable || q.Origin != FromParley || q.Options[i].Kind != AllowOnce):
		return Option{}, ErrNoAttend
	}
	return q.Options[i], nil
}

// Reject settles the question as rejected by the user: with the option that rejects once if
// there is one, else as cancelled.
func (b *Broker) Reject(key uint64) error {
	b.mu.Lock()
	p := b.open[key]
	unasked := p == nil || !p.shown
	b.mu.Unlock()
	if unasked {
		return ErrSettled
	}
	if o, ok := choose(p.Question, RejectOnce); ok {
		return b.Answer(key, o.ID)
	}
	if p = b.removeOpen(key); p == nil {
		return ErrSettled
	}
	p.publish(Answer{Cancelled: true, By: "you"})
	return nil
}

// Cancel settles the question as cancelled. It does nothing if the question is settled.
func (b *Broker) Cancel(key uint64) {
	if p := b.removeOpen(key); p != nil {
		p.publish(Answer{Cancelled: true})
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
	slices.Sort(keys)
	for _, key := range keys {
		b.Cancel(key)
	}
}

// Grant makes later questions of the session with an option of this grant pass.
func (b *Broker) Grant(session, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.grant(session, what)
}

func (b *Broker) grant(session, what string) {
	if s := b.session(session); !slices.Contains(s.granted, what) {
		s.granted = append(s.granted, what)
	}
}

// Forget drops the grants, the rules and the mode of a session.
func (b *Broker) Forget(session string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.sessions, session)
}

// choose returns the first option of a kind.
func choose(q Question, kind string) (Option, bool) {
	if i := slices.IndexFunc(q.Options, func(o Option) bool { return o.Kind == kind }); i >= 0 {
		return q.Options[i], true
	}
	return Option{}, false
}

// ApproveAll returns a policy that allows, once, every question with an option that allows. by
// names the policy in the answers. A command line that could not be read is rejected if it may
// hold something a rule denies.
func ApproveAll(by string) Policy {
	return func(q Question) (Answer, bool) {
		if q.Judgement.MayHide == Deny {
			return reject(q, "your rules deny what this line may hold: parley cannot read all of it"), true
		}
		return allow(q, by)
	}
}

// OnlyReads reports whether a question only reads or searches files inside the session's
// directories. Its kind alone does not decide: a question with a diff, a command, a host or
// anything unknown does more than read.
func OnlyReads(q Question) bool {
	return (q.Kind == "read" || q.Kind == kindSearch) && q.onlyFiles() &&
		!slices.ContainsFunc(q.Facts.Files, func(f FileFact) bool { return f.Write }) &&
		!slices.ContainsFunc(q.Judgement.Verdicts, func(v Verdict) bool { return v.NoRuleReason != "" })
}

// ApproveReads returns a policy that allows questions that [OnlyReads] accepts and passes all
// others to next.
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

// DenyAll returns a policy that rejects every question. It calls told, which may be nil, with
// each of them.
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
