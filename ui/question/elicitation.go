package question

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/internal/intent"
	"parley/internal/text"
	"parley/ui/layer"
	"parley/ui/widget/box"
	"parley/ui/widget/form"
)

// Elicitation is a form to fill in, or a web page to open, that an agent asks for.
type Elicitation struct {
	in    *Elicitations
	asked event.ElicitationAsked
	about elicit.Form
	form  *form.Form
	link  elicit.Link
	open  bool // the user agreed to open the page; the agent will say when it is done
	note  string

	hold
	sight // of the message of a form, or of all of a page
}

// Asks reports whether it waits for the user. A page that was opened waits for the agent.
func (e *Elicitation) Asks() bool { return !e.open }

// Asked returns when it came.
func (e *Elicitation) Asked() time.Time { return e.asked.At }

// Values returns what the form holds now.
func (e *Elicitation) Values() []form.Value {
	if e.form == nil {
		return nil
	}
	return e.form.Values()
}

// Armed reports whether it takes a key pressed now. As with a question, keys typed ahead
// open no page and fill in no form.
func (e *Elicitation) Armed() bool {
	around := e.in.page()
	if around.Covered || around.Later || around.Beside {
		return false
	}
	if e.grabbed || e.open { // an opened page takes keys only when the user gives them
		return e.grabbed
	}
	return e.waited(e.in.env.Now(), around)
}

// Grab gives it the keys.
func (e *Elicitation) Grab() {
	if !e.grabbed {
		e.grab(e.in.env.Now())
	}
}

// WaitsSince implements layer.Waiter. It waits only while it is on the screen.
func (e *Elicitation) WaitsSince() (since time.Time, waits bool) {
	return e.shownAt, e.in.OnScreen() != nil
}

// Key takes all keys while it is armed.
func (e *Elicitation) Key(p layer.Press) (tea.Cmd, bool) {
	if !e.Armed() {
		return nil, false
	}
	return e.Press(p), true
}

// Paste puts pasted text into the form while it is armed.
func (e *Elicitation) Paste(text string) (tea.Cmd, bool) {
	if !e.Armed() {
		return nil, false
	}
	e.grabbed = true
	if e.form != nil {
		e.form.Paste(strings.TrimRight(text, "\r\n")) // a line break at the end is invisible
	}
	return nil, true
}

// Press handles a key, armed or not.
func (e *Elicitation) Press(p layer.Press) tea.Cmd {
	if e.tooEarly(e.in.env.Now()) {
		return nil
	}
	open := e.form != nil && e.form.Choice() == form.FormOpen
	if p.Name == "ctrl+c" || p.Name == "esc" && !open { // an open form may have a list to close first
		return e.sendAnswer("cancel")
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
		return e.linkKey(p.Name)
	}
	e.form.Key(p.KeyPressMsg)
	switch e.form.Choice() {
	case form.FormSend:
		return e.sendAnswer("accept")
	case form.FormDecline:
		return e.sendAnswer("decline")
	case form.FormCancel:
		return e.sendAnswer("cancel")
	}
	return nil
}

// linkKey handles a key of a page. The page is opened only if the user says so, and
// "accept" tells the agent no more than that.
func (e *Elicitation) linkKey(name string) tea.Cmd {
	out := e.in.out
	switch name {
	case "up", "k":
		e.offset--
	case "down", "j":
		e.offset++
	case "pgup":
		e.offset -= max(1, e.page)
	case "pgdown", "space":
		e.offset += max(1, e.page)
	case "o", "y":
		if !e.link.OK {
			return out.Say("Only http and https pages can be opened")
		}
		if !e.read {
			return out.Say("Read to the end first: down, pgdn")
		}
		if !e.open {
			e.open, e.offset = true, 0
			e.asked.Answer(event.ElicitationAnswer{Action: "accept"})
			e.in.standBy()
		}
		e.grabbed = false // what is typed next opens nothing
		if e.in.page().Browser {
			return out.Add(layer.OpenURL(e.link.URL))
		}
		e.note = "Open it by hand"
	case "c":
		return tea.Batch(tea.Raw(ansi.SetSystemClipboard(e.link.URL)), out.Say("Sent the address to the terminal's clipboard"))
	case "n":
		if e.open {
			return e.sendAnswer("cancel")
		}
		return e.sendAnswer("decline")
	}
	return nil
}

// sendAnswer sends the answer and removes it from the screen.
func (e *Elicitation) sendAnswer(action string) tea.Cmd {
	answer := event.ElicitationAnswer{Action: action}
	if action == "accept" && e.form != nil {
		values := map[string]any{}
		for i, v := range e.form.Values() {
			values[e.about.Fields[i].Key] = fieldValue(e.about.Fields[i], v)
		}
		content, problems := e.about.Content(values)
		if len(problems) > 0 {
			return e.in.out.Say("Not sent: " + problems[0].Text)
		}
		answer.Content = content
	}
	e.asked.Answer(answer)
	e.open = false
	e.in.Settled(e.asked.Key)
	return nil
}

