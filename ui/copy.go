package ui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/ui/panel"
)

// maxOSC52 bounds what is sent to the terminal's clipboard, in bytes: terminals
// drop what is longer, and do not say so.
const maxOSC52 = 1 << 20

// copyPatience is how long a program of this machine may take to copy.
const copyPatience = 3 * time.Second

// copiedMsg says what became of copying with a program of this machine.
type copiedMsg struct {
	chat *chat
	text string
	tool string
	err  error
}

// copyText copies a text: with a program of this machine where there is one that
// can, else by asking the terminal. What is said afterwards names the way.
func (c *chat) copyText(make func() string) tea.Cmd {
	copier := c.m.opts.Copy
	return func() tea.Msg {
		text := make()
		msg := copiedMsg{chat: c, text: text}
		if copier != nil && text != "" {
			ctx, stop := context.WithTimeout(c.m.w.Context(), copyPatience)
			defer stop()
			msg.tool, msg.err = copier(ctx, text)
		}
		return msg
	}
}

// handle says how it went; where no program has copied the terminal is asked.
func (msg copiedMsg) handle(m *Model) tea.Cmd {
	c := msg.chat
	size := panel.Lines(msg.text)
	switch {
	case msg.text == "":
		return c.say("there is nothing to copy")
	case msg.err == nil && msg.tool != "":
		return c.say("copied " + size + " with " + msg.tool)
	case len(msg.text) > maxOSC52:
		return c.say(fmt.Sprintf("not copied: %s are %d kB, more than the 1024 kB that go by OSC 52", size, len(msg.text)>>10))
	}
	word := "copied " + size + " by OSC 52"
	if m.opts.Multiplexer != "" {
		word += " (" + m.opts.Multiplexer + ")"
	}
	word += ": whether it arrived cannot be known"
	if msg.err != nil {
		word = "copied " + size + " by OSC 52, since " + msg.err.Error()
	}
	return tea.Batch(m.osc52(msg.text), c.say(word))
}

// osc52 asks the terminal to take a text. Inside a multiplexer it is asked twice:
// it takes the text itself if it is set up so, and hands the other on if it is
// set up so.
func (m *Model) osc52(text string) tea.Cmd {
	switch m.opts.Multiplexer {
	case "tmux":
		return tea.Batch(tea.SetClipboard(text), tea.Raw(ansi.TmuxPassthrough(ansi.SetSystemClipboard(text))))
	case "screen":
		const chunk = 600 // of one string that screen takes, in bytes
		return tea.Raw(ansi.ScreenPassthrough(ansi.SetSystemClipboard(text), chunk))
	}
	return tea.SetClipboard(text)
}
