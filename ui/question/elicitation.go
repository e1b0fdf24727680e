package question

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/widget/box"
	"parley/ui/widget/form"
	"parley/ui/widget/text"
)

// Elicitation is what an agent wants of the user: a form, or a page to be opened.
type Elicitation struct {
	in    *Elicitations
	asked event.ElicitationAsked
	about elicit.Form
	form  *form.Form
	link  elicit.Link
	open  bool // the page: the user agreed, its completion is awaited
	note  string

	hold
	sight // of a form's message, of all of a page
}

// Asks tells whether it waits for the user, and not for the agent.
func (e *Elicitation) Asks() bool { return !e.open }

// Values are those of its form, as they are typed.
func (e *Elicitation) Values() []form.Value {
	if e.form == nil {
		return nil
	}
	return e.form.Values()
}

// Armed tells whether a key that comes now is for it: as with a question, what is
// typed ahead opens no page and fills in no form.
func (e *Elicitation) Armed() bool {
	around := e.in.host.Around()
	if around.Covered || around.Later {
		return false
	}
	if e.grabbed || e.open { // what is only waited for never takes keys by itself
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

// WaitsSince is since when it waits for quiet; false while it cannot be seen.
func (e *Elicitation) WaitsSince() (since time.Time, waits bool) {
	return e.shownAt, e.in.InSight() != nil
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
		e.form.Paste(strings.TrimRight(text, "\r\n")) // nobody sees the one at the end
	}
	return nil, true
}

// Press handles a key, armed or not.
func (e *Elicitation) Press(p layer.Press) tea.Cmd {
	if e.drops(e.in.env.Now()) {
		return nil
	}
	open := e.form != nil && e.form.Choice() == form.FormOpen
	if p.Name == "ctrl+c" || p.Name == "esc" && !open { // an open form may have a list to close first
		return e.settle("cancel")
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
		return e.settle("accept")
	case form.FormDecline:
		return e.settle("decline")
	case form.FormCancel:
		return e.settle("cancel")
	}
	return nil
}

// linkKey answers for a page. Nothing is opened without the user's permission, and
// accepting says no more than that the user agreed.
func (e *Elicitation) linkKey(name string) tea.Cmd {
	host := e.in.host
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
			return host.Say("only http and https pages are opened")
		}
		if !e.read {
			return host.Say(readFirst)
		}
		if !e.open {
			e.open, e.offset = true, 0
			e.asked.Answer(event.ElicitationAnswer{Action: "accept"})
			e.in.standBy()
		}
		e.grabbed = false // whoever continues typing opens nothing
		if open := host.OpenURL(e.link.URL); open != nil {
			return open
		}
		e.note = "open it by hand"
	case "c":
		return tea.Batch(tea.Raw(ansi.SetSystemClipboard(e.link.URL)), host.Say("the address was sent to the terminal's clipboard"))
	case "n":
		if e.open {
			return e.settle("cancel")
		}
		return e.settle("decline")
	}
	return nil
}

// settle answers and takes it off the screen.
func (e *Elicitation) settle(action string) tea.Cmd {
	answer := event.ElicitationAnswer{Action: action}
	if action == "accept" && e.form != nil {
		values := map[string]any{}
		for i, v := range e.form.Values() {
			values[e.about.Fields[i].Key] = fieldValue(e.about.Fields[i], v)
		}
		content, problems := e.about.Content(values)
		if len(problems) > 0 {
			return e.in.host.Say("not sent: " + problems[0].Text)
		}
		answer.Content = content
	}
	e.asked.Answer(answer)
	e.open = false
	e.in.Settled(e.asked.Key)
	return nil
}

// Rows draws it in at most height rows. The cursor is in the form only while it has the
// keys. What is covered cannot be read. The Shown is for Saw, after the frame.
func (e *Elicitation) Rows(width, height int, covered bool) ([]string, *tea.Cursor, Shown) {
	th, agent, armed := e.in.env.Theme, e.in.host.Agent(), e.Armed()
	inner := box.InnerWidth(width)
	box := box.Box{Title: agent + " asks", Foot: e.foot(armed), Focused: armed}
	on := Shown{key: e.asked.Key, drawn: true, of: lines{width: inner}, covered: true}
	if e.open && !armed { // it only stands by
		box.Title = agent + " waits for a page"
		box.Body = []string{th.Accent.Paint(text.Truncate("until it says that "+e.link.Host+" is done", inner, "…"))}
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
		box.Right = "shift+↓ " + box.Right
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

// Saw is to be called after a frame with what it shows. It tells whether it is drawn
// otherwise now.
func (e *Elicitation) Saw(on Shown) bool {
	if !on.drawn || e.asked.Key != on.key {
		return false
	}
	first, before := e.shownAt.IsZero(), e.sight
	e.appears(e.in.env.Now())
	e.sight = before.see(on)
	if on.form.width > 0 {
		e.form.Shown(on.form.width, on.form.height, e.in.env.Theme)
	}
	return first || !e.sight.same(before)
}

// foot says which keys there are.
func (e *Elicitation) foot(armed bool) string {
	around := e.in.host.Around()
	switch {
	case e.open && !armed:
		return "alt+a to open it again or to stop waiting"
	case around.Focused:
		return "alt+a or tab to answer"
	case !armed && !around.Drafting:
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
// What became of it comes above.
func (e *Elicitation) linkRows(width int) (above, rows []string) {
	th := e.in.env.Theme
	if e.open {
		above = text.WrapInk(th.Accent.Paint, "waiting for the agent to say that it is done", "", width)
	}
	if e.note != "" {
		above = append(above, text.WrapInk(th.Warn.Paint, e.note, "", width)...)
	}
	rows = text.WrapInk(th.Code.Paint, e.link.URL, "  ", width)
	if e.link.Host != "" {
		rows = append(rows, text.WrapInk(th.Strong.Paint, "host: "+e.link.Host, "  ", width)...)
	}
	for _, w := range e.link.Warnings {
		rows = append(rows, text.WrapInk(th.Bad.Paint, "! "+w, "  ", width)...)
	}
	if !e.link.OK {
		rows = append(rows, text.WrapInk(th.Bad.Paint, "parley does not open this", "", width)...)
	}
	return above, rows
}
