package safetext

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// class says what happens to a rune outside an escape sequence.
type class uint8

const (
	classPlain   class = iota
	classControl       // dropped; may introduce a sequence
	classHidden        // dropped: invisible, or changes the reading direction
	classNewline       // becomes a newline
	classMark          // a combining mark: a bounded number in a row
	classJoiner        // U+200C, U+200D: kept where scripts and emoji need it
	classInvalid       // not UTF-8, or of private use: what it draws is not known
	classBlank         // draws nothing, and becomes a space
)

// classify returns the class of r, decoded from size bytes.
func classify(r rune, size int) class {
	switch {
	case r < 0x20:
		if r == '\n' || r == '\t' {
			return classPlain
		}
		if r == '\r' {
			return classNewline
		}
		return classControl
	case r < 0x7f:
		return classPlain
	case r < 0xa0:
		return classControl
	case r < 0x300:
		if r == 0xad {
			return classHidden
		}
		return classPlain
	case r >= 0x3000 && r < 0xa000 || r >= 0xac00 && r < 0xd800:
		return classifyEastAsian(r)
	}
	return classifyRare(r, size)
}

func classifyEastAsian(r rune) class {
	switch {
	case r >= 0x302a && r <= 0x302f || r == 0x3099 || r == 0x309a:
		return classMark
	case filler(r):
		return classHidden
	}
	return classPlain
}

func classifyRare(r rune, size int) class {
	switch {
	case r == utf8.RuneError && size == 1:
		return classInvalid
	case r == 0x200c || r == 0x200d:
		return classJoiner
	case r == 0x2028 || r == 0x2029:
		return classNewline
	case r == 0xfe0e || r == 0xfe0f:
		return classMark
	case hiddenFormat(r), filler(r):
		return classHidden
	case r == emptyBraille:
		return classBlank
	case unicode.Is(unicode.Co, r):
		return classInvalid
	case r >= 0x1f000 && r < 0x20000:
		return classPlain
	case unicode.In(r, unicode.Mn, unicode.Me):
		return classMark
	}
	return classPlain
}

// hiddenFormat reports the invisible format characters that Clean drops.
func hiddenFormat(r rune) bool {
	switch {
	case r >= 0x200b && r <= 0x200f, // zero width, marks of direction
		r >= 0x202a && r <= 0x202e,   // embeddings and overrides
		r >= 0x2060 && r <= 0x206f,   // word joiner, invisible operators, isolates
		r >= 0xfe00 && r <= 0xfe0d,   // variation selectors that change nothing visible
		r >= 0xfff9 && r <= 0xfffb,   // interlinear annotation
		r >= 0x1bca0 && r <= 0x1bca3, // shorthand formatting
		r >= 0x1d173 && r <= 0x1d17a, // musical formatting
		r >= 0xe0000 && r <= 0xe0fff: // tags, more variation selectors
		return true
	}
	return r == 0x00ad || r == 0x034f || r == 0x061c || r == 0x180e || r == 0xfeff
}

// filler reports letters that draw nothing: those of Hangul.
func filler(r rune) bool { return r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 }

// emptyBraille is the empty Braille pattern.
const emptyBraille = 0x2800

// joins reports whether a joiner may follow prev.
func joins(prev rune) bool {
	return prev >= utf8.RuneSelf && prev != 0x200c && prev != 0x200d
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// text is the input: a string, or bytes that belong to the caller.
type text interface{ string | []byte }

// decode returns the first rune of s and its size.
func decode[T text](s T) (rune, int) {
	return utf8.DecodeRuneInString(string(s[:min(utf8.UTFMax, len(s))]))
}

// asciiPrefix returns the length of the prefix of s that is printable ASCII, newline or
// tab. It looks at eight bytes at a time, because most text is nothing else.
func asciiPrefix[T text](s T) int {
	i := 0
	for i+8 <= len(s) {
		w := s[i : i+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		// A byte's high bit ends up set if the byte is below 0x20, 0x7f or above. After
		// the first such byte the bits may be wrong.
		odd := (x | (x - ones*0x20) | (x + ones)) & highs
		if odd == 0 {
			i += 8
			continue
		}
		if i += bits.TrailingZeros64(odd) / 8; !plainASCII[s[i]] {
			return i
		}
		i++
	}
	for ; i < len(s); i++ {
		if !plainASCII[s[i]] {
			return i
		}
	}
	return i
}

// commonRune represents any rune that commonPrefix accepts.
const commonRune = 0x4e00

// commonPrefix returns the length of the prefix of s that consists of common non-ASCII
// runes of classPlain: European letters, quotes and dashes, arrows and lines, East Asian
// scripts, emoji. It need not recognize all of them.
func commonPrefix[T text](s T) int {
	i := 0
	for i+4 <= len(s) {
		a, b := s[i], s[i+1]
		switch {
		case b&0xc0 != 0x80:
			return i
		case a >= 0xc3 && a <= 0xcb: // U+00C0 to U+02FF
			i += 2
			continue
		case s[i+2]&0xc0 != 0x80:
			return i
		case a == 0xe2 && (b == 0x80 && s[i+2] >= 0x90 && s[i+2] <= 0xa7 || b >= 0x84 && b <= 0xaf && b != 0xa0), // U+2010 to U+2027, U+2100 to U+2BFF, except Braille
			a == 0xe3 && b >= 0x81 && b != 0x82 && b != 0x85, a > 0xe3 && a <= 0xe9, // U+3040 to U+9FFF, except some kana and Hangul
			a == 0xe3 && b == 0x82 && s[i+2] != 0x99 && s[i+2] != 0x9a:
			i += 3
		case a == 0xf0 && b == 0x9f && s[i+3]&0xc0 == 0x80: // U+1F000 to U+1FFFF
			i += 4
		default:
			return i
		}
	}
	return i
}

// plainASCII marks printable ASCII, newline and tab.
var plainASCII = func() (t [256]bool) {
	for c := 0x20; c < 0x7f; c++ {
		t[c] = true
	}
	t['\n'], t['\t'] = true, true
	return t
}()
