package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/widget"
)

// elicitation is what an agent wants of the user: a form, or a page to be
// opened. One is shown at a time, over the transcript; it is never answered by
// itself.
type elicitation struct {
	c     *chat
	asked event.ElicitationAsked
	about elicit.Form
	form  *widget.Form
	link  elicit.Link
	open  bool // the page: the user agreed, its completion is awaited
	note  string

	scroller      // of a form's message, of all of a page
	read     bool // the end of the page has been on the screen

	shownAt   time.Time // when it was first drawn
	grabbed   bool      // it has the keys
	grabbedAt time.Time // when the user gave them to it; zero: it got them by waiting
}

// eliciting tells whether a form or a page is next; a question comes first.
func (c *chat) eliciting() bool { return len(c.elicits) > 0 && !c.question.open() }

// form is that one; nil where there is none.
func (c *chat) form() *elicitation {
	if !c.eliciting() {
		return nil
	}
	return c.elicits[0]
}

// elicitShown tells whether it is on the screen.
func (c *chat) elicitShown() bool {
	return c.eliciting() && c.panels.reading == nil && !c.listed()
}

// armed tells whether a key that comes now is for it: as with a question, what is
// typed ahead opens no page and fills in no form.
func (e *elicitation) Armed() bool {
	c, now := e.c, e.c.m.Now()
	if !c.elicitShown() {
		return false
	}
	if e.grabbed || e.open { // what is only waited for never takes keys by itself
		return e.grabbed
	}
	return !e.shownAt.IsZero() && !c.focused && c.composer.Empty() && now.Sub(e.shownAt) >= layer.Quiet && now.Sub(c.m.input.Last()) >= layer.Quiet
}

// grab gives it the keys.
func (e *elicitation) grab(now time.Time) {
	if !e.grabbed {
		e.grabbed, e.grabbedAt = true, now
	}
}

// unread makes it wait for quiet again.
func (e *elicitation) unread() { e.shownAt, e.grabbed = time.Time{}, false }

// asksAgain makes what is shown now wait for quiet.
func (c *chat) asksAgain() tea.Cmd {
	for _, e := range c.elicits {
		e.unread()
	}
	return nil
}

// elicited takes a new one. A form that cannot be shown as one is declined, and
// said so.
func (c *chat) elicited(e event.ElicitationAsked) tea.Cmd {
	n := &elicitation{c: c, asked: e}
	if e.URL != "" {
		n.link = elicit.ParseLink(e.URL)
	} else {
		form, err := elicit.Parse(e.Schema)
		if err != nil {
			e.Answer(event.ElicitationAnswer{Action: "decline"})
			return c.say("the agent asked for a form that parley cannot show; declined")
		}
		n.about, n.form = form, widget.NewForm(formFields(form), c.m.Keys)
	}
	at := slices.IndexFunc(c.elicits, func(e *elicitation) bool { return e.open })
	if at < 0 {
		at = len(c.elicits)
	}
	c.elicits = slices.Insert(c.elicits, at, n) // what waits for the user comes before what waits for the agent
	return nil
}

