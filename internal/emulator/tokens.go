package emulator

import (
	"unicode/utf8"
)

// Limits of one control sequence; a longer one is dropped whole.
const (
	maxCSI   = 128
	maxSpell = 4096 // bytes of an unfinished string sequence after which its end is no longer waited for
)

type tokenState uint8

const (
	stGround tokenState = iota
	stEsc
	stEscInter
	stCSI
	stString    // OSC, DCS, APC, PM, SOS: swallowed
	stStringEsc // an ESC inside one
)

// tokenizer splits the output of a command into text, controls and sequences, however it was cut into writes. Strings
// addressed to the terminal (titles, clipboard, queries in DCS) are dropped here. Text is printable, valid UTF-8, and valid
// during the call; the body of a CSI sequence is what is between CSI and its final byte.
type tokenizer struct {
	state   tokenState
	body    []byte // of the CSI sequence being read
	inter   byte
	dropped bool // the CSI sequence is too long
	spell   int  // bytes of the string so far
	partial [utf8.UTFMax]byte
	held    int // bytes of partial: a rune cut off by the end of a write
}

func (t *tokenizer) feed(p []byte, to *Terminal) {
	for i := 0; i < len(p); {
		if t.state != stGround {
			i += t.sequence(p[i], to)
			continue
		}
		if t.held > 0 {
			i += t.finishRune(p[i:], to)
			continue
		}
		n := printableRun(p[i:])
		if n > 0 {
			to.text(p[i : i+n])
			i += n
			continue
		}
		i += t.other(p[i:], to)
	}
}

// printableRun returns how many bytes of p are printable and whole.
func printableRun(p []byte) int {
	i := 0
	for i < len(p) {
		c := p[i]
		if c >= 0x20 && c < 0x7f {
			i++
			continue
		}
		if c < 0x80 {
			break
		}
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n == 1 || r < 0xa0 || deceives(r) {
			break
		}
		i += n
	}
	return i
}

// other handles what a run ended at: a control, an escape, a broken or unfinished rune.
func (t *tokenizer) other(p []byte, to *Terminal) int {
	c := p[0]
	switch {
	case c == 0x1b:
		t.state, t.inter = stEsc, 0
	case c < 0x20:
		to.control(c)
	case c == 0x7f:
	case !utf8.FullRune(p):
		t.held = copy(t.partial[:], p)
		return len(p)
	default:
		r, n := utf8.DecodeRune(p)
		if r == utf8.RuneError {
			to.text([]byte("\uFFFD"))
		}
		return n // a C1 control spelt in UTF-8 is dropped, and what deceives
	}
	return 1
}

// finishRune completes a rune that was cut, and returns how many bytes of p that took.
func (t *tokenizer) finishRune(p []byte, to *Terminal) int {
	b := append([]byte(nil), t.partial[:t.held]...)
	used := 0
	for used < len(p) && !utf8.FullRune(b) {
		b = append(b, p[used])
		used++
	}
	if !utf8.FullRune(b) {
		t.held = copy(t.partial[:], b)
		return used
	}
	r, n := utf8.DecodeRune(b)
	// What a broken rune did not need is read again.
	used -= min(len(b)-n, used)
	t.held = 0
	if r >= 0xa0 && !deceives(r) {
		to.text([]byte(string(r)))
	}
	return used
}

// deceives reports whether a rune reorders the row, is invisible, or ends a line in
// some terminals. Joiners are allowed: emoji need them.
func deceives(r rune) bool {
	switch {
	case r < 0x34f:
		return r == 0xad
	case r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x180e, r == 0x3164, r == 0xfeff, r == 0xffa0:
		return true
	case r < 0x200b:
		return false
	case r <= 0x206f:
		return r == 0x200b || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060
	}
	return r >= 0xe0000 && r < 0xe0100
}

// sequence handles one byte inside a sequence and returns 1, or 0 if the byte must be read again.
func (t *tokenizer) sequence(c byte, to *Terminal) int {
	switch {
	case t.state == stString || t.state == stStringEsc:
		return t.str(c)
	case c == 0x18 || c == 0x1a:
		t.state = stGround
	case c == 0x1b:
		t.state, t.inter = stEsc, 0
	case c < 0x20:
		to.control(c)
	case c >= 0x7f:
		t.state = stGround
		if c >= 0x80 {
			return 0
		}
	case t.state == stCSI:
		t.csi(c, to)
	case c <= 0x2f:
		t.state, t.inter = stEscInter, c
	case t.state == stEsc && c == '[':
		t.state, t.body, t.dropped = stCSI, t.body[:0], false
	case t.state == stEsc && (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_'):
		t.state, t.spell = stString, 0
	default:
		t.state = stGround
		to.esc(t.inter, c)
	}
	return 1
}

func (t *tokenizer) csi(c byte, to *Terminal) {
	if c < 0x40 {
		if len(t.body) == maxCSI {
			t.dropped = true
		} else {
			t.body = append(t.body, c)
		}
		return
	}
	t.state = stGround
	if !t.dropped {
		to.csi(t.body, c)
	}
}

// str swallows the bytes of a string. An unfinished one gives up at a newline past maxSpell, so that a stray introducer
// cannot swallow the rest of the output.
func (t *tokenizer) str(c byte) int {
	t.spell++
	switch {
	case c == 0x07, c == 0x18, c == 0x1a:
		t.state = stGround
	case t.state == stStringEsc && c == '\\':
		t.state = stGround
	case t.state == stStringEsc:
		// Not the end of a string but the start of another sequence.
		t.state, t.inter = stEsc, 0
		return 0
	case c == 0x1b:
		t.state = stStringEsc
	case c == '\n' && t.spell > maxSpell:
		t.state = stGround
		return 0
	}
	return 1
}
