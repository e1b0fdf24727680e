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

// Templates returns the prompt templates that can be used in the session. A command of the agent hides
// a project's template of the same name, and is hidden by the user's own.
func (s *Session) Templates() []template.Template {
	if s.ReadOnly {
		return nil
	}
	var all []template.Template
	for _, t := range s.w.opts.Templates {
		if !t.Project || !slices.ContainsFunc(s.Thread.Commands, func(c event.Command) bool { return c.Name == t.Name }) {
			all = append(all, t)
		}
	}
	return all
}

// UseTemplate sends the prompt of the template that a line such as "/review main.go" names; ok is false
// if it names none. The text of a project's template, which comes from its repository, and of one that
// sends a sensitive file is returned instead the first time; the same line again sends it. restore is called later if the prompt was not
// sent because the template's mode could not be set, which the user is told.
func (s *Session) UseTemplate(line string, hold bool, restore func()) (preview string, ok bool, err error) {
	t, prompt, preview, err := s.expandTemplate(line)
	switch {
	case t.Name == "" || preview != "" || err != nil:
		return preview, t.Name != "", err
	case t.Agent != "" && t.Agent != s.Agent.Name():
		return "", true, s.startWith(t, prompt)
	case t.Mode != "":
		return "", true, s.sendInMode(t.Mode, prompt, restore)
	}
	return "", true, s.Submit(prompt, hold)
}

// TemplatePrompt returns the prompt of the template that a line names, the line itself if it names none,
// so that it can be given to several agents. The preview is that of UseTemplate.
func (s *Session) TemplatePrompt(line string) (prompt, preview string, err error) {
	t, prompt, preview, err := s.expandTemplate(line)
	switch {
	case t.Name == "":
		return line, "", nil
	case preview == "" && err == nil && t.Agent+t.Mode != "":
		err = fmt.Errorf("/%s sets an agent or a mode: send it to one agent", safetext.Line(t.Name, 60))
	}
	return prompt, preview, err
}

// expandTemplate finds the template that a line names, the zero Template if it names none. Instead of
// the prompt it returns a preview the first time, as UseTemplate says.
func (s *Session) expandTemplate(line string) (t template.Template, prompt, preview string, err error) {
	name, args, _ := strings.Cut(strings.TrimSpace(line), " ")
	all := s.Templates()
	i := slices.IndexFunc(all, func(t template.Template) bool { return "/"+t.Name == name })
	if i < 0 {
		return t, "", "", nil
	}
	t = all[i]
	prompt = safetext.Clean(t.Expand(args))  // what is shown is what is sent
	_, sensitive := template.FilesIn(t.Body) // not what the user typed after the command
	if digest := t.Digest() + args; (t.Project || sensitive) && !s.w.shown[digest] {
		s.w.shown[digest] = true
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
func (s *Session) startWith(t template.Template, prompt string) error {
	if t.Mode != "" {
		return errors.New("a template with an agent cannot set a mode")
	}
	if !slices.ContainsFunc(s.w.opts.Agents, func(spec Spec) bool { return spec.Name == t.Agent }) {
		return fmt.Errorf("there is no agent %s; `parley agents` lists them", safetext.Line(t.Agent, 60))
	}
	s.w.Start(s.w.Spec(t.Agent)).Sessions()[0].Enqueue(prompt)
	return nil
}

// sendInMode sends a prompt after switching the mode. A turn that is running would be switched too, so
// it must have ended.
func (s *Session) sendInMode(mode, prompt string, restore func()) error {
	if !s.TakesPrompts() {
		return errors.New("this template sets the mode: wait until the turn has ended")
	}
	setting, ok := s.Setting("mode")
	i := slices.IndexFunc(setting.Choices, func(c event.Choice) bool {
		return c.ID == mode || strings.EqualFold(ChoiceName(c), mode)
	})
	if !ok || i < 0 {
		return fmt.Errorf("the agent has no mode %s", safetext.Line(mode, 60))
	}
	if id := setting.Choices[i].ID; id != setting.Current {
		setting.Set(id, func(err error) {
			if err == nil {
				err = s.Submit(prompt, false)
			}
			if err != nil {
				restore()
				s.w.tell(Said{s, "Not sent: " + err.Error()})
			}
		})
		return nil
	}
	return s.Submit(prompt, false)
}
