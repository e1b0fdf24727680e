package widget

import (
	"strings"
)

const (
	attrBold = 1 << iota
	attrFaint
	attrItalic
	attrUnderline
	attrReverse
	attrStrike
)

// attrCodes holds the SGR codes of the attributes in bit order.
var attrCodes = [...]string{"1", "2", "3", "4", "7", "9"}

const sgrReset = "\x1b[m"

// pen is a text style as SGR describes it. Colours are kept as the parameters that set them, so a pen costs no parsing to
// write back and pens compare with ==. Blinking and concealed text are not kept: neither serves a reader.
type pen struct {
	fg, bg string
	attrs  uint8
}

func (p pen) zero() bool { return p == pen{} }

// appendTo appends the sequence that sets p on a reset terminal.
func (p pen) appendTo(dst []byte) []byte {
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
		if p.attrs&(1<<i) != 0 {
			add(code)
		}
	}
	if p.fg != "" {
		add(p.fg)
	}
	if p.bg != "" {
		add(p.bg)
	}
	return append(dst, 'm')
}

// change appends what turns a terminal in style from into style p.
func (p pen) change(dst []byte, from pen) []byte {
	if p == from {
		return dst
	}
	if !from.zero() {
		dst = append(dst, sgrReset...)
	}
	return p.appendTo(dst)
}

// apply reads the parameters of one SGR sequence, the text between CSI and 'm'.
func (p *pen) apply(params string) {
	for {
		param, rest, more := cutParam(params)
		n := leadingNumber(param)
		switch {
		case n == 38 || n == 48 || n == 58:
			spec := param
			if !strings.Contains(param, ":") {
				spec, rest, more = extendedColour(params)
			}
			p.setColour(n, spec)
		case n == 4 && strings.HasSuffix(param, ":0"):
			p.attrs &^= attrUnderline
		default:
			p.set(n, param)
		}
		if !more {
			return
		}
		params = rest
	}
}

func (p *pen) set(n int, param string) {
	switch {
	case n == 0:
		*p = pen{}
	case n >= 1 && n <= 4:
		p.attrs |= attrBold << (n - 1)
	case n == 7:
		p.attrs |= attrReverse
	case n == 9:
		p.attrs |= attrStrike
	case n == 21:
		p.attrs |= attrUnderline
	case n == 22:
		p.attrs &^= attrBold | attrFaint
	case n == 23:
		p.attrs &^= attrItalic
	case n == 24:
		p.attrs &^= attrUnderline
	case n == 27:
		p.attrs &^= attrReverse
	case n == 29:
		p.attrs &^= attrStrike
	case n >= 30 && n <= 37, n >= 90 && n <= 97:
		p.fg = param
	case n == 39:
		p.fg = ""
	case n >= 40 && n <= 47, n >= 100 && n <= 107:
		p.bg = param
	case n == 49:
		p.bg = ""
	}
}

func (p *pen) setColour(n int, spec string) {
	if spec == "" || len(spec) > 24 {
		return
	}
	switch n {
	case 38:
		p.fg = spec
	case 48:
		p.bg = spec
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

// leadingNumber reads the number before a ':' or the end; an empty one is 0, nonsense is -1.
func leadingNumber(s string) int {
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

// sgrParams says whether what stands between CSI and 'm' makes it SGR, not one of the private sequences that end alike.
func sgrParams[T string | []byte](params T) bool {
	for i := range len(params) {
		if c := params[i]; c < '0' || c > ';' {
			return false
		}
	}
	return true
}
