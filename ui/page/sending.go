package page

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/ui/status"
	"parley/ui/transcript"
)

// sending sends what is in the composer, and runs the commands in it.
type sending struct {
	c        *Page
	doubtful string // the line about which the user was asked whether to send it as text
	stopsFor string // the prompt about which the user was asked whether to stop the turn for it
}

// submitLine runs the command that a line names, or sends the line as a prompt; false if it returned to
// the composer instead. due says that it was queued and its turn has come.
func (s *sending) submitLine(line string, due bool) (tea.Cmd, bool) {
	c := s.c
	asText := s.doubtful == line
	s.doubtful = ""
	if asText {
		line, c.toast = workspace.ForAgent(line), status.Toast{} // it said what enter does
	} else if why, agents := c.slash().agentsOwn(line); agents {
		c.Composer.Prepend(line)
		return c.say(why), false
	} else if why := c.slash().doubt(line); why != "" {
		c.Composer.Prepend(line)
		s.doubtful = c.Composer.Value()
		return c.say(why + " · " + c.screen.Keys.ChatKey(intent.Send) + " again sends it as text"), false
	}
	if a, words, own := c.slash().own(line); own {
		c.Composer.AddToRunHistory(line) // for this run only
		return s.runCommand(a, words, strings.TrimSpace(line))
	}
	if !c.Prompts.Queue.EditsClients(line) {
		c.Composer.AddToHistory(line)
	}
	hold := c.listed() // with a list open, the prompt waits for its outcome
	restore := func() { c.Composer.Prepend(line) }
	preview, used, err := c.Prompts.UseTemplate(workspace.Line{Text: line, Hold: hold, Due: due}, restore)
	switch {
	case preview != "":
		restore()
		PreviewTemplate(c, preview)
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
func (s *sending) runCommand(a intent.Action, args, line string) (tea.Cmd, bool) {
	c := s.c
	if c.Agent.Opening() && a.Needs != intent.Nothing {
		if err := c.Prompts.Submit(line, true); err != nil {
			return c.say(words.Sentence(err.Error())), false
		}
		return c.say("/" + a.Command + " runs when " + c.Agent.Name() + " is ready"), true
	}
	cmd, _ := c.act(a.Intent, args)
	return cmd, true
}

// runDue handles a queued line whose turn has come. The lines that wait after it follow, unless it returned to the
// composer or opened a list.
func (s *sending) runDue(line string) tea.Cmd {
	c := s.c
	cmd, done := s.submitLine(line, true)
	switch {
	case !done || c.listed():
		c.Prompts.Queue.Pause()
	case !c.Prompts.Queue.Paused():
		c.Prompts.Resume()
	}
	return cmd
}

// commandsChanged sends the line in the composer about which the user was asked, if the agent turns out
// to have the command.
func (s *sending) commandsChanged() tea.Cmd {
	c := s.c
	line := s.doubtful
	if line == "" || c.Composer.Value() != line || c.slash().doubt(line) != "" {
		return nil
	}
	s.doubtful = ""
	c.Composer.Clear()
	cmd, _ := s.submitLine(line, false)
	return cmd
}

// submit handles enter in the composer.
func (s *sending) submit() tea.Cmd {
	c := s.c
	if c.shelling() {
		return s.runLine()
	}
	return tea.Batch(c.Composer.AttachTyped(), s.sendDraft())
}

// sendDraft sends or queues the draft, or runs the command in it.
func (s *sending) sendDraft() tea.Cmd {
	c := s.c
	text := c.Composer.Value()
	if c.ReadOnly {
		return s.readOnly(strings.TrimSpace(text))
	}
	if a, _, own := c.slash().own(text); (!own || a.Needs == intent.LiveAgent) && c.Continue() {
		return nil
	}
	if strings.TrimSpace(text) == "" {
		if c.Prompts.Queue.Len() > 0 && c.Thread.State == thread.Idle {
			c.Prompts.Resume()
			return nil
		}
		if c.Prompts.Queue.Paused() {
			c.Prompts.Resume()
			return c.say("Queued prompts are sent after this turn")
		}
		return nil
	}
	c.Composer.Clear()
	cmd, _ := s.submitLine(text, false)
	return cmd
}

// readOnly handles enter on a page read from a log, where only commands that need no agent
// work.
func (s *sending) readOnly(text string) tea.Cmd {
	c := s.c
	if text == "" {
		return nil
	}
	if _, _, own := c.slash().own(text); own {
		c.Composer.Clear()
		cmd, _ := s.submitLine(text, false)
		return cmd
	}
	return c.say(c.WhyReadOnly())
}

// runLine runs the command in the composer after the commands before it.
func (s *sending) runLine() tea.Cmd {
	c := s.c
	text := c.Composer.Value()
	line := strings.TrimSpace(c.Composer.PortableText(strings.TrimPrefix(text, "!")))
	switch {
	case c.ReadOnly:
		return c.say("Read-only log: nothing can be run here")
	case c.screen.Options.Shell == nil:
		return c.say("Commands cannot be run here")
	case line == "":
		return c.say("Type ! and a command to run it in your shell")
	}
	c.Composer.AddToHistory(text)
	c.Composer.Clear()
	run := c.shells.Add(line, c.LocalDir())
	c.View.End()
	return run
}

// do does what a key means, and reports whether it applies here.
func (c *Page) do(i intent.Intent) (tea.Cmd, bool) {
	switch i {
	case intent.Send:
		return c.sending.submit(), true
	case intent.QuitIfEmpty:
		if !c.Composer.Empty() {
			return nil, false
		}
		i = intent.Quit
	case intent.EditQueued, intent.DropQueued:
		return unqueue(c, i == intent.EditQueued)
	}
	return c.act(i, "")
}

// shelling reports whether the draft is a shell command.
func (c *Page) shelling() bool { return c.Composer.HasPrefix("!") }

// onShellEvent applies an event of a command. Its output goes with the next prompt.
func (c *Page) onShellEvent(e event.Event) {
	c.own().changed = append(c.own().changed, c.Thread.Apply(e)...)
	c.Applied()
	if e, ended := e.(thread.ShellEnded); ended && e.Err == nil {
		if s := c.Thread.Shell(e.Key); s != nil && !s.Started.IsZero() {
			c.Prompts.Carried.Add(transcript.ShellBlock(s))
		}
	}
}
