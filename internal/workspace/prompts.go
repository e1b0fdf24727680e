package workspace

import (
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
	"parley/internal/carried"
)

// readPatience bounds reading the files of a prompt.
const readPatience = 10 * time.Second

var errTooSlow = fmt.Errorf("it took longer than %.0f s", readPatience.Seconds())

// Reasons why a prompt cannot be sent.
var (
	ErrNotOpen = errors.New("the session is not open yet")
	ErrReading = errors.New("still reading the files of the previous prompt")
)

// Prompts sends the prompts of a session, one after the other, and has those that wait or that the user may
// have to send again. The session tells it when a turn has ended.
type Prompts struct {
	Queue       Queue
	Carried     carried.Blocks     // what goes with the next prompt: output of the user's commands, the conversation that a fork continues
	Unconfirmed UnconfirmedPrompts // prompts that may not have arrived: the user may send them again

	Steering []Prompt // those that are being put into the running turn

	s         *Session
	sending   *sending        // the prompt whose files are being read
	refused   []unsent        // prompts that the agent refused for want of a login
	last      Prompt          // the last prompt sent, with what was carried
	dropped   map[uint64]bool // held prompts to drop when the agent returns them
	explains  bool            // the first queued prompt says why something was rejected
	replaces  bool            // the turn was stopped for the first queued prompt
	switching bool            // the mode is being set for the next prompt

	limited limited
}

