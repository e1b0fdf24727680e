package diff

import (
	"sync/atomic"

	"parley/ui/theme"
	"parley/ui/widget/syntax"
)

// kindInks paint the lines of one kind: those that were added, those that were deleted, or the context.
type kindInks struct {
	sign   string
	mark   theme.Ink // of the sign
	text   theme.Ink
	word   theme.Ink // what changed in a line that is much like another
	code   [syntax.Classes]theme.Ink
	filled bool // its ground extends to the end of the row
}

// diffInks are the inks that a theme has for diffs.
type diffInks struct {
	th *theme.Theme

	context, added, deleted kindInks
}

// lastInks are those of the theme that was used last: making them takes longer than drawing a row.
var lastInks atomic.Pointer[diffInks]

func inksOf(th *theme.Theme) *diffInks {
	if in := lastInks.Load(); in != nil && in.th == th {
		return in
	}
	in := makeInks(th)
	lastInks.Store(in)
	return in
}

func makeInks(th *theme.Theme) *diffInks {
	in := &diffInks{
		th:      th,
		context: kindInks{sign: " ", mark: th.DiffContext, text: th.DiffContext, word: th.DiffContext},
		added:   kindInks{sign: "+", mark: th.DiffAdd, text: th.DiffAdd, word: th.DiffAddWord},
		deleted: kindInks{sign: "-", mark: th.DiffDel, text: th.DiffDel, word: th.DiffDelWord},
	}
	coloured := Colours(th)
	if coloured {
		in.added.ground(th.DiffAddLine, th)
		in.deleted.ground(th.DiffDelLine, th)
	}
	for _, k := range []*kindInks{&in.context, &in.added, &in.deleted} {
		for class := range k.code {
			k.code[class] = k.text
		}
		if !coloured {
			continue
		}
		for class, ink := range map[syntax.Class]theme.Ink{syntax.Keyword: th.Keyword, syntax.Function: th.Function, syntax.String: th.String,
			syntax.Number: th.Number, syntax.Comment: th.Comment} {
			k.code[class] = over(ink, k.text)
		}
	}
	return in
}

// Colours reports whether a theme colours the code in a diff. That needs a ground that shows what happened to a line;
// without one the whole line has the colour of its sign.
func Colours(th *theme.Theme) bool { return th.DiffAddLine.Spec().Bg != nil }

// ground lays the lines of a kind on a background, or their signs only.
func (k *kindInks) ground(ink theme.Ink, th *theme.Theme) {
	k.mark = over(k.mark, ink)
	if k.text, k.filled = ink, true; th.DiffSigns {
		k.text, k.filled = th.DiffContext, false
	}
}

// over returns an ink on the background of another.
func over(ink, ground theme.Ink) theme.Ink {
	s := ink.Spec()
	s.Bg = ground.Spec().Bg
	return theme.NewInk(s)
}

// run is a stretch of a line in one ink, up to the byte to.
type run struct {
	to  int
	ink theme.Ink
}

// runs cuts the first n bytes of a line into stretches of one ink. Marks take precedence over the classes of code.
func (k *kindInks) runs(dst []run, n int, marks []span, code []syntax.Span) []run {
	dst = dst[:0]
	for at := 0; at < n; {
		for len(marks) > 0 && marks[0].to <= at {
			marks = marks[1:]
		}
		for len(code) > 0 && code[0].To <= at {
			code = code[1:]
		}
		to, ink := n, k.text
		if len(code) > 0 {
			to, ink = min(to, code[0].To), k.code[code[0].Class]
		}
		if len(marks) > 0 {
			if marks[0].from <= at {
				to, ink = min(n, marks[0].to), k.word
			} else {
				to = min(to, marks[0].from)
			}
		}
		if last := len(dst) - 1; last >= 0 && dst[last].ink.On() == ink.On() {
			dst[last].to = to
		} else {
			dst = append(dst, run{to, ink})
		}
		at = to
	}
	return dst
}

// rowPainter builds a row and writes an ink only where it changes.
type rowPainter struct {
	buf []byte
	ink theme.Ink
}

func (p *rowPainter) put(s string, ink theme.Ink) {
	if s == "" {
		return
	}
	if ink.On() != p.ink.On() {
		p.buf = append(p.buf, p.ink.Off()...)
		p.buf = append(p.buf, ink.On()...)
		p.ink = ink
	}
	p.buf = append(p.buf, s...)
}

func (p *rowPainter) spaces(n int, ink theme.Ink) {
	const spaces = "                                "
	for ; n > 0; n -= len(spaces) {
		p.put(spaces[:min(n, len(spaces))], ink)
	}
}

// finish returns the row and empties the painter.
func (p *rowPainter) finish() string {
	p.buf = append(p.buf, p.ink.Off()...)
	s := string(p.buf)
	p.buf, p.ink = p.buf[:0], theme.Ink{}
	return s
}
