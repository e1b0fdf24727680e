package linear

import (
	"slices"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/linear/plain"
	"parley/ui/widget/diff"
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
	q.dialogs.close(a)
	q.drop(a)
	return a.refuse()
}

// unanswered settles one that nobody is there to answer.
func (q *questions) unanswered(a asking) {
	q.dialogs.out.say("%s", a.summary())
	q.dialogs.out.say("%s: the input has ended.", q.refuse(a))
}

// heard takes away what an event has ended, however it did.
func (q *questions) heard(s *workspace.Session, e event.Event) {
	q.end(func(a asking) bool { return a.endedBy(s, e) })
	if done, ok := e.(event.ElicitationCompleted); ok {
		q.pages = slices.DeleteFunc(q.pages, func(p *elicitation) bool {
			if p.asked.Key == done.Key {
				q.dialogs.out.say("Page done: %s.", p.link.Host)
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
		if d := q.dialogs.close(a); d != nil {
			if q.dialogs.stray = strayAnswer; d.take != nil {
				q.dialogs.stray = strayField
			}
			q.in.show()
			q.dialogs.out.say("This question no longer needs an answer.")
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

// permission is a question whether something may be done.
type permission struct {
	permissions.Question
	questions *questions
	lender    *lender
	broker    *permissions.Broker
	w         *workspace.Workspace
	session   *workspace.Session
}

func (p *permission) endedBy(s *workspace.Session, e event.Event) bool {
	settled, ok := e.(permissions.Settled)
	return ok && settled.Key == p.Key && s == p.session
}

func (p *permission) asker() string {
	agent := called(p.session.Agent)
	switch {
	case p.Origin != permissions.FromParley:
		return agent + " asks"
	case p.Why != "":
		return "parley asks again: " + p.Why
	}
	return "parley asks: " + agent + " did not ask first"
}

func (p *permission) summary() string { return p.asker() + ": " + plain.OneLine(p.Heading) }

func (p *permission) refuse() string {
	p.broker.Reject(p.Key)
	return "Rejected"
}

// dialog writes all of a question and then what can be answered, as the agent sent it.
func (p *permission) dialog(of int) *dialog {
	d := &dialog{guarded: true, about: p, intro: func() { p.write(of) }, wants: answers(len(p.Options))}
	settle := func(answer func() error) func() {
		return func() {
			p.questions.drop(p)
			if err := answer(); err != nil {
				p.questions.dialogs.out.say("Not answered: %s.", err)
			}
		}
	}
	for _, o := range p.Options {
		d.choices = append(d.choices, choice{label: spelled(o.Name), do: settle(func() error { return p.broker.Answer(p.Key, o.ID) })})
	}
	if p.lender.able(&p.Question, p.session.Agent.Conn()) {
		d.choices = append(d.choices, choice{word: "t", label: "Run it here, with my keyboard", do: settle(p.attended)})
	}
	if !slices.ContainsFunc(p.Options, func(o permissions.Option) bool {
		return o.Kind == permissions.RejectOnce || o.Kind == permissions.RejectAlways
	}) {
		d.choices = append(d.choices, choice{word: "c", label: "Cancel: none of these", do: settle(func() error { p.broker.Cancel(p.Key); return nil })})
	}
	d.choices = append(d.choices, choice{word: "d", label: "Details", stays: true, do: func() {
		p.details()
		d.at = time.Time{}
	}})
	return d
}

// attended allows a command once, with the keyboard. From now on nobody reads what is
// typed, until the command has it.
func (p *permission) attended() error {
	i := slices.IndexFunc(p.Options, func(o permissions.Option) bool { return o.Kind == permissions.AllowOnce })
	if i < 0 {
		return nil
	}
	err := p.broker.AnswerAttended(p.Key, p.Options[i].ID)
	if err == nil {
		p.lender.promise()
	}
	return err
}

func (p *permission) write(of int) {
	out := p.questions.dialogs.out
	out.say("Question 1 of %d: %s.", of, p.asker())
	if p.session != p.w.Front() {
		out.say("From another session: %s.", title(p.session))
	}
	out.lines(p.Heading)
	for _, part := range p.Body {
		switch part.Kind {
		case permissions.Command:
			out.labelled("Command", part.Text)
		case permissions.Field:
			out.labelled(plain.OneLine(part.Label), part.Text)
		case permissions.Warning:
			out.labelled("Warning", part.Text)
		case permissions.Diff:
			out.change(diff.Diff{Path: part.Path, Old: part.Old, New: part.Text, OldMissing: part.OldNone, First: part.First})
		default:
			out.lines(part.Text)
		}
	}
	for _, v := range p.Breakdown() {
		out.say("Part: %s: %s.", plain.OneLine(safetext.Visible(v.Text)), safetext.Line(strings.Join(strings.Fields(strings.ReplaceAll(v.Description(), " · ", ", ")), " "), 1000))
	}
	if p.Words != "" {
		out.labelled("The agent's description", p.Words)
	}
}

func (p *permission) details() {
	out := p.questions.dialogs.out
	if p.Details == "" {
		out.say("Details: the agent sent none.")
		return
	}
	out.say("Details:")
	out.lines(p.Details)
	out.say("End of the details.")
	for i, o := range p.Options {
		out.say("%d. %s", i+1, spelled(o.Name))
	}
}
