package join

import (
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/thread"
	"parley/internal/workspace"
)

// prompt is a prompt of a client that has no answer yet. In version 1 the answer is the end of its turn, in version
// 2 the message that it has become.
type prompt struct {
	client *client
	id     uint64 // in the workspace
	text   string // as it appears in the thread
	state  promptState
	reply  func(any, error) // nil once it was answered
}

type promptState int

const (
	queued   promptState = iota // in the queue of the session
	handed                      // the agent has got it
	inserted                    // it is in the thread
)

// answer answers the prompt, once.
func (p *prompt) answer(result any, err error) {
	if p.reply != nil {
		reply := p.reply
		p.reply = nil
		reply(result, err)
	}
}

// stopped answers a prompt that was taken off the queue.
func (p *prompt) stopped() {
	if p.client.dialect.version >= 2 {
		p.answer(nil, jsonrpc.ErrRequestCancelled)
		return
	}
	p.answer(object{"stopReason": "cancelled"}, nil)
}

// maxQueue is how many prompts may be queued for a client to queue another one.
const maxQueue = 200

// submit sends or queues the prompt of a client, as the user does at the screen.
func (f *feed) submit(c *client, text string, r *request) {
	if f.session.Prompts.Queue.Len() >= maxQueue {
		r.answer(nil, jsonrpc.Errorf(jsonrpc.CodeInternalError, "%d prompts are queued", maxQueue))
		return
	}
	c.hub.prompts++
	p := &prompt{client: c, id: c.hub.prompts, text: plain(text), reply: r.answer}
	f.prompts = append(f.prompts, p)
	if err := f.session.Prompts.SubmitOf(workspace.Prompt{Text: workspace.ForAgent(text), ID: p.id}); err != nil {
		f.remove(p)
		p.answer(nil, failure(err))
		return
	}
	r.cancelled = func() { f.withdraw(p) }
	if f.session.Prompts.Queue.Index(p.id) < 0 {
		f.session.Say(c.label() + " sent a prompt")
		return
	}
	f.session.Say(c.label() + " queued a prompt")
	if why := f.waiting(); c.dialect.notices {
		c.send(encode(f.id, notice("info", "Your prompt is queued", why)))
	}
}

// waiting says what a queued prompt waits for.
func (f *feed) waiting() string {
	switch {
	case f.session.Prompts.Queue.Paused():
		return "The queue is paused: it continues on parley's screen"
	case f.session.Thread.State == thread.Waiting:
		return "The running turn waits for an answer"
	case f.session.Busy():
		return "A turn is running"
	case f.session.Thread.State == thread.Ended:
		return "The agent is not connected"
	}
	return "Other prompts come first"
}

func (f *feed) remove(p *prompt) {
	f.prompts = slices.DeleteFunc(f.prompts, func(o *prompt) bool { return o == p })
}

// unqueue takes a prompt back that was not sent yet; false if it was.
func (f *feed) unqueue(p *prompt) bool {
	if !f.session.Prompts.TakeBack(p.id) {
		return false
	}
	f.remove(p)
	return true
}

// withdraw takes back a prompt whose request was cancelled: off the queue or, in version 1, by stopping its turn.
func (f *feed) withdraw(p *prompt) {
	if p.reply == nil {
		return
	}
	if f.unqueue(p) {
		p.answer(nil, jsonrpc.ErrRequestCancelled)
		return
	}
	if p.client.dialect.version < 2 {
		f.stop(p.client)
	}
}

// cancel carries out session/cancel: it stops the turn, and takes the client's own prompts off the queue.
func (f *feed) cancel(c *client) {
	for _, p := range slices.Clone(f.prompts) {
		if p.client == c && f.unqueue(p) {
			p.stopped()
		}
	}
	f.stop(c)
}

// stop stops the turn. It never ends the agent, as stopping again at the screen does.
func (f *feed) stop(c *client) {
	if (f.session.Busy() || f.session.Running()) && f.session.Thread.State != thread.Cancelling {
		f.session.Say("Stopped by " + c.label())
		f.session.Stop()
	}
}

// prompt returns the prompt with an id, nil if it is not one of a client's that has no answer yet.
func (f *feed) prompt(id uint64) *prompt {
	i := slices.IndexFunc(f.prompts, func(p *prompt) bool { return p.id == id })
	if i < 0 {
		return nil
	}
	return f.prompts[i]
}

