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

// lookup finds the messages that made an item.
type lookup func(ctx context.Context, spans []event.Span, request int64) ([]workspace.Message, error)

// era is what one connection has put on a page: what stands from an item on.
type era struct {
	from   int
	behind lookup // nil: no log is kept
}

// Messages of commands that read logs.
type (
	replayedMsg struct {
		chat   *chat
		events []event.Event
		err    error
	}
	foundLogMsg struct {
		link   *link
		logged []workspace.Logged
	}
	behindMsg struct {
		chat  *chat
		shown []workspace.Message
		err   error
	}
)

// findLog looks for the log of the session that was to be opened.
func (l *link) findLog() tea.Cmd {
	m := l.m
	if m.opts.Resume == "" || m.opts.Logs == nil {
		return nil
	}
	return func() tea.Msg {
		logged, _ := m.opts.Logs() // without one there is none
		return foundLogMsg{l, logged}
	}
}

// foundLog offers the log on the page that says why the session is not open.
func (m *Model) foundLog(msg foundLogMsg) {
	l, name := msg.link, m.opts.Resume
	if !l.starting() || l.connectErr == nil {
		return
	}
	for _, same := range []func(workspace.Logged) bool{
		func(g workspace.Logged) bool { return g.Session == name },
		func(g workspace.Logged) bool { return strings.EqualFold(g.Title, name) },
	} {
		for i, g := range msg.logged {
			if g.Agent == l.agent.Name && same(g) {
				l.logged = &msg.logged[i]
				return
			}
		}
	}
}

// readLog shows it in place of the session.
func (l *link) readLog() tea.Cmd {
	m, front := l.m, l.front()
	cmd := m.openLogged(*l.logged, "")
	m.page, m.starting = chatPage, nil
	m.drop(front)
	l.forget()
	m.chat.from = nil
	m.chat.rescue(front)
	return cmd
}

// logged takes the list of what there are logs of.
func (m *Model) logged(msg loggedMsg) {
	m.logs = msg.logged
	m.heard(msg.err)
}

// openLogged shows a session from its log, to read.
func (m *Model) openLogged(g workspace.Logged, why string) tea.Cmd {
	l := newLink(m)
	l.agent = workspace.Spec{Name: g.Agent}
	for _, a := range m.opts.Agents {
		if a.Name == g.Agent {
			l.agent = a
		}
	}
	for _, other := range m.links() {
		if g.OfAgent(other.agent) {
			l.agent = other.agent // which may have told its name
		}
	}
	c, ctx := m.addChat(l)
	c.recorded, c.readOnlyWhy = true, why
	c.thread.Session, c.thread.Title = g.Session, g.Title
	c.eras = []era{{0, g.Behind}}
	return func() tea.Msg {
		queue := event.NewQueue()
		err := g.Replay(ctx, queue)
		return replayedMsg{c, queue.Take(), err}
	}
}

// replayed shows what the log told. What it leaves open is over all the same.
func (m *Model) replayed(msg replayedMsg) tea.Cmd {
	c := msg.chat
	c.giveUp()
	c.giveUp = nil
	if errors.Is(msg.err, context.Canceled) {
		m.drop(c)
		m.chat.rescue(c)
		m.refreshOverview()
		return m.chat.say("reading the log was given up")
	}
	for _, e := range msg.events {
		c.changed = append(c.changed, c.thread.Apply(e)...)
	}
	c.changed = append(c.changed, c.thread.Apply(event.Disconnected{Err: event.ErrClosed})...)
	c.view.Changed([]int{0})
	c.applied()
	if msg.err != nil {
		return c.say("the log cannot be read: " + msg.err.Error())
	}
	return nil
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
	var behind lookup
	for _, e := range c.eras {
		if it.Index >= e.from {
			behind = e.behind
		}
	}
	if behind == nil {
		return c.say("there is no log to look it up in")
	}
	spans, request, ctx := append([]event.Span(nil), it.Wire...), it.Request, c.m.conns.ctx
	return func() tea.Msg {
		shown, err := behind(ctx, spans, request)
		return behindMsg{c, shown, err}
	}
}

// behindItem shows the messages over the transcript.
func (c *chat) behindItem(msg behindMsg) tea.Cmd {
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
	s, th := c.source, c.m.th
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
		c.composer.Reset()
		c.popup, c.dropped = nil, ""
		return cmd
	}
	return c.say(c.nobody())
}

// nobody says why a page that is shown from a log takes no prompt.
func (c *chat) nobody() string {
	return "Read-only log: " + cmp.Or(c.readOnlyWhy, c.link.name()+" did not open this session") + " · " + c.m.label(intent.Sessions) + " for another"
}

// opener is the agent on the screen that may go on with a session that its own list does
// not have, because it keeps none; nil where there is none.
func (m *Model) opener(g workspace.Logged) *link {
	for _, l := range m.links() {
		if info := l.info(); g.OfAgent(l.agent) && info != nil && !info.List && (info.LoadSession || info.Resume) {
			return l
		}
	}
	return nil
}

// whyReadOnly says why a logged session is there to be read alone.
func (m *Model) whyReadOnly(g workspace.Logged) string {
	for _, l := range m.links() {
		if info := l.info(); info != nil && g.OfAgent(l.agent) {
			if !info.LoadSession && !info.Resume {
				return l.name() + " cannot resume sessions"
			}
			return l.name() + " does not have this session any longer"
		}
	}
	return g.Agent + " is not running"
}

// refuses tells whether a page that is shown from a log takes nothing of what is typed
// or pasted: it has use for commands alone.
func (c *chat) refuses(typed string) bool {
	return c.recorded && c.composer.Empty() && typed != "" && !strings.HasPrefix(typed, "/")
}
