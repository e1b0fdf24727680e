package page

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/workspace"
	"parley/ui/layer"
)

// steer puts a prompt into the running turn: args, the draft, or the first queued prompt. For an agent that takes
// none there, a second press stops the turn and sends it.
func steer(c *Page, args string) tea.Cmd {
	key := c.screen.Keys.ChatKey(intent.Steer)
	prompt, draft := workspace.Prompt{Text: args}, args == "" && !c.Composer.Empty()
	queue := c.Prompts.Queue.Texts()
	switch {
	case c.ReadOnly:
		return c.say(c.WhyReadOnly())
	case draft && !c.Running():
		return c.out.Add(layer.Do(intent.Send))
	case draft:
		prompt.Text = c.Composer.Value()
	case args == "" && len(queue) > 0:
		if prompt.Text = queue[0]; !c.Running() {
			c.Prompts.Resume()
			return nil
		}
	case args == "":
		if !c.Prompts.Steers() {
			return c.say("Type a prompt first: " + key + " stops the turn and sends it")
		}
		return c.say("Type a prompt first: " + key + " puts it into the running turn")
	}
	text := prompt.Text
	if workspace.IsCommand(text) || strings.HasPrefix(text, "!") {
		return c.say("Only a prompt can be put into the running turn")
	}
	if !c.Prompts.Steers() && c.Running() && c.sending.stopsFor != text {
		c.sending.stopsFor = text
		return c.say(c.Agent.Name() + " takes no prompt in a turn · " + key + " again stops the turn and sends it")
	}
	c.sending.stopsFor = ""
	switch {
	case draft:
		c.Composer.AddToHistory(text)
		c.Composer.Clear()
	case args != "":
		c.Composer.AddToHistory(text)
	default:
		prompt = c.Prompts.Queue.Drop(0)
	}
	if !c.Prompts.Steers() && c.Running() {
		c.DropToast()
		c.Prompts.StopAndSend(prompt)
		return nil
	}
	if err := c.Prompts.Steer(prompt); err != nil {
		if prompt.OfClient() {
			c.Prompts.Queue.PutBack(prompt)
		} else {
			c.Composer.Prepend(text)
		}
		return c.say("Not sent: " + err.Error())
	}
	return nil
}
