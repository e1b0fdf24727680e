package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/attach"
)

// readPatience bounds reading the files of a prompt.
const readPatience = 10 * time.Second

var errTooSlow = fmt.Errorf("it took longer than %.0f s", readPatience.Seconds())

// Reasons why a prompt cannot be sent.
var (
	ErrNotOpen = errors.New("the session is not open yet")
	ErrReading = errors.New("still reading the files of the previous prompt")
)

// sending is a prompt whose files are read before it is sent. Until then no other prompt
// of the session is sent, so that they keep their order. The task and the user decide by
// state whether it is sent or given up.
type sending struct {
	text    string
	carried []string
	whole   string // both
	queued  int    // queued prompts when it started
	cancel  context.CancelFunc
	state   atomic.Int32
	ended   *event.TurnEnded // arrived before the task reported that the prompt was sent
}

// States of a sending. The first change from "reading" decides.
const (
	reading int32 = iota
	goingOut
	givenUp
)

// giveUp takes the prompt back; false if it is already being sent.
func (s *sending) giveUp() bool {
	if !s.state.CompareAndSwap(reading, givenUp) {
		return false
	}
	s.cancel()
	return true
}

// Reading returns the prompt whose files are being read, false if there is none.
func (s *Session) Reading() (text string, ok bool) {
	if s.sending == nil {
		return "", false
	}
	return s.sending.text, true
}

// PendingPrompts returns the prompts that the user may still need: those queued, being sent or
// refused, and the last one.
func (s *Session) PendingPrompts() []string {
	all := append(slices.Clone(s.queued), texts(s.refused)...)
	if s.sending != nil {
		all = append(all, s.sending.text)
	}
	return append(all, s.last)
}

// holds reports whether the agent accepts prompts during a turn (version 2).
func (s *Session) holds() bool {
	return s.Agent.conn != nil && s.Agent.conn.Client.Agent().ProtocolVersion >= 2
}

// TakesPrompts reports whether a prompt can be sent now: between turns, or during one to
// an agent of version 2, which holds it.
func (s *Session) TakesPrompts() bool {
	if s.acp == nil || s.sending != nil || s.switching || len(s.queued) > 0 && s.Busy() {
		return false
	}
	switch s.Thread.State {
	case thread.Idle:
		return !s.acp.Running() || s.holds()
	case thread.Running, thread.Waiting:
		return s.holds()
	}
	return false
}

// Submit sends a prompt that the user typed, or queues it if none can be sent now or hold
// is set. A prompt that was taken off the queue for editing returns to its place, and
// those before it are sent first.
func (s *Session) Submit(text string, hold bool) error {
	now := !hold && s.TakesPrompts()
	switch {
	case s.edit.on && (!now || s.edit.at > 0):
		s.ReturnEdited(text)
		if now {
			s.Resume()
		}
		return nil
	case !now:
		s.Enqueue(text)
		return nil
	case s.edit.on: // it is the first of the queue
		s.paused = false
	}
	s.EndEdit()
	return s.Send(text)
}

// SubmitNext sends a prompt that explains a rejection, or queues it before all others if none can be
// sent now. Some agents cancel their turn after a rejection; the prompt is sent then, too, unless the
// user has stopped the turn.
func (s *Session) SubmitNext(text string) error {
	if s.TakesPrompts() {
		return s.Send(text)
	}
	s.paused = s.paused && len(s.queued) > 0
	s.queued = slices.Insert(slices.Clone(s.queued), 0, text)
	s.edit.at++
	s.explains = true
	return nil
}

// Enqueue adds a prompt at the end of the queue.
func (s *Session) Enqueue(text string) {
	s.paused = s.paused && len(s.queued) > 0 // an empty queue is not paused
	s.queued = append(s.queued, text)
}

// Resume lets queued prompts be sent, the first one now if possible.
func (s *Session) Resume() {
	s.paused = false
	s.sendQueued()
}

// Send sends a prompt now, a command of the agent's without its prefix. It does not block: if files must
// be read first, a task reads them and sends it.
func (s *Session) Send(text string) error {
	switch {
	case s.acp == nil:
		return ErrNotOpen
	case s.sending != nil:
		return ErrReading
	}
	sent := sentText(text)
	whole := strings.Join(s.shellOutput, "") + sent
	if blocks := s.expand(sent); blocks != nil {
		s.refused = nil
		s.sendExpanded(text, whole, blocks)
		return nil
	}
	held := s.acp.Running()
	if err := s.acp.Prompt(append(textBlocks(s.shellOutput), event.Block{Text: sent})...); err != nil {
		return err
	}
	s.last, s.refused, s.shellOutput = whole, nil, nil
	s.promptSent(PromptSent{s, text, nil, held})
	return nil
}

