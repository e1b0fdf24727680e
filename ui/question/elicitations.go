package question

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/ui/layer"
	"parley/ui/widget/form"
)

// Elicitations are the forms and web pages that wait. The first is on the screen. Only
// the user answers them.
type Elicitations struct {
	env  *layer.Env
	out  *layer.Effects
	page func() PageState
	all  []*Elicitation
}

// NewElicitations returns an empty list.
func NewElicitations(env *layer.Env, out *layer.Effects, page func() PageState) *Elicitations {
	return &Elicitations{env: env, out: out, page: page}
}

// Current returns the first one; nil while a question comes before it, or without one.
func (es *Elicitations) Current() *Elicitation {
	if es.page().Later {
		return nil
	}
	return es.First()
}

// OnScreen returns the one on the screen, or nil.
func (es *Elicitations) OnScreen() *Elicitation {
	if es.page().Covered {
		return nil
	}
	return es.Current()
}

// First returns the first one, or nil.
func (es *Elicitations) First() *Elicitation {
	if len(es.all) == 0 {
		return nil
	}
	return es.all[0]
}

// Wait reports whether any of them waits for the user.
func (es *Elicitations) Wait() bool { return slices.ContainsFunc(es.all, (*Elicitation).Asks) }

// Len returns their number.
func (es *Elicitations) Len() int { return len(es.all) }

// Clear drops all of them.
func (es *Elicitations) Clear() { es.all = nil }

// WaitForQuiet takes the keys from all of them until no key was pressed for a while.
func (es *Elicitations) WaitForQuiet() {
	for _, e := range es.all {
		e.waitForQuiet()
	}
}

// Release takes the keys from the one on the screen.
func (es *Elicitations) Release() {
	if e := es.First(); e != nil {
		e.grabbed = false
	}
}

// Add appends a new one. A form that cannot be shown is declined, and the user is told.
func (es *Elicitations) Add(asked event.ElicitationAsked) tea.Cmd {
	n := &Elicitation{in: es, asked: asked}
	if asked.URL != "" {
		n.link = elicit.ParseLink(asked.URL)
	} else {
		f, err := elicit.Parse(asked.Schema)
		if err != nil {
			asked.Answer(event.ElicitationAnswer{Action: "decline"})
			return es.out.Say("Declined a form that parley cannot show")
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

// Settled removes one that was answered, unless its page is open.
func (es *Elicitations) Settled(key uint64) {
	es.all = slices.DeleteFunc(slices.Clone(es.all), func(e *Elicitation) bool { return e.asked.Key == key && !e.open })
}

// Completed removes an open page, which the agent says is done.
func (es *Elicitations) Completed(key uint64) tea.Cmd {
	i := slices.IndexFunc(es.all, func(e *Elicitation) bool { return e.asked.Key == key })
	if i < 0 {
		return nil
	}
	host := es.all[i].link.Host
	es.all = slices.Delete(slices.Clone(es.all), i, i+1)
	return es.out.Say("Done: " + host)
}

// standBy moves the first one, which waits for the agent now, after those that wait for
// the user.
func (es *Elicitations) standBy() {
	es.all = append(es.all[1:len(es.all):len(es.all)], es.all[0])
}
