package ui

import (
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/widget"
)

// loginStep is what a way to log in wants of the user first: values for the
// agent's environment, or the word that a command may run. It stands in the
// place of the list of ways and has the keys; esc goes back to the list.
type loginStep struct {
	m      *Model
	agent  *workspace.Agent
	conn   *workspace.Connection
	method event.AuthMethod

	form  *widget.Form         // of the variables; nil for a command
	asked workspace.AskedLogin // the command

	scroller           // of what stands above the form, of all about a command
	read     bool      // the end about the command has been on the screen
	shownAt  time.Time // when it was first drawn
}

var (
	errBlank   = errors.New("an answer is needed")
	errTooLong = errors.New("that is too long for a variable")
)

// variablesStep asks for the variables of a login.
func (m *Model) variablesStep(a *workspace.Agent, method event.AuthMethod) *loginStep {
	vars := method.Vars
	if method.TakesKey {
		vars = []event.AuthVar{{Name: "API key", Secret: true, Optional: true}}
	}
	var fields []widget.FormField
	for _, v := range vars {
		f := widget.FormField{Label: v.Name, OneLine: true, Required: !v.Optional}
		var help []string
		if v.Label != "" {
			f.Label = v.Label
			help = append(help, v.Name)
		}
		if v.Secret {
			f.Kind = widget.FormSecret
			help = append(help, "not shown while you type")
		}
		switch {
		case method.TakesKey:
			help = append(help, "empty: the one of its environment")
		case v.Optional:
			help = append(help, "may stay empty")
		}
		f.Help = strings.Join(help, ", ")
		f.Check = func(v widget.FormValue) error {
			switch {
			case f.Required && strings.TrimSpace(v.Text) == "":
				return errBlank
			case len(v.Text) > workspace.MaxVariable:
				return errTooLong
			}
			return nil
		}
		fields = append(fields, f)
	}
	return &loginStep{m: m, agent: a, conn: a.Conn(), method: method, form: widget.NewForm(fields, m.Keys).WithoutDecline()}
}

// key handles a key; close says that the list is not needed any more either.
func (g *loginStep) Key(p *picker, msg tea.KeyPressMsg) (cmd tea.Cmd, close bool) {
	name := msg.String()
	switch {
	case name == "ctrl+c":
		return nil, true
	case g.form == nil:
		return g.commandKey(p, name)
	}
	switch g.m.Keys.Of(intent.Chat, name) {
	case intent.ScrollUp:
		g.offset--
		return nil, false
	case intent.ScrollDown:
		g.offset++
		return nil, false
	}
	g.form.Key(msg)
	switch g.form.Choice() {
	case widget.FormOpen:
		return nil, false
	case widget.FormSend:
		return g.give(), true
	}
	p.step = nil
	return nil, false
}

// commandKey runs the command by a key of its own, which counts only once all of
// it has been there to be read.
func (g *loginStep) commandKey(p *picker, name string) (cmd tea.Cmd, close bool) {
	if g.scroll(name) {
		return nil, false
	}
	switch name {
	case "esc", "n":
		p.step = nil
	case "y":
		if !g.Armed() || g.agent.Conn() != g.conn {
			return nil, false
		}
		return g.m.runLogin(g.agent, g.conn, g.asked.Command), true
	}
	return nil, false
}

// armed tells whether a command may be agreed to: all of it has been on the
// screen, and it stands there long enough for a key to be about it.
func (g *loginStep) Armed() bool { return g.read && g.m.Now().Sub(g.shownAt) >= layer.Quiet }

// paste puts pasted text into the form.
func (g *loginStep) Paste(text string) {
	if g.form != nil {
		g.form.Paste(strings.TrimRight(text, "\r\n"))
	}
}

