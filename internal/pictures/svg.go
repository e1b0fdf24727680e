package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/ui/theme"
)

// The size of a cell and of the margin, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	margin     = 12
)

// state returns the rows of a state in a golden file, which begins with "== name".
func state(text, name string) ([]string, bool) {
	_, rest, ok := strings.Cut("\n"+text, "\n== "+name+"\n")
	if !ok {
		return nil, false
	}
	rest, _, _ = strings.Cut(rest, "\n== ")
	return strings.Split(strings.TrimRight(rest, "\n"), "\n"), true
}

// style is the style of a run of text.
type style struct {
	fg, bg                  string // #rrggbb
	bold, italic, underline bool
}

// run is text in one style at a column.
type run struct {
	style
	text       string
	at, column int // columns of its first cell and of the one after its last
}

// render draws rows in the notation of the golden screens: ‹name› begins an ink of the
// theme, ‹› ends it, and a character followed by ×40 is repeated.
func render(rows []string, th *theme.Theme) ([]byte, error) {
	ground, ink := "#ffffff", "#24292f"
	if th.Dark {
		ground, ink = "#16181d", "#d8dae0"
	}
	var body bytes.Buffer
	columns := 0
	for y, row := range rows {
		runs, err := parse(row, th, style{fg: ink})
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", y+1, err)
		}
		top := float64(margin + y*cellHeight)
		for _, r := range runs {
			columns = max(columns, r.column)
			x, width := margin+float64(r.at)*cellWidth, float64(r.column-r.at)*cellWidth
			if r.bg != "" {
				fmt.Fprintf(&body, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>`+"\n", x, top, width, cellHeight, r.bg)
			}
			if strings.TrimSpace(r.text) == "" {
				continue
			}
			fmt.Fprintf(&body, `<text x="%.1f" y="%.1f" textLength="%.1f" fill="%s"%s>`, x, top+13.5, width, r.fg, r.attributes())
			if err := xml.EscapeText(&body, []byte(r.text)); err != nil {
				return nil, err
			}
			body.WriteString("</text>\n")
		}
	}
	var out bytes.Buffer
	width, height := 2*margin+float64(columns)*cellWidth, 2*margin+len(rows)*cellHeight
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d">`+"\n", width, height, width, height)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", ground)
	out.WriteString(`<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve" lengthAdjust="spacingAndGlyphs">` + "\n")
	out.Write(body.Bytes())
	out.WriteString("</g>\n</svg>\n")
	return out.Bytes(), nil
}

func (l style) attributes() string {
	s := ""
	if l.bold {
		s += ` font-weight="bold"`
	}
	if l.italic {
		s += ` font-style="italic"`
	}
	if l.underline {
		s += ` text-decoration="underline"`
	}
	return s
}

// parse splits a row into runs.
func parse(row string, th *theme.Theme, plain style) ([]run, error) {
	var runs []run
	now, column := plain, 0
	for row != "" {
		text, rest, found := strings.Cut(row, "‹")
		text = expand(text)
		if text != "" {
			width := ansi.StringWidth(text)
			runs = append(runs, run{now, text, column, column + width})
			column += width
		}
		if !found {
			break
		}
		name, after, ok := strings.Cut(rest, "›")
		if !ok {
			return nil, fmt.Errorf("an ink without an end: %s", rest)
		}
		var err error
		if now, err = styleOf(name, th, plain); err != nil {
			return nil, err
		}
		row = after
	}
	return runs, nil
}

var repeated = regexp.MustCompile(`([␣─])×(\d+)`)

// expand expands ␣×40 and ─×40.
func expand(text string) string {
	return repeated.ReplaceAllStringFunc(text, func(sign string) string {
		cell, times, _ := strings.Cut(sign, "×")
		n, err := strconv.Atoi(times)
		if err != nil || n > 1000 {
			return sign
		}
		if cell == "␣" {
			cell = " "
		}
		return strings.Repeat(cell, n)
	})
}

// styleOf returns the style of an ink, of one ink on another, or of attributes.
func styleOf(name string, th *theme.Theme, plain style) (style, error) {
	l := plain
	front, back, _ := strings.Cut(" "+name, " on ")
	for word := range strings.FieldsSeq(front) {
		if err := l.apply(word, th, plain); err != nil {
			return l, err
		}
	}
	if back != "" {
		spec, ok := inkOf(back, th)
		switch {
		case !ok:
			return l, fmt.Errorf("no ink %q", back)
		case spec.Bg != nil:
			l.bg = hex(spec.Bg)
		}
	}
	return l, nil
}

func (l *style) apply(word string, th *theme.Theme, plain style) error {
	switch word {
	case "bold":
		l.bold = true
	case "italic":
		l.italic = true
	case "underline":
		l.underline = true
	case "faint", "reverse", "strike":
		if spec, ok := inkOf(word, th); ok {
			l.ink(spec)
		}
	default:
		if n, err := strconv.Atoi(word); err == nil && n >= 30 && n < 38 {
			l.fg = hex(ansi.BasicColor(n - 30))
			return nil
		}
		spec, ok := inkOf(word, th)
		if !ok {
			return fmt.Errorf("no ink %q", word)
		}
		l.ink(spec)
	}
	return nil
}

func (l *style) ink(spec theme.Spec) {
	if spec.Fg != nil {
		l.fg = hex(spec.Fg)
	}
	if spec.Bg != nil {
		l.bg = hex(spec.Bg)
	}
	l.bold, l.italic, l.underline = l.bold || spec.Bold, l.italic || spec.Italic, l.underline || spec.Underline
}

// inkOf finds an ink by the name of its field in lower case.
func inkOf(name string, th *theme.Theme) (theme.Spec, bool) {
	v := reflect.ValueOf(*th)
	for i := range v.NumField() {
		if ink, ok := v.Field(i).Interface().(theme.Ink); ok && strings.EqualFold(v.Type().Field(i).Name, name) {
			return ink.Spec(), true
		}
	}
	return theme.Spec{}, false
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
