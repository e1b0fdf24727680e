//go:build unix

package doctor

import (
	"context"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"parley/internal/must"
	"parley/internal/tty"
)

// terminal returns the two files of a program in a terminal that answers questions as answer does. What it
// was sent is in the channel when the terminal is closed.
func terminal(t *testing.T, answer func(asked string) string) (program *os.File, sent <-chan string) {
	t.Helper()
	ptmx, program, err := pty.Open()
	must.Do(t, err)
	written := make(chan string, 1)
	go func() {
		var all strings.Builder
		buf := make([]byte, 4096)
		for {
			n, err := ptmx.Read(buf)
			if err != nil {
				written <- all.String()
				return
			}
			all.Write(buf[:n])
			ptmx.WriteString(answer(string(buf[:n])))
		}
	}()
	t.Cleanup(func() { program.Close(); ptmx.Close() })
	return program, written
}

// restored returns a check that the terminal is as it is now.
func restored(t *testing.T, program *os.File) (check func()) {
	t.Helper()
	before := must.Get(term.GetState(program.Fd()))(t)
	return func() {
		t.Helper()
		if after := must.Get(term.GetState(program.Fd()))(t); !reflect.DeepEqual(before, after) {
			t.Error("the terminal is not as it was")
		}
	}
}

var modern = tty.Profile{Answers: true}

// answering is a terminal with everything, that measures by clusters.
func answering(asked string) string {
	switch {
	case strings.Contains(asked, tty.AskName):
		return "\x1bP>|ghostty 1.2.3\x1b\\\x1b[?2026;2$y\x1b[?2027;2$y\x1b[?1006;2$y\x1b[?0u\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62;22;52c"
	case strings.Contains(asked, ansi.RequestCursorPositionReport):
		return "\x1b[5;3R\x1b[5;3R\x1b[5;3R\x1b[5;5R\x1b[5;2R\x1b[?62;22;52c"
	}
	return ""
}

func TestAsk(t *testing.T) {
	t.Parallel()
	program, sent := terminal(t, answering)
	check := restored(t, program)
	a := must.Get(Ask(t.Context(), program, program, modern))(t)
	if a.Name != "ghostty 1.2.3" || !a.Kitty || !a.OSC52 || !a.Background || !a.Modes[2026] || !a.Modes[2027] || !a.Modes[1006] || a.Took == 0 {
		t.Errorf("got %+v", a)
	}
	if !reflect.DeepEqual(a.Widths, widths(true)) {
		t.Errorf("got widths %d", a.Widths)
	}
	check()
	program.Close()
	select {
	case text := <-sent:
		if !strings.HasSuffix(text, "\r"+ansi.EraseLineRight+ansi.ResetModeUnicodeCore+askLast) {
			t.Errorf("what was measured is not erased: %q", text)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the terminal was not closed")
	}
}

// A terminal that answers nothing, or half, does not keep the doctor waiting, and is restored.
func TestAskBrokenTerminal(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"silent": "", "half": "\x1bP>|odd", "noise": strings.Repeat("x", 1000)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, _ := terminal(t, func(string) string { return answer })
			check := restored(t, program)
			began := time.Now()
			a := must.Get(Ask(t.Context(), program, program, modern))(t)
			if took := time.Since(began); took > 2*answerTime || a.Took != 0 || a.Widths != nil {
				t.Errorf("after %s: %+v", took, a)
			}
			check()
		})
	}
}

func TestAskInterrupted(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	program, _ := terminal(t, func(string) string { stop(); return "" })
	check := restored(t, program)
	if _, err := Ask(ctx, program, program, modern); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	check()
}
