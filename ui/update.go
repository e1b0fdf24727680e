package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/workspace"
	"parley/ui/glyphs"
	"parley/ui/layer"
	"parley/ui/theme"
)

// Update implements tea.Model: what a message changes is drawn, and told of what is on
// the screen with that, before the next one comes.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.apply(msg)
	if m.present() && m.screen != nil && m.width > 0 {
		m.screen.Show(m.last.view, awaited(msg))
	}
	if m.quitting {
		return m, cmd
	}
	return m, tea.Batch(cmd, m.colour(), m.timers.start(m.moving(), m.input.Rest()))
}

// apply does what a message wants.
func (m *Model) apply(msg tea.Msg) tea.Cmd {
	cmd := m.handle(msg)
	if m.quitting {
		return cmd // what is to be kept is written when the screen has ended
	}
	cmd = tea.Batch(cmd, m.sync())
	m.settleTheme()
	m.chat.panels.refresh()
	return tea.Batch(cmd, composers{m}.after(msg), m.write())
}

// handle routes one message.
func (m *Model) handle(msg tea.Msg) tea.Cmd {
	m.notifier.Watch(msg)
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseClickMsg, tea.MouseReleaseMsg, tea.MouseWheelMsg, tea.WindowSizeMsg, tea.ResumeMsg, message, layer.Message, quietMsg:
		m.dirty = true // the others know what they change
	}
	switch msg := msg.(type) {
	case resultMsg:
		if b, ok := msg.Result.(*workspace.Batch); ok {
			return m.events(b)
		}
		m.dirty = true
		m.w.Done(msg.Result)
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.input.Paste(msg.Content)
	case tea.MouseWheelMsg:
		if !m.mouse.Off() {
			m.input.Wheel(msg.Mouse().Button)
		}
	case tea.MouseClickMsg:
		m.mouse.Down(msg.Mouse())
	case tea.MouseMotionMsg:
		cmd, moved := m.mouse.Move(msg.Mouse())
		m.dirty = m.dirty || moved
		return cmd
	case tea.MouseReleaseMsg:
		return m.mouse.Up(msg.Mouse())
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.terminal.Dark = msg.IsDark()
	case tea.ColorProfileMsg:
		if !m.opts.NoColor {
			m.terminal.Colours = theme.ColoursOf(msg.String())
		}
	case tea.ModeReportMsg:
		m.modeReported(msg)
	case tea.TerminalVersionMsg:
		m.inline.SetTerminal(msg.Name)
	case colouredMsg:
		m.coloured(msg)
	case tickMsg:
		if m.timers.ticking = false; m.moving() {
			m.dirty = true
			m.chat.tick(time.Time(msg))
		}
	case message:
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

// message is what a command of the screen has brought. What comes of it is in the file
// of its subject.
type message interface{ handle(m *Model) tea.Cmd }

// modeReported learns how the terminal measures text. All of it is laid out again.
func (m *Model) modeReported(msg tea.ModeReportMsg) {
	if msg.Mode != ansi.ModeUnicodeCore || msg.Value != ansi.ModeReset && msg.Value != ansi.ModeSet && msg.Value != ansi.ModePermanentlySet {
		return
	}
	if glyphs.Measure(true) {
		m.dirty = true
		for _, c := range m.chats() {
			c.view.SetTheme(m.Theme)
		}
	}
}

// key hands a key to the layers. Keys that come when the screen is about to end are
// dropped.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	if m.quitting {
		return nil
	}
	if m.page == chatPage && msg.String() == "alt+esc" { // two of them at once look like this
		esc := tea.KeyPressMsg{Code: tea.KeyEscape}
		return tea.Batch(m.input.Press(esc), m.input.Press(esc))
	}
	return m.input.Press(msg)
}

// leaveWithin is how soon the second ctrl+c must come to quit.
const leaveWithin = 2 * time.Second

// interrupted is ctrl+c where there is nothing to stop or to clear: the second
// quits.
func (m *Model) interrupted() tea.Cmd {
	if m.Now().Sub(m.quitArmed) < leaveWithin {
		return m.quit()
	}
	m.quitArmed = m.Now()
	return later(leaveWithin)
}
