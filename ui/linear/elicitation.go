package linear

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/internal/workspace"
)

// elicitation is a form that an agent wants filled in, or a page that it wants opened.
type elicitation struct {
	questions *questions
	tasks     *tasks
	open      func(url string) error // nil: the address is only shown
	agent     string
	asked     event.ElicitationAsked
	form      elicit.Form
	link      elicit.Link

	values map[string]any // of the fields filled in so far
	shown  []string       // the same values for display
}

// parse reads the request. It returns false if the form cannot be shown.
func (e *elicitation) parse() bool {
	if e.asked.URL != "" {
		e.link = elicit.ParseLink(e.asked.URL)
		return true
	}
	var err error
	e.form, err = elicit.Parse(e.asked.Schema)
	return err == nil
}

func (e *elicitation) endedBy(_ *workspace.Session, ev event.Event) bool {
	settled, ok := ev.(event.ElicitationEnded)
	return ok && settled.Key == e.asked.Key
}

func (e *elicitation) summary() string { return e.agent + " asks: " + words.OneLine(e.asked.Message) }

func (e *elicitation) refuse() string {
	e.asked.Answer(event.ElicitationAnswer{Action: "cancel"})
	return "Cancelled"
}

func (e *elicitation) respond(answer event.ElicitationAnswer) {
	e.questions.dialogs.current = nil
	e.questions.drop(e)
	e.asked.Answer(answer)
	e.questions.dialogs.out.say("%s.", map[string]string{"accept": "Sent", "decline": "Declined", "cancel": "Cancelled"}[answer.Action])
}

// respondWith returns a function that answers with an action other than accept.
func (e *elicitation) respondWith(action string) func() {
	return func() { e.respond(event.ElicitationAnswer{Action: action}) }
}

// ask returns a dialog about it. Ctrl+c cancels the request, and a line that is being typed
// then is ignored.
func (e *elicitation) ask(d dialog) *dialog {
	d.about = e
	d.cancel = func() {
		e.respond(event.ElicitationAnswer{Action: "cancel"})
		e.questions.dialogs.stray = strayField
	}
	return &d
}

func (e *elicitation) dialog(of int) *dialog {
	if e.asked.URL != "" {
		return e.pageDialog(of)
	}
	return e.ask(dialog{guarded: true, wants: answers(3), choices: []choice{{label: "Fill it in", do: e.fill},
		{label: "Decline", also: []string{"decline", "/decline"}, do: e.respondWith("decline")},
		{label: "Cancel", also: []string{"cancel", "/cancel"}, do: e.respondWith("cancel")},
	}, intro: func() {
		out := e.questions.dialogs.out
		out.say("Question 1 of %d: %s asks for a form with %s.", of, e.agent, words.Count(len(e.form.Fields), "field"))
		out.labelled("The agent's description", e.asked.Message)
		for _, about := range []string{e.form.Title, e.form.Description} {
			if about != "" {
				out.labelled("About it", about)
			}
		}
	}})
}

// pageDialog describes a page. Only the word "open" opens it.
func (e *elicitation) pageDialog(of int) *dialog {
	const never = "parley does not open this page."
	open := choice{word: "open", do: e.openPage}
	wants := "Type open, decline or cancel:"
	if !e.link.OK {
		open.disabledReason, wants = never, "Type decline or cancel:"
	}
	return e.ask(dialog{guarded: true, wants: wants, choices: []choice{open,
		{word: "decline", also: []string{"/decline"}, do: e.respondWith("decline")},
		{word: "cancel", also: []string{"/cancel"}, do: e.respondWith("cancel")},
	}, intro: func() {
		out := e.questions.dialogs.out
		out.say("Question 1 of %d: %s wants you to open a page.", of, e.agent)
		out.labelled("The agent's description", e.asked.Message)
		out.say("Address: %s", e.link.URL)
		if e.link.Host != "" {
			out.say("Host: %s", e.link.Host)
		}
		for _, w := range e.link.Warnings {
			out.say("Warning: %s.", w)
		}
		if !e.link.OK {
			out.say(never)
		}
	}})
}

// openPage starts the browser and tells the agent that the user agreed.
func (e *elicitation) openPage() {
	out, open, url := e.questions.dialogs.out, e.open, e.link.URL
	e.questions.drop(e)
	e.questions.pages = append(e.questions.pages, e)
	e.asked.Answer(event.ElicitationAnswer{Action: "accept"})
	if open == nil {
		out.say("Open it by hand: %s", url)
		return
	}
	out.say("Opening %s. The agent says when it is done.", e.link.Host)
	e.tasks.run(func(context.Context) func() {
		err := open(url)
		return func() {
			if err != nil {
				out.say("Notice: %s. Open it by hand: %s", err, url)
			}
		}
	})
}

// fill asks for the fields, starting with the first.
func (e *elicitation) fill() {
	e.values, e.shown = map[string]any{}, nil
	e.nextField()
}

