// Package termmodes follows what a program changes of its terminal, by what it writes: so that another terminal can
// be made like it, and this one be freed of it.
package termmodes

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Modes are what a program has changed of its terminal, as far as another one must be told of it, or this one must be
// freed of it. The zero value is a terminal as it begins.
type Modes struct {
	set      []string    // modes that differ from how a terminal begins, in the order in which they were set
	keyboard [2][]string // flags on the stacks of kitty's keyboard protocol, one for each screen
	other    string      // modifyOtherKeys, "" if it is off
	shape    string      // of the cursor, "" for the terminal's own
	colours  []string    // those of text, background and cursor that were changed
	title    bool
	progress bool
	region   bool // some rows scroll
	keypad   bool
	pen      bool // text has colours
	link     bool // text is a link
	letters  bool // another set of characters

	seq   []byte // of a sequence that has begun, from its escape
	state byte   // the kind of sequence: 0 none, '\x1b', '(' a set of characters, '[', ']', or 'S' for other strings that ST ends
}

// byDefault are the modes that are on at first. Of them set has those that are off.
var byDefault = []string{"?7", "?25"}

// lasting are the modes that matter: the cursor, wrapping, the screens, the mouse, focus, pastes, widths, colours,
// whole frames. Those with ? are private.
var lasting = strings.Fields("4 20 ?1 ?5 ?6 ?7 ?9 ?25 ?47 ?66 ?69 ?1000 ?1001 ?1002 ?1003 ?1004 ?1005 ?1006 ?1007 ?1015 ?1016 ?1047 ?1049 ?2004 ?2026 ?2027 ?2031 ?2048")

// alternate are the modes that are the alternate screen. Each ends it.
var alternate = []string{"?47", "?1047", "?1049"}

// soft are the modes that a soft reset ends.
var soft = []string{"4", "?1", "?6", "?7", "?25", "?66", "?69"}

// maxSequence bounds what is remembered of a sequence; longer ones, such as pictures, change no mode.
const maxSequence = 256

// Learn reads what the program has written next.
func (m *Modes) Learn(p []byte) {
	for len(p) > 0 {
		if m.state == 0 {
			i := bytes.IndexAny(p, "\x1b\x0e\x0f")
			if i < 0 {
				return
			}
			if b := p[i]; b == '\x1b' {
				m.begin()
			} else {
				m.letters = b == '\x0e'
			}
			p = p[i+1:]
			continue
		}
		b := p[0]
		p = p[1:]
		switch {
		case b == '\x1b':
			if m.state == ']' { // the end of a string begins so
				m.command()
			}
			m.begin()
			continue
		case b == '\x18', b == '\x1a': // cancelled
			m.state = 0
			continue
		}
		switch m.state {
		case '\x1b':
			m.remember(b)
			m.escape(b)
		case '(':
			m.state, m.letters = 0, b != 'B'
		case '[':
			switch {
			case b >= 0x40 && b <= 0x7e:
				m.state = 0
				m.control(m.seq[2:], b)
			case b >= 0x20: // others are done at once
				m.remember(b)
			}
		default: // a string, up to BEL or ST
			if b != '\a' {
				m.remember(b)
				continue
			}
			if m.state == ']' {
				m.command()
			}
			m.state = 0
		}
	}
}

// begin begins a sequence.
func (m *Modes) begin() { m.state, m.seq = '\x1b', append(m.seq[:0], '\x1b') }

func (m *Modes) remember(b byte) {
	if len(m.seq) < maxSequence {
		m.seq = append(m.seq, b)
	}
}

// escape handles what follows an escape.
func (m *Modes) escape(b byte) {
	m.state = 0
	switch b {
	case '[', ']', '(':
		m.state = b
	case 'P', 'X', '^', '_':
		m.state = 'S'
	case '=':
		m.keypad = true
	case '>':
		m.keypad = false
	case 'c': // everything is as at first, but for what is around the screen
		*m = Modes{seq: m.seq, title: m.title, progress: m.progress}
	}
}

// control handles a control sequence with its parameters.
func (m *Modes) control(params []byte, final byte) {
	if final == 'm' && (len(params) == 0 || params[0] != '>') { // the most frequent one
		m.pen = len(params) > 0 && string(params) != "0"
		return
	}
	switch text := string(params); final {
	case 'h', 'l':
		prefix := ""
		if list, private := strings.CutPrefix(text, "?"); private {
			prefix, text = "?", list
		}
		for number := range strings.SplitSeq(text, ";") {
			m.mode(prefix+number, final == 'h')
		}
	case 'u':
		m.kitty(text)
	case 'm', 'n':
		if value, ok := strings.CutPrefix(text, ">4"); ok && (value == "" || value[0] == ';') {
			if m.other = strings.TrimPrefix(value, ";"); m.other == "0" || final == 'n' {
				m.other = ""
			}
		}
	case 'q':
		if shape, ok := strings.CutSuffix(text, " "); ok {
			if m.shape = shape; shape == "0" {
				m.shape = ""
			}
		}
	case 'r':
		if !strings.HasPrefix(text, "?") {
			m.region = text != ""
		}
	case 'p':
		if text == "!" { // soft reset
			m.set = slices.DeleteFunc(m.set, func(mode string) bool { return slices.Contains(soft, mode) })
			m.keypad, m.region, m.pen, m.letters = false, false, false, false
		}
	}
}

