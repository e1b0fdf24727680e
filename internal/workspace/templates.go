package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/internal/safetext"
	"parley/internal/template"
)

// Templates are prompts that can be sent by slash commands.
type Templates struct {
	all   []template.Template
	shown map[string]bool // uses of projects' templates whose text was shown
}

// Templates returns the prompt templates that can be used in the session.
func (s *Session) Templates() *Templates {
	if s.ReadOnly {
		return &Templates{}
	}
	return &s.w.templates
}

// All returns the templates. The caller must not change them.
func (ts *Templates) All() []template.Template { return ts.all }

// Line is a line that the user typed.
type Line struct {
	Text string
	Hold bool // queue it, although it may be possible to send it now
	Due  bool // it was queued, and its turn has come
}

// UseTemplate sends the prompt of the template that a line such as "/review main.go" names, or queues the
// line; ok is false if it names none. The text of a project's template, which comes from its repository,
// and of one that sends a sensitive file is returned instead the first time; the same line again sends it.
// restore is called later if the prompt was not sent because the template's mode could not be set, which
// the user is told.
func (p *Prompts) UseTemplate(l Line, restore func()) (preview string, ok bool, err error) {
	s := p.s
	t, prompt, preview, err := s.Templates().expand(l.Text)
	switch {
	case t.Name == "" || preview != "" || err != nil:
		return preview, t.Name != "", err
	case !l.Due && (l.Hold || !p.Ready() || t.Mode != "" && s.Busy()): // it is used when its turn comes
		return "", true, p.Submit(l.Text, true)
	case t.Agent != "" && t.Agent != s.Agent.Name():
		return "", true, p.startWith(t, prompt)
	}
	send := func() error {
		if l.Due {
			return p.Send(ForAgent(prompt))
		}
		return p.Submit(ForAgent(prompt), false)
	}
	if t.Mode != "" {
		return "", true, p.sendInMode(t.Mode, send, restore)
	}
	return "", true, send()
}

// Prompt returns the prompt of the template that a line names, the line itself if it names none,
// so that it can be given to several agents. The preview is that of Prompts.UseTemplate.
func (ts *Templates) Prompt(line string) (prompt, preview string, err error) {
	t, prompt, preview, err := ts.expand(line)
	switch {
	case t.Name == "":
		return line, "", nil
	case preview == "" && err == nil && t.Agent+t.Mode != "":
		err = fmt.Errorf("/%s sets an agent or a mode: send it to one agent", safetext.Line(t.Name, 60))
	}
	return prompt, preview, err
}

// expand finds the template that a line names, the zero Template if it names none. Instead of
// the prompt it returns a preview the first time, as UseTemplate says.
func (ts *Templates) expand(line string) (t template.Template, prompt, preview string, err error) {
	line = strings.TrimSpace(line)
	name := CommandWord(line)
	args := strings.TrimSpace(strings.TrimPrefix(line, "/"+name))
	i := slices.IndexFunc(ts.all, func(t template.Template) bool { return t.Name == name })
	if i < 0 {
		return t, "", "", nil
	}
	t = ts.all[i]
	prompt = safetext.Clean(t.Expand(args))  // what is shown is what is sent
	_, sensitive := template.FilesIn(t.Body) // not what the user typed after the command
	if digest := t.Digest() + args; (t.Project || sensitive) && !ts.shown[digest] {
		ts.shown[digest] = true
		return t, "", previewOf(t, prompt), nil
	}
	if prompt == "" {
		err = fmt.Errorf("%s has no text", t.Path)
	}
	return t, prompt, "", err
}

// previewOf returns what a template would do.
func previewOf(t template.Template, prompt string) string {
	var b strings.Builder
	from := "Your template"
	if t.Project {
		from = "From this project"
	}
	fmt.Fprintf(&b, "%s: %s\n", from, safetext.Line(t.Path, 200))
	if t.Agent != "" {
		fmt.Fprintf(&b, "Agent: %s\n", safetext.Line(t.Agent, 60))
	}
	if t.Mode != "" {
		fmt.Fprintf(&b, "Mode: %s\n", safetext.Line(t.Mode, 60))
	}
	if files, _ := template.FilesIn(prompt); files != nil {
		fmt.Fprintf(&b, "Sends files: %s\n", safetext.Line(strings.Join(files, ", "), 400))
	}
	return b.String() + "\n" + prompt
}

// startWith sends a prompt to a new session of the template's agent.
func (p *Prompts) startWith(t template.Template, prompt string) error {
	w := p.s.w
	if t.Mode != "" {
		return errors.New("a template with an agent cannot set a mode")
	}
	if !slices.ContainsFunc(w.opts.Agents, func(spec Spec) bool { return spec.Name == t.Agent }) {
		return fmt.Errorf("there is no agent %s; `parley agents` lists them", safetext.Line(t.Agent, 60))
	}
	w.Start(w.Spec(t.Agent)).Sessions()[0].Prompts.Queue.Add(ForAgent(prompt))
	return nil
}

// sendInMode calls send after switching the mode. Queued prompts wait until then.
func (p *Prompts) sendInMode(mode string, send func() error, restore func()) error {
	setting, ok := p.s.Setting("mode")
	i := slices.IndexFunc(setting.Choices, func(c event.Choice) bool {
		return c.ID == mode || strings.EqualFold(ChoiceName(c), mode)
	})
	if !ok || i < 0 {
		return fmt.Errorf("the agent has no mode %s", safetext.Line(mode, 60))
	}
	id := setting.Choices[i].ID
	if id == setting.Current {
		return send()
	}
	p.switching = true
	setting.Set(id, func(err error) {
		p.switching = false
		if err == nil {
			err = send()
		}
		if err != nil {
			restore()
			p.s.Say("Not sent: " + err.Error())
		}
		p.sendQueued()
	})
	return nil
}
