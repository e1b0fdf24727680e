package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/glyphs"
)

// style is the look of a run of text: colours, attributes and where it links to.
type style struct {
	fg, bg colour
	attr   uint8
	link   string // an address from linkTarget; "": none
}

// colour is one of the 16 colours, as the number SGR gives it (30-37, 90-97), or
// with full set the three bytes of any other. 0 is the terminal's own.
type colour uint32

const (
	full colour = 1 << 24
	// faint is faint text without a colour. It uses the number of bright black, which
	// no theme has, because glamour has no faint text.
	faint colour = 90
)

const (
	bold uint8 = 1 << iota
	italic
	underline
	strike
)

var attrCodes = [...]struct {
	attr uint8
	on   string
}{{bold, "1"}, {italic, "3"}, {underline, "4"}, {strike, "9"}}

// over returns the style with another laid over it.
func (s style) over(top style) style {
	if top.fg != 0 {
		s.fg = top.fg
	}
	if top.bg != 0 {
		s.bg = top.bg
	}
	if top.link != "" {
		s.link = top.link
	}
	s.attr |= top.attr
	return s
}

// piece is a run of text in one style. Its only control character is the newline,
// which ends a row.
type piece struct {
	text  string
	style style
}

// line is what one terminal row shows.
type line []piece

// appendPiece appends text, to the last piece if that has the same style: so a
// grapheme cluster is not split for no reason.
func appendPiece(pieces []piece, text string, st style) []piece {
	if text == "" {
		return pieces
	}
	if n := len(pieces); n > 0 && pieces[n-1].style == st {
		pieces[n-1].text += text
		return pieces
	}
	return append(pieces, piece{text, st})
}

// encode returns a row with as few SGR sequences as possible. It ends in the
// terminal's default style, without trailing spaces unless they have a ground.
func (l line) encode(b *bytes.Buffer) string {
	for len(l) > 0 {
		last := &l[len(l)-1]
		if last.style.bg != 0 {
			break
		}
		if last.text = strings.TrimRight(last.text, " "); last.text != "" {
			break
		}
		l = l[:len(l)-1]
	}
	if len(l) == 0 {
		return ""
	}
	if len(l) == 1 && l[0].style == (style{}) {
		return l[0].text
	}
	b.Reset()
	var cur style
	for _, p := range l {
		st := p.style
		if strings.Trim(p.text, " ") == "" && st.bg == cur.bg && st.link == cur.link && (st.attr|cur.attr)&(underline|strike) == 0 {
			st = cur // the text colour of a space is invisible
		}
		writeStyle(b, cur, st)
		cur = st
		b.WriteString(p.text)
	}
	writeStyle(b, cur, style{})
	return b.String()
}

// writeStyle writes what turns one style into another, links included.
func writeStyle(b *bytes.Buffer, from, to style) {
	if from == to {
		return
	}
	if from.link != to.link {
		b.WriteString(ansi.SetHyperlink(to.link))
	}
	from.link, to.link = "", ""
	writeSGR(b, from, to)
}

// writeSGR writes what turns the colours and attributes of one style into those of
// another.
func writeSGR(b *bytes.Buffer, from, to style) {
	if from == to {
		return
	}
	b.WriteString("\x1b[")
	if to == (style{}) {
		b.WriteByte('m')
		return
	}
	sep := ""
	if from.attr&^to.attr != 0 || from.fg == faint && to.fg != faint {
		b.WriteByte('0')
		sep, from = ";", style{}
	}
	for _, a := range attrCodes {
		if to.attr&^from.attr&a.attr != 0 {
			b.WriteString(sep)
			b.WriteString(a.on)
			sep = ";"
		}
	}
	if to.fg != from.fg {
		b.WriteString(sep)
		to.fg.write(b, 0)
		sep = ";"
	}
	if to.bg != from.bg {
		b.WriteString(sep)
		to.bg.write(b, onGround)
	}
	b.WriteByte('m')
}

// onGround is added to the SGR code of a colour to make it one of the background.
const onGround = 10

// write writes the parameters that set the colour: of the text, or with onGround of
// the background.
func (c colour) write(b *bytes.Buffer, of int) {
	switch {
	case c == 0:
		b.WriteString(strconv.Itoa(39 + of))
	case c == faint:
		b.WriteString("2")
	case c&full == 0:
		b.WriteString(strconv.Itoa(int(c) + of))
	default:
		b.WriteString(strconv.Itoa(38 + of))
		b.WriteString(";2")
		for shift := 16; shift >= 0; shift -= 8 {
			b.WriteByte(';')
			b.WriteString(strconv.Itoa(int(c >> shift & 0xff)))
		}
	}
}

// decode parses styled text. It drops all escape sequences but SGR.
func decode(s string) []piece {
	var pieces []piece
	var st style
	for s != "" {
		i := strings.IndexByte(s, 0x1b)
		if i < 0 {
			return appendPiece(pieces, s, st)
		}
		pieces = appendPiece(pieces, s[:i], st)
		seq, _, n, _ := ansi.DecodeSequence(s[i:], ansi.NormalState, nil)
		if strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m") {
			st = st.apply(seq[2 : len(seq)-1])
		}
		s = s[i+max(n, 1):]
	}
	return pieces
}

// apply returns the style after an SGR sequence with these parameters.
func (s style) apply(params string) style {
	all := strings.Split(params, ";")
	for i := 0; i < len(all); i++ {
		n, _ := strconv.Atoi(all[i])
		switch {
		case n == 38 && i+4 < len(all) && all[i+1] == "2":
			s.fg = full
			for _, part := range all[i+2 : i+5] {
				c, _ := strconv.Atoi(part)
				s.fg = s.fg&full | s.fg<<8&0xffffff | colour(c&0xff)
			}
			i += 4
		case n == 0:
			s = style{}
		case n == 1:
			s.attr |= bold
		case n == 3:
			s.attr |= italic
		case n == 4:
			s.attr |= underline
		case n == 9:
			s.attr |= strike
		case n >= 30 && n <= 37, n >= 90 && n <= 97:
			s.fg = colour(n)
		case n == 39:
			s.fg = 0
		}
	}
	return s
}

// text returns the words of a line without their styles.
func (l line) text() string {
	var b strings.Builder
	for _, p := range l {
		b.WriteString(p.text)
	}
	return b.String()
}

// width returns the cells the row takes.
func (l line) width() int {
	n := 0
	for _, p := range l {
		n += textWidth(p.text)
	}
	return n
}

func textWidth(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return glyphs.Width(s)
		}
	}
	return len(s)
}

// cluster returns the length in bytes and the width in cells of the grapheme
// cluster that s begins with.
func cluster(s string) (size, width int) {
	if c := s[0]; c >= 0x20 && c < 0x7f && (len(s) == 1 || s[1] < 0x80) {
		return 1, 1
	}
	text, width := glyphs.First(s)
	return max(len(text), 1), width
}
