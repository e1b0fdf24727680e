package linear

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/internal/safetext"
)

// elicited takes a form or a page. A form that cannot be asked is declined.
func (c *chat) elicited(t *talk, e event.ElicitationAsked) {
	a := &ask{t: t, elicited: &e}
	if e.URL != "" {
		a.link = elicit.ParseLink(e.URL)
		c.asks = append(c.asks, a)
		return
	}
	form, err := elicit.Parse(e.Schema)
	if err != nil {
		e.Answer(event.ElicitationAnswer{Action: "decline"})
		c.say("Notice: the agent asked for a form that parley cannot show; declined.")
		return
	}
	a.form = form
	c.asks = append(c.asks, a)
}

// elicitCompleted ends the wait for a page.
func (c *chat) elicitCompleted(key uint64) {
	for _, a := range slices.Clone(c.asks) {
		if a.elicited != nil && a.elicited.Key == key && a.opened {
			c.drop(a)
			c.say("Page done: %s.", a.link.Host)
		}
	}
}

func (c *chat) settle(a *ask, answer event.ElicitationAnswer) {
	c.dialog = nil
	c.drop(a)
	a.elicited.Answer(answer)
	c.say("%s.", map[string]string{"accept": "Sent", "decline": "Declined", "cancel": "Cancelled"}[answer.Action])
}

// openPage writes what is to be known of a page; it is opened only by that very
// word.
func (c *chat) openPage(a *ask, of int) {
	d := &dialog{guarded: true, key: a, wants: "Type open, decline or cancel:"}
	if !a.link.OK {
		d.wants = "Type decline or cancel:"
	}
	d.again = func() {
		c.say("Question 1 of %d: %s wants you to open a page.", of, c.name())
		c.labelled("The agent's words", a.elicited.Message)
		c.say("Address: %s", a.link.URL)
		if a.link.Host != "" {
			c.say("Host: %s", a.link.Host)
		}
		for _, w := range a.link.Warnings {
			c.say("Warning: %s.", w)
		}
		if !a.link.OK {
			c.say("parley does not open this.")
		}
	}
	d.take = func(text string) bool {
		switch text {
		case "open":
			if !a.link.OK {
				c.say("parley does not open this.")
				return true
			}
			c.closeDialog(d)
			c.openLink(a)
		case "decline", "cancel", "/decline", "/cancel":
			c.settle(a, event.ElicitationAnswer{Action: strings.TrimPrefix(text, "/")})
		default:
			return false
		}
		return true
	}
	d.again()
	c.openDialog(d)
}

// openLink starts the browser and says to the agent that the user agreed.
func (c *chat) openLink(a *ask) {
	a.opened = true
	a.elicited.Answer(event.ElicitationAnswer{Action: "accept"})
	open, url := c.opts.OpenURL, a.link.URL
	if open == nil {
		c.say("Open it by hand: %s", url)
		return
	}
	c.say("Opening %s. The agent says when it is done.", a.link.Host)
	c.async(func(context.Context) func() {
		err := open(url)
		return func() {
			if err != nil {
				c.say("Notice: %s. Open it by hand: %s", err, url)
			}
		}
	})
}

// filling is a form on its way.
type filling struct {
	a      *ask
	values map[string]any
	shown  []string // what was answered, as it is shown
	at     int
}

// openForm writes what a form is about and asks whether to fill it in.
func (c *chat) openForm(a *ask, of int) {
	d := &dialog{guarded: true, key: a, wants: "Answer 1 to 3:"}
	d.again = func() {
		c.say("Question 1 of %d: %s asks for a form with %s.", of, c.name(), count(len(a.form.Fields), "field"))
		c.labelled("The agent's words", a.elicited.Message)
		for _, about := range []string{a.form.Title, a.form.Description} {
			if about != "" {
				c.labelled("About it", about)
			}
		}
		c.say("1. Fill it in")
		c.say("2. Decline")
		c.say("3. Cancel")
	}
	d.take = func(text string) bool {
		switch text {
		case "1":
			c.field(&filling{a: a, values: map[string]any{}})
		case "2", "decline", "/decline":
			c.settle(a, event.ElicitationAnswer{Action: "decline"})
		case "3", "cancel", "/cancel":
			c.settle(a, event.ElicitationAnswer{Action: "cancel"})
		default:
			return false
		}
		return true
	}
	d.again()
	c.openDialog(d)
}