// give starts the agent again with what was typed in its environment, or hands it the key.
func (g *loginStep) give() tea.Cmd {
	if g.agent.Conn() != g.conn {
		return g.m.chat.say("not sent: the agent was started again in the meantime")
	}
	if g.method.TakesKey {
		g.agent.Authenticate(g.method, strings.TrimSpace(g.form.Values()[0].Text))
		return nil
	}
	values := workspace.Variables{}
	for i, v := range g.form.Values() {
		if text := strings.TrimSpace(v.Text); text != "" { // blanks around a key come from copying it
			values[g.method.Vars[i].Name] = text
		}
	}
	g.agent.Give(g.method, values)
	return nil
}

// rows draws it as a box of at most height rows, and tells where in it the
// cursor stands.
func (g *loginStep) rows(width, height int, th *theme.Theme) ([]string, *tea.Cursor) {
	if g.shownAt.IsZero() {
		g.shownAt = g.m.Now()
	}
	box := widget.Box{Title: "log in to " + g.agent.Name() + ": " + workspace.MethodName(g.method), Focused: true}
	inner := widget.InnerWidth(width)
	if g.form == nil {
		rows := g.commandRows(inner, th)
		box.Body, box.Right = g.window(rows, max(1, height-2))
		g.read = g.read || g.ended(rows)
		switch {
		case !g.read:
			box.Foot = "read on to run it: pgdn · esc back"
		case g.Armed():
			box.Foot = "y runs it · esc back"
		default:
			box.Foot = "esc back"
		}
		return box.Rows(width, th), nil
	}
	box.Foot = "tab next · ctrl+s sends · esc back"
	if len(g.method.Vars) == 1 || g.method.TakesKey {
		box.Foot = "enter sends · esc back"
	}
	const formRoom = 5 // a field with its help, a blank row, the ways out
	box.Body, box.Right = g.window(g.aboutRows(inner, th), max(1, height-2-formRoom))
	if box.Right != "" {
		box.Right = "shift+↓ " + box.Right
	}
	above := len(box.Body)
	rows, x, y := g.form.Rows(inner, max(1, height-2-above), th)
	g.form.Shown(inner, max(1, height-2-above), th)
	box.Body = append(box.Body, rows...)
	if y < 0 {
		return box.Rows(width, th), nil
	}
	return box.Rows(width, th), tea.NewCursor(2+x, 1+above+y)
}

// aboutRows say what becomes of what is typed, and where it is to be had.
func (g *loginStep) aboutRows(width int, th *theme.Theme) []string {
	becomes := "the agent is started again with it; parley keeps it in memory only"
	if g.method.TakesKey {
		becomes = "the agent gets it, and may keep it; parley does not"
	}
	rows := wrapInk(th.Dim.Paint, becomes, "", width)
	if g.method.Description != "" {
		rows = append(rows, wrapInk(nil, g.method.Description, "", width)...)
	}
	if link := elicit.ParseLink(g.method.Link); link.OK {
		rows = append(rows, wrapInk(th.Code.Paint, link.URL, "  ", width)...)
		for _, w := range link.Warnings {
			rows = append(rows, wrapInk(th.Bad.Paint, "! "+w, "  ", width)...)
		}
	}
	return append(rows, "")
}

// commandRows show exactly what would run.
func (g *loginStep) commandRows(width int, th *theme.Theme) []string {
	rows := wrapInk(th.Strong.Paint, g.agent.Name()+" wants a command run that it has chosen itself, in this terminal:", "", width)
	rows = append(rows, "")
	rows = append(rows, wrapInk(th.Code.Paint, spelled(g.asked.Line), "  ", width)...)
	rows = append(rows, "")
	rows = append(rows, wrapInk(nil, "runs "+spelled(g.asked.Program), "  ", width)...)
	rows = append(rows, wrapInk(nil, "in "+spelled(g.asked.Dir), "  ", width)...)
	for _, words := range []string{g.method.Description, g.method.Command.Label} {
		if words != "" {
			rows = append(rows, wrapInk(th.Dim.Paint, "agent's words: \""+words+"\"", "", width)...)
		}
	}
	return rows
}

// spelled is a text with everything in it visible, on one line.
func spelled(s string) string { return strings.ReplaceAll(safetext.Visible(s), "\n", `<\n>`) }
