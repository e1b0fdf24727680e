package keeper

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// modes are what a program has changed of its terminal, as far as another terminal must be told of it, or this
// one must be freed of it: learned from what the program writes.
type modes struct {
	set      []int  // private modes that differ from how a terminal begins, in the order in which they were set
	keyboard []int  // flags pushed to the stack of kitty's keyboard protocol
	other    string // modifyOtherKeys, "" if it is off
	shape    string // of the cursor, "" for the terminal's own
	title    bool
	progress bool
	region   bool // some rows scroll
	keypad   bool

	seq   []byte // of a sequence that has begun
	state byte   // the kind of sequence: 0 none, '\x1b', '[', ']', or 'S' for other strings that ST ends
}

// byDefault are the private modes that are on at first. Of them set has those that are off.
var byDefault = []int{7, 25}

// lasting are the private modes that matter: the cursor, wrapping, the screens, the mouse, focus, pastes, widths,
// colours. Others end by themselves, such as synchronized output.
var lasting = []int{1, 7, 9, 25, 47, 66, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 1047, 1049, 2004, 2027, 2031, 2048}

// maxSequence bounds what is remembered of a sequence; longer ones, such as pictures, change no mode.
const maxSequence = 256

// learn reads what the program has written next.
func (m *modes) learn(p []byte) {
	for len(p) > 0 {
		if m.state == 0 {
			i := bytes.IndexByte(p, '\x1b')
			if i < 0 {
				return
			}
			m.state, m.seq = '\x1b', m.seq[:0]
			p = p[i+1:]
			continue
		}
		b := p[0]
		p = p[1:]
		switch m.state {
		case '\x1b':
			switch b {
			case '[':
				m.state = '['
			case ']':
				m.state = ']'
			case 'P', 'X', '^', '_':
				m.state = 'S'
			case '\x1b':
			default:
				m.escape(b)
			}
		case '[':
			switch {
			case b == '\x1b':
				m.state, m.seq = '\x1b', m.seq[:0]
			case b >= 0x40 && b <= 0x7e:
				m.state = 0
				m.control(string(m.seq), b)
			default:
				m.remember(b)
			}
		default: // a string, up to BEL or ST
			switch {
			case b == '\a', b == '\x1b':
				if m.state == ']' {
					m.command(string(m.seq))
				}
				m.state = 0
				if b == '\x1b' {
					m.state, m.seq = '\x1b', m.seq[:0]
				}
			default:
				m.remember(b)
			}
		}
	}
}

func (m *modes) remember(b byte) {
	if len(m.seq) < maxSequence {
		m.seq = append(m.seq, b)
	}
}

// escape handles a sequence of two characters, or the first of three.
func (m *modes) escape(b byte) {
	m.state = 0
	switch b {
	case '=':
		m.keypad = true
	case '>':
		m.keypad = false
	case 'c': // everything is as at first
		*m = modes{seq: m.seq[:0]}
	}
}

// control handles a control sequence with its parameters.
func (m *modes) control(params string, final byte) {
	switch final {
	case 'h', 'l':
		if list, ok := strings.CutPrefix(params, "?"); ok {
			for number := range strings.SplitSeq(list, ";") {
				if n, err := strconv.Atoi(number); err == nil && slices.Contains(lasting, n) {
					m.private(n, final == 'h')
				}
			}
		}
	case 'u':
		m.kitty(params)
	case 'm':
		if value, ok := strings.CutPrefix(params, ">4"); ok {
			if m.other = strings.TrimPrefix(value, ";"); m.other == "0" {
				m.other = ""
			}
		}
	case 'n':
		if params == ">4" {
			m.other = ""
		}
	case 'q':
		if shape, ok := strings.CutSuffix(params, " "); ok {
			if m.shape = shape; shape == "0" {
				m.shape = ""
			}
		}
	case 'r':
		m.region = params != ""
	case 'p':
		if params == "!" { // soft reset
			*m = modes{seq: m.seq[:0], title: m.title, progress: m.progress}
		}
	}
}

func (m *modes) private(n int, on bool) {
	at := slices.Index(m.set, n)
	differs := on != slices.Contains(byDefault, n)
	switch {
	case differs && at < 0:
		m.set = append(m.set, n)
	case !differs && at >= 0:
		m.set = slices.Delete(m.set, at, at+1)
	}
}

// deepest bounds the stack of the keyboard protocol, as terminals do.
const deepest = 8

func (m *modes) kitty(params string) {
	switch {
	case strings.HasPrefix(params, ">"):
		flags, _ := strconv.Atoi(params[1:])
		if m.keyboard = append(m.keyboard, flags); len(m.keyboard) > deepest {
			m.keyboard = m.keyboard[1:]
		}
	case strings.HasPrefix(params, "<"):
		n, err := strconv.Atoi(params[1:])
		if err != nil {
			n = 1
		}
		m.keyboard = m.keyboard[:max(0, len(m.keyboard)-max(n, 0))]
	}
}

// command handles an operating system command.
func (m *modes) command(text string) {
	number, rest, _ := strings.Cut(text, ";")
	switch number {
	case "0", "2":
		m.title = rest != ""
	case "9":
		if state, ok := strings.CutPrefix(rest, "4;"); ok {
			m.progress = !strings.HasPrefix(state, "0")
		}
	}
}

// changed reports whether a program has the terminal that has changed it.
func (m *modes) changed() bool {
	return len(m.set) > 0 || len(m.keyboard) > 0 || m.other != "" || m.keypad
}

// replay returns what makes a terminal that begins be as the program expects it.
func (m *modes) replay() []byte {
	var b []byte
	for _, n := range m.set {
		b = fmt.Appendf(b, "\x1b[?%d%c", n, m.letter(n, true))
	}
	for _, flags := range m.keyboard {
		b = fmt.Appendf(b, "\x1b[>%du", flags)
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
	return b
}

// restore returns what frees the terminal of what the program has changed, and forgets it.
func (m *modes) restore() []byte {
	var b []byte
	if m.region {
		b = append(b, "\x1b[r"...)
	}
	if m.keypad {
		b = append(b, "\x1b>"...)
	}
	if m.other != "" {
		b = append(b, "\x1b[>4;0m"...)
	}
	if n := len(m.keyboard); n > 0 {
		b = fmt.Appendf(b, "\x1b[<%du", n)
	}
	for _, n := range slices.Backward(m.set) {
		b = fmt.Appendf(b, "\x1b[?%d%c", n, m.letter(n, false))
	}
	if m.shape != "" {
		b = append(b, "\x1b[0 q"...)
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
	*m = modes{}
	if len(b) > 0 {
		b = append(b, "\x1b[m"...)
	}
	return b
}

// letter returns the end of the sequence that makes a mode differ from how a terminal begins, or not.
func (m *modes) letter(n int, differ bool) byte {
	if differ == slices.Contains(byDefault, n) {
		return 'l'
	}
	return 'h'
}
