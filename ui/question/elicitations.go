package question

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/ui/layer"
	"parley/ui/widget/form"
)

// FormHost is what forms and pages need of the page of the session.
type FormHost interface {
	Agent() string // its name
	Around() Around
	Say(text string) tea.Cmd
	OpenURL(url string) tea.Cmd // in the user's browser; nil where there is none
}

// Elicitations are the forms and pages that wait, the first on the screen. None is ever
// answered by itself.
type Elicitations struct {
	env  *layer.Env
	host FormHost
	all  []*Elicitation
}

// NewElicitations returns none.
func NewElicitations(env *layer.Env, host FormHost) *Elicitations {
	return &Elicitations{env: env, host: host}
}

// Current is the one that is asked now; nil where none is.
func (es *Elicitations) Current() *Elicitation {
	if es.host.Around().Later {
		return nil
	}
	return es.First()
}

// InSight is the one on the screen; nil where none is.
func (es *Elicitations) InSight() *Elicitation {
	if es.host.Around().Covered {
		return nil
	}
	return es.Current()
}

// First is the one that comes first; nil where there is none.
func (es *Elicitations) First() *Elicitation {
	if len(es.all) == 0 {
		return nil
	}
	return es.all[0]
}

// Wait tells whether one of them waits for the user.
func (es *Elicitations) Wait() bool { return slices.ContainsFunc(es.all, (*Elicitation).Asks) }

// Len is how many there are.
func (es *Elicitations) Len() int { return len(es.all) }

// Clear drops all of them.
func (es *Elicitations) Clear() { es.all = nil }

// Afresh makes them wait for quiet again.
func (es *Elicitations) Afresh() {
	for _, e := range es.all {
		e.afresh()
	}
}

// Release takes the keys from the one on the screen.
func (es *Elicitations) Release() {
	if e := es.First(); e != nil {
		e.grabbed = false
	}
}

// Add takes a new one. A form that cannot be shown as one is declined, and said so.
func (es *Elicitations) Add(asked event.ElicitationAsked) tea.Cmd {
	n := &Elicitation{in: es, asked: asked}
	if asked.URL != "" {
		n.link = elicit.ParseLink(asked.URL)
	} else {
		f, err := elicit.Parse(asked.Schema)
		if err != nil {
			asked.Answer(event.ElicitationAnswer{Action: "decline"})
			return es.host.Say("Declined a form that parley cannot show")
		}
		n.about, n.form = f, form.New(formFields(f), es.env.Keys)
	}
	at := slices.IndexFunc(es.all, func(e *Elicitation) bool { return e.open })
	if at < 0 {
		at = len(es.all)
	}
	es.all = slices.Insert(es.all, at, n) // what waits for the user comes before what waits for the agent
	return nil
}

// Settled drops one that is over, unless its page is still awaited.
func (es *Elicitations) Settled(key uint64) {
	es.all = slices.DeleteFunc(slices.Clone(es.all), func(e *Elicitation) bool { return e.asked.Key == key && !e.open })
}

// Completed ends the wait for a page.
func (es *Elicitations) Completed(key uint64) tea.Cmd {
	i := slices.IndexFunc(es.all, func(e *Elicitation) bool { return e.asked.Key == key })
	if i < 0 {
		return nil
	}
	host := es.all[i].link.Host
	es.all = slices.Delete(slices.Clone(es.all), i, i+1)
	return es.host.Say("Done: " + host)
}

// standBy puts the first one, which the agent is to complete, after those that wait for
// the user.
func (es *Elicitations) standBy() {
	es.all = append(es.all[1:len(es.all):len(es.all)], es.all[0])
}
