//go:build unix

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// muxed is a shell in its own tmux, to start parley from.
type muxed struct {
	*pane
	dir        string
	cols, rows int
}

// shellInTmux starts a shell in tmux, with server options and more variables, and waits for its
// prompt.
func shellInTmux(t *testing.T, cols, rows int, options [][]string, more ...string) *muxed {
	t.Helper()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("there is no tmux here")
	}
	m := &muxed{&pane{t: t, tmux: tmux, sock: filepath.Join(t.TempDir(), "s")}, workDir(t), cols, rows}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the terminal at the end:\n%s", m.all())
		}
		m.end(m.dir)
	})
	vars := append(environ(m.dir, "PS1=ready> ", "PATH="+toolbox+":"+filepath.Dir(tmux)), more...)
	env, err := exec.LookPath("env")
	if err != nil {
		t.Fatal(err)
	}
	line := append(append([]string{env}, vars...), filepath.Join(toolbox, "sh"), "-i")
	m.run(append([]string{"new-session", "-d", "-x", strconv.Itoa(cols), "-y", strconv.Itoa(rows), "-c", m.dir}, line...)...)
	m.run("set-option", "-g", "window-size", "manual")
	for _, o := range options {
		m.run(append([]string{"set-option", "-g"}, o...)...)
	}
	m.seen("ready>")
	return m
}

// screen returns the visible rows.
func (m *muxed) screen() []string {
	rows := strings.Split(strings.TrimSuffix(m.run("capture-pane", "-p"), "\n"), "\n")
	for i, r := range rows {
		rows[i] = strings.TrimRight(r, " ")
	}
	return rows
}

// wait waits until f accepts the rows of the screen.
func (m *muxed) wait(what string, f func(rows []string) bool) []string {
	m.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		rows := m.screen()
		if f(rows) {
			return rows
		}
		if time.Now().After(deadline) {
			m.t.Fatalf("waited in vain for %s; the screen:\n%s", what, numbered(rows))
		}
	}
}

// seen waits until the texts are visible.
func (m *muxed) seen(texts ...string) []string {
	m.t.Helper()
	return m.wait(fmt.Sprintf("%q", texts), func(rows []string) bool { return shown(rows, texts) })
}

// enter types a line.
func (m *muxed) enter(line string) {
	m.typed(line)
	m.key("Enter")
}

// idle waits for the end of the turn on a complete screen.
func (m *muxed) idle() []string {
	m.t.Helper()
	return m.wait("a whole screen at rest", func(rows []string) bool {
		return idle(rows) && framed(rows, m.cols) == ""
	})
}

// flags reports whether programs have the mouse, whether the cursor is shown, and whether the
// alternate screen is on.
func (m *muxed) flags() string {
	return strings.TrimSpace(m.run("display-message", "-p", "mouse #{mouse_any_flag}, cursor #{cursor_flag}, screen #{alternate_on}"))
}

// From the shell's prompt through a chat and back, in every kind of terminal that tmux can be.
func TestTmux(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		cols, rows int
		options    [][]string
		env        []string
		grey       bool // no colours
	}{
		{"plain", 100, 30, nil, nil, false},
		{"allow-passthrough on", 100, 30, [][]string{{"allow-passthrough", "on"}}, nil, false},
		{"allow-passthrough off", 100, 30, [][]string{{"allow-passthrough", "off"}}, nil, false},
		{"TERM=screen", 100, 30, nil, []string{"TERM=screen"}, false},
		{"TERM=tmux-256color", 100, 30, nil, []string{"TERM=tmux-256color"}, false},
		{"NO_COLOR", 100, 30, nil, []string{"NO_COLOR=1"}, true},
		{"40x12", 40, 12, nil, nil, false},
		{"80x24", 80, 24, nil, nil, false},
		{"200x50", 200, 50, nil, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if !slices.Contains([]string{"plain", "NO_COLOR", "40x12"}, test.name) {
				long(t)
			}
			m := shellInTmux(t, test.cols, test.rows, test.options, test.env...)
			m.chat(test.grey)
		})
	}
}

