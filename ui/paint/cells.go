package paint

import (
	"image/color"
	"slices"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"

	"parley/internal/glyphs"
)

// row is a row on the screen, or of the next frame.
type row struct {
	text  string
	line  uv.Line // its cells without trailing blanks, made when needed
	known bool    // line was made
	lost  bool    // what the terminal shows there is not known
}

// cells returns the cells of a row.
func (p *painter) cells(r *row) uv.Line {
	if !r.known {
		r.line, r.known = fit(p.parse(r.text), p.cols), true
	}
	return r.line
}

// fit cuts a row that is wider than the terminal, if its size is known, and trailing blanks.
func fit(line uv.Line, cols int) uv.Line {
	if cols > 0 && cols < len(line) {
		for cols > 0 && line[cols].Width == 0 { // the second column of a wide cluster
			cols--
		}
		line = line[:cols]
	}
	for len(line) > 0 && line[len(line)-1] == blank {
		line = line[:len(line)-1]
	}
	return line
}

// printable reports whether a sequence can hold s: printable ASCII is all that OSC 8 allows.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

var blank = uv.EmptyCell

// at returns the cell in a column, a blank one beyond the end.
func at(line uv.Line, x int) *uv.Cell {
	if x < len(line) {
		return &line[x]
	}
	return &blank
}

// parse returns the cells of a row. A wide cluster is in its first column; the cells after
// it have no width.
func (p *painter) parse(s string) uv.Line {
	line := make(uv.Line, 0, len(s))
	var style, shown uv.Style
	var link uv.Link
	for s != "" {
		switch c := s[0]; {
		case c == 0x1b:
			n := p.escape(s, &style, &link)
			s, shown = s[n:], uv.ConvertStyle(style, p.terminal.Depth)
			link = uv.ConvertLink(link, p.terminal.Depth)
			continue
		case c < 0x20 || c == 0x7f:
			s = s[1:]
			continue
		case c < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf):
			line = append(line, uv.Cell{Content: s[:1], Width: 1, Style: shown, Link: link})
			s = s[1:]
			continue
		}
		cluster, width := glyphs.First(s)
		if cluster == "" {
			break
		}
		s = s[len(cluster):]
		if !utf8.ValidString(cluster) { // a byte could be a control of an 8-bit terminal
			cluster = strings.ToValidUTF8(cluster, string(utf8.RuneError))
			width = glyphs.Width(cluster)
		}
		if width == 0 { // it joins no cell, so it shows nothing
			continue
		}
		if !glyphs.ByClusters() {
			cluster = strings.TrimSuffix(cluster, "\u200d")
		}
		if composed := norm.NFC.String(cluster); glyphs.Width(composed) == width {
			cluster = composed
		}
		line = append(line, uv.Cell{Content: cluster, Width: width, Style: shown, Link: link})
		for range width - 1 {
			line = append(line, uv.Cell{Style: shown, Link: link})
		}
	}
	return line
}

// maxParams is how many parameters of a sequence a parser of package ansi has room for.
const maxParams = 31

// escape reads the sequence at the beginning of s and returns its length.
func (p *painter) escape(s string, style *uv.Style, link *uv.Link) int {
	seq, _, n, _ := ansi.DecodeSequence(s, ansi.NormalState, nil)
	if ansi.HasCsiPrefix(seq) && strings.Count(seq, ";")+strings.Count(seq, ":") >= maxParams {
		return max(n, 1)
	}
	parser := ansi.GetParser()
	defer ansi.PutParser(parser)
	seq, _, n, _ = ansi.DecodeSequence(s, ansi.NormalState, parser)
	switch {
	case ansi.HasCsiPrefix(seq) && parser.Command() == 'm':
		uv.ReadStyle(parser.Params(), style)
	case ansi.HasOscPrefix(seq) && parser.Command() == 8:
		if uv.ReadLink(parser.Data(), link); !printable(link.URL) || !printable(link.Params) {
			*link = uv.Link{}
		}
	}
	return max(n, 1)
}

// uncertain reports whether terminals disagree about the width of a cell.
func uncertain(c *uv.Cell) bool {
	if len(c.Content) < 3 {
		return false
	}
	_, size := utf8.DecodeRuneInString(c.Content)
	return size < len(c.Content)
}

// gap is how many equal cells are cheaper to write than to skip or to erase.
const gap = 6

