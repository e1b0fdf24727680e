package workspace

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// readPatience is how long reading the files of a prompt may take.
const readPatience = 10 * time.Second

// Why a prompt cannot be sent.
var (
	ErrNotOpen = errors.New("the session is not open yet")
	ErrReading = errors.New("still reading the files of the previous prompt")
)

// sending is a prompt whose files are read before it goes out. While there is one, no
// other prompt of the session goes out: they keep their order. It is either sent or
// given up, which the two sides settle by state.
type sending struct {
	text    string
	carried []string
	whole   string // both
	queued  int    // prompts that waited before it began
	cancel  context.CancelFunc
	state   atomic.Int32
	ended   *event.TurnEnded // came before the answer that the prompt was sent
}

// States of a sending. The first to leave "reading" decides.
const (
	reading int32 = iota
	goingOut
	givenUp
)

// giveUp takes the prompt back; false when it goes out already.
func (s *sending) giveUp() bool {
	if !s.state.CompareAndSwap(reading, givenUp) {
		return false
	}
	s.cancel()
	return true
}

// Reading is the prompt whose files are being read; false for none.
func (s *Session) Reading() (text string, ok bool) {
	if s.sending == nil {
		return "", false
	}
	return s.sending.text, true
}

// Unsettled are the prompts of which the user may yet need all: that wait, that are
// being sent, that were refused, and the last one.
func (s *Session) Unsettled() []string {
	all := append(slices.Clone(s.Queued), texts(s.refused)...)
	if s.sending != nil {
		all = append(all, s.sending.text)
	}
	return append(all, s.last)
}

// holds tells whether the agent takes prompts in the middle of a turn (version 2).
func (s *Session) holds() bool {
	return s.Agent.conn != nil && s.Agent.conn.Client.Agent().ProtocolVersion >= 2
}

// TakesPrompts tells whether a prompt can go out now: between turns, and to an agent of
// version 2, which holds it, in the middle of one.
func (s *Session) TakesPrompts() bool {
	if s.ACP == nil || s.sending != nil || len(s.Queued) > 0 && s.Busy() {
		return false
	}
	switch s.Thread.State {
	case thread.Idle:
		return !s.ACP.Running() || s.holds()
	case thread.Running, thread.Waiting:
		return s.holds()
	}
	return false
}

// Submit sends a prompt that the user has typed, or has it wait where none can go out
// now, and with hold in any case. One that was taken off the queue goes back to its place,
// and those before it go out first.
func (s *Session) Submit(text string, hold bool) error {
	now := !hold && s.TakesPrompts()
	switch {
	case s.edit.on && (!now || s.edit.at > 0):
		s.PutBack(text)
		if now {
			s.Resume()
		}
		return nil
	case !now:
		s.Enqueue(text)
		return nil
	case s.edit.on: // it is the first of those that wait
		s.Paused = false
	}
	s.EndEdit()
	return s.Send(text)
}

// Enqueue has a prompt wait after those that do.
func (s *Session) Enqueue(text string) {
	s.Paused = s.Paused && len(s.Queued) > 0 // what was paused is gone
	s.Queued = append(s.Queued, text)
}

// Resume has the prompts that wait sent, the first one now where that is possible.
func (s *Session) Resume() {
	s.Paused = false
	s.sendQueued()
}

// Send sends a prompt now. It does not block: where something has to be read for it
// first, a task does both.
func (s *Session) Send(text string) error {
	switch {
	case s.ACP == nil:
		return ErrNotOpen
	case s.sending != nil:
		return ErrReading
	}
	whole := strings.Join(s.Carried, "") + text
	if expand := s.w.opts.Expand; expand != nil {
		if blocks := expand(s, text); blocks != nil {
			s.refused = nil
			s.sendExpanded(text, whole, blocks)
			return nil
		}
	}
	held := s.ACP.Running()
	if err := s.ACP.Prompt(append(textBlocks(s.Carried), event.Block{Text: text})...); err != nil {
		return err
	}
	s.last, s.refused, s.Carried = whole, nil, nil
	s.w.tell(Sent{s, text, nil, held})
	return nil
}

