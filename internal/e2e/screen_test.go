//go:build unix

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"parley/internal/must"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Screen is parley in an emulated terminal: a test types keys and reads cells. Its methods must be
// called from the test's goroutine. The waiting ones fail the test after patience.
type Screen struct {
	t      testing.TB
	cmd    *exec.Cmd
	root   string // of the test's directories
	master *os.File
	slave  *os.File // held open so that the terminal's settings can be read until the end
	before *term.State
	input  chan []byte
	gone   atomic.Bool // the terminal is being closed

	exited chan struct{} // closed when parley was reaped
	ended  chan struct{} // closed when no process has the terminal open

	mu      sync.Mutex // guards the fields below
	emu     *vt.Emulator
	raw     []byte        // all output so far
	inFrame bool          // between the two marks of a synchronised frame
	changed chan struct{} // closed and replaced at the next output
}

// Start runs parley in dir, in a terminal of that size.
func Start(t testing.TB, cols, rows int, dir string, args ...string) *Screen {
	t.Helper()
	return StartEnv(t, cols, rows, dir, nil, args...)
}

// StartEnv is Start with more variables in the environment.
func StartEnv(t testing.TB, cols, rows int, dir string, env []string, args ...string) *Screen {
	t.Helper()
	return startIn(t, cols, rows, dir, env, append([]string{parley}, args...))
}

// startIn runs any program in a terminal, to start parley from it.
func startIn(t testing.TB, cols, rows int, dir string, env, argv []string) *Screen {
	t.Helper()
	s := &Screen{t: t, root: strings.TrimSuffix(dir, "/work"), emu: vt.NewEmulator(cols, rows), input: make(chan []byte, 1024),
		exited: make(chan struct{}), ended: make(chan struct{}), changed: make(chan struct{})}
	var err error
	if s.master, s.slave, err = pty.Open(); err != nil {
		t.Fatal(err)
	}
	s.setsize(cols, rows)
	if s.before, err = term.GetState(s.slave.Fd()); err != nil {
		t.Fatal(err)
	}
	s.emulate()
	s.cmd = exec.Command(argv[0], argv[1:]...)
	s.cmd.Dir, s.cmd.Env = dir, environ(dir, env...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = s.slave, s.slave, s.slave
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must.Do(t, s.cmd.Start())
	go s.reap()
	go s.output()
	go s.typeOut()
	go s.replies()
	t.Cleanup(s.finish)
	return s
}

// emulate adds what most terminals have and the emulator lacks. It holds back half a frame, so that
// a test never sees a partial one. It reports that it measures text by clusters. It ignores scroll
// margins of an earlier size.
func (s *Screen) emulate() {
	s.emu.RegisterCsiHandler('r', func(p ansi.Params) bool {
		bottom, _, _ := p.Param(1, 0)
		return bottom > s.emu.Height()
	})
	s.emu.RegisterCsiHandler(ansi.Command('?', '$', 'p'), func(p ansi.Params) bool {
		for _, has := range []ansi.DECMode{ansi.ModeSynchronizedOutput, ansi.ModeUnicodeCore} {
			if mode, _, ok := p.Param(0, 0); ok && mode == has.Mode() {
				io.WriteString(s.emu.InputPipe(), ansi.ReportMode(has, ansi.ModeReset))
				return true
			}
		}
		return false
	})
	frame := func(on bool) func(ansi.Mode) {
		return func(m ansi.Mode) {
			if m == ansi.ModeSynchronizedOutput {
				s.inFrame = on
			}
		}
	}
	s.emu.SetCallbacks(vt.Callbacks{EnableMode: frame(true), DisableMode: frame(false)})
}

func (s *Screen) setsize(cols, rows int) {
	must.Do(s.t, pty.Setsize(s.master, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}))
}

func (s *Screen) reap() {
	s.cmd.Wait()
	close(s.exited)
}

// output feeds the emulator until the last process has closed the terminal.
func (s *Screen) output() {
	defer close(s.ended)
	buf := make([]byte, 1<<16)
	for {
		n, err := s.master.Read(buf)
		s.mu.Lock()
		s.raw = append(s.raw, buf[:n]...)
		s.emu.Write(buf[:n])
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
		if err != nil || s.gone.Load() {
			return
		}
	}
}

// typeOut is the only writer to the terminal, so that neither a key nor a reply of the emulator
// waits for parley to read.
func (s *Screen) typeOut() {
	for data := range s.input {
		if _, err := s.master.Write(data); err != nil && !errors.Is(err, syscall.EAGAIN) {
			return
		}
	}
}

