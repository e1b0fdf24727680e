package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text decodes a raw JSON string; false where raw is not a sound one. Lone
// surrogates and invalid UTF-8 become U+FFFD, as in encoding/json.
func Text(raw []byte) (string, bool) {
	if body, ok := Plain(raw); ok {
		return string(body), true
	}
	if len(raw) > longText {
		return longString(raw)
	}
	var room [1 << 10]byte // on the stack: most texts are shorter
	out, ok := AppendText(room[:0], raw)
	return string(out), ok
}

// Again is Text of a string that mostly is s, as the last one was: then it is s, and
// takes no memory.
func Again(raw []byte, s string) (string, bool) {
	if body, ok := Plain(raw); ok && string(body) == s {
		return s, true
	}
	return Text(raw)
}

// longText is the length from which on it costs more to copy a string than to make
// it in its place.
const longText = 64 << 10

// longString decodes a raw JSON string that is no Plain one.
func longString(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	var out strings.Builder
	out.Grow(len(raw))
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

// AppendText appends what Text decodes to dst; on false dst as it was. It may
// write behind what it returns, up to the capacity.
func AppendText(dst, raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return dst, false
	}
	b := raw[1 : len(raw)-1]
	w := len(dst) // out[:w] is made, and after it is room for the rest of b and eight bytes
	out := slices.Grow(dst, len(b)+8)[:len(dst)+len(b)+8]
	for i := 0; ; {
		n := copyPrintable(out[w:], b[i:])
		i, w = i+n, w+n
		escape := i
		for i+1 < len(b) && b[i] == '\\' && usual[b[i+1]] != 0 { // often several
			out[w] = usual[b[i+1]]
			i, w = i+2, w+1
		}
		if i == len(b) {
			break
		}
		if i > escape {
			continue
		}
		if n := threes(b[i:]); n > 0 {
			w += copy(out[w:], b[i:i+n])
			i += n
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if b[i] < utf8.RuneSelf && b[i] != del {
			if r, size = strange(b[i:]); size == 0 {
				return dst, false
			}
		}
		w += utf8.EncodeRune(out[w:], r)
		i += size
		if need := len(b) - i + 8; len(out)-w < need { // what is no UTF-8 becomes longer
			out = slices.Grow(out[:w], need+len(b)/4)
			out = out[:cap(out)]
		}
	}
	return out[:w], true
}

const del = 0x7f

// copyPrintable copies as many bytes as b begins with that are printable ASCII and
// stand for themselves, and returns how many. In into is room for b and eight bytes
// more, all of which it may write to.
func copyPrintable(into, b []byte) int {
	n := 0
	for ; n+8 <= len(b); n += 8 {
		x := binary.LittleEndian.Uint64(b[n:])
		binary.LittleEndian.PutUint64(into[n:], x)
		if found := strangers(x) | (x+ones)&highs; found != 0 { // and DEL
			return n + bits.TrailingZeros64(found)/8
		}
	}
	for ; n < len(b); n++ {
		c := b[n]
		if c < 0x20 || c == '"' || c == '\\' || c >= del {
			break
		}
		into[n] = c
	}
	return n
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

// usual are those of escapes that stand for what is no control, and for newline and
// tab.
var usual = [256]byte{'"': '"', '\\': '\\', '/': '/', 'n': '\n', 't': '\t'}

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
