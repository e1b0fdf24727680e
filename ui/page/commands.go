package page

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/intent"
	"parley/internal/safetext"
	"parley/internal/template"
	"parley/internal/workspace"
	"parley/ui/composer"
	"parley/ui/status"
)

// commands returns the slash commands: the agent's, the templates, then parley's.
func (c *Page) commands() []composer.Command {
	all := c.agentCommands()
	for _, t := range c.Templates().All() {
		from := "yours"
		if t.Project {
			from = "project"
		}
		all = append(all, composer.Command{Name: t.Name, Help: safetext.Line(t.Description, 200), Args: safetext.Line(t.Hint, 60), From: from})
	}
	for _, a := range intent.Commands() {
		if !c.useless(a) {
			all = append(all, composer.Command{Name: a.Command, Help: a.Help, Args: a.Args, From: "parley"})
		}
	}
	return all
}

// agentCommands returns the agent's commands by the names to type: those that are parley's too have a prefix.
func (c *Page) agentCommands() (all []composer.Command) {
	if c.ReadOnly {
		return nil
	}
	for _, cmd := range c.Thread.Commands {
		name := strings.TrimPrefix(c.typedForm("/"+cmd.Name), "/")
		all = append(all, composer.Command{Name: name, Help: cmd.Description, Args: cmd.Hint, From: c.Agent.Name()})
	}
	return all
}

// named reports whether a word is a command of parley's or a template.
func (c *Page) named(word string) bool {
	_, own := intent.CommandNamed(word)
	return own || slices.ContainsFunc(c.Templates().All(), func(t template.Template) bool { return t.Name == word })
}

// typedForm returns the line to type so that the agent gets a prompt.
func (c *Page) typedForm(prompt string) string {
	if word := workspace.CommandWord(prompt); c.named(word) || strings.HasPrefix(prompt, workspace.AgentCommand) {
		return workspace.ForAgent(prompt)
	}
	return prompt
}

// ownCommand returns the action of parley's that a line names, and the words after it.
func (c *Page) ownCommand(line string) (a intent.Action, words string, ok bool) {
	line = strings.TrimSpace(line)
	word := workspace.CommandWord(line)
	a, ok = intent.CommandNamed(word)
	return a, strings.TrimSpace(strings.TrimPrefix(line, "/"+word)), ok && !c.useless(a)
}

// submitLine runs the command that a line names, or sends the line as a prompt; false if it returned to
// the composer instead. due says that it was queued and its turn has come.
func (c *Page) submitLine(line string, due bool) (tea.Cmd, bool) {
	asText := c.doubtful == line
	c.doubtful = ""
	if asText {
		line, c.toast = workspace.ForAgent(line), status.Toast{} // it said what enter does
	} else if why, agents := c.agentsOwn(line); agents {
		c.Composer.Prepend(line)
		return c.say(why), false
	} else if why := c.doubt(line); why != "" {
		c.Composer.Prepend(line)
		c.doubtful = c.Composer.Value()
		return c.say(why + " · " + c.screen.Keys.ChatKey(intent.Send) + " again sends it as text"), false
	}
	if a, words, own := c.ownCommand(line); own {
		c.Composer.AddToRunHistory(line) // for this run only
		return c.runCommand(a, words, strings.TrimSpace(line))
	}
	c.Composer.AddToHistory(line)
	hold := c.listed() // with a list open, the prompt waits for its outcome
	restore := func() { c.Composer.Prepend(line) }
	preview, used, err := c.Prompts.UseTemplate(workspace.Line{Text: line, Hold: hold, Due: due}, restore)
	switch {
	case preview != "":
		restore()
		c.PreviewTemplate(preview)
		return nil, false
	case used || err != nil:
	case due:
		err = c.Prompts.Send(line)
	default:
		err = c.Prompts.Submit(line, hold)
	}
	if err != nil {
		restore()
		return c.say("Not sent: " + err.Error()), false
	}
	return nil, true
}

// runCommand runs a command of parley's. One that needs the agent waits until that is ready.
func (c *Page) runCommand(a intent.Action, words, line string) (tea.Cmd, bool) {
	if c.Agent.Opening() && a.Needs != intent.Nothing {
		if err := c.Prompts.Submit(line, true); err != nil {
			return c.say(err.Error()), false
		}
		return c.say("/" + a.Command + " runs when " + c.Agent.Name() + " is ready"), true
	}
	cmd, _ := c.do(a.Intent, words)
	return cmd, true
}

// agentsOwn says how to run the agent's command of a name that is parley's too, for a line with words that
// parley's does not take. Such a line is never sent as it is: the name is parley's.
func (c *Page) agentsOwn(line string) (why string, ok bool) {
	a, words, own := c.ownCommand(line)
	if !own || words == "" || a.Args != "" {
		return "", false
	}
	word := workspace.CommandWord(strings.TrimSpace(line))
	ok = !c.ReadOnly && slices.ContainsFunc(c.Thread.Commands, func(cmd event.Command) bool { return cmd.Name == word })
	return "/" + word + " is parley's and takes nothing after it · " + workspace.AgentCommand + word + " runs " + c.Agent.Name() + "'s", ok
}

// doubt says why a line that looks like a command should not be sent, "" if it is a command or a prompt.
func (c *Page) doubt(line string) string {
	if a, words, own := c.ownCommand(line); own {
		if words != "" && a.Args == "" {
			return "/" + a.Command + " takes nothing after it"
		}
		return ""
	}
	var names []string
	for _, cmd := range c.commands() {
		names = append(names, cmd.Name)
	}
	return workspace.NoCommand(line, names)
}

// RunDue handles a queued line whose turn has come; false if it returned to the composer instead.
func (c *Page) RunDue(line string) (tea.Cmd, bool) { return c.submitLine(line, true) }

// RanDue lets the lines that wait after the one whose turn had come follow it, unless it opened a list.
func (c *Page) RanDue(done bool) {
	switch {
	case !done || c.listed():
		c.Prompts.Queue.Pause()
	case !c.Prompts.Queue.Paused():
		c.Prompts.Resume()
	}
}

// commandsChanged sends the line in the composer about which the user was asked, if the agent turns out
// to have the command.
func (c *Page) commandsChanged() tea.Cmd {
	line := c.doubtful
	if line == "" || c.Composer.Value() != line || c.doubt(line) != "" {
		return nil
	}
	c.doubtful = ""
	c.Composer.Clear()
	cmd, _ := c.submitLine(line, false)
	return cmd
}
