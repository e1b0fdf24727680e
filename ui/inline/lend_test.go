package inline

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/ui/glyphs"
)

// lentCommand is one that has the terminal for a while.
type lentCommand struct{ out io.Writer }

func (l *lentCommand) Run() error {
	_, err := io.WriteString(l.out, "U+10FF41 is \U0010ff41.")
	return err
}
func (l *lentCommand) SetStdin(io.Reader)    {}
func (l *lentCommand) SetStdout(w io.Writer) { l.out = w }
func (l *lentCommand) SetStderr(io.Writer)   {}

// A command that has the terminal writes to it as it is, and leaves it measuring
// as before.
func TestTheTerminalIsLent(t *testing.T) {
	for _, clusters := range []bool{false, true} {
		glyphs.Measure(clusters)
		t.Cleanup(func() { glyphs.Measure(false) })
		want := "U+10FF41 is \U0010ff41."
		if clusters {
			want += ansi.SetModeUnicodeCore
		}
		var b strings.Builder
		cmd := Lend(&lentCommand{})
		cmd.SetStdout(glyphs.Writer{To: &b})
		if err := cmd.Run(); err != nil || b.String() != want {
			t.Errorf("%q %v, want %q", b.String(), err, want)
		}
		file := exact{os.Stdout}
		taken := &lentCommand{}
		for _, w := range []io.Writer{file, New(file, nil)} {
			if Lend(taken).SetStdout(w); taken.out != io.Writer(os.Stdout) {
				t.Errorf("%T is lent as %T", w, taken.out)
			}
		}
	}
}
