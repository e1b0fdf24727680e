package safetext

import (
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// maxSequence bounds the bytes that one escape sequence may hide.
	maxSequence = 4096
	// maxMarks is how many combining marks may follow each other.
	maxMarks = 8
)

// state is the position in an escape sequence.
type state uint8

const (
	ground        state = iota
	escape              // after ESC
	escapeInter         // after ESC and an intermediate byte, as in ESC ( B
	csi                 // after ESC [ or U+009B
	controlString       // DCS, APC, PM, SOS: ends with ST
	oscString           // OSC: ends with ST or BEL
)

// Stream is Clean for text that arrives in pieces. However the text is cut, the joined
// results equal Clean of the whole, even if a cut is inside a rune or between the halves
// of a surrogate pair in the form of jsonscan.PartialText. The zero value is ready to use.
type Stream struct {
	state   state
	size    int     // bytes of the sequence so far
	skipLF  bool    // a CR was written as a newline: drop the LF after it
	marks   int     // combining marks written in a row
	prev    rune    // the last rune written
	half    [5]byte // the start of a character that is not complete yet
	halfLen int     // length of half
}

// Write returns the clean form of the next piece.
func (st *Stream) Write(s string) string {
	if st.halfLen > 0 {
		return string(finish(st, nil, append(st.rest(), s...)))
	}
	n := plain(st, s)
	if n == len(s) {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:n]...)
	return string(finish(st, out, s[n:]))
}

// finish appends the clean form of s to out.
func finish[T text](st *Stream, out []byte, s T) []byte {
	for len(s) > 0 {
		r, size := decode(s)
		if r == utf8.RuneError && size == 1 {
			if r, size = halves(s); size > len(s) {
				st.halfLen = copy(st.half[:], s)
				return out
			}
		}
		out = st.step(out, r, size)
		s = s[size:]
		n := plain(st, s)
		out = append(out, s[:n]...)
		s = s[n:]
	}
	return out
}

// halves decodes the start of s, which is not valid UTF-8. A size greater than len(s)
// means that the rest of a character may follow.
func halves[T text](s T) (r rune, size int) {
	first, rest := surrogate(s)
	switch {
	case first == 0 && !unfinished(s):
		return utf8.RuneError, 1
	case first == 0, first < lowSurrogates && (len(rest) == 0 || rest[0] == 0xed && unfinished(rest)):
		return utf8.RuneError, len(s) + 1
	}
	second, _ := surrogate(rest)
	if r = utf16.DecodeRune(first, second); r != utf8.RuneError {
		return r, 6
	}
	return r, 3
}

// unfinished reports whether s could be the beginning of a rune or of half a
// surrogate pair.
func unfinished[T text](s T) bool {
	b := []byte(s[:min(utf8.UTFMax, len(s))])
	return !utf8.FullRune(b) || len(b) == 2 && b[0] == 0xed && b[1] >= 0xa0 && b[1] <= 0xbf
}

// surrogate decodes the half of a surrogate pair at the start of s, in the form of
// jsonscan.PartialText. It returns 0 if s starts with something else.
func surrogate[T text](s T) (r rune, rest T) {
	if len(s) < 3 || s[0] != 0xed || s[1] < 0xa0 || s[1] > 0xbf || s[2]&0xc0 != 0x80 {
		return 0, s
	}
	return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), s[3:]
}

const lowSurrogates = 0xdc00

// rest returns the incomplete character that was held back and forgets it.
func (st *Stream) rest() []byte {
	half := slices.Clone(st.half[:st.halfLen])
	st.halfLen = 0
	return half
}

// Flush ends the text and makes st ready for the next one. An unfinished sequence is
// dropped; an incomplete character is returned as U+FFFD.
func (st *Stream) Flush() string {
	var out []byte
	for half := st.rest(); len(half) > 0; {
		size := 1
		if r, _ := surrogate(half); r != 0 {
			size = 3
		}
		out = st.step(out, utf8.RuneError, size)
		half = half[size:]
	}
	*st = Stream{}
	return string(out)
}

