package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/elicit"
	"parley/ui/widget"
)

// elicitation is what an agent wants of the user: a form, or a page to be
// opened. One is shown at a time, over the transcript; it is never answered by
// itself.
type elicitation struct {
	asked acpclient.ElicitationAsked
	about elicit.Form
	form  *widget.Form
	link  elicit.Link
	open  bool // the page: the user agreed, its completion is awaited
	note  string
}

// elicited takes a new one. A form that cannot be shown as one is declined, and
// said so.
func (c *chat) elicited(e acpclient.ElicitationAsked) tea.Cmd {
	n := &elicitation{asked: e}
	if e.URL != "" {
		n.link = elicit.ParseLink(e.URL)
	} else {
		form, err := elicit.Parse(e.Schema)
		if err != nil {
			e.Answer(acpclient.ElicitationAnswer{Action: "decline"})
			return c.say("the agent asked for a form that parley cannot show; declined")
		}
		n.about, n.form = form, widget.NewForm(formFields(form))
	}
	c.elicits = append(c.elicits, n)
	return nil
}

// elicitSettled drops one that is over, unless its page is still awaited.
func (c *chat) elicitSettled(key uint64) {
	for i, e := range c.elicits {
		if e.asked.Key == key && !e.open {
			c.elicits = append(c.elicits[:i:i], c.elicits[i+1:]...)
			return
		}
	}
}

// elicitCompleted ends the wait for a page.
func (c *chat) elicitCompleted(key uint64) tea.Cmd {
	for i, e := range c.elicits {
		if e.asked.Key == key {
			c.elicits = append(c.elicits[:i:i], c.elicits[i+1:]...)
			return c.say("done: " + e.link.Host)
		}
	}
	return nil
}

// formFields turns a form of the protocol into one of the screen.
func formFields(form elicit.Form) []widget.FormField {
	kinds := map[elicit.Kind]widget.FormKind{elicit.Text: widget.FormText, elicit.Number: widget.FormNumber, elicit.Integer: widget.FormNumber,
		elicit.Bool: widget.FormBool, elicit.Select: widget.FormSelect, elicit.MultiSelect: widget.FormMulti, elicit.Unknown: widget.FormText}
	fields := make([]widget.FormField, 0, len(form.Fields))
	for _, f := range form.Fields {
		w := widget.FormField{Label: f.Title, Help: f.Description, Kind: kinds[f.Kind], Required: f.Required, Value: formValue(f, f.Default)}
		if f.Kind == elicit.Unknown {
			w.Help = "raw JSON: parley does not know this kind of field. " + w.Help
		}
		if f.Secret {
			w.Warning = "never give passwords or keys to a form"
		}
		for _, o := range f.Options {
			w.Options = append(w.Options, widget.FormOption{Label: o.Title, Help: o.Description})
		}
		w.Check = func(v widget.FormValue) error { return f.Validate(fieldValue(f, v)) }
		fields = append(fields, w)
	}
	return fields
}

// formValue is what a field of the screen begins with.
func formValue(f elicit.Field, v any) widget.FormValue {
	switch v := v.(type) {
	case string:
		if f.Kind == elicit.Select {
			return widget.FormValue{Chosen: places(f, []string{v})}
		}
		return widget.FormValue{Text: v}
	case bool:
		return widget.FormValue{On: v}
	case []string:
		return widget.FormValue{Chosen: places(f, v)}
	case nil:
		return widget.FormValue{}
	}
	return widget.FormValue{Text: fmt.Sprint(v)}
}

func places(f elicit.Field, values []string) []int {
	var out []int
	for i, o := range f.Options {
		for _, v := range values {
			if o.Value == v {
				out = append(out, i)
			}
		}
	}
	return out
}

// fieldValue is what was filled in, as the form's rules take it.
func fieldValue(f elicit.Field, v widget.FormValue) any {
	switch f.Kind {
	case elicit.Bool:
		return v.On
	case elicit.Select:
		if len(v.Chosen) == 0 {
			return nil
		}
		return f.Options[v.Chosen[0]].Value
	case elicit.MultiSelect:
		out := []string{}
		for _, i := range v.Chosen {
			out = append(out, f.Options[i].Value)
		}
		return out
	}
	if v.Text == "" {
		return nil
	}
	return v.Text
}

