package linear

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/intent"
)

// ownCommand is a slash command that only this mode has.
type ownCommand struct {
	name, help string
	run        func(c *chat, arg string)
}

// ownCommands are those, in the order of the help. They are made anew because the
// help lists them.
func ownCommands() []ownCommand {
	return []ownCommand{
		{"stop", "stop the turn", func(c *chat, _ string) { c.stop() }},
		{"output", "with a number: all of that tool call, its output or its changes; the last one without", (*chat).showOutput},
		{"thought", "the text of the last thought", func(c *chat, _ string) { c.lastThought() }},
		{"transcript", "the whole conversation again", func(c *chat, _ string) { c.transcript() }},
		{"status", "how things stand; an empty line during a turn does the same", func(c *chat, _ string) { c.status() }},
		{"queue", "the prompts that wait", func(c *chat, _ string) { c.listQueue() }},
		{"drop", "with a number: drop that prompt of those that wait; the last one without", (*chat).dropQueued},
		{"resend", "send a prompt again that may not have arrived", (*chat).resend},
	}
}

// served are the commands of the screen that this mode has, too.
func served() map[intent.Intent]func(c *chat, arg string) {
	return map[intent.Intent]func(c *chat, arg string){
		intent.ToggleHelp:   func(c *chat, _ string) { c.help() },
		intent.NewSession:   func(c *chat, _ string) { c.newSession() },
		intent.Sessions:     (*chat).sessions,
		intent.Mode:         func(c *chat, _ string) { c.options("mode") },
		intent.Model:        func(c *chat, _ string) { c.options("model") },
		intent.Options:      func(c *chat, _ string) { c.options("") },
		intent.TogglePlan:   func(c *chat, _ string) { c.plan() },
		intent.Background:   func(c *chat, _ string) { c.goingOn() },
		intent.Login:        func(c *chat, _ string) { c.chooseLogin(false) },
		intent.Logout:       func(c *chat, _ string) { c.logOut() },
		intent.ToggleLog:    func(c *chat, _ string) { c.showLog() },
		intent.AnotherAgent: func(c *chat, _ string) { c.anotherAgent() },
		intent.Turns:        func(c *chat, _ string) { c.turns() },
		intent.Approval:     func(c *chat, _ string) { c.approval() },
		intent.Trust:        func(c *chat, _ string) { c.trust() },
		intent.FileChanges:  func(c *chat, _ string) { c.changes(false) },
		intent.PutBack:      func(c *chat, _ string) { c.changes(true) },
		intent.Quit:         func(c *chat, _ string) { c.over = true },
	}
}

// own carries out a command of parley's; false for what is the agent's, or nobody's.
func (c *chat) own(text string) bool {
	name, arg, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	run := func(f func(c *chat, arg string)) bool {
		f(c, strings.TrimSpace(arg))
		return true
	}
	short, forced := strings.CutPrefix(name, intent.Own)
	for _, cmd := range ownCommands() {
		if cmd.name == short && (forced || !c.agentHas(short)) {
			return run(cmd.run)
		}
	}
	a, ok := intent.Named(name, c.agentHas)
	if !ok {
		return false
	}
	if f := served()[a.Intent]; f != nil {
		return run(f)
	}
	c.say("/%s does not exist in this mode.", name)
	return true
}

// agentHas tells whether a slash command is the agent's.
func (c *chat) agentHas(name string) bool {
	return slices.ContainsFunc(c.Thread.Commands, func(cmd event.Command) bool { return cmd.Name == name })
}

// help lists what can be typed.
func (c *chat) help() {
	c.say("A line is a prompt; one that ends with a backslash goes on in the next. During a turn it waits for the end of the turn.")
	c.say("ctrl+c stops the turn; at rest, twice, it quits. ctrl+d quits.")
	c.say("Commands:")
	for _, cmd := range ownCommands() {
		name := cmd.name
		if c.agentHas(name) {
			name = intent.Own + name
		}
		c.say("/%s: %s.", name, cmd.help)
	}
	for _, o := range intent.Offers(c.agentHas) {
		if served()[o.Intent] != nil {
			c.say("/%s: %s.", o.Slash, o.Help)
		}
	}
	if len(c.Thread.Commands) > 0 {
		c.say("Commands of %s:", c.name())
	}
	for _, cmd := range c.Thread.Commands {
		c.out.lines("/" + oneLine(cmd.Name) + ": " + strings.TrimSpace(oneLine(cmd.Description)+" "+oneLine(cmd.Hint)))
	}
}

