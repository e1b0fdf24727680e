package paint

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	tea "charm.land/bubbletea/v2"
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
	case tea.WindowSizeMsg:
		s.setSize(msg)
	case missedSizeMsg:
		cols, rows, ok := s.sizeNow()
		if !ok || s.hasSize(extent{cols, rows}) {
			return nil
		}
		size := tea.WindowSizeMsg{Width: cols, Height: rows}
		s.setSize(size)
		return size
	}
	return msg
}

func (s *Screen) setSize(msg tea.WindowSizeMsg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size, s.resized = extent{msg.Width, msg.Height}, true // also if it is the old one again
}

func (s *Screen) hasSize(size extent) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size == size
}

// missedSizeMsg asks whether the terminal has another size than the program was told.
type missedSizeMsg struct{}

// resizeGrace is how long Bubble Tea has to report a new size itself.
const resizeGrace = 100 * time.Millisecond

// Resizes tells the program of sizes that Bubble Tea misses: it reads the first size before it
// listens for changes. Call it before the program runs, and stop after it has ended.
func (s *Screen) Resizes(program *tea.Program) (stop func()) {
	return onResize(func() {
		time.AfterFunc(resizeGrace, func() { program.Send(missedSizeMsg{}) })
	})
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
