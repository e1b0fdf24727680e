package start

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/internal/intent"
	"parley/internal/text"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/widget/box"
	"parley/ui/widget/form"
)

// step is what a login method asks for first: values for the agent's environment, or
// permission to run a command. It has the keys. esc returns to the list.
type step struct {
	method  event.AuthMethod
	form    *form.Form           // for the variables; nil for a command
	command workspace.AgentLogin // the command to run
	reading                      // the text above the form, or about the command
}

var (
	errBlank   = errors.New("enter a value")
	errTooLong = errors.New("too long for a variable")
)

// variablesForm returns a form for the variables of a login method.
func variablesForm(method event.AuthMethod, keys *intent.Keymap) *form.Form {
	vars := method.Vars
	if method.TakesKey {
		vars = []event.AuthVar{{Name: "API key", Secret: true, Optional: true}}
	}
	var fields []form.Field
	for _, v := range vars {
		f := form.Field{Label: v.Name, OneLine: true, Required: !v.Optional}
		var help []string
		if v.Label != "" {
			f.Label = v.Label
			help = append(help, v.Name)
		}
		if v.Secret {
			f.Kind = form.FormSecret
			help = append(help, "not shown while you type")
		}
		switch {
		case method.TakesKey:
			help = append(help, "empty: use the one of its environment")
		case v.Optional:
			help = append(help, "optional")
		}
		f.Help = strings.Join(help, ", ")
		f.Check = func(v form.Value) error {
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
	return form.New(fields, keys).WithoutDecline()
}

// stepKey handles a key while a step is shown.
func (l *Login) stepKey(p layer.Press) tea.Cmd {
	s := l.step
	switch {
	case p.Name == "ctrl+c":
		l.Close()
		return nil
	case s.form == nil:
		return l.commandKey(p)
	case p.Want == intent.ScrollUp:
		s.key("up")
		return nil
	case p.Want == intent.ScrollDown:
		s.key("down")
		return nil
	}
	s.form.Key(p.KeyPressMsg)
	switch s.form.Choice() {
	case form.FormOpen:
	case form.FormSend:
		return l.submit()
	default:
		l.step = nil
	}
	return nil
}

// commandKey handles a key while a command is shown. y runs it, once all of it was shown.
func (l *Login) commandKey(p layer.Press) tea.Cmd {
	s := l.step
	switch p.Name {
	case "esc", "n":
		l.step = nil
	case "y":
		if s.answerable(l.env.Now()) && l.agent.ConnectionNumber() == l.connection {
			a, connection := l.agent, l.connection
			l.Close()
			return l.run(a, connection, s.command.Command)
		}
	default:
		s.key(p.Name)
	}
	return nil
}

// paste puts pasted text into the form.
func (s *step) paste(text string) {
	if s.form != nil {
		s.form.Paste(strings.TrimRight(text, "\r\n"))
	}
}

// submit restarts the agent with the typed values in its environment, or sends it the API
// key.
func (l *Login) submit() tea.Cmd {
	a, connection, s := l.agent, l.connection, l.step
	l.Close()
	if a.ConnectionNumber() != connection {
		return l.out.Say("Not sent: the agent was restarted meanwhile")
	}
	if s.method.TakesKey {
		a.Login.Authenticate(s.method, strings.TrimSpace(s.form.Values()[0].Text))
		return nil
	}
	values := workspace.Variables{}
	for i, v := range s.form.Values() {
		if text := strings.TrimSpace(v.Text); text != "" { // copied keys often have spaces around them
			values[s.method.Vars[i].Name] = text
		}
	}
	a.Login.WithVariables(s.method, values)
	return nil
}

// above returns the rows above the form, or those about a command, and how many fit.
func (l *Login) above(width, height int) (rows []string, page int) {
	if l.step.form == nil {
		return l.commandRows(width, l.env.Theme), max(1, height-2)
	}
	const formRoom = 5 // a field with its help, a blank row, the buttons
	return l.aboutRows(width, l.env.Theme), max(1, height-2-formRoom)
}

// sawStep notes which rows of the step have been on the screen.
func (l *Login) sawStep(width, height int) {
	s := l.step
	rows, page := l.above(box.InnerWidth(width), height)
	s.saw(l.env.Now(), width, len(rows), page)
	if s.form != nil {
		above := min(len(rows)-s.offset, page)
		s.form.Shown(box.InnerWidth(width), max(1, height-2-above), l.env.Theme)
	}
}

// stepRows draws the step as a box of at most height rows.
func (l *Login) stepRows(width, height int) ([]string, *tea.Cursor) {
	s, th, inner := l.step, l.env.Theme, box.InnerWidth(width)
	box := box.Box{Title: "Log in to " + l.agent.Name() + ": " + workspace.MethodName(s.method), Focused: true}
	rows, page := l.above(inner, height)
	offset, seen := s.sight(width, len(rows), page)
	box.Body = slices.Clip(rows[offset:min(len(rows), offset+page)])
	if rest := len(rows) - offset - page; rest > 0 {
		box.Right = text.MoreRows(rest)
	}
	if s.form == nil {
		switch {
		case !s.read && seen < len(rows):
			box.Foot = "read on to run: pgdn · esc back"
		case s.answerable(l.env.Now()):
			box.Foot = "y run · esc back"
		default:
			box.Foot = "esc back"
		}
		return box.Rows(width, th), nil
	}
	box.Foot = "ctrl+s send · esc back · tab next"
	if len(s.method.Vars) == 1 || s.method.TakesKey {
		box.Foot = "enter send · esc back"
	}
	if box.Right != "" {
		box.Right = intent.Symbol(l.env.Keys.ChatKey(intent.ScrollDown)) + " " + box.Right
	}
	above := len(box.Body)
	fields, x, y := s.form.Rows(inner, max(1, height-2-above), th)
	box.Body = append(box.Body, fields...)
	if y < 0 {
		return box.Rows(width, th), nil
	}
	return box.Rows(width, th), tea.NewCursor(2+x, 1+above+y)
}

// aboutRows says what parley does with the typed values, and where to get them.
func (l *Login) aboutRows(width int, th *theme.Theme) []string {
	m := l.step.method
	becomes := "The agent is restarted with it; parley keeps it in memory only"
	if m.TakesKey {
		becomes = "The agent gets it and may keep it; parley does not"
	}
	rows := text.WrapInk(th.Dim.Paint, becomes, "", width)
	if m.Description != "" {
		rows = append(rows, text.WrapInk(nil, m.Description, "", width)...)
	}
	if link := elicit.ParseLink(m.Link); link.OK {
		rows = append(rows, text.WrapInk(th.Code.Paint, link.URL, "  ", width)...)
		for _, w := range link.Warnings {
			rows = append(rows, text.WrapInk(th.Bad.Paint, "! "+w, "  ", width)...)
		}
	}
	return append(rows, "")
}

// commandRows shows exactly what would run.
func (l *Login) commandRows(width int, th *theme.Theme) []string {
	s := l.step
	rows := text.WrapInk(th.Strong.Paint, l.agent.Name()+" wants to run its own command in this terminal:", "", width)
	rows = append(rows, "")
	rows = append(rows, text.WrapInk(th.Code.Paint, visible(s.command.Line), "  ", width)...)
	rows = append(rows, "")
	rows = append(rows, text.WrapInk(nil, "Runs "+visible(s.command.Program), "  ", width)...)
	rows = append(rows, text.WrapInk(nil, "In "+visible(s.command.Dir), "  ", width)...)
	for _, words := range []string{s.method.Description, s.method.Command.Label} {
		if words != "" {
			rows = append(rows, text.WrapInk(th.Dim.Paint, "Agent's description: \""+words+"\"", "", width)...)
		}
	}
	return rows
}
