package linear

import (
	"cmp"
	"slices"
	"strings"

	"parley/internal/intent"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/internal/workspace"
)

// command is a slash command.
type command struct {
	name, help string
	run        func(arg string)
}

// commands runs the slash commands that are not the agent's.
type commands struct {
	w      *workspace.Workspace
	out    *printer
	own    []command                          // that only this mode has, in the order of the help
	served map[intent.Intent]func(arg string) // commands that the screen has too

	putAside func(line string) (number int) // queues a line
}

// noArgs adapts a function without an argument.
func noArgs(do func()) func(string) { return func(string) { do() } }

// run runs a command. It returns false if text is none of parley's.
func (c *commands) run(text string) bool {
	name := workspace.CommandWord(text)
	run := c.named(name)
	if run == nil {
		return false
	}
	run(strings.TrimSpace(strings.TrimPrefix(text, "/"+name)))
	return true
}

// named returns what runs the command of parley's with that name, nil if there is none.
func (c *commands) named(name string) func(arg string) {
	for _, cmd := range c.own {
		if cmd.name == name {
			return cmd.run
		}
	}
	a, ok := intent.CommandNamed(name)
	run := c.served[a.Intent]
	switch {
	case run != nil && c.w.Front().Agent.Opening() && a.Needs != intent.Nothing:
		return func(arg string) {
			c.out.say("Queued as prompt %d: /%s runs when the agent is ready.", c.putAside(strings.TrimSpace("/"+name+" "+arg)), name)
		}
	case run != nil || !ok:
		return run
	}
	return func(string) { c.out.say("/%s is not available in this mode.", name) }
}

// doubt says why a line that looks like a command should not be sent, "" if it is a command or a prompt.
func (c *commands) doubt(line string) string {
	if c.named(workspace.CommandWord(line)) != nil {
		return ""
	}
	var names []string
	for _, cmd := range append(c.ours(), c.agents()...) {
		names = append(names, cmd.name)
	}
	return workspace.NoCommand(line, names)
}

// ours returns parley's commands and the templates.
func (c *commands) ours() []command {
	all := slices.Clone(c.own)
	for _, a := range intent.Commands() {
		if c.served[a.Intent] != nil {
			all = append(all, command{name: a.Command, help: cmp.Or(a.InLines, a.Help)})
		}
	}
	for _, t := range c.w.Front().Templates().All() {
		all = append(all, command{name: t.Name, help: withHint(t.Description, t.Hint)})
	}
	return all
}

// agents returns the agent's commands with the names to type: those that others have too get a prefix.
func (c *commands) agents() (all []command) {
	ours := c.ours()
	for _, cmd := range c.w.Front().Thread.Commands {
		name := words.OneLine(cmd.Name)
		if slices.ContainsFunc(ours, func(o command) bool { return o.name == cmd.Name }) {
			name = strings.TrimPrefix(workspace.ForAgent("/"+name), "/")
		}
		all = append(all, command{name: name, help: withHint(cmd.Description, cmd.Hint)})
	}
	return all
}

// withHint returns the description of a command with what it takes.
func withHint(description, hint string) string {
	const most = 200 // agents describe when a model should use a command, at any length
	description, hint = strings.TrimSuffix(safetext.Line(description, most), "."), safetext.Line(hint, most)
	if description == "" || hint == "" {
		return description + hint
	}
	return description + "; takes " + hint
}

// help lists the commands.
func (c *commands) help() {
	c.out.say("Each line is a prompt. A backslash at its end continues it on the next line. During a turn a prompt waits for the end of the turn.")
	c.out.say("ctrl+c stops the turn; pressed twice, it quits. ctrl+d quits.")
	c.out.say("Commands:")
	for _, cmd := range c.ours() {
		c.out.say("%s.", strings.TrimSuffix("/"+cmd.name+": "+cmd.help, ": "))
	}
	agents := c.agents()
	if len(agents) > 0 {
		c.out.say("Commands of %s:", called(c.w.Front().Agent))
	}
	for _, cmd := range agents {
		c.out.lines(strings.TrimSuffix("/"+cmd.name+": "+cmd.help, ": "))
	}
}