// promptNews follows the prompts of clients through the workspace.
func (f *feed) promptNews(n workspace.News) {
	switch n := n.(type) {
	case workspace.PromptSent:
		if p := f.prompt(n.ID); p != nil {
			p.state = handed
		}
	case workspace.PromptNotSent:
		f.failed(n.ID, n.Err)
	case workspace.PromptReturned:
		if n.Withdrawn {
			n.Err = nil
		}
		f.failed(n.ID, n.Err)
	case workspace.PromptDeferred: // it is in the queue again
		for _, p := range f.prompts {
			if p.state == handed && f.session.Prompts.Queue.Index(p.id) >= 0 {
				p.state = queued
			}
		}
	case workspace.EventApplied:
		for _, i := range n.Items {
			if it := f.session.Thread.Items[i]; it.Kind == thread.UserMessage && len(it.Text) > 0 {
				f.becameItem(it)
			}
		}
	}
}

// failed answers a prompt that the agent has refused, or that was taken back.
func (f *feed) failed(id uint64, err error) {
	p := f.prompt(id)
	if p == nil {
		return
	}
	f.remove(p)
	if err == nil {
		p.stopped()
	} else {
		p.answer(nil, failure(err))
	}
}

// becameItem finds the prompt that a message of the user's is.
func (f *feed) becameItem(it *thread.Item) {
	if f.authors[it.Index] != nil {
		return
	}
	text := strings.TrimSpace(string(it.Text))
	for _, p := range f.prompts {
		if p.state == inserted || text != p.text && (p.text == "" || !strings.HasSuffix(text, p.text)) {
			continue
		}
		if f.session.Prompts.Queue.Index(p.id) >= 0 { // the same words of another
			continue
		}
		p.state = inserted
		f.learn()
		if p.client.dialect.version >= 2 {
			f.authors[it.Index] = &client{} // known, and everybody gets it
			f.remove(p)
			p.answer(object{"messageId": f.items[it.Index].id}, nil)
			return
		}
		f.authors[it.Index] = p.client
		return
	}
}

// turnEnded answers the prompts of a turn that has ended.
func (f *feed) turnEnded(e event.TurnEnded) {
	for _, p := range slices.Clone(f.prompts) {
		held := slices.ContainsFunc(f.session.Thread.Held, func(h thread.HeldPrompt) bool { return strings.TrimSpace(h.Text) == p.text })
		if p.state == queued || p.state == handed && held {
			continue
		}
		f.remove(p)
		switch {
		case p.client.dialect.version >= 2 && e.Err == nil: // it has become part of another message
			p.answer(object{"messageId": f.lastPrompt()}, nil)
		case e.Err != nil:
			p.answer(nil, failure(e.Err))
		default:
			p.answer(object{"stopReason": stopReason(e.StopReason)}, nil)
		}
	}
}

// lastPrompt returns the id of the last message of the user's.
func (f *feed) lastPrompt() string {
	f.learn()
	for i, it := range slices.Backward(f.thread.Items) {
		if it.Kind == thread.UserMessage {
			return f.items[i].id
		}
	}
	return "none"
}

// lost answers the prompts that the agent had got when the connection to it was lost. Queued ones wait.
func (f *feed) lost(err error) {
	if err == nil {
		err = event.ErrClosed
	}
	for _, p := range slices.Clone(f.prompts) {
		if p.state != queued {
			f.remove(p)
			p.answer(nil, failure(err))
		}
	}
}

// dropped answers the prompts that the user has taken off the queue.
func (f *feed) dropped() {
	if _, editing := f.session.Prompts.Queue.Edited(); editing || len(f.prompts) == 0 {
		return
	}
	for _, p := range slices.Clone(f.prompts) {
		if p.state == queued && !f.session.Prompts.Has(p.id) {
			f.remove(p)
			p.stopped()
		}
	}
}

// forget drops the prompts of a client that has left. What it sent stays where it is.
func (f *feed) forget(c *client) {
	f.prompts = slices.DeleteFunc(f.prompts, func(p *prompt) bool { return p.client == c })
	for i, author := range f.authors {
		if author == c {
			delete(f.authors, i)
		}
	}
}

// close answers what is open of a session that was removed.
func (f *feed) close() {
	for _, p := range f.prompts {
		p.answer(nil, jsonrpc.Errorf(jsonrpc.CodeResourceNotFound, "The session was closed").WithData(map[string]string{"sessionId": f.id}))
	}
	f.prompts = nil
	for _, r := range f.joining {
		r.joined()
	}
}