func (c *chat) plan() {
	for _, p := range c.Thread.Plans {
		if p.Markdown != "" {
			s := &speaker{to: &saying{c: c, s: &told{}, name: "Plan"}}
			s.feed(p.Markdown)
			s.finish()
		}
	}
	switch {
	case len(c.Thread.Plans) == 0:
		c.say("There is no plan.")
		return
	case len(c.Thread.Plan) == 0:
		return
	}
	c.say("Plan, %s:", count(len(c.Thread.Plan), "step"))
	for i, e := range c.Thread.Plan {
		state := map[string]string{"completed": "done", "in_progress": "now", "pending": "open"}[e.Status]
		if state == "" {
			state = e.Status
		}
		c.say("%d. %s: %s", i+1, state, inline(e.Content))
	}
}

// goingOn lists the tool calls that run, and what goes on without the turn.
func (c *chat) goingOn() {
	n := 0
	for _, it := range c.Thread.Items {
		if it.Kind != thread.ToolCall || !it.Tool.Live() {
			continue
		}
		n++
		number := 0
		if s := c.told[it.Index]; s != nil {
			number = s.number
		}
		c.say("%s: %s, %s, for %s.", toolName(it.Tool, number), subject(it.Tool, c.cwd()), it.Tool.StateWord(), spoken(it.Tool.Took(time.Now())))
	}
	for _, b := range c.Thread.Background {
		if c.Thread.Tool(b.ID) == nil {
			n++
			c.say("In the background: %s %s.", strings.ReplaceAll(oneLine(b.Type), "_", " "), spelled(b.ID))
		}
	}
	if n == 0 && !c.busy() {
		c.say("Nothing is going on.")
	}
}

func since(t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return time.Since(t)
}

func (c *chat) showLog() {
	lines, _ := c.Agent.Log.Lines()
	const most = 50
	if len(lines) == 0 {
		c.say("The log is empty.")
		return
	}
	lines = lines[max(0, len(lines)-most):]
	c.say("The last %s of the log:", count(len(lines), "line"))
	for _, l := range lines {
		c.out.lines(l.At.Format("15:04:05") + " " + string(l.Source) + ": " + l.Text)
	}
}

// anotherAgent asks for an agent in the place of this one.
func (c *chat) anotherAgent() {
	if c.ACP != nil && c.busy() {
		c.say("The turn is still running: /stop stops it.")
		return
	}
	if c.Agent.Conn() != nil {
		c.say("Another agent takes the place of %s, which ends.", c.name())
	}
	c.chooseAgent()
}

func (c *chat) turns() {
	all := prompts(c.Thread)
	if len(all) == 0 {
		c.say("There are no prompts yet.")
		return
	}
	c.say("Prompts so far:")
	for i, text := range all {
		c.say("%d. %s", i+1, cut(oneLine(text), 200))
	}
}

func (c *chat) lastThought() {
	for i := len(c.Thread.Items) - 1; i >= 0; i-- {
		if it := c.Thread.Items[i]; it.Kind == thread.ThoughtMessage && !it.Blank() {
			c.say("%s", thought(it))
			c.out.lines(strings.TrimSpace(string(it.Text)))
			c.say("End of the thought.")
			return
		}
	}
	c.say("There was no thought.")
}

func (c *chat) transcript() {
	if len(c.Thread.Items) == 0 {
		c.say("There is nothing yet.")
		return
	}
	c.say("The conversation from its beginning:")
	c.write(c.talk, 0)
	c.say("End of the conversation.")
}

func (c *chat) listQueue() {
	if len(c.Queued) == 0 {
		c.say("No prompt waits.")
		return
	}
	for i, text := range c.Queued {
		c.say("%d. %s", i+1, cut(oneLine(text), 200))
	}
	if c.Paused {
		c.say("They wait for you: enter alone sends the first one.")
	}
}

func (c *chat) dropQueued(arg string) {
	n := len(c.Queued)
	if arg != "" {
		n, _ = strconv.Atoi(arg)
	}
	if n < 1 || n > len(c.Queued) {
		c.say("There is no such prompt among those that wait.")
		return
	}
	text := c.Queued[n-1]
	c.Queued = append(c.Queued[:n-1:n-1], c.Queued[n:]...)
	c.say("Dropped: %s", cut(oneLine(text), 200))
}
