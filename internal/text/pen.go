package text

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The attributes of a Pen.
const (
	AttrBold = 1 << iota
	AttrFaint
	AttrItalic
	AttrUnderline
	AttrReverse // swaps the colours of text and ground
	AttrStrike

	onSpace = AttrUnderline | AttrReverse | AttrStrike // a space shows these
)

// attrCodes holds the SGR codes of the attributes in bit order.
var attrCodes = [...]string{"1", "2", "3", "4", "7", "9"}

// Pen is a text style as SGR describes it, and where the text links to (OSC 8). Colours are kept as the parameters that
// set them, so a pen costs no parsing to write back and pens compare with ==. Blinking and concealed text are not kept:
// neither serves a reader.
type Pen struct {
	fg, Bg string
	Attrs  uint8
	Link   string
}

func (p Pen) zero() bool { return p == Pen{} }

// PenOf returns the style in which paint paints.
func PenOf(paint func(string) string) Pen {
	sc := Scanner{S: paint("x")}
	sc.Next()
	return sc.Pen
}

// Over returns a pen with the colours, attributes and link of p over those of ground. Faint text has no colour of the ground.
func (p Pen) Over(ground Pen) Pen {
	if p.fg == "" && p.Attrs&AttrFaint == 0 {
		p.fg = ground.fg
	}
	if p.Bg == "" {
		p.Bg = ground.Bg
	}
	if p.Link == "" {
		p.Link = ground.Link
	}
	p.Attrs |= ground.Attrs
	return p
}

// AppendTo appends the sequences that set p on a reset terminal.
func (p Pen) AppendTo(dst []byte) []byte { return p.change(dst, Pen{}) }

// change appends what turns a terminal in style from into style p. What ends is reset by a sequence of its own, after
// which an ink under the row can resume (theme.Ink.Repaint).
func (p Pen) change(dst []byte, from Pen) []byte {
	if p.Link != from.Link {
		dst = append(dst, ansi.SetHyperlink(p.Link)...)
		from.Link = p.Link
	}
	if from.Attrs&^p.Attrs != 0 || from.fg != "" && p.fg == "" || from.Bg != "" && p.Bg == "" {
		dst = append(dst, ansi.ResetStyle...)
		from = Pen{Link: p.Link}
	}
	if p == from {
		return dst
	}
	sep := "\x1b["
	add := func(s string) {
		dst = append(append(dst, sep...), s...)
		sep = ";"
	}
	for i, code := range attrCodes {
		if p.Attrs&^from.Attrs&(1<<i) != 0 {
			add(code)
		}
	}
	if p.fg != from.fg {
		add(p.fg)
	}
	if p.Bg != from.Bg {
		add(p.Bg)
	}
	return append(dst, 'm')
}

// Apply reads the parameters of one SGR sequence, the text between CSI and 'm'.
func (p *Pen) Apply(params string) {
	for {
		param, rest, more := cutParam(params)
		n := LeadingNumber(param)
		switch {
		case n == 38 || n == 48 || n == 58:
			spec := param
			if !strings.Contains(param, ":") {
				spec, rest, more = extendedColour(params)
			}
			p.setColour(n, spec)
		case n == 4 && strings.HasSuffix(param, ":0"):
			p.Attrs &^= AttrUnderline
		default:
			p.set(n)
		}
		if !more {
			return
		}
		params = rest
	}
}

func (p *Pen) set(n int) {
	switch {
	case n == 0:
		*p = Pen{Link: p.Link}
	case n >= 1 && n <= 4:
		p.Attrs |= AttrBold << (n - 1)
	case n == 7:
		p.Attrs |= AttrReverse
	case n == 9:
		p.Attrs |= AttrStrike
	case n == 21:
		p.Attrs |= AttrUnderline
	case n == 22:
		p.Attrs &^= AttrBold | AttrFaint
	case n == 23:
		p.Attrs &^= AttrItalic
	case n == 24:
		p.Attrs &^= AttrUnderline
	case n == 27:
		p.Attrs &^= AttrReverse
	case n == 29:
		p.Attrs &^= AttrStrike
	case n >= 30 && n <= 37, n >= 90 && n <= 97:
		p.fg = strconv.Itoa(n)
	case n == 39:
		p.fg = ""
	case n >= 40 && n <= 47, n >= 100 && n <= 107:
		p.Bg = strconv.Itoa(n)
	case n == 49:
		p.Bg = ""
	}
}

func (p *Pen) setColour(n int, spec string) {
	if spec == "" || len(spec) > 24 {
		return
	}
	switch n {
	case 38:
		p.fg = spec
	case 48:
		p.Bg = spec
	}
}

// extendedColour cuts "38;5;N" or "38;2;R;G;B" off params. A malformed one swallows the rest, as terminals do.
func extendedColour(params string) (spec, rest string, more bool) {
	_, after, ok := cutParam(params)
	if !ok {
		return "", "", false
	}
	kind, _, _ := cutParam(after)
	count := 0
	switch kind {
	case "5":
		count = 3
	case "2":
		count = 5
	default:
		return "", "", false
	}
	end, rest, more := 0, params, true
	for range count {
		if !more {
			return "", "", false
		}
		var param string
		param, rest, more = cutParam(rest)
		if end > 0 {
			end++
		}
		if len(param) > 3 || strings.Contains(param, ":") {
			return "", "", false
		}
		end += len(param)
	}
	return params[:end], rest, more
}

func cutParam(s string) (param, rest string, more bool) { return strings.Cut(s, ";") }

// LeadingNumber reads the number before a ':' or the end; an empty one is 0, nonsense is -1.
func LeadingNumber(s string) int {
	n := 0
	for i := range len(s) {
		c := s[i]
		if c == ':' {
			break
		}
		if c < '0' || c > '9' || n > 9999 {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// SgrParams reports whether the bytes between CSI and 'm' make it SGR and not a private sequence with the same end.
func SgrParams[T string | []byte](params T) bool {
	for i := range len(params) {
		if c := params[i]; c < '0' || c > ';' {
			return false
		}
	}
	return true
}
