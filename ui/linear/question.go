package linear

import (
	"slices"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/internal/notes"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/permissions"
)

// asking is a request of an agent that waits for the user's answer.
type asking interface {
	// dialog returns the dialog for it. of is the number of waiting requests, this one
	// included.
	dialog(of int) *dialog
	// endedBy reports whether an event of a session ends it.
	endedBy(s *workspace.Session, e event.Event) bool
	// summary says in one line who asks what.
	summary() string
	// refuse answers it without the user, and says how.
	refuse() string
}

// questions are the requests that wait for the user, the oldest first.
type questions struct {
	in      *input
	dialogs *dialogs
	waiting []asking
	pages   []*elicitation // opened pages: the agent reports when each is done
}

func (q *questions) add(a asking) { q.waiting = append(q.waiting, a) }

func (q *questions) drop(a asking) {
	q.waiting = slices.DeleteFunc(q.waiting, func(o asking) bool { return o == a })
}

// any reports whether a question or an opened page is pending.
func (q *questions) any() bool { return len(q.waiting)+len(q.pages) > 0 }

// next asks the oldest question.
func (q *questions) next() {
	q.dialogs.open(q.waiting[0].dialog(len(q.waiting)))
	q.dialogs.current.twice, q.dialogs.stray = q.dialogs.stray != noStray, noStray
}

// refuse answers a question without the user, and says how.
func (q *questions) refuse(a asking) string {
	q.dialogs.close(a)
	q.drop(a)
	return a.refuse()
}

// unanswered refuses a question because the input has ended.
func (q *questions) unanswered(a asking) {
	q.dialogs.out.say("%s", a.summary())
	q.dialogs.out.say("%s: the input has ended.", q.refuse(a))
}

// removeEnded removes the questions that an event has ended.
func (q *questions) removeEnded(s *workspace.Session, e event.Event) {
	q.removeIf(func(a asking) bool { return a.endedBy(s, e) })
	if done, ok := e.(event.ElicitationCompleted); ok {
		q.pages = slices.DeleteFunc(q.pages, func(p *elicitation) bool {
			if p.asked.Key == done.Key {
				q.dialogs.out.say("Page done: %s.", p.link.Host)
			}
			return p.asked.Key == done.Key
		})
	}
}

func (q *questions) removeIf(over func(asking) bool) {
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

// agentGone removes all questions because their agent has gone.
func (q *questions) agentGone() {
	q.removeIf(func(asking) bool { return true })
	q.pages = nil
}

// forget drops the questions of a connection that is being replaced.
func (q *questions) forget() {
	q.waiting, q.pages = nil, nil
	if d := q.dialogs.current; d != nil && d.about != nil {
		q.dialogs.current = nil
	}
}

// permission is a question that asks for a permission.
type permission struct {
	permissions.Question
	questions *questions
	lender    *lender
	w         *workspace.Workspace
	session   *workspace.Session
}

func (p *permission) endedBy(s *workspace.Session, e event.Event) bool {
	settled, ok := e.(permissions.Settled)
	return ok && settled.Key == p.Key && s == p.session
}

func (p *permission) asker() string { return p.Title(called(p.session.Agent)) }

func (p *permission) summary() string { return p.asker() + ": " + words.OneLine(p.Heading) }

func (p *permission) refuse() string {
	p.session.Broker().Reject(p.Key)
	return "Rejected"
}

// dialog writes the whole question, then the options as the agent sent them.
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
		d.choices = append(d.choices, choice{label: spelled(o.Name), do: settle(func() error { return p.session.Broker().Answer(p.Key, o.ID) })})
	}
	if p.lender.canLend(&p.Question, p.session) {
		d.choices = append(d.choices, choice{word: "t", label: "Run it here, with my keyboard", do: settle(p.attended)})
	}
	if !slices.ContainsFunc(p.Options, func(o permissions.Option) bool {
		return o.Kind == permissions.RejectOnce || o.Kind == permissions.RejectAlways
	}) {
		d.choices = append(d.choices, choice{word: "c", label: "Cancel: none of these", do: settle(func() error { p.session.Broker().Cancel(p.Key); return nil })})
	}
	d.choices = append(d.choices, choice{word: "n", label: "Reject with a reason, as in: n use a branch", reason: p.rejectWhy})
	d.choices = append(d.choices, choice{word: "d", label: "Details", stays: true, do: func() {
		p.details()
		d.at = time.Time{}
	}})
	return d
}

// rejectWhy rejects the request. The reason, if there is one, is the next prompt.
func (p *permission) rejectWhy(why string) {
	out := p.questions.dialogs.out
	p.questions.drop(p)
	err := p.session.Broker().Reject(p.Key)
	if err == nil && why != "" {
		what, quote, isDiff := notes.Request(p.Question)
		err = p.session.Prompts.SubmitNext(notes.Rejected(what, quote, isDiff, why))
	}
	if err != nil {
		out.say("Not answered: %s.", err)
	}
}

// attended allows a command once, with the keyboard. From then on parley reads no input until
// the command has the terminal.
func (p *permission) attended() error {
	i := slices.IndexFunc(p.Options, func(o permissions.Option) bool { return o.Kind == permissions.AllowOnce })
	if i < 0 {
		return nil
	}
	err := p.session.Broker().AnswerAttended(p.Key, p.Options[i].ID)
	if err == nil {
		p.lender.reserve()
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
			out.labelled(words.OneLine(part.Label), part.Text)
		case permissions.Warning:
			out.labelled("Warning", part.Text)
		case permissions.Diff:
			out.change(part.Texts())
		default:
			out.lines(part.Text)
		}
	}
	for _, v := range p.Breakdown() {
		out.say("Part: %s: %s.", words.OneLine(safetext.Visible(v.Text)), safetext.Line(words.OneLine(strings.ReplaceAll(v.Description(), " · ", ", ")), 1000))
	}
	if p.Description != "" {
		out.labelled("The agent's description", p.Description)
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
