package uitest

import (
	"fmt"
	"reflect"
	"strings"

	"parley/ui/theme"
)

// Styles writes rows with the names of a theme's inks in place of escape sequences, as in
// ‹dim›words‹›, so that a change of colour does not change them. A style that is no ink is
// written as its SGR parameters. See counted for repeated characters.
type Styles struct {
	names map[look]string
	fgs   map[string]string // by the parameters of a colour
	bgs   map[string]string
}

// look is a style as SGR describes it.
type look struct {
	fg, bg string
	attrs  uint8
}

// NewStyles returns the Styles of a theme.
func NewStyles(th *theme.Theme) *Styles {
	s := &Styles{names: map[look]string{}, fgs: map[string]string{}, bgs: map[string]string{}}
	v := reflect.ValueOf(*th)
	for i := range v.NumField() {
		ink, ok := v.Field(i).Interface().(theme.Ink)
		if !ok || ink.On() == "" {
			continue
		}
		var l look
		l.apply(strings.TrimSuffix(strings.TrimPrefix(ink.On(), "\x1b["), "m"))
		name := strings.ToLower(v.Type().Field(i).Name)
		first(s.names, l, name)
		if l.bg == "" && l.attrs == 0 {
			first(s.fgs, l.fg, name)
		} else if l.bg != "" {
			first(s.bgs, l.bg, name)
		}
	}
	return s
}

func first[K comparable](m map[K]string, key K, name string) {
	if _, ok := m[key]; !ok {
		m[key] = name
	}
}

// Row returns a row in that notation, without unstyled spaces at its end.
func (s *Styles) Row(row string) string {
	var b strings.Builder
	var now, written look
	for row != "" {
		text, rest, found := strings.Cut(row, "\x1b[")
		if text != "" {
			if now != written {
				b.WriteString("‹" + s.name(now) + "›")
				written = now
			}
			b.WriteString(text)
		}
		if !found {
			break
		}
		params, after, ok := strings.Cut(rest, "m")
		if !ok {
			b.WriteString(`\e[` + rest)
			break
		}
		now.apply(params)
		row = after
	}
	if written == (look{}) {
		return counted(strings.TrimRight(b.String(), " "))
	}
	return counted(b.String()) + "‹›"
}

// counted shortens runs of a character: ␣×40 for spaces, ─×40 for a line.
func counted(row string) string {
	const least = 8
	for _, c := range []struct{ is, sign string }{{" ", "␣"}, {"─", "─"}} {
		many := strings.Repeat(c.is, least)
		for at := 0; ; {
			i := strings.Index(row[at:], many)
			if i < 0 {
				break
			}
			at += i
			rest := strings.TrimLeft(row[at:], c.is)
			sign := fmt.Sprintf("%s×%d", c.sign, (len(row)-at-len(rest))/len(c.is))
			row = row[:at] + sign + rest
			at += len(sign)
		}
	}
	return row
}

func (s *Styles) name(l look) string {
	if l == (look{}) {
		return ""
	}
	if name := s.names[l]; name != "" {
		return name
	}
	var parts []string
	for i, word := range []string{"bold", "faint", "italic", "underline", "reverse", "strike"} {
		if l.attrs&(1<<i) != 0 {
			parts = append(parts, word)
		}
	}
	if l.fg != "" {
		parts = append(parts, orRaw(s.fgs, l.fg))
	}
	if l.bg != "" {
		parts = append(parts, "on "+orRaw(s.bgs, l.bg))
	}
	return strings.Join(parts, " ")
}

func orRaw(names map[string]string, params string) string {
	if name := names[params]; name != "" {
		return name
	}
	return params
}

// apply applies the parameters of one SGR sequence.
func (l *look) apply(params string) {
	all := strings.Split(params, ";")
	for i := 0; i < len(all); i++ {
		switch p := all[i]; {
		case p == "" || p == "0":
			*l = look{}
		case p == "38" || p == "48":
			n := 3
			if i+1 < len(all) && all[i+1] == "2" {
				n = 5
			}
			n = min(n, len(all)-i)
			*map[string]*string{"38": &l.fg, "48": &l.bg}[p] = strings.Join(all[i+1:i+n], ";")
			i += n - 1
		case p == "22":
			l.attrs &^= 1 | 2
		case len(p) == 1:
			if at := strings.Index("123479", p); at >= 0 {
				l.attrs |= 1 << at
			}
		case p == "39":
			l.fg = ""
		case p == "49":
			l.bg = ""
		case p[0] == '3' || p[0] == '9':
			l.fg = p
		case p[0] == '4' || p[0] == '1':
			l.bg = p
		}
	}
}
