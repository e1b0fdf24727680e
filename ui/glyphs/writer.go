package glyphs

import (
	"bytes"
	"io"
)

// Writer passes on the output of Bubble Tea with the characters that Screen has replaced by
// stand-ins. These are printable ASCII: a stand-in that gets past Screen is shown as such a
// character, and cannot begin or end a sequence.
type Writer struct{ To io.Writer }

// The stand-ins in UTF-8 are these two bytes, then one of two, then one more.
var standInPrefix = []byte("\xf4\x8f")

// Write implements io.Writer. A partial stand-in is passed on unchanged: Bubble Tea writes
// whole frames.
func (w Writer) Write(p []byte) (int, error) {
	out := Restore(p)
	n, err := w.To.Write(out)
	if err == nil && n == len(out) {
		return len(p), nil
	}
	return min(n, len(p)), err
}

// Restore returns p with the characters in place of their stand-ins; p itself if it has none.
func Restore(p []byte) []byte {
	i := bytes.Index(p, standInPrefix)
	if i < 0 {
		return p
	}
	out := make([]byte, 0, len(p))
	for ; i >= 0; i = bytes.Index(p, standInPrefix) {
		out = append(out, p[:i]...)
		p = p[i:]
		if len(p) >= 4 && p[2]&0xc0 == 0x80 && p[3]&0xc0 == 0x80 {
			if r := rune(4)<<18 | rune(0x0f)<<12 | rune(p[2]&0x3f)<<6 | rune(p[3]&0x3f); standsIn(r) {
				out, p = append(out, byte(r-standIn)), p[4:]
				continue
			}
		}
		out, p = append(out, p[:2]...), p[2:]
	}
	return append(out, p...)
}
