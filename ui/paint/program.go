package paint

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// redrawMsg asks for everything to be painted again.
type redrawMsg struct{}

// Redraw is a command that paints the whole screen again.
func Redraw() tea.Msg { return redrawMsg{} }

// Program returns the options that keep Bubble Tea off the screen: its renderer writes to a
// terminal that drops everything, at the lowest frame rate there is.
func (s *Screen) Program() []tea.ProgramOption {
	return []tea.ProgramOption{tea.WithOutput(s.dropped()), tea.WithFPS(1), tea.WithFilter(s.filter)}
}

// filter handles messages about the terminal before Bubble Tea acts on them.
func (s *Screen) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case lendMsg:
		return s.lend(msg)
	case tea.QuitMsg, tea.InterruptMsg:
		s.Release()
	case tea.RawMsg:
		s.Raw(fmt.Sprint(msg.Msg))
		return nil
	case redrawMsg:
		s.Redraw()
		return nil
	case tea.SuspendMsg:
		if runtime.GOOS == "windows" || !s.Release() {
			return nil
		}
	case tea.ResumeMsg:
		s.Restore()
	case tea.ColorProfileMsg:
		s.call(func() { s.profile = msg.Profile })
		s.Redraw()
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeSynchronizedOutput && msg.Value == ansi.ModeReset {
			s.call(func() { s.synced = true })
		}
	case tea.WindowSizeMsg:
		s.mu.Lock()
		s.size, s.resized = extent{msg.Width, msg.Height}, true // also if it is the old one again
		s.mu.Unlock()
	}
	return msg
}

// lendMsg asks for the terminal to be lent to a command.
type lendMsg struct {
	cmd  tea.ExecCommand
	done tea.ExecCallback
}

// Exec lends the terminal to a command, as tea.Exec does.
func (s *Screen) Exec(cmd tea.ExecCommand, done tea.ExecCallback) tea.Cmd {
	return func() tea.Msg { return lendMsg{cmd, done} }
}

// lend changes the modes while the terminal is raw: before Bubble Tea lends it, and when it
// has it back. In between, answers and reports of the terminal would be echoed.
func (s *Screen) lend(msg lendMsg) tea.Msg {
	if !s.Release() {
		return tea.BatchMsg{func() tea.Msg { return msg.done(errors.New("the terminal reads nothing")) }}
	}
	return tea.Exec(borrower{msg.cmd, s.out}, func(err error) tea.Msg {
		s.Restore()
		return msg.done(err)
	})()
}

// borrower is a command that uses the terminal while it runs.
type borrower struct {
	tea.ExecCommand
	terminal io.Writer
}

// SetStdout implements tea.ExecCommand: the command writes to the terminal itself.
func (b borrower) SetStdout(io.Writer) { b.ExecCommand.SetStdout(b.terminal) }

// dropped returns the terminal as a writer that drops everything.
func (s *Screen) dropped() io.Writer {
	if f, ok := s.out.(term.File); ok {
		return idle{f}
	}
	return io.Discard
}

type idle struct{ term.File }

// Write implements io.Writer.
func (idle) Write(p []byte) (int, error) { return len(p), nil }

// WriteString implements io.StringWriter.
func (idle) WriteString(s string) (int, error) { return len(s), nil }
