package glyphs

import (
	"bytes"
	"io"
)

// Writer passes on what the screen library writes, with the characters that Screen
// has put stand-ins for. All of those are printable ASCII: whoever gets one past
// Screen has it shown as such, and can end or begin no sequence with it.
type Writer struct{ To io.Writer }

// The stand-ins in UTF-8 are these two bytes, then one of two, then one more.
var standInPrefix = []byte("\xf4\x8f")

// Write implements io.Writer. A stand-in that is not whole is passed on as it is:
// the library writes frames.
func (w Writer) Write(p []byte) (int, error) {
	out := Restore(p)
	n, err := w.To.Write(out)
	if err == nil && n == len(out) {
		return len(p), nil
	}
	return min(n, len(p)), err
}

// Restore returns p with the characters that stand-ins are for; p itself where it
// has none.
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
