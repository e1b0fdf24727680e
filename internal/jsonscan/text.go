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
	if body, ok := UnescapedText(raw); ok {
		return string(body), true
	}
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	var out strings.Builder
	out.Grow(len(raw)) // an escape is rarely shorter than the text it encodes
	for b := raw[1 : len(raw)-1]; ; {
		n := literalRun(b)
		out.Write(b[:n])
		if b = b[n:]; len(b) == 0 {
			return out.String(), true
		}
		r, size := decodeEscape(b)
		if size == 0 {
			return "", false
		}
		out.WriteRune(r)
		b = b[size:]
	}
}

// InternText is Text for a string that usually equals s, for example the one before. It then
// returns s itself and allocates nothing.
func InternText(raw []byte, s string) (string, bool) {
	if body, ok := UnescapedText(raw); ok && string(body) == s {
		return s, true
	}
	return Text(raw)
}

// UnescapedText returns the body of a raw JSON string whose text is written as it is: it has no
// escapes and is valid UTF-8. It returns false for other strings and for anything else.
func UnescapedText(raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return nil, false
	}
	body := raw[1 : len(raw)-1]
	if literalRun(body) < len(body) {
		return nil, false
	}
	return body, true
}

// threeByteRunes returns the length of the prefix of b that consists of common three-byte runes.
// With a first byte from 0xe1 to 0xec no encoding is overlong or a surrogate.
func threeByteRunes(b []byte) int {
	n := 0
	for n+3 <= len(b) && b[n] > 0xe0 && b[n] < 0xed && b[n+1]&0xc0 == 0x80 && b[n+2]&0xc0 == 0x80 {
		n += 3
	}
	return n
}

// decodeEscape decodes the escape or invalid byte at the start of b. size is 0 if it is
// malformed.
func decodeEscape(b []byte) (r rune, size int) {
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

// escapes maps the letter after a backslash to the byte it means.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unicodeEscape decodes the \uXXXX at the start of b, and a second one if the two form a
// surrogate pair. size is 0 if it is malformed.
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

// hex4 returns the value of the \uXXXX at the start of b, or -1 if there is none.
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

// literalRun returns the length of the prefix of b that a string contains as it is: literals
// and multi-byte runes.
func literalRun(b []byte) int {
	n := asciiRun(b)
	for n < len(b) && b[n] >= utf8.RuneSelf {
		if size := threeByteRunes(b[n:]); size > 0 {
			n += size
		} else if r, size := utf8.DecodeRune(b[n:]); r != utf8.RuneError || size > 1 {
			n += size
		} else {
			break
		}
		if n < len(b) && b[n] < utf8.RuneSelf {
			n += asciiRun(b[n:])
		}
	}
	return n
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// asciiRun returns the length of the prefix of b that is ASCII without controls, quotes
// and backslashes. It looks at eight bytes at a time, because most text is nothing else.
func asciiRun(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if odd := nonLiterals(binary.LittleEndian.Uint64(b[i:])); odd != 0 {
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

// nonLiterals finds the first of eight bytes that is not a literal: the lowest bit that is
// set is the high bit of that byte. Higher bits may be wrong.
func nonLiterals(x uint64) uint64 {
	quote, back := x^ones*'"', x^ones*'\\'
	return (x | (x - ones*0x20) | (quote - ones) | (back - ones)) & highs
}
