package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text decodes a raw JSON string. It returns false if raw is malformed. Lone surrogates
// and invalid UTF-8 become U+FFFD, as in encoding/json.
func Text(raw []byte) (string, bool) {
	if body, ok := Plain(raw); ok {
		return string(body), true
	}
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	var out strings.Builder
	out.Grow(len(raw)) // an escape is hardly ever shorter than what it stands for
	for b := raw[1 : len(raw)-1]; ; {
		n := itself(b)
		out.Write(b[:n])
		if b = b[n:]; len(b) == 0 {
			return out.String(), true
		}
		r, size := strange(b)
		if size == 0 {
			return "", false
		}
		out.WriteRune(r)
		b = b[size:]
	}
}

// Again is Text of a string that mostly is s, as the last one was: then it is s, and
// takes no memory.
func Again(raw []byte, s string) (string, bool) {
	if body, ok := Plain(raw); ok && string(body) == s {
		return s, true
	}
	return Text(raw)
}

// Plain returns the body of a raw JSON string that stands for itself, and false
// where it is another one, or none: it has no escape and is valid UTF-8.
func Plain(raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return nil, false
	}
	body := raw[1 : len(raw)-1]
	if itself(body) < len(body) {
		return nil, false
	}
	return body, true
}

// threes returns how many bytes b begins with that are runes of three bytes, of
// the most usual ones: of what begins with 0xe1 to 0xec nothing is overlong, and
// none a surrogate.
func threes(b []byte) int {
	n := 0
	for n+3 <= len(b) && b[n] > 0xe0 && b[n] < 0xed && b[n+1]&0xc0 == 0x80 && b[n+2]&0xc0 == 0x80 {
		n += 3
	}
	return n
}

// strange decodes what b begins with where that does not stand for itself. size is
// 0 where it is malformed.
func strange(b []byte) (r rune, size int) {
	switch c := b[0]; {
	case c >= utf8.RuneSelf:
		return utf8.RuneError, 1
	case c != '\\' || len(b) < 2:
		return 0, 0
	case b[1] == 'u':
		return unicodeEscape(b)
	}
	if c := escapes[b[1]]; c != 0 {
		return rune(c), 2
	}
	return 0, 0
}

// escapes are the letters behind a backslash that stand for one byte.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unicodeEscape decodes the \uXXXX that b begins with, and a second one where the
// two are a surrogate pair. size is 0 where it is malformed.
func unicodeEscape(b []byte) (r rune, size int) {
	if r = hex4(b); r < 0 {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if low := hex4(b[6:]); low >= 0 {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

// hex4 is the value of the \uXXXX that b begins with; -1 where it does not.
func hex4(b []byte) (r rune) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// itself returns how many bytes b begins with that stand for themselves inside a
// string: literals, and runes that need more than a byte.
func itself(b []byte) int {
	n := literals(b)
	for n < len(b) && b[n] >= utf8.RuneSelf {
		if size := threes(b[n:]); size > 0 {
			n += size
		} else if r, size := utf8.DecodeRune(b[n:]); r != utf8.RuneError || size > 1 {
			n += size
		} else {
			break
		}
		if n < len(b) && b[n] < utf8.RuneSelf {
			n += literals(b[n:])
		}
	}
	return n
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// literals returns how many bytes b begins with that stand for themselves inside
// a string: ASCII that is no control, quote or backslash. Eight at a time: most
// text is nothing else.
func literals(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if odd := strangers(binary.LittleEndian.Uint64(b[i:])); odd != 0 {
			return i + bits.TrailingZeros64(odd)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			break
		}
	}
	return i
}

// strangers finds the first of eight bytes that is no such: the lowest bit that is
// set is the highest of that byte. Those above it may be wrong.
func strangers(x uint64) uint64 {
	quote, back := x^ones*'"', x^ones*'\\'
	return (x | (x - ones*0x20) | (quote - ones) | (back - ones)) & highs
}