// field asks for the next field, or whether to send what was filled in.
func (c *chat) field(f *filling) {
	fields := f.a.form.Fields
	if f.at == len(fields) {
		c.confirm(f)
		return
	}
	field := fields[f.at]
	c.say("Field %d of %d: %s%s", f.at+1, len(fields), field.Title, map[bool]string{true: ", required.", false: "."}[field.Required])
	if field.Description != "" {
		c.labelled("About it", field.Description)
	}
	if field.Secret {
		c.say("Warning: never give passwords or keys to a form.")
	}
	if field.Kind == elicit.Unknown {
		c.say("parley does not know this kind of field: type raw JSON.")
	}
	for i, o := range field.Options {
		c.say("%d. %s", i+1, strings.TrimSuffix(oneLine(o.Title)+". "+oneLine(o.Description), ". "))
	}
	d := &dialog{key: f.a, free: true, secret: field.Secret && c.in.terminal(), wants: fieldWants(field)}
	d.take = func(text string) bool {
		switch strings.TrimSpace(text) {
		case "/decline", "/cancel":
			c.settle(f.a, event.ElicitationAnswer{Action: strings.TrimSpace(text)[1:]})
			return true
		}
		v, shown, err := fieldValue(field, text)
		if err == nil {
			err = field.Validate(v)
		}
		if err != nil {
			c.say("Not taken: %s.", err)
			return true
		}
		if field.Secret {
			shown = "not shown"
		}
		f.values[field.Key], f.shown, f.at = v, append(f.shown, field.Title+": "+shown), f.at+1
		c.field(f)
		return true
	}
	c.dialog = d
}

// fieldWants says what to type for a field.
func fieldWants(f elicit.Field) string {
	what := map[elicit.Kind]string{elicit.Number: "a number", elicit.Integer: "a whole number", elicit.Bool: "yes or no", elicit.Unknown: "JSON",
		elicit.Select: fmt.Sprintf("1 to %d", len(f.Options)), elicit.MultiSelect: fmt.Sprintf("numbers from 1 to %d, with blanks between them", len(f.Options))}[f.Kind]
	if what == "" {
		what = "your answer"
	}
	if f.Secret {
		what += ", which is not shown"
	}
	empty := "enter alone leaves it empty"
	switch {
	case f.Default != nil:
		empty = "enter alone for " + defaultWords(f)
	case f.Required && f.Kind != elicit.Bool:
		empty = "/cancel gives up"
	}
	return "Type " + what + "; " + empty + ":"
}

// defaultWords is what a field begins with, as it is shown.
func defaultWords(f elicit.Field) string {
	title := func(value string) string {
		for _, o := range f.Options {
			if o.Value == value {
				return oneLine(o.Title)
			}
		}
		return oneLine(safetext.Visible(value))
	}
	switch v := f.Default.(type) {
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	case string:
		return title(v)
	case []string:
		var out []string
		for _, value := range v {
			out = append(out, title(value))
		}
		return strings.Join(out, ", ")
	}
	return fmt.Sprint(f.Default)
}

var errChoice = errors.New("that is no number of a choice")

// fieldValue reads what was typed, as the rules of the form take it, and how it is
// shown.
func fieldValue(f elicit.Field, text string) (v any, shown string, err error) {
	if !f.Secret {
		text = safetext.Clean(text)
	}
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		if f.Default != nil {
			return f.Default, defaultWords(f), nil
		}
		return nil, "empty", nil
	}
	switch f.Kind {
	case elicit.Bool:
		switch strings.ToLower(trimmed) {
		case "yes", "y", "true", "on", "1":
			return true, "yes", nil
		case "no", "n", "false", "off", "0":
			return false, "no", nil
		}
		return nil, "", errors.New("type yes or no")
	case elicit.Select, elicit.MultiSelect:
		var values, titles []string
		for _, word := range strings.Fields(strings.ReplaceAll(trimmed, ",", " ")) {
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 || n > len(f.Options) {
				return nil, "", errChoice
			}
			values, titles = append(values, f.Options[n-1].Value), append(titles, oneLine(f.Options[n-1].Title))
		}
		if f.Kind == elicit.MultiSelect {
			return values, strings.Join(titles, ", "), nil
		}
		if len(values) != 1 {
			return nil, "", errChoice
		}
		return values[0], titles[0], nil
	}
	return text, trimmed, nil
}

// confirm shows what would be sent, and sends it by another word only.
func (c *chat) confirm(f *filling) {
	c.say("The form is filled in:")
	for _, l := range f.shown {
		c.out.lines(l)
	}
	c.say("1. Send it")
	c.say("2. Begin again")
	c.say("3. Decline")
	c.say("4. Cancel")
	d := &dialog{key: f.a, wants: "Answer 1 to 4:"}
	d.take = func(text string) bool {
		switch text {
		case "1":
			content, problems := f.a.form.Content(f.values)
			if len(problems) > 0 {
				c.say("Not sent: %s.", problems[0].Text)
				return true
			}
			c.settle(f.a, event.ElicitationAnswer{Action: "accept", Content: content})
		case "2":
			c.field(&filling{a: f.a, values: map[string]any{}})
		case "3", "/decline":
			c.settle(f.a, event.ElicitationAnswer{Action: "decline"})
		case "4", "/cancel":
			c.settle(f.a, event.ElicitationAnswer{Action: "cancel"})
		default:
			return false
		}
		return true
	}
	c.dialog = d
}
