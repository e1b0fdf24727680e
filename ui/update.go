package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"parley/internal/glyphs"
	"parley/internal/intent"
	"parley/internal/tty"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/page"
)

// Update implements tea.Model. It draws what a message has changed, and tells the page what
// is on the screen, before the next message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.apply(msg)
	m.restack()
	m.Options.Report(m.Workspace, true)
	if m.terminals.away {
		return m, cmd
	}
	if m.present() && m.painter != nil && m.width > 0 {
		m.painter.Show(m.last.view, awaited(msg))
	}
	if m.Quitting {
		return m, cmd
	}
	return m, tea.Batch(cmd, m.colour(), m.readReviews(), m.timers.start(m.Now(), m.divided().moves(m.Now()), m.Input.Rest()))
}

// apply applies a message without drawing.
func (m *Model) apply(msg tea.Msg) tea.Cmd {
	cmd := tea.Batch(m.notifier.Watch(msg), m.handle(msg), m.carryOut())
	if m.Quitting {
		return cmd // drafts are saved after the screen has ended
	}
	sessions{m}.search()
	cmd = tea.Batch(cmd, m.sync())
	for _, c := range m.chats() {
		c.HideAsked()
		if c.Composer.Empty() { // no queued prompt is being edited any longer
			c.Prompts.Queue.EndEdit()
		}
	}
	m.settleTheme()
	m.followReview()
	m.Front.Panels.Refresh()
	return tea.Batch(cmd, m.Store.After(msg), m.write(), m.tellDir())
}

// handle routes one message.
func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseClickMsg, tea.MouseReleaseMsg, tea.MouseWheelMsg, tea.WindowSizeMsg, tea.ResumeMsg, comparison, layer.Message, quietMsg:
		m.dirty = true // the others know what they change
	}
	switch msg := msg.(type) {
	case resultMsg:
		if b, ok := msg.Result.(*workspace.Batch); ok {
			return m.events(b)
		}
		m.dirty = true
		m.Workspace.Done(msg.Result)
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		m.QuitArmed = time.Time{}
		return m.Input.Paste(msg.Content)
	case tea.MouseWheelMsg:
		if !m.Mouse.Off() {
			m.wheel(msg.Mouse())
		}
	case tea.MouseClickMsg:
		m.press(msg.Mouse())
	case tea.MouseMotionMsg:
		cmd, moved := m.Mouse.Move(m.divided().in(m.Front, msg.Mouse()))
		m.dirty = m.dirty || moved
		return cmd
	case tea.MouseReleaseMsg:
		return m.Mouse.Up(m.divided().in(m.Front, msg.Mouse()))
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent: // the background may have changed, or not
		return tea.Raw(tty.AskBackground)
	case tea.BackgroundColorMsg, tea.ColorProfileMsg, tea.ModeReportMsg, tea.TerminalVersionMsg:
		m.learn(msg)
	case colouredMsg:
		m.coloured(msg)
	case tickMsg:
		if msg.due.Equal(m.timers.due) {
			m.ticked(msg.at)
		}
	case comparison:
		return msg.handle(m)
	case layer.Message:
		return msg.Handle()
	case quietMsg:
		m.timers.looking = false
	case closedMsg:
		return tea.Quit
	}
	return nil
}

// learn applies what the terminal can do, as it has answered. If it measures text in another way, everything is
// laid out again.
func (m *Model) learn(answer tea.Msg) {
	if !m.Options.Terminal.Learn(answer) {
		return
	}
	if m.painter != nil {
		m.painter.SetTerminal(m.Options.Terminal)
	}
	if m.Options.Terminal.Clusters && glyphs.Measure(true) {
		relayout(m)
	}
}

// key hands a key to the layers. While the screen is ending, only ctrl+c has an effect.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	if m.Quitting {
		if m.Keys.Of(intent.Chat, msg.String()) == intent.Interrupt {
			m.endSoon()
		}
		return nil
	}
	armed := m.QuitArmed
	cmd := m.pressed(msg)
	if m.QuitArmed != armed {
		cmd = tea.Batch(cmd, page.Later(leaveWithin))
	}
	return cmd
}

func (m *Model) pressed(msg tea.KeyPressMsg) tea.Cmd {
	if m.conversing() && msg.String() == "alt+esc" { // two quick esc look like this
		esc := tea.KeyPressMsg{Code: tea.KeyEscape}
		first := m.Input.Press(esc)
		m.restack()
		return tea.Batch(first, m.Input.Press(esc))
	}
	return m.Input.Press(msg)
}
