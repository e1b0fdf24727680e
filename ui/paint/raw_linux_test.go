package paint

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"

	"parley/internal/tty"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// watched is a terminal that notes what is written while it echoes.
type watched struct {
	*os.File
	mu     sync.Mutex
	echoes []string
}

func (w *watched) Write(b []byte) (int, error) {
	if state, err := unix.IoctlGetTermios(int(w.Fd()), unix.TCGETS); err == nil && state.Lflag&unix.ECHO != 0 {
		w.mu.Lock()
		w.echoes = append(w.echoes, string(b))
		w.mu.Unlock()
	}
	return w.File.Write(b)
}

// lender lends the terminal to a command, and then quits.
type lender struct{ screen *Screen }

func (m lender) Init() tea.Cmd  { return nil }
func (m lender) View() tea.View { return tea.View{} }
func (m lender) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tea.WindowSizeMsg); !ok {
		return m, nil
	}
	v := page("hello")
	v.MouseMode, v.ReportFocus = tea.MouseModeCellMotion, true
	m.screen.Show(v, true)
	return m, m.screen.Exec(command{exec.Command("true")}, func(error) tea.Msg { return tea.QuitMsg{} })
}

type command struct{ *exec.Cmd }

func (c command) SetStdin(r io.Reader)  { c.Stdin = r }
func (c command) SetStdout(w io.Writer) { c.Stdout = w }
func (c command) SetStderr(w io.Writer) { c.Stderr = w }

// Modes are changed while the terminal is raw: otherwise what it reports would be echoed.
func TestModesChangeWhileRaw(t *testing.T) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	// The slave stays open: Bubble Tea may still ask for its size after the program has ended.
	if err := pty.Setsize(master, &pty.Winsize{Cols: 40, Rows: 10}); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, master)
	w := &watched{File: slave}
	s := Open(w, tty.Of([]string{"TERM=linux"}), func(f func()) { f() })
	program := tea.NewProgram(lender{s}, append(s.Program(), tea.WithInput(slave))...)
	if _, err := program.Run(); err != nil {
		t.Fatal(err)
	}
	s.Close()
	for _, out := range w.echoes {
		t.Errorf("written while the terminal echoes: %q", out)
	}
}