// replies sends the emulator's answers to queries.
func (s *Screen) replies() {
	buf := make([]byte, 4096)
	for {
		n, err := s.emu.Read(buf)
		if err != nil {
			return
		}
		s.send(bytes.Clone(buf[:n]))
	}
}

func (s *Screen) send(data []byte) {
	select {
	case s.input <- data:
	case <-s.ended: // parley no longer reads
	}
}

// Type types text. Newlines are sent unchanged.
func (s *Screen) Type(text string) { s.send([]byte(text)) }

// Press presses keys in order.
func (s *Screen) Press(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		s.send([]byte(keyBytes(s.t, k)))
	}
}

// Prompt types a prompt and sends it.
func (s *Screen) Prompt(text string) { s.Type(text + "\r") }

// Resize changes the size of the terminal.
func (s *Screen) Resize(cols, rows int) {
	s.mu.Lock()
	s.emu.Resize(cols, rows)
	s.mu.Unlock()
	s.setsize(cols, rows)
}

// Rows returns the rows of the screen without trailing spaces.
func (s *Screen) Rows() []string {
	rows, _ := s.look()
	return rows
}

// look returns the last complete frame, and a channel that is closed at the next output.
func (s *Screen) look() ([]string, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for deadline := time.Now().Add(patience); s.inFrame && time.Now().Before(deadline); {
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-s.ended:
			s.mu.Lock()
			return s.cells(), s.changed
		}
		s.mu.Lock()
	}
	return s.cells(), s.changed
}

func (s *Screen) cells() []string {
	rows := make([]string, s.emu.Height())
	for y := range rows {
		var b strings.Builder
		for x := range s.emu.Width() {
			switch c := s.emu.CellAt(x, y); {
			case c == nil:
				b.WriteByte(' ')
			case c.Width > 0: // otherwise it is the second half of a wide one
				b.WriteString(c.Content)
			}
		}
		rows[y] = strings.TrimRight(b.String(), " ")
	}
	return rows
}

// Cursor returns the cell of the cursor.
func (s *Screen) Cursor() (x, y int) {
	s.look()
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.emu.CursorPosition()
	return at.X, at.Y
}

// Raw returns the output since a mark, and the next mark.
func (s *Screen) Raw(from int) ([]byte, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw[from:], len(s.raw)
}

// WaitFunc waits until f accepts the rows of the screen, and returns them.
func (s *Screen) WaitFunc(what string, f func(rows []string) bool) []string {
	s.t.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		rows, changed := s.look()
		if f(rows) {
			return rows
		}
		select {
		case <-changed:
			continue
		case <-timeout.C:
		case <-s.ended:
			if rows := s.Rows(); f(rows) {
				return rows
			}
		}
		s.t.Fatalf("waited in vain for %s; the screen:\n%s", what, numbered(s.Rows()))
	}
}

// poll waits for what no output tells.
func (s *Screen) poll(what string, done func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("waited in vain for %s, processes: %v", what, processesOf(s.root))
		}
	}
}

// WaitFor waits until each text is in a row of the screen.
func (s *Screen) WaitFor(texts ...string) []string {
	s.t.Helper()
	return s.WaitOnly(texts)
}

// WaitGone waits until the text is in no row.
func (s *Screen) WaitGone(text string) []string {
	s.t.Helper()
	return s.WaitOnly(nil, text)
}

// WaitOnly waits until all of the texts and none of the others are on the screen. Effects of one
// event may be drawn in different frames.
func (s *Screen) WaitOnly(texts []string, gone ...string) []string {
	s.t.Helper()
	return s.WaitFunc(fmt.Sprintf("%q without %q", texts, gone), func(rows []string) bool { return shown(rows, texts, gone...) })
}

// shown reports whether all of the texts are in the rows, and none of the others.
func shown(rows, texts []string, gone ...string) bool {
	on := func(text string) bool { return rowOf(rows, text) >= 0 }
	off := func(text string) bool { return rowOf(rows, text) < 0 }
	return !slices.ContainsFunc(texts, off) && !slices.ContainsFunc(gone, on)
}

// PressUntil presses a key repeatedly until the text is on the screen, for keys that are at first
// dropped by design.
func (s *Screen) PressUntil(key, text string) {
	s.t.Helper()
	s.pressEvery(200*time.Millisecond, key, text)
}

