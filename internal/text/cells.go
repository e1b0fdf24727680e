package text

import (
	"strings"
	"unicode/utf8"

	"parley/internal/glyphs"
)

const tabWidth = 4

// Scanner walks styled text: printable clusters one at a time, with the style that holds for each in pen. Control
// characters and every escape sequence but SGR are passed over. Tabs must have been expanded.
type Scanner struct {
	S     string
	pos   int // of what follows the last cluster
	Pen   Pen
	links bool // OSC 8 sets the link of the pen
}

// Next returns the next cluster, its width in cells (0 to 2), and the byte where it starts; "" at the end.
func (sc *Scanner) Next() (cluster string, width, start int) {
	for sc.pos < len(sc.S) {
		i := sc.pos
		c := sc.S[i]
		switch {
		case c >= 0x20 && c < 0x7f:
			if i+1 == len(sc.S) || sc.S[i+1] < 0x80 {
				sc.pos++
				return sc.S[i : i+1], 1, i
			}
		case c == 0x1b:
			sc.escape()
			continue
		case c < 0x20 || c == 0x7f:
			sc.pos++
			continue
		}
		cluster, width = glyphs.First(sc.S[i:])
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
	return "", 0, len(sc.S)
}

// escape passes over one escape sequence at pos and applies it if it is SGR or a link.
func (sc *Scanner) escape() {
	s, i := sc.S, sc.pos+1
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
		if i < len(s) && s[i] == 'm' && SgrParams(s[start:i]) {
			sc.Pen.Apply(s[start:i])
		}
		if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
			i++
		}
	case ']', 'P', 'X', '^', '_':
		start := i
		for i < len(s) && s[i] != 0x07 && s[i] != 0x1b {
			i++
		}
		if link, ok := strings.CutPrefix(s[start:i], "]8;;"); ok && sc.links {
			sc.Pen.Link = link
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

// PlainASCII reports whether s is printable ASCII, so that bytes are cells.
func PlainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// Width returns the width of s in cells. Styles count nothing, tabs four.
func Width(s string) int {
	if PlainASCII(s) {
		return len(s)
	}
	w := 0
	for sc := (Scanner{S: expandTabs(s)}); ; {
		cluster, cw, _ := sc.Next()
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

// RowWriter collects the clusters of one row and sets styles only where they change.
type RowWriter struct {
	buf []byte
	pen Pen
}

// Add appends text in a style.
func (w *RowWriter) Add(s string, p Pen) {
	if p != w.pen && s != "" {
		w.buf = p.change(w.buf, w.pen)
		w.pen = p
	}
	w.buf = append(w.buf, s...)
}

// AddRun appends a run of text in a style. Spaces are in the style before them where that looks the same.
func (w *RowWriter) AddRun(s string, p Pen) {
	if p.Bg == w.pen.Bg && p.Link == w.pen.Link && (p.Attrs|w.pen.Attrs)&onSpace == 0 && strings.Trim(s, " ") == "" {
		p = w.pen
	}
	w.Add(s, p)
}

// AddRow appends a styled row and returns its width.
func (w *RowWriter) AddRow(s string) int { return cutInto(w, s, 0, MaxCells) }

// Spaces appends n spaces.
func (w *RowWriter) Spaces(n int, p Pen) { w.Add(strings.Repeat(" ", max(n, 0)), p) }

// Finish returns the row, its style reset, and empties the writer.
func (w *RowWriter) Finish() string {
	w.buf = Pen{}.change(w.buf, w.pen)
	w.pen = Pen{}
	s := string(w.buf)
	w.buf = w.buf[:0]
	return s
}

// Visible makes the control characters of one line of plain text visible: tabs become spaces, the others their pictures.
func Visible(s string) string {
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