// sending is a prompt whose files are read before it is sent. Until then no other prompt
// of the session is sent, so that they keep their order. The task and the user decide by
// state whether it is sent or given up.
type sending struct {
	prompt  Prompt
	carried []string
	whole   Prompt // both
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
func (p *Prompts) Reading() (text string, ok bool) {
	if p.sending == nil {
		return "", false
	}
	return p.sending.prompt.Text, true
}

// Pending returns the prompts that the user may still need: those queued, being sent or refused, and the
// last one.
func (p *Prompts) Pending() []string { return texts(p.pending()) }

// Has reports whether the prompt with an ID is one of the pending ones.
func (p *Prompts) Has(id uint64) bool {
	return slices.ContainsFunc(p.pending(), func(o Prompt) bool { return o.ID == id })
}

func (p *Prompts) pending() []Prompt {
	all := slices.Concat(p.Queue.prompts, prompts(p.refused), p.Steering)
	if p.sending != nil {
		all = append(all, p.sending.prompt)
	}
	return append(all, p.last)
}

// holds reports whether the agent accepts prompts during a turn (version 2).
func (p *Prompts) holds() bool {
	conn := p.s.Agent.conn
	return conn != nil && conn.Client.Agent().ProtocolVersion >= 2
}

// Ready reports whether a prompt can be sent now: between turns, or during one to an agent of version 2,
// which holds it.
func (p *Prompts) Ready() bool {
	open := p.s.acp
	if open == nil || p.sending != nil || p.switching || len(p.Queue.prompts) > 0 && p.s.Busy() {
		return false
	}
	switch p.s.Thread.State {
	case thread.Idle:
		return !open.Running() || p.holds()
	case thread.Running, thread.Waiting:
		return p.holds()
	}
	return false
}

// Submit sends a prompt that the user typed, or queues it if none can be sent now or hold
// is set. A prompt that was taken off the queue for editing returns to its place, and
// those before it are sent first.
func (p *Prompts) Submit(text string, hold bool) error {
	q, now := &p.Queue, !hold && p.Ready()
	switch {
	case q.editing && (!now || q.at > 0):
		q.Return(text)
		if now {
			p.Resume()
		}
		return nil
	case !now:
		q.Add(text)
		return nil
	case q.editing: // it is the first of the queue
		q.paused = false
	}
	prompt := q.typed(text)
	q.EndEdit()
	return p.send(prompt)
}

// SubmitOf is like Submit for a prompt of a client that has joined. One that the user has taken off the queue keeps
// its place.
func (p *Prompts) SubmitOf(prompt Prompt) error {
	q := &p.Queue
	if len(q.prompts) > 0 && !q.paused || !p.Ready() {
		q.add(prompt)
		return nil
	}
	return p.send(prompt)
}

// SubmitNext sends a prompt that explains a rejection, or queues it before all others if none can be
// sent now. Some agents cancel their turn after a rejection; the prompt is sent then, too, unless the
// user has stopped the turn.
func (p *Prompts) SubmitNext(text string) error { return p.submitNext(Prompt{Text: text}) }

func (p *Prompts) submitNext(prompt Prompt) error {
	if p.Ready() {
		return p.send(prompt)
	}
	p.Queue.next(0, prompt)
	p.explains = true
	return nil
}

// Resume lets queued prompts be sent, the first one now if possible.
func (p *Prompts) Resume() {
	p.Queue.paused, p.limited.resumes = false, time.Time{}
	p.sendQueued()
}

// Send sends a prompt now, a command of the agent's without its prefix. It does not block: if files must
// be read first, a task reads them and sends it.
func (p *Prompts) Send(text string) error { return p.send(Prompt{Text: text}) }

func (p *Prompts) send(prompt Prompt) error {
	open := p.s.acp
	switch {
	case open == nil:
		return ErrNotOpen
	case p.sending != nil:
		return ErrReading
	}
	sent := Prompt{prompt.sent(), prompt.ID}
	whole := Prompt{strings.Join(p.Carried, "") + sent.Text, prompt.ID}
	if blocks := p.expand(sent); blocks != nil {
		p.refused = nil
		p.sendExpanded(prompt, whole, blocks)
		return nil
	}
	out := PromptSent{OfSession{p.s}, prompt, nil, open.Running(), p.s.Agent.Log.Total()}
	if err := open.Prompt(append(textBlocks(p.Carried), event.Block{Text: sent.Text, ID: sent.ID})...); err != nil {
		return err
	}
	p.last, p.refused, p.Carried = whole, nil, nil
	p.s.prompted(out)
	return nil
}

func textBlocks(texts []string) (out []event.Block) {
	for _, text := range texts {
		out = append(out, event.Block{Text: text})
	}
	return out
}

// expand returns a function that reads the files and images of a prompt, nil if it is plain text.
func (p *Prompts) expand(prompt Prompt) func(context.Context) ([]event.Block, []string) {
	conn := p.s.Agent.conn
	if conn == nil {
		return nil
	}
	to := attach.Recipient{Agent: conn.Client.Agent(), Roots: p.s.Roots()}
	if spec := p.s.Agent.Spec; spec.Remote && !spec.Shared {
		to.Withheld = func() { p.s.sayOnce("This agent runs elsewhere and gets no files: @ stays text") }
	}
	read := p.s.w.opts.ReadFile
	if prompt.ID != 0 {
		read = nil
	}
	return p.s.w.images.Expand(prompt.Text, read, to)
}

// sendExpanded reads the files that a prompt mentions, then sends it.
func (p *Prompts) sendExpanded(prompt, whole Prompt, expand func(context.Context) ([]event.Block, []string)) {
	ctx, cancel := context.WithTimeoutCause(p.s.w.conns.ctx, readPatience, errTooSlow)
	out := &sending{prompt: prompt, carried: p.Carried, whole: whole, queued: len(p.Queue.prompts), cancel: cancel}
	p.sending, p.Carried = out, nil
	open, held := p.s.acp, p.s.acp.Running()
	p.s.w.begin(func() Result {
		defer cancel()
		blocks, notes := expand(ctx)
		if !out.state.CompareAndSwap(reading, goingOut) {
			return nil
		}
		for i := range blocks {
			blocks[i].ID = prompt.ID
		}
		n := PromptSent{OfSession{p.s}, prompt, notes, held, p.s.Agent.Log.Total()}
		err := open.Prompt(append(textBlocks(out.carried), blocks...)...)
		return after(func() { p.sent(out, n, err) })
	})
}

// turnPrompt returns the prompt of the last turn, as it was typed, with what was carried; false if the agent has
// accepted none: then the response to the prompt decides.
func (p *Prompts) turnPrompt() (Prompt, bool) {
	last := p.last
	if out := p.sending; out != nil && out.state.Load() == goingOut {
		last = out.whole
	}
	if !p.holds() {
		return last, true
	}
	t := p.s.Thread
	for _, it := range slices.Backward(t.Items) {
		if it.Turn != t.Turn {
			break
		}
		if text := string(it.Text); it.Kind == thread.UserMessage {
			if last.Text == "" || !strings.HasPrefix(text, last.Text) { // it belongs to another prompt
				return Prompt{text, notTyped}, true
			}
			return last, true
		}
	}
	return Prompt{}, false
}

// sent records that a prompt was sent, or why not.
func (p *Prompts) sent(out *sending, n PromptSent, err error) {
	w := p.s.w
	if p.sending != out || !w.has(p.s) {
		return
	}
	p.sending = nil
	if err != nil {
		p.Carried.Return(out.carried)
		w.tell(PromptNotSent{OfSession{p.s}, out.prompt, err})
		return
	}
	p.last = out.whole
	p.s.prompted(n)
	// Prompts submitted in the meantime can be sent to an agent that accepts them now.
	for q := &p.Queue; p.sending == nil && !q.paused && out.queued == 0 && len(q.prompts) > 0 && p.holds() && p.s.acp != nil; {
		if !p.sendFirst() {
			break
		}
	}
	if out.ended != nil && p.sending == nil {
		p.turnEnded(*out.ended)
	}
}

// StopSending takes back the prompt whose files are being read, and returns what the user has typed of it; false if
// there is none. The queue after it is paused.
func (p *Prompts) StopSending() (text string, ok bool) {
	prompt, ok := p.takeBack()
	if ok && !p.Queue.paused {
		p.pause()
	}
	if prompt.OfClient() {
		prompt.Text = ""
	}
	return prompt.Text, ok
}

// takeBack takes back the prompt whose files are being read.
func (p *Prompts) takeBack() (prompt Prompt, ok bool) {
	out := p.sending
	if out == nil || !out.giveUp() {
		return prompt, false
	}
	p.sending = nil
	p.Carried.Return(out.carried)
	return out.prompt, true
}

// requeue puts the prompt whose files are being read first in the queue.
func (p *Prompts) requeue() {
	if prompt, ok := p.takeBack(); ok {
		p.Queue.prepend(prompt)
	}
}

// requeueRefused puts the prompts that were refused for want of a login first in the
// queue; false if there are none.
func (p *Prompts) requeueRefused() bool {
	if len(p.refused) == 0 {
		return false
	}
	refused := prompts(p.refused)
	for i := range refused {
		refused[i].Text = ForAgent(refused[i].Text)
	}
	p.Queue.prepend(refused...)
	p.refused, p.Queue.paused = nil, false
	return true
}

// sendFirst sends the first queued prompt; false if no other may follow now. A command is left to the
// front end between turns.
func (p *Prompts) sendFirst() bool {
	first := p.Queue.prompts[0]
	if IsCommand(first.Text) {
		if p.s.Thread.State == thread.Idle {
			p.Queue.dequeue()
			p.s.w.tell(CommandDue{OfSession{p.s}, first.Text})
		}
		return false
	}
	if err := p.send(first); err != nil {
		p.Queue.paused = true
		p.s.Say("Not sent: " + err.Error())
		return false
	}
	p.Queue.dequeue()
	return true
}

// sendQueued sends the first queued prompt if that is allowed now.
func (p *Prompts) sendQueued() {
	open := p.s.acp
	if p.Queue.paused || len(p.Queue.prompts) == 0 || open == nil || p.sending != nil || p.switching || p.s.Thread.State != thread.Idle {
		return
	}
	if open.Running() && !p.holds() { // events will report its start and end
		return
	}
	p.sendFirst()
}

// turnEnded sends the first queued prompt after a turn that was not stopped. After a stop
// or an error the queue waits for the user, whatever turns come in between; see SubmitNext for
// the exception.
func (p *Prompts) turnEnded(e event.TurnEnded) {
	stopped := !p.s.stopAsked.IsZero()
	follows := p.explains && !stopped || p.replaces
	p.s.stopAsked, p.explains, p.replaces = time.Time{}, false, false
	if WantsLogin(e.Err) {
		if prompt, ok := p.turnPrompt(); ok {
			p.refused = append(p.refused, unsent{0, prompt})
			p.wantLogin(e.Err)
		}
		return
	}
	p.s.Agent.Login.ran = nil
	if p.sending != nil {
		p.sending.ended = &e
		return
	}
	if !stopped && p.stoppedByLimit(e) {
		return
	}
	if e.Err != nil || e.StopReason == "cancelled" && !follows {
		p.pause()
	}
	p.Queue.refill()
	p.sendQueued()
}

// pause makes the queued prompts wait for the user, and says so.
func (p *Prompts) pause() {
	if p.Queue.Pause(); p.Queue.paused {
		p.s.w.tell(QueuePaused{OfSession{p.s}})
	}
}

// failed handles a prompt that the agent refused: it is kept until after a login or
// after the turn, or returned to the user.
func (p *Prompts) failed(e event.PromptFailed) {
	prompt := Prompt{Text: p.s.w.images.TextOf(e.Blocks)}
	if n := len(e.Blocks); n > 0 {
		prompt.ID = e.Blocks[n-1].ID
	}
	if !WantsLogin(e.Err) { // the running turn belongs to another prompt
		if p.last == prompt {
			p.last = Prompt{}
		}
		if out := p.sending; out != nil && out.whole == prompt {
			out.whole = Prompt{}
		}
	}
	switch {
	case WantsLogin(e.Err):
		p.refused, _ = place(p.refused, unsent{e.Key, prompt})
		p.wantLogin(e.Err)
	case event.InterruptedByNetwork(e.Err):
		p.s.Lost.Interrupted.AddHeld(p.s.Thread, prompt)
		p.Unconfirmed.Add(&p.s.Lost.Interrupted)
	case e.MidTurn && !e.Withdrawn:
		p.Queue.deferPrompt(unsent{e.Key, prompt})
		p.s.w.tell(PromptDeferred{OfSession{p.s}, e.Err})
		p.sendQueued() // the turn may have ended in the meantime
	default:
		if prompt.OfClient() {
			prompt.Text = p.uncarried(e.Blocks)
		}
		dropped := p.dropped[e.Key] && e.Withdrawn
		delete(p.dropped, e.Key)
		p.s.w.tell(PromptReturned{OfSession{p.s}, e.Key, prompt, e.Withdrawn || e.Err == nil, dropped, e.Err})
	}
}

// wantLogin asks the user for a login because a prompt was refused. If the agent offers no login, the
// prompt waits in the queue.
func (p *Prompts) wantLogin(why error) {
	if len(p.s.Agent.Login.Methods()) > 0 {
		p.s.Agent.Login.want(p.s, why)
		return
	}
	for _, u := range p.refused {
		p.Queue.deferPrompt(u)
	}
	p.refused = nil
	p.pause()
	p.s.Apply(event.NoticeArrived{For: event.For{Session: p.s.Thread.Session}, Severity: "warning", Title: NoLogin})
}

// Withdraw asks the agent to return the newest prompt that it holds, to be dropped or
// edited. It returns false if the agent holds none.
func (p *Prompts) Withdraw(drop bool) bool {
	n := len(p.s.Thread.Held)
	if n == 0 || p.s.acp == nil {
		return false
	}
	key := p.s.Thread.Held[n-1].Key
	if drop {
		p.dropped[key] = true
	}
	p.s.acp.Withdraw(key)
	return true
}

// Adopt puts the prompts that wait in a session that was removed before those that wait in this one.
func (p *Prompts) Adopt(removed *Prompts) {
	p.Queue.prepend(removed.Queue.prompts...)
	p.Queue.paused = p.Queue.paused || removed.Queue.paused
	p.Unconfirmed = append(slices.Clip(removed.Unconfirmed), p.Unconfirmed...)
}

// offerHeld offers the prompts that the agent holds, if no event will report their fate.
func (p *Prompts) offerHeld() {
	var cut InterruptedTurn
	for _, held := range p.s.Thread.Held {
		cut.AddHeld(p.s.Thread, Prompt{held.Text, notTyped})
	}
	p.Unconfirmed.Add(&cut)
}
