package linear

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/internal/safetext"
	"parley/permissions"
	"parley/ui/widget"
)

// ask is something that waits for the user: a question, or a form or a page.
type ask struct {
	t          *talk
	permission *permissions.Question
	elicited   *event.ElicitationAsked
	form       elicit.Form
	link       elicit.Link
	broker     *permissions.Broker
	opened     bool // the page: the user agreed, its completion is awaited
}

// asked takes a question.
func (c *chat) asked(t *talk, q permissions.Question) {
	c.asks = append(c.asks, &ask{t: t, permission: &q, broker: c.Agent.Conn().Broker})
}

// nextAsk writes what waits first, when nothing else is being asked.
func (c *chat) nextAsk() {
	waiting := slices.DeleteFunc(slices.Clone(c.asks), func(a *ask) bool { return a.opened })
	if c.dialog != nil || len(waiting) == 0 || len(c.draft) > 0 {
		return
	}
	if c.ended { // nobody is there to answer
		c.unanswered(waiting[0])
		return
	}
	c.finish(c.talk, len(c.talk.Thread.Items))
	a, of := waiting[0], len(waiting)
	switch {
	case a.permission != nil:
		c.openQuestion(a, of)
	case a.elicited.URL != "":
		c.openPage(a, of)
	default:
		c.openForm(a, of)
	}
	c.dialog.twice, c.stray = c.stray != noStray, noStray
}

// unanswered settles what nobody can answer any more.
func (c *chat) unanswered(a *ask) {
	c.drop(a)
	if a.permission == nil {
		c.say("%s asks: %s", c.name(), oneLine(a.elicited.Message))
		c.say("Cancelled: there is no more input.")
		a.elicited.Answer(event.ElicitationAnswer{Action: "cancel"})
		return
	}
	c.say("%s: %s", c.asker(*a.permission), oneLine(a.permission.Heading))
	c.say("Not allowed: there is no more input.")
	a.broker.Reject(a.permission.Key)
}

func (c *chat) drop(a *ask) {
	c.asks = slices.DeleteFunc(c.asks, func(o *ask) bool { return o == a })
}

// settled takes away what is over, however it ended. If the user was about to
// answer it, the answer that is on its way is nobody's.
func (c *chat) settled(is func(*ask) bool) {
	i := slices.IndexFunc(c.asks, is)
	if i < 0 {
		return
	}
	a := c.asks[i]
	c.drop(a)
	if c.dialog != nil && c.dialog.key == a {
		if c.stray = strayAnswer; c.dialog.free {
			c.stray = strayField
		}
		c.dialog = nil
		c.in.show()
		c.say("This question is settled; it needs no answer any more.")
	}
}

func (c *chat) asker(q permissions.Question) string {
	if q.Origin == permissions.FromParley && q.Why != "" {
		return "parley asks again: " + q.Why
	}
	if q.Origin == permissions.FromParley {
		return "parley asks, because " + c.name() + " wants this without having asked"
	}
	return c.name() + " asks"
}

// openQuestion writes all of a question and then what can be answered, as the
// agent sent it.
func (c *chat) openQuestion(a *ask, of int) {
	q := *a.permission
	d := &dialog{guarded: true, key: a}
	d.again = func() { c.writeQuestion(a, of) }
	d.wants = fmt.Sprintf("Answer 1 to %d:", len(q.Options))
	if len(q.Options) == 1 {
		d.wants = "Answer 1:"
	}
	d.take = func(text string) bool {
		if n, ok := number(text, len(q.Options)); ok {
			c.closeDialog(d)
			c.drop(a)
			if err := a.broker.Answer(q.Key, q.Options[n-1].ID); err != nil {
				c.say("Not answered: %s.", err)
			}
			return true
		}
		switch {
		case text == "t" && c.canAttend(q):
			c.closeDialog(d)
			c.drop(a)
			c.attended(a)
			return true
		case text == "d":
			c.details(q)
			d.at = time.Time{}
			return true
		case text == "c" && !rejects(q):
			c.closeDialog(d)
			c.drop(a)
			a.broker.Cancel(q.Key)
			return true
		}
		return false
	}
	d.again()
	c.openDialog(d)
}

// rejects tells whether one of the answers is a no.
func rejects(q permissions.Question) bool {
	return slices.ContainsFunc(q.Options, func(o permissions.Option) bool {
		return o.Kind == permissions.RejectOnce || o.Kind == permissions.RejectAlways
	})
}

func (c *chat) writeQuestion(a *ask, of int) {
	q := *a.permission
	c.say("Question 1 of %d: %s.", of, c.asker(q))
	if a.t != c.talk {
		c.say("It is about another session: %s.", a.t.title())
	}
	c.out.lines(q.Heading)
	for _, p := range q.Body {
		switch p.Kind {
		case permissions.Command:
			c.labelled("Command", p.Text)
		case permissions.Field:
			c.labelled(oneLine(p.Label), p.Text)
		case permissions.Warning:
			c.labelled("Warning", p.Text)
		case permissions.Diff:
			c.showChange(widget.Diff{Path: p.Path, Old: p.Old, New: p.Text, OldMissing: p.OldNone, First: p.First})
		default:
			c.out.lines(p.Text)
		}
	}
	for _, v := range q.Breakdown() {
		c.say("Part: %s: %s.", oneLine(safetext.Visible(v.Text)), safetext.Line(strings.Join(strings.Fields(strings.ReplaceAll(v.Says(), " · ", ", ")), " "), 1000))
	}
	if q.Words != "" {
		c.labelled("The agent's words", q.Words)
	}
	for i, o := range q.Options {
		c.say("%d. %s", i+1, spelled(o.Name))
	}
	if c.canAttend(q) {
		c.say("t. Run it here, with my keyboard")
	}
	if !rejects(q) {
		c.say("c. Cancel: none of these")
	}
	c.say("d. Details")
}

// labelled writes a text behind a label; one of several lines below it, each with
// its number, so that its end is where it is said to be.
func (c *chat) labelled(label, text string) {
	lines := splitLines(text)
	if len(lines) == 1 {
		c.say("%s: %s", label, lines[0])
		return
	}
	c.say("%s, %s:", label, count(len(lines), "line"))
	for i, l := range lines {
		c.out.line(fmt.Sprintf("  Line %d: %s", i+1, l))
	}
}

func (c *chat) details(q permissions.Question) {
	if q.Details == "" {
		c.say("Details: the agent sent nothing else about it.")
		return
	}
	c.say("Details:")
	c.out.lines(q.Details)
	c.say("End of the details.")
	for i, o := range q.Options {
		c.say("%d. %s", i+1, spelled(o.Name))
	}
}

// stray is what may still be on its way for a question that is gone.
type stray int

const (
	noStray     stray = iota
	strayAnswer       // a number or a letter
	strayField        // anything
)

// wasAnswer handles the line behind a question that is gone: what looks like an
// answer to it is neither a prompt nor one to anything else.
func (c *chat) wasAnswer(text string) bool {
	was := c.stray
	c.stray = noStray
	if was == noStray || was == strayAnswer && !looksLikeAnswer(strings.TrimSpace(text)) {
		return false
	}
	c.menu(fmt.Sprintf("%q looks like an answer to the question that is gone.", strings.TrimSpace(text)), []choice{
		{label: "Send it as a prompt", do: func() { c.prompt(text) }},
		{label: "Drop it", do: func() {}},
	}, false)
	return true
}
