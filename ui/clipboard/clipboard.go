// Package clipboard copies texts to the user's clipboard.
package clipboard

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/ui/widget/text"
)

// maxOSC52 bounds what is sent to the terminal's clipboard, in bytes: terminals
// drop what is longer, and do not say so.
const maxOSC52 = 1 << 20

// patience is how long a program of this machine may take to copy.
const patience = 3 * time.Second

// Clipboard is the user's.
type Clipboard struct {
	// Program copies with a program of this machine, and names it; "" where there is none.
	// It may wait, and is called on a goroutine of its own. nil: there is none.
	Program func(ctx context.Context, text string) (name string, err error)
	// Multiplexer stands between parley and the terminal: tmux, screen or nothing.
	Multiplexer string
}

// Copy copies a text, which may take a while to make: with a program where there is one
// that can, else by asking the terminal. say gets how it went.
func (c Clipboard) Copy(ctx context.Context, text func() string, say func(string) tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		msg := copied{to: c, say: say, text: text()}
		if c.Program != nil && msg.text != "" {
			ctx, stop := context.WithTimeout(ctx, patience)
			defer stop()
			msg.program, msg.err = c.Program(ctx, msg.text)
		}
		return msg
	}
}

// copied is what came of copying with a program.
type copied struct {
	to            Clipboard
	say           func(string) tea.Cmd
	text, program string
	err           error
}

// Handle says how it went; where no program has copied, the terminal is asked.
func (m copied) Handle() tea.Cmd {
	size := text.Lines(m.text)
	switch {
	case m.text == "":
		return m.say("there is nothing to copy")
	case m.err == nil && m.program != "":
		return m.say("copied " + size + " with " + m.program)
	case len(m.text) > maxOSC52:
		return m.say(fmt.Sprintf("not copied: %s are %d kB, more than the 1024 kB that go by OSC 52", size, len(m.text)>>10))
	}
	word := "copied " + size + " by OSC 52"
	if m.to.Multiplexer != "" {
		word += " (" + m.to.Multiplexer + ")"
	}
	word += ": whether it arrived cannot be known"
	if m.err != nil {
		word = "copied " + size + " by OSC 52, since " + m.err.Error()
	}
	return tea.Batch(m.to.ask(m.text), m.say(word))
}

// ask asks the terminal to take a text. Inside a multiplexer it is asked twice:
// it takes the text itself if it is set up so, and hands the other on if it is
// set up so.
func (c Clipboard) ask(text string) tea.Cmd {
	switch c.Multiplexer {
	case "tmux":
		return tea.Batch(tea.Raw(ansi.SetSystemClipboard(text)), tea.Raw(ansi.TmuxPassthrough(ansi.SetSystemClipboard(text))))
	case "screen":
		const chunk = 600 // of one string that screen takes, in bytes
		return tea.Raw(ansi.ScreenPassthrough(ansi.SetSystemClipboard(text), chunk))
	}
	return tea.Raw(ansi.SetSystemClipboard(text))
}
