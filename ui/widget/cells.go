package widget

import (
	"strings"
	"unicode/utf8"

	"parley/ui/glyphs"
)

const tabWidth = 4

// scanner walks styled text: printable clusters one at a time, with the style that holds for each in pen. Control
// characters and every escape sequence but SGR are passed over. Tabs must have been expanded.
type scanner struct {
	s   string
	pos int // of what follows the last cluster
	pen pen
}

// next returns the next cluster, its width in cells (0 to 2), and the byte where it starts; "" at the end.
func (sc *scanner) next() (cluster string, width, start int) {
	for sc.pos < len(sc.s) {
		i := sc.pos
		c := sc.s[i]
		switch {
		case c >= 0x20 && c < 0x7f:
			if i+1 == len(sc.s) || sc.s[i+1] < 0x80 {
				sc.pos++
				return sc.s[i : i+1], 1, i
			}
		case c == 0x1b:
			sc.escape()
			continue
		case c < 0x20 || c == 0x7f:
			sc.pos++
			continue
		}
		cluster, width = glyphs.First(sc.s[i:])
		if r, n := utf8.DecodeRuneInString(cluster); r == utf8.RuneError && n <= 1 {
			sc.pos++
			return "\uFFFD", 1, i
		} else if r >= 0x80 && r < 0xa0 {
			sc.pos += n
			continue
		}
		sc.pos += len(cluster)
		if !utf8.ValidString(cluster) {
			cluster = strings.ToValidUTF8(cluster, "")
		}
		return cluster, width, i
	}
	return "", 0, len(sc.s)
}

// escape passes over one escape sequence at pos and applies it if it is SGR.
func (sc *scanner) escape() {
	s, i := sc.s, sc.pos+1
	if i >= len(s) {
		sc.pos = i
		return
	}
	switch s[i] {
	case '[':
		start := i + 1
		i = start
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
			i++
		}
		if i < len(s) && s[i] == 'm' && sgrParams(s[start:i]) {
			sc.pen.apply(s[start:i])
		}
		if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
			i++
		}
	case ']', 'P', 'X', '^', '_':
		for i < len(s) && s[i] != 0x07 && s[i] != 0x1b {
			i++
		}
		if i < len(s) && s[i] == 0x07 {
			i++
		} else if i+1 < len(s) && s[i+1] == '\\' {
			i += 2
		}
	default:
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
			i++
		}
		if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
			i++
		}
	}
	sc.pos = i
}

// plainASCII says whether s holds printable ASCII only, so that bytes are cells.
func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// Width returns the width of s in cells. Styles count nothing, tabs four.
func Width(s string) int {
	if plainASCII(s) {
		return len(s)
	}
	w := 0
	for sc := (scanner{s: expandTabs(s)}); ; {
		cluster, cw, _ := sc.next()
		if cluster == "" {
			return w
		}
		w += cw
	}
}

func expandTabs(s string) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	return strings.ReplaceAll(s, "\t", strings.Repeat(" ", tabWidth))
}

// rowWriter collects the clusters of one row and sets styles only where they change.
type rowWriter struct {
	buf []byte
	pen pen
}

func (w *rowWriter) add(cluster string, p pen) {
	if p != w.pen {
		w.buf = p.change(w.buf, w.pen)
		w.pen = p
	}
	w.buf = append(w.buf, cluster...)
}

func (w *rowWriter) blanks(n int, p pen) {
	for range n {
		w.add(" ", p)
	}
}

// take returns the row, its style reset, and empties the writer.
func (w *rowWriter) take() string {
	if !w.pen.zero() {
		w.buf = append(w.buf, sgrReset...)
		w.pen = pen{}
	}
	s := string(w.buf)
	w.buf = w.buf[:0]
	return s
}

// visible makes the control characters of one line of plain text visible: tabs become blanks, the others their pictures.
func visible(s string) string {
	clean := true
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\t':
			b.WriteString("    ")
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune(0x2421)
		case r >= 0x80 && r < 0xa0, r == utf8.RuneError && n == 1:
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}