// elicitSettled drops one that is over, unless its page is still awaited. The
// next one waits for quiet.
func (c *chat) elicitSettled(key uint64) tea.Cmd {
	for i, e := range c.elicits {
		if e.asked.Key == key && !e.open {
			c.elicits = append(c.elicits[:i:i], c.elicits[i+1:]...)
			return nil
		}
	}
	return nil
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

// key takes all keys while it is armed.
func (e *elicitation) Key(p layer.Press) (tea.Cmd, bool) {
	if !e.Armed() {
		return nil, false
	}
	return e.press(p), true
}

func (e *elicitation) Paste(text string) (tea.Cmd, bool) {
	if !e.Armed() {
		return nil, false
	}
	e.grabbed = true
	if e.form != nil {
		e.form.Paste(strings.TrimRight(text, "\r\n")) // nobody sees the one at the end
	}
	return nil, true
}

func (e *elicitation) WaitsSince() (time.Time, bool) { return e.shownAt, e.c.elicitShown() }

func (e *elicitation) press(p layer.Press) tea.Cmd {
	c, name := e.c, p.Name
	if e.grabbed && c.m.Now().Sub(e.grabbedAt) < dropAfterGrab {
		return nil
	}
	open := e.form != nil && e.form.Choice() == widget.FormOpen
	if name == "ctrl+c" || name == "esc" && !open { // an open form may have a list to close first
		return c.settle(e, "cancel")
	}
	e.grabbed = true
	switch p.Want {
	case intent.ScrollUp:
		e.offset--
		return nil
	case intent.ScrollDown:
		e.offset++
		return nil
	}
	if e.form == nil {
		return c.linkKey(e, name)
	}
	e.form.Key(p.KeyPressMsg)
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
	if e.scroll(name) {
		return nil
	}
	switch name {
	case "o", "y":
		if !e.link.OK {
			return c.say("only http and https pages are opened")
		}
		if !e.read {
			return c.say("read to the end first: down, pgdn")
		}
		if !e.open {
			e.open, e.offset = true, 0
			e.asked.Answer(event.ElicitationAnswer{Action: "accept"})
			c.elicits = append(c.elicits[1:len(c.elicits):len(c.elicits)], e)
		}
		e.grabbed = false // whoever goes on typing opens nothing
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

func (msg openedURLMsg) handle(*Model) tea.Cmd {
	if msg.err != nil {
		return msg.chat.say("no browser was started: " + msg.err.Error())
	}
	return msg.chat.say("opened in your browser")
}

// settle answers and takes it off the screen.
func (c *chat) settle(e *elicitation, action string) tea.Cmd {
	answer := event.ElicitationAnswer{Action: action}
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
	return c.elicitSettled(e.asked.Key)
}

// elicitRows draws the one on the screen in at most height rows. The cursor is in
// the form only while it has the keys. What is covered has not been read.
func (c *chat) elicitRows(width, height int, covered bool) ([]string, *tea.Cursor) {
	e, th, now := c.elicits[0], c.m.Theme, c.m.Now()
	if e.shownAt.IsZero() {
		e.shownAt = now
	}
	armed := e.Armed()
	inner := widget.InnerWidth(width)
	body := wrapInk(th.Strong.Paint, e.asked.Message, "", inner)
	box := widget.Box{Title: c.Agent.Name() + " asks", Focused: armed}
	if e.open && !armed { // it only stands by
		box.Title, box.Foot = c.Agent.Name()+" waits for a page", e.foot(c, armed)
		box.Body = []string{th.Accent.Paint(widget.Truncate("until it says that "+e.link.Host+" is done", inner, "…"))}
		if e.note != "" {
			box.Body = append(box.Body, th.Warn.Paint(widget.Truncate(e.note, inner, "…")))
		}
		return box.Rows(width, th), nil
	}
	if e.form == nil {
		above, rows := c.linkRows(e, inner)
		body = append(append(above, body...), rows...)
		box.Body, box.Right = e.window(body, max(1, height-2))
		e.read = e.read || !covered && height > 2 && e.ended(body)
		box.Foot = e.foot(c, armed)
		return box.Rows(width, th), nil
	}
	if e.about.Description != "" {
		body = append(body, wrapInk(th.Dim.Paint, e.about.Description, "", inner)...)
	}
	box.Body, box.Right = e.window(body, max(1, height/3))
	if box.Right != "" {
		box.Right = "shift+↓ " + box.Right
	}
	box.Foot = e.foot(c, armed)
	above := len(box.Body)
	rows, x, y := e.form.Rows(inner, max(1, height-2-above), th)
	box.Body = append(box.Body, rows...)
	if !armed || y < 0 {
		return box.Rows(width, th), nil
	}
	return box.Rows(width, th), tea.NewCursor(2+x, 1+above+y)
}

// foot says which keys there are.
func (e *elicitation) foot(c *chat, armed bool) string {
	switch {
	case e.open && !armed:
		return "alt+a to open it again or to stop waiting"
	case c.focused:
		return "alt+a or tab to answer"
	case !armed && c.composer.Empty():
		return "alt+a to answer · esc cancels"
	case !armed:
		return "keys are off while you type · alt+a to answer · esc cancels"
	case e.form != nil:
		return "tab next · ctrl+s sends · esc cancels"
	case e.open:
		return "o opens it again · n stops waiting"
	case !e.link.OK:
		return "c copies · n declines · esc cancels"
	case !e.read:
		return "read on to open it: pgdn · n declines · esc cancels"
	}
	return "o opens it · c copies · n declines · esc cancels"
}

// linkRows show the whole address, the host by itself, and what is odd about it.
// What became of it stands above.
func (c *chat) linkRows(e *elicitation, width int) (above, rows []string) {
	th := c.m.Theme
	if e.open {
		above = wrapInk(th.Accent.Paint, "waiting for the agent to say that it is done", "", width)
	}
	if e.note != "" {
		above = append(above, wrapInk(th.Warn.Paint, e.note, "", width)...)
	}
	rows = wrapInk(th.Code.Paint, e.link.URL, "  ", width)
	if e.link.Host != "" {
		rows = append(rows, wrapInk(th.Strong.Paint, "host: "+e.link.Host, "  ", width)...)
	}
	for _, w := range e.link.Warnings {
		rows = append(rows, wrapInk(th.Bad.Paint, "! "+w, "  ", width)...)
	}
	if !e.link.OK {
		rows = append(rows, wrapInk(th.Bad.Paint, "parley does not open this", "", width)...)
	}
	return above, rows
}