// Rows draws it in at most height rows. The cursor is nil unless it has the keys. If a
// popup covers it, none of the rows counts as read. Pass the Shown to Saw after the frame.
func (e *Elicitation) Rows(width, height int, covered bool) ([]string, *tea.Cursor, Shown) {
	th, agent, armed := e.in.env.Theme, e.in.page().Agent, e.Armed()
	inner := box.InnerWidth(width)
	box := box.Box{Title: agent + " asks", Foot: e.foot(armed), Focused: armed}
	on := Shown{key: e.asked.Key, drawn: true, of: lines{width: inner}, covered: true}
	if e.open && !armed { // it waits for the agent: one row is enough
		box.Title = agent + " is waiting for a page"
		box.Body = []string{th.Accent.Paint(text.Truncate("Until it reports that "+e.link.Host+" is done", inner, "…"))}
		if e.note != "" {
			box.Body = append(box.Body, th.Warn.Paint(text.Truncate(e.note, inner, "…")))
		}
		on.offset = e.offset
		return box.Rows(width, th), nil, on
	}
	body := text.WrapInk(th.Strong.Paint, e.asked.Message, "", inner)
	if e.form == nil {
		above, rows := e.linkRows(inner)
		on.covered = covered || height <= 2
		box.Body, box.Right = on.window(e.sight, append(append(above, body...), rows...), max(1, height-2))
		return box.Rows(width, th), nil, on
	}
	if e.about.Description != "" {
		body = append(body, text.WrapInk(th.Dim.Paint, e.about.Description, "", inner)...)
	}
	box.Body, box.Right = on.window(e.sight, body, max(1, height/3))
	if box.Right != "" {
		box.Right = intent.Symbol(e.in.env.Keys.ChatKey(intent.ScrollDown)) + " " + box.Right
	}
	above := len(box.Body)
	on.form.width, on.form.height = inner, max(1, height-2-above)
	rows, x, y := e.form.Rows(on.form.width, on.form.height, th)
	box.Body = append(box.Body, rows...)
	if !armed || y < 0 {
		return box.Rows(width, th), nil, on
	}
	return box.Rows(width, th), tea.NewCursor(2+x, 1+above+y), on
}

// Saw notes what a frame has shown. It reports whether the elicitation has to be drawn
// again.
func (e *Elicitation) Saw(on Shown) bool {
	if !on.drawn || e.asked.Key != on.key {
		return false
	}
	first, before := e.shownAt.IsZero(), e.sight
	e.appears(e.in.env.Now())
	e.sight = before.afterFrame(on)
	if on.form.width > 0 {
		e.form.Shown(on.form.width, on.form.height, e.in.env.Theme)
	}
	return first || !e.sight.same(before)
}

// foot names the keys.
func (e *Elicitation) foot(armed bool) string {
	around, keys, stop := e.in.page(), e.in.env.Keys, intent.Hint{Key: intent.Stop, Action: "cancel"}
	switch {
	case around.Beside:
		return keys.Label(intent.Chat, intent.NextWaiting) + " or a click to answer"
	case e.open && !armed:
		return keys.ChatKey(intent.FocusQuestion) + " to open it again or stop waiting"
	case around.Focused:
		return toAnswer(keys)
	case !armed && !around.Drafting:
		return keys.Hints(intent.Chat, answer, stop)
	case !armed:
		return keys.Hints(intent.Chat, typing, answer, stop)
	case e.form != nil:
		return "ctrl+s send · esc cancel · tab next"
	case e.open:
		return "o open again · n stops waiting"
	case !e.link.OK:
		return "c copy · n decline · esc cancel"
	case !e.read:
		return "read on to open: pgdn · n decline · esc cancel"
	}
	return "o open · c copy · n decline · esc cancel"
}

// linkRows draws the whole address with its host highlighted, the host on a separate row, and warnings about it.
// The rows above say whether the page was opened, and what went wrong.
func (e *Elicitation) linkRows(width int) (above, rows []string) {
	th := e.in.env.Theme
	if e.open {
		above = text.WrapInk(th.Accent.Paint, "Waiting for the agent to report that the page is done", "", width)
	}
	if e.note != "" {
		above = append(above, text.WrapInk(th.Warn.Paint, e.note, "", width)...)
	}
	l := e.link
	head, tail := l.URL[:l.HostAt], l.URL[l.HostAt+len(l.Host):]
	rows = text.WrapInk(nil, th.Code.Paint(head)+th.Strong.Paint(l.Host)+th.Code.Paint(tail), "  ", width)
	if l.Host != "" {
		rows = append(rows, text.WrapInk(th.Strong.Paint, "Host: "+l.Host, "  ", width)...)
	}
	for _, w := range l.Warnings {
		rows = append(rows, text.WrapInk(th.Bad.Paint, "! "+w, "  ", width)...)
	}
	if !l.OK {
		rows = append(rows, text.WrapInk(th.Bad.Paint, "parley cannot open this address", "", width)...)
	}
	return above, rows
}