func textBlocks(texts []string) (out []event.Block) {
	for _, text := range texts {
		out = append(out, event.Block{Text: text})
	}
	return out
}

// sendExpanded reads what a prompt mentions, and sends it then.
func (s *Session) sendExpanded(text, whole string, expand func(context.Context) ([]event.Block, []string)) {
	ctx, cancel := context.WithTimeout(s.w.conns.ctx, readPatience)
	p := &sending{text: text, carried: s.Carried, whole: whole, queued: len(s.Queued), cancel: cancel}
	s.sending, s.Carried = p, nil
	open, held := s.ACP, s.ACP.Running()
	s.w.begin(func() Result {
		defer cancel()
		blocks, notes := expand(ctx)
		if !p.state.CompareAndSwap(reading, goingOut) {
			return nil
		}
		err := open.Prompt(append(textBlocks(p.carried), blocks...)...)
		return after(func() { s.sent(p, Sent{s, text, notes, held}, err) })
	})
}

// lastSent is the prompt that went out last, as it was typed.
func (s *Session) lastSent() string {
	if p := s.sending; p != nil && p.state.Load() == goingOut {
		return p.whole
	}
	return s.last
}

// turnPrompt is the prompt of the last turn, as it was typed; false where the agent has
// taken none: then the answer to the prompt tells what has become of it.
func (s *Session) turnPrompt() (string, bool) {
	last := s.lastSent()
	if !s.holds() {
		return last, true
	}
	for _, it := range slices.Backward(s.Thread.Items) {
		if it.Turn != s.Thread.Turn {
			break
		}
		if text := string(it.Text); it.Kind == thread.UserMessage {
			if last == "" || !strings.HasPrefix(text, last) { // it is that of another prompt
				return text, true
			}
			return last, true
		}
	}
	return "", false
}

// sent notes that a prompt has gone out, or why not.
func (s *Session) sent(p *sending, n Sent, err error) {
	w := s.w
	if s.sending != p || !w.has(s) {
		return
	}
	s.sending = nil
	if err != nil {
		s.Carried = append(slices.Clone(p.carried), s.Carried...)
		w.tell(NotSent{s, p.text, err})
		return
	}
	s.last = p.whole
	w.tell(n)
	// What was sent meanwhile goes to an agent that takes it at once.
	for s.sending == nil && !s.Paused && p.queued == 0 && len(s.Queued) > 0 && s.holds() && s.ACP != nil {
		if !s.sendFirst() {
			break
		}
	}
	if p.ended != nil && s.sending == nil {
		s.turnEnded(*p.ended)
	}
}

// StopSending gives up the prompt whose files are being read, and returns it; false
// where there is none. What waits after it waits for the user.
func (s *Session) StopSending() (text string, ok bool) {
	if text, ok = s.takeBack(); ok && len(s.Queued) > 0 && !s.Paused {
		s.Paused = true
		s.w.tell(Paused{s})
	}
	return text, ok
}

// takeBack takes the prompt back whose files are being read.
func (s *Session) takeBack() (text string, ok bool) {
	p := s.sending
	if p == nil || !p.giveUp() {
		return "", false
	}
	s.sending = nil
	s.Carried = append(slices.Clone(p.carried), s.Carried...)
	return p.text, true
}

// requeue makes the prompt whose files are being read wait, first of all.
func (s *Session) requeue() {
	if text, ok := s.takeBack(); ok {
		s.Queued = append([]string{text}, s.Queued...)
	}
}

// sendFirst sends the first prompt that waits; false where it stays.
func (s *Session) sendFirst() bool {
	text := s.Queued[0]
	if err := s.Send(text); err != nil {
		s.Paused = true
		s.Say("not sent: " + err.Error())
		return false
	}
	s.Queued = slices.Clone(s.Queued[1:])
	s.edit.at--
	if len(s.deferred) > 0 && s.deferred[0].text == text {
		s.deferred = s.deferred[1:]
	}
	return true
}

// sendQueued sends the first prompt that waits, if it may go out now.
func (s *Session) sendQueued() {
	if s.Paused || len(s.Queued) == 0 || s.ACP == nil || s.sending != nil || s.Thread.State != thread.Idle {
		return
	}
	if s.ACP.Running() && !s.holds() { // an event will tell that it begins, and that it ends
		return
	}
	s.sendFirst()
}

