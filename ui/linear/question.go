package linear

import (
	"slices"

	"parley/acpclient/event"
	"parley/internal/workspace"
)

// asking is something that an agent waits for the user with.
type asking interface {
	// dialog asks it; of is how many wait, with this one.
	dialog(of int) *dialog
	// endedBy tells whether an event of a session is the end of it.
	endedBy(s *workspace.Session, e event.Event) bool
	// summary says in a line who asks what.
	summary() string
	// refuse settles it without the user, and says how.
	refuse() string
}

// questions are what agents wait for the user with, the oldest first.
type questions struct {
	in      *input
	out     *printer
	dialogs *dialogs
	waiting []asking
	pages   []*elicitation // that the user has opened: the agent says when it is done with them
}

func (q *questions) add(a asking) { q.waiting = append(q.waiting, a) }

func (q *questions) drop(a asking) {
	q.waiting = slices.DeleteFunc(q.waiting, func(o asking) bool { return o == a })
}

// any tells whether something waits for the user, or for a page.
func (q *questions) any() bool { return len(q.waiting)+len(q.pages) > 0 }

// next asks what waits first.
func (q *questions) next() {
	q.dialogs.open(q.waiting[0].dialog(len(q.waiting)))
	q.dialogs.now.twice, q.dialogs.stray = q.dialogs.stray != noStray, noStray
}

// refuse settles one without the user, and returns how.
func (q *questions) refuse(a asking) string {
	if q.dialogs.about(a) {
		q.dialogs.now = nil
	}
	q.drop(a)
	return a.refuse()
}

// unanswered settles one that nobody is there to answer.
func (q *questions) unanswered(a asking) {
	q.out.say("%s", a.summary())
	q.out.say("%s: there is no more input.", q.refuse(a))
}

// heard takes away what an event has ended, however it did.
func (q *questions) heard(s *workspace.Session, e event.Event) {
	q.end(func(a asking) bool { return a.endedBy(s, e) })
	if done, ok := e.(event.ElicitationCompleted); ok {
		q.pages = slices.DeleteFunc(q.pages, func(p *elicitation) bool {
			if p.asked.Key == done.Key {
				q.out.say("Page done: %s.", p.link.Host)
			}
			return p.asked.Key == done.Key
		})
	}
}

func (q *questions) end(over func(asking) bool) {
	for _, a := range slices.Clone(q.waiting) {
		if !over(a) {
			continue
		}
		q.drop(a)
		if q.dialogs.about(a) {
			q.dialogs.gone()
			q.in.show()
			q.out.say("This question is settled; it needs no answer any more.")
		}
	}
}

// agentGone takes everything away: nobody waits for it.
func (q *questions) agentGone() {
	q.end(func(asking) bool { return true })
	q.pages = nil
}

// forget drops what was asked on a connection that is replaced.
func (q *questions) forget() {
	q.waiting, q.pages = nil, nil
	if d := q.dialogs.now; d != nil && d.about != nil {
		q.dialogs.now = nil
	}
}