// promptSent reports a prompt that was sent. The first one of a fork is its name: the agent's title, if
// it has one, is of the conversation before it.
func (s *Session) promptSent(n PromptSent) {
	if s.unnamed {
		s.unnamed = false
		s.w.nameAfter(s.Agent.Spec.Name, s.Thread.Session, n.Text)
	}
	s.unmergedPrompt = cmp.Or(s.unmergedPrompt, n.Text)
	s.w.tell(n)
}

func textBlocks(texts []string) (out []event.Block) {
	for _, text := range texts {
		out = append(out, event.Block{Text: text})
	}
	return out
}

// expand returns a function that reads the files and images of a prompt, nil if it is plain text.
func (s *Session) expand(text string) func(context.Context) ([]event.Block, []string) {
	conn := s.Agent.conn
	if conn == nil {
		return nil
	}
	to := attach.Recipient{Agent: conn.Client.Agent(), Roots: s.Roots()}
	if spec := s.Agent.Spec; spec.Remote && !spec.Shared {
		to.Withheld = func() { s.SayOnce("This agent runs elsewhere and gets no files: @ stays text") }
	}
	return s.w.images.Expand(text, s.w.opts.Files, to)
}

// sendExpanded reads the files that a prompt mentions, then sends it.
func (s *Session) sendExpanded(text, whole string, expand func(context.Context) ([]event.Block, []string)) {
	ctx, cancel := context.WithTimeoutCause(s.w.conns.ctx, readPatience, errTooSlow)
	p := &sending{text: text, carried: s.shellOutput, whole: whole, queued: len(s.queued), cancel: cancel}
	s.sending, s.shellOutput = p, nil
	open, held := s.acp, s.acp.Running()
	s.w.begin(func() Result {
		defer cancel()
		blocks, notes := expand(ctx)
		if !p.state.CompareAndSwap(reading, goingOut) {
			return nil
		}
		err := open.Prompt(append(textBlocks(p.carried), blocks...)...)
		return after(func() { s.sent(p, PromptSent{s, text, notes, held}, err) })
	})
}

// lastSent returns the last prompt sent, as it was typed.
func (s *Session) lastSent() string {
	if p := s.sending; p != nil && p.state.Load() == goingOut {
		return p.whole
	}
	return s.last
}

// turnPrompt returns the prompt of the last turn, as it was typed; false if the agent has
// accepted none: then the response to the prompt decides.
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
			if last == "" || !strings.HasPrefix(text, last) { // it belongs to another prompt
				return text, true
			}
			return last, true
		}
	}
	return "", false
}

// sent records that a prompt was sent, or why not.
func (s *Session) sent(p *sending, n PromptSent, err error) {
	w := s.w
	if s.sending != p || !w.has(s) {
		return
	}
	s.sending = nil
	if err != nil {
		s.shellOutput = append(slices.Clone(p.carried), s.shellOutput...)
		w.tell(PromptNotSent{s, p.text, err})
		return
	}
	s.last = p.whole
	s.promptSent(n)
	// Prompts submitted in the meantime can be sent to an agent that accepts them now.
	for s.sending == nil && !s.paused && p.queued == 0 && len(s.queued) > 0 && s.holds() && s.acp != nil {
		if !s.sendFirst() {
			break
		}
	}
	if p.ended != nil && s.sending == nil {
		s.turnEnded(*p.ended)
	}
}

// StopSending takes back the prompt whose files are being read, and returns it; false if
// there is none. The queue after it is paused.
func (s *Session) StopSending() (text string, ok bool) {
	if text, ok = s.takeBack(); ok && len(s.queued) > 0 && !s.paused {
		s.paused = true
		s.w.tell(QueuePaused{s})
	}
	return text, ok
}

// takeBack takes back the prompt whose files are being read.
func (s *Session) takeBack() (text string, ok bool) {
	p := s.sending
	if p == nil || !p.giveUp() {
		return "", false
	}
	s.sending = nil
	s.shellOutput = append(slices.Clone(p.carried), s.shellOutput...)
	return p.text, true
}

// requeue puts the prompt whose files are being read first in the queue.
func (s *Session) requeue() {
	if text, ok := s.takeBack(); ok {
		s.queued = append([]string{text}, s.queued...)
	}
}

