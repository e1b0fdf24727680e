package page

import (
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/internal/intent"
	"parley/internal/safetext"
	"parley/internal/template"
	"parley/internal/workspace"
	"parley/ui/composer"
)

// slashCommands are what can be typed after a slash in a session.
type slashCommands struct{ *workspace.Session }

// all returns the slash commands: parley's, the templates, then the agent's.
func (c slashCommands) all() (all []composer.Command) {
	for _, a := range intent.Commands() {
		if !c.useless(a) {
			all = append(all, composer.Command{Name: a.Command, Help: a.Help, Args: a.Args, From: "parley"})
		}
	}
	for _, t := range c.Templates().All() {
		from := "yours"
		if t.Project {
			from = "project"
		}
		all = append(all, composer.Command{Name: t.Name, Help: safetext.Line(t.Description, 200), Args: safetext.Line(t.Hint, 60), From: from})
	}
	return append(all, c.ofAgent()...)
}

// ofAgent returns the agent's commands by the names to type: those that are parley's too have a prefix.
func (c slashCommands) ofAgent() (all []composer.Command) {
	if c.ReadOnly {
		return nil
	}
	for _, cmd := range c.Thread.Commands {
		name := strings.TrimPrefix(c.typed("/"+cmd.Name), "/")
		all = append(all, composer.Command{Name: name, Help: cmd.Description, Args: cmd.Hint, From: c.Agent.Name()})
	}
	return all
}

// named reports whether a word is a command of parley's or a template.
func (c slashCommands) named(word string) bool {
	_, own := intent.CommandNamed(word)
	return own || slices.ContainsFunc(c.Templates().All(), func(t template.Template) bool { return t.Name == word })
}

// typed returns the line to type so that the agent gets a prompt.
func (c slashCommands) typed(prompt string) string {
	if word := workspace.CommandWord(prompt); c.named(word) || strings.HasPrefix(prompt, workspace.AgentCommand) || strings.HasPrefix(prompt, "!") {
		return workspace.ForAgent(prompt)
	}
	return prompt
}

// own returns the action of parley's that a line names, and the words after it.
func (c slashCommands) own(line string) (a intent.Action, words string, ok bool) {
	line = strings.TrimSpace(line)
	word := workspace.CommandWord(line)
	a, ok = intent.CommandNamed(word)
	return a, strings.TrimSpace(strings.TrimPrefix(line, "/"+word)), ok && !c.useless(a)
}

// agentsOwn says how to run the agent's command of a name that is parley's too, for a line with words that
// parley's does not take. Such a line is never sent as it is: the name is parley's.
func (c slashCommands) agentsOwn(line string) (why string, ok bool) {
	a, words, own := c.own(line)
	if !own || words == "" || a.Args != "" {
		return "", false
	}
	word := workspace.CommandWord(strings.TrimSpace(line))
	ok = !c.ReadOnly && slices.ContainsFunc(c.Thread.Commands, func(cmd event.Command) bool { return cmd.Name == word })
	return "/" + word + " is parley's and takes nothing after it · " + workspace.AgentCommand + word + " runs " + c.Agent.Name() + "'s", ok
}

// doubt says why a line that looks like a command should not be sent, "" if it is a command or a prompt.
func (c slashCommands) doubt(line string) string {
	if a, words, own := c.own(line); own {
		if words != "" && a.Args == "" {
			return "/" + a.Command + " takes nothing after it"
		}
		return ""
	}
	var names []string
	for _, cmd := range c.all() {
		names = append(names, cmd.Name)
	}
	return workspace.NoCommand(line, names)
}

// useless reports whether an action would do nothing on this page. The palette and the
// completion leave it out.
func (c slashCommands) useless(a intent.Action) bool {
	return c.ReadOnly && a.Needs == intent.LiveAgent
}
