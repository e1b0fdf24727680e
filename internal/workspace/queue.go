package workspace

import (
	"slices"
	"strings"

	"parley/acpclient/event"
)

// Prompt is a prompt that waits or was sent.
type Prompt struct {
	Text string
	// ID is that of a prompt of a client that has joined, in which an @ names no file. It is 0 if the user has
	// typed or edited the prompt.
	ID uint64
}

// OfClient reports whether a prompt is a client's. It is no draft of the user's, and not in the history.
func (p Prompt) OfClient() bool { return p.ID != 0 && p.ID != notTyped }

// sent returns what is sent for a prompt. A space that ForAgent has put before a client's is not.
func (p Prompt) sent() string {
	if p.ID != 0 && strings.HasPrefix(p.Text, " !") {
		return p.Text[1:]
	}
	return sentText(p.Text)
}

// notTyped is the ID of a prompt whose text is what the agent says the user's prompt was.
const notTyped = ^uint64(0)

// Queue is the prompts that wait for the turn to end, the oldest first. It knows no session.
type Queue struct {
	prompts  []Prompt
	paused   bool     // it waits for the user, because a turn was stopped or failed, say
	deferred []unsent // the first of prompts: prompts that the agent refused during a turn

	editing bool   // the user edits a prompt that was taken off: it returns to its place
	at      int    // queued prompts before it
	edited  Prompt // as it was
}

// Len returns the number of prompts.
func (q *Queue) Len() int { return len(q.prompts) }

// Texts returns the texts of the prompts.
func (q *Queue) Texts() []string { return texts(q.prompts) }

// Typed returns the texts of the prompts but those of clients.
func (q *Queue) Typed() []string {
	return texts(slices.DeleteFunc(slices.Clone(q.prompts), Prompt.OfClient))
}

func texts(all []Prompt) (out []string) {
	for _, p := range all {
		out = append(out, p.Text)
	}
	return out
}

// Index returns the place of the prompt with an ID, -1 if it does not wait.
func (q *Queue) Index(id uint64) int {
	return slices.IndexFunc(q.prompts, func(p Prompt) bool { return p.ID == id })
}

// Paused reports whether the queue waits for the user.
func (q *Queue) Paused() bool { return q.paused }

// Pause makes queued prompts wait for the user. An empty queue is not paused.
func (q *Queue) Pause() { q.paused = len(q.prompts) > 0 }

// hold pauses a queue that has prompts or had one, which the user edits.
func (q *Queue) hold() { q.paused = q.paused || len(q.prompts) > 0 }

// refill prepares the queue for a prompt: an empty one is not paused.
func (q *Queue) refill() { q.paused = q.paused && len(q.prompts) > 0 }

// Add adds a prompt of the user's at the end.
func (q *Queue) Add(text string) { q.add(Prompt{Text: text}) }

func (q *Queue) add(p Prompt) {
	q.refill()
	q.prompts = append(q.prompts, p)
}

// PutBack puts a prompt that was not sent first, and pauses the queue.
func (q *Queue) PutBack(p Prompt) {
	q.prepend(p)
	q.paused = true
}

// Take removes the prompt at index at for editing, and returns its text.
func (q *Queue) Take(at int) string {
	q.editing, q.at, q.edited = true, at, q.Drop(at)
	return q.edited.Text
}

// Drop removes the prompt at index at, and returns it.
func (q *Queue) Drop(at int) Prompt {
	p := q.prompts[at]
	q.prompts = slices.Delete(slices.Clone(q.prompts), at, at+1)
	return p
}

// Move moves the prompt at index at by n places, as far as there are any, and returns its new index.
func (q *Queue) Move(at, n int) int {
	to := max(0, min(at+n, len(q.prompts)-1))
	q.prompts = slices.Insert(slices.Delete(slices.Clone(q.prompts), at, at+1), to, q.prompts[at])
	return to
}

// Edited returns the place of the prompt that is being edited, false if none is.
func (q *Queue) Edited() (at int, editing bool) { return q.at, q.editing }

// Return returns text to the place of the prompt that is being edited, or adds it last if none is.
func (q *Queue) Return(text string) {
	at := len(q.prompts)
	if q.editing {
		at = max(0, min(q.at, at))
	}
	q.prompts = slices.Insert(slices.Clone(q.prompts), at, q.typed(text))
	q.EndEdit()
}

// EndEdit forgets the place of the prompt that was being edited.
func (q *Queue) EndEdit() { q.editing, q.at, q.edited = false, 0, Prompt{} }

// typed returns the prompt that the user submits: the one that was taken off for editing, if its text is as it was.
func (q *Queue) typed(text string) Prompt {
	if q.editing && text == q.edited.Text {
		return q.edited
	}
	return Prompt{Text: text}
}

// EditsClients reports whether a text that the user submits is a client's prompt, unchanged.
func (q *Queue) EditsClients(text string) bool { return q.typed(text).OfClient() }

// prepend puts prompts first.
func (q *Queue) prepend(all ...Prompt) { q.prompts = append(slices.Clip(all), q.prompts...) }

// next inserts a prompt that is to be sent before those at index at and after, also before one that is edited.
func (q *Queue) next(at int, p Prompt) {
	q.refill()
	q.prompts = slices.Insert(slices.Clone(q.prompts), at, p)
	if at <= q.at {
		q.at++
	}
}

// dequeue removes the first prompt.
func (q *Queue) dequeue() {
	p := q.Drop(0)
	q.at--
	if len(q.deferred) > 0 && q.deferred[0].Prompt == p {
		q.deferred = q.deferred[1:]
	}
}

// deferPrompt queues a prompt that the agent refused during a turn, before prompts that were typed later.
func (q *Queue) deferPrompt(p unsent) {
	p.Text = ForAgent(p.Text)
	n := 0 // how many of them the user has left
	for n < min(len(q.deferred), len(q.prompts)) && q.deferred[n].Prompt == q.prompts[n] {
		n++
	}
	var at int
	q.deferred, at = place(q.deferred[:n], p)
	q.next(at, p.Prompt)
}

// TakeBack drops the prompt with an ID if it was not sent yet; false if it was.
func (p *Prompts) TakeBack(id uint64) bool {
	if at := p.Queue.Index(id); at >= 0 {
		p.Queue.Drop(at)
		return true
	}
	if p.sending == nil || p.sending.prompt.ID != id {
		return false
	}
	_, ok := p.takeBack()
	p.sendQueued()
	return ok
}

// uncarried returns the text of a client's prompt. What it carried is the user's, and goes with the next prompt.
func (p *Prompts) uncarried(blocks []event.Block) string {
	var took []string
	for len(blocks) > 0 && blocks[0].ID == 0 {
		took, blocks = append(took, blocks[0].Text), blocks[1:]
	}
	p.Carried.Return(took)
	return p.s.w.images.TextOf(blocks)
}

// unsent is a prompt that was sent and refused. Responses may arrive in any order; the
// key, which grows with every prompt, gives the order in which they were typed.
type unsent struct {
	key uint64
	Prompt
}

// place inserts a prompt in the order of keys and returns its index.
func place(list []unsent, p unsent) ([]unsent, int) {
	i := len(list)
	for i > 0 && list[i-1].key > p.key {
		i--
	}
	return slices.Insert(slices.Clone(list), i, p), i
}

func prompts(list []unsent) (out []Prompt) {
	for _, p := range list {
		out = append(out, p.Prompt)
	}
	return out
}
