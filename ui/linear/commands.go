package linear

import (
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/linear/plain"
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
}

// bare adapts a function without an argument.
func bare(do func()) func(string) { return func(string) { do() } }

// run runs a command. It returns false if text is no command, or one of the agent's.
func (c *commands) run(text string) bool {
	name, arg, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	arg = strings.TrimSpace(arg)
	short, forced := strings.CutPrefix(name, intent.OwnPrefix)
	for _, cmd := range c.own {
		if cmd.name == short && (forced || !c.agentHas(short)) {
			cmd.run(arg)
			return true
		}
	}
	a, ok := intent.CommandNamed(name, c.agentHas)
	if !ok {
		return false
	}
	if run := c.served[a.Intent]; run != nil {
		run(arg)
		return true
	}
	c.out.say("/%s is not available in this mode.", name)
	return true
}

// agentHas reports whether the agent has the slash command.
func (c *commands) agentHas(name string) bool {
	return slices.ContainsFunc(c.w.Front().Thread.Commands, func(cmd event.Command) bool { return cmd.Name == name })
}

// help lists the commands.
func (c *commands) help() {
	c.out.say("Each line is a prompt. A backslash at its end continues it on the next line. During a turn a prompt waits for the end of the turn.")
	c.out.say("ctrl+c stops the turn; pressed twice, it quits. ctrl+d quits.")
	c.out.say("Commands:")
	for _, cmd := range c.own {
		name := cmd.name
		if c.agentHas(name) {
			name = intent.OwnPrefix + name
		}
		c.out.say("/%s: %s.", name, cmd.help)
	}
	for _, o := range intent.Offers(c.agentHas) {
		if c.served[o.Intent] != nil {
			c.out.say("/%s: %s.", o.Slash, o.Help)
		}
	}
	front := c.w.Front()
	for _, t := range front.Templates() {
		c.out.lines("/" + t.Name + ": " + strings.TrimSpace(plain.OneLine(t.Description)+" "+plain.OneLine(t.Hint)))
	}
	if len(front.Thread.Commands) > 0 {
		c.out.say("Commands of %s:", called(front.Agent))
	}
	for _, cmd := range front.Thread.Commands {
		c.out.lines("/" + plain.OneLine(cmd.Name) + ": " + strings.TrimSpace(plain.OneLine(cmd.Description)+" "+plain.OneLine(cmd.Hint)))
	}
}