// nextField asks for the next field, or after the last whether to send the form.
func (e *elicitation) nextField() {
	at := len(e.shown)
	if at == len(e.form.Fields) {
		e.confirm()
		return
	}
	field := e.form.Fields[at]
	d := e.ask(dialog{secret: field.Secret && e.questions.in.terminal(), wants: fieldWants(field), intro: func() { e.aboutField(at, field) }})
	d.take = func(text string) {
		switch trimmed := strings.TrimSpace(text); trimmed {
		case "/decline", "/cancel":
			e.respond(event.ElicitationAnswer{Action: trimmed[1:]})
			return
		}
		v, err := fieldValue(field, text)
		if err == nil {
			err = field.Validate(v)
		}
		if err != nil {
			e.questions.dialogs.out.say("Not accepted: %s.", err)
			return
		}
		shown := "not shown"
		if !field.Secret {
			shown = valueWords(field, v)
		}
		e.values[field.Key], e.shown = v, append(e.shown, field.Title+": "+shown)
		e.nextField()
	}
	e.questions.dialogs.open(d)
}

func (e *elicitation) aboutField(at int, field elicit.Field) {
	out := e.questions.dialogs.out
	out.say("Field %d of %d: %s%s", at+1, len(e.form.Fields), field.Title, map[bool]string{true: ", required.", false: "."}[field.Required])
	if field.Description != "" {
		out.labelled("About it", field.Description)
	}
	if field.Secret {
		out.say("Warning: never give passwords or keys to a form.")
	}
	if field.Kind == elicit.Unknown {
		out.say("Unsupported field: type its value as JSON.")
	}
	for i, o := range field.Options {
		out.say("%d. %s", i+1, strings.TrimSuffix(words.OneLine(o.Title)+". "+words.OneLine(o.Description), ". "))
	}
}

// confirm shows the values and sends them when the user confirms.
func (e *elicitation) confirm() {
	out := e.questions.dialogs.out
	e.questions.dialogs.open(e.ask(dialog{wants: answers(4), choices: []choice{{label: "Send it", stays: true, do: e.send},
		{label: "Start again", do: e.fill},
		{label: "Decline", also: []string{"/decline"}, do: e.respondWith("decline")},
		{label: "Cancel", also: []string{"/cancel"}, do: e.respondWith("cancel")},
	}, intro: func() {
		out.say("The form, filled in:")
		for _, l := range e.shown {
			out.lines(l)
		}
	}}))
}

func (e *elicitation) send() {
	content, problems := e.form.Content(e.values)
	if len(problems) > 0 {
		e.questions.dialogs.out.say("Not sent: %s.", problems[0].Text)
		return
	}
	e.respond(event.ElicitationAnswer{Action: "accept", Content: content})
}

// fieldWants returns the request for input of a field.
func fieldWants(f elicit.Field) string {
	what := map[elicit.Kind]string{elicit.Number: "a number", elicit.Integer: "a whole number", elicit.Bool: "yes or no", elicit.Unknown: "JSON",
		elicit.Select: fmt.Sprintf("1 to %d", len(f.Options)), elicit.MultiSelect: fmt.Sprintf("numbers from 1 to %d, separated by spaces", len(f.Options))}[f.Kind]
	what = cmp.Or(what, "your answer")
	if f.Secret {
		what += ", which is not shown"
	}
	empty := "enter leaves it empty"
	switch {
	case f.Default != nil:
		empty = "enter for " + valueWords(f, f.Default)
	case f.Required && f.Kind != elicit.Bool:
		empty = "/cancel cancels"
	}
	return "Type " + what + "; " + empty + ":"
}

// valueWords returns a field's value for display.
func valueWords(f elicit.Field, value any) string {
	switch v := value.(type) {
	case nil:
		return "empty"
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	case string:
		if i := slices.IndexFunc(f.Options, func(o elicit.Option) bool { return o.Value == v }); i >= 0 {
			return words.OneLine(f.Options[i].Title)
		}
		return words.OneLine(safetext.Visible(strings.TrimSpace(v)))
	case []string:
		var out []string
		for _, one := range v {
			out = append(out, valueWords(f, one))
		}
		return strings.Join(out, ", ")
	}
	return fmt.Sprint(value)
}

// fieldValue parses what was typed, by the rules of the form.
func fieldValue(f elicit.Field, text string) (any, error) {
	if !f.Secret {
		text = safetext.Clean(text)
	}
	switch trimmed := strings.TrimSpace(text); {
	case trimmed == "":
		return f.Default, nil
	case f.Kind == elicit.Bool:
		switch strings.ToLower(trimmed) {
		case "yes", "y", "true", "on", "1":
			return true, nil
		case "no", "n", "false", "off", "0":
			return false, nil
		}
		return nil, errors.New("type yes or no")
	case f.Kind == elicit.Select, f.Kind == elicit.MultiSelect:
		errChoice := errors.New("that is not the number of a choice")
		var values []string
		for word := range strings.FieldsSeq(strings.ReplaceAll(trimmed, ",", " ")) {
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 || n > len(f.Options) {
				return nil, errChoice
			}
			values = append(values, f.Options[n-1].Value)
		}
		switch {
		case f.Kind == elicit.MultiSelect:
			return values, nil
		case len(values) == 1:
			return values[0], nil
		}
		return nil, errChoice
	}
	return text, nil
}
