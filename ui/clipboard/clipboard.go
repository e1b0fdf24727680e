// Package clipboard copies texts to the user's clipboard.
package clipboard

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/text"
)

// maxOSC52 bounds a text for the terminal's clipboard, in bytes. Terminals drop longer ones
// silently.
const maxOSC52 = 1 << 20

// patience is how long a program may take to copy.
const patience = 3 * time.Second

// Clipboard is the user's clipboard.
type Clipboard struct {
	// Program copies with a program of this machine and returns its name; "" if there is
	// none. It may block, and is called on its own goroutine. It may be nil.
	Program func(ctx context.Context, text string) (name string, err error)
	// Multiplexer is the one between parley and the terminal, as package tty names it.
	Multiplexer string
}

// Copy copies a text, which may take a while to make, with a program if there is one, else by
// OSC 52. say shows the outcome.
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

// copied is the result of copying with a program.
type copied struct {
	to            Clipboard
	say           func(string) tea.Cmd
	text, program string
	err           error
}

// Handle shows the outcome. If no program has copied the text, it is sent to the terminal.
func (m copied) Handle() tea.Cmd {
	size := text.Lines(m.text)
	switch {
	case m.text == "":
		return m.say("Nothing to copy")
	case m.err == nil && m.program != "":
		return m.say("Copied " + size + " with " + m.program)
	case len(m.text) > maxOSC52:
		return m.say(fmt.Sprintf("Not copied: %s are %d kB; OSC 52 takes at most 1024 kB", size, len(m.text)>>10))
	}
	route := "OSC 52"
	if m.to.Multiplexer != "" {
		route += ", " + m.to.Multiplexer
	}
	words := "Sent " + size + " to the terminal's clipboard (" + route + ")"
	if m.err != nil {
		words = "Sent " + size + " by " + route + ": " + m.err.Error()
	}
	return tea.Batch(m.to.ask(m.text), m.say(words))
}

// ask sends a text to the terminal's clipboard. Inside a multiplexer it is sent twice, since
// it depends on the configuration whether the multiplexer takes the text or passes it on.
func (c Clipboard) ask(text string) tea.Cmd {
	switch c.Multiplexer {
	case "tmux":
		return tea.Batch(tea.Raw(ansi.SetSystemClipboard(text)), tea.Raw(ansi.TmuxPassthrough(ansi.SetSystemClipboard(text))))
	case "screen":
		const chunk = 600 // the longest string that screen accepts, in bytes
		return tea.Raw(ansi.ScreenPassthrough(ansi.SetSystemClipboard(text), chunk))
	}
	return tea.Raw(ansi.SetSystemClipboard(text))
}