// mode notes that a mode was set or reset.
func (m *Modes) mode(mode string, on bool) {
	if !slices.Contains(lasting, mode) {
		return
	}
	same := []string{mode}
	if slices.Contains(alternate, mode) {
		same = alternate
	}
	is := func(set string) bool { return slices.Contains(same, set) }
	switch differs := on != slices.Contains(byDefault, mode); {
	case !differs:
		if m.set = slices.DeleteFunc(m.set, is); m.screen() == 0 {
			m.keyboard[1] = nil
		}
	case !slices.ContainsFunc(m.set, is):
		m.set = append(m.set, mode)
	}
}

// screen is 1 while the alternate screen is shown, else 0.
func (m *Modes) screen() int {
	if slices.ContainsFunc(m.set, func(mode string) bool { return slices.Contains(alternate, mode) }) {
		return 1
	}
	return 0
}

// deepest bounds the stack of the keyboard protocol, as terminals do.
const deepest = 8

// kitty handles a sequence of the keyboard protocol.
func (m *Modes) kitty(params string) {
	stack := &m.keyboard[m.screen()]
	if params == "" { // it restores the cursor
		return
	}
	flags := params[1:]
	switch params[0] {
	case '>':
		if *stack = append(*stack, cmp.Or(flags, "0")); len(*stack) > deepest {
			*stack = (*stack)[1:]
		}
	case '<':
		n, err := strconv.Atoi(flags)
		if err != nil {
			n = 1
		}
		*stack = (*stack)[:max(0, len(*stack)-max(n, 0))]
	case '=':
		flags, how, _ := strings.Cut(flags, ";")
		value, _ := strconv.Atoi(flags)
		if len(*stack) == 0 {
			*stack = append(*stack, "0")
		}
		top := &(*stack)[len(*stack)-1]
		old, _ := strconv.Atoi(*top)
		switch how {
		case "2":
			value |= old
		case "3":
			value = old &^ value
		}
		*top = strconv.Itoa(value)
		if value == 0 && len(*stack) == 1 {
			*stack = nil
		}
	}
}

// command handles an operating system command.
func (m *Modes) command() {
	number, rest, _ := strings.Cut(string(m.seq[2:]), ";")
	switch number {
	case "0", "2":
		m.title = rest != ""
	case "8":
		_, target, _ := strings.Cut(rest, ";")
		m.link = target != ""
	case "9":
		if state, ok := strings.CutPrefix(rest, "4;"); ok {
			m.progress = !strings.HasPrefix(state, "0")
		}
	case "10", "11", "12":
		if !strings.HasPrefix(rest, "?") && !slices.Contains(m.colours, number) {
			m.colours = append(m.colours, number)
		}
	case "110", "111", "112":
		m.colours = slices.DeleteFunc(m.colours, func(colour string) bool { return colour == number[1:] })
	}
}

// Alternate reports whether the alternate screen is shown.
func (m *Modes) Alternate() bool { return m.screen() == 1 }

// Changed reports whether a program has the terminal that has changed it.
func (m *Modes) Changed() bool {
	return len(m.set) > 0 || len(m.keyboard[0]) > 0 || m.other != "" || m.keypad
}

// Replay returns what makes a terminal that begins be as the program expects it.
func (m *Modes) Replay() []byte {
	var b []byte
	push := func(screen int) {
		for _, flags := range m.keyboard[screen] {
			b = fmt.Appendf(b, "\x1b[>%su", flags)
		}
	}
	push(0)
	for _, mode := range m.set {
		b = append(b, sequence(mode, true)...)
	}
	if m.screen() == 1 {
		push(1)
	}
	if m.other != "" {
		b = fmt.Appendf(b, "\x1b[>4;%sm", m.other)
	}
	if m.shape != "" {
		b = fmt.Appendf(b, "\x1b[%s q", m.shape)
	}
	if m.keypad {
		b = append(b, "\x1b="...)
	}
	if m.state != 0 { // in the middle of a sequence: its rest follows
		b = append(b, m.seq...)
	}
	return b
}

// Restore returns what frees the terminal of what the program has changed, and forgets it.
func (m *Modes) Restore() []byte {
	var b []byte
	if m.region {
		b = append(b, "\x1b7\x1b[r\x1b8"...) // where the cursor is
	}
	if m.keypad {
		b = append(b, "\x1b>"...)
	}
	if m.other != "" {
		b = append(b, "\x1b[>4;0m"...)
	}
	pop := func(screen int) {
		if n := len(m.keyboard[screen]); n > 0 {
			b = fmt.Appendf(b, "\x1b[<%du", n)
		}
	}
	if m.screen() == 1 {
		pop(1)
	}
	for _, mode := range slices.Backward(m.set) {
		b = append(b, sequence(mode, false)...)
	}
	pop(0)
	if m.shape != "" {
		b = append(b, "\x1b[0 q"...)
	}
	if m.letters {
		b = append(b, "\x0f\x1b(B"...)
	}
	for _, colour := range m.colours {
		b = fmt.Appendf(b, "\x1b]1%s\x1b\\", colour)
	}
	if m.link {
		b = append(b, "\x1b]8;;\x1b\\"...)
	}
	if m.title {
		b = append(b, "\x1b]2;\a"...)
	}
	if m.progress {
		b = append(b, "\x1b]9;4;0\x1b\\"...)
	}
	if m.state != 0 { // in the middle of a sequence
		b = append([]byte("\x18"), b...)
	}
	if len(b) > 0 || m.pen {
		b = append(b, "\x1b[m"...)
	}
	*m = Modes{}
	return b
}

// sequence makes a mode differ from how a terminal begins, or not.
func sequence(mode string, differ bool) string {
	if differ == slices.Contains(byDefault, mode) {
		return "\x1b[" + mode + "l"
	}
	return "\x1b[" + mode + "h"
}