// pressEvery presses a key, with a pause after each, until the text is on the screen.
func (s *Screen) pressEvery(pause time.Duration, key, text string) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		s.Press(key)
		for again := time.After(pause); again != nil; {
			rows, changed := s.look()
			if rowOf(rows, text) >= 0 {
				return
			}
			select {
			case <-changed:
			case <-again:
				again = nil
			}
		}
	}
	s.t.Fatalf("%s does not bring %q; the screen:\n%s", key, text, numbered(s.Rows()))
}

// Paste sends text as a bracketed paste.
func (s *Screen) Paste(text string) { s.Type("\x1b[200~" + text + "\x1b[201~") }

// WaitDraft waits until the composer holds exactly this.
func (s *Screen) WaitDraft(text string) []string {
	s.t.Helper()
	return s.WaitFunc("the draft \""+text+"\"", func(rows []string) bool { return draft(rows) == text })
}

// Turn sends a prompt while the agent is idle and waits for the end of its turn. It does not wait
// for the prompt to appear in the transcript: under load the first frame of the turn may already
// have the whole answer, with the prompt scrolled off.
func (s *Screen) Turn(prompt string) []string {
	s.t.Helper()
	before := transcript(s.WaitIdle())
	s.Type(prompt)
	first, _, _ := strings.Cut(prompt, "\x1b") // only the first of several lines
	s.WaitFunc("the draft \""+first+"\"", func(rows []string) bool { return strings.HasPrefix(draft(rows), first) })
	s.Press("enter")
	return s.WaitFunc("the end of the turn", func(rows []string) bool {
		return idle(rows) && draft(rows) == "" && !slices.Equal(transcript(rows), before)
	})
}

// transcript returns the rows above the composer.
func transcript(rows []string) []string {
	for i, r := range slices.Backward(rows) {
		if strings.HasPrefix(r, "╭") {
			return rows[:i]
		}
	}
	return rows
}

// WaitIdle waits for the end of a turn with nothing queued.
func (s *Screen) WaitIdle() []string {
	s.t.Helper()
	return s.WaitFunc("the end of the turn", func(rows []string) bool { return idle(rows) })
}

// idle reports whether the status line shows no turn.
func idle(rows []string) bool { return strings.HasSuffix(page(rows)[len(rows)-1], "? help") }

// sideBorder ends a status line beside which there is a side panel.
const sideBorder = "  │"

// page returns the rows without the side panel.
func page(rows []string) []string {
	last := rows[len(rows)-1]
	if !strings.HasSuffix(last, sideBorder) {
		return rows
	}
	width := ansi.StringWidth(last) - 2
	cut := make([]string, len(rows))
	for y, row := range rows {
		cut[y] = strings.TrimRight(ansi.Truncate(row, width, ""), " ")
	}
	return cut
}

var paragraphNumber = regexp.MustCompile(`Paragraph (\d+)`)

// WaitParagraph waits until the prompt "trickle" has produced that many paragraphs. The first of
// them may have scrolled off by then.
func (s *Screen) WaitParagraph(n int) []string {
	s.t.Helper()
	return s.WaitFunc(fmt.Sprintf("paragraph %d or later", n), func(rows []string) bool {
		return slices.ContainsFunc(paragraphNumber.FindAllStringSubmatch(strings.Join(rows, "\n"), -1), func(m []string) bool {
			got, _ := strconv.Atoi(m[1])
			return got >= n
		})
	})
}

// rowOf returns the first row with the text, -1 without one.
func rowOf(rows []string, text string) int {
	for i, r := range rows {
		if strings.Contains(r, text) {
			return i
		}
	}
	return -1
}

// placeholder is the text in an empty composer.
const placeholder = "Ask the agent · / for commands · ? for help"

// draft returns the text in the composer with its rows joined, "" if it is empty.
func draft(rows []string) string {
	text, inside := "", false
	for _, r := range page(rows) {
		switch {
		case strings.HasPrefix(r, "│ › "):
			text, inside = strings.TrimPrefix(r, "│ › "), true
		case inside && strings.HasPrefix(r, "│"):
			text += strings.TrimPrefix(strings.TrimPrefix(r, "│"), "   ")
		default:
			inside = false
			continue
		}
		text = strings.TrimRight(strings.TrimSuffix(text, "│"), " ")
	}
	if strings.HasPrefix(placeholder, strings.TrimSuffix(text, "…")) {
		return ""
	}
	return text
}