// turnEnded sends the first prompt that waits after a turn that ended by itself. After
// a stop or an error they wait until the user sends them, whatever turns come between.
func (s *Session) turnEnded(e event.TurnEnded) {
	s.stopAsked = time.Time{}
	if WantsLogin(e.Err) {
		if text, ok := s.turnPrompt(); ok {
			s.refused = append(s.refused, unsent{0, text})
			s.wantLogin(e.Err)
		}
		return
	}
	if s.sending != nil {
		s.sending.ended = &e
		return
	}
	if e.Err != nil || e.StopReason == "cancelled" {
		s.pauseQueue()
	}
	s.Paused = s.Paused && len(s.Queued) > 0
	s.sendQueued()
}

// pauseQueue has the prompts that wait do so for the user.
func (s *Session) pauseQueue() {
	if s.Paused = len(s.Queued) > 0; s.Paused {
		s.w.tell(Paused{s})
	}
}

// promptFailed keeps a prompt that the agent did not take for after a login, or for
// after the turn, or hands it back.
func (s *Session) promptFailed(e event.PromptFailed) {
	text := s.textOf(e.Blocks)
	if !WantsLogin(e.Err) { // the turn that runs is another prompt's
		if s.last == text {
			s.last = ""
		}
		if p := s.sending; p != nil && p.whole == text {
			p.whole = ""
		}
	}
	switch {
	case WantsLogin(e.Err):
		s.refused, _ = place(s.refused, unsent{e.Key, text})
		s.wantLogin(e.Err)
	case event.CutOff(e.Err):
		s.Lost.Cut.AddHeld(s.Thread, text)
		s.Offers.Offer(&s.Lost.Cut)
	case e.MidTurn && !e.Withdrawn:
		s.deferPrompt(unsent{e.Key, text})
		s.w.tell(Deferred{s, e.Err})
		s.sendQueued() // where the turn is over meanwhile
	default:
		dropped := s.dropped[e.Key] && e.Withdrawn
		delete(s.dropped, e.Key)
		s.w.tell(Returned{s, e.Key, text, e.Withdrawn || e.Err == nil, dropped, e.Err})
	}
}

// unsent is a prompt that went out and was not taken. Answers may come in any order:
// the key, which grows with every prompt, tells the one that the user wanted.
type unsent struct {
	key  uint64
	text string
}

// place inserts a prompt after those that went out before it, and says where.
func place(list []unsent, p unsent) ([]unsent, int) {
	i := len(list)
	for i > 0 && list[i-1].key > p.key {
		i--
	}
	return slices.Insert(slices.Clone(list), i, p), i
}

func texts(list []unsent) (out []string) {
	for _, p := range list {
		out = append(out, p.text)
	}
	return out
}

// deferPrompt has a prompt wait that the agent did not take in the middle of a turn:
// before what was typed after it.
func (s *Session) deferPrompt(p unsent) {
	s.Paused = s.Paused && len(s.Queued) > 0
	n := 0 // what the user has left of them
	for n < min(len(s.deferred), len(s.Queued)) && s.deferred[n].text == s.Queued[n] {
		n++
	}
	var at int
	s.deferred, at = place(s.deferred[:n], p)
	s.Queued = slices.Insert(slices.Clone(s.Queued), at, p.text)
	if at <= s.edit.at {
		s.edit.at++
	}
}

func (s *Session) textOf(blocks []event.Block) (text string) {
	if f := s.w.opts.TextOf; f != nil {
		return f(blocks)
	}
	for _, b := range blocks {
		if b.URI == "" && b.Image == nil {
			text += b.Text
		}
	}
	return text
}

// Withdraw asks the agent for the newest prompt back that it holds: to be dropped, or
// to be edited. False where it holds none.
func (s *Session) Withdraw(drop bool) bool {
	n := len(s.Thread.Held)
	if n == 0 || s.ACP == nil {
		return false
	}
	key := s.Thread.Held[n-1].Key
	if drop {
		s.dropped[key] = true
	}
	s.ACP.Withdraw(key)
	return true
}
