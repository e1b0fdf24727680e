package jsonscan

import (
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// PartialText is Text for a piece of a longer text, which may be cut inside a character. Text
// would replace the incomplete characters at both ends; PartialText keeps them for
// safetext.Stream, which joins the pieces: incomplete UTF-8 as its bytes, a lone
// surrogate as the three bytes that UTF-8 would use for it.
func PartialText(raw []byte) (string, bool) {
	head, tail := incompleteEnds(raw)
	if head+tail == 0 {
		return Text(raw)
	}
	text, ok := Text(raw)
	if !ok {
		return "", false
	}
	out, body := []byte(text), raw[1:len(raw)-1]
	if tail > 0 {
		out = append(out[:len(out)-len(replaced)*marks(body[len(body)-tail:])], half(body[len(body)-tail:])...)
	}
	if head > 0 {
		out = slices.Replace(out, 0, len(replaced)*marks(body[:head]), half(body[:head])...)
	}
	return string(out), true
}

const replaced = "\uFFFD"

// marks returns how many replacement characters Text writes for an incomplete character.
func marks(raw []byte) int {
	if raw[0] == '\\' {
		return 1
	}
	return len(raw)
}

// half returns what PartialText keeps of an incomplete character.
func half(raw []byte) []byte {
	if raw[0] != '\\' {
		return raw
	}
	r := hex4(raw)
	return []byte{0xe0 | byte(r>>12), 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f}
}

// incompleteEnds returns the lengths, in bytes of raw, of the incomplete characters at the start
// and the end of a raw JSON string.
func incompleteEnds(raw []byte) (head, tail int) {
	if len(raw) < 3 {
		return 0, 0
	}
	body := raw[1 : len(raw)-1]
	if low(body) {
		head = 6
	} else {
		for head < min(len(body), utf8.UTFMax-1) && !utf8.RuneStart(body[head]) {
			head++
		}
	}
	rest := body[head:]
	if n := len(rest) - 6; n >= 0 && high(rest[n:]) && backslashes(rest[:n])%2 == 0 {
		return head, 6
	}
	for n := 1; n < min(len(rest)+1, utf8.UTFMax); n++ {
		if end := rest[len(rest)-n:]; utf8.RuneStart(end[0]) {
			if !utf8.FullRune(end) {
				tail = n
			}
			break
		}
	}
	return head, tail
}

func low(b []byte) bool  { r := hex4(b); return r >= 0 && utf16.IsSurrogate(r) && r >= 0xdc00 }
func high(b []byte) bool { r := hex4(b); return r >= 0 && utf16.IsSurrogate(r) && r < 0xdc00 }

// backslashes returns how many backslashes b ends with.
func backslashes(b []byte) int {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n
}
