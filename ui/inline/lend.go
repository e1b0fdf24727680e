package inline

import (
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/ui/glyphs"
)

// Open puts a Terminal around an output, nil for the standard one; nil where that is no
// terminal.
func Open(out io.Writer) *Terminal {
	if out == nil {
		out = os.Stdout
	}
	file, ok := out.(File)
	if !ok {
		return nil
	}
	return New(exact{file}, os.Environ())
}

// exact is a terminal that gets the characters which stand-ins are for.
type exact struct{ File }

// Write implements io.Writer.
func (e exact) Write(p []byte) (int, error) { return glyphs.Writer{To: e.File}.Write(p) }

// Lend lets a command that takes the terminal over have the terminal itself as its
// output.
func Lend(cmd tea.ExecCommand) tea.ExecCommand { return &borrower{ExecCommand: cmd} }

type borrower struct {
	tea.ExecCommand
	out io.Writer
}

func (b *borrower) SetStdout(w io.Writer) {
	if t, ok := w.(*Terminal); ok {
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
	if mode := Measuring(); mode != "" {
		io.WriteString(b.out, mode) // an error shows with the library's own writes, too
	}
	return err
}

// Measuring is what a terminal has to get back that was let go of.
func Measuring() string {
	if glyphs.ByClusters() {
		return ansi.SetModeUnicodeCore
	}
	return ""
}
