package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Text decodes a raw JSON string; false where raw is not a sound one. Lone
// surrogates and invalid UTF-8 become U+FFFD, as in encoding/json.
func Text(raw []byte) (string, bool) {
	if body, ok := Plain(raw); ok {
		return string(body), true
	}
	var room [256]byte
	out, ok := AppendText(room[:0], raw)
	return string(out), ok
}

// Plain returns the body of a raw JSON string that stands for itself, and false
// where it is another one, or none: it has no escape and is valid UTF-8.
func Plain(raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return nil, false
	}
	body := raw[1 : len(raw)-1]
	for i := 0; i < len(body); {
		if i += literals(body[i:]); i == len(body) {
			break
		}
		if body[i] < utf8.RuneSelf {
			return nil, false
		}
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size == 1 {
			return nil, false
		}
		i += size
	}
	return body, true
}

// AppendText appends what Text decodes to dst; on false dst as it was.
func AppendText(dst, raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return dst, false
	}
	before := len(dst)
	dst = slices.Grow(dst, len(raw))
	for b := raw[1 : len(raw)-1]; ; {
		n := literals(b)
		dst = append(dst, b[:n]...)
		if b = b[n:]; len(b) == 0 {
			return dst, true
		}
		switch c := b[0]; {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(b)
			if r == utf8.RuneError {
				dst = utf8.AppendRune(dst, r)
			} else {
				dst = append(dst, b[:size]...)
			}
			b = b[size:]
		case c != '\\' || len(b) < 2:
			return dst[:before], false
		case b[1] == 'u':
			r, size := unicodeEscape(b)
			if size == 0 {
				return dst[:before], false
			}
			dst = utf8.AppendRune(dst, r)
			b = b[size:]
		default:
			c := escapes[b[1]]
			if c == 0 {
				return dst[:before], false
			}
			dst = append(dst, c)
			b = b[2:]
		}
	}
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
		x := binary.LittleEndian.Uint64(b[i:])
		quote, back := x^ones*'"', x^ones*'\\'
		// The high bit of the first byte that is none of them ends up set; of those
		// behind it that may be wrong.
		if odd := (x | (x - ones*0x20) | (quote - ones) | (back - ones)) & highs; odd != 0 {
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
