package ui

import (
	"fmt"
	"io"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/thread"
	"parley/ui/glyphs"
	"parley/ui/inline"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// inlining is the mode in which parley leaves the terminal its own screen: what
// is finished goes into the scrollback, once, and only the rows of the moment are
// drawn again. What needs a page takes the alternate screen as long as it is open.
type inlining struct {
	on     bool
	screen inlineScreen // nil: there is none to do it on
	front  *chat        // whose conversation was written last
	caught bool         // nothing of it waits to be written since before
}

// inlineScreen is where rows go; an inline.Terminal.
type inlineScreen interface {
	Print(rows ...string)
	Show(f inline.Frame)
	Hide()
	Reflow(yes bool)
	Reduce(f func(io.Writer) io.Writer)
}

const (
	maxBacklog = 2000 // rows that are written when the mode begins, or a page comes to the front
	portion    = 400  // rows that are written at once
	maxAsked   = 76   // cells of a question
	maxLive    = 100  // cells of a row of the live part: what is short survives a terminal that gets narrower
)

// inlineTerminal puts a Terminal around the output, where that is one.
func (m *Model) inlineTerminal(out io.Writer) *inline.Terminal {
	if out == nil {
		out = os.Stdout
	}
	file, ok := out.(inline.File)
	if !ok {
		return nil
	}
	t := inline.New(exact{file}, os.Environ())
	m.inline.screen = t
	return t
}

// exact is a terminal that gets the characters which stand-ins are for.
type exact struct{ inline.File }

// Write implements io.Writer.
func (e exact) Write(p []byte) (int, error) { return glyphs.Writer{To: e.File}.Write(p) }

// ends writes what is left to be written when the screen has ended, and takes the
// live part away.
func (m *Model) ends(t *inline.Terminal) {
	var rows []string
	if c := m.chat; m.inline.on && m.page == chatPage && m.width > 0 && c.Thread.State != thread.Loading {
		rows = append(c.catchUp(), c.written.Rest()...)
	}
	_ = t.End(rows...) // the terminal may be gone
}

// endInline is ends, also for a model that has panicked.
func (g *netted) endInline(t *inline.Terminal) {
	if g.broke.Load() != nil {
		_ = t.End()
		return
	}
	g.m.ends(t)
}

// onTerminal lets a command that takes the terminal over have the terminal itself
// as its output.
func onTerminal(cmd tea.ExecCommand) tea.ExecCommand { return &borrower{ExecCommand: cmd} }

type borrower struct {
	tea.ExecCommand
	out io.Writer
}

func (b *borrower) SetStdout(w io.Writer) {
	if t, ok := w.(*inline.Terminal); ok {
		w = t.File
	}
	switch e := w.(type) {
	case exact:
		w = e.File
	case glyphs.Writer:
		w = e.To
	}
	b.out = w
	b.ExecCommand.SetStdout(w)
}

// Run runs the command. The screen library ends the mode that text is measured in
// when it lets go of the terminal, and does not begin it again.
func (b *borrower) Run() error {
	err := b.ExecCommand.Run()
	if mode := measuring(); mode != "" {
		io.WriteString(b.out, mode) // an error shows with the library's own writes, too
	}
	return err
}

// measuring is what a terminal has to get that was let go of.
func measuring() string {
	if glyphs.ByClusters() {
		return ansi.SetModeUnicodeCore
	}
	return ""
}

// toggleInline changes between the whole screen and the terminal's own.
func (m *Model) toggleInline() tea.Cmd {
	if m.inline.screen == nil {
		return m.chat.say("this output is no terminal: there is no scrollback to write to")
	}
	m.inline.on, m.inline.front = !m.inline.on, nil
	if !m.inline.on {
		return m.chat.say("the whole screen; /inline goes back into the scrollback")
	}
	return tea.Batch(m.chat.say("inline: the conversation goes into the terminal's scrollback"), tea.RequestTerminalVersion)
}

// terminalVersion learns which terminal it is. xterm does not break lines anew.
func (m *Model) terminalVersion(msg tea.TerminalVersionMsg) {
	if s := m.inline.screen; s != nil && msg.Name != "" {
		s.Reflow(!strings.HasPrefix(msg.Name, "XTerm"))
	}
}

// inlineColours takes how many colours the terminal has.
func (m *Model) inlineColours(msg tea.ColorProfileMsg) {
	if m.inline.screen == nil {
		return
	}
	m.inline.screen.Reduce(func(w io.Writer) io.Writer {
		reduced := *lipgloss.Writer
		reduced.Forward, reduced.Profile = w, msg.Profile
		return &reduced
	})
}

// inlined tells whether the conversation is in the terminal's own screen now.
func (m *Model) inlined() bool {
	return m.inline.on && m.inline.screen != nil && m.page == chatPage && m.width >= 20 && m.height >= 6 && !m.chat.needsPage()
}

// needsPage tells whether something is open that is only drawn on a whole screen.
func (c *chat) needsPage() bool {
	return c.overlay != noOverlay || c.picker != nil || c.copying != nil || c.finding != nil || c.focused || !c.view.Following() || c.elicits.InSight() != nil ||
		c.question.Open() && (c.question.Full() || c.m.height < 10)
}

// write hands the terminal what of the conversation is finished.
func (m *Model) write() tea.Cmd {
	if !m.inlined() {
		return nil
	}
	c := m.chat
	if c.Thread.State == thread.Loading { // what comes is written when its end is known
		m.inline.caught = false
		return nil
	}
	rows := c.catchUp()
	fresh, more := c.written.Take(portion)
	if rows = append(rows, fresh...); len(rows) > 0 {
		m.dirty = true
		m.inline.screen.Print(rows...)
	}
	if more {
		return func() tea.Msg { return refreshMsg{} }
	}
	return nil
}

// catchUp names the page that has come to the front, and leaves out what would be
// too much of what was said before.
func (c *chat) catchUp() (rows []string) {
	m, th := c.m, c.m.Theme
	if c.written == nil {
		c.written = transcript.NewWritten(c.Thread, m.opts.Cwd, th)
	}
	c.written.Look(m.width, th, c.view.Density())
	room := max(1, m.width-1)
	if m.inline.front != c {
		if m.inline.front != nil {
			rows = append(rows, "")
		}
		about := c.Thread.Title
		if about == "" {
			about = "in " + transcript.Home(m.opts.Cwd, m.opts.Home)
		}
		rows = append(rows, widget.Truncate(th.Dim.Paint("── ")+th.Strong.Paint(c.Agent.Name())+th.Dim.Paint(" · "+strings.Join(strings.Fields(about), " ")+" ──"), room, "…"))
		if !c.written.Begun() { // later entries bring their own
			rows = append(rows, "")
		}
		m.inline.front, m.inline.caught = c, false
	}
	if !m.inline.caught {
		m.inline.caught = true
		if n := c.written.Skip(maxBacklog); n > 0 {
			rows = append(rows, widget.Truncate(th.Dim.Paint(fmt.Sprintf("  … %d earlier entries are not written here: pgup shows them", n)), room, "…"))
		}
	}
	return rows
}

// inlineDrawing is the live part, with nothing to draw for the screen library.
func (m *Model) inlineDrawing() drawing {
	f, on := inline.Frame{Bare: true}, onScreen{}
	switch {
	case m.quitting:
		f.Rows = []string{m.Theme.Dim.Paint("ending " + m.names() + "…")}
	default:
		f, on = m.chat.live(m.width, m.height)
	}
	return drawing{view: tea.View{Content: " ", ReportFocus: true, WindowTitle: m.titleOf(), ProgressBar: m.progress()}, live: &f, on: on}
}

// live draws what is not finished: the end of the transcript, what is asked, the
// plan, what waits to be sent, the composer and the status line.
func (c *chat) live(width, height int) (inline.Frame, onScreen) {
	on := onScreen{page: c}
	if c.written == nil {
		c.catchUp()
	}
	c.written.Look(width, c.m.Theme, c.view.Density())
	cells := liveCells(width)
	below, y := c.inlineBelow(cells, height)
	room := max(0, height-2-len(below))
	var rows []string
	if c.question.Open() {
		talk := len(c.written.Live(leastTalk(room)))
		rows, on.question = c.question.Rows(min(cells, maxAsked), max(4, room-talk), c.popup != nil)
	}
	// A terminal that gets narrower makes more rows of them. What has left the screen
	// at its top then cannot be taken away any more.
	if most := min(room-len(rows), max(4, min(height/4, 12))); most > 0 && c.Thread.State != thread.Loading {
		if talk := c.written.Live(most); len(talk) > 0 {
			rows = append(talk, rows...)
		}
	}
	if len(rows) > 0 && len(rows) < room || len(rows) == 0 && c.written.Begun() {
		rows = append(rows, "")
	}
	x, dy := c.composer.Cursor()
	return inline.Frame{Rows: fit(append(rows, below...), max(1, height-2)), X: x, Y: max(0, min(len(rows), height-2-len(below))) + y + dy}, on
}

// liveCells is how wide the rows of the live part are.
func liveCells(width int) int { return min(width-1, maxLive) }

// inlineBelow is the part under the transcript, and the row of it with which the
// composer begins. What is offered while a command is typed stands below that: so
// it does not move.
func (c *chat) inlineBelow(cells, height int) (below []string, y int) {
	th := c.m.Theme
	foot := c.hint()
	if c.shelling() {
		foot = c.shellFoot()
	}
	if line := c.planLine(cells); line != "" && height >= 10 {
		below = append(below, line)
	}
	below = append(below, c.queueRows(cells, max(0, min(3, height-12)))...)
	if len(c.Carried) > 0 {
		below = append(below, widget.Truncate(" "+th.Dim.Paint(c.carriedRow()+"  ⌫ drop"), cells, "…"))
	}
	y = len(below)
	below = append(below, c.composer.Rows(th)...)
	if c.popup != nil {
		below = append(below, c.popup.list.Rows(cells, max(1, min(8, height-4-len(below))), th)...)
		foot = c.popup.foot
	}
	if foot != "" {
		below = append(below, widget.Truncate(th.Dim.Paint("  "+foot), cells, "…"))
	}
	return append(below, c.shortStatus(cells)), y
}

// shortStatus is the status line without the gap in its middle.
func (c *chat) shortStatus(width int) string {
	gone := strings.TrimLeft(c.status(width), " ")
	left, right := gone, c.statusRight()
	if l, ok := strings.CutSuffix(gone, right); ok && right != "" {
		left = strings.TrimRight(l, " ") + c.m.Theme.Dim.Paint(" · ") + right
	}
	return widget.Truncate("  "+left, width, "…")
}
