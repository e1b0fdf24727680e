package ui

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/widget"
)

// behindMsg brings the messages that made an item.
type behindMsg struct {
	chat  *chat
	shown []workspace.Message
	err   error
}

// showBehind asks for the messages behind the item that is selected.
func (c *chat) showBehind() tea.Cmd {
	it := c.view.Selected()
	if it == nil {
		return nil
	}
	if len(it.Wire) == 0 && it.Request == 0 {
		return c.say("no message of the agent made this")
	}
	behind := c.LookupOf(it.Index)
	if behind == nil {
		return c.say("there is no log to look it up in")
	}
	spans, request, ctx := append([]event.Span(nil), it.Wire...), it.Request, c.m.w.Context()
	return func() tea.Msg {
		shown, err := behind(ctx, spans, request)
		return behindMsg{c, shown, err}
	}
}

// handle shows the messages over the transcript.
func (msg behindMsg) handle(*Model) tea.Cmd {
	c := msg.chat
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil:
		return c.say(msg.err.Error())
	case len(msg.shown) == 0:
		return c.say("the log does not hold it")
	}
	c.source = &source{lines: sourceLines(msg.shown)}
	c.overlay, c.scroll = sourceOverlay, 0
	return nil
}

// source is something to read over the transcript, laid out for one width: the
// messages behind an item, or a change of a file.
type source struct {
	title string // "": messages
	lines []sourceLine
	diff  *widget.Computed // below the lines; nil: there is none
	rows  []string
	width int
}

type sourceLine struct {
	text string
	head bool
}

// maxSource bounds what is laid out of one message, in bytes.
const maxSource = 256 << 10

// sourceLines writes messages for reading: one member a line.
func sourceLines(shown []workspace.Message) []sourceLine {
	var lines []sourceLine
	for _, s := range shown {
		who := "from the agent"
		if s.Out {
			who = "from parley"
		}
		if s.Before > 0 {
			lines = append(lines, sourceLine{fmt.Sprintf("… %d more messages", s.Before), true})
		}
		lines = append(lines, sourceLine{s.At.Local().Format("15:04:05.000") + "  " + who, true})
		text := indented(s.JSON)
		if over := len(text) - maxSource; over > 0 {
			text, s.Cut = strings.ToValidUTF8(text[:maxSource], ""), s.Cut+over
		}
		for l := range strings.SplitSeq(safetext.Clean(text), "\n") {
			lines = append(lines, sourceLine{l, false})
		}
		if s.Cut > 0 {
			lines = append(lines, sourceLine{fmt.Sprintf("… %d more bytes", s.Cut), true})
		}
	}
	return lines
}

// indented is JSON laid out, or the text as it is.
func indented(data []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, data, "", "  ") != nil {
		return string(data)
	}
	return b.String()
}

// sourceRows wraps the source once for each width.
func (c *chat) sourceRows(width int) []string {
	s, th := c.source, c.m.Theme
	if s == nil {
		return nil
	}
	if s.rows != nil && s.width == width {
		return s.rows
	}
	s.rows, s.width = nil, width
	for _, l := range s.lines {
		ink := th.Text
		if l.head {
			ink = th.Dim
		}
		s.rows = append(s.rows, wrapInk(ink.Paint, l.text, "", width)...)
	}
	if s.diff != nil {
		rows, _ := s.diff.Draw(widget.DiffLook{Width: width, Theme: th})
		s.rows = append(s.rows, rows...)
	}
	return s.rows
}

// readOnly is enter on a page that is shown from a log: commands that need no
// agent work there.
func (c *chat) readOnly(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	if cmd, ok := c.own(text); ok {
		c.composer.Clear()
		return cmd
	}
	return c.say(c.nobody())
}

// nobody says why a page that is shown from a log takes no prompt.
func (c *chat) nobody() string {
	return "Read-only log: " + cmp.Or(c.Why, c.Agent.Name()+" did not open this session") + " · " + c.m.label(intent.Sessions) + " for another"
}

// refuses tells whether a page that is shown from a log takes nothing of what is typed
// or pasted: it has use for commands alone.
func (c *chat) refuses(typed string) bool {
	return c.ReadOnly && c.composer.Empty() && typed != "" && !strings.HasPrefix(typed, "/")
}