// plain returns the length of the longest prefix of s that needs no change and advances
// st past it.
func plain[T text](st *Stream, s T) int {
	if st.state != ground || len(s) == 0 || st.skipLF && s[0] == '\n' {
		return 0
	}
	i, marks, prev := 0, st.marks, st.prev
	for i < len(s) {
		if n := asciiPrefix(s[i:]); n > 0 {
			i += n
			marks, prev = 0, rune(s[i-1])
			continue
		}
		if n := commonPrefix(s[i:]); n > 0 {
			i += n
			marks, prev = 0, commonRune
			continue
		}
		r, size := decode(s[i:])
		c := classify(r, size)
		if c == classMark && marks < maxMarks {
			marks++
		} else if c == classPlain || c == classJoiner && joins(prev) {
			marks = 0
		} else {
			break
		}
		prev = r
		i += size
	}
	if i > 0 {
		st.marks, st.prev, st.skipLF = marks, prev, false
	}
	return i
}

// step handles the rune at which plain stopped.
func (st *Stream) step(out []byte, r rune, size int) []byte {
	if st.state != ground {
		if st.size += size; st.size <= maxSequence && st.sequence(r) {
			return out
		}
		st.state = ground
	}
	switch classify(r, size) {
	case classPlain:
		if r == '\n' && st.skipLF {
			st.skipLF = false
			return out
		}
		return st.put(out, r)
	case classNewline:
		out = st.put(out, '\n')
		st.skipLF = r == '\r'
	case classBlank:
		return st.put(out, ' ')
	case classInvalid:
		return st.put(out, utf8.RuneError)
	case classMark:
		if st.marks < maxMarks {
			marks := st.marks
			out = st.put(out, r)
			st.marks = marks + 1
		}
	case classJoiner:
		if joins(st.prev) {
			return st.put(out, r)
		}
	case classControl:
		st.introduce(r)
	}
	return out
}

func (st *Stream) put(out []byte, r rune) []byte {
	st.prev, st.marks, st.skipLF = r, 0, false
	return utf8.AppendRune(out, r)
}

// introduce starts a sequence if r is an introducer. ESC x is the same as the C1 control
// U+0040+x.
func (st *Stream) introduce(r rune) {
	switch r {
	case 0x1b:
		st.state = escape
	case 0x9b:
		st.state = csi
	case 0x9d:
		st.state = oscString
	case 0x90, 0x98, 0x9e, 0x9f:
		st.state = controlString
	default:
		return
	}
	st.size = 1
}

// sequence handles r inside a sequence. It returns false if r ends the sequence without
// being part of it; r is then treated as text.
func (st *Stream) sequence(r rune) bool {
	switch r {
	case '\n', '\r', 0x2028, 0x2029:
		return false
	case 0x1b: // ends a sequence and starts another; ESC \ ends a string
		st.state, st.size = escape, 1
		return true
	case 0x18, 0x1a: // CAN, SUB
		st.state = ground
		return true
	}
	if st.state == controlString || st.state == oscString {
		if r == 0x9c || r == 0x07 && st.state == oscString {
			st.state = ground
		}
		return true
	}
	if r < 0x20 || r == 0x7f { // terminals execute or ignore it inside a sequence
		return true
	}
	if r > 0x7f {
		return false
	}
	st.advance(r)
	return true
}

// advance handles a printable ASCII rune in an ESC or CSI sequence.
func (st *Stream) advance(r rune) {
	switch {
	case st.state == csi:
		if r >= 0x40 {
			st.state = ground
		}
	case r < 0x30:
		st.state = escapeInter
	case st.state == escapeInter:
		st.state = ground
	default:
		size := st.size
		st.state = ground
		if r >= 0x40 && r < 0x60 {
			st.introduce(r + 0x40)
		}
		st.size = size
	}
}
