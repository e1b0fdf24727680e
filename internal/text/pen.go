package text

import (
	"strconv"
	"strings"
)

const (
	attrBold = 1 << iota
	attrFaint
	attrItalic
	attrUnderline
	AttrReverse // swaps the colours of text and ground
	attrStrike
)

// attrCodes holds the SGR codes of the attributes in bit order.
var attrCodes = [...]string{"1", "2", "3", "4", "7", "9"}

const sgrReset = "\x1b[m"

// Pen is a text style as SGR describes it. Colours are kept as the parameters that set them, so a pen costs no parsing to
// write back and pens compare with ==. Blinking and concealed text are not kept: neither serves a reader.
type Pen struct {
	fg, Bg string
	Attrs  uint8
}

func (p Pen) zero() bool { return p == Pen{} }

// AppendTo appends the sequence that sets p on a reset terminal.
func (p Pen) AppendTo(dst []byte) []byte {
	if p.zero() {
		return dst
	}
	dst = append(dst, '\x1b', '[')
	first := true
	add := func(s string) {
		if !first {
			dst = append(dst, ';')
		}
		first = false
		dst = append(dst, s...)
	}
	for i, code := range attrCodes {
		if p.Attrs&(1<<i) != 0 {
			add(code)
		}
	}
	if p.fg != "" {
		add(p.fg)
	}
	if p.Bg != "" {
		add(p.Bg)
	}
	return append(dst, 'm')
}

// change appends what turns a terminal in style from into style p.
func (p Pen) change(dst []byte, from Pen) []byte {
	if p == from {
		return dst
	}
	if !from.zero() {
		dst = append(dst, sgrReset...)
	}
	return p.AppendTo(dst)
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
			p.Attrs &^= attrUnderline
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
		*p = Pen{}
	case n >= 1 && n <= 4:
		p.Attrs |= attrBold << (n - 1)
	case n == 7:
		p.Attrs |= AttrReverse
	case n == 9:
		p.Attrs |= attrStrike
	case n == 21:
		p.Attrs |= attrUnderline
	case n == 22:
		p.Attrs &^= attrBold | attrFaint
	case n == 23:
		p.Attrs &^= attrItalic
	case n == 24:
		p.Attrs &^= attrUnderline
	case n == 27:
		p.Attrs &^= AttrReverse
	case n == 29:
		p.Attrs &^= attrStrike
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
