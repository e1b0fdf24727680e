// Package keyboard lets programs have the user's terminal. An editor is given the
// terminal itself (Give). To a command that parley runs for an agent, and to a login, it
// is lent (Lend, Run): what the user types goes to the command, what the command writes to its
// terminal comes out as it is, until the command ends or the user takes the
// keyboard back with ctrl+].
//
// The terminal is raw meanwhile, so every other key, ctrl+c included, is the
// command's. What is typed is kept nowhere. Afterwards the terminal is what it was,
// whatever the command has made of it: its modes are reset, and keys that were not
// read yet are dropped, since they were meant for the command.
package keyboard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/safetext"
)

var (
	// ErrTakenBack says that the user has taken the keyboard back; the command goes on.
	ErrTakenBack = errors.New("the keyboard was taken back")
	// ErrNoTerminal says that there is no terminal to lend.
	ErrNoTerminal = errors.New("the keyboard can be lent at a terminal only")
)

// Command is the user's side of a command's terminal. Read ends with io.EOF when
// the command does, and at once when it is closed, which leaves the command running.
// Write does not wait for the command.
type Command interface {
	io.ReadWriteCloser
	Resize(cols, rows int) error
	Before() []byte // what it had written already, with newlines for line breaks
}

// AgentSees is the hint of Lend for a command of an agent's.
const AgentSees = "the agent sees its output · ctrl+] lets go"

// heading is the line that stands above what the command writes, in cols cells.
func heading(line, hint string, cols int) string {
	rest := " · " + hint
	line = strings.Join(strings.Fields(safetext.Line(line, 2000)), " ")
	room := max(12, cols-1-len("parley: ")-ansi.StringWidth(rest))
	return ansi.Truncate("parley: "+ansi.Truncate(line, room, "…")+rest, max(1, cols-1), "…")
}

// before is what the command had written, as text: what it drew there was for
// another moment, and what it asked the terminal then must not be answered now.
func before(text []byte, rows int) string {
	lines := strings.Split(safetext.Clean(string(text)), "\n")
	lines = lines[max(0, len(lines)-max(1, rows)):]
	for i, l := range lines { // of what was written over itself the last counts
		l = strings.TrimSuffix(l, "\r")
		lines[i] = l[strings.LastIndexByte(l, '\r')+1:]
	}
	return strings.Join(lines, "\r\n")
}

// back is ctrl+] as the keyboard protocols write it that a command may switch on.
var back = regexp.MustCompile(`\x1b\[93(?::[0-9]*)*;([0-9]+)(?::([0-9]+))?(?:;[0-9:]*)?u|\x1b\[27;([0-9]+);93~`)

// cut finds ctrl+] among keys: those before it are the command's, those behind it
// nobody's.
func cut(keys []byte) (mine []byte, found bool) {
	at := bytes.IndexByte(keys, 0x1d)
	for _, m := range back.FindAllSubmatchIndex(keys, -1) {
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

// altScreen follows whether a command has left the alternate screen on.
type altScreen struct {
	on   bool
	held []byte // the end of what was written, which may be half a sequence
}

var privateModes = regexp.MustCompile(`\x1b\[\?([0-9;]*)([hl])`)

func (a *altScreen) add(p []byte) {
	const longest = 32
	if len(a.held) == 0 && !bytes.Contains(p, []byte{0x1b}) {
		return
	}
	all := append(a.held, p...)
	for _, m := range privateModes.FindAllSubmatch(all, -1) {
		for mode := range strings.SplitSeq(string(m[1]), ";") {
			switch mode {
			case "47", "1047", "1049":
				a.on = m[2][0] == 'h'
			}
		}
	}
	a.held = nil
	if i := bytes.LastIndexByte(all, 0x1b); i >= 0 && len(all)-i < longest {
		a.held = bytes.Clone(all[i:])
	}
}

// keepTitle and giveTitle have the terminal remember its title, where it can.
const keepTitle, giveTitle = "\x1b[22;0t", "\x1b[23;0t"

// reset undoes what a command may leave behind. Going back from the alternate screen
// also puts the cursor back, so it is done only where the command has left it on.
func (a *altScreen) reset() string {
	var b strings.Builder
	b.WriteString("\x18\x1b\\") // whatever was begun and not ended
	if a.on {
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
	b.WriteString("\x1b]9;4;0\x1b\\" + giveTitle + "\r\n")                                  // progress, the title
	return b.String()
}
