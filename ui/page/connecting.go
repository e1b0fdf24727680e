package page

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/layer"
)

// leaving handles the keys that always work while an agent starts: cancel, and the log.
type leaving struct{ connecting }

func (l leaving) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.c
	switch {
	case p.Want == intent.Interrupt && c.Composer.Empty():
		return l.giveUp(), true
	case p.Want == intent.Interrupt && c.height >= leastAhead:
		c.Composer.AddToHistory(c.Composer.Value())
		c.Composer.Reset()
	case p.Want == intent.Interrupt:
	case p.Want == intent.ToggleLog:
		toggleLog(c)
	default:
		return nil, false
	}
	return nil, true
}

func (l ahead) Paste(text string) (tea.Cmd, bool) {
	if l.c.height >= leastAhead {
		return l.c.Composer.Paste(text), true
	}
	return nil, true
}

// connecting is the page of a session whose agent is starting or failed to start.
type connecting struct{ c *Page }

func (l connecting) layers(above layer.Layer) []layer.Layer {
	c := l.c
	return []layer.Layer{
		above,
		anywhere{c},
		when(c.Panels.open != nil, c.Panels.open),
		leaving{l},
		when(showsLogin(c), c.login),
		when(c.Elicits.Current() != nil, c.Elicits.Current()),
		when(c.Panels.reading != nil, c.Panels.reading),
		when(showsAddress(c), address(c)),
		when(c.Question.Open(), c.Question),
		asked{c},
		l,
		ahead{c},
	}
}

func (l connecting) Key(p layer.Press) (tea.Cmd, bool) {
	c, a := l.c, l.c.Agent
	gives := p.Want == intent.FocusQuestion
	switch {
	case p.Want == intent.Stop && a.Login.Running() != "":
		a.Login.Cancel()
	case p.Want == intent.Stop:
		l.leave()
	case gives && c.login.Open():
		c.login.Grab()
	case (gives || c.Composer.Empty() && c.screen.Keys.Of(intent.Empty, p.Name) == intent.FocusTranscript) && c.giveKeys():
	case p.Name == "ctrl+r" && a.FallbackLog() != nil:
		c.login.Close()
		a.ReadLog()
	case p.Want == intent.Send && a.NoSession():
		a.StartNew()
	case p.Want == intent.Send && a.Err() != nil && !c.login.Open():
		a.Restart()
	case p.Want == intent.QuitIfEmpty && c.Composer.Empty():
		return l.giveUp(), true
	default:
		return nil, false
	}
	return nil, true
}

// ahead is the composer before there is a session. A prompt is sent when the agent is ready, and
// commands of parley's that need it wait, too.
type ahead struct{ c *Page }

func (l ahead) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.c
	if c.height < leastAhead { // the composer is not visible
		return nil, true
	}
	text := c.Composer.Value()
	send, empty := p.Want == intent.Send, c.screen.Keys.Of(intent.Empty, p.Name)
	edit := empty == intent.EditQueued
	switch {
	case send && (c.shelling() || strings.TrimSpace(text) == ""): // a shell command is not a prompt
	case send:
		c.Composer.Clear()
		cmd, _ := c.sending.submitLine(text, false)
		return cmd, true
	case (edit || empty == intent.DropQueued) && c.Composer.Empty() && c.Prompts.Queue.Len() > 0:
		unqueue(c, edit)
	default:
		c.Composer.Key(p.KeyPressMsg, c.screen.Keys.Of(intent.Draft, p.Keystroke()))
	}
	return nil, true
}

// leave cancels the start of the agent. The page of one that is compared is removed, else another agent
// can be chosen.
func (l connecting) leave() tea.Cmd {
	c := l.c
	c.login.Close()
	c.Agent.CancelStart()
	if c.Compared() != nil {
		nextColumn(c)
		c.screen.Workspace.Remove(c.Session)
		return nil
	}
	cmd, _ := c.act(intent.AnotherAgent, "")
	return cmd
}

// giveUp cancels the start of the agent, and quits if nothing else is open.
func (l connecting) giveUp() tea.Cmd {
	if l.c.alone() {
		cmd, _ := l.c.act(intent.Quit, "")
		return cmd
	}
	return l.leave()
}
