// Package keyboard lets programs use the user's terminal. An editor gets the terminal itself
// (RunForeground). A command that parley runs for an agent, or a login, has a separate terminal and borrows
// the user's (Lend, RunOnPTY): keys go to the command and its output is shown unchanged, until the
// command ends or the user takes the keyboard back with ctrl+].
//
// Meanwhile the terminal is raw, so the command gets every other key, ctrl+c included. What the
// user types is not stored. Afterwards the terminal is restored whatever the command did to it: its
// modes are reset, and unread keys are discarded because they were meant for the command.
package keyboard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/lazy"
	"parley/internal/safetext"
)

var (
	// ErrTakenBack says that the user took the keyboard back. The command keeps running.
	ErrTakenBack = errors.New("the keyboard was taken back")
	// ErrNoTerminal says that there is no terminal to lend.
	ErrNoTerminal = errors.New("the keyboard can be lent at a terminal only")
)

// Command is the user's side of a command's terminal. Read returns io.EOF when the command ends, or
// at once after Close, which leaves the command running. Write does not wait for the command.
type Command interface {
	io.ReadWriteCloser
	Resize(cols, rows int) error
	EarlierOutput() []byte // earlier output, with newlines as line breaks
}

// AgentSeesHint is the hint to pass to Lend for a command that an agent runs.
const AgentSeesHint = "the agent sees its output · ctrl+] lets go"

// heading is the line shown above the command's output, cut to cols cells.
func heading(line, hint string, cols int) string {
	rest := " · " + hint
	line = strings.Join(strings.Fields(safetext.Line(line, 2000)), " ")
	room := max(12, cols-1-len("parley: ")-ansi.StringWidth(rest))
	return ansi.Truncate("parley: "+ansi.Truncate(line, room, "…")+rest, max(1, cols-1), "…")
}

// plainTail returns the last rows lines of raw output as plain text. Escape sequences are dropped:
// they drew on another screen, and queries among them must not be answered now.
func plainTail(text []byte, rows int) string {
	lines := strings.Split(safetext.Clean(string(text)), "\n")
	lines = lines[max(0, len(lines)-max(1, rows)):]
	for i, l := range lines { // for a line overwritten with \r, keep the last version
		l = strings.TrimSuffix(l, "\r")
		lines[i] = l[strings.LastIndexByte(l, '\r')+1:]
	}
	return strings.Join(lines, "\r\n")
}

// ctrlBracket matches ctrl+] as encoded by the keyboard protocols that a command may switch on.
var ctrlBracket = lazy.Regexp(`\x1b\[93(?::[0-9]*)*;([0-9]+)(?::([0-9]+))?(?:;[0-9:]*)?u|\x1b\[27;([0-9]+);93~`)

// splitAtCtrlBracket finds ctrl+] among keys and returns the keys before it, which are for the
// command. Keys after it are discarded.
func splitAtCtrlBracket(keys []byte) (mine []byte, found bool) {
	at := bytes.IndexByte(keys, 0x1d)
	for _, m := range ctrlBracket().FindAllSubmatchIndex(keys, -1) {
		part := func(i int) int {
			if m[2*i] < 0 {
				return 0
			}
			n, _ := strconv.Atoi(string(keys[m[2*i]:m[2*i+1]]))
			return n
		}
		const ctrl, locks, release = 4, 64 | 128, 3
		held := max(part(1), part(3)) - 1
		if held&^locks == ctrl && part(2) != release && (at < 0 || m[0] < at) {
			at = m[0]
		}
	}
	if at < 0 {
		return keys, false
	}
	return keys[:at], true
}

// saveTitle and restoreTitle save and restore the window title, on terminals that support it.
const saveTitle, restoreTitle = "\x1b[22;0t", "\x1b[23;0t"

// reset undoes what a command may have changed. It leaves the alternate screen only if the command
// left it on, because that also moves the cursor back.
func reset(alternate bool) string {
	var b strings.Builder
	b.WriteString("\x18\x1b\\") // end any unfinished sequence
	if alternate {
		b.WriteString("\x1b[?1049l")
	}
	b.WriteString("\x1b[<99u\x1b[=0u\x1b[>4m")          // keyboard protocols
	b.WriteString("\x1b[!p\x1b7\x1b[r\x1b8")            // margins, with the cursor where it is
	b.WriteString("\x1b(B\x1b)B\x0f\x1b>\x1b[m\x1b[4l") // characters, keypad, colours, inserting
	for _, mode := range []int{1, 5, 9, 66, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 2004, 2026, 2031, 2048} {
		fmt.Fprintf(&b, "\x1b[?%dl", mode)
	}
	b.WriteString("\x1b[?7h\x1b[?25h\x1b[0 q")                                              // wrapping, the cursor
	b.WriteString("\x1b]8;;\x1b\\\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\") // links, the palette
	b.WriteString("\x1b]9;4;0\x1b\\" + restoreTitle + "\r\n")                               // progress, the title
	return b.String()
}
