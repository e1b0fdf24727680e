// Package question shows what an agent asks of the user and takes the answer: permission
// questions, one at a time, and forms and pages of elicitation.
//
// Drawing writes nothing. Rows come with what they show ([Shown]), and whoever draws them
// hands that back after the frame: only then has something been on the screen, and only
// what has been there can be allowed.
//
// All of it runs on the goroutine of the screen, but for what says otherwise.
package question

import (
	tea "charm.land/bubbletea/v2"

	"parley/permissions"
	"parley/ui/layer"
)

// Host is what questions need of the page that they are on.
type Host interface {
	Agent() string    // its name
	Answers() Answers // where an answer goes
	Around() Around
	Say(text string) tea.Cmd
	ClosePopup() // which would lie over the question
	// Hide has the transcript leave out what the questions show: tool calls by their ids,
	// and what parley itself asks about by the command or the path.
	Hide(tools, subjects []string)
	// OfferRules lets the user choose a rule that would have answered the question; read
	// tells whether all of it was.
	OfferRules(cur permissions.Question, read bool) tea.Cmd
	// EditWrite opens the text that a question is to write in the user's editor; false
	// where there is none. Edited or NotEdited ends it.
	EditWrite(cur permissions.Question, text string) (tea.Cmd, bool)
}

// Answers take what the user has decided; a *permissions.Broker does.
type Answers interface {
	Answer(key uint64, option string) error
	AnswerWith(key uint64, option, text string) error
	AnswerAttended(key uint64, option string) error
	Reject(key uint64) error
}

// Question shows the questions that wait, one at a time, and lets the user answer with a
// deliberate key. An option that allows something works only after all of the question
// has been on the screen.
type Question struct {
	env  *layer.Env
	host Host

	queue
	hold
	sight
	pressed insisted
	details bool
	full    bool   // it has the screen and the keys
	note    string // about the last key
	made    writes

	diffs diffs
	drawn body
}

// New returns one without a question.
func New(env *layer.Env, host Host) *Question {
	return &Question{env: env, host: host, made: writes{}}
}

// Afresh returns the same question, on another page, of which nothing is kept that was
// drawn.
func (q *Question) Afresh(env *layer.Env, host Host) *Question {
	c := *q
	c.env, c.host, c.diffs, c.drawn = env, host, diffs{}, body{}
	c.hide()
	return &c
}

// Add takes a question that waits.
func (q *Question) Add(n permissions.Question) {
	q.waiting = append(q.waiting, n)
	if len(q.waiting) == 1 {
		q.Turn()
	}
	q.hide()
}

// Remove drops a question that was settled, by whomever.
func (q *Question) Remove(key uint64) {
	dropped, another := q.drop(key)
	if !dropped {
		return
	}
	delete(q.made, key)
	if another {
		q.Turn()
	}
	q.hide()
}

// Clear drops all of them.
func (q *Question) Clear() {
	q.queue = queue{}
	clear(q.made)
	q.Turn()
	q.hide()
}

func (q *Question) hide() { q.host.Hide(q.subjects()) }

// Turn shows the current question afresh: it has to be read and given the keys.
func (q *Question) Turn() {
	q.hold.afresh()
	q.sight, q.pressed = sight{}, insisted{}
	q.details, q.full, q.note = false, false, ""
}

// Open tells whether a question waits.
func (q *Question) Open() bool { return len(q.waiting) > 0 }

// Find returns the question that waits with this key.
func (q *Question) Find(key uint64) (permissions.Question, bool) { return q.find(key) }

// Len is how many wait.
func (q *Question) Len() int { return len(q.waiting) }

// Current is the question on the screen; false where there is none.
func (q *Question) Current() (permissions.Question, bool) {
	if !q.Open() {
		return permissions.Question{}, false
	}
	return q.now(), true
}

// Full tells whether it has the screen to itself.
func (q *Question) Full() bool { return q.Open() && q.full }

// Appeared tells whether the current question has been on the screen.
func (q *Question) Appeared() bool { return q.Open() && !q.shownAt.IsZero() }

// Read tells whether all of the current question has been on the screen.
func (q *Question) Read() bool { return q.read }

// OnScreen are the first row of the question's body on the screen, and the one after the
// last.
func (q *Question) OnScreen() (from, to int) { return q.offset, q.offset + q.page }

// Writes is the text that the current question writes, and what is left of it without the
// hunks that are refused.
func (q *Question) Writes() (whole, left string) {
	if w := q.written(); w != nil {
		left, _ = w.left()
		return w.text, left
	}
	if cur, ok := q.Current(); ok && cur.Change != nil {
		return cur.Change.New, cur.Change.New
	}
	return "", ""
}

// Deafen drops keys for a while: they were typed for something else.
func (q *Question) Deafen() { q.deaf = q.env.Now().Add(layer.Quiet) }

// Grab gives the question the keys, if the user can see it, and tells whether it did.
func (q *Question) Grab() bool {
	if !q.Appeared() || q.grabbed || q.host.Around().Covered {
		return false
	}
	q.grab(q.env.Now())
	q.host.ClosePopup()
	return true
}

// Release takes the keys from it.
func (q *Question) Release() { q.grabbed = false }

// written is what the user makes of the current question's write; nil where that is what
// was asked.
func (q *Question) written() *write {
	if !q.Open() {
		return nil
	}
	return q.made[q.now().Key]
}

// Edited takes the text that the user has made of a write. It is a change to be read like
// any other.
func (q *Question) Edited(e Edited) {
	w := q.made[e.key]
	if w == nil {
		return
	}
	w.edited(e.text, e.diff)
	if q.now().Key == e.key {
		q.read = false
		q.grab(q.env.Now())
		q.redrawn()
	}
}

// NotEdited ends editing the write of a question, which stays as it was.
func (q *Question) NotEdited(key uint64) {
	if w := q.made[key]; w != nil {
		w.editing = false
	}
}

// redrawn has the body drawn with other rows. Rows that were not read must not slip away
// above.
func (q *Question) redrawn() {
	q.drawn = body{}
	if !q.read {
		q.sight = q.sight.unseen()
	}
}
