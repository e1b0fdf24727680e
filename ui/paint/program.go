package paint

import (
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
	case tea.RawMsg:
		s.Raw(fmt.Sprint(msg.Msg))
		return nil
	case redrawMsg:
		s.Redraw()
		return nil
	case tea.SuspendMsg:
		if runtime.GOOS == "windows" {
			return nil
		}
		s.Release()
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
		if size := (extent{msg.Width, msg.Height}); size != s.size {
			s.size, s.resized = size, true
		}
		s.mu.Unlock()
	}
	return msg
}

// Exec lends the terminal to a command, as tea.Exec does.
func (s *Screen) Exec(cmd tea.ExecCommand, done tea.ExecCallback) tea.Cmd {
	return tea.Exec(&borrower{cmd, s}, done)
}

// borrower is a command that uses the terminal while it runs.
type borrower struct {
	tea.ExecCommand
	screen *Screen
}

// SetStdout implements tea.ExecCommand: the command writes to the terminal itself.
func (b *borrower) SetStdout(io.Writer) { b.ExecCommand.SetStdout(b.screen.out) }

// Run implements tea.ExecCommand.
func (b *borrower) Run() error {
	b.screen.Release()
	defer b.screen.Restore()
	return b.ExecCommand.Run()
}

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