func (m *muxed) chat(grey bool) {
	t := m.t
	notes := filepath.Join(m.dir, "notes.txt")
	write(t, notes, "one\n")
	m.enter("echo was here before")
	before := m.wait("its output", func(rows []string) bool {
		return slices.Contains(rows, "was here before") && slices.Contains(rows, "ready>")
	})
	m.enter("parley demo")
	m.seen("› Ask the agent")
	m.idle()
	if got := m.flags(); got != "mouse 1, cursor 1, screen 1" {
		t.Errorf("while parley has the terminal: %s", got)
	}
	m.enter("hello")
	m.seen("That is all.")
	m.idle()
	if n := len(colours(m.run("capture-pane", "-p", "-e"))); (n == 0) != grey {
		t.Errorf("%d colours", n)
	}

	m.enter("edit notes.txt")
	m.wait("a question with the keys", func(rows []string) bool {
		return rowOf(rows, "demo asks") >= 0 && (rowOf(rows, armed) >= 0 || rowOf(rows, "read on to allow") >= 0)
	})
	m.wait("the end of the question", func(rows []string) bool {
		if rowOf(rows, armed) >= 0 {
			return true
		}
		m.key("NPage")
		return false
	})
	m.key("y")
	m.seen("That is all.")
	m.idle()
	if got := read(t, notes); got != "one\ndemo agent was here (1)\n" {
		t.Errorf("the file holds %q", got)
	}

	m.enter("long")
	m.seen("Section")
	for _, by := range [][2]int{{-5, -1}, {20, 6}, {0, 0}} {
		cols, rows := m.cols+by[0], m.rows+by[1]
		m.resize(cols, rows)
		m.wait(fmt.Sprintf("a whole screen of %dx%d", cols, rows), func(r []string) bool {
			return len(r) == rows && framed(r, cols) == "" && r[0]+r[1]+r[2] != ""
		})
	}
	m.seen("That is all.")
	m.idle()

	m.key("C-d")
	after := m.wait("the shell's prompt", func(rows []string) bool { return lastOf(rows) == "ready>" })
	if first := before[0]; after[0] != first || !slices.Contains(after, "was here before") || rowOf(after, "ready> parley demo") < 0 {
		t.Errorf("what was there before is not back:\n%s", numbered(after))
	}
	if strings.Contains(strings.Join(after, "\n"), "That is all.") || strings.Contains(strings.Join(after, ""), "╭") {
		t.Errorf("something of parley is left:\n%s", numbered(after))
	}
	if got := m.flags(); got != "mouse 0, cursor 1, screen 0" {
		t.Errorf("after parley: %s", got)
	}
	m.enter("echo the shell goes on") // typing is echoed
	m.wait("the shell", func(rows []string) bool {
		return slices.Contains(rows, "the shell goes on") && slices.Contains(rows, "ready> echo the shell goes on")
	})
}

// lastOf returns the last row that is not blank.
func lastOf(rows []string) string {
	for i := len(rows) - 1; i >= 0; i-- {
		if rows[i] != "" {
			return rows[i]
		}
	}
	return ""
}

// Copied text reaches tmux's own buffer if its options allow that. The notice does not claim
// success, and the screen is not disturbed.
func TestTmuxCopies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		options [][]string
		taken   bool
	}{
		{"taken", [][]string{{"set-clipboard", "on"}, {"allow-passthrough", "off"}}, true},
		{"handed on", [][]string{{"set-clipboard", "external"}, {"allow-passthrough", "on"}}, false},
		{"lost", [][]string{{"set-clipboard", "off"}, {"allow-passthrough", "off"}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if test.name == "handed on" {
				long(t)
			}
			m := shellInTmux(t, 100, 30, test.options)
			m.enter("parley demo")
			m.seen("› Ask the agent")
			m.enter("hello")
			m.seen("That is all.")
			before := m.idle()
			m.key("Tab")
			m.seen("┃ That is all.")
			m.key("y")
			m.seen("╭ Copy")
			m.key("y")
			m.seen("Sent 1 line to the terminal's clipboard (OSC 52, tmux)")
			if test.taken {
				m.until(func(string) string {
					if text := m.run("show-buffer"); !strings.Contains(text, "That is all. Type `help` to see what else I can do.") {
						return fmt.Sprintf("tmux holds %q", text)
					}
					return ""
				})
			} else if text := m.run("list-buffers"); text != "" {
				t.Errorf("tmux has taken %q", text)
			}
			m.key("Escape")
			rows := m.idle()
			before[25], rows[25] = "", "" // the row of the notice
			if a, b := strings.Join(before[:29], "\n"), strings.Join(rows[:29], "\n"); a != b {
				t.Errorf("the screen was\n%s\nand is\n%s", numbered(before), numbered(rows))
			}
		})
	}
}