// key handles a key of the elicitation on the screen.
func (c *chat) elicitKey(msg tea.KeyPressMsg) tea.Cmd {
	e := c.elicits[0]
	if msg.String() == "esc" || msg.String() == "ctrl+c" {
		return c.settle(e, "cancel")
	}
	if e.form == nil {
		return c.linkKey(e, msg.String())
	}
	e.form.Key(msg)
	switch e.form.Choice() {
	case widget.FormSend:
		return c.settle(e, "accept")
	case widget.FormDecline:
		return c.settle(e, "decline")
	case widget.FormCancel:
		return c.settle(e, "cancel")
	}
	return nil
}

// linkKey answers for a page. Nothing is opened without the user's word, and
// accepting says no more than that the user agreed.
func (c *chat) linkKey(e *elicitation, name string) tea.Cmd {
	switch name {
	case "o", "y":
		if !e.link.OK {
			e.note = "only http and https pages are opened"
			return nil
		}
		if !e.open {
			e.open = true
			e.asked.Answer(acpclient.ElicitationAnswer{Action: "accept"})
		}
		if open := c.m.opts.OpenURL; open != nil {
			url := e.link.URL
			return func() tea.Msg { return openedURLMsg{c, open(url)} }
		}
		e.note = "open it by hand"
	case "c":
		return tea.Batch(tea.SetClipboard(e.link.URL), c.say("the address was sent to the terminal's clipboard"))
	case "n":
		if e.open {
			return c.settle(e, "cancel")
		}
		return c.settle(e, "decline")
	}
	return nil
}

// openedURLMsg says whether a browser was started.
type openedURLMsg struct {
	chat *chat
	err  error
}

// settle answers and takes it off the screen.
func (c *chat) settle(e *elicitation, action string) tea.Cmd {
	answer := acpclient.ElicitationAnswer{Action: action}
	if action == "accept" && e.form != nil {
		values := map[string]any{}
		for i, v := range e.form.Values() {
			values[e.about.Fields[i].Key] = fieldValue(e.about.Fields[i], v)
		}
		content, problems := e.about.Content(values)
		if len(problems) > 0 {
			return c.say("not sent: " + problems[0].Text)
		}
		answer.Content = content
	}
	e.asked.Answer(answer)
	e.open = false
	c.elicitSettled(e.asked.Key)
	return nil
}

// elicitRows draws the one on the screen in at most height rows.
func (c *chat) elicitRows(width, height int) ([]string, *tea.Cursor) {
	e, th := c.elicits[0], c.m.th
	inner := widget.InnerWidth(width)
	body := wrapInk(th.Strong.Paint, e.asked.Message, "", inner)
	title := c.m.agentName() + " asks"
	if e.form == nil {
		body = append(body, c.linkRows(e, inner)...)
		foot := "o opens it in your browser · c copies · n declines · esc cancels"
		if e.open {
			foot = "o opens it again · n stops waiting"
		}
		return widget.Box{Title: title, Foot: foot, Body: body, Focused: true}.Rows(width, th), nil
	}
	if e.about.Description != "" {
		body = append(body, wrapInk(th.Dim.Paint, e.about.Description, "", inner)...)
	}
	body = body[:min(len(body), max(1, height/3))]
	rows, x, y := e.form.Rows(inner, max(3, height-2-len(body)), th)
	cursor := tea.NewCursor(2+x, 1+len(body)+y)
	return widget.Box{Title: title, Foot: "tab next · ctrl+s sends · esc cancels", Body: append(body, rows...), Focused: true}.Rows(width, th), cursor
}

// linkRows show the whole address, the host by itself, and what is odd about it.
func (c *chat) linkRows(e *elicitation, width int) []string {
	th := c.m.th
	rows := append(wrapInk(th.Code.Paint, e.link.URL, "  ", width), wrapInk(th.Strong.Paint, "host: "+e.link.Host, "  ", width)...)
	for _, w := range e.link.Warnings {
		rows = append(rows, wrapInk(th.Bad.Paint, "! "+w, "  ", width)...)
	}
	switch {
	case e.open:
		rows = append(rows, th.Accent.Paint("waiting for the agent to say that it is done"))
	case !e.link.OK:
		rows = append(rows, th.Bad.Paint("parley does not open this"))
	}
	if e.note != "" {
		rows = append(rows, th.Warn.Paint(e.note))
	}
	return rows
}