// sendFirst sends the first queued prompt; false if no other may follow now. A command is left to the
// front end between turns.
func (s *Session) sendFirst() bool {
	text := s.queued[0]
	if IsCommand(text) {
		if s.Thread.State == thread.Idle {
			s.dequeue()
			s.w.tell(CommandDue{s, text})
		}
		return false
	}
	if err := s.Send(text); err != nil {
		s.paused = true
		s.Say("not sent: " + err.Error())
		return false
	}
	s.dequeue()
	return true
}

// dequeue removes the first queued prompt.
func (s *Session) dequeue() {
	text := s.queued[0]
	s.queued = slices.Clone(s.queued[1:])
	s.edit.at--
	if len(s.deferred) > 0 && s.deferred[0].text == text {
		s.deferred = s.deferred[1:]
	}
}

// sendQueued sends the first queued prompt if that is allowed now.
func (s *Session) sendQueued() {
	if s.paused || len(s.queued) == 0 || s.acp == nil || s.sending != nil || s.switching || s.Thread.State != thread.Idle {
		return
	}
	if s.acp.Running() && !s.holds() { // events will report its start and end
		return
	}
	s.sendFirst()
}

// turnEnded sends the first queued prompt after a turn that was not stopped. After a stop
// or an error the queue waits for the user, whatever turns come in between; see SubmitNext for
// the exception.
func (s *Session) turnEnded(e event.TurnEnded) {
	explains := s.explains && s.stopAsked.IsZero()
	s.stopAsked, s.explains = time.Time{}, false
	if WantsLogin(e.Err) {
		if text, ok := s.turnPrompt(); ok {
			s.refused = append(s.refused, unsent{0, text})
			s.wantLogin(e.Err)
		}
		return
	}
	s.Agent.login.ran = nil
	if s.sending != nil {
		s.sending.ended = &e
		return
	}
	if e.Err != nil || e.StopReason == "cancelled" && !explains {
		s.pauseQueue()
	}
	s.paused = s.paused && len(s.queued) > 0
	s.sendQueued()
}

// pauseQueue makes the queued prompts wait for the user.
func (s *Session) pauseQueue() {
	if s.paused = len(s.queued) > 0; s.paused {
		s.w.tell(QueuePaused{s})
	}
}

// promptFailed handles a prompt that the agent refused: it is kept until after a login or
// after the turn, or returned to the user.
func (s *Session) promptFailed(e event.PromptFailed) {
	text := s.w.images.TextOf(e.Blocks)
	if !WantsLogin(e.Err) { // the running turn belongs to another prompt
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
	case event.InterruptedByNetwork(e.Err):
		s.Lost.Interrupted.AddHeld(s.Thread, text)
		s.unconfirmed.Add(&s.Lost.Interrupted)
	case e.MidTurn && !e.Withdrawn:
		s.deferPrompt(unsent{e.Key, text})
		s.w.tell(PromptDeferred{s, e.Err})
		s.sendQueued() // the turn may have ended in the meantime
	default:
		dropped := s.dropped[e.Key] && e.Withdrawn
		delete(s.dropped, e.Key)
		s.w.tell(PromptReturned{s, e.Key, text, e.Withdrawn || e.Err == nil, dropped, e.Err})
	}
}

// unsent is a prompt that was sent and refused. Responses may arrive in any order; the
// key, which grows with every prompt, gives the order in which they were typed.
type unsent struct {
	key  uint64
	text string
}

// place inserts a prompt in the order of keys and returns its index.
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

// deferPrompt queues a prompt that the agent refused during a turn, before prompts that
// were typed later.
func (s *Session) deferPrompt(p unsent) {
	p.text = ForAgent(p.text)
	s.paused = s.paused && len(s.queued) > 0
	n := 0 // how many of them the user has left
	for n < min(len(s.deferred), len(s.queued)) && s.deferred[n].text == s.queued[n] {
		n++
	}
	var at int
	s.deferred, at = place(s.deferred[:n], p)
	s.queued = slices.Insert(slices.Clone(s.queued), at, p.text)
	if at <= s.edit.at {
		s.edit.at++
	}
}

// Withdraw asks the agent to return the newest prompt that it holds, to be dropped or
// edited. It returns false if the agent holds none.
func (s *Session) Withdraw(drop bool) bool {
	n := len(s.Thread.Held)
	if n == 0 || s.acp == nil {
		return false
	}
	key := s.Thread.Held[n-1].Key
	if drop {
		s.dropped[key] = true
	}
	s.acp.Withdraw(key)
	return true
}