// change writes the cells of a row that differ.
func (p *painter) change(b []byte, y int, was, is *row) []byte {
	if was.text == is.text && !was.lost {
		return b
	}
	old, now := p.cells(was), p.cells(is)
	// A terminal that reflows lines remembers how long one was until all of it is erased.
	if was.lost || !p.modes.alt && len(now) < len(old) {
		return p.rewrite(b, 0, y, now)
	}
	most := max(len(old), len(now))
	for x := 0; x < most; x++ {
		if *at(old, x) == *at(now, x) {
			continue
		}
		from, to := x, x+1
		for end := to; end < most && end < to+gap; end++ {
			if *at(old, end) != *at(now, end) || at(old, end).Width == 0 || at(now, end).Width == 0 {
				to = end + 1
			}
		}
		for i := range to {
			if uncertain(at(old, i)) || uncertain(at(now, i)) { // it may overlap the cells after it
				return p.rewrite(b, min(from, i), y, now)
			}
		}
		b = p.to(b, from, y)
		b = p.span(b, now, from, min(to, len(now)))
		if to > len(now) { // the remaining cells are blank
			b = append(p.plain(p.to(b, max(from, len(now)), y)), ansi.EraseLineRight...)
			return b
		}
		x = to
	}
	return b
}

// rewrite writes all cells from a column to the end of the row.
func (p *painter) rewrite(b []byte, from, y int, line uv.Line) []byte {
	b = append(p.plain(p.to(b, from, y)), ansi.EraseLineRight...)
	return p.span(b, line, from, len(line))
}

// span writes cells at the cursor.
func (p *painter) span(b []byte, line uv.Line, from, to int) []byte {
	for x := from; x < to; {
		c := &line[x]
		if p.x != x {
			b = p.to(b, x, p.y)
		}
		b = p.ink(b, c.Style, c.Link)
		if n := p.erasable(line[x:to]); n >= gap {
			b = append(b, ansi.EraseCharacter(n)...)
			x += n
			continue
		}
		b = append(b, c.Content...)
		x += max(1, c.Width)
		if p.x = x; uncertain(c) {
			p.x = -1
		}
	}
	return b
}

// erasable counts the cells at the beginning that are alike, and as erasing makes them.
func (p *painter) erasable(line uv.Line) (n int) {
	c := line[0]
	if c.Content != " " || c.Link != (uv.Link{}) || c.Style != (uv.Style{Fg: c.Style.Fg, Bg: c.Style.Bg}) || c.Style.Bg != nil && !p.terminal.Fills {
		return 0
	}
	for n < len(line) && line[n].Content == " " && line[n].Link == c.Link && line[n].Style == c.Style {
		n++
	}
	return n
}

// ink sets the style and the link for what is written next.
func (p *painter) ink(b []byte, style uv.Style, link uv.Link) []byte {
	if style != p.pen {
		if alike(style.Fg, p.pen.Fg) || alike(style.Bg, p.pen.Bg) || alike(style.UnderlineColor, p.pen.UnderlineColor) {
			b = append(b, ansi.ResetStyle...)
			p.pen = uv.Style{}
		}
		b = append(b, style.Diff(&p.pen)...)
		p.pen = style
	}
	if link != p.link {
		b = append(b, ansi.SetHyperlink(link.URL, link.Params)...)
		p.link = link
	}
	return b
}

// alike reports whether colours of different kinds, such as one of a palette, have equal
// values, so that Diff treats them as the same colour.
func alike(a, b color.Color) bool {
	if a == nil || b == nil || a == b {
		return false
	}
	r, g, bl, al := a.RGBA()
	r2, g2, bl2, al2 := b.RGBA()
	return r == r2 && g == g2 && bl == bl2 && al == al2
}

// plain resets style and link, because erased cells get the style's background.
func (p *painter) plain(b []byte) []byte { return p.ink(b, uv.Style{}, uv.Link{}) }

// Beside separates, in a row of a view, what may move with the rows above and below it from
// what stays in place, such as a panel beside a transcript.
const Beside = "\x1f"

// moving is the part of a row that may move.
func (r row) moving() string {
	text, _, _ := strings.Cut(r.text, Beside)
	return text
}

// same reports whether rows look the same where they may move.
func same(a, b row) bool { return a.moving() == b.moving() && !a.lost && !b.lost }

// forget marks everything on the screen as not known.
func (p *painter) forget() {
	if p.modes.alt {
		p.live, p.x, p.y = nil, -1, -1
		return
	}
	p.live = slices.Clone(p.live)
	for i := range p.live {
		p.live[i].lost = true
	}
}
