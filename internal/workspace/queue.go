package workspace

import "slices"

// Queue is the prompts that wait for the turn to end, the oldest first. It knows no session.
type Queue struct {
	texts    []string
	paused   bool     // it waits for the user, because a turn was stopped or failed, say
	deferred []unsent // the first of texts: prompts that the agent refused during a turn

	editing bool // the user edits a prompt that was taken off: it returns to its place
	at      int  // queued prompts before it
}

// Texts returns the prompts. The caller must not change them.
func (q *Queue) Texts() []string { return q.texts }

// Paused reports whether the queue waits for the user.
func (q *Queue) Paused() bool { return q.paused }

// Pause makes queued prompts wait for the user. An empty queue is not paused.
func (q *Queue) Pause() { q.paused = len(q.texts) > 0 }

// hold pauses a queue that has prompts or had one, which the user edits.
func (q *Queue) hold() { q.paused = q.paused || len(q.texts) > 0 }

// refill prepares the queue for a prompt: an empty one is not paused.
func (q *Queue) refill() { q.paused = q.paused && len(q.texts) > 0 }

// Add adds a prompt at the end.
func (q *Queue) Add(text string) {
	q.refill()
	q.texts = append(q.texts, text)
}

// PutBack puts a prompt that was not sent first, and pauses the queue.
func (q *Queue) PutBack(text string) {
	q.prepend(text)
	q.paused = true
}

// Take removes the prompt at index at for editing, and returns it.
func (q *Queue) Take(at int) string {
	q.editing, q.at = true, at
	return q.Drop(at)
}

// Drop removes the prompt at index at, and returns it.
func (q *Queue) Drop(at int) string {
	text := q.texts[at]
	q.texts = slices.Delete(slices.Clone(q.texts), at, at+1)
	return text
}

// Move moves the prompt at index at by n places, as far as there are any, and returns its new index.
func (q *Queue) Move(at, n int) int {
	to := max(0, min(at+n, len(q.texts)-1))
	q.texts = slices.Insert(slices.Delete(slices.Clone(q.texts), at, at+1), to, q.texts[at])
	return to
}

// Edited returns the place of the prompt that is being edited, false if none is.
func (q *Queue) Edited() (at int, editing bool) { return q.at, q.editing }

// Return returns text to the place of the prompt that is being edited, or adds it last if none is.
func (q *Queue) Return(text string) {
	at := len(q.texts)
	if q.editing {
		at = max(0, min(q.at, at))
	}
	q.texts = slices.Insert(slices.Clone(q.texts), at, text)
	q.EndEdit()
}

// EndEdit forgets the place of the prompt that was being edited.
func (q *Queue) EndEdit() { q.editing, q.at = false, 0 }

// prepend puts prompts first.
func (q *Queue) prepend(texts ...string) { q.texts = append(slices.Clip(texts), q.texts...) }

// next inserts a prompt that is to be sent before those at index at and after, also before one that is edited.
func (q *Queue) next(at int, text string) {
	q.refill()
	q.texts = slices.Insert(slices.Clone(q.texts), at, text)
	if at <= q.at {
		q.at++
	}
}

// dequeue removes the first prompt.
func (q *Queue) dequeue() {
	text := q.Drop(0)
	q.at--
	if len(q.deferred) > 0 && q.deferred[0].text == text {
		q.deferred = q.deferred[1:]
	}
}

// deferPrompt queues a prompt that the agent refused during a turn, before prompts that were typed later.
func (q *Queue) deferPrompt(p unsent) {
	p.text = ForAgent(p.text)
	n := 0 // how many of them the user has left
	for n < min(len(q.deferred), len(q.texts)) && q.deferred[n].text == q.texts[n] {
		n++
	}
	var at int
	q.deferred, at = place(q.deferred[:n], p)
	q.next(at, p.text)
}
