package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/ui/glyphs"
	"parley/ui/layer"
)

// Update implements tea.Model: it only routes.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.handle(msg)
	if !m.quitting {
		cmd = tea.Batch(cmd, m.sync())
	}
	if _, closed := msg.(closedMsg); closed || m.quitting {
		return m, cmd // what is to be kept is written when the screen has ended
	}
	composers{m}.fit()
	m.settleTheme()
	m.refreshWork()
	m.stopOrphans()
	return m, tea.Batch(cmd, composers{m}.after(msg), m.write(), m.colour())
}

// handle routes one message.
func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		m.lastInput = m.Now()
	}
	switch msg := msg.(type) {
	case resultMsg:
		return m.result(msg.Result)
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.paste(msg)
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.MouseClickMsg:
		m.click(msg)
	case tea.MouseMotionMsg:
		return m.motion(msg)
	case tea.MouseReleaseMsg:
		return m.release(msg)
	case tea.WindowSizeMsg:
		return m.resize(msg)
	case tea.BackgroundColorMsg:
		m.terminal.Dark = msg.IsDark()
	case tea.ColorProfileMsg:
		m.profile(msg)
		m.inlineColours(msg)
	case tea.ModeReportMsg:
		m.modeReported(msg)
	case tea.TerminalVersionMsg:
		m.terminalVersion(msg)
	case colouredMsg:
		m.coloured(msg)
	case tea.FocusMsg:
		m.focused, m.focusKnown = true, true
	case tea.BlurMsg:
		m.focused, m.focusKnown = false, true
	case tickMsg:
		return m.ticked(time.Time(msg))
	case message:
		m.dirty = true
		return msg.handle(m)
	case layer.Message:
		m.dirty = true
		return msg.Handle()
	case quietMsg:
		return m.quietNow()
	case tea.ResumeMsg:
		m.dirty = true
		return tea.Raw(measuring())
	case closedMsg:
		return tea.Quit
	}
	return nil
}

// message is what a command of the screen has brought. What comes of it is in the file
// of its subject.
type message interface{ handle(m *Model) tea.Cmd }

// moving tells whether something on the screen has a clock.
func (m *Model) moving() bool {
	return m.page == connectingPage && m.starting.Err() == nil || m.page == chatPage && (m.chat.Busy() || m.chat.Agent.LoggingIn() != "" || m.chat.retrying() || m.chat.shellRun() != nil)
}

func (m *Model) ticked(now time.Time) tea.Cmd {
	m.ticking = false
	if !m.moving() {
		return nil
	}
	m.dirty = true
	m.chat.view.Tick(now)
	if m.chat.written != nil {
		m.chat.written.Tick(now)
	}
	return m.tick()
}

// lookAgain draws the screen once more when what waits for quiet may have the
// keys.
func (m *Model) lookAgain(after time.Duration) tea.Cmd {
	if m.looking {
		return nil
	}
	m.looking = true
	return tea.Tick(after+20*time.Millisecond, func(time.Time) tea.Msg { return quietMsg{} })
}

// quietNow comes when it may be quiet. If a key has come meanwhile it waits on.
func (m *Model) quietNow() tea.Cmd {
	m.looking, m.dirty = false, true
	since, waits := m.quietSince()
	if rest := layer.Quiet - m.Now().Sub(since); waits && rest > 0 {
		return m.lookAgain(rest)
	}
	return nil
}

// modeReported learns how the terminal measures text, as the screen library does
// from the same report. All of it is laid out again.
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

func (m *Model) resize(msg tea.WindowSizeMsg) tea.Cmd {
	first := m.width == 0
	m.width, m.height, m.dirty = msg.Width, msg.Height, true
	if first || m.inline.on {
		return nil
	}
	return m.redraw()
}

// redraw draws the whole screen again. A frame that was made for another size and
// came to a terminal that was resized already has left a part of it as all that
// scrolls: the terminal has to forget that, or the rows of later frames get lost.
func (m *Model) redraw() tea.Cmd {
	if m.inline.on {
		return tea.ClearScreen
	}
	return tea.Sequence(tea.Raw(ansi.SaveCursor+ansi.SetTopBottomMargins(0, 0)+ansi.RestoreCursor), tea.ClearScreen)
}

// key hands a key to the layers. Keys that come when the screen is about to end are
// dropped.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	if m.quitting {
		return nil
	}
	m.dirty = true
	if m.deafens() {
		return nil
	}
	var cmd tea.Cmd
	if m.page == chatPage && msg.String() == "alt+esc" { // two of them at once look like this
		esc := tea.KeyPressMsg{Code: tea.KeyEscape}
		cmd = tea.Batch(m.press(esc), m.press(esc))
	} else {
		cmd = m.press(msg)
	}
	if _, waits := m.quietSince(); waits {
		cmd = tea.Batch(cmd, m.lookAgain(layer.Quiet))
	}
	if m.moving() { // it may show another session now, whose turn runs
		cmd = tea.Batch(cmd, m.tick())
	}
	return cmd
}

func (m *Model) paste(msg tea.PasteMsg) (cmd tea.Cmd) {
	m.dirty = true
	if m.deafens() {
		return nil
	}
	c := m.typedOn()
	layer.Reach(m.layers(), func(l layer.Paster) (taken bool) {
		cmd, taken = l.Paste(msg.Content)
		return taken
	})
	c.lastKey = m.Now()
	return cmd
}

func (m *Model) wheel(msg tea.MouseWheelMsg) {
	rows := map[tea.MouseButton]int{tea.MouseWheelUp: -3, tea.MouseWheelDown: 3}[msg.Mouse().Button]
	if m.mouseOff || rows == 0 {
		return
	}
	m.dirty = true
	layer.Reach(m.layers(), func(l layer.Wheeler) bool { l.Wheel(rows); return true })
}

// interrupted is ctrl+c where there is nothing to stop or to clear: the second
// within two seconds quits.
func (m *Model) interrupted() tea.Cmd {
	if m.Now().Sub(m.quitArmed) < 2*time.Second {
		return m.quit()
	}
	m.quitArmed = m.Now()
	return later(2 * time.Second)
}
